"""Every layer in the configurations that the shared laws are tried on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine import (
    ELU,
    GELU,
    AveragePool,
    BatchNorm,
    Conv2d,
    Dropout,
    GlobalAveragePool,
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
    Tanh,
)
from tests.engine.layers.gradients import Array

Make = Callable[[np.random.Generator], Layer]


@dataclass(frozen=True)
class Case:
    name: str
    make: Make
    shape: tuple[int, ...]
    """Of an input without batch axes."""
    exact: bool = False
    """f is piecewise linear, with its kinks at 0 alone: differences on odd integers are exact."""
    alone: bool = True
    """Each input of a batch is treated on its own."""

    def __str__(self) -> str:
        return self.name


def whole(rng: np.random.Generator, *shape: int) -> Array:
    return rng.integers(-3, 4, shape).astype(np.float64)


def gaussian(rng: np.random.Generator, *shape: int) -> Array:
    return rng.standard_normal(shape)


def batch_norm(rng: np.random.Generator, training: bool, axis: int = 1) -> BatchNorm:
    numbers = (gaussian(rng, 3), gaussian(rng, 3), gaussian(rng, 3), rng.random(3) + 0.5)
    return BatchNorm(*numbers, training=training, momentum=0.0, axis=axis)


def module(rng: np.random.Generator) -> Sequential:
    """Linear + ELU is one module in the cards."""
    first = Linear(gaussian(rng, 4, 5), gaussian(rng, 4))
    return Sequential(first, ELU(0.7), Linear(gaussian(rng, 3, 4)), LogSoftmax())


def convolution(rng: np.random.Generator) -> Sequential:
    layers = (MaxPool(2, 1), Conv2d(gaussian(rng, 4, 2, 3, 3), gaussian(rng, 4), padding=1), Tanh())
    grouped = Conv2d(gaussian(rng, 6, 2, 2, 1), groups=2)
    return Sequential(*layers, grouped, GELU(), AveragePool(2))


CASES = [
    Case("ReLU", lambda _: ReLU(), (4, 3), exact=True),
    Case("LeakyReLU", lambda _: LeakyReLU(0.125), (4, 3), exact=True),
    Case("ELU", lambda _: ELU(1.5), (4, 3)),
    Case("PReLU, one", lambda rng: PReLU(whole(rng)), (4, 3), exact=True),
    Case("PReLU, a channel", lambda rng: PReLU(whole(rng, 4, 1)), (4, 3), exact=True),
    Case("Sigmoid", lambda _: Sigmoid(), (4, 3)),
    Case("Tanh", lambda _: Tanh(), (4, 3)),
    Case("GELU", lambda _: GELU(), (4, 3)),
    Case("GELU, tanh", lambda _: GELU("tanh"), (4, 3)),
    Case("Softmax", lambda _: Softmax(), (2, 5)),
    Case("Softmax, axis -2", lambda _: Softmax(-2), (5, 2)),
    Case("LogSoftmax", lambda _: LogSoftmax(), (2, 5)),
    Case("Linear", lambda rng: Linear(whole(rng, 4, 5), whole(rng, 4)), (5,), exact=True),
    Case("Linear, no bias", lambda rng: Linear(whole(rng, 4, 5)), (2, 5), exact=True),
    Case("AveragePool", lambda _: AveragePool(2), (3, 5, 6), exact=True),
    Case("AveragePool, overlap", lambda _: AveragePool((3, 2), (2, 1), (1, 0)), (5, 4)),
    Case(
        "AveragePool, inputs alone",
        lambda _: AveragePool(3, 2, 1, ceil_mode=True, count_padding=False),
        (2, 6, 5),
    ),
    Case("AveragePool, 1-D", lambda _: AveragePool((4,), 2, dilation=2), (2, 11), exact=True),
    Case("AveragePool, 3-D", lambda _: AveragePool((2, 2, 1), 1, 0), (3, 4, 2), exact=True),
    Case("GlobalAveragePool", lambda _: GlobalAveragePool(), (3, 4, 2), exact=True),
    Case("GlobalMaxPool", lambda _: GlobalMaxPool(), (3, 4, 2)),
    Case("MaxPool", lambda _: MaxPool(3, 2, 1), (2, 5, 6)),
    Case("Conv2d", lambda rng: Conv2d(whole(rng, 3, 2, 2, 3)), (2, 4, 5), exact=True),
    Case(
        "Conv2d, all of it",
        lambda rng: Conv2d(whole(rng, 4, 3, 3, 2), whole(rng, 4), (2, 1), (1, 2), (2, 1), groups=2),
        (6, 7, 5),
        exact=True,
    ),
    Case(
        "Conv2d, one side padded",
        lambda rng: Conv2d(whole(rng, 3, 1, 2, 2), padding=((0, 1), (1, 0)), groups=3),
        (3, 4, 3),
        exact=True,
    ),
    Case("BatchNorm, training", lambda rng: batch_norm(rng, True), (3, 4), alone=False),
    Case("BatchNorm, inference", lambda rng: batch_norm(rng, False, -2), (3, 4)),
    Case("LayerNorm", lambda rng: LayerNorm(gaussian(rng, 5), gaussian(rng, 5)), (2, 5)),
    Case("LayerNorm, 2 axes", lambda rng: LayerNorm(gaussian(rng, 3, 4)), (3, 4)),
    Case("Dropout", lambda rng: Dropout.drawn((4, 3), 0.5, rng), (4, 3), exact=True),
    Case("Linear + ELU + ...", module, (5,)),
    Case("Conv2d + MaxPool + ...", convolution, (2, 6, 5)),
]


def inputs(case: Case, rng: np.random.Generator, lead: tuple[int, ...] = (2,)) -> Array:
    """Distinct inputs away from kinks: odd whole numbers, or a shuffled grid."""
    shape = lead + case.shape
    if case.exact:
        return 2.0 * rng.integers(-3, 3, shape) + 1
    cells = rng.permutation(int(np.prod(shape))).reshape(shape)
    return (cells - cells.size / 2 + 0.25) / 16
