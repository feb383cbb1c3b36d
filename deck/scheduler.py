"""State × rating × time → next state: learning steps around the memory model.

`advance` is what the fold does with an answer.  `preview` is what the learner is promised before
it: there the course's own settings, the days' load and easy days have their say, and the promise
is written into the journal with the answer (`promise_of`), so that the fold needs none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta

from deck.config import Config
from deck.days import day_start, study_day, to_milliseconds
from deck.event import Days, Promise, Step
from deck.fsrs import Rating
from deck.fuzz import Weight, balanced
from deck.models import model_of
from deck.state import ItemState, Learning, New, Review, Schedule
from deck.track import Track

#: How many reviews a study day already holds.
Load = Callable[[date], int]

#: How sharply full days are avoided: a day twice as full is chosen a quarter as often.
_SHARPNESS = 2.0


def advance(
    state: ItemState, rating: Rating, at: datetime, day: date, item_id: str, config: Config
) -> Learning | Review:
    """The state after an answer at `at` (UTC) on the study day `day`, by the settings alone."""
    return _answered(Track(item_id, config, state), rating, at, day)


def preview(
    state: ItemState,
    now: datetime,
    item_id: str,
    config: Config,
    load: Load | None = None,
    ratings: Iterable[Rating] = tuple(Rating),
) -> dict[Rating, Schedule]:
    """What each of the four `ratings` would lead to, were it given at `now`.

    `config` is the item's course's (`Config.of_course`).
    """
    at, day = to_milliseconds(now), study_day(now, config.rollover)
    schedules = {}
    for rating in ratings:
        track = Track(item_id, config, state)
        after = _answered(track, rating, at, day)
        if isinstance(after, Learning):
            schedules[rating] = Schedule(after, after.due.astimezone(now.tzinfo), after.due - at)
            continue
        weight = _weight(day, config, load)
        if config.fuzz and weight is not None:
            exact, most = track.exact_days(), config.maximum_interval
            days = balanced(exact, most, item_id, track.repetitions, weight)
            track.promise = Days(days)
            after = _settled(track)
            assert isinstance(after, Review)
        due = day_start(after.due_day, config.rollover, now)
        schedules[rating] = Schedule(after, due, timedelta(days=after.interval))
    return schedules


def promise_of(schedule: Schedule) -> Promise:
    """What the journal keeps of a schedule."""
    match schedule.state:
        case Learning(step=step, due=due, reviewed=reviewed):
            return Step(step, due - reviewed)
        case Review(interval=interval):
            return Days(interval)


def moved(
    state: Review, item_id: str, config: Config, today: date, load: Load | None = None
) -> date:
    """The due day of an item in review were its last answer promised anew, with today's settings.

    Never before `today`: what is overdue by the new parameters is due now.
    """
    track = Track(item_id, config, state)
    weight = _weight(state.day, config, load) or (lambda _: 1.0)
    days = track.exact_days()
    if config.fuzz:
        days = balanced(days, config.maximum_interval, item_id, state.repetitions, weight)
    return max(state.day + timedelta(days=days), today)


def recall(state: ItemState, day: date, config: Config) -> float:
    """The chance of recall on the study day `day`; 0 for what was never learnt."""
    if isinstance(state, New):
        return 0.0
    return model_of(config).recall(state.memory, (day - state.day).days)


def _answered(track: Track, rating: Rating, at: datetime, day: date) -> Learning | Review:
    track.answer(rating, at, day)
    return _settled(track)


def _settled(track: Track) -> Learning | Review:
    after = track.state()
    assert not isinstance(after, New), "an answered item is not new"
    return after


def _weight(day: date, config: Config, load: Load | None) -> Weight | None:
    """How welcome an item is so many days after `day`; None where all days are alike."""
    easy = config.easy_days
    if load is None and not easy:
        return None

    def weight(days: int) -> float:
        then = day + timedelta(days=days)
        full = 1.0 + (load(then) if load else 0)
        share: float = easy.get(then.weekday(), 1.0) / full**_SHARPNESS
        return share

    return weight
