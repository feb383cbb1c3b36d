"""Every line of a journal, looked at without keeping them all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from cards.model import Problem
from cards.regular import open_regular
from deck.event import Event
from deck.fold import unique
from deck.index.lines import unreadable
from deck.line import LineError, read_line

#: Names that Syncthing, Dropbox, Nextcloud, file managers and editors give to copies.
_COPY = re.compile(
    r"sync-conflict|conflicted copy|conflict|\(copy\)|\((\d+)\)| copy|~$|\.orig\.", re.IGNORECASE
)


class Line(NamedTuple):
    """A line of a file, and what it is."""

    number: int
    data: bytes
    """Without its line feed."""
    event: Event | None
    error: str
    """Why it is no event."""
    torn: bool

    @property
    def text(self) -> bytes:
        return self.data.strip()


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
        named = [path for path in paths if _COPY.search(path.name)]
        for path in [path for path in paths if path not in named] + named:
            try:
                self._look(path, path in named)
            except OSError as error:
                self.problems.append(unreadable(path, error))
        self.files.sort()

    def _look(self, path: Path, may_be_copy: bool) -> None:
        own = False
        for line in lines_of(path):
            if line.event is None:
                own = True
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


def lines_of(path: Path) -> Iterator[Line]:
    """The lines of a file that are not blank.  Raises OSError."""
    with open_regular(path) as file:
        for number, data in enumerate(file, 1):
            line = data.removesuffix(b"\n")
            if not line.strip():
                continue
            try:
                yield Line(number, line, read_line(line), "", False)
            except LineError as error:
                yield Line(number, line, None, str(error), line == data)


def bad_lines(lines: Iterable[Line]) -> list[Line]:
    """The lines that are no events, and those that are there a second time."""
    seen: set[bytes] = set()
    bad = []
    for line in lines:
        if line.event is None or line.text in seen:
            bad.append(line)
        seen.add(line.text)
    return bad
