"""Answers, counted: by study day, kind and rating, by hour, and by what the model had predicted.

A tally of a million answers is some thousand numbers, so that figures about the past cost no second
replay: it can be kept, added to with each answer, and two of them can be put together.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from math import log
from typing import Literal, NamedTuple, get_args

from deck.config import Model
from deck.events import Event, Reviewed
from deck.replay import ItemState, Learning, New, Track

Kind = Literal["new", "learning", "relearning", "young", "mature"]
KINDS: tuple[Kind, ...] = get_args(Kind)
#: Reviews proper, after at least a day: their rating says whether the model was right.
REVIEWS: frozenset[Kind] = frozenset({"young", "mature"})
#: Days of stability from which a memory is mature.
MATURE = 21.0
#: Predictions are put together in so many classes of equal width.
CLASSES = 20
#: A prediction counts as at least this far from certain, so that one surprise is no infinity.
_SURE = 1e-4


class Cell(NamedTuple):
    day: date
    kind: Kind
    """What the item was before the answer."""
    rating: int


class Sum(NamedTuple):
    answers: int
    milliseconds: int


class Share(NamedTuple):
    """So many of so many."""

    right: int
    of: int

    @property
    def share(self) -> float | None:
        """None of nothing."""
        return self.right / self.of if self.of else None


class Predicted(NamedTuple):
    """Answers whose recall the model had predicted alike."""

    answers: int
    recalled: int
    predicted: float
    """The sum of the predictions."""
    loss: float
    """The sum of -log of the chance that the model gave to what happened."""


_NOTHING = Sum(0, 0)


@dataclass(slots=True)
class Tally:
    cells: dict[Cell, Sum] = field(default_factory=dict)
    hours: dict[tuple[date, int], Share] = field(default_factory=dict)
    """Reviews proper that were recalled, by study day and hour on the learner's clock."""
    classes: dict[tuple[date, int], Predicted] = field(default_factory=dict)
    """By study day and class of prediction."""

    def take(self, before: ItemState, event: Event, model: Model, sign: int = 1) -> None:
        """Counts an answer that met the item at `before`; with the sign -1, takes it back."""
        if isinstance(before, New):
            return self.count(event, "new", None, sign)
        elapsed = (event.day - before.day).days
        kind, chance = kind_of(before), None
        if kind in REVIEWS and elapsed > 0:
            chance = model.recall(before.memory, elapsed)
        return self.count(event, kind, chance, sign)

    def count(self, event: Event, kind: Kind, chance: float | None, sign: int = 1) -> None:
        """Counts a review of an item of this `kind`; `chance` is the recall that was predicted."""
        what = event.what
        assert isinstance(what, Reviewed)
        cell = Cell(event.day, kind, int(what.rating))
        known = self.cells.get(cell, _NOTHING)
        more = Sum(known.answers + sign, known.milliseconds + sign * what.milliseconds)
        self.cells[cell] = more
        if more.answers == 0:
            del self.cells[cell]
        if kind in REVIEWS:
            place = (event.day, hour_of(event.at, event.offset))
            right, of = self.hours.get(place, Share(0, 0))
            self.hours[place] = Share(right + sign * (what.rating > 1), of + sign)
            if self.hours[place].of == 0:
                del self.hours[place]
        if chance is not None:
            self._predict(event.day, chance, what.rating, sign)

    def _predict(self, day: date, chance: float, rating: int, sign: int) -> None:
        recalled = rating > 1
        place = (day, class_of(chance))
        known = self.classes.get(place, Predicted(0, 0, 0.0, 0.0))
        more = Predicted(
            known.answers + sign,
            known.recalled + sign * recalled,
            known.predicted + sign * chance,
            known.loss + sign * surprise(chance, recalled),
        )
        self.classes[place] = more
        if more.answers == 0:
            del self.classes[place]

    def merge(self, other: Tally) -> None:
        """Adds the answers of another tally."""
        for cell, more in other.cells.items():
            known = self.cells.get(cell, _NOTHING)
            self.cells[cell] = Sum(*(a + b for a, b in zip(known, more, strict=True)))
        for hour, share in other.hours.items():
            right, of = self.hours.get(hour, Share(0, 0))
            self.hours[hour] = Share(right + share.right, of + share.of)
        for place, predicted in other.classes.items():
            before = self.classes.get(place, Predicted(0, 0, 0.0, 0.0))
            self.classes[place] = Predicted(
                before.answers + predicted.answers,
                before.recalled + predicted.recalled,
                before.predicted + predicted.predicted,
                before.loss + predicted.loss,
            )


def kind_of(before: ItemState) -> Kind:
    if isinstance(before, New):
        return "new"
    if isinstance(before, Learning):
        return "relearning" if before.relearning else "learning"
    return "mature" if before.memory.stability >= MATURE else "young"


def hour_of(at: datetime, offset: int) -> int:
    """The hour on the learner's clock, `offset` minutes east of UTC."""
    return (at.hour * 60 + at.minute + offset) // 60 % 24


def sight(track: Track, day: date) -> tuple[Kind, float | None]:
    """What an item is before an answer on `day`, and the recall that is predicted of a review."""
    memory = track.memory
    if memory is None:
        return "new", None
    if not track.in_review:
        return "relearning" if track.relearning else "learning", None
    elapsed = (day - track.day).days
    chance = track.model.recall(memory, elapsed) if elapsed > 0 else None
    return "mature" if memory[0] >= MATURE else "young", chance


def class_of(chance: float) -> int:
    return min(int(chance * CLASSES), CLASSES - 1)


def surprise(chance: float, recalled: bool) -> float:
    """-log of the chance given to what happened."""
    chance = min(max(chance, _SURE), 1 - _SURE)
    return -log(chance if recalled else 1 - chance)
