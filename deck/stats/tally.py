"""Answers, counted: by study day, hour, kind and rating, and by what the model had predicted.

A tally of a million answers is some thousand cells, so that figures about the past cost no second
replay: it can be kept, added to with each answer, and two of them can be put together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from math import log
from typing import Literal, NamedTuple, get_args

from deck.event import Event, Reviewed
from deck.fold import Answer
from deck.models import Model
from deck.state import ItemState, Learning, New
from deck.track import Track

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
    hour: int
    """0..23 on the learner's clock."""
    kind: Kind
    """What the item was before the answer."""
    rating: int


class Sum(NamedTuple):
    answers: int
    milliseconds: int


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

    def see(self, track: Track, event: Event) -> None:
        """`take` of what the item's track, before the answer, says of it; makes no state."""
        memory = track.memory
        if memory is None:
            return self.count(event, "new", None)
        if not track.in_review:
            return self.count(event, "relearning" if track.relearning else "learning", None)
        elapsed = (event.day - track.day).days
        chance = track.model.recall(memory, elapsed) if elapsed > 0 else None
        return self.count(event, "mature" if memory[0] >= MATURE else "young", chance)

    def count(self, event: Event, kind: Kind, chance: float | None, sign: int = 1) -> None:
        """Counts a review of an item of this `kind`; `chance` is the recall that was predicted."""
        what = event.what
        assert isinstance(what, Reviewed)
        cell = Cell(event.day, hour_of(event.at, event.offset), kind, int(what.rating))
        known = self.cells.get(cell, _NOTHING)
        more = Sum(known.answers + sign, known.milliseconds + sign * what.milliseconds)
        self.cells[cell] = more
        if more.answers == 0:
            del self.cells[cell]
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
        for place, predicted in other.classes.items():
            before = self.classes.get(place, Predicted(0, 0, 0.0, 0.0))
            self.classes[place] = Predicted(
                before.answers + predicted.answers,
                before.recalled + predicted.recalled,
                before.predicted + predicted.predicted,
                before.loss + predicted.loss,
            )


def tally_of(answers: Iterable[Answer], model: Model) -> Tally:
    """The tally of these answers."""
    tally = Tally()
    for answer in answers:
        tally.take(answer.before, answer.event, model)
    return tally


def kind_of(before: ItemState) -> Kind:
    if isinstance(before, New):
        return "new"
    if isinstance(before, Learning):
        return "relearning" if before.relearning else "learning"
    return "mature" if before.memory.stability >= MATURE else "young"


def hour_of(at: datetime, offset: int) -> int:
    """The hour on the learner's clock, `offset` minutes east of UTC."""
    return (at.hour * 60 + at.minute + offset) // 60 % 24


def class_of(chance: float) -> int:
    return min(int(chance * CLASSES), CLASSES - 1)


def surprise(chance: float, recalled: bool) -> float:
    """-log of the chance given to what happened."""
    chance = min(max(chance, _SURE), 1 - _SURE)
    return -log(chance if recalled else 1 - chance)
