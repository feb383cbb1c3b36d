"""What is read of a collection, row by row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple


@dataclass(frozen=True, slots=True)
class NoteType:
    name: str
    fields: tuple[str, ...]
    templates: tuple[tuple[str, str, str], ...]
    """Name, front, back."""
    cloze: bool
    css: str = ""


class Answer(NamedTuple):
    """A row of `revlog`."""

    card: int
    id: int
    """Milliseconds since 1970."""
    ease: int
    ivl: int
    factor: int
    time: int
    kind: int


class Row(NamedTuple):
    """A row of `cards`."""

    note: int
    id: int
    deck: int
    ord: int
    mod: int
    type: int
    queue: int
    due: int
    ivl: int
    odue: int
    odid: int
    flags: int
    odd: tuple[str, ...] = ()
    """Columns that held no number, or one that cannot be."""


@dataclass(frozen=True, slots=True)
class Note:
    id: int
    guid: str
    type: int
    tags: tuple[str, ...]
    fields: tuple[str, ...]
    cards: tuple[tuple[Row, tuple[Answer, ...]], ...]
    odd: int = 0
    """Answers that were left out, for a column of theirs holds no number."""
    mod: int = 0
    """When it was changed last, in seconds since 1970; 0 where that is no time."""


#: A longer interval than Anki's own longest, in days, is none.
LONGEST = 36_500
_WHOLE = {int}
_MOST = 1 << 62
_IVL = Row._fields.index("ivl")


def card_row(values: Sequence[Any]) -> Row:
    """A row of `cards` whose columns are whole numbers; what was none is 0, and named."""
    if set(map(type, values)) == _WHOLE and values[_IVL] <= LONGEST:
        return Row(*values)
    whole = [_whole(value) for value in values]
    ivl = whole[_IVL]
    if ivl is not None and ivl > LONGEST:
        whole[_IVL] = None
    odd = tuple(name for name, value in zip(Row._fields, whole, strict=False) if value is None)
    kept = [value or 0 for value in whole]
    if ivl is not None and whole[_IVL] is None:
        kept[_IVL] = LONGEST
    return Row._make([*kept, odd])


def answer_row(values: Sequence[Any]) -> Answer | None:
    """A row of `revlog`; None where a column of it is no number."""
    if set(map(type, values)) == _WHOLE:
        return Answer(*values)
    whole = [number for value in values if (number := _whole(value)) is not None]
    return Answer(*whole) if len(whole) == len(values) else None


def _whole(value: object) -> int | None:
    """SQLite keeps in a column of numbers what it was given: texts, fractions, nothing."""
    if isinstance(value, float):
        return int(value) if abs(value) < _MOST else None
    return value if isinstance(value, int) else None


class Ahead:
    """Groups that come in the order of their keys, of which some may be missing on either side."""

    def __init__(self, groups: Iterator[tuple[Any, Iterator[Any]]]) -> None:
        self._groups = groups
        self._next: tuple[Any, list[Any]] | None = None
        self._advance()

    def _advance(self) -> None:
        found = next(self._groups, None)
        self._next = (found[0], list(found[1])) if found else None

    def of(self, key: Any) -> list[Any]:
        while self._next is not None and self._next[0] < key:
            self._advance()
        if self._next is None or self._next[0] != key:
            return []
        found = self._next[1]
        self._advance()
        return found
