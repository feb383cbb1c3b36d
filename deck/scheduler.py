"""What each rating leads to: learning steps, intervals, load balancing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from math import ceil

from deck.config import Config, model_of
from deck.events import Interval, LearningStep, Outcome
from deck.fsrs import Rating
from deck.replay import ItemState, New, ReplayCursor, Review, Schedule, balanced, fuzz_range
from deck.study_day import day_start, study_day, to_milliseconds

Load = Mapping[int, int]
"""How many reviews a study day (as an ordinal) already holds; 0 where it is missing."""

_DAY = timedelta(days=1)


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
    schedules = {}
    for rating, track in promised(state, now, item_id, config, load):
        after = track.state()
        assert not isinstance(after, New), "an answered item is not new"
        assert track.promise is not None
        due, span = falls_due(track.promise, track.at, track.day, now, config)
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

    `config` is the item's course's.  The rules are Anki's; docs/fsrs.md says where they are not.
    """
    at, day = to_milliseconds(now), study_day(now, config.rollover)
    ends, days = day_start(day + _DAY, config.rollover, now), 0
    for rating in map(Rating, range(first, last + 1)):
        track = ReplayCursor(item_id, config, state)
        track.answer(rating, at, day)
        wait = _wait(track, state)
        if wait is None or rating < last:  # the next better rating asks for the days
            days = _days(track, load, _least(track, state, days))
        if wait is None:
            track.keep(Interval(days))
        else:
            track.keep(LearningStep(max(track.step, 0), _whole(wait, track, ends)))
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
    easy, held, today = config.easy_days, load or {}, track.day.toordinal()

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


def _whole(wait: timedelta, track: ReplayCursor, ends: datetime) -> timedelta:
    """The wait to the beginning of a study day, where a step ends on a later one than that which
    `ends` then."""
    if wait < _DAY and track.at + wait < ends:
        return wait
    days = max((wait + _DAY / 2) // _DAY, 1)
    later = track.day + days * _DAY
    due = ends if days == 1 else day_start(later, track.config.rollover, ends)
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
