"""Whether a search means an item: the definition, in memory, that `sql` must keep; and what of a
text it asks for, to be lit up where the text is shown.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Literal, Protocol

from cards.model import Card
from deck.config import Config
from deck.decks import deck_path
from deck.replay import Answer, ItemState, Learning, New, Review
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
    expand,
    parse,
)
from deck.search.text import (
    folded,
    folded_places,
    has,
    patterns,
    phrase_in,
    word_in,
    words,
    written_on,
)
from deck.study_day import study_day

_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}
#: Days of stability from which a memory is mature.
MATURE = 21.0


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


@dataclass(frozen=True, slots=True)
class Moment:
    """When a search is made, and by which settings."""

    now: datetime
    config: Config

    @property
    def day(self) -> date:
        return study_day(self.now, self.config.rollover)


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
            from deck.scheduler import recall

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


def read_search(text: str, saved: Mapping[str, str]) -> Query:
    """The query, its saved searches put in.  Raises SearchError."""
    return expand(parse(text), saved)


def search(query: Query, items: Iterable[FoundItem], at: Moment) -> list[str]:
    """The ids of the items that the query means."""
    return [found.item_id for found in items if matches(query, found, at)]


# What of a text a search asks for: the letters to light up where the text is shown.
#
# Only what must be there: of `jaco -tag:old not "chain rule"` the letters that begin a word so.
# Letters are compared as `deck.search.text` compares them.

Part = Literal["question", "solution", "rest"]
"""Of a card: `question:jaco` asks only for words of the question."""

#: Where a word begins and ends; between the words of a phrase.
_BEGIN, _END, _GAP = r"(?<![^\W_])", r"(?![^\W_])", r"[\W_]+"


@dataclass(frozen=True, slots=True)
class Sought:
    """Patterns of folded text, by the part of a card that they are asked of; "" is any."""

    patterns: tuple[tuple[Part | Literal[""], re.Pattern[str]], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.patterns)

    def spans(self, text: str, part: Part = "rest") -> list[tuple[int, int]]:
        """From where to where, in the order of the text; none touches another."""
        asked = [pattern for of, pattern in self.patterns if of in ("", part)]
        if not asked:
            return []
        plain, places = folded_places(text)
        found = sorted(each.span() for one in asked for each in one.finditer(plain))
        there = (_unfolded(each, places, len(text)) for each in found if each[0] < each[1])
        return list(_joined(there))


def sought(query: Query) -> Sought:
    """What a search (its saved searches put in) asks texts for."""
    return Sought(tuple(dict.fromkeys(_sought(query, True))))


def _sought(query: Query, wanted: bool) -> Iterator[tuple[Part | Literal[""], re.Pattern[str]]]:
    match query:
        case Not(part):
            yield from _sought(part, not wanted)
        case And(parts) | Or(parts):
            for part in parts:
                yield from _sought(part, wanted)
        case Word(text) if wanted:
            yield from (("", each) for each in _words(text))
        case Phrase(text) if wanted:
            yield "", _phrase(text)
        case Has("question" | "solution" as name, text) if wanted:
            of: Part = "question" if name == "question" else "solution"
            yield from ((of, each) for each in _words(text))


def _words(text: str) -> Iterator[re.Pattern[str]]:
    """A pattern for each word of a bare term; of a text without letters, for itself."""
    asked = patterns(text)
    if not asked:
        yield re.compile(re.escape(folded(text)))
    for form in asked:
        begin = form.rstrip("*")
        inside = r"[^\W_]*".join(map(re.escape, begin.split("*")))
        if "*" not in begin:
            yield re.compile(_BEGIN + inside)
        else:
            yield re.compile(_BEGIN + inside + (r"[^\W_]*" if form != begin else "") + _END)


def _phrase(text: str) -> re.Pattern[str]:
    asked = words(text)
    if not asked:
        return re.compile(re.escape(folded(text)))
    return re.compile(_BEGIN + _GAP.join(map(re.escape, asked)) + _END)


def _unfolded(span: tuple[int, int], places: list[int] | None, end: int) -> tuple[int, int]:
    """A span of the folded text as one of the text; a mark that was dropped is its letter's."""
    if places is None:
        return span
    start, last, at = places[span[0]], places[span[1] - 1], span[1]
    while at < len(places) and places[at] == last:
        at += 1
    return start, places[at] if at < len(places) else end


def _joined(spans: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    held: tuple[int, int] | None = None
    for start, end in spans:
        if held is not None and start <= held[1]:
            held = held[0], max(held[1], end)
            continue
        if held is not None:
            yield held
        held = start, end
    if held is not None:
        yield held
