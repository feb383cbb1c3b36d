"""Which slopes are right where several branches meet: the convex combinations of theirs."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.messages.judge import contains

#: Points of few digits, so that many coincide or lie on a line.
DIGITS = st.integers(-3, 3)
SIZES = st.sampled_from([1e-6, 1.0, 1e6])


@st.composite
def corners(draw: st.DrawFn) -> np.ndarray:
    dimensions = draw(st.integers(1, 5))
    row = st.lists(DIGITS, min_size=dimensions, max_size=dimensions)
    return np.array(draw(st.lists(row, min_size=1, max_size=8)), dtype=float)


@given(corners(), st.data(), SIZES)
def test_every_convex_combination_of_the_corners_is_inside(
    points: np.ndarray, data: st.DataObject, size: float
) -> None:
    count = len(points)
    shares = st.lists(st.sampled_from([0.0, 1e-3, 0.5, 1.0]), min_size=count, max_size=count)
    weights = np.array(data.draw(shares.filter(any)))
    inside = weights / weights.sum() @ points
    assert contains(size * points, size * inside, 1e-9 * size)


@given(corners(), st.data(), SIZES)
def test_what_lies_beyond_every_corner_in_some_direction_is_outside(
    points: np.ndarray, data: st.DataObject, size: float
) -> None:
    count, dimensions = points.shape
    way = np.array(
        data.draw(st.lists(DIGITS, min_size=dimensions, max_size=dimensions).filter(any)), float
    )
    weights = np.array(data.draw(st.lists(DIGITS, min_size=count, max_size=count)), float)
    beside = points.mean(axis=0) + weights @ (points - points.mean(axis=0))
    way /= np.linalg.norm(way)
    lacking = (points @ way).max() - beside @ way
    outside = beside + (lacking + 1e-3) * way
    assert not contains(size * points, size * outside, 1e-9 * size)


def test_the_middle_of_a_square_is_inside_and_what_is_no_number_is_not() -> None:
    square = np.array([*product((0.0, 1.0), repeat=2)])
    assert contains(square, np.array([0.5, 0.5]), 1e-9)
    assert contains(square, np.array([1.0, 0.25]), 1e-9)
    assert not contains(square, np.array([1.001, 0.25]), 1e-9)
    assert not contains(square, np.array([np.nan, 0.5]), 1e-9)
    assert not contains(square, np.array([np.inf, 0.5]), 1e-9)
    assert not contains(square[:1], np.array([0.5, 0.5]), 1e-9)
