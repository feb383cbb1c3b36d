"""State × rating × time → next state: learning steps around the memory model.

`advance` is what the fold does with an answer.  `preview` is what the learner is promised before
it: there the course's own settings, the days' load and easy days have their say, and the promise
is written into the journal with the answer, so that the fold needs none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta

from deck.config import Config
from deck.days import day_start, study_day, to_milliseconds
from deck.event import Days, Promise, Step
from deck.fsrs import Rating
from deck.fuzz import Weight, balanced
from deck.models import model_of
from deck.state import ItemState, Learning, New, Review, Schedule
from deck.track import Track

Load = Mapping[int, int]
"""How many reviews a study day (as an ordinal) already holds; 0 where it is missing."""


def advance(
    state: ItemState, rating: Rating, at: datetime, day: date, item_id: str, config: Config
) -> Learning | Review:
    """The state after an answer at `at` (UTC) on the study day `day`, by the settings alone."""
    track = Track(item_id, config, state)
    track.answer(rating, at, day)
    return _settled(track)


def preview(
    state: ItemState,
    now: datetime,
    item_id: str,
    config: Config,
    load: Load | None = None,
) -> dict[Rating, Schedule]:
    """What each of the four ratings would lead to, were it given at `now`.

    `config` is the item's course's (`Config.of_course`).
    """
    at, day = to_milliseconds(now), study_day(now, config.rollover)
    schedules = {}
    for rating in Rating:
        track = Track(item_id, config, state)
        promise(track, rating, at, day, load)
        after = _settled(track)
        if isinstance(after, Learning):
            schedules[rating] = Schedule(after, after.due.astimezone(now.tzinfo), after.due - at)
        else:
            due = day_start(after.due_day, config.rollover, now)
            schedules[rating] = Schedule(after, due, timedelta(days=after.interval))
    return schedules


def promise(
    track: Track, rating: Rating, at: datetime, day: date, load: Load | None = None
) -> Promise:
    """Moves an item's track on by an answer, with what that promises: what the journal keeps.

    The track's settings are the item's course's.
    """
    track.answer(rating, at, day)
    track.promise = _promise(track, load)
    return track.promise


def _promise(track: Track, load: Load | None) -> Promise:
    if not track.in_review:
        return Step(track.step, track.wait())
    config = track.config
    weight = _weight(track.day, config, load) if config.fuzz else None
    if weight is None:
        return Days(track.days())
    most = config.maximum_interval
    return Days(balanced(track.exact_days(), most, track.item_id, track.repetitions, weight))


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


def _settled(track: Track) -> Learning | Review:
    after = track.state()
    assert not isinstance(after, New), "an answered item is not new"
    return after


def _weight(day: date, config: Config, load: Load | None) -> Weight | None:
    """How welcome an item is so many days after `day`; None where all days are alike."""
    easy, held = config.easy_days, load or {}
    if load is None and not easy:
        return None
    today = day.toordinal()

    def weight(days: int) -> float:
        then = today + days
        # Ordinal 1 is a Monday.  A day twice as full is chosen a quarter as often.
        share = easy.get((then - 1) % 7, 1.0) if easy else 1.0
        full = 1.0 + held.get(then, 0)
        return share / (full * full)

    return weight
