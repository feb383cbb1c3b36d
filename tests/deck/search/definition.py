"""Whether a search means an item, by definition: what the index must find, item by item."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from cards.model import Card
from deck.decks import deck_path
from deck.history import History
from deck.index.words import (
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
    """An item, as searches see it."""

    item_id: str
    card: Card
    deck: tuple[str, ...]
    path: str
    states: set[str]
    """Those of `is:` that hold."""
    numbers: dict[str, float]
    """Those that it has."""
    days: dict[str, list[tuple[date, int]]]
    """When a thing happened, with the rating of an answer."""


def found_item(item_id: str, card: Card, past: History, root: Path, at: SearchContext) -> FoundItem:
    assert card.path is not None
    answers = [(a.event.day, int(a.event.rating or 0)) for a in past.answers(item_id)]
    edited = date.fromtimestamp(card.path.stat().st_mtime)
    days = {
        "added": [(written_on(card) or edited, 0)],
        "edited": [(edited, 0)],
        "introduced": answers[:1],
        "rated": answers,
    }
    return FoundItem(
        item_id,
        card,
        deck_path(card, root),
        card.path.relative_to(root).as_posix(),
        _states(item_id, card, past, at),
        _numbers(card, past.folded(item_id).state, at),
        days,
    )


def _states(item_id: str, card: Card, past: History, at: SearchContext) -> set[str]:
    """As deck/search/query.py describes them."""
    state, suspended, buried = past.folded(item_id)
    aside = {
        "suspended": suspended or card.status == "suspended",
        "buried": buried is not None and at.day < buried,
    }
    found = {name for name, holds in aside.items() if holds}
    is_due = False
    match state:
        case New():
            return found | {"new"}
        case Learning():
            found |= {"learning", "relearning"} if state.relearning else {"learning"}
            is_due = state.due <= at.now
        case Review():
            found |= {"review", "mature" if state.memory.stability >= MATURE else "young"}
            found |= {"overdue"} if state.due_day < at.day else set()
            is_due = state.due_day <= at.day
    found |= {"leech"} if 0 < at.config.leech_lapses <= state.lapses else set()
    return found | ({"due"} if is_due and not any(aside.values()) else set())


def _numbers(card: Card, state: ItemState, at: SearchContext) -> dict[str, float]:
    own = {"difficulty": card.difficulty, "points": card.points}
    found: dict[str, float] = {name: n for name, n in own.items() if n is not None}
    if isinstance(state, New):
        return found | {"reps": 0, "lapses": 0}
    if isinstance(state, Review):
        interval, due = state.interval, state.due_day
    else:
        then = state.due.astimezone(at.now.tzinfo)
        interval, due = 0, study_day(then, at.config.rollover)
    return found | {
        "r": recall(state, at.day, at.config),
        "s": state.memory.stability,
        "d": state.memory.difficulty,
        "reps": state.repetitions,
        "lapses": state.lapses,
        "interval": interval,
        "due": (due - at.day).days,
    }


def matches(query: Query, found: FoundItem, at: SearchContext) -> bool:
    """Whether the query, its saved searches put in, means the item."""
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
            return state in found.states
        case Compare(name, sign, wanted):
            return name in found.numbers and _OPERATORS[sign](found.numbers[name], wanted)
        case Within(name, days, rating):
            after = at.day - timedelta(days=days)
            return any(day > after and rating in (None, r) for day, r in found.days[name])
        case Saved(name):
            raise ValueError(f"The saved search {name!r} was not put in: call expand first.")


def _has(found: FoundItem, name: str, pattern: str) -> bool:
    """`name:pattern`."""
    card = found.card
    match name:
        case "question" | "solution":
            return word_in(card, pattern, getattr(card, name))
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
    return any_of([found.path if name == "path" else getattr(card, name)], pattern)


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
