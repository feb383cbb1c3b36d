"""Activations that let positive numbers pass: ReLU, leaky ReLU and ELU."""

from __future__ import annotations

import numpy as np

from engine.layers.checks import Array, between
from engine.layers.pointwise import Pointwise


def leaky(x: Array, slope: Array) -> Array:
    """Return x where x > 0 and slope · x elsewhere, with 0 · ∞ = 0."""
    below = np.minimum(x, 0)
    with np.errstate(invalid="ignore"):
        scaled = np.where((slope == 0) & np.isinf(below), 0, slope * below)
    return np.where(x > 0, x, scaled).astype(x.dtype)


class ReLU(Pointwise):
    """f = max(x, 0), the rectified linear unit.

        f' = 1 where x > 0, and 0 where x < 0

    At x = 0 any slope from 0 to 1 is a subgradient; it is 0 here, as in frameworks.
    """

    def value(self, x: Array) -> Array:
        return np.asarray(np.maximum(x, 0))

    def slope(self, x: Array) -> Array:
        # A slope where x is not a number is none either.
        return np.where(np.isnan(x), x, x > 0).astype(x.dtype)

    def slopes(self, x: Array) -> tuple[Array, Array]:
        return _both(x, self.slope(x))


class LeakyReLU(Pointwise):
    """f = x where x > 0, and a·x elsewhere, with a fixed small a.

    f' = 1 where x > 0, and a where x < 0     (a at x = 0, as in frameworks)
    """

    def __init__(self, negative_slope: float = 0.01) -> None:
        super().__init__()
        self.negative_slope = between("negative_slope", negative_slope, -np.inf, np.inf, "()")

    def __repr__(self) -> str:
        return f"LeakyReLU({self.negative_slope})"

    def value(self, x: Array) -> Array:
        return leaky(x, np.asarray(self.negative_slope, x.dtype))

    def slope(self, x: Array) -> Array:
        return np.where(np.isnan(x), x, np.where(x > 0, 1, self.negative_slope)).astype(x.dtype)

    def slopes(self, x: Array) -> tuple[Array, Array]:
        return _both(x, self.slope(x))


class ELU(Pointwise):
    """f = x where x > 0, and α (exp(x) − 1) elsewhere: the exponential linear unit.

        f' = 1 where x > 0, and α exp(x) = f + α where x < 0     (α at x = 0)

    exp(x) is taken of the negative x alone, so it cannot overflow.  Clevert, Unterthiner and
    Hochreiter 2016.
    """

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.alpha = between("alpha", alpha, -np.inf, np.inf, "()")

    def __repr__(self) -> str:
        return f"ELU({self.alpha})"

    def value(self, x: Array) -> Array:
        return np.where(x > 0, x, self.alpha * np.expm1(np.minimum(x, 0))).astype(x.dtype)

    def slope(self, x: Array) -> Array:
        return np.where(x > 0, 1, self.alpha * np.exp(np.minimum(x, 0))).astype(x.dtype)

    def slopes(self, x: Array) -> tuple[Array, Array]:
        return _both(x, self.slope(x))


def _both(x: Array, slope: Array) -> tuple[Array, Array]:
    """The slopes to the left and to the right of x: at 0, `slope` is the left one, and 1 the right.

    At the kink every number between the two is a subgradient.
    """
    return slope, np.where(x == 0, 1, slope).astype(slope.dtype)
