"""Max pooling at speed: blocks, and laws that hold for any layout."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.lib.stride_tricks import sliding_window_view

import engine
from engine.pooling.layer import POLICIES, MaxPool, Ties
from tests.engine.pooling import reference
from tests.engine.pooling.reference import Given, Layer, Numbers, made


def by_definition(x: Numbers, k: int, s: int, p: int) -> tuple[Numbers, Numbers]:
    """f and the flat indices of (N, H, W), all windows at once."""
    around = np.pad(x, [(0, 0), (p, p), (p, p)], constant_values=-np.inf)
    cells = sliding_window_view(around, (k, k), axis=(1, 2))[:, ::s, ::s]
    a, b = np.divmod(cells.reshape(*cells.shape[:3], k * k).argmax(-1), k)
    rows, columns = np.indices(a.shape[1:]) * s - p
    return cells.max((-1, -2)), (rows + a) * x.shape[2] + columns + b


@pytest.mark.parametrize("threads", [2, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    ("shape", "k", "s", "p"),
    [
        ((1000, 6, 6), 3, 2, 0),  # more planes than are turned inward at once
        ((140, 64, 64), 3, 1, 1),  # several blocks, the last one smaller
        ((2, 300, 500), 3, 2, 1),  # planes in bands of rows
        ((40, 128, 128), 2, 2, 0),  # planes that are multiples of a page
        ((1, 3, 40_000), 3, 1, 1),  # few rows, and many windows in each
        ((3, 2000, 3), 3, 1, 1),
    ],
)
def test_however_an_input_is_cut_the_messages_are_those_of_the_definition(
    shape: tuple[int, ...], k: int, s: int, p: int, threads: int
) -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(-3, 4, shape).astype(np.float64)
    f, at = by_definition(x, k, s, p)
    layer = MaxPool(k, s, p, threads=threads)
    np.testing.assert_array_equal(layer.forward(x), f)
    np.testing.assert_array_equal(layer.indices(x), at)
    delta = rng.integers(-3, 4, f.shape).astype(np.float64)
    dx = np.zeros((shape[0], shape[1] * shape[2]))
    for plane, flat, sent in zip(dx, at, delta, strict=True):
        plane += np.bincount(flat.ravel(), sent.ravel(), plane.size)
    np.testing.assert_array_equal(layer.backward(delta), dx.reshape(shape))


def test_odd_values_are_put_right_in_every_band_and_block() -> None:
    rng = np.random.default_rng(0)
    x = rng.choice([-np.inf, 0.0, np.nan], (3, 300, 400), p=[0.9, 0.09, 0.01])
    f, at = engine.max_pool(x, 3, 2, 1, return_indices=True)
    for row in range(0, f.shape[1] - 1, 23):
        # The same windows, from an input that starts in their row.
        top = row * 2
        part, where = engine.max_pool(x[:, top:], 3, 2, 1, return_indices=True)
        np.testing.assert_array_equal(f[:, row + 1 :], part[:, 1:])
        np.testing.assert_array_equal(at[:, row + 1 :], where[:, 1:] + top * 400)


SHAPES = [
    (8, 64, 28, 28),
    (400, 400),
    *(
        pytest.param(s, marks=pytest.mark.long)
        for s in ((30, 64, 28, 28), (1, 900, 700), (64, 32, 32))
    ),
]


def peak(work: Callable[[], object], x: Numbers) -> float:
    """The most memory at once, what is returned included, in units of x's.

    The least of three times: what threads of the test runner take meanwhile counts as well.
    """
    found = []
    tracemalloc.start()
    try:
        for _ in range(3):
            before = tracemalloc.get_traced_memory()[0]
            tracemalloc.reset_peak()
            work()
            found.append(tracemalloc.get_traced_memory()[1] - before)
    finally:
        tracemalloc.stop()
    return min(found) / x.nbytes


def both(layer: MaxPool, x: Numbers, delta: Numbers) -> tuple[Numbers, Numbers]:
    return layer.forward(x), layer.backward(delta)


@pytest.mark.parametrize(("width", "k", "s", "p"), [("float32", 2, 2, 0), ("float64", 3, 1, 1)])
@pytest.mark.parametrize("shape", SHAPES)
def test_memory_stays_below_three_times_the_input(
    shape: tuple[int, ...], k: int, s: int, p: int, width: str
) -> None:
    x = np.zeros(shape, width)
    for ties in POLICIES:
        layer = MaxPool(k, s, p, ties)
        f = layer.forward(x)
        assert peak(partial(both, layer, x, f), x) <= 3
        assert peak(partial(layer.jvp, x), x) <= 3
    f, at = engine.max_pool(x, 3, 1, 1, return_indices=True)
    # f and the int64 indices are three times x in single precision.
    themselves = (f.nbytes + at.nbytes) / x.nbytes
    found = peak(lambda: engine.max_pool(x, 3, 1, 1, return_indices=True), x)
    assert found <= themselves + 0.75
    assert peak(lambda: engine.max_pool_backward(x, f, 3, 1, 1, indices=at), x) <= 3


@pytest.mark.parametrize("k", [1, 3, 4, 5])
@pytest.mark.parametrize("ties", ["split", "all"])
def test_shared_messages_do_not_show_how_an_input_is_cut(k: int, ties: Ties) -> None:
    x = np.random.default_rng(0).choice([0.0, 1.0, np.nan], (2, 150, 300), p=[0.5, 0.4, 0.1])
    layer = MaxPool(k, 2, k // 2, ties)
    f = layer.forward(x)
    delta = np.random.default_rng(1).integers(-9, 10, f.shape) / 4
    dx = layer.backward(delta)
    tops = range(0, 150, 50)
    for top in tops:
        # Some rows alone, with as many around them as their windows reach over.
        low, high = max(0, top - 2 * k - top % 2), min(150, top + 50 + 2 * k)
        low -= low % 2
        part = MaxPool(k, 2, k // 2, ties)
        some = part.forward(x[:, low:high])
        message = delta[:, low // 2 : low // 2 + some.shape[1]]
        inner = slice(max(top, low + k), min(top + 50, high - k if high < 150 else 150))
        got = part.backward(message)[:, inner.start - low : inner.stop - low]
        np.testing.assert_allclose(got, dx[:, inner], atol=1e-12)


policies = st.sampled_from(POLICIES)


@given(reference.inputs())
def test_forward_is_the_largest_of_each_window_and_indices_say_where_it_is(given: Given) -> None:
    """The first maximum in the flat plane, or the last NaN; of another policy the last maximum."""
    layer, x, _ = given
    pool, expected = made(layer), reference.forward(layer, x)
    np.testing.assert_array_equal(pool.forward(x), expected)
    f, at = engine.max_pool(x, **layer.arguments, return_indices=True)
    np.testing.assert_array_equal(f, expected)
    assert at.dtype == np.int64
    np.testing.assert_array_equal(at, reference.indices(layer, x))
    np.testing.assert_array_equal(at, pool.indices(x))
    last = made(layer, "last").indices(x)
    np.testing.assert_array_equal(last, reference.indices(layer, x, "last"))
    if x.ndim == 2 and not layer.hollow:
        np.testing.assert_array_equal(pool.argmax(x) @ [x.shape[1], 1], at)


@given(reference.inputs(), policies)
def test_backward_sends_each_message_to_the_maxima_of_the_policy(given: Given, ties: str) -> None:
    layer, x, delta = given
    pool = made(layer, ties)
    pool.forward(x)
    expected = reference.backward(layer, x, delta, ties)
    np.testing.assert_allclose(pool.backward(delta), expected, atol=1e-12)
    dx = engine.max_pool_backward(x, delta, **layer.arguments, ties=ties)  # type: ignore[arg-type]
    np.testing.assert_allclose(dx, expected, atol=1e-12)


@given(reference.inputs())
def test_backward_by_indices_is_backward_by_the_input(given: Given) -> None:
    layer, x, delta = given
    _, at = engine.max_pool(x, **layer.arguments, return_indices=True)
    for width in (np.int64, np.uint16, np.uint64):
        known = at.astype(width)
        dx = engine.max_pool_backward(x, delta, **layer.arguments, indices=known)
        np.testing.assert_allclose(dx, reference.backward(layer, x, delta), atol=1e-12)


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


@given(reference.inputs(), policies)
def test_the_jacobian_has_a_row_of_shares_for_each_window(given: Given, ties: str) -> None:
    layer, x, _ = given
    np.testing.assert_allclose(
        made(layer, ties).jacobian(x), reference.jacobian(layer, x, ties), atol=1e-15
    )


@given(reference.inputs(), policies)
def test_the_two_modes_are_adjoint(given: Given, ties: str) -> None:
    """delta · (J v) = (Jᵀ delta) · v for every tangent v."""
    layer, x, delta = given
    pool = made(layer, ties)
    pool.forward(x)
    tangent = np.random.default_rng(0).integers(-9, 10, layer.size) / 4
    there, back = delta * pool.jvp(tangent), pool.backward(delta) * tangent
    assert there.sum() == pytest.approx(back.sum(), abs=1e-9)


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
