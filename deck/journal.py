"""The append-only journal: `.deltadeck/journal/<device>/YYYY-MM.jsonl`, one event a line.

Each device appends to its own files, so git, Syncthing or a copy merge without conflicts: the union
of all lines is the history.  Reading never writes.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from errno import ENOENT
from pathlib import Path
from typing import NamedTuple

from deck.append import append_line
from deck.device import check_device, own_device
from deck.errors import JournalError, unrecorded
from deck.event import Event, Reviewed
from deck.index.lines import Contents, read_journal  # noqa: F401
from deck.line import LineError, check_frame, read_line, write_line
from deck.lock import locked
from deck.place import make_private
from deck.walk import Stamp


class Written(NamedTuple):
    """Where events went."""

    name: str
    """The file's path below `.deltadeck/`."""
    before: Stamp
    """The file's, before the events' lines."""
    stamp: Stamp
    """The file's, behind them."""


class Journal:
    """The journal below `folder` (`.deltadeck/`), appended to as the device `device`."""

    def __init__(self, folder: Path, device: str | None = None) -> None:
        self.folder = folder
        self._device = check_device(device) if device is not None else None
        self._was_there = folder.is_dir()
        self._lock = folder / "lock"
        self._place: tuple[str, Path] = ("", folder)

    def locked(self) -> AbstractContextManager[None]:
        """Keeps other programs from appending.  Makes `.deltadeck/` where it is missing.

        Raises:
            JournalError: it cannot be made or locked, or it went away: a disk that was pulled out
                leaves an empty folder, and what is written there is hidden once the disk is back.
        """
        if not os.path.isdir(self.folder):  # noqa: PTH112, before every answer
            self._make()
        self._was_there = True
        return locked(self._lock)

    def _make(self) -> None:
        try:
            if self._was_there and not os.path.lexists(self.folder):
                raise FileNotFoundError(ENOENT, os.strerror(ENOENT), str(self.folder))
            make_private(self.folder)
        except OSError as error:
            raise unrecorded(self.folder, "folder cannot be made", error) from error

    @property
    def device(self) -> str:
        """The device's name; made at the first use.  Raises JournalError."""
        if self._device is None:
            self._device = own_device()
        return self._device

    def append(self, *events: Event) -> Written:
        """Writes events of one month and waits for the disk; called between `locked` and its end.

        Raises:
            JournalError: its `recorded` says how many are there all the same, nearly always none.
        """
        name = _name(self.device, events[0].at)
        if self._place[0] != name:
            self._place = (name, self.folder / name)
        path = self._place[1]
        lines = b"".join([_checked(path, event) for event in events])
        return Written(name, *append_line(path, lines))


def written_by_an_answer(folder: Path, device: str, now: datetime) -> tuple[Path, Path]:
    """The files below `folder` (`.deltadeck/`) that an answer opens, or makes where they are
    missing: the lock, and the device's file of the month."""
    return folder / "lock", folder / _name(device, now.astimezone(UTC))


def _name(device: str, at: datetime) -> str:
    return f"journal/{device}/{at:%Y-%m}.jsonl"


def _checked(path: Path, event: Event) -> bytes:
    """The event's line; JournalError where it could not be read back: it would be lost."""
    try:
        if isinstance(event.what, Reviewed):  # else of the right form by itself
            check_frame(event)
            return write_line(event)
        line = write_line(event)
        read_line(line)
    except LineError as error:
        raise JournalError(
            f"{path}: the event cannot be kept: {error}. Check this computer's clock",
            "nothing was recorded",
        ) from error
    return line
