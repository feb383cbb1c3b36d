"""Dropout with a given mask: which entries are kept is an argument, not chance."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from engine.layers.checks import Array, between, each, given, real, recalled, shaped, wide
from engine.layers.derived import Derived


class Dropout(Derived):
    """f[i] = x[i] mask[i] / (1 − rate): what is kept is scaled up, so that the mean stays.

    The mask is fixed, so f is linear:  dL/dx[i] = delta[i] mask[i] / (1 − rate).
    What is dropped sends nothing, not even where x is infinite or no number.
    """

    def __init__(self, mask: ArrayLike, rate: float = 0.5) -> None:
        """Take the mask, truth values or 0 and 1 that broadcast to x; and the rate, in [0, 1)."""
        kept = given("mask", mask)
        if kept.dtype.kind not in "biuf" or not np.isin(kept, (0, 1)).all():
            raise ValueError(
                "mask holds other values: only 0 and 1, or False and True, are allowed"
            )
        self.mask = kept.astype(bool)
        self.rate = between("rate", rate, 0, 1, "[)")
        self._last: tuple[tuple[int, ...], np.dtype] | None = None

    @classmethod
    def drawn(cls, shape: tuple[int, ...], rate: float, generator: np.random.Generator) -> Dropout:
        """Return one whose mask keeps each entry with the probability 1 − rate."""
        if not isinstance(generator, np.random.Generator):
            raise ValueError(
                f"generator is {generator!r}: a numpy.random.Generator, as "
                "numpy.random.default_rng(0) makes one, is allowed"
            )
        axes = len(shape) if isinstance(shape, (tuple, list)) else 1
        sides = each("shape", shape, axes, least=1) if axes else ()
        return cls(generator.random(sides) >= between("rate", rate, 0, 1, "[)"), rate)

    def __repr__(self) -> str:
        return f"Dropout(mask of shape {self.mask.shape}, rate={self.rate})"

    def forward(self, x: ArrayLike) -> Array:
        """Return f, of x's shape; raises ValueError where the mask does not broadcast to it."""
        x = real("x", x)
        f = self._kept(x)
        self._last = (x.shape, x.dtype)
        return f

    def backward(self, delta: ArrayLike) -> Array:
        """Return dL/dx at the last x, which matters by its shape alone."""
        shape, dtype = recalled(self._last)
        return self._kept(shaped("delta", delta, shape, dtype))

    def _kept(self, values: Array) -> Array:
        try:
            kept = np.broadcast_to(self.mask, values.shape)
        except ValueError:
            raise ValueError(
                f"mask has the shape {self.mask.shape}: one that broadcasts to x's, "
                f"{values.shape}, is allowed"
            ) from None
        return np.where(kept, wide(values) / (1 - self.rate), 0).astype(values.dtype)
