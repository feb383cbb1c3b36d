"""Leaky ReLU whose slope is learnt."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from engine.layers.checks import Array, real, recalled, shaped, summed_to, wide
from engine.layers.derived import Derived
from engine.layers.rectifiers import leaky


class PReLU(Derived):
    """f = x where x > 0, and a·x elsewhere: `slope` a is a parameter (He et al. 2015).

    `slope` is one number or an array that broadcasts against x: (C, 1, 1) gives each channel of
    (..., C, H, W) its own.

        dL/dx[i] = delta[i] · (1 where x[i] > 0, else a)
        dL/da    = sum of delta[i] · min(x[i], 0) over all i that share this a
    """

    def __init__(self, slope: ArrayLike = 0.25) -> None:
        self.slope = real("slope", slope).copy()
        self.messages: dict[str, Array] = {}
        self._last: Array | None = None

    def __repr__(self) -> str:
        return f"PReLU(slope of shape {self.slope.shape})"

    @property
    def parameters(self) -> dict[str, Array]:
        return {"slope": self.slope}

    def forward(self, x: ArrayLike) -> Array:
        """Return f, of x's shape; raises ValueError where the slope does not broadcast to it."""
        x = real("x", x)
        slope = self._slope(x)
        self._last = x.copy()
        return leaky(wide(x), slope).astype(x.dtype)

    def backward(self, delta: ArrayLike) -> Array:
        """Return dL/dx at the last x, and leave dL/dslope in `messages`."""
        x = recalled(self._last)
        upstream = shaped("delta", delta, x.shape, wide(x).dtype)
        below = np.where(np.isnan(x), x, np.minimum(x, 0))
        slope = summed_to(upstream * below, self.slope.shape)
        self.messages = {"slope": slope.astype(self.slope.dtype)}
        dx: Array = upstream * np.where(np.isnan(x), x, np.where(x > 0, 1, self._slope(x)))
        return dx.astype(x.dtype, copy=False)

    def slopes(self, x: Array) -> tuple[Array, Array]:
        """Return the slopes to the left and to the right of x; where x is not 0 they are one."""
        left, right = np.where(x > 0, 1, self._slope(x)), np.where(x < 0, self._slope(x), 1)
        return np.where(np.isnan(x), x, left), np.where(np.isnan(x), x, right)

    def _slope(self, x: Array) -> Array:
        try:
            stretched = np.broadcast_to(self.slope, x.shape)
        except ValueError:
            raise ValueError(
                f"slope has the shape {self.slope.shape}: one that broadcasts to x's, {x.shape}, "
                "is allowed"
            ) from None
        return stretched.astype(wide(x).dtype, copy=False)
