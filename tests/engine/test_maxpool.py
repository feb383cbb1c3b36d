"""Laws of the layer: its messages are those of the definition, and bad arguments are named."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.pooling.inputs import Geometry
from engine.pooling.layer import POLICIES, MaxPool, Ties
from engine.pooling.windows import Array
from tests.engine import plain

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
