"""The Gaussian error linear unit, exact and in its tanh form."""

from __future__ import annotations

import math
from typing import Final, Literal

import numpy as np

from engine.layers.checks import Array
from engine.layers.pointwise import Pointwise
from engine.layers.squashing import sigmoid

#: NumPy has no erfc: the C library's, one number at a time (about 0.1 µs each).
_erfc: Final = np.frompyfunc(math.erfc, 1, 1)
_CUBE: Final = 0.044715
_ROOT: Final = math.sqrt(2 / math.pi)
#: Beyond it the Gaussian is 0 in any width, and the products below are safe from 0 · ∞.
_FAR: Final = 40.0


class GELU(Pointwise):
    """f = x Φ(x), with Φ the cumulative distribution of the Gaussian (Hendrycks, Gimpel 2016).

        Φ(x) = erfc(−x / √2) / 2,   Φ'(x) = φ(x) = exp(−x²/2) / √(2π)
        f'   = Φ(x) + x φ(x)

    With approximate="tanh", Φ(x) is replaced by (1 + tanh(u)) / 2 = σ(2u) for
    u = √(2/π) (x + 0.044715 x³), and

        f'   = σ(2u) + x · 2u' · σ(2u) σ(−2u),   u' = √(2/π) (1 + 3 · 0.044715 x²)
    """

    def __init__(self, approximate: Literal["none", "tanh"] = "none") -> None:
        super().__init__()
        if approximate not in ("none", "tanh"):
            raise ValueError(f"approximate is {approximate!r}: none, tanh are allowed")
        self.approximate = approximate

    def __repr__(self) -> str:
        return f"GELU({self.approximate!r})"

    def value(self, x: Array) -> Array:
        # Far to the left f is 0: x itself would make it −∞ · 0.
        return np.asarray(np.maximum(x, -_FAR) * self._share(x), dtype=x.dtype)

    def slope(self, x: Array) -> Array:
        near = np.clip(x, -_FAR, _FAR)
        if self.approximate == "none":
            bell = np.exp(-near * near / 2) / math.sqrt(2 * math.pi)
            return np.asarray(self._share(x) + near * bell, dtype=x.dtype)
        twice = 2 * _bent(near)
        steep = 2 * _ROOT * (1 + 3 * _CUBE * near * near)
        risen = sigmoid(twice)
        return np.asarray(risen + near * steep * risen * sigmoid(-twice), dtype=x.dtype)

    def _share(self, x: Array) -> Array:
        """Φ(x): the share of x that passes."""
        near = np.clip(x, -_FAR, _FAR)
        if self.approximate == "tanh":
            return sigmoid(2 * _bent(near))
        return np.asarray(_erfc(-near / math.sqrt(2)) / 2).astype(x.dtype)


def _bent(x: Array) -> Array:
    u: Array = _ROOT * (x + _CUBE * x * x * x)
    return u
