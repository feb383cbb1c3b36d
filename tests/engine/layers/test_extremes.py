"""Where the naive form overflows, cancels or divides by 0: the right number, and no warning."""

from __future__ import annotations

import numpy as np
import pytest

from engine import (
    ELU,
    GELU,
    AveragePool,
    BatchNorm,
    BinaryCrossEntropy,
    CrossEntropy,
    GlobalAveragePool,
    GlobalMaxPool,
    Layer,
    LayerNorm,
    LeakyReLU,
    LogSoftmax,
    MaxPool,
    PReLU,
    ReLU,
    Sigmoid,
    Softmax,
    SquaredError,
    Tanh,
)
from tests.engine.layers.gradients import WIDTHS, Width

INF = np.inf
EDGES = [-INF, -1e5, -800.0, 0.0, 800.0, 1e5, INF]


@pytest.mark.parametrize("width", WIDTHS, ids=str)
@pytest.mark.parametrize(
    ("layer", "forward", "backward"),
    [
        (ReLU(), [0, 0, 0, 0, 800, 1e5, INF], [0, 0, 0, 0, 1, 1, 1]),
        (LeakyReLU(0.5), [-INF, -5e4, -400, 0, 800, 1e5, INF], [0.5, 0.5, 0.5, 0.5, 1, 1, 1]),
        (PReLU(0.5), [-INF, -5e4, -400, 0, 800, 1e5, INF], [0.5, 0.5, 0.5, 0.5, 1, 1, 1]),
        (ELU(2), [-2, -2, -2, 0, 800, 1e5, INF], [0, 0, 0, 2, 1, 1, 1]),
        (Sigmoid(), [0, 0, 0, 0.5, 1, 1, 1], [0, 0, 0, 0.25, 0, 0, 0]),
        (Tanh(), [-1, -1, -1, 0, 1, 1, 1], [0, 0, 0, 1, 0, 0, 0]),
        (GELU(), [0, 0, 0, 0, 800, 1e5, INF], [0, 0, 0, 0.5, 1, 1, 1]),
        (GELU("tanh"), [0, 0, 0, 0, 800, 1e5, INF], [0, 0, 0, 0.5, 1, 1, 1]),
    ],
    ids=repr,
)
def test_activations_reach_their_limits(
    layer: Layer, forward: list[float], backward: list[float], width: Width
) -> None:
    # Half precision ends at 65504.
    x = np.array(EDGES)
    kept = (np.abs(x) < np.finfo(width).max) | np.isinf(x)
    f = layer.forward(x[kept].astype(width))
    np.testing.assert_array_equal(f, np.array(forward)[kept].astype(width))
    dx = layer.backward(np.ones(f.shape))
    np.testing.assert_array_equal(dx, np.array(backward)[kept])
    assert np.isnan(layer.forward(np.array([np.nan], width))).all()
    assert np.isnan(layer.backward([1.0])).all()


def test_small_slopes_keep_their_digits() -> None:
    """1 − σ² or 1 − tanh² of the rounded value would be 0."""
    layer = Sigmoid()
    layer.forward([40.0])
    np.testing.assert_allclose(layer.backward([1.0]), np.exp(-40), rtol=1e-14)
    tanh = Tanh()
    tanh.forward([30.0])
    np.testing.assert_allclose(tanh.backward([1.0]), 4 * np.exp(-60), rtol=1e-14)
    np.testing.assert_allclose(GELU().forward([-10.0]), -10 * 7.619853024160527e-24, rtol=1e-13)
    np.testing.assert_allclose(ELU().forward([-1e-12]), -1e-12, rtol=1e-11)


def test_softmax_of_large_and_masked_inputs() -> None:
    x = [[1e5, 1e5, -1e5], [-INF, 0, 0], [-INF, -INF, 3]]
    expected = [[0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0, 1]]
    np.testing.assert_array_equal(Softmax().forward(x), expected)
    logs = LogSoftmax().forward(x)
    np.testing.assert_allclose(logs[0], [-np.log(2), -np.log(2), -2e5 - np.log(2)])
    assert np.isnan(Softmax().forward([INF, 1.0])).all()
    assert np.isnan(Softmax().forward([-INF, -INF])).all()


def test_a_class_without_any_chance_costs_its_logit() -> None:
    loss = CrossEntropy(logits=True)
    assert loss.forward([[0.0, 1e4]], np.array([0])) == 1e4
    np.testing.assert_array_equal(loss.backward(), [[-1, 1]])
    assert loss.forward([[-INF, 0.0]], [[0.0, 1.0]]) == 0
    np.testing.assert_array_equal(loss.backward(), [[0, 0]])


def test_cross_entropy_of_certainty() -> None:
    loss = CrossEntropy(reduction="none")
    np.testing.assert_array_equal(loss.forward([[1.0, 0], [0, 1.0]], np.array([0, 0])), [0, INF])
    np.testing.assert_array_equal(loss.backward(), [[-1, 0], [-INF, 0]])
    yes = BinaryCrossEntropy(reduction="none")
    np.testing.assert_array_equal(yes.forward([0.0, 1.0, 0.0], [0.0, 1.0, 1.0]), [0, 0, INF])
    np.testing.assert_array_equal(yes.backward(), [1, -1, -INF])


def test_binary_cross_entropy_on_large_logits() -> None:
    loss = BinaryCrossEntropy(logits=True, reduction="none")
    x, t = [-1e5, 1e5, -1e5, 1e5, -40.0], [0.0, 1.0, 1.0, 0.0, 0.0]
    np.testing.assert_allclose(loss.forward(x, t), [0, 0, 1e5, 1e5, np.exp(-40)], rtol=1e-14)
    np.testing.assert_allclose(loss.backward(), [0, 0, -1, 1, np.exp(-40)], rtol=1e-14)


def test_norms_of_constant_and_shifted_inputs() -> None:
    flat = LayerNorm(np.ones(3))
    assert (flat.forward(np.full((2, 3), 7.0)) == 0).all()
    far = LayerNorm(np.ones(3), epsilon=0).forward(1e8 + np.array([-1.0, 0, 1]))
    np.testing.assert_allclose(far, np.array([-1, 0, 1]) * np.sqrt(1.5))
    batch = BatchNorm([1.0], [0.0], epsilon=0).forward(1e8 + np.array([[-1.0], [1.0]]))
    np.testing.assert_allclose(batch, [[-1], [1]])


def test_half_precision_sums_in_single() -> None:
    loss = SquaredError("sum", factor=1e-3)
    assert loss.forward(np.full(100, 30, np.float16), np.zeros(100)) == np.float16(90)


def test_half_precision_differences_are_taken_in_single() -> None:
    loss = SquaredError("none")
    y, t = np.array([2048.0], np.float16), np.array([2047.5])
    assert loss.forward(y, t) == 0.25
    assert loss.backward() == 1


@pytest.mark.parametrize(("width", "large"), [("float32", 1e20), ("float64", 1e200)])
@pytest.mark.parametrize("unit", [-1, 1])
def test_norms_of_what_squares_beyond_the_range(width: str, large: float, unit: int) -> None:
    x = np.array([[-1, 2, 5, -3], [1, 1, 0, 2]], width)
    huge = x * np.dtype(width).type(large**unit)
    for layer in (
        LayerNorm(np.ones(4, width), epsilon=0),
        BatchNorm(np.ones(4, width), np.zeros(4, width), epsilon=0),
    ):
        expected = layer.forward(x)
        sent = layer.backward(x)
        with np.errstate(under="ignore"):
            np.testing.assert_allclose(layer.forward(huge), expected, rtol=1e-6)
            np.testing.assert_allclose(
                layer.backward(x) * np.dtype(width).type(large**unit), sent, atol=1e-5
            )


@pytest.mark.parametrize("width", WIDTHS, ids=str)
def test_norms_and_means_reach_the_largest_numbers(width: Width) -> None:
    most = np.finfo(width).max
    x = np.array([[most, most, most, -most]], width)
    expected = np.array([[1, 1, 1, -3]]) / np.sqrt(3)
    np.testing.assert_allclose(LayerNorm(np.ones(4)).forward(x), expected, rtol=1e-3)
    column = BatchNorm(np.ones(1, width), np.zeros(1, width), unbiased=False)
    np.testing.assert_allclose(column.forward(x.T), expected.T, rtol=1e-3)
    full = np.full((3, 5), most, width)
    near = 4 * float(np.finfo(width).eps)
    np.testing.assert_allclose(GlobalAveragePool().forward(full), [[most]], rtol=near)
    np.testing.assert_allclose(AveragePool((3, 5)).forward(full), [[most]], rtol=near)
    np.testing.assert_allclose(AveragePool(2, 1).forward(full), full[1:, 1:], rtol=near)


def test_a_constant_without_epsilon_is_no_number_and_no_warning() -> None:
    assert np.isnan(LayerNorm(np.ones(3), epsilon=0).forward([7.0, 7, 7])).all()
    assert np.isnan(LayerNorm(np.ones(3)).forward([INF, 0, 0])).all()


def test_binary_cross_entropy_on_infinite_logits_is_its_limit() -> None:
    loss = BinaryCrossEntropy(logits=True, reduction="none")
    x = [INF, INF, INF, -INF, -INF, -INF, 1e308, -1e308]
    t = [1.0, 0.0, 0.5, 0.0, 1.0, 0.5, 1.0, 1.0]
    np.testing.assert_array_equal(loss.forward(x, t), [0, INF, INF, 0, INF, INF, 0, 1e308])
    np.testing.assert_array_equal(loss.backward(), [0, 1, 0.5, 0, -1, -0.5, 0, -1])


@pytest.mark.parametrize("width", WIDTHS, ids=str)
def test_softmax_and_what_is_made_of_it_at_the_largest_numbers(width: Width) -> None:
    """The tests turn warnings into errors: there must be none."""
    most = np.finfo(width).max
    x = np.array([[most, -most, 0], [-most, -most, -most]], width)
    third = 1 / 3
    expected = np.array([[1, 0, 0], [third, third, third]])
    np.testing.assert_allclose(Softmax().forward(x), expected, rtol=1e-3)
    layer = LogSoftmax()
    f = layer.forward(x)
    np.testing.assert_array_equal(f[0], np.array([0, -INF, -most], width))
    np.testing.assert_allclose(layer.backward(np.ones((2, 3)))[1], 0, atol=1e-2)
    loss = CrossEntropy(logits=True, reduction="none")
    np.testing.assert_allclose(loss.forward(x, [1, 0]), [INF, np.log(3)], rtol=1e-3)
    np.testing.assert_allclose(loss.backward()[0], [1, -1, 0])


def test_the_last_nan_wins_in_global_as_in_windowed_max_pooling() -> None:
    x = np.array([[1.0, np.nan, 3.0], [np.nan, 5.0, 0.0]])
    for layer in (GlobalMaxPool(), MaxPool((2, 3))):
        assert np.isnan(layer.forward(x)).all()
        assert layer.backward([[2.0]]).tolist() == [[0, 0, 0], [2, 0, 0]]


@pytest.mark.parametrize("layer", [LeakyReLU(0), PReLU(0), PReLU([0.0])], ids=repr)
def test_a_slope_of_0_is_relu_at_infinity_too(layer: Layer) -> None:
    x = np.array([-INF, -1e308, 0.0, 1e308, INF])
    np.testing.assert_array_equal(layer.forward(x), ReLU().forward(x))
    assert np.isnan(layer.forward([np.nan])).all()


def test_the_mean_of_large_losses_is_no_larger_than_they_are() -> None:
    loss = BinaryCrossEntropy(logits=True)
    assert loss.forward([1.5e308, -1.5e308], [0.0, 1.0]) == 1.5e308
