"""What to study now, in which order: a pure function of states, time and settings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import chain
from typing import Literal

from cards.model import Card
from deck.config import Config
from deck.days import day_start, study_day
from deck.event import Raised
from deck.limits import Done, Limits
from deck.ordering import mixed, ordered_new, ordered_reviews
from deck.session import Session
from deck.state import ItemState, Learning, New, Review


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item that is neither suspended nor buried, and where it stands."""

    item_id: str
    card_id: str
    course: str
    difficulty: int | None
    points: float | None
    state: ItemState

    @classmethod
    def of(cls, item_id: str, card: Card, state: ItemState) -> Candidate:
        return cls(item_id, card.id, card.course, card.difficulty, card.points, state)


@dataclass(frozen=True, slots=True)
class QueueEntry:
    item_id: str
    kind: Literal["learning", "review", "new"]
    due: datetime | None
    """Since when it is due (when studied ahead: from when); None for a new item."""


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
    buries: bool
    buried: dict[str, set[str]]
    """By card id: which of its items the day belongs to."""
    later: list[datetime]

    def claim(self, card_id: str, item_id: str) -> None:
        self.buried.setdefault(card_id, set()).add(item_id)

    def takes(self, candidate: Candidate) -> bool:
        """Claims the card's day for the item; where a sibling has it, this one is buried."""
        claimed = self.buried.setdefault(candidate.card_id, set())
        if self.buries and claimed and candidate.item_id not in claimed:
            self.later.append(self.ends)
            return False
        claimed.add(candidate.item_id)
        return True

    def limited(self, found: list[Candidate], limits: Limits) -> list[Candidate]:
        taken = [candidate for candidate in found if limits.takes(candidate.course)]
        if len(taken) < len(found):
            self.later.append(self.ends)
        return taken


def build_queue(
    candidates: Sequence[Candidate],
    today: Iterable[Done],
    now: datetime,
    config: Config,
    raised: Sequence[Raised] = (),
) -> Queue:
    """Due learning steps; then due reviews by the chosen order, new ones mixed in.

    `candidates` are in the order of their files.  `today` are all answers of the present study
    day, in every deck, and `raised` what was added to its limits: they are the collection's.  Of
    one card's items only one is asked on a day, except learning steps.
    """
    done = list(today)
    plan = _plan(done, now, config)
    learning, waiting = _learning(candidates, plan)
    due = ordered_reviews(_due(candidates, plan, config), plan.day, config)
    found = [candidate for candidate in due if plan.takes(candidate)]
    reviews = plan.limited(found, Limits("review", done, config, raised))
    unseen = [candidate for candidate in candidates if isinstance(candidate.state, New)]
    found = [c for c in ordered_new(unseen, plan.day, config) if plan.takes(c)]
    new = plan.limited(found, Limits("new", done, config, raised))
    entries = [_entry(c, now, config) for c in chain(learning, mixed(reviews, new, config.new_mix))]
    counts = Counts(len(new), len(learning) + waiting, len(reviews))
    return Queue(tuple(entries), counts, min(plan.later, default=None))


def session_queue(
    candidates: Sequence[Candidate],
    today: Iterable[Done],
    now: datetime,
    config: Config,
    session: Session,
    raised: Sequence[Raised] = (),
) -> Queue:
    """The queue of a session, of those `candidates` that its deck and its search leave.

    Ahead: steps that are due, then the reviews of the coming days, without limits and new items.
    Cram: everything, in every state, without limits.  Both cut to the session's length.
    """
    if session.order is not None:
        config = replace(config, review_order=session.order)
    if session.kind == "study":
        return session.cut(build_queue(candidates, today, now, config, raised))
    day = study_day(now, config.rollover)
    plan = _plan(list(today), now, config)
    if session.kind == "cram":
        found = ordered_reviews(candidates, day, config)
        counts = Counts(0, 0, 0)
    else:
        until = day + timedelta(days=session.days)
        steps, waiting = _learning(candidates, plan)
        coming = [c for c in candidates if isinstance(c.state, Review) and c.state.due_day <= until]
        ahead = [c for c in ordered_reviews(coming, day, config) if plan.takes(c)]
        found = steps + ahead
        counts = Counts(0, len(steps) + waiting, len(ahead))
    entries = tuple(_entry(candidate, now, config) for candidate in found)
    return session.cut(Queue(entries, counts, min(plan.later, default=None)))


def _plan(done: list[Done], now: datetime, config: Config) -> _Day:
    day = study_day(now, config.rollover)
    ends = day_start(day + timedelta(days=1), config.rollover, now)
    plan = _Day(now, day, ends, config.bury_siblings, {}, [])
    for each in done:
        plan.claim(each.card_id, each.item_id)
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
            plan.claim(candidate.card_id, candidate.item_id)
    return due, sum(at < plan.ends for at in waiting)


def _due(candidates: Sequence[Candidate], plan: _Day, config: Config) -> list[Candidate]:
    due = []
    for candidate in candidates:
        if isinstance(candidate.state, Review):
            if candidate.state.due_day <= plan.day:
                due.append(candidate)
            else:
                plan.later.append(day_start(candidate.state.due_day, config.rollover, plan.now))
    return due


def _entry(candidate: Candidate, now: datetime, config: Config) -> QueueEntry:
    match candidate.state:
        case New():
            return QueueEntry(candidate.item_id, "new", None)
        case Learning() as state:
            return QueueEntry(candidate.item_id, "learning", state.due.astimezone(now.tzinfo))
        case Review() as state:
            due = day_start(state.due_day, config.rollover, now)
            return QueueEntry(candidate.item_id, "review", due)
