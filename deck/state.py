"""Where an item stands: new, in learning steps, or in review.  A sum type, without nulls."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from deck.fsrs import Memory, Rating

__all__ = ["ItemState", "Learning", "Memory", "New", "Rating", "Review", "Schedule"]


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
