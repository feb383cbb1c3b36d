"""Where the naive form overflows, cancels or divides by 0: the right number, and no warning."""

from __future__ import annotations

import numpy as np
import pytest

from engine import (
    ELU,
    GELU,
    BatchNorm,
    BinaryCrossEntropy,
    CrossEntropy,
    Layer,
    LayerNorm,
    LeakyReLU,
    LogSoftmax,
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
