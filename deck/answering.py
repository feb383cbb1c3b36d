"""Answers that are worked out, one on top of the other, before any of them is written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from deck import scheduler
from deck.config import Config
from deck.days import offset_minutes, study_day, to_milliseconds
from deck.event import Event, Reviewed, What
from deck.fold import Folded
from deck.fsrs import Rating
from deck.history import History
from deck.ids import RANDOM_BYTES, next_id
from deck.index.cards import Brief
from deck.recent import Taken
from deck.state import Review

#: Milliseconds of a day: nobody answers for longer.
_LONGEST = 86_400_000
#: Answers that one write takes at most.
_TOGETHER = 500


@dataclass(frozen=True, slots=True)
class Given:
    """An answer as it is given."""

    item_id: str
    rating: Rating
    milliseconds: int = 0
    """How long it took."""
    check: Mapping[str, Any] | None = None
    """A verdict that belongs to it."""


def of_different_cards(
    answers: Iterable[Given], brief: Callable[[str], Brief]
) -> Iterator[list[tuple[Given, Brief]]]:
    """The answers with their cards, in their order, cut where a card comes again: its second
    answer must meet what the first made of it, the file's `status:` included."""
    together: list[tuple[Given, Brief]] = []
    seen: set[str] = set()
    for given in answers:
        card = brief(given.item_id)
        if card.card_id in seen or len(together) == _TOGETHER:
            yield together
            together, seen, card = [], set(), brief(given.item_id)
        together.append((given, card))
        seen.add(card.card_id)
    if together:
        yield together


class Draft:
    """Events of one moment, each with an id behind the last that was seen.

    What they lead to is `taken`; the history hears of it when they are written.
    """

    def __init__(self, history: History, now: datetime, config: Config) -> None:
        self.taken: list[Taken] = []
        self._history, self._config, self._now = history, config, now
        self._at, self._day = to_milliseconds(now), study_day(now, config.rollover)
        self._offset, self._last_id = offset_minutes(now), history.last_id
        self._load: dict[int, int] = {}

    @property
    def events(self) -> list[Event]:
        return [each.event for each in self.taken]

    def event(self, item_id: str, what: What) -> Event:
        """An event of any kind."""
        self._last_id = next_id(self._last_id, self._at, os.urandom(RANDOM_BYTES))
        return Event(self._last_id, item_id, self._at, self._offset, self._day, what)

    def answer(self, given: Given, card: Brief) -> None:
        """Adds an answer, each to an item of its own: no second one meets what the first led to."""
        before = self._history.folded(given.item_id)
        self._load = self._load or dict(self._history.load)
        rating, config = Rating(given.rating), self._config.of_course(card.course)
        known = before.state, self._now, given.item_id, config, self._load
        track = scheduler.answered(rating, *known)
        suspended = before.suspended or track.suspended
        after = Folded(track.state(), suspended, before.buried)
        took = min(max(given.milliseconds, 0), _LONGEST)
        model, parameters = self._config.model, self._config.parameters_hash
        what = Reviewed(rating, took, model, parameters, card.status, given.check, track.promise)
        self.taken.append(Taken(self.event(given.item_id, what), before, after))
        for state, change in ((before.state, -1), (after.state, 1)):
            if isinstance(state, Review):
                due = state.due_day.toordinal()
                self._load[due] = self._load.get(due, 0) + change
