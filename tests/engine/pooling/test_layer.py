"""MaxPool by hand, its refusals, PyTorch's conventions, ONNX, and which messages are valid."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import engine
from engine.pooling.layer import POLICIES, MaxPool, Ties
from tests.engine.brute.pooling import in_sum_of_simplices
from tests.engine.onnx_nodes import attributes, cases, expected, operator
from tests.engine.onnx_nodes import given as given_node
from tests.engine.pooling import reference
from tests.engine.pooling.reference import Given, Numbers, made


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
    layer = MaxPool(2, 2, 1)
    assert np.isneginf(layer.forward(np.full((2, 2), -np.inf))).all()
    assert layer.backward([[1, 10], [100, 1000]]).tolist() == [[1, 10], [100, 1000]]
    assert MaxPool(3, 1, 1).forward(np.full((2, 2), -5.0)).tolist() == [[-5, -5], [-5, -5]]


def test_a_nan_takes_its_windows_messages_and_infinity_reaches_its_maximum_only() -> None:
    layer = MaxPool((2, 2), (1, 1))
    assert np.isnan(layer.forward([[1.0, np.nan, 9.0], [np.nan, 2.0, 3.0]])).all()
    assert layer.backward([[1, 10]]).tolist() == [[0, 10, 0], [1, 0, 0]]
    layer = MaxPool(2)
    layer.forward([[1, 2], [3, 4]])
    assert layer.backward([[np.inf]]).tolist() == [[0, 0], [0, np.inf]]


@pytest.mark.parametrize("ties", POLICIES)
def test_nothing_that_happens_in_between_changes_what_a_layer_sends(ties: Ties) -> None:
    x = np.array([[1.0, 2.0]])
    layer = MaxPool((1, 2), ties=ties)
    f = layer.forward(x)
    x[:] = f[:] = 0.0
    other = [[4.0, 3.0]]
    assert layer.valid(other, J=layer.jacobian(other))
    assert layer.backward([[5]]).tolist() == [[0, 5]]


# Refusals.

GOOD = np.zeros((4, 4))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"kernel": -2}, "kernel is -2: an integer of at least 1, or a pair of them, is allowed"),
        ({"kernel": (2, -1)}, "kernel is (2, -1): an integer of at least 1"),
        ({"kernel": (2, 2, 2, 2)}, "kernel is (2, 2, 2, 2): 1 to 3 integers are allowed"),
        ({"kernel": ()}, "kernel is (): 1 to 3 integers are allowed"),
        ({"kernel": 1.5}, "kernel is 1.5: an integer"),
        ({"kernel": True}, "kernel is True: an integer"),
        ({"kernel": "2"}, "kernel is '2': an integer of at least 1"),
        ({"kernel": 2**31}, "kernel is 2147483648: at most 2147483647 is allowed"),
        ({"kernel": 10**30}, f"kernel is {10**30}: at most 2147483647 is allowed"),
        ({"kernel": 5}, "kernel is (5, 5): at most the padded input (4, 4) fits"),
        ({"stride": (2, 0)}, "stride is (2, 0): an integer of at least 1"),
        ({"stride": (1, 1, 1)}, "stride is (1, 1, 1): an integer of at least 1"),
        ({"stride": 2.0}, "stride is 2.0: an integer of at least 1"),
        ({"dilation": (1, -3)}, "dilation is (1, -3): an integer of at least 1"),
        ({"dilation": (1, 2, 3)}, "dilation is (1, 2, 3): an integer of at least 1, or a pair"),
        ({"dilation": 4}, "kernel is (2, 2), dilated to (5, 5): at most the padded input (4, 4)"),
        ({"padding": -1}, "padding is -1: an integer of at least 0"),
        ({"padding": 2}, "padding is 2: at most half the kernel (2, 2) is allowed"),
        ({"kernel": (3, 2), "padding": 2}, "padding is 2: at most half the kernel (3, 2)"),
        ({"padding": ((0, 2), (0, 0))}, "padding is ((0, 2), (0, 0)): at most half the kernel"),
        ({"padding": ((0, 1),)}, "padding is ((0, 1),): 2 of them are allowed"),
        ({"ceil_mode": "yes"}, "ceil_mode is 'yes': True or False is allowed"),
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
        ({"x": GOOD * 1j}, "x holds complex128: real numbers are allowed"),
        ({"x": [["a", "b"]]}, "x holds <U1: real numbers are allowed"),
        ({"x": [[1.0, 2.0], [3.0]]}, "x is ragged: an array with rows of one length is allowed"),
        ({"x": None}, "x holds object: real numbers are allowed"),
    ],
)
def test_an_impossible_layer_or_input_is_refused_by_name(
    arguments: dict[str, Any], sentence: str
) -> None:
    asked = {"kernel": 2, **arguments}
    x = asked.pop("x", GOOD)
    with pytest.raises(ValueError, match=re.escape(sentence)):
        engine.max_pool(x, **asked)
    with pytest.raises(ValueError, match=re.escape(sentence)):
        MaxPool(**asked).forward(x)


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


POOL: Any = MaxPool
ENGINE: Any = engine
DENSE = "x has the shape (9000, 1000): every output by every input takes"


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: POOL(2, ties="random"), "ties is 'random': allowed are first, last, split, all"),
        (
            lambda: ENGINE.max_pool_backward(GOOD, np.zeros((2, 2)), 2, ties="random"),
            "ties is 'random': allowed are first, last, split, all",
        ),
        (
            lambda: ENGINE.max_pool(GOOD, 2, return_indices="no"),
            "return_indices is 'no': True or False is allowed",
        ),
        (lambda: ENGINE.max_pool_backward(GOOD, GOOD, 2), "delta has the shape (4, 4): (2, 2)"),
        (
            lambda: ENGINE.max_pool_backward([[0.0] * 4], [[1, 1]], (1, 2), indices=[[3, 2]]),
            "indices holds 3 for a window without it",
        ),
        (
            lambda: ENGINE.max_unpool([[1.0]], [[0]], 2, size=(4,)),
            "size is (4,): 2 integers of at least 1",
        ),
        (
            lambda: POOL(2, ties="all").unpool([[1.0]]),
            "ties is 'all': unpooling takes 'first' or 'last'",
        ),
        (lambda: POOL(2).valid(GOOD, dx=GOOD), "either dx with delta, or J alone"),
        (lambda: POOL(2).valid(GOOD, J=GOOD), "J has the shape"),
        (lambda: POOL(2).jacobian(np.zeros((9000, 1000))), DENSE),
        (lambda: POOL(2).tied(np.zeros((9000, 1000))), DENSE),
    ],
)
def test_what_else_is_asked_is_refused_by_name(ask: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        ask()


def test_backward_wants_a_forward_first_and_a_delta_of_its_shape() -> None:
    layer = MaxPool(2)
    with pytest.raises(RuntimeError, match="forward"):
        layer.backward([[1]])
    layer.forward(GOOD)
    with pytest.raises(ValueError, match=re.escape("delta has the shape (1, 1): (2, 2)")):
        layer.backward([[1]])


# ONNX and PyTorch.

CASES = cases(("maxpool", "globalmaxpool"), ("MaxPool", "GlobalMaxPool"))
#: More padding than half the kernel, which max pooling refuses (as PyTorch does).
PADDED = "test_maxpool_2d_pads"


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.name != PADDED], ids=lambda case: case.name
)
def test_max_pooling_gives_what_onnx_expects(case: Any) -> None:
    (x,) = given_node(case).values()
    layer = _layer(case, x)
    got = [layer.forward(x), *_places(layer, x, case)]
    wanted = expected(case)
    for ours, theirs in zip(got[: len(wanted)], wanted, strict=True):
        assert ours.shape == theirs.shape
        np.testing.assert_array_equal(ours, theirs)
    assert got[0].dtype == wanted[0].dtype


def test_no_case_goes_missing() -> None:
    assert len(CASES) > 20  # the count of onnx 1.23; a later version may add cases


def _layer(case: Any, x: Numbers) -> MaxPool:
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


def _places(layer: MaxPool, x: Numbers, case: Any) -> list[Numbers]:
    """Where the maxima are, flat, of the first image and channel: no others are shipped."""
    if x.ndim != 4:
        return []
    row, column = np.moveaxis(layer.argmax(x), -1, 0)
    height, width = x.shape[-2:]
    by_column = attributes(case).get("storage_order", 0)
    return [row + column * height if by_column else row * width + column]


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
    arguments = {"kernel": kernel, "stride": 1, "padding": padding, "dilation": dilation}
    f, at = engine.max_pool(x, **arguments, return_indices=True)
    assert (f == -np.inf).all()
    assert at.reshape(-1).tolist() == indices
    sent = engine.max_pool_backward(x, np.ones(f.shape), **arguments, indices=at)
    assert (sent == 0).all()
    layer = engine.MaxPool(**arguments)
    layer.forward(x)
    assert (layer.backward(np.ones(f.shape)) == 0).all()
    assert (layer.jvp(x) == 0).all()
    assert layer.valid(x, J=layer.jacobian(x)).all()
    assert not layer.valid(x, J=layer.jacobian(x) + 0.5).any()
    assert layer.valid(x, dx=sent, delta=np.ones(f.shape)).all()


def test_a_kernel_far_larger_than_its_padded_input_costs_no_more_than_the_input() -> None:
    f, at = engine.max_pool(np.eye(4), 2**31 - 1, 1, 2**30 - 1, return_indices=True)
    assert (f == 1).all()
    assert (at == 0).all()


# Which messages are valid.


def combined(given: Given, rng: np.random.Generator, sharp: bool) -> Numbers:
    """A Jacobian whose rows are random convex combinations over each window's maxima."""
    layer, x, _ = given
    J = np.zeros(layer.counts + layer.size)
    for window in layer.windows():
        maxima = reference.maxima(layer, x, window)
        for cell, weight in zip(
            maxima, rng.dirichlet([0.1 if sharp else 1.0] * len(maxima)), strict=True
        ):
            J[window + cell] = weight
    return J


def contracted(J: Numbers, delta: Numbers) -> Numbers:
    return np.tensordot(delta, J, delta.ndim)


@given(reference.inputs(odd=False), st.integers(0, 10**6), st.booleans())
def test_every_convex_combination_over_the_maxima_is_valid_and_none_moved_off_them(
    given: Given, seed: int, sharp: bool
) -> None:
    layer, x, delta = given
    assume(not layer.hollow)
    rng = np.random.default_rng(seed)
    J = combined(given, rng, sharp)
    pool, dx = made(layer), contracted(J, delta)
    assert pool.valid(x, J=J)
    assert pool.valid(x, dx=dx, delta=delta)
    off = np.argwhere(~pool.tied(x).any(axis=tuple(range(delta.ndim))))
    if len(off):
        cell = tuple(rng.choice(off))
        dx[cell] += 1e-6 * (1 + np.abs(delta).max())
        assert not pool.valid(x, dx=dx, delta=delta)
        J[((0,) * delta.ndim + cell)] += 1e-6
        assert not pool.valid(x, J=J)


@given(reference.inputs(odd=False), st.integers(0, 10**6))
def test_the_flow_agrees_with_the_bounds_on_every_subset_of_inputs(given: Given, seed: int) -> None:
    layer, x, delta = given
    assume(not layer.hollow)
    rng = np.random.default_rng(seed)
    maxima = {window: reference.maxima(layer, x, window) for window in layer.windows()}
    cells = sorted({cell for tied in maxima.values() for cell in tied})
    assume(len(cells) <= 10)
    # The sum is kept, an amount moves: sometimes still reachable, sometimes not.
    dx = contracted(combined(given, rng, sharp=True), delta)
    here, there = (cells[n] for n in rng.integers(len(cells), size=2))
    amount = rng.integers(-4, 5) / 8
    dx[here] += amount
    dx[there] -= amount
    simplices = [({cells.index(at) for at in tied}, delta[w]) for w, tied in maxima.items()]
    within = in_sum_of_simplices([float(dx[cell]) for cell in cells], simplices, 1e-9)
    assert bool(made(layer).valid(x, dx=dx, delta=delta)) == within


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
    x, delta = [[7, 7, 7]], [[1, -1]]
    assert layer.valid(x, dx=[[0, 0, 0]], delta=delta)
    assert layer.valid(x, dx=[[1, 0, -1]], delta=delta)
    assert not layer.valid(x, dx=[[-1, 0, 1]], delta=delta)
    assert not layer.valid(x, dx=[[0, 2, -2]], delta=delta)


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


# Types.

FLOATS = ["float16", "float32", "float64"]
INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


@given(reference.layers(), st.sampled_from(FLOATS + INTEGERS), st.integers(0, 2**32 - 1))
def test_any_type_is_pooled_in_itself_from_its_lowest_to_its_highest(
    layer: reference.Layer, name: str, seed: int
) -> None:
    info: Any = np.finfo(name) if name in FLOATS else np.iinfo(name)
    values = np.array([info.min, info.max, 0, 1], name)
    x = np.random.default_rng(seed).choice(values, layer.size)
    f, at = engine.max_pool(x, **layer.arguments, return_indices=True)
    assert f.dtype == np.dtype(name)
    np.testing.assert_array_equal(f, reference.forward(layer, x))
    np.testing.assert_array_equal(at, reference.indices(layer, x))


@given(
    reference.inputs(odd=False), st.sampled_from(FLOATS), st.sampled_from(["first", "split", "all"])
)
def test_messages_have_the_type_of_x_and_delta(given: Given, name: str, ties: Any) -> None:
    layer, x, delta = given
    pool = made(layer, ties)
    pool.forward(x.astype(name))
    dx = pool.backward(delta.astype(name))
    assert dx.dtype == pool.jacobian(x.astype(name)).dtype == pool.jvp(dx).dtype == np.dtype(name)
    tolerance = float(np.finfo(name).eps) * 64
    np.testing.assert_allclose(dx, reference.backward(layer, x, delta, ties), atol=tolerance)


def test_whole_messages_of_whole_inputs_stay_whole_unless_split() -> None:
    pool = MaxPool(2, 1)
    pool.forward(np.array([[1, 2, 0], [0, 0, 0]], np.int8))
    dx = pool.backward(np.array([[3, 4]], np.int8))
    assert (dx.dtype, dx.tolist()) == (np.dtype(np.int8), [[0, 7, 0], [0, 0, 0]])
    pool = MaxPool((1, 2), ties="split")
    pool.forward([[1, 1]])
    assert pool.backward([[1]]).tolist() == [[0.5, 0.5]]


def test_whole_numbers_whose_sum_might_not_fit_are_refused() -> None:
    x = np.zeros((3, 3), np.int8)
    pool = MaxPool(2, 1)
    pool.forward(x)
    sentence = "delta holds 32 in int8, and up to 4 windows add up: at most 31 is allowed"
    with pytest.raises(ValueError, match=re.escape(sentence)):
        pool.backward(np.full((2, 2), -32, np.int8))
    pool = MaxPool(3, ties="all")
    pool.forward(x)
    sentence = "tangent holds 15 in int8, and up to 9 inputs add up: at most 14 is allowed"
    with pytest.raises(ValueError, match=re.escape(sentence)):
        pool.jvp(np.full((3, 3), 15, np.int8))
    assert pool.jvp(np.full((3, 3), 14, np.int8)).tolist() == [[126]]
    one = MaxPool(3)
    one.forward(x)
    assert one.jvp(np.full((3, 3), -128, np.int8)).tolist() == [[-128]]


def test_another_byte_order_and_any_memory_layout_are_welcome() -> None:
    x = np.arange(24.0).reshape(4, 6)
    backwards = np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1]
    for laid in (x.astype(">f8"), np.asfortranarray(x), backwards):
        np.testing.assert_array_equal(MaxPool(2).forward(laid), MaxPool(2).forward(x))
    planes = x.reshape(2, 3, 4)
    last = np.ascontiguousarray(planes[..., None])[..., 0]
    np.testing.assert_array_equal(MaxPool(2).forward(last), MaxPool(2).forward(planes))
