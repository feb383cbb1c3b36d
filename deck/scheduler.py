"""State × rating × time → next state: learning steps around the FSRS memory."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from deck import fsrs
from deck.config import Config
from deck.days import day_start, study_day, to_milliseconds
from deck.fsrs import Memory, Rating
from deck.fuzz import fuzzed
from deck.state import ItemState, Learning, New, Review, Schedule


def advance(
    state: ItemState, rating: Rating, at: datetime, day: date, item_id: str, config: Config
) -> Learning | Review:
    """The state after an answer at `at` (UTC) on the study day `day`."""
    memory = _memory(state, rating, day, config)
    repetitions = 1 if isinstance(state, New) else state.repetitions + 1
    lapses = 0 if isinstance(state, New) else state.lapses
    relearning = isinstance(state, Learning) and state.relearning
    if isinstance(state, Review) and rating == Rating.AGAIN:
        lapses, relearning = lapses + 1, True
    steps = config.relearning_steps if relearning else config.learning_steps
    step = _step(state, rating, len(steps))
    if step is not None:
        due = at + _wait(steps, step, rating)
        return Learning(memory, step, due, at, day, repetitions, lapses, relearning)
    interval = _interval(memory, item_id, repetitions, config)
    due_day = day + timedelta(days=interval)
    return Review(memory, interval, due_day, at, day, repetitions, lapses)


def preview(
    state: ItemState, now: datetime, item_id: str, config: Config
) -> dict[Rating, Schedule]:
    """What each of the four ratings would lead to, were it given at `now`."""
    at, day = to_milliseconds(now), study_day(now, config.rollover)
    schedules = {}
    for rating in Rating:
        after = advance(state, rating, at, day, item_id, config)
        if isinstance(after, Learning):
            schedule = Schedule(after, after.due.astimezone(now.tzinfo), after.due - at)
        else:
            due = day_start(after.due_day, config.rollover, now)
            schedule = Schedule(after, due, timedelta(days=after.interval))
        schedules[rating] = schedule
    return schedules


def recall(state: ItemState, day: date, config: Config) -> float:
    """The chance of recall on the study day `day`; 0 for what was never learnt."""
    if isinstance(state, New):
        return 0.0
    elapsed = (day - state.day).days
    return fsrs.retrievability(config.parameters, state.memory.stability, elapsed)


def _memory(state: ItemState, rating: Rating, day: date, config: Config) -> Memory:
    """Time is counted in study days: 22:00 to 08:00 is one day, not zero.

    A clock that was set back gives no negative time: it counts as the same day.
    """
    if isinstance(state, New):
        return fsrs.initial(config.parameters, rating)
    return fsrs.after(config.parameters, state.memory, rating, max((day - state.day).days, 0))


def _step(state: ItemState, rating: Rating, count: int) -> int | None:
    """The learning step that follows, or None where the item goes (or stays) in review."""
    if count == 0 or rating == Rating.EASY:
        return None
    if rating == Rating.AGAIN:
        return 0
    if isinstance(state, Review):
        return None
    # Settings may have fewer steps now than when the item took its last one.
    at = state.step if isinstance(state, Learning) else 0
    following = at + 1 if rating == Rating.GOOD else at
    return following if following < count else None


def _wait(steps: tuple[timedelta, ...], step: int, rating: Rating) -> timedelta:
    """Hard on the first step waits between it and the next (or half as long again), as in Anki."""
    if rating != Rating.HARD or step > 0:
        return steps[step]
    return (steps[0] + steps[1]) / 2 if len(steps) > 1 else steps[0] * 1.5


def _interval(memory: Memory, item_id: str, repetitions: int, config: Config) -> int:
    """Whole days, at least 1 and at most the configured maximum."""
    exact = fsrs.interval(config.parameters, memory.stability, config.desired_retention)
    days = min(max(round(min(exact, config.maximum_interval)), 1), config.maximum_interval)
    return fuzzed(days, config.maximum_interval, item_id, repetitions) if config.fuzz else days
