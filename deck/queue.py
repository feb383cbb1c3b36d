"""What to study now, in which order: a pure function of states, time and settings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import chain, zip_longest
from typing import Literal

from cards.model import Card
from deck.config import Config
from deck.days import day_start, study_day
from deck.fold import Answer
from deck.scheduler import recall
from deck.state import ItemState, Learning, New, Review

#: A card that names no difficulty stands in the middle of 1..5.
_MIDDLE = 3


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item that is not suspended, and where it stands."""

    item_id: str
    card: Card
    state: ItemState


@dataclass(frozen=True, slots=True)
class QueueEntry:
    item_id: str
    kind: Literal["learning", "review", "new"]
    due: datetime | None
    """Since when it is due; None for a new item."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How much of each kind is left for this study day."""

    new: int
    learning: int
    """Learning steps due now or later on this study day."""
    due: int
    """Reviews due now."""


@dataclass(frozen=True, slots=True)
class Queue:
    entries: tuple[QueueEntry, ...]
    """What can be studied now, in order."""
    counts: Counts
    next_due: datetime | None
    """When more comes: a waiting step, a review, or what today's limits hold back."""


@dataclass(slots=True)
class _Day:
    """The study day being planned."""

    now: datetime
    day: date
    ends: datetime
    buried: dict[str, set[str]]
    """By card id: which of its items the day belongs to."""
    later: list[datetime]

    def takes(self, candidate: Candidate) -> bool:
        """Claims the card's day for the item; where a sibling has it, this one is buried."""
        claimed = self.buried.setdefault(candidate.card.id, set())
        if claimed and candidate.item_id not in claimed:
            self.later.append(self.ends)
            return False
        claimed.add(candidate.item_id)
        return True

    def limited(self, found: list[Candidate], limit: int) -> list[Candidate]:
        if len(found) > limit:
            self.later.append(self.ends)
        return found[: max(limit, 0)]


def build_queue(
    candidates: Sequence[Candidate], today: Iterable[Answer], now: datetime, config: Config
) -> Queue:
    """Due learning steps; then due reviews, least likely recalled first, new ones spread between.

    `today` are all answers of the present study day, in every deck: the day's limits are the
    collection's.  Of one card's items only one is asked on a day, except learning steps.
    """
    answers = list(today)
    plan = _plan(candidates, answers, now, config)
    learning, waiting = _learning(candidates, plan)
    met = [answer.before for answer in answers]
    left = config.reviews_per_day - sum(isinstance(state, Review) for state in met)
    reviews = plan.limited(_reviews(candidates, plan, config), left)
    left = config.new_per_day - sum(isinstance(state, New) for state in met)
    new = plan.limited([c for c in _new(candidates) if plan.takes(c)], left)
    entries = [_entry(c, now, config) for c in chain(learning, _spread(reviews, new))]
    counts = Counts(len(new), len(learning) + waiting, len(reviews))
    return Queue(tuple(entries), counts, min(plan.later, default=None))


def _plan(
    candidates: Sequence[Candidate], answers: list[Answer], now: datetime, config: Config
) -> _Day:
    day = study_day(now, config.rollover)
    ends = day_start(day + timedelta(days=1), config.rollover, now)
    answered = {answer.event.item for answer in answers}
    plan = _Day(now, day, ends, {}, [])
    for candidate in candidates:
        for item in candidate.card.items:
            if item.id in answered:
                plan.buried.setdefault(candidate.card.id, set()).add(item.id)
    return plan


def _learning(candidates: Sequence[Candidate], plan: _Day) -> tuple[list[Candidate], int]:
    """The steps due now, earliest first, and how many more come on this study day."""
    steps = [(c.state.due, c) for c in candidates if isinstance(c.state, Learning)]
    steps.sort(key=lambda step: step[0])
    due = [c for at, c in steps if at <= plan.now]
    waiting = [at for at, _ in steps if plan.now < at]
    plan.later += [at.astimezone(plan.now.tzinfo) for at in waiting]
    for at, candidate in steps:
        if at < plan.ends:
            plan.buried.setdefault(candidate.card.id, set()).add(candidate.item_id)
    return due, sum(at < plan.ends for at in waiting)


def _reviews(candidates: Sequence[Candidate], plan: _Day, config: Config) -> list[Candidate]:
    due = []
    for candidate in candidates:
        if isinstance(candidate.state, Review):
            if candidate.state.due_day <= plan.day:
                due.append(candidate)
            else:
                plan.later.append(day_start(candidate.state.due_day, config.rollover, plan.now))
    due.sort(key=lambda candidate: recall(candidate.state, plan.day, config))
    return [candidate for candidate in due if plan.takes(candidate)]


def _new(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Course by course in turn, each course's easy cards first."""
    courses: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        if isinstance(candidate.state, New):
            courses.setdefault(candidate.card.course, []).append(candidate)
    ordered = [sorted(course, key=_difficulty) for course in courses.values()]
    return [c for turn in zip_longest(*ordered) for c in turn if c is not None]


def _difficulty(candidate: Candidate) -> int:
    return candidate.card.difficulty or _MIDDLE


def _spread(reviews: list[Candidate], new: list[Candidate]) -> list[Candidate]:
    """Both in their order, the shorter list spread evenly over the longer."""
    places = [
        ((i + 1) / (len(found) + 1), c) for found in (reviews, new) for i, c in enumerate(found)
    ]
    return [candidate for _, candidate in sorted(places, key=lambda place: place[0])]


def _entry(candidate: Candidate, now: datetime, config: Config) -> QueueEntry:
    match candidate.state:
        case New():
            return QueueEntry(candidate.item_id, "new", None)
        case Learning() as state:
            return QueueEntry(candidate.item_id, "learning", state.due.astimezone(now.tzinfo))
        case Review() as state:
            due = day_start(state.due_day, config.rollover, now)
            return QueueEntry(candidate.item_id, "review", due)
