"""Whether a search means an item, by definition: what the index must find, item by item."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from pathlib import Path
from typing import Protocol

from cards.model import Card
from deck.decks import deck_path
from deck.replay import Answer, ItemState, Learning, New, Review
from deck.scheduler import recall
from deck.search.query import (
    And,
    Compare,
    Everything,
    Has,
    Is,
    Not,
    Or,
    Phrase,
    Query,
    Saved,
    Within,
    Word,
)
from deck.search.sql import Moment
from deck.search.text import (
    any_of,
    folded,
    gives,
    glob,
    in_deck,
    is_tag,
    parts_of,
    patterns,
    text_of,
    words,
    written_on,
)
from deck.stats import MATURE
from deck.study_day import study_day

_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}


class Found(Protocol):
    """An item, as searches see it."""

    @property
    def item_id(self) -> str: ...
    @property
    def card(self) -> Card: ...
    @property
    def state(self) -> ItemState: ...
    @property
    def suspended(self) -> bool: ...
    @property
    def buried(self) -> bool:
        """Put off, or a sibling's day."""

    @property
    def deck(self) -> tuple[str, ...]:
        """The names from the course down to the folder."""

    @property
    def path(self) -> str:
        """From the collection's folder, with slashes."""

    @property
    def added(self) -> date | None: ...
    @property
    def edited(self) -> date | None: ...
    @property
    def answers(self) -> Sequence[tuple[date, int]]:
        """Study day and rating of each answer, in order."""


def matches(query: Query, found: Found, at: Moment) -> bool:
    """Whether `query`, its saved searches put in, means the item."""
    match query:
        case Everything():
            return True
        case And(parts):
            return all(matches(part, found, at) for part in parts)
        case Or(parts):
            return any(matches(part, found, at) for part in parts)
        case Not(part):
            return not matches(part, found, at)
        case Word(text):
            return word_in(found.card, text)
        case Phrase(text):
            return phrase_in(found.card, text)
        case Has(name, pattern):
            return has(found, name, pattern)
        case Is(state):
            return is_state(found, state, at)
        case Compare(name, sign, wanted):
            number = number_of(found, name, at)
            return number is not None and _OPERATORS[sign](number, wanted)
        case Within(name, days, rating):
            return _within(found, name, at.day - timedelta(days=days), rating)
        case Saved(name):
            raise ValueError(f"The saved search {name!r} was not put in: call expand first.")


def is_state(found: Found, name: str, at: Moment) -> bool:
    """`is:name`, as deck/search/query.py describes them."""
    state = found.state
    match name:
        case "new":
            return isinstance(state, New)
        case "learning":
            return isinstance(state, Learning)
        case "relearning":
            return isinstance(state, Learning) and state.relearning
        case "review":
            return isinstance(state, Review)
        case "young":
            return isinstance(state, Review) and state.memory.stability < MATURE
        case "mature":
            return isinstance(state, Review) and state.memory.stability >= MATURE
        case "overdue":
            return isinstance(state, Review) and state.due_day < at.day
        case "suspended":
            return found.suspended
        case "buried":
            return found.buried
        case "leech":
            most = at.config.leech_lapses
            return bool(most) and not isinstance(state, New) and state.lapses >= most
        case "due":
            return _is_due(state, at) and not found.suspended and not found.buried
    raise ValueError(f"There is no state {name!r}.")


def _is_due(state: ItemState, at: Moment) -> bool:
    match state:
        case Learning():
            return state.due <= at.now
        case Review():
            return state.due_day <= at.day
    return False


def number_of(found: Found, name: str, at: Moment) -> float | None:
    """The number that `name` compares; None where the item has none."""
    state, card = found.state, found.card
    if name in ("difficulty", "points"):
        return card.difficulty if name == "difficulty" else card.points
    if isinstance(state, New):
        return 0.0 if name in ("reps", "lapses") else None
    match name:
        case "r":
            return recall(state, at.day, at.config)
        case "s":
            return state.memory.stability
        case "d":
            return state.memory.difficulty
        case "reps":
            return state.repetitions
        case "lapses":
            return state.lapses
        case "interval":
            return state.interval if isinstance(state, Review) else 0
        case "due":
            return _until_due(state, at)
    raise ValueError(f"There is no number {name!r}.")


def _until_due(state: Learning | Review, at: Moment) -> int:
    if isinstance(state, Review):
        return (state.due_day - at.day).days
    day = study_day(state.due.astimezone(at.now.tzinfo), at.config.rollover)
    return (day - at.day).days


def _within(found: Found, name: str, after: date, rating: int | None) -> bool:
    match name:
        case "added":
            return found.added is not None and found.added > after
        case "edited":
            return found.edited is not None and found.edited > after
        case "introduced":
            return bool(found.answers) and found.answers[0][0] > after
    return any(day > after and rating in (None, given) for day, given in found.answers)


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


def has(found: Found, name: str, pattern: str) -> bool:
    """`name:pattern`."""
    card = found.card
    match name:
        case "question":
            return word_in(card, pattern, card.question)
        case "solution":
            return word_in(card, pattern, card.solution)
        case "tag":
            return any(is_tag(tag, pattern) for tag in card.tags)
        case "deck":
            return in_deck(found.deck, pattern)
        case "id":
            return any_of((card.id, found.item_id), pattern)
        case "link":
            return any_of(card.related, pattern)
        case "has":
            return gives(card, pattern)
    value = {"course": card.course, "type": card.type, "status": card.status, "path": found.path}
    return any_of([value[name]], pattern)


def search(query: Query, items: Iterable[FoundItem], at: Moment) -> list[str]:
    """The ids of the items that the query means."""
    return [found.item_id for found in items if matches(query, found, at)]


def word_in(card: Card, text: str, where: str | None = None) -> bool:
    """Whether words of the card begin so; `x_max` asks for one of `x` and one of `max`.

    A text without any letter (an arrow, a plus) may stand anywhere.
    """
    wanted, text_read = patterns(text), text_of(card) if where is None else where
    if not wanted:
        return folded(text) in folded(text_read)
    found = words(text_read)
    return all(_any_word(found, each) for each in wanted)


def _any_word(found: list[str], pattern: str) -> bool:
    if "*" not in pattern.rstrip("*"):
        begin = pattern.rstrip("*")
        return any(word.startswith(begin) for word in found)
    form = glob(pattern)
    return any(form.fullmatch(word) for word in found)


def phrase_in(card: Card, text: str) -> bool:
    """Whether whole words of one of the card's parts, next to each other, are these."""
    wanted = words(text)
    if not wanted:
        return folded(text) in folded(text_of(card))
    phrase = f" {' '.join(wanted)} "
    return any(phrase in f" {' '.join(words(part))} " for part in parts_of(card))
