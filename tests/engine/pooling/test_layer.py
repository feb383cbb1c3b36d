"""MaxPool against its definition, PyTorch's conventions and ONNX."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import engine
from engine.pooling.inputs import Geometry
from engine.pooling.layer import POLICIES, MaxPool, Ties
from engine.pooling.windows import Array, Mask, can_ship
from tests.engine import plain
from tests.engine.onnx_nodes import Array as OnnxArray
from tests.engine.onnx_nodes import attributes, cases, expected, operator
from tests.engine.onnx_nodes import given as given_node
from tests.engine.pooling import reference
from tests.engine.pooling.reference import Layer

few = settings(max_examples=60, deadline=None)
Input = tuple[Geometry, Array, Array]


@few
@given(plain.inputs())
def test_forward_is_the_largest_input_of_each_window(given: Input) -> None:
    geometry, x, _ = given
    f = plain.layer(geometry).forward(x)
    assert f.shape == geometry.windows
    for k, l in plain.windows(geometry):  # noqa: E741
        assert f[k, l] == max(x[cell] for cell in plain.omega(geometry, k, l))


@few
@given(plain.inputs(), st.sampled_from(POLICIES))
def test_each_window_sends_its_message_to_the_maxima_of_its_policy(given: Input, ties: str) -> None:
    geometry, x, delta = given
    layer = plain.layer(geometry, ties)
    layer.forward(x)
    expected = np.zeros_like(x)
    for k, l in plain.windows(geometry):  # noqa: E741
        maxima = plain.maxima(geometry, x, k, l)
        chosen = {"first": maxima[:1], "last": maxima[-1:]}.get(ties, maxima)
        for cell in chosen:
            expected[cell] += delta[k, l] / (len(maxima) if ties == "split" else 1)
    np.testing.assert_allclose(layer.backward(delta), expected, atol=1e-12)


@few
@given(plain.inputs(), st.sampled_from(POLICIES))
def test_backward_contracts_the_jacobian_with_delta(given: Input, ties: str) -> None:
    geometry, x, delta = given
    layer = plain.layer(geometry, ties)
    layer.forward(x)
    contracted = np.einsum("kl,klij->ij", delta, layer.jacobian(x))
    np.testing.assert_allclose(layer.backward(delta), contracted, atol=1e-12)


@few
@given(plain.inputs(few_values=False))
def test_backward_is_the_slope_of_the_loss_where_values_are_distinct(given: Input) -> None:
    geometry, x, delta = given
    layer = plain.layer(geometry)
    step = 0.125
    slope = np.zeros_like(x)
    for cell in np.ndindex(*geometry.size):
        nudge = np.zeros_like(x)
        nudge[cell] = step
        rise = layer.forward(x + nudge) - layer.forward(x - nudge)
        slope[cell] = (delta * rise).sum() / (2 * step)
    layer.forward(x)
    np.testing.assert_allclose(layer.backward(delta), slope, atol=1e-12)


@few
@given(plain.inputs(), st.sampled_from(["first", "last", "split"]))
def test_what_the_windows_send_arrives_in_full(given: Input, ties: str) -> None:
    geometry, x, delta = given
    layer = plain.layer(geometry, ties)
    layer.forward(x)
    assert layer.backward(delta).sum() == pytest.approx(delta.sum(), abs=1e-12)


@few
@given(plain.inputs())
def test_argmax_is_the_first_maximum_in_row_major_order(given: Input) -> None:
    geometry, x, _ = given
    argmax = plain.layer(geometry).argmax(x)
    for k, l in plain.windows(geometry):  # noqa: E741
        assert tuple(argmax[k, l]) == plain.maxima(geometry, x, k, l)[0]


def test_leading_axes_are_so_many_inputs() -> None:
    x = np.random.default_rng(0).integers(-2, 3, (2, 3, 5, 6)).astype(np.float64)
    layer = MaxPool((2, 3), 1)
    f = layer.forward(x)
    dx, J = layer.backward(f), layer.jacobian(x)
    assert (f.shape, dx.shape, J.shape) == ((2, 3, 4, 4), x.shape, (2, 3, 4, 4, 5, 6))
    alone = MaxPool((2, 3), 1)
    np.testing.assert_array_equal(f[1, 2], alone.forward(x[1, 2]))
    np.testing.assert_array_equal(dx[1, 2], alone.backward(f[1, 2]))
    np.testing.assert_array_equal(J[1, 2], alone.jacobian(x[1, 2]))


def test_the_stride_defaults_to_the_kernel_and_whole_numbers_are_welcome() -> None:
    x = [[1, 2, 3], [4, 5, 6]]
    assert MaxPool(2).forward(x).tolist() == [[5]]
    pair = np.array([2, 2])
    assert MaxPool(pair, pair, pair // 2).forward(x).tolist() == [[1, 3], [4, 6]]


def test_padding_never_wins_not_even_against_minus_infinity() -> None:
    x = np.full((2, 2), -np.inf)
    layer = MaxPool(2, 2, 1)
    assert np.isneginf(layer.forward(x)).all()
    assert layer.backward([[1, 10], [100, 1000]]).tolist() == [[1, 10], [100, 1000]]
    assert MaxPool(3, 1, 1).forward(np.full((2, 2), -5.0)).tolist() == [[-5, -5], [-5, -5]]


def test_a_nan_makes_its_windows_nan_and_takes_their_messages() -> None:
    x = np.array([[1.0, np.nan, 9.0], [np.nan, 2.0, 3.0]])
    layer = MaxPool((2, 2), (1, 1))
    f = layer.forward(x)
    assert np.isnan(f).all()
    assert layer.backward([[1, 10]]).tolist() == [[0, 10, 0], [1, 0, 0]]


def test_an_infinite_message_reaches_its_maximum_only() -> None:
    layer = MaxPool(2)
    layer.forward([[1, 2], [3, 4]])
    assert layer.backward([[np.inf]]).tolist() == [[0, 0], [0, np.inf]]


@pytest.mark.parametrize("ties", POLICIES)
def test_a_caller_who_changes_x_or_f_later_changes_nothing(ties: Ties) -> None:
    x = np.array([[1.0, 2.0]])
    layer = MaxPool((1, 2), ties=ties)
    f = layer.forward(x)
    x[:] = f[:] = 0.0
    assert layer.backward([[5]]).tolist() == [[0, 5]]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"kernel": 0}, "kernel is 0: an integer of at least 1"),
        ({"kernel": (2, -1)}, "kernel is (2, -1): an integer of at least 1"),
        ({"kernel": (2, 2, 2, 2)}, "kernel is (2, 2, 2, 2): 1 to 3 integers are allowed"),
        ({"kernel": (2, 2), "stride": (1, 1, 1)}, "stride is (1, 1, 1): an integer of at least 1"),
        ({"kernel": 1.5}, "kernel is 1.5: an integer"),
        ({"kernel": True}, "kernel is True: an integer"),
        ({"kernel": 2, "stride": 0}, "stride is 0: an integer of at least 1"),
        ({"kernel": 2, "padding": -1}, "padding is -1: an integer of at least 0"),
        ({"kernel": (3, 2), "padding": 2}, "padding is 2: at most half the kernel (3, 2)"),
        ({"kernel": 2, "ceil_mode": "yes"}, "ceil_mode is 'yes': True or False is allowed"),
        ({"kernel": 2, "ties": "random"}, "ties is 'random': allowed are first, last, split, all"),
    ],
)
def test_an_impossible_layer_is_refused_by_name(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        MaxPool(**arguments)


@pytest.mark.parametrize(
    ("x", "sentence"),
    [
        (np.zeros((3, 3)), "kernel is (4, 4): at most the padded input (3, 3) fits"),
        (np.zeros(5), "x has 1 axes: at least 2 (..., H, W) are allowed"),
        (np.zeros((0, 5)), "x has 0 rows and 5 columns: at least 1 is allowed"),
        ([[1.0], [1.0, 2.0]], "x is ragged: an array with rows of one length is allowed"),
        (np.zeros((5, 5), dtype=complex), "x holds complex128: real numbers are allowed"),
    ],
)
def test_an_impossible_input_is_refused_by_name(x: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        MaxPool(4).forward(x)


def test_backward_wants_a_forward_first_and_a_delta_of_its_shape() -> None:
    layer = MaxPool(2)
    with pytest.raises(RuntimeError, match="forward"):
        layer.backward([[1]])
    layer.forward(np.zeros((4, 4)))
    with pytest.raises(ValueError, match=re.escape("delta has the shape (1, 1): (2, 2)")):
        layer.backward([[1]])


def test_valid_wants_a_message_with_its_delta_or_a_jacobian() -> None:
    with pytest.raises(ValueError, match="either dx with delta, or J alone"):
        MaxPool(2).valid(np.zeros((2, 2)), dx=np.zeros((2, 2)))
    with pytest.raises(ValueError, match="J has the shape"):
        MaxPool(2).valid(np.zeros((2, 2)), J=np.zeros((2, 2)))


@pytest.mark.parametrize("dense", ["jacobian", "tied"])
def test_every_window_by_every_input_is_refused_where_it_is_too_large(dense: str) -> None:
    sentence = "x has the shape (9000, 1000): every output by every input takes"
    with pytest.raises(ValueError, match=re.escape(sentence)):
        getattr(MaxPool(2), dense)(np.zeros((9000, 1000)))


def test_asking_for_a_jacobian_leaves_a_layer_as_it_was() -> None:
    layer = MaxPool(2)
    layer.forward([[1.0, 2.0], [3.0, 4.0]])
    other = [[4.0, 3.0], [2.0, 1.0]]
    assert layer.valid(other, J=layer.jacobian(other))
    assert layer.backward([[5.0]]).tolist() == [[0, 0], [0, 5]]


CASES = cases(("maxpool", "globalmaxpool"), ("MaxPool", "GlobalMaxPool"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_max_pooling_gives_what_onnx_expects(case: Any) -> None:
    if _too_padded(case):
        pytest.skip("more padding than half the kernel, which max pooling refuses (as PyTorch)")
    (x,) = given_node(case).values()
    layer = _layer(case, x)
    got = [layer.forward(x), *_places(layer, x, case)]
    wanted = expected(case)
    for ours, theirs in zip(got[: len(wanted)], wanted, strict=True):
        assert ours.shape == theirs.shape
        np.testing.assert_array_equal(ours, theirs)
    assert got[0].dtype == wanted[0].dtype


def test_little_is_skipped() -> None:
    """The counts of onnx 1.23; a later version may add cases, but none may go missing."""
    skipped = [case.name for case in CASES if _too_padded(case)]
    assert skipped == ["test_maxpool_2d_pads"]
    assert len(CASES) - len(skipped) >= 20


def _too_padded(case: Any) -> bool:
    a = attributes(case)
    return bool(2 * max(a.get("pads", [0])) > min(a.get("kernel_shape", [2])))


def _layer(case: Any, x: OnnxArray) -> MaxPool:
    if operator(case) == "GlobalMaxPool":
        return MaxPool(x.shape[2:])
    a = attributes(case)
    kernel = a["kernel_shape"]
    axes = len(kernel)
    strides = a.get("strides", [1] * axes)
    pads = a.get("pads", [0] * 2 * axes)
    margins = list(zip(pads[:axes], pads[axes:], strict=True))
    if (same := a.get("auto_pad", "NOTSET")) != "NOTSET":
        sides = zip(x.shape[2:], kernel, strides, strict=True)
        margins = [_same(n, k, s, same == "SAME_UPPER") for n, k, s in sides]
    return MaxPool(
        tuple(kernel),
        tuple(strides),
        tuple(margins),
        dilation=tuple(a.get("dilations", [1] * axes)),
        ceil_mode=bool(a.get("ceil_mode", 0)),
    )


def _same(size: int, kernel: int, stride: int, upper: bool) -> tuple[int, int]:
    """As much padding as leaves ceil(size / stride) windows; the odd one behind if `upper`."""
    total = max(0, (-(-size // stride) - 1) * stride + kernel - size)
    low, high = total // 2, total - total // 2
    return (low, high) if upper else (high, low)


def _places(layer: MaxPool, x: OnnxArray, case: Any) -> list[OnnxArray]:
    """Where the maxima are, flat, of the first image and channel: no others are shipped."""
    if x.ndim != 4:
        return []
    row, column = np.moveaxis(layer.argmax(x), -1, 0)
    height, width = x.shape[-2:]
    by_column = attributes(case).get("storage_order", 0)
    return [row + column * height if by_column else row * width + column]


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


FLOATS = ["float16", "float32", "float64"]
INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
few_of_a_type = settings(max_examples=80, deadline=None)


@few_of_a_type
@given(reference.layers(), st.sampled_from(FLOATS + INTEGERS), st.integers(0, 2**32 - 1))
def test_any_type_is_pooled_in_itself_from_its_lowest_to_its_highest(
    layer: Layer, name: str, seed: int
) -> None:
    dtype = np.dtype(name)
    info: Any = np.finfo(dtype) if name in FLOATS else np.iinfo(dtype)
    values = np.array([info.min, info.max, 0, 1], dtype)
    x = np.random.default_rng(seed).choice(values, layer.size)
    f, at = engine.max_pool(x, **layer.arguments, return_indices=True)
    assert f.dtype == dtype
    np.testing.assert_array_equal(f, reference.forward(layer, x))
    np.testing.assert_array_equal(at, reference.indices(layer, x))


@few_of_a_type
@given(
    reference.inputs(odd=False), st.sampled_from(FLOATS), st.sampled_from(["first", "split", "all"])
)
def test_messages_have_the_type_of_x_and_delta(given: Any, name: str, ties: Any) -> None:
    layer, x, delta = given
    pool = MaxPool(**layer.arguments, ties=ties)
    pool.forward(x.astype(name))
    dx = pool.backward(delta.astype(name))
    assert dx.dtype == pool.jacobian(x.astype(name)).dtype == pool.jvp(dx).dtype == np.dtype(name)
    tolerance = float(np.finfo(name).eps) * 64
    np.testing.assert_allclose(dx, reference.backward(layer, x, delta, ties), atol=tolerance)


def test_whole_messages_of_whole_inputs_stay_whole() -> None:
    pool = MaxPool(2, 1)
    pool.forward(np.array([[1, 2, 0], [0, 0, 0]], np.int8))
    dx = pool.backward(np.array([[3, 4]], np.int8))
    assert (dx.dtype, dx.tolist()) == (np.dtype(np.int8), [[0, 7, 0], [0, 0, 0]])


def test_whole_messages_whose_sum_might_not_fit_are_refused() -> None:
    pool = MaxPool(2, 1)
    pool.forward(np.zeros((3, 3), np.int8))
    sentence = "delta holds 32 in int8, and up to 4 windows add up: at most 31 is allowed"
    with pytest.raises(ValueError, match=re.escape(sentence)):
        pool.backward(np.full((2, 2), -32, np.int8))


def test_whole_tangents_whose_sum_might_not_fit_are_refused() -> None:
    tangent = np.full((3, 3), 15, np.int8)
    pool = MaxPool(3, ties="all")
    pool.forward(np.zeros((3, 3), np.int8))
    sentence = "tangent holds 15 in int8, and up to 9 inputs add up: at most 14 is allowed"
    with pytest.raises(ValueError, match=re.escape(sentence)):
        pool.jvp(tangent)
    assert pool.jvp(tangent - 1).tolist() == [[126]]
    one = MaxPool(3)
    one.forward(np.zeros((3, 3), np.int8))
    assert one.jvp(np.full((3, 3), -128, np.int8)).tolist() == [[-128]]


def test_a_split_message_has_fractions_even_for_whole_numbers() -> None:
    pool = MaxPool((1, 2), ties="split")
    pool.forward([[1, 1]])
    assert pool.backward([[1]]).tolist() == [[0.5, 0.5]]


def test_another_byte_order_and_any_memory_layout_are_welcome() -> None:
    x = np.arange(24.0).reshape(4, 6)
    expected = MaxPool(2).forward(x)
    np.testing.assert_array_equal(MaxPool(2).forward(x.astype(">f8")), expected)
    np.testing.assert_array_equal(MaxPool(2).forward(np.asfortranarray(x)), expected)
    backwards = np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1]
    np.testing.assert_array_equal(MaxPool(2).forward(backwards), expected)
    channels_last = np.ascontiguousarray(x.reshape(2, 3, 4)[..., None])[..., 0]
    np.testing.assert_array_equal(
        MaxPool(2).forward(channels_last), MaxPool(2).forward(x.reshape(2, 3, 4))
    )


GOOD = np.zeros((4, 4))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"kernel": -2}, "kernel is -2: an integer of at least 1, or a pair of them, is allowed"),
        ({"kernel": ()}, "kernel is (): 1 to 3 integers are allowed"),
        ({"kernel": "2"}, "kernel is '2': an integer of at least 1"),
        ({"kernel": 2**31}, "kernel is 2147483648: at most 2147483647 is allowed"),
        ({"kernel": 10**30}, f"kernel is {10**30}: at most 2147483647 is allowed"),
        ({"stride": (2, 0)}, "stride is (2, 0): an integer of at least 1"),
        ({"stride": 2.0}, "stride is 2.0: an integer of at least 1"),
        ({"dilation": 0}, "dilation is 0: an integer of at least 1"),
        ({"dilation": (1, -3)}, "dilation is (1, -3): an integer of at least 1"),
        ({"dilation": (1, 2, 3)}, "dilation is (1, 2, 3): an integer of at least 1, or a pair"),
        ({"padding": 2}, "padding is 2: at most half the kernel (2, 2) is allowed"),
        ({"padding": ((0, 2), (0, 0))}, "padding is ((0, 2), (0, 0)): at most half the kernel"),
        ({"padding": ((0, 1),)}, "padding is ((0, 1),): 2 of them are allowed"),
        ({"kernel": 5}, "kernel is (5, 5): at most the padded input (4, 4) fits"),
        ({"dilation": 4}, "kernel is (2, 2), dilated to (5, 5): at most the padded input (4, 4)"),
        ({"ceil_mode": 1}, "ceil_mode is 1: True or False is allowed"),
        ({"return_indices": "no"}, "return_indices is 'no': True or False is allowed"),
        ({"threads": 0}, "threads is 0: an integer of at least 1 is allowed"),
        ({"x": np.zeros(4)}, "x has 1 axes: at least 2 (..., H, W) are allowed"),
        ({"x": GOOD, "kernel": (1, 1, 1)}, "x has 2 axes: at least 3 (..., D, H, W) are allowed"),
        ({"x": 1.0, "kernel": (1,)}, "x has 0 axes: at least 1 (..., W) are allowed"),
        ({"x": np.zeros((0, 4, 4))}, "x has the shape (0, 4, 4): at least 1 is allowed"),
        ({"x": np.zeros((4, 0))}, "x has 4 rows and 0 columns: at least 1 is allowed"),
        ({"x": np.zeros(0), "kernel": (1,)}, "x has 0 inputs: at least 1 is allowed"),
        ({"x": GOOD.astype(object)}, "x holds object: real numbers are allowed"),
        ({"x": [[2**70, 1], [1, 1]]}, "x holds object: real numbers are allowed"),
        ({"x": GOOD > 0}, "x holds bool: real numbers are allowed"),
        ({"x": [["a", "b"]]}, "x holds <U1: real numbers are allowed"),
        ({"x": [[1.0, 2.0], [3.0]]}, "x is ragged: an array with rows of one length is allowed"),
        ({"x": None}, "x holds object: real numbers are allowed"),
    ],
)
def test_max_pool_refuses_by_name(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        engine.max_pool(**{"x": GOOD, "kernel": 2, **arguments})


@pytest.mark.parametrize(
    ("size", "kernel", "padding", "dilation", "indices"),
    [
        ((2, 2), (2, 2), (1, 1), (3, 3), [6]),
        ((2, 3), (2, 1), (1, 0), (3, 1), [6, 7, 8]),
        ((3, 2), (1, 2), (0, 1), (1, 3), [2, 4, 6]),
        ((2, 4), (2, 2), (1, 1), (3, 2), [9, 8, 9, 10]),
        ((2,), (2,), (1,), (3,), [2]),
        ((2, 2, 2), (2, 2, 2), (1, 1, 1), (3, 3, 3), [14]),
    ],
)
def test_a_window_that_steps_over_the_input_gives_what_pytorch_gives(
    size: Any, kernel: Any, padding: Any, dilation: Any, indices: list[int]
) -> None:
    """The indices are those that PyTorch 2.13 prints."""
    x = np.arange(float(np.prod(size))).reshape(size)
    given = {"kernel": kernel, "stride": 1, "padding": padding, "dilation": dilation}
    f, at = engine.max_pool(x, **given, return_indices=True)
    assert (f == -np.inf).all()
    assert at.reshape(-1).tolist() == indices
    sent = engine.max_pool_backward(x, np.ones(f.shape), **given, indices=at)
    assert (sent == 0).all()
    layer = engine.MaxPool(kernel, 1, padding, dilation=dilation)
    layer.forward(x)
    assert (layer.backward(np.ones(f.shape)) == 0).all()
    assert (layer.jvp(x) == 0).all()
    assert layer.valid(x, J=layer.jacobian(x)).all()
    assert not layer.valid(x, J=layer.jacobian(x) + 0.5).any()
    assert layer.valid(x, dx=sent, delta=np.ones(f.shape)).all()


@pytest.mark.parametrize(
    ("indices", "sentence"),
    [
        ([[0.0]], "indices holds float64: integers are allowed"),
        ([[0, 1]], "indices has the shape (1, 2): (1, 1) is allowed"),
        ([[4]], "indices holds 4: 0 to 3 is allowed"),
        ([[-1]], "indices holds -1: 0 to 3 is allowed"),
    ],
)
def test_indices_are_refused_by_name(indices: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        engine.max_pool_backward(np.zeros((2, 2)), [[1.0]], 2, indices=indices)
    with pytest.raises(ValueError, match=re.escape(sentence)):
        engine.max_unpool([[1.0]], indices, 2)


def test_an_index_outside_its_window_is_refused() -> None:
    with pytest.raises(ValueError, match="indices holds 3 for a window without it"):
        engine.max_pool_backward(np.zeros((1, 4)), [[1.0, 1.0]], (1, 2), indices=[[3, 2]])


def test_delta_ties_and_size_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match=re.escape("delta has the shape (4, 4): (2, 2)")):
        engine.max_pool_backward(GOOD, GOOD, 2)
    with pytest.raises(ValueError, match="ties is 'random': allowed are first, last, split, all"):
        engine.max_pool_backward(GOOD, np.zeros((2, 2)), 2, ties="random")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=re.escape("size is (4,): 2 integers of at least 1")):
        engine.max_unpool([[1.0]], [[0]], 2, size=(4,))
    with pytest.raises(ValueError, match="ties is 'all': unpooling takes 'first' or 'last'"):
        engine.MaxPool(2, ties="all").unpool([[1.0]])


def test_a_kernel_far_larger_than_its_padded_input_costs_no_more_than_the_input() -> None:
    f, at = engine.max_pool(np.eye(4), 2**31 - 1, 1, 2**30 - 1, return_indices=True)
    assert (f == 1).all()
    assert (at == 0).all()
