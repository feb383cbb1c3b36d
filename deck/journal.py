"""The append-only journal: `.deltadeck/journal/<device>/YYYY-MM.jsonl`, one event a line.

Each device appends to its own files, so git, Syncthing or a copy merge without conflicts: the union
of all lines is the history.  Reading never writes.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from cards.model import Problem
from deck.append import append_line
from deck.device import check_device, own_device
from deck.devices import journal_files
from deck.errors import unrecorded
from deck.event import Event
from deck.index.lines import plan, read_events, shortened, unreadable
from deck.line import write_line
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

    def locked(self) -> AbstractContextManager[None]:
        """Keeps other programs from appending.  Makes `.deltadeck/` where it is missing.

        Raises:
            JournalError: it cannot be made or locked.
        """
        try:
            make_private(self.folder)
        except OSError as error:
            raise unrecorded(self.folder, "folder cannot be made", error) from error
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
        append_line(path, write_line(event))
        return Written(name, stamp_of(path))


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
