"""What to study now, in which order: pure functions of states, time and settings."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from heapq import heapify, heappop, heappush, heapreplace
from itertools import zip_longest
from operator import attrgetter
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeVar

from deck.config import Config, ReviewOrder, model_of
from deck.events import LimitsRaised
from deck.fsrs import Memory
from deck.replay import place_of
from deck.study_day import day_start, moment, study_day

Kind = Literal["learning", "review", "new"]
_Each = TypeVar("_Each")


class Candidate(NamedTuple):
    """An item that is neither suspended nor buried, and where it stands.

    A row of the index, and not a state, as a queue may look at all that there is.  Candidates sort
    as their files do.
    """

    key: bytes
    """Of the file's path."""
    place: int
    """In the file."""
    item_id: str
    card: str
    """Its card's id; "" where the card has no other item."""
    difficulty: int
    """The card's, for the order of new items."""
    points: float
    """Where the order asks for them."""
    kind: Kind
    due: int
    """A study day's ordinal; of a step, a time.  With what follows, None in a new item."""
    stability: float
    hardness: float
    """The memory's difficulty."""
    interval: int
    day: int
    """The last answer's study day, an ordinal."""
    deck: int
    """Its number."""
    course: str


class QueueEntry(NamedTuple):
    item_id: str
    kind: Kind
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
    held: bool = False
    """Whether the limits of today hold something back."""
    more: bool = False
    """Whether higher limits of the whole collection, not of a course, would offer more."""


class _Day:
    """The study day being planned."""

    def __init__(self, today: Iterable[TodaysAnswer], now: datetime, config: Config) -> None:
        self.now, self.config = now, config
        self.day = study_day(now, config.rollover)
        self.ends = day_start(self.day + timedelta(days=1), config.rollover, now)
        self.later: list[datetime] = []
        """When more comes."""
        self._begins: dict[int, datetime] = {}
        self._asked: dict[str, set[str]] = {}
        """By card id: which of its items the day belongs to."""
        for each in today:
            self._asked.setdefault(each.card_id, set()).add(each.item_id)

    def takes(self, candidate: Candidate) -> bool:
        """Claims the card's day for the item; where a sibling has it, this one is buried."""
        if not candidate.card:
            return True  # nobody else asks for it
        asked = self._asked.setdefault(candidate.card, set())
        if asked and self.config.bury_siblings and candidate.item_id not in asked:
            self.later.append(self.ends)
            return False
        asked.add(candidate.item_id)
        return True

    def steps(self, candidates: Sequence[Candidate]) -> tuple[list[Candidate], int]:
        """The steps due now, earliest first, and how many more come on this study day."""
        due, waiting = [], 0
        steps = [candidate for candidate in candidates if candidate.kind == "learning"]
        for candidate in sorted(steps, key=lambda step: (step.due, step)):
            at = self.begins(candidate)
            if at <= self.now:
                due.append(candidate)
            else:
                self.later.append(at)
                waiting += at < self.ends
            if at < self.ends:
                self._asked.setdefault(candidate.card, set()).add(candidate.item_id)
        return due, waiting

    def reviews(self, candidates: Iterable[Candidate], days: int) -> list[Candidate]:
        """The reviews due by so many days from now, in the order of the settings."""
        until = self.day.toordinal() + days
        due = [c for c in candidates if c.kind == "review" and c.due <= until]
        return list(filter(self.takes, ordered_reviews(due, self.day, self.config)))

    def entries(self, found: Iterable[Candidate]) -> tuple[QueueEntry, ...]:
        dues = ((c, None if c.kind == "new" else self.begins(c)) for c in found)
        return tuple([QueueEntry(c.item_id, c.kind, due) for c, due in dues])

    def begins(self, candidate: Candidate) -> datetime:
        """When what is not new is due."""
        due = candidate.due
        if candidate.kind == "learning":
            return moment(due).astimezone(self.now.tzinfo)
        known = self._begins.get(due)
        if known is None:
            day = date.fromordinal(due)
            known = self._begins[due] = day_start(day, self.config.rollover, self.now)
        return known


def build_queue(
    candidates: Sequence[Candidate],
    today: Iterable[TodaysAnswer],
    now: datetime,
    config: Config,
    raised: Sequence[LimitsRaised] = (),
) -> Queue:
    """Due learning steps; then due reviews by the chosen order, new ones mixed in.

    `today` are all answers of the present study day, in every deck, and `raised` what was added to
    its limits: they are the collection's.  Of one card's items only one is asked on a day, except
    learning steps.
    """
    done = list(today)
    day = _Day(done, now, config)
    learning, waiting = day.steps(candidates)
    coming = [c for c in candidates if c.kind == "review" and c.due > day.day.toordinal()]
    if coming:
        day.later.append(day.begins(min(coming, key=attrgetter("due"))))
    due = day.reviews(candidates, 0)
    reviews, more_due = _limited(due, room("review", done, config, raised), day)
    unseen = [candidate for candidate in candidates if candidate.kind == "new"]
    offered = list(filter(day.takes, ordered_new(unseen, day.day, config)))
    new, more_new = _limited(offered, room("new", done, config, raised), day)
    if config.new_mix == "mix":
        rest = spread([reviews, new])
    else:
        rest = new + reviews if config.new_mix == "before" else reviews + new
    counts = Counts(len(new), len(learning) + waiting, len(reviews))
    entries, later = day.entries(learning + rest), min(day.later, default=None)
    held = len(new) + len(reviews) < len(offered) + len(due)
    return Queue(entries, counts, later, held, more_due or more_new)


def session_queue(
    candidates: Sequence[Candidate],
    today: Iterable[TodaysAnswer],
    now: datetime,
    config: Config,
    session: SessionRequest,
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
    day = _Day(today, now, config)
    if session.kind == "cram":
        found = apart(ordered_reviews(candidates, day.day, config))
        counts = Counts(0, 0, 0)
    else:
        steps, waiting = day.steps(candidates)
        ahead = day.reviews(candidates, session.days)
        found = steps + apart(ahead)
        counts = Counts(0, len(steps) + waiting, len(ahead))
    return session.cut(Queue(day.entries(found), counts, min(day.later, default=None)))


# Order.


def ordered_reviews(found: Sequence[Candidate], day: date, config: Config) -> list[Candidate]:
    """By `config.review_order`; what it leaves open is decided by recall, lowest first, then by the
    order of the files."""
    chances = _recalls(found, day, config)
    if config.review_order == "retrievability":
        reviews = [row[-1] for row in sorted(zip(chances, found, strict=True))]
    else:
        keys = map(_review_key(config.review_order, day), found)
        reviews = [row[-1] for row in sorted(zip(keys, chances, found, strict=True))]
    return spread(grouped(reviews, attrgetter("course"))) if config.interleave else reviews


def _recalls(found: Sequence[Candidate], day: date, config: Config) -> list[float]:
    """The chance of recall of each on a study day; 0 for what was never learnt."""
    model, today, chances = model_of(config), day.toordinal(), [0.0] * len(found)
    days: dict[int, list[int]] = {}
    for place, candidate in enumerate(found):
        if candidate.kind != "new":
            days.setdefault(candidate.day, []).append(place)
    for then, places in days.items():
        if model.spent(0.5) is None:  # it depends on more than stability and time
            memories = (Memory(found[place].stability, found[place].hardness) for place in places)
            known = [model.recall(memory, today - then) for memory in memories]
        else:
            known = model.recalls([found[place].stability for place in places], today - then)
        for place, chance in zip(places, known, strict=True):
            chances[place] = chance
    return chances


def _review_key(order: str, day: date) -> Callable[[Candidate], float]:
    match order:
        case "points":
            return lambda candidate: -candidate.points
        case "random":
            return lambda candidate: chance_of(candidate.item_id, day)
        case "difficulty":
            return lambda candidate: 0.0 if candidate.kind == "new" else -candidate.hardness
    column = attrgetter("interval" if order == "interval" else "due")
    return lambda candidate: column(candidate) if candidate.kind == "review" else 0.0


def ordered_new(found: Iterable[Candidate], day: date, config: Config) -> list[Candidate]:
    """By `config.new_order`."""
    if config.new_order == "random":
        return sorted(found, key=lambda candidate: (chance_of(candidate.item_id, day), candidate))
    if config.new_order == "path":
        return sorted(found)
    by_course = grouped(sorted(found), attrgetter("course"))
    courses = [sorted(course, key=attrgetter("difficulty")) for course in by_course]
    return [c for turn in zip_longest(*courses) for c in turn if c is not None]


def spread(lists: Iterable[Sequence[Candidate]]) -> list[Candidate]:
    """Each in its order, the shorter ones spread evenly over the longest."""
    places = [((i + 1) / (len(found) + 1), c) for found in lists for i, c in enumerate(found)]
    return [candidate for _, candidate in sorted(places, key=lambda place: place[0])]


def apart(found: Sequence[Candidate]) -> list[Candidate]:
    """In their order, but never two items of a card in a row, where others can stand between."""
    groups = grouped(enumerate(found), lambda each: each[1].card or each[1].item_id)
    cards = [deque(group) for group in groups]
    first = [(card[0][0], number) for number, card in enumerate(cards)]
    most = [(-len(card), number) for number, card in enumerate(cards)]
    heapify(most)
    order: list[Candidate] = []
    last = -1
    for left in range(len(found), 0, -1):
        while -most[0][0] != len(cards[most[0][1]]):  # some of it were asked since
            heapreplace(most, (-len(cards[most[0][1]]), most[0][1]))
        size, card = most[0]
        if -2 * size <= left or card == last:  # else it is half of what is left, and cannot wait
            while first and (not cards[first[0][1]] or cards[first[0][1]][0][0] != first[0][0]):
                heappop(first)
            card = first[0][1] if first else last
        order.append(cards[card].popleft()[1])
        if last not in (-1, card) and cards[last]:  # it rested for one turn
            heappush(first, (cards[last][0][0], last))
        last = card
    return order


def chance_of(item_id: str, day: date) -> float:
    """0 <= x < 1, the same for an item all day."""
    return place_of(item_id, day) / 2**64


def grouped(found: Iterable[_Each], key: Callable[[_Each], Hashable]) -> list[list[_Each]]:
    """Those of one key together, in the order in which they come."""
    groups: dict[Hashable, list[_Each]] = {}
    for each in found:
        groups.setdefault(key(each), []).append(each)
    return list(groups.values())


# The limits of one study day: the collection's, each course's own, and what was raised today.


class TodaysAnswer(NamedTuple):
    """An answer of the present study day."""

    item_id: str
    card_id: str
    course: str
    was: Kind
    """Where the item stood."""


@dataclass(frozen=True, slots=True)
class Room:
    """How many more items of a kind the limits leave for the study day."""

    overall: int
    courses: Mapping[str, int]
    """Of the courses that have a limit of their own."""

    def fits(self, available: Mapping[str, int]) -> int:
        """How many there is room for, of so many items of each course."""
        fitting = (min(n, self.courses.get(name, n)) for name, n in available.items())
        return max(min(self.overall, sum(max(n, 0) for n in fitting)), 0)


def room(
    kind: Literal["new", "review"],
    today: Iterable[TodaysAnswer],
    config: Config,
    raised: Iterable[LimitsRaised],
) -> Room:
    """What the limits leave after the answers of today."""
    is_new = kind == "new"
    left = config.new_per_day if is_new else config.reviews_per_day
    courses = {}
    for name, course in config.courses.items():
        own = course.new_per_day if is_new else course.reviews_per_day
        if own is not None:
            courses[name] = own
    # More of one course is more of everything: else the other courses would pay for it.
    changes = [(more.course, more.new if is_new else more.reviews) for more in raised]
    done = Counter([each.course for each in today if each.was == kind])
    changes += [(course, -count) for course, count in done.items()]
    for name, by in changes:
        left += by
        if name in courses:
            courses[name] += by
    return Room(left, courses)


def _limited(found: list[Candidate], limits: Room, day: _Day) -> tuple[list[Candidate], bool]:
    """Those that there is room for, the first ones first; and whether the collection's limit alone
    holds others back."""
    overall, courses = limits.overall, dict(limits.courses)
    taken, rest = [], set[str]()
    for candidate in found:
        if overall > 0 and courses.get(candidate.course, 1) > 0:
            overall -= 1
            if candidate.course in courses:
                courses[candidate.course] -= 1
            taken.append(candidate)
        else:
            rest.add(candidate.course)
    if rest:
        day.later.append(day.ends)
    return taken, any(courses.get(course, 1) > 0 for course in rest)


# Sessions other than "what is due now".


#: Seconds an answer takes, until there are answers to learn from.
PACE: Mapping[str, float] = MappingProxyType({"new": 60.0, "learning": 20.0, "review": 30.0})
#: From so many answers of a kind on, their median is believed.
ENOUGH = 20


@dataclass(frozen=True, slots=True)
class SessionRequest:
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

    @property
    def is_live(self) -> bool:
        """Whether it is what is due now, and not gathered when the session begins."""
        filtered = self.search or self.most is not None or self.order
        return self.kind == "study" and not filtered

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
