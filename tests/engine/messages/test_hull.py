"""Laws of convex combinations: what was made of the corners is inside, what lies beyond is not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.messages.judge import contains


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 12),
    st.integers(1, 6),
    st.sampled_from([1e-6, 1, 1e6]),
)
def test_combinations_are_inside_and_points_beyond_are_not(
    seed: int, count: int, size: int, scale: float
) -> None:
    rng = np.random.default_rng(seed)
    corners = rng.integers(-3, 4, (count, size)) * scale
    weights = rng.dirichlet(np.ones(count))
    assert contains(corners, weights @ corners, 1e-9 * scale)
    direction = rng.normal(size=size)
    direction /= np.linalg.norm(direction)
    farthest = corners[(corners @ direction).argmax()]
    assert not contains(corners, farthest + direction * 1e-3 * scale, 1e-9 * scale)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_no_number_is_outside(value: float) -> None:
    assert not contains(np.zeros((2, 1)), np.array([value]), 1e-9)
