"""Every line of a journal, looked at without keeping them all."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from cards.files import open_regular
from cards.model import Problem
from deck.devices import is_copy
from deck.event import Event
from deck.fold import unique
from deck.index.lines import unreadable
from deck.line import LineError, NewerLineError, read_line
from deck.salvage import events_in


class Line(NamedTuple):
    """A line of a file, and what it is."""

    number: int
    data: bytes
    """Without its line feed."""
    event: Event | None
    error: str
    """Why it is no event."""
    torn: bool
    newer: bool
    """Of a later version, in a form that is not known here: it must stay."""

    @property
    def text(self) -> bytes:
        return self.data.strip()

    @property
    def is_bad(self) -> bool:
        return self.event is None and not self.newer


class Survey:
    """All files, read one after the other: of an event, only its id and a hash are kept."""

    def __init__(self, paths: list[Path]) -> None:
        self.files: list[Path] = []
        self.problems: list[Problem] = []
        self.copies: set[Path] = set()
        """Files named like a copy that hold nothing of their own."""
        self.contested: set[str] = set()
        """Ids that stand in two lines that are not the same."""
        self._hashes: dict[str, int] = {}
        named = [path for path in paths if is_copy(path)]
        for path in [path for path in paths if path not in named] + named:
            try:
                self._look(path, path in named)
            except OSError as error:
                self.problems.append(unreadable(path, error))
        self.files.sort()

    @property
    def ids(self) -> Container[str]:
        """Of all events."""
        return self._hashes

    def _look(self, path: Path, may_be_copy: bool) -> None:
        own = False
        for line in lines_of(path):
            if line.event is None:
                own |= line.newer or any(event.id not in self.ids for event in _inside(line))
                continue
            found = hash(line.text)
            if self._hashes.get(line.event.id) != found:
                own = True
                if self._hashes.setdefault(line.event.id, found) != found:
                    self.contested.add(line.event.id)
        self.files.append(path)
        if may_be_copy and not own:
            self.copies.add(path)

    def chosen(self) -> dict[str, Event]:
        """Of the ids that stand for two events, the one that counts."""
        if not self.contested:
            return {}
        events = (line.event for path in self.files for line in lines_of(path) if line.event)
        return {e.id: e for e in unique(e for e in events if e.id in self.contested)}

    def missing_of(self, path: Path) -> int:
        """How many events of a file that is not read are in no other.  Raises OSError."""
        found = 0
        for line in lines_of(path):
            events = [line.event] if line.event else _inside(line)
            found += sum(event.id not in self.ids for event in events)
        return found


def _inside(line: Line) -> list[Event]:
    return [read_line(data) for data in events_in(line.data)]


def lines_of(path: Path) -> Iterator[Line]:
    """The lines of a file that are not blank.  Raises OSError."""
    with open_regular(path) as file:
        for number, data in enumerate(file, 1):
            line = data.removesuffix(b"\n")
            if not line.strip():
                continue
            try:
                yield Line(number, line, read_line(line), "", False, False)
            except NewerLineError as error:
                yield Line(number, line, None, str(error), False, True)
            except LineError as error:
                yield Line(number, line, None, str(error), line == data, False)


def bad_lines(lines: Iterable[Line]) -> list[Line]:
    """The lines that are no events, and those that are there a second time."""
    seen: set[bytes] = set()
    bad = []
    for line in lines:
        if line.is_bad or line.text in seen:
            bad.append(line)
        seen.add(line.text)
    return bad
