"""What cannot be is refused by the argument's name, its value, and what is allowed."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import engine
from engine import (
    ELU,
    GELU,
    AveragePool,
    BatchNorm,
    BinaryCrossEntropy,
    Conv2d,
    CrossEntropy,
    Dropout,
    GlobalMaxPool,
    Layer,
    LayerNorm,
    LeakyReLU,
    Linear,
    LogSoftmax,
    MaxPool,
    PReLU,
    ReLU,
    Sequential,
    Sigmoid,
    Softmax,
    SquaredError,
    jacobian,
    max_pool,
)
from engine.layers import WHERE
from tests.engine.layers.cases import CASES, Case, inputs

ONE = np.ones((1, 1, 1, 1))
RNG = np.random.default_rng(0)


def odd(value: object) -> Any:
    """What the type checker would refuse, too."""
    return value


REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: ReLU().forward(["a"]), "x holds <U1: real numbers are allowed"),
    (lambda: ReLU().forward(np.array([None])), "x holds object: real numbers"),
    (lambda: Sigmoid().forward([1j]), "x holds complex128: real numbers"),
    (lambda: LeakyReLU(np.nan), "negative_slope is nan: a number in (-inf, inf)"),
    (lambda: ELU(np.inf), "alpha is inf: a number in (-inf, inf)"),
    (lambda: GELU("fast"), "approximate is 'fast': none, tanh"),  # type: ignore[arg-type]
    (lambda: PReLU([1, 2]).forward(np.ones(3)), "slope has the shape (2,): one that broadcasts"),
    (lambda: Softmax(2).forward([[1.0]]), "axis is 2: from -2 to 1 are allowed"),
    (lambda: Softmax().forward(1.0), "x has 0 axes: at least 1"),
    (lambda: Softmax().forward(np.ones((2, 0))), "x has the shape (2, 0): at least 1 entry"),
    (lambda: Linear([1.0]), "weight has the shape (1,): (outputs, inputs) is allowed"),
    (lambda: Linear([[1.0]], [1.0, 2.0]), "bias has the shape (2,): (1,) is allowed"),
    (lambda: Linear([[1.0, 2.0]]).forward([1.0]), "x has the shape (1,): 2 along the last axis"),
    (lambda: AveragePool(0), "kernel is 0: a whole number of at least 1"),
    (lambda: AveragePool(True), "kernel is True: a whole number"),
    (lambda: AveragePool(2, -1), "stride is -1: a whole number of at least 1"),
    (lambda: AveragePool(2, (1, 2, 3)), "stride is (1, 2, 3): a whole number of at least 1, or 2"),
    (lambda: AveragePool(2, dilation=0), "dilation is 0: a whole number of at least 1"),
    (lambda: AveragePool(2, padding=2), "padding is 2: less than the window"),
    (lambda: AveragePool(3).forward(np.ones((2, 5))), "x has (2, 5) inputs along its last axes"),
    (lambda: AveragePool(1).forward(np.ones((0, 5))), "x has the shape (0, 5): at least 1 entry"),
    (lambda: AveragePool(2).forward(np.ones(5)), "x has 1 axes: at least 2"),
    (lambda: GlobalMaxPool(0), "axes is 0: a whole number of at least 1"),
    (lambda: GlobalMaxPool().forward(np.ones((3, 0, 2))), "x has the shape (3, 0, 2): at least 1"),
    (lambda: Conv2d(np.ones((2, 2))), "weight has the shape (2, 2): (outputs, inputs / groups"),
    (lambda: Conv2d(np.ones((3, 1, 1, 1)), groups=2), "groups is 2: a divisor of the 3 outputs"),
    (lambda: Conv2d(ONE, groups=0), "groups is 0: a whole number of at least 1"),
    (lambda: Conv2d(ONE, padding=-1), "padding is -1: a whole number of at least 0"),
    (lambda: Conv2d(ONE, padding=((1, 2),)), "padding is ((1, 2),): 2 pairs are allowed"),
    (lambda: Conv2d(ONE).forward(np.ones((2, 3, 3))), "x has the shape (2, 3, 3): 1 channels"),
    (lambda: BatchNorm([[1.0]], [1.0]), "weight has the shape (1, 1): (channels,) is allowed"),
    (lambda: BatchNorm([1.0], [1.0], epsilon=-1), "epsilon is -1: a number in [0, inf)"),
    (lambda: BatchNorm([1.0], [1.0], momentum=2), "momentum is 2: a number in [0, 1]"),
    (lambda: BatchNorm([1.0], [1.0]).forward(np.ones((2, 3))), "1 channels along the axis 1"),
    (lambda: BatchNorm([1.0], [1.0]).forward(np.ones((1, 1))), "at least 2 entries a channel"),
    (lambda: LayerNorm(np.ones(3)).forward(np.ones((2, 4))), "one that ends in (3,) is allowed"),
    (lambda: Dropout([2]), "mask holds other values: only 0 and 1"),
    (lambda: Dropout([1], 1.0), "rate is 1.0: a number in [0, 1)"),
    (lambda: Dropout([1, 0]).forward(np.ones(3)), "mask has the shape (2,): one that broadcasts"),
    (lambda: SquaredError("max"), "reduction is 'max': mean, sum, none"),  # type: ignore[arg-type]
    (lambda: SquaredError().forward([1.0], [1.0, 2.0]), "target has the shape (2,): (1,)"),
    (lambda: BinaryCrossEntropy().forward([1.5], [1.0]), "prediction holds 1.5: probabilities"),
    (lambda: BinaryCrossEntropy(True).forward([1.5], [-1.0]), "target holds -1.0: probabilities"),
    (lambda: CrossEntropy().forward([-0.5, 1.5], [0.0, 1.0]), "prediction holds -0.5"),
    (lambda: CrossEntropy().forward([[0.5, 0.5]], np.array([2])), "target holds 2: classes 0 to 1"),
    (lambda: CrossEntropy().forward([[0.5, 0.5]], [1.0]), "target has the shape (1,): (1, 2), or"),
    (lambda: CrossEntropy().forward([0.5, 0.5], [-1.0, 2.0]), "target holds -1.0: probabilities"),
    (lambda: Sequential(ReLU(), 3), "layer 1 is 3: objects with forward"),  # type: ignore[arg-type]
    (lambda: Sequential(odd(ReLU)), "layer 0 is <class 'engine.layers.rectifiers.ReLU'>: objects"),
    (
        lambda: Sequential(odd(SquaredError())),
        "layer 0 is SquaredError('mean', factor=1.0): objects",
    ),
    (lambda: jacobian(odd(3), 1.0), "layer is 3: objects with forward and backward, of one array"),
    (
        lambda: jacobian(odd(SquaredError()), 1.0),
        "layer is SquaredError('mean', factor=1.0): objects",
    ),
    (lambda: jacobian(ReLU(), np.ones(20_000)), "every output by every input takes 3.0 GiB; at"),
    (lambda: MaxPool(2).jacobian(np.zeros((1000, 1000))), "takes 1,862.6 GiB; at most 1 GiB is"),
    (lambda: MaxPool(2).tied(np.zeros((1000, 1000))), "x has the shape (1000, 1000): every output"),
    (lambda: ReLU().valid(1.0, dx=1.0), "valid takes either dx with delta, or J alone"),
    (lambda: GlobalMaxPool().valid([[1.0]], dx=1.0, J=2.0), "valid takes either dx with delta"),
    (lambda: ReLU().valid([1.0], dx=1.0, delta=1.0), "delta has the shape (): (1,) is allowed"),
    (lambda: Softmax(odd(1.0)), "axis is 1.0: a whole number, negative from the last axis"),
    (lambda: Softmax(odd("a")), "axis is 'a': a whole number"),
    (lambda: LogSoftmax(odd(None)), "axis is None: a whole number"),
    (lambda: BatchNorm([1.0], [1.0], axis=odd(1.5)), "axis is 1.5: a whole number"),
    (lambda: CrossEntropy(axis=odd("a")), "axis is 'a': a whole number"),
    (lambda: CrossEntropy(logits=odd("yes")), "logits is 'yes': True or False is allowed"),
    (lambda: CrossEntropy().forward([2.0, 3.0], 0), "prediction holds 2.0: probabilities from 0"),
    (lambda: CrossEntropy(True).forward(np.ones((2, 0)), [0, 0]), "prediction has the shape (2, 0"),
    (lambda: SquaredError(factor=odd("a")), "factor is 'a': a number in (-inf, inf) is allowed"),
    (lambda: SquaredError(factor=True), "factor is True: a number in (-inf, inf) is allowed"),
    (lambda: SquaredError().forward([], []), "prediction has the shape (0,): at least 1 entry"),
    (lambda: AveragePool(()), "kernel is (): a whole number of at least 1"),
    (lambda: AveragePool(2, ceil_mode=odd("yes")), "ceil_mode is 'yes': True or False is allowed"),
    (lambda: AveragePool(2, count_padding=odd(1)), "count_padding is 1: True or False is allowed"),
    (lambda: MaxPool(2, ceil_mode=odd("yes")), "ceil_mode is 'yes': True or False is allowed"),
    (lambda: max_pool(ONE, 1, return_indices=odd("no")), "return_indices is 'no': True or False"),
    (lambda: Conv2d(ONE).forward(np.zeros((0, 1, 5, 5))), "x has the shape (0, 1, 5, 5): at least"),
    (lambda: BatchNorm([1.0], [1.0], [0.0], [-1.0]), "running_variance holds -1.0: at least 0 is"),
    (lambda: BatchNorm([1.0], [1.0], training=odd(1)), "training is 1: True or False is allowed"),
    (lambda: Dropout.drawn((2,), 0.5, odd(0)), "generator is 0: a numpy.random.Generator"),
    (lambda: Dropout.drawn(odd(("a",)), 0.5, RNG), "shape is ('a',): a whole number of at least 1"),
    (lambda: Dropout([[1], [1, 0]]), "mask is ragged: an array with rows of one length"),
    (lambda: SquaredError().forward([1.0], [[1.0], [1.0, 2.0]]), "target is ragged"),
    (lambda: CrossEntropy().forward([1.0], [[1.0], [1.0, 2.0]]), "target is ragged"),
]


@pytest.mark.parametrize(("use", "sentence"), REFUSED, ids=[said for _, said in REFUSED])
def test_a_refusal_names_argument_value_and_what_is_allowed(
    use: Callable[[], object], sentence: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        use()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_backward_wants_a_forward_first_and_a_delta_of_its_shape(case: Case) -> None:
    rng = np.random.default_rng(0)
    layer = case.make(rng)
    with pytest.raises(RuntimeError, match="call forward"):
        layer.backward(np.ones(3))
    f = layer.forward(inputs(case, rng))
    with pytest.raises(ValueError, match=r"delta has the shape .* is allowed"):
        layer.backward(np.ones((*f.shape, 2)))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_is_empty_or_ragged_is_refused_by_every_layer(case: Case) -> None:
    layer = case.make(np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"x has the shape .*\(0, |x has 0 rows"):
        layer.forward(np.zeros((0, *case.shape)))
    with pytest.raises(ValueError, match="x is ragged: an array with rows of one length"):
        layer.forward([[1.0], [1.0, 2.0]])


def test_numbers_of_numpy_are_as_good_as_pythons() -> None:
    x = np.arange(24.0).reshape(1, 4, 6)
    pair: Any = np.array([2, 2])
    for ours in (MaxPool, AveragePool):
        expected = ours((2, 2), (2, 2), (1, 1)).forward(x)
        got = ours(pair, pair, pair // 2).forward(x)
        np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(max_pool(x, np.array(2)), max_pool(x, 2))
    assert Softmax(odd(np.int64(1))).forward(x).shape == x.shape


def test_every_layer_is_one_by_its_protocol_and_has_a_short_name() -> None:
    assert all(isinstance(case.make(np.random.default_rng(0)), Layer) for case in CASES)
    for name in WHERE:
        assert getattr(engine, name) is getattr(engine.layers, name)
        assert name in engine.__all__
        assert name in engine.layers.__all__
    with pytest.raises(AttributeError, match="no attribute 'Dense'"):
        engine.Dense  # noqa: B018


def test_importing_the_engine_brings_in_neither_numpy_nor_the_rest_of_the_program() -> None:
    code = "import sys, engine; print(*sorted({'numpy','cards','deck','tui'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
