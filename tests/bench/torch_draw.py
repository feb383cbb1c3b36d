"""What the settings of the comparison with PyTorch are drawn from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import engine as e

Array = NDArray[Any]
Tensors = dict[str, Any]


@dataclass(frozen=True)
class Trial:
    """One setting: our layer, its input, and the same in PyTorch's functions."""

    layer: e.Layer
    x: Array
    theirs: Callable[[Any, Tensors], Any]


@dataclass(frozen=True)
class Against:
    """A loss with its target as a layer of the prediction."""

    loss: e.Loss
    target: Array

    def forward(self, x: ArrayLike, /) -> Array:
        return self.loss.forward(x, self.target)

    def backward(self, delta: ArrayLike, /) -> Array:
        return self.loss.backward(delta)


class Draw:
    """Random settings of one width."""

    def __init__(self, rng: np.random.Generator, dtype: np.dtype[Any]) -> None:
        self.rng = rng
        self.dtype = dtype

    def whole(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high + 1))

    def pair(self, low: int, high: int) -> tuple[int, int]:
        return self.whole(low, high), self.whole(low, high)

    def flip(self) -> bool:
        return bool(self.rng.random() < 0.5)

    def gaussian(self, *shape: int, scale: float = 1.0) -> Array:
        return (scale * self.rng.standard_normal(shape)).astype(self.dtype)

    def shape(self) -> tuple[int, ...]:
        return tuple(self.whole(1, 5) for _ in range(self.whole(1, 4)))

    def edged(self, *shape: int) -> Array:
        """Ties, zeros, large numbers and infinities among the rest."""
        x = self.gaussian(*shape, scale=3)
        few = self.rng.integers(-2, 3, shape)
        x = np.where(self.rng.random(shape) < 0.3, few, x)
        x = np.where(self.rng.random(shape) < 0.05, self.rng.choice([-1e4, 1e4], shape), x)
        x = np.where(self.rng.random(shape) < 0.05, self.rng.choice([-np.inf, np.inf], shape), x)
        return x.astype(self.dtype)

    def large(self, *shape: int) -> Array:
        """Large numbers, and no infinity."""
        return np.clip(self.edged(*shape), -1e4, 1e4)
