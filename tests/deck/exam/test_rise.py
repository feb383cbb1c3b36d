"""Expected points while a plan is kept: from what stopping brings to what the plan brings."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deck.config import Config
from deck.exam import Stake, make_plan, outlook, rise
from deck.fsrs import Memory
from deck.replay import ItemState, New, Review
from tests.deck.given import NOON

TODAY = NOON.date()


def reviewed(stability: float, ago: int) -> Review:
    day = TODAY - timedelta(days=ago)
    return Review(Memory(stability, 5.0), 10, day, NOON - timedelta(days=ago), day, 3, 0)


STATES: st.SearchStrategy[ItemState] = st.one_of(
    st.just(New()), st.builds(reviewed, st.floats(0.5, 100), st.integers(1, 60))
)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0.5, 10), STATES), max_size=8),
    st.integers(0, 20),
    st.floats(1, 30),
)
def test_it_begins_with_stopping_and_ends_with_the_plan(
    worth: list[tuple[float, ItemState]], days: int, minutes: float
) -> None:
    stakes = [Stake(f"i{n}", points, state) for n, (points, state) in enumerate(worth)]
    config, exam = Config(minutes_per_day=minutes), TODAY + timedelta(days=days)
    plan = make_plan(stakes, exam, TODAY, config)
    stands = rise(stakes, plan, TODAY, config)
    assert [stand.day for stand in stands] == [*(day.day for day in plan.days), exam]
    assert stands[0].expected == pytest.approx(outlook(stakes, exam, config).expected)
    assert stands[-1].expected == pytest.approx(plan.outlook.expected)
    total = sum(points for points, _ in worth)
    for stand in stands:
        assert 0 <= stand.low <= stand.expected <= stand.high <= total + 1e-9
