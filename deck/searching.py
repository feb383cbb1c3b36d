"""Searches in a collection: the items that a text means, in the order of their files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Protocol

from cards.model import Card
from deck.decks import deck_path
from deck.replay import Answer, ItemState
from deck.search.dates import written_on
from deck.search.match import Moment, matches
from deck.search.parse import parse
from deck.search.saved import expand
from deck.search.tree import Query


class Past(Protocol):
    """What was done: a `History`, or whatever stands for one."""

    def state(self, item_id: str) -> ItemState: ...
    def answers(self, item_id: str) -> Sequence[Answer]: ...
    def is_suspended(self, item_id: str) -> bool: ...
    def is_buried(self, item_id: str, day: date) -> bool: ...


@dataclass
class FoundItem:
    """One item; what is dear to know is only looked up when a search asks."""

    item_id: str
    card: Card
    past: Past
    root: Path
    day: date

    @cached_property
    def state(self) -> ItemState:
        return self.past.state(self.item_id)

    @property
    def suspended(self) -> bool:
        return self.card.status == "suspended" or self.past.is_suspended(self.item_id)

    @property
    def buried(self) -> bool:
        return self.past.is_buried(self.item_id, self.day)

    @property
    def deck(self) -> tuple[str, ...]:
        return deck_path(self.card, self.root)

    @property
    def path(self) -> str:
        return self.card.path.relative_to(self.root).as_posix() if self.card.path else ""

    @property
    def added(self) -> date | None:
        return written_on(self.card) or _changed(self.card)

    @property
    def edited(self) -> date | None:
        return _changed(self.card)

    @cached_property
    def answers(self) -> Sequence[tuple[date, int]]:
        answers = self.past.answers(self.item_id)
        return [(a.event.day, int(a.event.rating or 0)) for a in answers]


def _changed(card: Card) -> date | None:
    try:
        return date.fromtimestamp(card.path.stat().st_mtime) if card.path else None
    except OSError:
        return None


def read_search(text: str, saved: Mapping[str, str]) -> Query:
    """The query, its saved searches put in.  Raises SearchError."""
    return expand(parse(text), saved)


def search(query: Query, items: Iterable[FoundItem], at: Moment) -> list[str]:
    """The ids of the items that the query means."""
    return [found.item_id for found in items if matches(query, found, at)]
