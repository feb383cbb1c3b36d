"""What holds of each layer whatever its input is."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from engine import (
    ELU,
    GELU,
    AveragePool,
    BatchNorm,
    BinaryCrossEntropy,
    Conv2d,
    CrossEntropy,
    Dropout,
    LayerNorm,
    LeakyReLU,
    Linear,
    LogSoftmax,
    Parametric,
    PReLU,
    ReLU,
    Sequential,
    Sigmoid,
    Softmax,
    SquaredError,
    Tanh,
)
from tests.engine.layers.cases import CASES, Case, inputs
from tests.engine.layers.gradients import Array

FINITE = st.floats(-50, 50, width=32)
ROWS = hnp.arrays(np.float64, st.tuples(st.integers(1, 3), st.integers(1, 5)), elements=FINITE)
NEAR = 1e-9


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(CASES), st.integers(0, 2**32 - 1), FINITE, FINITE)
def test_backward_is_linear_in_delta(case: Case, seed: int, a: float, b: float) -> None:
    rng = np.random.default_rng(seed)
    layer = case.make(rng)
    f = layer.forward(inputs(case, rng, (3,)))
    one, two = rng.standard_normal(f.shape), rng.standard_normal(f.shape)

    def sent(delta: Array) -> list[Array]:
        dx = layer.backward(delta)
        named = layer.messages if isinstance(layer, Parametric) else {}
        return [dx, *(named[name] for name in sorted(named))]

    for mixed, first, second in zip(sent(a * one + b * two), sent(one), sent(two), strict=True):
        np.testing.assert_allclose(mixed, a * first + b * second, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_caller_who_changes_arrays_later_changes_nothing(case: Case) -> None:
    rng = np.random.default_rng(1)
    layer = case.make(rng)
    x = inputs(case, rng, (3,))
    f = layer.forward(x)
    expected = layer.backward(np.ones(f.shape))
    f = layer.forward(x)
    x[...] = 99
    f[...] = 99
    np.testing.assert_array_equal(layer.backward(np.ones(f.shape)), expected)


@given(ROWS)
def test_softmax_is_a_distribution_and_its_message_adds_nothing(x: Array) -> None:
    layer = Softmax()
    f = layer.forward(x)
    assert (f >= 0).all()
    np.testing.assert_allclose(f.sum(axis=-1), 1)
    np.testing.assert_allclose(layer.backward(np.sin(x)).sum(axis=-1), 0, atol=1e-12)
    np.testing.assert_allclose(layer.forward(x + 7), f, rtol=1e-9)
    np.testing.assert_allclose(np.exp(LogSoftmax().forward(x)), f)


@given(ROWS)
def test_activations_have_their_symmetries(x: Array) -> None:
    np.testing.assert_allclose(Sigmoid().forward(x) + Sigmoid().forward(-x), 1)
    np.testing.assert_array_equal(Tanh().forward(-x), -Tanh().forward(x))
    np.testing.assert_allclose(Tanh().forward(x), 2 * Sigmoid().forward(2 * x) - 1, NEAR, NEAR)
    np.testing.assert_array_equal(ReLU().forward(x) - ReLU().forward(-x), x)
    np.testing.assert_array_equal(LeakyReLU(0).forward(x), ReLU().forward(x))
    np.testing.assert_array_equal(PReLU(0.3).forward(x), LeakyReLU(0.3).forward(x))
    assert (ELU(2.0).forward(x) >= -2).all()
    for form in ("none", "tanh"):
        gelu = GELU(form)
        np.testing.assert_allclose(gelu.forward(x) - gelu.forward(-x), x, NEAR, NEAR)
    np.testing.assert_allclose(GELU().forward(x), GELU("tanh").forward(x), atol=1e-3)


@given(ROWS, st.floats(0.5, 4), FINITE)
def test_layer_norm_forgets_shift_and_scale(x: Array, scale: float, shift: float) -> None:
    layer = LayerNorm(np.ones(x.shape[-1]), epsilon=1e-12)
    x = x + 3 * np.arange(x.shape[-1])
    if x.shape[-1] > 1 and np.ptp(x, axis=-1).min() > 1:
        np.testing.assert_allclose(layer.forward(scale * x + shift), layer.forward(x), atol=1e-5)
    f = layer.forward(x)
    np.testing.assert_allclose(f.mean(axis=-1), 0, atol=1e-6)
    dx = layer.backward(np.cos(x))
    np.testing.assert_allclose(dx.sum(axis=-1), 0, atol=1e-6 * max(1, np.abs(dx).max()))


def test_batch_norm_normalises_in_training_and_remembers_for_inference() -> None:
    rng = np.random.default_rng(2)
    x = 3 * rng.standard_normal((50, 4, 2, 3)) + 5
    layer = BatchNorm(np.ones(4), np.zeros(4), momentum=1.0, unbiased=False, epsilon=0)
    f = layer.forward(x)
    np.testing.assert_allclose(f.mean(axis=(0, 2, 3)), 0, atol=1e-12)
    np.testing.assert_allclose(f.var(axis=(0, 2, 3)), 1)
    np.testing.assert_allclose(layer.running_mean, x.mean(axis=(0, 2, 3)))
    np.testing.assert_allclose(layer.running_variance, x.var(axis=(0, 2, 3)))
    layer.training = False
    np.testing.assert_allclose(layer.forward(x), f)
    before = layer.running_mean.copy()
    layer.forward(x + 9)
    np.testing.assert_array_equal(layer.running_mean, before)


def test_the_unbiased_variance_is_remembered_as_asked() -> None:
    x = np.array([[1.0], [3.0]])
    layer = BatchNorm([1.0], [0.0], momentum=0.5)
    layer.forward(x)
    np.testing.assert_allclose(layer.running_variance, [0.5 * 1 + 0.5 * 2])
    np.testing.assert_allclose(layer.running_mean, [1])


def plain_convolution(x: Array, layer: Conv2d, stride: tuple[int, int]) -> Array:
    """By its definition, one number at a time; padding (1, 2), dilation (2, 1), 2 groups."""
    W = layer.weight
    outputs, inner, kh, kw = W.shape
    padded = np.pad(x, ((0, 0), (1, 1), (2, 2)))
    rows = (padded.shape[1] - 2 * (kh - 1) - 1) // stride[0] + 1
    columns = (padded.shape[2] - kw) // stride[1] + 1
    f = np.zeros((outputs, rows, columns))
    for o, k, l in np.ndindex(*f.shape):  # noqa: E741 (k, l is the window's index)
        group = o // (outputs // 2)
        for c, a, b in np.ndindex(inner, kh, kw):
            seen = padded[group * inner + c, k * stride[0] + 2 * a, l * stride[1] + b]
            f[o, k, l] += W[o, c, a, b] * seen
    assert layer.bias is not None
    return f + layer.bias[:, None, None]


@pytest.mark.parametrize("stride", [(1, 1), (2, 3)])
def test_convolution_is_what_its_definition_says(stride: tuple[int, int]) -> None:
    rng = np.random.default_rng(3)
    weight, bias = rng.integers(-3, 4, (4, 3, 3, 2)), rng.integers(-3, 4, 4)
    layer = Conv2d(weight, bias, stride, (1, 2), (2, 1), groups=2)
    x = rng.integers(-3, 4, (6, 7, 5)) + 0.0
    np.testing.assert_array_equal(layer.forward(x), plain_convolution(x, layer, stride))


def test_a_convolution_by_one_pixel_is_a_linear_map_of_the_channels() -> None:
    rng = np.random.default_rng(4)
    W, b = rng.standard_normal((3, 5)), rng.standard_normal(3)
    x = rng.standard_normal((2, 5, 4, 4))
    f = Conv2d(W[:, :, None, None], b).forward(x)
    expected = Linear(W, b).forward(np.moveaxis(x, 1, -1))
    np.testing.assert_allclose(f, np.moveaxis(expected, -1, 1))


def test_average_pooling_is_a_convolution_by_equal_weights() -> None:
    x = np.random.default_rng(5).standard_normal((2, 1, 7, 6))
    even = Conv2d(np.full((1, 1, 3, 2), 1 / 6), stride=(2, 1), padding=1)
    pool = AveragePool((3, 2), (2, 1), 1)
    np.testing.assert_allclose(pool.forward(x), even.forward(x))
    delta = np.random.default_rng(6).standard_normal(pool.forward(x).shape)
    np.testing.assert_allclose(pool.backward(delta), even.backward(delta))


def test_the_mean_of_the_inputs_alone_is_1_on_ones() -> None:
    pool = AveragePool(3, 2, 1, ceil_mode=True, count_padding=False)
    assert (pool.forward(np.ones((6, 7))) == 1).all()
    assert AveragePool(3, 2, 1).forward(np.ones((6, 7)))[0, 0] == 4 / 9


@given(ROWS, st.integers(0, 2**32 - 1))
def test_dropout_keeps_or_drops_and_scales(x: Array, seed: int) -> None:
    layer = Dropout.drawn(x.shape, 0.25, np.random.default_rng(seed))
    f = layer.forward(x)
    np.testing.assert_allclose(f[layer.mask], x[layer.mask] / 0.75)
    assert (f[~layer.mask] == 0).all()
    np.testing.assert_array_equal(Dropout(np.ones(x.shape), 0.0).forward(x), x)


def test_a_dropped_infinity_is_gone() -> None:
    layer = Dropout([True, False])
    assert layer.forward([1.0, np.inf]).tolist() == [2, 0]
    assert layer.backward([1.0, np.nan]).tolist() == [2, 0]


def test_the_mask_is_drawn_from_the_generator_alone() -> None:
    one, two = (Dropout.drawn((9, 9), 0.5, np.random.default_rng(3)).mask for _ in range(2))
    np.testing.assert_array_equal(one, two)
    assert 0.2 < one.mean() < 0.8


@given(ROWS)
def test_losses_on_logits_agree_with_losses_on_probabilities(x: Array) -> None:
    x = x / 5
    t = Softmax().forward(-x)
    on_logits = BinaryCrossEntropy(logits=True).forward(x, t)
    np.testing.assert_allclose(on_logits, BinaryCrossEntropy().forward(Sigmoid().forward(x), t))
    on_logits = CrossEntropy(logits=True).forward(x, t)
    np.testing.assert_allclose(on_logits, CrossEntropy().forward(Softmax().forward(x), t))
    classes = x.argmin(axis=-1)
    np.testing.assert_allclose(
        CrossEntropy(logits=True).forward(x, classes),
        CrossEntropy(logits=True).forward(x, np.eye(x.shape[-1])[classes]),
    )


@given(ROWS)
def test_reductions_belong_together(x: Array) -> None:
    each, total, mean = (SquaredError(r) for r in ("none", "sum", "mean"))
    t = np.zeros(x.shape)
    np.testing.assert_allclose(each.forward(x, t).sum(), total.forward(x, t))
    np.testing.assert_allclose(total.forward(x, t) / x.size, mean.forward(x, t))
    np.testing.assert_allclose(each.backward(), total.backward())
    np.testing.assert_allclose(total.backward() / x.size, mean.backward())


def test_layers_in_a_row_are_one_layer_with_named_parameters() -> None:
    rng = np.random.default_rng(8)
    first, last = Linear(rng.standard_normal((4, 3))), PReLU(0.5)
    inner = Sequential(first, Tanh())
    layer = Sequential(inner, last)
    assert list(layer.parameters) == ["0.0.weight", "1.slope"]
    x = rng.standard_normal((2, 3))
    np.testing.assert_array_equal(layer.forward(x), last.forward(np.tanh(x @ first.weight.T)))
    layer.backward(np.ones((2, 4)))
    assert list(layer.messages) == ["0.0.weight", "1.slope"]
    np.testing.assert_array_equal(layer.messages["0.0.weight"], first.messages["weight"])
    x = rng.standard_normal(5)
    np.testing.assert_array_equal(Sequential().forward(x), x)


def test_parameters_are_live_so_that_a_step_down_the_message_lowers_the_loss() -> None:
    rng = np.random.default_rng(9)
    layer, loss = Linear(rng.standard_normal((2, 3)), np.zeros(2)), SquaredError()
    x, t = rng.standard_normal((20, 3)), rng.standard_normal((20, 2))
    values = []
    for _ in range(20):
        values.append(float(loss.forward(layer.forward(x), t)))
        layer.backward(loss.backward())
        for name, theta in layer.parameters.items():
            theta -= 0.1 * layer.messages[name]
    assert all(later < earlier for earlier, later in pairwise(values))
