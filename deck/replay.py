"""The schedule as a pure function of the journal, and what each rating would make of it: no clock,
no chance, no disk.

Events are replayed in the order of their ids (deck/events.py), whichever device wrote them and in
whichever order their files were read; an event that is there twice counts once; an event that an
undo names never was.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from hashlib import blake2b
from itertools import pairwise
from math import ceil
from operator import attrgetter
from typing import NamedTuple, cast

from deck.config import Config, Model, model_of
from deck.events import (
    Buried,
    Event,
    Interval,
    LearningStep,
    Outcome,
    Rescheduled,
    Reset,
    Reviewed,
    Suspended,
    Undone,
    Unknown,
    write_line,
)
from deck.fsrs import Memory, Met, Rating
from deck.study_day import day_start, study_day, to_milliseconds

# Where an item stands: new, in learning steps, or in review.  A sum type, without nulls.


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

    def status(state: ItemState) -> str:
        if isinstance(state, New):
            return "to_learn"
        if isinstance(state, Learning):
            return "learning"
        return "mastered" if state.memory.stability >= MASTERED_STABILITY else "reviewing"

    return min(map(status, states), key=_ORDER.index, default=_ORDER[0])


# Replaying.


@dataclass(frozen=True, slots=True)
class Answer:
    """A review that counts, and the state in which it met the item."""

    event: Event
    before: ItemState


class ItemStatus(NamedTuple):
    """Where one item stands."""

    state: ItemState
    suspended: bool
    """By the journal's last word, or as a leech."""
    buried: date | None
    """It is not asked before this study day."""


def replay(events: Iterable[Event], settings: Config) -> dict[str, ItemState]:
    """The state of every item that has a review which was not undone, by item id."""
    history = dedupe_events(events)
    undone = undone_ids(history)
    by_item = defaultdict[str, list[Event]](list)
    for event in history:
        if undone and event.id in undone:
            continue
        if type(event.what) is Reviewed:  # nearly every event: its tuple of one item would cost
            by_item[event.item].append(event)
            continue
        for item in event.items:
            by_item[item].append(event)
    states = {item: replay_item(item, of, (), settings).state for item, of in by_item.items()}
    return {item: state for item, state in states.items() if not isinstance(state, New)}


def replay_item(
    item: str, events: Sequence[Event], undone: Collection[str], settings: Config
) -> ItemStatus:
    """Where one item stands; `events` are those that concern it (`Event.items`), sorted by id."""
    track = ReplayCursor(item, settings)
    track.follow_each([event for event in events if event.id not in undone] if undone else events)
    return track.status()


def replay_behind(
    item: str, before: ItemStatus, events: Sequence[Event], settings: Config
) -> ItemStatus:
    """Where an item that stands as `before` is after further events, none of them undone."""
    track = ReplayCursor(item, settings, before.state)
    track.suspended, track.buried = before.suspended, before.buried
    track.follow_each(events)
    return track.status()


def answers_of(
    item: str, events: Sequence[Event], undone: Container[str], settings: Config
) -> Iterator[Answer]:
    """The item's answers, each with the state that it met; arguments as for `replay_item`."""
    track = ReplayCursor(item, settings)
    for event in events:
        if event.id not in undone:
            if isinstance(event.what, Reviewed):
                yield Answer(event, track.state())
            track.follow_each((event,))


def dedupe_events(events: Iterable[Event]) -> list[Event]:
    """The events sorted by id, each id once.

    Copies of a file give the same event twice; should two differ under one id, the choice must not
    depend on the order of reading.
    """

    def rank(event: Event) -> tuple[bool, str]:
        """Of two events under one id, the smaller counts (docs/journal-format.md)."""
        if isinstance(event.what, Unknown):
            return True, repr(event)
        return False, write_line(event).decode()

    found: list[Event] = []
    for event in sorted(events, key=attrgetter("id")):
        if found and found[-1].id == event.id:
            if found[-1] is not event and rank(event) < rank(found[-1]):
                found[-1] = event
        else:
            found.append(event)
    return found


def undone_ids(events: Iterable[Event]) -> set[str]:
    """The ids of the events that an undo names."""
    return {event.what.target for event in events if isinstance(event.what, Undone)}


# The cursor that replay moves, and that previews try out.  Memory follows from the answers alone.
# What an answer promised (a learning step, or days) stands in the journal and holds, so that a
# change of settings moves no due day by itself; where a line promises nothing (an import, an older
# program), the settings decide.


#: In place of a step: the item is in review; it was never answered.
REVIEW, _NEW = -1, -2

#: What an item was before an answer, as a place in `deck.stats.KINDS`; the last two are reviews.
NEW, LEARNING, RELEARNING, YOUNG, MATURE = range(5)


class ReplayCursor:
    """Where one item stands; `follow_each` and `answer` move it on, `state` says it as a value."""

    __slots__ = (
        "at",
        "buried",
        "config",
        "day",
        "item_id",
        "lapses",
        "memory",
        "model",
        "promise",
        "rating",
        "relearning",
        "repetitions",
        "step",
        "suspended",
    )

    memory: Memory | None
    """None where it was never answered."""
    at: datetime
    day: int
    """An ordinal."""
    rating: int
    promise: Outcome | None

    def __init__(self, item_id: str, config: Config, state: ItemState | None = None) -> None:
        self.item_id, self.config = item_id, config
        self.model: Model = model_of(config)
        self.suspended = False
        self.buried: date | None = None
        self.reset()
        if state is None or isinstance(state, New):
            return
        self.memory, self.at, self.day = state.memory, state.reviewed, state.day.toordinal()
        self.repetitions, self.lapses, self.rating = state.repetitions, state.lapses, 0
        if isinstance(state, Learning):
            self.step, self.relearning = state.step, state.relearning
            self.promise = LearningStep(state.step, state.due - state.reviewed)
        else:
            self.step, self.promise = REVIEW, Interval(state.interval)

    def reset(self) -> None:
        """As if it had never been answered."""
        self.memory, self.promise = None, None
        self.step = self.repetitions = self.lapses = 0
        self.relearning = False

    @property
    def in_review(self) -> bool:
        return self.memory is not None and self.step == REVIEW

    def follow_each(self, events: Sequence[Event]) -> None:
        """Takes what happened, in order; events of other kinds or items change nothing."""
        if any(type(event.what) is not Reviewed for event in events):
            for event in events:
                self._follow(event)
        elif events:
            self._review_each(events, cast("list[Reviewed]", [event.what for event in events]))

    def _follow(self, event: Event) -> None:
        match event.what:
            case Reviewed():
                self._review_each((event,), [event.what])
            case Suspended(on):
                self.suspended = on
            case Buried(until):
                self.buried = until
            case Reset():
                self.reset()
            case Rescheduled(due, interval) if self.item_id in due:
                self.move(due[self.item_id], interval, event)

    def _review_each(self, events: Sequence[Event], whats: Sequence[Reviewed]) -> None:
        promises = [what.promise for what in whats]
        steps = [REVIEW if type(each) is Interval else each and each[0] for each in promises]
        days = [event.day.toordinal() for event in events]
        self.answer_each([what.rating for what in whats], days, steps, events[-1].at, promises[-1])

    def answer(self, rating: int, at: datetime, day: date, promise: Outcome | None = None) -> None:
        """Takes an answer at `at` (UTC) on the study day `day`."""
        step = REVIEW if isinstance(promise, Interval) else promise and promise.step
        self.answer_each((rating,), (day.toordinal(),), (step,), at, promise)

    def answer_each(
        self,
        ratings: Sequence[int],
        days: Sequence[int],
        steps: Sequence[int | None],
        at: datetime,
        promise: Outcome | None,
    ) -> tuple[list[int], list[Met]]:
        """Takes answers in a row, column by column: no object is made for each of a million.

        `days` are study days as ordinals, in which time is counted: 22:00 to 08:00 is one day, not
        zero.  `steps` are what was promised, None where nothing was.  The last one was given `at`
        (UTC) and led to `promise`.  Returns what each answer met: the kinds, and the memories.
        """
        memory, before, relearning = self.memory, self.step, self.relearning
        if memory is None:
            before, memory = _NEW, self.model.initial(ratings[0])
            elapsed = [day - last for last, day in pairwise(days)]
            self.memory, met = self.model.follow(memory, ratings[1:], elapsed)
            met.insert(0, (0.0, None))
        else:
            elapsed = [day - last for last, day in pairwise((self.day, *days))]
            self.memory, met = self.model.follow(memory, ratings, elapsed)
        kinds = []
        for (stability, _), rating, step in zip(met, ratings, steps, strict=True):
            if before == REVIEW:
                kinds.append(MATURE if stability >= MASTERED_STABILITY else YOUNG)
                relearning = rating == 1
                if relearning:
                    self.lapses += 1
                    is_leech = self.config.leeches_at(self.lapses)
                    self.suspended |= is_leech and self.config.leech_action == "suspend"
            else:
                kinds.append(NEW if before == _NEW else RELEARNING if relearning else LEARNING)
            before = self._next_step(before, rating, relearning) if step is None else step
        self.repetitions += len(kinds)
        self.step, self.relearning = before, relearning
        self.at, self.day, self.rating, self.promise = at, days[-1], ratings[-1], promise
        return kinds, met

    def keep(self, promise: Outcome) -> None:
        """Takes a promise for the last answer in place of what the settings make of it."""
        self.promise = promise
        self.step = promise.step if isinstance(promise, LearningStep) else REVIEW

    def move(self, due: date, interval: int | None, event: Event) -> None:
        """The item falls due on another study day: an item in review, or with an `interval` any."""
        if interval is None:
            if self.in_review:
                self.promise = Interval(max(due.toordinal() - self.day, 1))
            return
        if self.memory is None:  # as if it had been answered that many days before
            self.memory = Memory(float(interval), self.model.initial(Rating.GOOD).difficulty)
            self.at, self.rating = event.at, 0
            self.day = min(event.day, due - timedelta(days=interval)).toordinal()
        self.step, self.relearning = REVIEW, False
        self.promise = Interval(max(due.toordinal() - self.day, 0))

    def steps(self) -> tuple[timedelta, ...]:
        """Those of the settings that it goes through, or went through."""
        return self.config.relearning_steps if self.relearning else self.config.learning_steps

    def _next_step(self, before: int, rating: int, relearning: bool) -> int:
        """The learning step that follows, or where the item goes (or stays) in review."""
        count = len(self.config.relearning_steps if relearning else self.config.learning_steps)
        if count == 0 or rating == Rating.EASY:
            return REVIEW
        if rating == Rating.AGAIN:
            return 0
        if before == REVIEW:
            return REVIEW
        # Settings may have fewer steps now than when the item took its last one.
        at = max(before, 0)
        following = at + 1 if rating == Rating.GOOD else at
        return following if following < count else REVIEW

    def wait(self) -> timedelta:
        """How long the learning step lasts.

        Hard on the first step waits between it and the next (or half as long again): Anki's rule.
        """
        if isinstance(self.promise, LearningStep):
            return self.promise.wait
        steps = self.steps()
        if self.rating != Rating.HARD or self.step > 0:
            return steps[self.step]
        return (steps[0] + steps[1]) / 2 if len(steps) > 1 else steps[0] * 1.5

    def exact(self) -> float:
        """The model's interval in days for the desired retention, at most the longest one."""
        assert self.memory is not None
        exact = self.model.interval(self.memory, self.config.desired_retention)
        return min(exact, self.config.maximum_interval)

    def days(self) -> int:
        """The interval: what was promised, or what the settings make of it."""
        if isinstance(self.promise, Interval):
            return self.promise.days
        days = max(round(self.exact()), 1)
        if not self.config.fuzz:
            return days
        return fuzzed(days, self.config.maximum_interval, self.item_id, self.repetitions)

    def state(self) -> ItemState:
        """Where the item stands now."""
        if self.memory is None:
            return New()
        rest = (self.at, date.fromordinal(self.day), self.repetitions, self.lapses)
        if self.step != REVIEW:
            due = self.at + self.wait()
            return Learning(self.memory, self.step, due, *rest, self.relearning)
        days = self.days()
        return Review(self.memory, days, date.fromordinal(self.day + days), *rest)

    def status(self) -> ItemStatus:
        return ItemStatus(self.state(), self.suspended, self.buried)


# Fuzz spreads items that were learnt together, the same way in every replay.  The place inside the
# range comes from a hash of the item and of how often it was answered, so a schedule stays a
# function of the journal.  All four ratings of one answer share that place: a better rating never
# leads to a shorter interval.


#: (from day, to day, share): each band adds its share of the days inside it to the half-width.
BANDS = ((2.5, 7.0, 0.15), (7.0, 20.0, 0.10), (20.0, float("inf"), 0.05))

#: How welcome an item is so many days from its answer, 0 or more.
Weight = Callable[[int], float]


def fuzz_range(interval: float, maximum: int, least: int = 1) -> tuple[int, int]:
    """The shortest and longest interval that may stand for `interval`, in days, both included.

    Bands as in the FSRS reference implementations; below 2.5 days nothing is spread.
    1 <= `least` <= `interval` <= `maximum`.
    """
    if interval < BANDS[0][0]:
        return round(interval), round(interval)
    spread = 1.0
    for low, high, share in BANDS:
        if interval > low:
            spread += share * (min(interval, high) - low)
    highest = min(round(interval + spread), maximum)
    return min(max(2, least, round(interval - spread)), highest), highest


def fuzzed(interval: int, maximum: int, item_id: str, repetitions: int) -> int:
    """`interval` moved inside its `fuzz_range`, by a place that only the arguments decide."""
    lowest, highest = fuzz_range(interval, maximum)
    return lowest + place_of(item_id, repetitions) * (highest - lowest + 1) // 2**64


def balanced(
    interval: int, maximum: int, item_id: str, repetitions: int, weight: Weight, least: int = 1
) -> int:
    """`fuzzed`, where the days of the range are taken as often as they are welcome; `least` days
    at least.

    As a day's weight is the same in every range that holds it, ranges that lie later lead, at one
    place, to days that lie no earlier (their distributions are ordered by likelihood ratio).
    Where no day is welcome, all are alike.
    """
    lowest, highest = fuzz_range(interval, maximum, least)
    weights = [weight(days) for days in range(lowest, highest + 1)]
    total = sum(weights)
    if total <= 0.0:
        weights, total = [1.0] * len(weights), float(len(weights))
    left = place_of(item_id, repetitions) / 2**64 * total
    for days, share in enumerate(weights, lowest):
        left -= share
        if left < 0.0:
            return days
    return max(days for days, share in enumerate(weights, lowest) if share > 0.0)


def place_of(item_id: str, turn: int | date) -> int:
    """0 <= place < 2^64, the same for an item at every look at one turn."""
    seed = f"{turn}\0{item_id}".encode(errors="surrogatepass")
    return int.from_bytes(blake2b(seed, digest_size=8).digest())


# What each rating leads to: learning steps, intervals, load balancing.

Load = Mapping[int, int]
"""How many reviews a study day (as an ordinal) already holds; 0 where it is missing."""

_DAY = timedelta(days=1)


def preview(
    state: ItemState, now: datetime, item_id: str, config: Config, load: Load | None = None
) -> dict[Rating, Schedule]:
    """What each of the four ratings would lead to, were it given at `now`.

    `config` is the item's course's (`Config.of_course`).
    """
    schedules = {}
    for rating, track in promised(state, now, item_id, config, load):
        after = track.state()
        assert not isinstance(after, New), "an answered item is not new"
        assert track.promise is not None
        due, span = falls_due(track.promise, track.at, after.day, now, config)
        schedules[rating] = Schedule(after, due, span)
    return schedules


def falls_due(
    promise: Outcome, at: datetime, day: date, now: datetime, config: Config
) -> tuple[datetime, timedelta]:
    """When what was promised at `at`, on the study day `day`, falls due in the zone of `now`; and
    how long that is: study days, or less than one."""
    if isinstance(promise, Interval):
        span = timedelta(days=promise.days)
        return day_start(day + span, config.rollover, now), span
    due = (at + promise.wait).astimezone(now.tzinfo)
    return due, study_day(due, config.rollover) - day or promise.wait


def promised(
    state: ItemState,
    now: datetime,
    item_id: str,
    config: Config,
    load: Load | None = None,
    last: Rating = Rating.EASY,
    first: Rating = Rating.AGAIN,
) -> Iterator[tuple[Rating, ReplayCursor]]:
    """The item's track after each rating at `now`, with the promise that the journal keeps.

    `config` is the item's course's.  The rules are Anki's, but for fuzz, load and long steps.
    """
    at, day, days = to_milliseconds(now), study_day(now, config.rollover), 0
    for rating in map(Rating, range(first, last + 1)):
        track = ReplayCursor(item_id, config, state)
        track.answer(rating, at, day)
        wait = _wait(track, state)
        if wait is None or rating < last:  # the next better rating asks for the days
            days = _days(track, load, _least(track, state, days))
        if wait is None:
            track.keep(Interval(days))
        else:
            track.keep(LearningStep(max(track.step, 0), _whole(wait, track, now)))
        yield rating, track


def answered(
    rating: Rating, state: ItemState, now: datetime, item_id: str, config: Config, load: Load
) -> ReplayCursor:
    """What `promised` has for one rating, without those that have no say in it (`_least`)."""
    first = min(rating, Rating.HARD if isinstance(state, Review) else Rating.GOOD)
    *_, (_, track) = promised(state, now, item_id, config, load, rating, first)
    return track


def _least(track: ReplayCursor, before: ItemState, worse: int) -> int:
    """The fewest days after the track's answer, where the next worse rating led to `worse`."""
    rating, exact = track.rating, track.exact()
    if not isinstance(before, Review):
        return worse + 1 if rating == Rating.EASY else 1
    least = worse + 1 if rating > Rating.HARD else 1
    # What is recalled comes back no sooner than the last time, where fuzz alone could do that.
    longer = before.interval + (round(exact) > before.interval)
    if rating > Rating.AGAIN and longer <= fuzz_range(exact, track.config.maximum_interval)[1]:
        least = max(least, longer)
    return least


def _days(track: ReplayCursor, load: Load | None, least: int = 1) -> int:
    """The model's interval, fuzzed; `least` days at least, as far as the longest one allows."""
    config, most = track.config, track.config.maximum_interval
    least = min(least, most)
    days = max(round(track.exact()), least)
    if not config.fuzz:
        return days
    easy, held, today = config.easy_days, load or {}, track.day

    def weight(days: int) -> float:
        """How welcome the item is so many days after today."""
        then = today + days
        # Ordinal 1 is a Monday.  A day twice as full is chosen a quarter as often.
        share = easy.get((then - 1) % 7, 1.0) if easy else 1.0
        full = 1.0 + held.get(then, 0)
        return share / (full * full)

    return balanced(days, most, track.item_id, track.repetitions, weight, least)


def _wait(track: ReplayCursor, before: ItemState) -> timedelta | None:
    """How long the step lasts; None where the interval is in days.

    Without steps an item that is learnt, or learnt again, may come back on the same day.
    """
    if not track.in_review:
        return track.wait()
    learns = not isinstance(before, Review) or track.rating == Rating.AGAIN
    exact = track.exact()
    if not learns or track.rating == Rating.EASY or track.steps() or not track.model.same_day:
        return None
    return timedelta(seconds=max(int(exact * 86_400), 1)) if exact < 0.5 else None


def _whole(wait: timedelta, track: ReplayCursor, now: datetime) -> timedelta:
    """The wait to the beginning of a study day, where a step ends on a later one than that of
    `now`."""

    def begins(days: int) -> datetime:
        return day_start(date.fromordinal(track.day + days), track.config.rollover, now)

    if wait < _DAY and track.at + wait < begins(1):
        return wait
    due = begins(max((wait + _DAY / 2) // _DAY, 1))
    return timedelta(seconds=ceil((due - track.at).total_seconds()))


def rescheduled(
    state: Review, item_id: str, config: Config, today: date, load: Load | None = None
) -> date:
    """The due day of an item in review were its last answer promised anew, with today's settings.

    Never before `today`: what is overdue by the new parameters is due now.
    """
    days = _days(ReplayCursor(item_id, config, state), load)
    return max(state.day + timedelta(days=days), today)


def recall(state: ItemState, day: date, config: Config) -> float:
    """The chance of recall on the study day `day`; 0 for what was never learnt."""
    if isinstance(state, New):
        return 0.0
    return model_of(config).recall(state.memory, (day - state.day).days)
