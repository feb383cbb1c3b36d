"""Whether a search means an item, by definition: what the index must find, item by item."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from pathlib import Path

from cards.model import Card
from deck.decks import deck_path
from deck.history import History
from deck.replay import ItemState, Learning, New, Review, recall
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
from deck.search.sql import SearchContext
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


@dataclass
class FoundItem:
    """An item, as searches see it; what is dear to know is only looked up when a search asks."""

    item_id: str
    card: Card
    past: History
    root: Path
    day: date

    @cached_property
    def state(self) -> ItemState:
        return self.past.folded(self.item_id).state

    @property
    def suspended(self) -> bool:
        return self.card.status == "suspended" or self.past.folded(self.item_id).suspended

    @property
    def buried(self) -> bool:
        until = self.past.folded(self.item_id).buried
        return until is not None and self.day < until

    @property
    def path(self) -> str:
        return self.card.path.relative_to(self.root).as_posix() if self.card.path else ""

    @property
    def edited(self) -> date | None:
        try:
            return date.fromtimestamp(self.card.path.stat().st_mtime) if self.card.path else None
        except OSError:
            return None

    @cached_property
    def answers(self) -> list[tuple[date, int]]:
        """Study day and rating of each answer, in order."""
        answers = self.past.answers(self.item_id)
        return [(a.event.day, int(a.event.rating or 0)) for a in answers]


def search(query: Query, items: Iterable[FoundItem], at: SearchContext) -> list[str]:
    """The ids of the items that the query, its saved searches put in, means."""
    return [found.item_id for found in items if matches(query, found, at)]


def matches(query: Query, found: FoundItem, at: SearchContext) -> bool:
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
            return _has(found, name, pattern)
        case Is(state):
            return _is_state(found, state, at)
        case Compare(name, sign, wanted):
            number = _number_of(found, name, at)
            return number is not None and _OPERATORS[sign](number, wanted)
        case Within(name, days, rating):
            return _within(found, name, at.day - timedelta(days=days), rating)
        case Saved(name):
            raise ValueError(f"The saved search {name!r} was not put in: call expand first.")


def _is_state(found: FoundItem, name: str, at: SearchContext) -> bool:
    """`is:name`, as deck/search/query.py describes them."""
    state = found.state
    match state:
        case Learning():
            is_due, stability, lapses = state.due <= at.now, None, state.lapses
        case Review():
            is_due, stability, lapses = (
                state.due_day <= at.day,
                state.memory.stability,
                state.lapses,
            )
        case _:
            is_due, stability, lapses = False, None, 0
    return {
        "new": isinstance(state, New),
        "learning": isinstance(state, Learning),
        "relearning": isinstance(state, Learning) and state.relearning,
        "review": isinstance(state, Review),
        "young": stability is not None and stability < MATURE,
        "mature": stability is not None and stability >= MATURE,
        "overdue": isinstance(state, Review) and state.due_day < at.day,
        "suspended": found.suspended,
        "buried": found.buried,
        "leech": 0 < at.config.leech_lapses <= lapses,
        "due": is_due and not found.suspended and not found.buried,
    }[name]


def _number_of(found: FoundItem, name: str, at: SearchContext) -> float | None:
    """The number that `name` compares; None where the item has none."""
    state, card = found.state, found.card
    if name in ("difficulty", "points"):
        return card.difficulty if name == "difficulty" else card.points
    if isinstance(state, New):
        return 0.0 if name in ("reps", "lapses") else None
    if isinstance(state, Review):
        interval, due = state.interval, state.due_day
    else:
        then = state.due.astimezone(at.now.tzinfo)
        interval, due = 0, study_day(then, at.config.rollover)
    return {
        "r": recall(state, at.day, at.config),
        "s": state.memory.stability,
        "d": state.memory.difficulty,
        "reps": state.repetitions,
        "lapses": state.lapses,
        "interval": interval,
        "due": (due - at.day).days,
    }[name]


def _within(found: FoundItem, name: str, after: date, rating: int | None) -> bool:
    if name in ("added", "edited"):
        day = (written_on(found.card) if name == "added" else None) or found.edited
        return day is not None and day > after
    if name == "introduced":
        return bool(found.answers) and found.answers[0][0] > after
    return any(day > after and rating in (None, given) for day, given in found.answers)


def _has(found: FoundItem, name: str, pattern: str) -> bool:
    """`name:pattern`."""
    card = found.card
    match name:
        case "question" | "solution":
            return word_in(card, pattern, getattr(card, name))
        case "tag":
            return any(is_tag(tag, pattern) for tag in card.tags)
        case "deck":
            return in_deck(deck_path(card, found.root), pattern)
        case "id":
            return any_of((card.id, found.item_id), pattern)
        case "link":
            return any_of(card.related, pattern)
        case "has":
            return gives(card, pattern)
    value = {"course": card.course, "type": card.type, "status": card.status, "path": found.path}
    return any_of([value[name]], pattern)


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
    begin = pattern.rstrip("*")
    if "*" not in begin:
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
