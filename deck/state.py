"""Where an item stands: new, in learning steps, or in review.  A sum type, without nulls."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from deck.fsrs import Memory


@dataclass(frozen=True, slots=True)
class New:
    """Never answered (or every answer was undone)."""


@dataclass(frozen=True, slots=True)
class Learning:
    """In steps of minutes: learnt for the first time, or learnt again after a lapse."""

    memory: Memory
    step: int
    """0-based place in the learning (or relearning) steps."""
    due: datetime
    """UTC."""
    reviewed: datetime
    """When it was last answered, UTC."""
    day: date
    """The study day of that answer."""
    repetitions: int
    """Answers so far."""
    lapses: int
    """How often it was forgotten in review."""
    relearning: bool
    """Whether a lapse brought it here."""


@dataclass(frozen=True, slots=True)
class Review:
    """In intervals of study days."""

    memory: Memory
    interval: int
    """Study days between the last answer and `due_day`."""
    due_day: date
    """The study day from whose beginning it is due."""
    reviewed: datetime
    """When it was last answered, UTC."""
    day: date
    """The study day of that answer."""
    repetitions: int
    """Answers so far."""
    lapses: int
    """How often it was forgotten in review."""


ItemState = New | Learning | Review


@dataclass(frozen=True, slots=True)
class Schedule:
    """What one rating would lead to."""

    state: Learning | Review
    due: datetime
    """When it comes back: for a review, when that study day begins where `now` was."""
    interval: timedelta
    """Minutes for a learning step, whole days for a review."""


#: The words of the line `status:` in a card file:
#:
#:     to_learn    not answered yet
#:     learning    in learning or relearning steps
#:     reviewing   in review
#:     mastered    in review with a stability of at least 21 days ("mature" in Anki's sense)
#:     suspended   the learner's word; the schedule never changes it
#:
#: Of several items in one card, the least advanced decides.
SUSPENDED = "suspended"
#: Days of stability from which an item counts as mastered.
MASTERED_STABILITY = 21.0

_ORDER = ("to_learn", "learning", "reviewing", "mastered")


def status_of(states: Iterable[ItemState]) -> str:
    """The status of a card whose items stand at `states`."""
    return min(map(_status, states), key=_ORDER.index, default=_ORDER[0])


def _status(state: ItemState) -> str:
    if isinstance(state, New):
        return "to_learn"
    if isinstance(state, Learning):
        return "learning"
    return "mastered" if state.memory.stability >= MASTERED_STABILITY else "reviewing"
