"""The memory model: its laws, and its parity with two other implementations."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import fsrs as py_fsrs
import fsrs_rs_python as fsrs_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck import fsrs
from deck.fsrs import BOUNDS, DEFAULT_PARAMETERS, Memory, Rating

W = DEFAULT_PARAMETERS
STABILITIES = st.floats(0.01, 30000)
DIFFICULTIES = st.floats(1, 10)
MEMORIES = st.builds(Memory, STABILITIES, DIFFICULTIES)
RATINGS = st.sampled_from(Rating)
PARAMETERS = st.tuples(*(st.floats(low, high) for low, high in BOUNDS))
TOLERANCE = 1e-5

History = list[tuple[Rating, int]]


@given(STABILITIES)
def test_at_a_desired_retention_of_90_percent_the_interval_is_the_stability(s: float) -> None:
    assert fsrs.interval(W, s, 0.9) == pytest.approx(s, rel=1e-9)


@given(STABILITIES, st.floats(0.7, 0.99), PARAMETERS)
def test_recall_has_fallen_to_the_desired_retention_when_the_interval_ends(
    s: float, wanted: float, w: tuple[float, ...]
) -> None:
    assert fsrs.retrievability(w, s, fsrs.interval(w, s, wanted)) == pytest.approx(wanted, rel=1e-6)


@given(STABILITIES, st.integers(0, 5000), st.integers(1, 500))
def test_recall_only_falls_with_time(s: float, days: int, more: int) -> None:
    assert fsrs.retrievability(W, s, 0) == 1
    assert fsrs.retrievability(W, s, days + more) < fsrs.retrievability(W, s, days)


@given(MEMORIES, st.integers(0, 1000), PARAMETERS)
def test_a_better_rating_never_leaves_less_stability_or_more_difficulty(
    memory: Memory, elapsed: int, w: tuple[float, ...]
) -> None:
    hard, good, easy = (fsrs.after(w, memory, rating, elapsed) for rating in list(Rating)[1:])
    assert hard.stability <= good.stability <= easy.stability
    assert hard.difficulty >= good.difficulty >= easy.difficulty


@given(MEMORIES, st.integers(0, 1000))
def test_recalling_never_loses_stability_and_forgetting_never_gains_any(
    memory: Memory, elapsed: int
) -> None:
    assert fsrs.after(W, memory, Rating.HARD, elapsed).stability >= memory.stability
    assert fsrs.after(W, memory, Rating.AGAIN, elapsed).stability <= memory.stability


@given(MEMORIES, RATINGS, st.integers(-5, 100_000), PARAMETERS)
def test_every_memory_stays_inside_its_bounds(
    memory: Memory, rating: Rating, elapsed: int, w: tuple[float, ...]
) -> None:
    for after in (fsrs.initial(w, rating), fsrs.after(w, memory, rating, elapsed)):
        assert fsrs.STABILITY_MIN <= after.stability <= fsrs.STABILITY_MAX
        assert fsrs.DIFFICULTY_MIN <= after.difficulty <= fsrs.DIFFICULTY_MAX


def histories(seed: int, count: int) -> list[History]:
    """Random histories of 1..14 answers as (rating, study days since the one before)."""
    rng = random.Random(seed)
    gaps = (0, 0, 1, 2, 5)

    def gap() -> int:
        return rng.choice((*gaps, rng.randint(1, 60), rng.randint(1, 400)))

    return [
        [(Rating(rng.randint(1, 4)), gap() if i else 0) for i in range(rng.randint(1, 14))]
        for _ in range(count)
    ]


def remembered(w: tuple[float, ...], history: History) -> Memory:
    memory = fsrs.initial(w, history[0][0])
    for rating, elapsed in history[1:]:
        memory = fsrs.after(w, memory, rating, elapsed)
    return memory


def parameter_sets() -> list[tuple[float, ...]]:
    """The defaults, and two sets a user might have after optimising."""
    rng = random.Random(7)
    near = [
        tuple(
            min(max(x * rng.uniform(0.8, 1.2), low), high)
            for x, (low, high) in zip(W, BOUNDS, strict=True)
        )
        for _ in range(2)
    ]
    return [W, *(tuple(sorted(w[:4])) + w[4:] for w in near)]


@pytest.mark.parametrize("w", parameter_sets())
def test_memories_agree_with_fsrs_rs(w: tuple[float, ...]) -> None:
    model = fsrs_rs.FSRS(list(w))
    for history in histories(seed=11, count=700):
        item = fsrs_rs.FSRSItem([fsrs_rs.FSRSReview(int(r), days) for r, days in history])
        theirs, ours = model.memory_state(item), remembered(w, history)
        assert ours.stability == pytest.approx(theirs.stability, rel=TOLERANCE), history
        assert ours.difficulty == pytest.approx(theirs.difficulty, rel=TOLERANCE), history
        wanted = model.next_interval(ours.stability, 0.85, 3)
        assert fsrs.interval(w, ours.stability, 0.85) == pytest.approx(wanted, rel=TOLERANCE)


@pytest.mark.parametrize("w", parameter_sets())
def test_memories_agree_with_py_fsrs(w: tuple[float, ...]) -> None:
    # It counts spans of 24 hours: answers at the same time of day make them our study days.
    scheduler = py_fsrs.Scheduler(parameters=w, enable_fuzzing=False)
    for history in histories(seed=12, count=700):
        card, at = py_fsrs.Card(), datetime(2026, 1, 1, 12, tzinfo=UTC)
        for rating, elapsed in history:
            at += timedelta(days=elapsed)
            card, _ = scheduler.review_card(card, py_fsrs.Rating(int(rating)), at)
        ours = remembered(w, history)
        assert ours.stability == pytest.approx(card.stability, rel=TOLERANCE), history
        assert ours.difficulty == pytest.approx(card.difficulty, rel=TOLERANCE), history
