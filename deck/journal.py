"""The append-only journal: `.deltadeck/journal/<device>/YYYY-MM.jsonl`, one event a line.

Each device appends to its own files, so git, Syncthing or a copy merge without conflicts: the union
of all lines is the history.  Reading never writes.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from errno import ENOENT
from pathlib import Path
from typing import NamedTuple

from cards.model import Problem
from deck.append import append_line
from deck.device import check_device, own_device
from deck.devices import journal_files
from deck.errors import JournalError, unrecorded
from deck.event import Event
from deck.index.lines import plan, read_events, shortened, unreadable
from deck.line import LineError, read_line, write_line
from deck.lock import locked
from deck.place import make_private
from deck.walk import Stamp, stamp_of


class Written(NamedTuple):
    """Where an event went."""

    name: str
    """The file's path below the journal's folder."""
    stamp: Stamp
    """The file's, behind the event's line."""


class Contents(NamedTuple):
    """A whole journal, read without the index."""

    events: list[Event]
    """File by file, as they stand there: `deck.fold.unique` sorts them."""
    problems: tuple[Problem, ...]


class Journal:
    """The journal below `folder` (`.deltadeck/`), appended to as the device `device`."""

    def __init__(self, folder: Path, device: str | None = None) -> None:
        self.folder = folder
        self._device = check_device(device) if device is not None else None
        self._was_there = folder.is_dir()

    def locked(self) -> AbstractContextManager[None]:
        """Keeps other programs from appending.  Makes `.deltadeck/` where it is missing.

        Raises:
            JournalError: it cannot be made or locked, or it went away: a disk that was pulled out
                leaves an empty folder, and what is written there is hidden once the disk is back.
        """
        try:
            if self._was_there and not os.path.lexists(self.folder):
                raise FileNotFoundError(ENOENT, os.strerror(ENOENT), str(self.folder))
            make_private(self.folder)
        except OSError as error:
            raise unrecorded(self.folder, "folder cannot be made", error) from error
        self._was_there = True
        return locked(self.folder / "lock")

    def append(self, event: Event) -> Written:
        """Writes `event` and waits for the disk; called between `locked` and its end.

        Raises:
            JournalError: nothing was written.
        """
        if self._device is None:
            self._device = own_device()
        name = f"journal/{self._device}/{event.at:%Y-%m}.jsonl"
        path = self.folder / name
        append_line(path, _checked(path, event))
        return Written(name, stamp_of(path))


def _checked(path: Path, event: Event) -> bytes:
    """The event's line; JournalError where it could not be read back: it would be lost."""
    line = write_line(event)
    try:
        read_line(line)
    except LineError as error:
        raise JournalError(
            f"{path}: the event cannot be kept: {error}. "
            "Check this computer's clock; nothing was recorded."
        ) from error
    return line


def read_journal(folder: Path) -> Contents:
    """Every event below `folder` (`.deltadeck/`), and what is wrong with folders and lines."""
    paths, misplaced = journal_files(folder)
    events: list[Event] = []
    problems = list(misplaced)
    for path in paths:
        found: list[Problem] = []
        try:
            pieces = plan(path, 0, 0).pieces
        except OSError as error:
            problems.append(unreadable(path, error))
            continue
        for piece in pieces:
            events += read_events(piece, found)
        problems += shortened(path, found)
    return Contents(events, tuple(problems))
