"""The append-only journal: `.deltadeck/journal/<device>/YYYY-MM.jsonl`, one event a line.

Each device appends to its own files, so git, Syncthing or a copy merge without conflicts: the union
of all lines is the history.  Reading never writes.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from cards.model import Problem
from cards.regular import open_regular
from deck.append import append_line
from deck.device import check_device, own_device
from deck.devices import journal_files
from deck.errors import broken, odd, reason, unrecorded
from deck.event import Event, Unknown
from deck.line import LineError, read_line, write_line
from deck.lock import locked
from deck.place import make_private

#: More broken lines than this in one file are counted, not listed.
_LISTED = 20

_Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class JournalFile:
    """One file as it was last read."""

    stamp: _Stamp
    """Size, time of change and inode: another stamp, another content."""
    events: tuple[Event, ...]
    problems: tuple[Problem, ...]


class Journal:
    """The journal below `folder` (`.deltadeck/`), read and appended to as the device `device`."""

    def __init__(self, folder: Path, device: str | None = None) -> None:
        self.folder = folder
        self._device = check_device(device) if device is not None else None
        self._files: dict[Path, JournalFile] = {}
        self._misplaced: tuple[Problem, ...] = ()

    @property
    def events(self) -> list[Event]:
        """Every event read, file by file."""
        return [event for _, file in sorted(self._files.items()) for event in file.events]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was wrong with the folders, then with the lines, file by file."""
        return self._misplaced + tuple(
            p for _, file in sorted(self._files.items()) for p in file.problems
        )

    def refresh(self) -> bool:
        """Reads the files that changed since the last call; whether there were any.

        While the collection itself is gone (a disk that was pulled out), all stays as it was read.
        """
        if self._files and not self.folder.parent.is_dir():
            return False
        before = dict(self._files)
        found, self._misplaced = journal_files(self.folder)
        self._files = {path: self._current(path) for path in found}
        return self._files != before

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

    def append(self, event: Event) -> None:
        """Writes `event` and waits for the disk; called between `locked` and its end.

        Raises:
            JournalError: nothing was written.
        """
        if self._device is None:
            self._device = own_device()
        line = write_line(event)
        path = self.folder / "journal" / self._device / f"{event.at:%Y-%m}.jsonl"
        append_line(path, line)
        known = self._files.get(path)
        events = known.events if known else ()
        problems = tuple(p for p in known.problems if not _is_torn(p)) if known else ()
        self._files[path] = JournalFile(_stamp(path.stat()), (*events, event), problems)

    def _current(self, path: Path) -> JournalFile:
        known = self._files.get(path)
        try:
            stamp = _stamp(path.stat())
            return known if known and known.stamp == stamp else _read(path, stamp)
        except OSError as error:
            message = f"The journal file cannot be read: {reason(error)}."
            hint = "Make it a readable file: its reviews are missing from the schedule."
            return JournalFile((-1, -1, -1), (), (broken(path, message, hint),))


def _stamp(stat: os.stat_result) -> _Stamp:
    return stat.st_size, stat.st_mtime_ns, stat.st_ino


def _read(path: Path, stamp: _Stamp) -> JournalFile:
    events: list[Event] = []
    problems: list[Problem] = []
    with open_regular(path) as file:
        data = file.read()
    lines = data.split(b"\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            event = read_line(line)
        except LineError as error:
            last = number == len(lines)
            problems.append(_torn(path, number) if last else _corrupt(path, number, error))
            continue
        events.append(event)
        if isinstance(event.what, Unknown):
            problems.append(_unknown(path, number, event.kind))
    return JournalFile(stamp, tuple(events), _shortened(path, problems))


_TORN = "The last line was not written to its end."


def _is_torn(problem: Problem) -> bool:
    return problem.message == _TORN


def _torn(path: Path, line: int) -> Problem:
    hint = f"It was never acknowledged. The next answer moves it to {path.name}.torn."
    return odd(path, _TORN, hint, line)


def _corrupt(path: Path, line: int, error: LineError) -> Problem:
    hint = "The other lines are kept. Restore the line from a copy, or delete it."
    return broken(path, f"The line is no event: {error}.", hint, line)


def _unknown(path: Path, line: int, kind: str) -> Problem:
    hint = "A newer deltadeck wrote it: it is kept, and left out of the schedule. Update."
    return odd(path, f"The event {kind!a} is of a kind or version not known here.", hint, line)


def _shortened(path: Path, problems: list[Problem]) -> tuple[Problem, ...]:
    if len(problems) <= _LISTED:
        return tuple(problems)
    message = f"{len(problems) - _LISTED} more lines have problems."
    more = odd(path, message, "Restore the file from a copy.", problems[_LISTED].line)
    return (*problems[:_LISTED], more)
