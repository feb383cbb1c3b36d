"""Activations: the same function of every entry."""

from __future__ import annotations

from abc import ABC, abstractmethod

from numpy.typing import ArrayLike

from engine.layers.checks import Array, real, recalled, shaped, wide
from engine.layers.derived import Derived


class Pointwise(Derived, ABC):
    """f[i] = φ(x[i]) for every entry, of any shape.

    Each f depends on its own x alone, so the Jacobian is diagonal and

        dL/dx[i] = delta[i] · φ'(x[i])
    """

    def __init__(self) -> None:
        self._last: Array | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    @abstractmethod
    def value(self, x: Array) -> Array:
        """φ(x), of x's shape and type."""

    @abstractmethod
    def slope(self, x: Array) -> Array:
        """φ'(x), of x's shape and type; at a kink one subgradient, as frameworks choose it."""

    def forward(self, x: ArrayLike) -> Array:
        """Return φ(x), and remember x for `backward`."""
        x = real("x", x)
        self._last = x.copy()
        return self.value(wide(x)).astype(x.dtype, copy=False)

    def backward(self, delta: ArrayLike) -> Array:
        """Return dL/dx = delta · φ'(x) at the last x."""
        x = recalled(self._last)
        slope = self.slope(wide(x))
        dx: Array = shaped("delta", delta, x.shape, slope.dtype) * slope
        return dx.astype(x.dtype, copy=False)
