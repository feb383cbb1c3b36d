"""Learning steps, study days and fuzz around the model."""

from __future__ import annotations

import random
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import fsrs as py_fsrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck.config import Config
from deck.fsrs import Rating
from deck.replay import ItemState, Learning, New, ReplayCursor, Review, fuzz_range, fuzzed, recall
from deck.study_day import study_day
from tests.deck.given import EXACT, NOON, later

PRAGUE = ZoneInfo("Europe/Prague")
FOUR = time(4)


def advance(
    state: ItemState, rating: Rating, at: datetime, day: date, item: str, config: Config
) -> Learning | Review:
    """What the fold makes of an answer whose line promises nothing."""
    track = ReplayCursor(item, config, state)
    track.answer(rating, at, day)
    after = track.state()
    assert not isinstance(after, New)
    return after


def answered(*ratings: Rating, config: Config = EXACT) -> ItemState:
    """The state after answers ten minutes apart."""
    state: ItemState = New()
    for number, rating in enumerate(ratings):
        at = later(minutes=10 * number)
        state = advance(state, rating, at, study_day(at, FOUR), "a", config)
    return state


# Learning steps.


def test_forgetting_in_review_is_a_lapse_and_relearns() -> None:
    state = answered(Rating.EASY, Rating.AGAIN)
    assert isinstance(state, Learning)
    assert (state.relearning, state.lapses) == (True, 1)
    back = answered(Rating.EASY, Rating.AGAIN, Rating.GOOD)
    assert isinstance(back, Review)
    assert back.lapses == 1


@pytest.mark.parametrize("steps", [(), (1,), (1, 10), (1, 10, 60)])
def test_intervals_agree_with_py_fsrs(steps: tuple[int, ...]) -> None:
    spans = tuple(timedelta(minutes=step) for step in steps)
    config = Config(learning_steps=spans, fuzz=False, maximum_interval=300)
    scheduler = py_fsrs.Scheduler(learning_steps=spans, enable_fuzzing=False, maximum_interval=300)
    rng = random.Random(3)
    for _ in range(60):
        card, at = py_fsrs.Card(), NOON
        state: ItemState = New()
        for _ in range(rng.randint(1, 10)):
            rating = Rating(rng.randint(1, 4))
            card, _ = scheduler.review_card(card, py_fsrs.Rating(int(rating)), at)
            state = advance(state, rating, at, study_day(at, FOUR), "a", config)
            if isinstance(state, Learning):
                assert state.due == card.due
            else:
                assert state.interval == (card.due - at).days
            at += timedelta(days=rng.choice((0, 1, 3, 30)))


def test_steps_removed_from_the_settings_strand_no_item() -> None:
    state = answered(Rating.GOOD)
    fewer = Config(learning_steps=(timedelta(minutes=1),))
    assert isinstance(advance(state, Rating.HARD, NOON, NOON.date(), "a", fewer), Review)


# Study days.


def test_ten_in_the_evening_to_eight_in_the_morning_is_one_day() -> None:
    evening = datetime(2026, 11, 21, 22, tzinfo=PRAGUE)
    morning = datetime(2026, 11, 22, 8, tzinfo=PRAGUE)
    first = advance(New(), Rating.EASY, evening, study_day(evening, FOUR), "a", EXACT)
    second = advance(first, Rating.GOOD, morning, study_day(morning, FOUR), "a", EXACT)
    same = advance(first, Rating.GOOD, morning, first.day, "a", EXACT)
    assert second.memory.stability > same.memory.stability == first.memory.stability


def test_a_time_without_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="zone"):
        study_day(datetime(2026, 11, 21, 12), FOUR)


def test_a_clock_set_back_counts_as_the_same_day() -> None:
    first = advance(New(), Rating.EASY, NOON, NOON.date(), "a", EXACT)
    back = later(days=-400)
    state = advance(first, Rating.GOOD, back, back.date(), "a", EXACT)
    assert state.memory.stability == first.memory.stability
    assert recall(state, back.date() - timedelta(days=9), EXACT) == 1


# Fuzz.


@given(st.integers(1, 36500), st.integers(1, 36500), st.text(max_size=9), st.integers(1, 99))
def test_fuzz_stays_in_its_range_and_below_the_maximum(
    interval: int, maximum: int, item: str, repetitions: int
) -> None:
    interval = min(interval, maximum)
    lowest, highest = fuzz_range(interval, maximum)
    result = fuzzed(interval, maximum, item, repetitions)
    assert 1 <= lowest <= result <= highest <= maximum
    assert lowest <= interval <= highest
    assert result == fuzzed(interval, maximum, item, repetitions)


@given(st.integers(1, 5000), st.text(max_size=9), st.integers(1, 99))
def test_fuzz_never_turns_two_intervals_round(interval: int, item: str, repetitions: int) -> None:
    shorter = fuzzed(interval, 36500, item, repetitions)
    assert shorter <= fuzzed(interval + 1, 36500, item, repetitions)


def test_fuzz_uses_its_whole_range() -> None:
    lowest, highest = fuzz_range(10, 36500)
    found = {fuzzed(10, 36500, f"card{number}", 3) for number in range(200)}
    assert found == set(range(lowest, highest + 1))
