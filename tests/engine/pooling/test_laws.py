"""Laws of max pooling with all of its arguments, against plain loops over the definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import engine
from engine.pooling.layer import POLICIES, MaxPool
from tests.engine.pooling import reference
from tests.engine.pooling.reference import Layer, Numbers

few = settings(max_examples=80, deadline=None)
Given = tuple[Layer, Numbers, Numbers]
policies = st.sampled_from(POLICIES)


def made(layer: Layer, ties: Any = "first") -> MaxPool:
    return MaxPool(**layer.arguments, ties=ties)


@few
@given(reference.inputs())
def test_forward_is_the_largest_of_each_window(given: Given) -> None:
    layer, x, _ = given
    expected = reference.forward(layer, x)
    np.testing.assert_array_equal(made(layer).forward(x), expected)
    np.testing.assert_array_equal(engine.max_pool(x, **layer.arguments), expected)


@few
@given(reference.inputs())
def test_indices_are_the_first_maximum_in_the_flat_plane_or_the_last_nan(given: Given) -> None:
    layer, x, _ = given
    _, at = engine.max_pool(x, **layer.arguments, return_indices=True)
    assert at.dtype == np.int64
    np.testing.assert_array_equal(at, reference.indices(layer, x))
    np.testing.assert_array_equal(at, made(layer).indices(x))


@few
@given(reference.inputs())
def test_the_last_maximum_is_found_as_well_as_the_first(given: Given) -> None:
    layer, x, _ = given
    np.testing.assert_array_equal(
        made(layer, "last").indices(x), reference.indices(layer, x, "last")
    )


@few
@given(reference.inputs(), policies)
def test_backward_sends_each_message_to_the_maxima_of_the_policy(given: Given, ties: str) -> None:
    layer, x, delta = given
    pool = made(layer, ties)
    pool.forward(x)
    expected = reference.backward(layer, x, delta, ties)
    np.testing.assert_allclose(pool.backward(delta), expected, atol=1e-12)
    dx = engine.max_pool_backward(x, delta, **layer.arguments, ties=ties)  # type: ignore[arg-type]
    np.testing.assert_allclose(dx, expected, atol=1e-12)


@few
@given(reference.inputs())
def test_backward_by_indices_is_backward_by_the_input(given: Given) -> None:
    layer, x, delta = given
    _, at = engine.max_pool(x, **layer.arguments, return_indices=True)
    for width in (np.int64, np.uint16, np.uint64):
        known = at.astype(width)
        dx = engine.max_pool_backward(x, delta, **layer.arguments, indices=known)
        np.testing.assert_allclose(dx, reference.backward(layer, x, delta), atol=1e-12)


@few
@given(reference.inputs(), st.data())
def test_each_index_that_is_not_of_its_window_is_refused(given: Given, data: st.DataObject) -> None:
    layer, x, delta = given
    _, at = engine.max_pool(x, **layer.arguments, return_indices=True)
    window = data.draw(st.sampled_from(list(layer.windows())))
    at[window] = data.draw(st.integers(-2, x.size + 1))
    cells = [np.ravel_multi_index(place, layer.size) for place in layer.omega(window)]
    if at[window] in cells or not cells:
        engine.max_pool_backward(x, delta, **layer.arguments, indices=at)
    else:
        with pytest.raises(ValueError, match=f"indices holds {at[window]}"):
            engine.max_pool_backward(x, delta, **layer.arguments, indices=at)


@few
@given(reference.inputs(), policies)
def test_the_jacobian_has_a_row_of_shares_for_each_window(given: Given, ties: str) -> None:
    layer, x, _ = given
    np.testing.assert_allclose(
        made(layer, ties).jacobian(x), reference.jacobian(layer, x, ties), atol=1e-15
    )


@few
@given(reference.inputs(), policies)
def test_the_two_modes_are_adjoint(given: Given, ties: str) -> None:
    """delta · (J v) = (Jᵀ delta) · v for every tangent v."""
    layer, x, delta = given
    pool = made(layer, ties)
    pool.forward(x)
    tangent = np.random.default_rng(0).integers(-9, 10, layer.size) / 4
    there, back = delta * pool.jvp(tangent), pool.backward(delta) * tangent
    assert there.sum() == pytest.approx(back.sum(), abs=1e-9)


@few
@given(reference.inputs(odd=False))
def test_jvp_is_the_slope_of_forward_where_there_are_no_ties(given: Given) -> None:
    layer, x, _ = given
    assume(not layer.hollow)
    distinct = np.random.default_rng(1).permutation(x.size).reshape(x.shape) * 1.0
    tangent = np.random.default_rng(2).integers(-3, 4, x.shape) / 1.0
    pool, step = made(layer), 1 / 32
    rise = pool.forward(distinct + step * tangent) - pool.forward(distinct - step * tangent)
    pool.forward(distinct)
    np.testing.assert_allclose(pool.jvp(tangent), rise / (2 * step), atol=1e-12)


@few
@given(reference.inputs(), st.sampled_from(["first", "last", "split"]))
def test_what_a_policy_sends_is_a_valid_subgradient(given: Given, ties: str) -> None:
    layer, x, delta = given
    pool = made(layer, ties)
    pool.forward(x)
    assert pool.valid(x, J=pool.jacobian(x)).all()
    assert pool.valid(x, dx=pool.backward(delta), delta=delta).all()
    wrong = pool.backward(delta)
    wrong.reshape(-1)[0] += 1
    assert not pool.valid(x, dx=wrong, delta=delta).any()


@few
@given(reference.inputs())
def test_unpooling_puts_each_maximum_where_it_was(given: Given) -> None:
    layer, x, _ = given
    assume(not layer.hollow)
    f, at = engine.max_pool(x, **layer.arguments, return_indices=True)
    back = engine.max_unpool(f, at, layer.kernel, size=layer.size)
    kept = np.zeros(x.size, np.bool_)
    kept[at] = True
    np.testing.assert_array_equal(back, np.where(kept.reshape(x.shape), x, 0.0))
    pool = made(layer)
    pool.forward(x)
    np.testing.assert_array_equal(pool.unpool(f), back)


@few
@given(reference.layers(), st.integers(0, 2**32 - 1), st.sampled_from([1, 2, 3]))
def test_planes_are_pooled_alone_however_many_threads_share_them(
    layer: Layer, seed: int, threads: int
) -> None:
    rng = np.random.default_rng(seed)
    x = rng.choice(reference.ODD, (2, 3, *layer.size))
    pool = MaxPool(**layer.arguments, threads=threads)
    f = pool.forward(x)
    dx, at = pool.backward(np.ones(f.shape)), pool.indices(x)
    for place in np.ndindex(2, 3):
        np.testing.assert_array_equal(f[place], reference.forward(layer, x[place]))
        np.testing.assert_array_equal(at[place], reference.indices(layer, x[place]))
        ones = np.ones(layer.counts)
        np.testing.assert_array_equal(dx[place], reference.backward(layer, x[place], ones))
