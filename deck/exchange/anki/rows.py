"""What is read of a collection, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple


@dataclass(frozen=True, slots=True)
class NoteType:
    name: str
    fields: tuple[str, ...]
    templates: tuple[tuple[str, str, str], ...]
    """Name, front, back."""
    cloze: bool


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


@dataclass(frozen=True, slots=True)
class Note:
    id: int
    guid: str
    type: int
    tags: tuple[str, ...]
    fields: tuple[str, ...]
    cards: tuple[tuple[Row, tuple[Answer, ...]], ...]


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
