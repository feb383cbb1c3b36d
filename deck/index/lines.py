"""The lines of a journal file from some place on, as rows; what is wrong with them beside.

A digest of each block tells whether what was read is as it was: only what came need be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, NamedTuple

from cards.files import open_regular
from cards.model import Problem
from deck.errors import broken, odd, reason
from deck.events import Event, LineError, NewerLineError, Unknown, is_possible, read_line, shortly
from deck.index.codec import EventRow, event_row, id_bytes
from deck.journal import journal_files
from deck.study_day import milliseconds

#: Bytes; the last block of a file may be shorter.
_BLOCK = 1 << 16
_SIZE = 8


class Digest:
    """Of bytes that come one after the other: a hash of each block."""

    def __init__(self, blocks: bytes = b"") -> None:
        """`blocks` is what `value` said behind some number of full blocks."""
        self._blocks, self._rest = blocks, b""

    def update(self, data: bytes) -> None:
        data = self._rest + data
        full = len(data) // _BLOCK * _BLOCK
        blocks = (data[at : at + _BLOCK] for at in range(0, full, _BLOCK))
        self._blocks += b"".join(map(_hash, blocks))
        self._rest = data[full:]

    def value(self) -> bytes:
        """Empty where there were no bytes."""
        return self._blocks + (_hash(self._rest) if self._rest else b"")


def _hash(block: bytes) -> bytes:
    return blake2b(block, digest_size=_SIZE).digest()


def resumed(file: BinaryIO, size: int, known: bytes, trusted: bool) -> Digest | None:
    """The digest of the first `size` bytes, behind which `file` stands then.

    None where they are not those whose digest is `known`.  Of a `trusted` file, which only grew,
    the last block alone is looked at.
    """
    start = size // _BLOCK * _BLOCK if trusted else 0
    made, left = Digest(known[: start // _BLOCK * _SIZE]), size - start
    file.seek(start)
    while left and (data := file.read(min(left, _BLOCK))):
        made.update(data)
        left -= len(data)
    return made if not left and made.value() == known else None


#: Bytes read at once: bounds the memory.
PIECE = 250_000
#: More broken lines than this in one file are counted, not listed.
LISTED = 20
_TORN = "The last line was not written to its end."
_NEWER = "A newer deltadeck wrote it: it is kept, and left out of the schedule. Update."


class Piece(NamedTuple):
    """Some lines of a file, whole ones but for a last line without its line feed."""

    path: str
    start: int
    end: int
    number: int
    """How many lines precede."""
    last: bool
    """Whether it is that line without its line feed."""


class ReadPlan(NamedTuple):
    """What there is to read of a file."""

    pieces: list[Piece]
    read: int
    """Bytes from the file's beginning to the end of its last whole line."""
    lines: int
    """Whole lines up to there."""
    digest: bytes
    """Of the bytes up to `read`."""


class Lines(NamedTuple):
    """What was read of a piece."""

    rows: list[EventRow]
    also: list[tuple[int, tuple[str, ...]]]
    """(place in `rows`, items), for events that concern others than their own item."""
    problems: list[Problem]
    unread: Problem | None = None
    """Why nothing was read: the file went away, or the system refused, since it was planned."""


class Contents(NamedTuple):
    """A whole journal, read without the index."""

    events: list[Event]
    """File by file, as they stand there: `deck.replay.unique` sorts them."""
    problems: tuple[Problem, ...]


def plan(path: Path) -> ReadPlan:
    """The pieces of a whole file.  Raises OSError."""
    made = plan_on(path, 0, 0, b"", trusted=False)
    assert made is not None
    return made


def plan_on(path: Path, start: int, lines: int, digest: bytes, trusted: bool) -> ReadPlan | None:
    """The pieces from the byte `start` on, which `lines` lines precede.

    None where the bytes before it are not those of `digest`; a `trusted` file only grew.

    Raises:
        OSError: it cannot be read.
    """
    pieces, at, rest = list[Piece](), start, b""
    with open_regular(path) as file:
        found = resumed(file, start, digest, trusted)
        if found is None:
            return None
        while data := file.read(PIECE):
            data = rest + data
            end = data.rfind(b"\n") + 1
            whole, rest = data[:end], data[end:]
            if whole:
                pieces.append(Piece(str(path), at, at + end, lines, False))
                found.update(whole)
                at, lines = at + end, lines + whole.count(b"\n")
    if rest:
        pieces.append(Piece(str(path), at, at + len(rest), lines, True))
    return ReadPlan(pieces, at, lines, found.value())


def read_piece(piece: Piece) -> Lines:
    """The events of a piece as rows."""
    found = Lines([], [], [])
    try:
        numbered = _numbered(piece)
    except OSError as error:
        return found._replace(unread=unreadable(Path(piece.path), error))
    for number, line in numbered:
        row = quick_row(line)
        if row is None:
            event = _event(piece, number, line, found.problems)
            if event is None:
                continue
            if event.items != (event.item,):
                found.also.append((len(found.rows), event.items))
            row = event_row(event, line)
        found.rows.append(row)
    return found


def read_events(path: Path, problems: list[Problem]) -> Iterator[Event]:
    """The events of a file; what is wrong with it or its other lines is added to `problems`."""
    try:
        for piece in plan(path).pieces:
            for number, line in _numbered(piece):
                event = _event(piece, number, line, problems)
                if event is not None:
                    yield event
    except OSError as error:
        problems.append(unreadable(path, error))


def read_journal(folder: Path) -> Contents:
    """Every event below `folder` (`.deltadeck/`), and what is wrong with folders and lines."""
    paths, misplaced = journal_files(folder)
    events: list[Event] = []
    problems = list(misplaced)
    for path in paths:
        found: list[Problem] = []
        events += read_events(path, found)
        problems += shortened(path, found)
    return Contents(events, tuple(problems))


def _numbered(piece: Piece) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers.  Raises OSError."""
    with open_regular(Path(piece.path)) as file:
        file.seek(piece.start)
        data = file.read(piece.end - piece.start)
    lines = enumerate(data.split(b"\n"), piece.number + 1)
    return ((number, line) for number, line in lines if line.strip())


def _event(piece: Piece, number: int, line: bytes, problems: list[Problem]) -> Event | None:
    path = Path(piece.path)
    try:
        event = read_line(line)
    except NewerLineError:
        problems.append(newer_line(path, number))
    except LineError as error:
        if piece.last:
            hint = "It was never acknowledged. That device's next answer, or the doctor, moves it "
            problems.append(odd(path, _TORN, f"{hint}away.", number))
        else:
            hint = "The other lines are kept. A copy may have it whole, or set it aside: "
            hint += "`deltadeck doctor --repair`."
            problems.append(broken(path, f"The line is no event: {error}.", hint, number))
    else:
        if isinstance(event.what, Unknown):
            problems.append(unknown_event(path, number, event.kind))
        return event
    return None


def unreadable(path: Path, error: OSError) -> Problem:
    message = f"The journal file cannot be read: {reason(error)}."
    hint = "Make it a readable file: until then, reviews in it may be missing from the schedule."
    return broken(path, message, hint)


def newer_line(path: Path, line: int) -> Problem:
    """Of a version whose lines cannot be read here at all."""
    return odd(path, "The line is of a later version of the journal.", _NEWER, line)


def unknown_event(path: Path, line: int, kind: str) -> Problem:
    """Of a kind or version of which only the frame can be read."""
    message = f"The event {shortly(ascii(kind))} is of a kind or version not known here."
    return odd(path, message, _NEWER, line)


def shortened(path: Path, problems: list[Problem]) -> list[Problem]:
    if len(problems) <= LISTED:
        return problems
    message = f"{len(problems) - LISTED} more lines have problems."
    more = odd(path, message, "Restore the file from a copy.", problems[LISTED].line)
    return [*problems[:LISTED], more]


# == The line that this program writes for an answer, read without making values of it first.
#
# Nearly all lines are of this form.  Whatever is not exactly it, an error included, is left to
# `deck.events.read_line`; what is read here is what `event_row(read_line(line), line)` would be.


_LINE = re.compile(
    r'\{"v":1,"id":"([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})",'
    r'"kind":"review","item":"([ !#-\[\]-~]+)",'
    r'"at":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})Z","offset":(-?\d{1,3}),'
    r'"day":"(\d{4}-\d\d-\d\d)","rating":([1-4]),"ms":(0|[1-9]\d{0,8}),'
    r'"model":"([ !#-\[\]-~]*)","params":"([ !#-\[\]-~]*)",'
    r'"next":(?:([1-9]\d{0,3})|\[(0|[1-9]\d?),([1-9]\d{0,6})\])'
    r'(?:,"status":"([ !#-\[\]-~]*)")?\}',
    re.ASCII,
)


def quick_row(line: bytes) -> EventRow | None:
    """The row of a review's line; None where another must read it."""
    found = _LINE.fullmatch(line.decode("latin-1"))
    if found is None:
        return None
    event_id, item, at, offset, day, rating, took, name, parameters, days, step, wait, status = (
        found.groups("")
    )
    if not is_possible(event_id):
        return None
    try:
        instant = datetime.fromisoformat(at + "+00:00")
        ordinal = _ordinal(day)
    except ValueError:
        return None
    if not 1970 <= instant.year < 3000 or abs(ordinal - instant.toordinal()) > 3:
        return None
    promise = (None, int(days)) if days else (int(step), int(wait) * 1000.0)
    model = (name, parameters, status)
    head = (id_bytes(event_id), item, milliseconds(instant), int(offset), ordinal)
    return (*head, int(rating), int(took), model, *promise, None, None)


@lru_cache(maxsize=4096)
def _ordinal(day: str) -> int:
    return date.fromisoformat(day).toordinal()
