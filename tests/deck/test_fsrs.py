"""The memory model: its laws, and its parity with two other implementations."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import fsrs as py_fsrs
import fsrs_rs_python as fsrs_rs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck.fsrs import (
    BOUNDS,
    DEFAULT_PARAMETERS,
    DIFFICULTY_MAX,
    DIFFICULTY_MIN,
    STABILITY_MAX,
    STABILITY_MIN,
    Fsrs6,
    Memory,
    Rating,
)

W = DEFAULT_PARAMETERS
MEMORIES = st.builds(Memory, st.floats(0.01, 30000), st.floats(1, 10))
RATINGS = st.sampled_from(Rating)
MODELS = st.builds(Fsrs6, st.tuples(*(st.floats(low, high) for low, high in BOUNDS)))
DEFAULT = Fsrs6(W)
TOLERANCE = 1e-5

History = list[tuple[Rating, int]]


@given(MODELS, MEMORIES, st.floats(0.7, 0.99), st.integers(0, 5000), st.integers(1, 500))
def test_recall_falls_with_time_and_to_the_desired_retention_when_the_interval_ends(
    model: Fsrs6, memory: Memory, wanted: float, days: int, more: int
) -> None:
    assert model.recall(memory, model.interval(memory, wanted)) == pytest.approx(wanted, rel=1e-6)
    assert model.interval(memory, 0.9) == pytest.approx(memory.stability, rel=1e-9)
    assert DEFAULT.recall(memory, 0) == 1
    assert DEFAULT.recall(memory, days + more) < DEFAULT.recall(memory, days)


@given(MODELS, MEMORIES, st.integers(0, 1000))
def test_a_better_rating_never_leaves_less_stability_or_more_difficulty(
    model: Fsrs6, memory: Memory, elapsed: int
) -> None:
    hard, good, easy = (model.after(memory, rating, elapsed) for rating in list(Rating)[1:])
    assert hard.stability <= good.stability <= easy.stability
    assert hard.difficulty >= good.difficulty >= easy.difficulty
    # Recalling never loses stability, and forgetting never gains any.
    assert DEFAULT.after(memory, Rating.HARD, elapsed).stability >= memory.stability
    assert DEFAULT.after(memory, Rating.AGAIN, elapsed).stability <= memory.stability


@given(MODELS, MEMORIES, RATINGS, st.integers(-5, 100_000))
def test_every_memory_stays_inside_its_bounds(
    model: Fsrs6, memory: Memory, rating: Rating, elapsed: int
) -> None:
    for after in (model.initial(rating), model.after(memory, rating, elapsed)):
        assert STABILITY_MIN <= after.stability <= STABILITY_MAX
        assert DIFFICULTY_MIN <= after.difficulty <= DIFFICULTY_MAX


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


def remembered(ours: Fsrs6, history: History) -> Memory:
    memory = ours.initial(history[0][0])
    for rating, elapsed in history[1:]:
        memory = ours.after(memory, rating, elapsed)
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
    model, own = fsrs_rs.FSRS(list(w)), Fsrs6(w)
    for history in histories(seed=11, count=300):
        item = fsrs_rs.FSRSItem([fsrs_rs.FSRSReview(int(r), days) for r, days in history])
        theirs, ours = model.memory_state(item), remembered(own, history)
        assert tuple(ours) == pytest.approx((theirs.stability, theirs.difficulty), rel=TOLERANCE)
        wanted = model.next_interval(ours.stability, 0.85, 3)
        assert own.interval(ours, 0.85) == pytest.approx(wanted, rel=TOLERANCE)


@pytest.mark.parametrize("w", parameter_sets())
def test_memories_agree_with_py_fsrs(w: tuple[float, ...]) -> None:
    # It counts spans of 24 hours: answers at the same time of day make them our study days.
    scheduler = py_fsrs.Scheduler(parameters=w, enable_fuzzing=False)
    for history in histories(seed=12, count=300):
        card, at = py_fsrs.Card(), datetime(2026, 1, 1, 12, tzinfo=UTC)
        for rating, elapsed in history:
            at += timedelta(days=elapsed)
            card, _ = scheduler.review_card(card, py_fsrs.Rating(int(rating)), at)
        wanted = (card.stability, card.difficulty)
        assert tuple(remembered(Fsrs6(w), history)) == pytest.approx(wanted, rel=TOLERANCE)


class Doubling(Fsrs6):
    """A model that says anew how one memory goes on, and nothing of many."""

    def after(self, memory: Memory, rating: int, elapsed: int) -> Memory:
        return Memory(memory.stability * (2 if rating > 1 else 0.5), 5.0 + min(elapsed, 1))

    def recall(self, memory: Memory, elapsed: float) -> float:
        return float(0.5 ** (elapsed / memory.stability))


@given(
    MODELS | st.just(Doubling(W)),
    st.lists(st.tuples(MEMORIES, st.integers(0, 5000)), min_size=1),
    RATINGS,
)
def test_many_memories_as_arrays_go_on_as_each_alone(
    model: Fsrs6, given: list[tuple[Memory, int]], rating: Rating
) -> None:
    s, d, elapsed = np.array([(*memory, days) for memory, days in given], float).T
    alone = [model.recall(memory, days) for memory, days in given]
    assert model.recall_of(s, elapsed) == pytest.approx(alone, rel=1e-12)
    after = [model.after(memory, rating, days) for memory, days in given]
    for part, found in enumerate(model.after_of(s, d, rating, elapsed)):
        assert found == pytest.approx([m[part] for m in after], rel=1e-12, abs=1e-12)
    same = [model.after(memory, rating, 0).stability for memory, _ in given]
    assert model.after_of(s, d, rating, 0.0)[0] == pytest.approx(same, rel=1e-12)
    twice = np.stack((s, s)), np.stack((d, d))
    assert model.after_of(*twice, rating, elapsed)[0][1] == pytest.approx(
        [memory.stability for memory in after], rel=1e-12, abs=1e-12
    )
