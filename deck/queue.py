"""What to study: queue, order, limits, sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from hashlib import blake2b
from itertools import chain, zip_longest
from types import MappingProxyType
from typing import Literal

from cards.model import Card
from deck.config import Config, NewMix, ReviewOrder
from deck.events import LimitsRaised
from deck.replay import Answer, ItemState, Learning, New, Review
from deck.scheduler import recall
from deck.study_day import day_start, study_day

# == In which order the queue asks: reviews, new items, and how the two are mixed.


#: A card that names no difficulty stands in the middle of 1..5.
_MIDDLE = 3


def ordered_reviews(found: Iterable[Candidate], day: date, config: Config) -> list[Candidate]:
    """By `config.review_order`; what it leaves open is decided by recall, lowest first."""

    def likely(candidate: Candidate) -> float:
        return recall(candidate.state, day, config)

    reviews = sorted(found, key=likely)
    if config.review_order != "retrievability":
        reviews.sort(key=_review_key(config.review_order, day))
    return spread(_by_course(reviews)) if config.interleave else reviews


def _review_key(order: str, day: date) -> Callable[[Candidate], float]:
    def key(candidate: Candidate) -> float:
        state = candidate.state
        match order:
            case "points":
                return -(candidate.points or 0.0)
            case "random":
                return chance(candidate.item_id, day)
        if isinstance(state, New):
            return 0.0
        if order == "difficulty":
            return -state.memory.difficulty
        if not isinstance(state, Review):
            return 0.0
        return state.interval if order == "interval" else state.due_day.toordinal()

    return key


def ordered_new(found: Sequence[Candidate], day: date, config: Config) -> list[Candidate]:
    """By `config.new_order`; `found` is in the order of the files."""
    if config.new_order == "path":
        return list(found)
    if config.new_order == "random":
        return sorted(found, key=lambda candidate: chance(candidate.item_id, day))
    courses = [sorted(course, key=_difficulty) for course in _by_course(found)]
    return [c for turn in zip_longest(*courses) for c in turn if c is not None]


def mixed(reviews: list[Candidate], new: list[Candidate], how: NewMix) -> list[Candidate]:
    """Both in their order."""
    if how == "mix":
        return spread([reviews, new])
    return new + reviews if how == "before" else reviews + new


def spread(lists: Iterable[Sequence[Candidate]]) -> list[Candidate]:
    """Each in its order, the shorter ones spread evenly over the longest."""
    places = [((i + 1) / (len(found) + 1), c) for found in lists for i, c in enumerate(found)]
    return [candidate for _, candidate in sorted(places, key=lambda place: place[0])]


def chance(item_id: str, day: date) -> float:
    """0 <= x < 1, the same for an item all day."""
    seed = f"{day}\0{item_id}".encode(errors="surrogatepass")
    return int.from_bytes(blake2b(seed, digest_size=8).digest()) / 2**64


def _by_course(found: Iterable[Candidate]) -> list[list[Candidate]]:
    courses: dict[str, list[Candidate]] = {}
    for candidate in found:
        courses.setdefault(candidate.course, []).append(candidate)
    return list(courses.values())


def _difficulty(candidate: Candidate) -> int:
    return candidate.difficulty or _MIDDLE


# == A session other than "what is due now": by a search, ahead, crammed, for so many minutes.


#: Seconds an answer takes, until there are answers to learn from.
PACE: Mapping[str, float] = MappingProxyType({"new": 60.0, "learning": 20.0, "review": 30.0})
#: From so many answers of a kind on, their median is believed.
ENOUGH = 20


@dataclass(frozen=True, slots=True)
class Session:
    """What the learner asked for."""

    kind: Literal["study", "ahead", "cram"] = "study"
    """ahead: reviews before their day, which count.  cram: practice that changes no schedule."""
    deck: str | None = None
    """A `DeckCount.key`."""
    search: str = ""
    days: int = 1
    """Of `ahead`: how many days."""
    most: int | None = None
    """Entries at most."""
    minutes: float | None = None
    order: ReviewOrder | None = None
    """Instead of the settings' order."""
    pace: Mapping[str, float] = field(default_factory=lambda: PACE)
    """Seconds an answer takes, by the entry's kind."""

    def cut(self, queue: Queue) -> Queue:
        """The entries that fit into the session; at least one, where there is one."""
        entries = queue.entries if self.most is None else queue.entries[: max(self.most, 0)]
        if self.minutes is not None:
            left, fitting = self.minutes * 60, 0
            for entry in entries:
                left -= self.pace.get(entry.kind, PACE[entry.kind])
                if left < 0 and fitting:
                    break
                fitting += 1
            entries = entries[:fitting]
        return replace(queue, entries=entries)


@dataclass(frozen=True, slots=True)
class TimeBox:
    """A session that ends on time: the answer that is being given is the last."""

    started: datetime
    minutes: float

    @property
    def ends(self) -> datetime:
        return self.started + timedelta(minutes=self.minutes)

    def over(self, now: datetime) -> bool:
        return now >= self.ends

    def left(self, now: datetime) -> timedelta:
        return max(self.ends - now, timedelta())


# == The limits of one study day: the collection's, each course's own, and what was raised today.


Was = Literal["new", "learning", "review"]


@dataclass(frozen=True, slots=True)
class TodaysAnswer:
    """An answer of the present study day."""

    item_id: str
    card_id: str
    course: str
    was: Was
    """Where the item stood."""


def done(answer: Answer, card: Card | None) -> TodaysAnswer:
    """`card` is None where the answered card is gone."""
    before = answer.before
    was: Was = "review"
    if isinstance(before, New | Learning):
        was = "new" if isinstance(before, New) else "learning"
    item = answer.event.item
    return TodaysAnswer(item, card.id if card else item, card.course if card else "", was)


class Limits:
    """How many more new items (or reviews) this study day takes, counted down as they are taken."""

    def __init__(
        self, kind: Literal["new", "review"], today: Iterable[TodaysAnswer], config: Config,
        raised: Iterable[LimitsRaised] = (),
    ) -> None:  # fmt: skip
        is_new = kind == "new"
        self._left = config.new_per_day if is_new else config.reviews_per_day
        self._courses: dict[str, int] = {}
        for name, course in config.courses.items():
            own = course.new_per_day if is_new else course.reviews_per_day
            if own is not None:
                self._courses[name] = own
        for more in raised:
            # More of one course is more of everything: else the other courses would pay for it.
            self._change(more.course, more.new if is_new else more.reviews)
        for each in today:
            if each.was == kind:
                self._change(each.course, -1)

    def _change(self, course: str, by: int) -> None:
        self._left += by
        if course in self._courses:
            self._courses[course] += by

    def takes(self, course: str) -> bool:
        """Whether there is room for one more of the course; if so, it is used up."""
        if self._left <= 0 or self._courses.get(course, 1) <= 0:
            return False
        self._change(course, -1)
        return True


# == What to study now, in which order: a pure function of states, time and settings.


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
    today: Iterable[TodaysAnswer],
    now: datetime,
    config: Config,
    raised: Sequence[LimitsRaised] = (),
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
    today: Iterable[TodaysAnswer],
    now: datetime,
    config: Config,
    session: Session,
    raised: Sequence[LimitsRaised] = (),
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


def _plan(done: list[TodaysAnswer], now: datetime, config: Config) -> _Day:
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
