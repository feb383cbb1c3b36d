"""Activations that squash the line into an interval: sigmoid and tanh."""

from __future__ import annotations

import numpy as np

from engine.layers.checks import Array
from engine.layers.pointwise import Pointwise


def sigmoid(x: Array) -> Array:
    """Return 1 / (1 + exp(−x)).

    exp(−|x|) never overflows, and small results keep all their digits: exp(x) / (1 + exp(x))
    where x is negative.
    """
    small = np.exp(-np.abs(x))
    return np.asarray(np.where(x >= 0, 1, small) / (1 + small), dtype=x.dtype)


class Sigmoid(Pointwise):
    """f = σ(x) = 1 / (1 + exp(−x)).

        f' = exp(−x) / (1 + exp(−x))² = σ(x) (1 − σ(x)) = σ(x) σ(−x)

    The last form loses no digits where σ(x) is close to 1.
    """

    def value(self, x: Array) -> Array:
        return sigmoid(x)

    def slope(self, x: Array) -> Array:
        return sigmoid(x) * sigmoid(-x)


class Tanh(Pointwise):
    """f = tanh(x).

        f' = 1 − tanh(x)² = 1 / cosh(x)² = 4 σ(2x) σ(−2x)

    The last form loses no digits where tanh(x) is close to ±1.
    """

    def value(self, x: Array) -> Array:
        return np.asarray(np.tanh(x))

    def slope(self, x: Array) -> Array:
        # Beyond 400 the slope is 0 in any width, and 2x must not overflow.
        twice = 2 * np.clip(x, -400, 400)
        return 4 * sigmoid(twice) * sigmoid(-twice)
