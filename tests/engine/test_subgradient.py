"""Laws of ties: any convex combination over the maxima is right, and nothing else is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.pooling.inputs import Geometry
from engine.pooling.layer import MaxPool
from engine.pooling.windows import Array, Mask, can_ship
from tests.engine import plain

few = settings(max_examples=60, deadline=None)
Input = tuple[Geometry, Array, Array]


def combined(given: Input, rng: np.random.Generator, sharp: bool) -> Array:
    """A Jacobian whose rows are random convex combinations over each window's maxima."""
    geometry, x, _ = given
    J = np.zeros(geometry.windows + geometry.size)
    for k, l in plain.windows(geometry):  # noqa: E741
        maxima = plain.maxima(geometry, x, k, l)
        weights = rng.dirichlet([0.1 if sharp else 1.0] * len(maxima))
        for cell, weight in zip(maxima, weights, strict=True):
            J[(k, l, *cell)] = weight
    return J


@few
@given(plain.inputs(), st.integers(0, 10**6), st.booleans())
def test_every_convex_combination_over_the_maxima_is_valid(
    given: Input, seed: int, sharp: bool
) -> None:
    geometry, x, delta = given
    J = combined(given, np.random.default_rng(seed), sharp)
    layer = plain.layer(geometry)
    assert layer.valid(x, J=J)
    assert layer.valid(x, dx=np.einsum("kl,klij->ij", delta, J), delta=delta)


@few
@given(plain.inputs(), st.integers(0, 10**6))
def test_a_message_moved_off_the_maxima_is_not_valid(given: Input, seed: int) -> None:
    geometry, x, delta = given
    rng = np.random.default_rng(seed)
    J = combined(given, rng, sharp=False)
    layer = plain.layer(geometry)
    off = np.argwhere(~layer.tied(x).any(axis=(0, 1)))
    dx = np.einsum("kl,klij->ij", delta, J)
    if len(off):
        cell = tuple(rng.choice(off))
        dx[cell] += 1e-6 * (1 + np.abs(delta).max())
        assert not layer.valid(x, dx=dx, delta=delta)
        J[(0, 0, *cell)] += 1e-6
        assert not layer.valid(x, J=J)


@few
@given(plain.inputs(), st.integers(0, 10**6))
def test_the_flow_agrees_with_the_bounds_on_every_subset_of_inputs(given: Input, seed: int) -> None:
    geometry, x, delta = given
    rng = np.random.default_rng(seed)
    layer = plain.layer(geometry)
    cells = np.argwhere(layer.tied(x).any(axis=(0, 1)))
    assume(len(cells) <= 12)
    # The sum is kept, an amount moves: sometimes still reachable, sometimes not.
    dx = np.einsum("kl,klij->ij", delta, combined(given, rng, sharp=True))
    here, there = cells[rng.integers(len(cells), size=2)]
    amount = rng.integers(-4, 5) / 8
    dx[tuple(here)] += amount
    dx[tuple(there)] -= amount
    assert bool(layer.valid(x, dx=dx, delta=delta)) == within_bounds(layer.tied(x), dx, delta)


def within_bounds(tied: Mask, dx: Array, delta: Array) -> bool:
    """Whether no subset of the inputs gets more than its windows can send there.

    The valid messages are a Minkowski sum of simplices, which its subsets' bounds describe in
    full (generalised permutohedra: Postnikov 2009).
    """
    cells = np.flatnonzero(tied.any(axis=(0, 1)))
    wins = tied.reshape(delta.size, -1)[:, cells]
    subsets = (np.arange(2 ** len(cells))[:, None] >> np.arange(len(cells))) & 1 > 0
    touch = (subsets[:, None, :] & wins).any(axis=2)
    cover = (subsets[:, None, :] | ~wins).all(axis=2)
    most = touch @ np.maximum(delta.ravel(), 0) + cover @ np.minimum(delta.ravel(), 0)
    return bool((subsets @ dx.ravel()[cells] <= most + 1e-9).all())


def test_the_whole_message_to_each_of_two_maxima_is_not_valid() -> None:
    layer = MaxPool((1, 2), ties="all")
    x = [[3, 3]]
    layer.forward(x)
    assert not layer.valid(x, dx=layer.backward([[1]]), delta=[[1]])
    assert not layer.valid(x, J=layer.jacobian(x))
    assert layer.valid(x, dx=[[0.25, 0.75]], delta=[[1]])
    assert not layer.valid(x, dx=[[-0.5, 1.5]], delta=[[1]])


def test_windows_of_opposite_sign_may_cancel_at_the_input_they_share() -> None:
    layer = MaxPool((1, 2), (1, 1))
    x = [[7, 7, 7]]
    assert layer.valid(x, dx=[[0, 0, 0]], delta=[[1, -1]])
    assert layer.valid(x, dx=[[1, 0, -1]], delta=[[1, -1]])
    assert not layer.valid(x, dx=[[-1, 0, 1]], delta=[[1, -1]])
    assert not layer.valid(x, dx=[[0, 2, -2]], delta=[[1, -1]])


def test_validity_is_judged_for_each_of_the_leading_axes() -> None:
    x = np.array([[[1.0, 2.0]], [[2.0, 2.0]]])
    dx = np.array([[[0.5, 0.5]], [[0.5, 0.5]]])
    assert MaxPool((1, 2)).valid(x, dx=dx, delta=np.ones((2, 1, 1))).tolist() == [False, True]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_a_number_is_not_valid(bad: float) -> None:
    layer = MaxPool((1, 2))
    for x in ([[1, 2]], [[2, 2]]):
        assert not layer.valid(x, dx=[[0, bad]], delta=[[1]])
        assert not layer.valid(x, J=[[[[0, bad]]]])


def test_goods_reach_only_where_roads_lead() -> None:
    roads = np.zeros((3, 3), dtype=bool)
    roads[0, 1] = True
    assert can_ship(np.array([2.0, 0, 0]), np.array([0, 2.0, 0]), roads, 1e-9)
    assert not can_ship(np.array([2.0, 0, 0]), np.array([0, 1.0, 1.0]), roads, 1e-9)
    assert not can_ship(np.array([2.0, 0, 0]), np.array([0, 1.0, 0]), roads, 1e-9)
