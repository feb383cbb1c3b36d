"""Pooling over all of the last axes at once: one value a channel."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from engine import subgradient
from engine.layers.checks import EITHER, Array, real, recalled, shaped, whole, wide
from engine.layers.derived import Derived, Mask
from engine.layers.normalise import lowered_for_sum
from engine.maxpool import MaxPool


class GlobalAveragePool(Derived):
    """f = mean of x over its last `axes` axes, which stay with size 1.

    Every one of the n inputs has the slope 1/n:  dL/dx[i,j] = delta / n.
    """

    def __init__(self, axes: int = 2) -> None:
        self.axes = whole("axes", axes, least=1)
        self._last: tuple[tuple[int, ...], np.dtype] | None = None

    def __repr__(self) -> str:
        return f"GlobalAveragePool(axes={self.axes})"

    def forward(self, x: ArrayLike) -> Array:
        """Return f (..., 1, 1) for x (..., H, W)."""
        x = real("x", x, least_axes=self.axes)
        self._last = (x.shape, x.dtype)
        lowered, exponent = lowered_for_sum(wide(x), math.prod(x.shape[-self.axes :]))
        mean = lowered.mean(axis=tuple(range(-self.axes, 0)), keepdims=True)
        return np.asarray(np.ldexp(mean, exponent), dtype=x.dtype)

    def backward(self, delta: ArrayLike) -> Array:
        """Return dL/dx at the last x, which matters by its shape alone."""
        shape, dtype = recalled(self._last)
        upstream = shaped("delta", delta, _ones(shape, self.axes), dtype)
        share = wide(upstream) / math.prod(shape[-self.axes :])
        return np.broadcast_to(share, shape).astype(dtype)


class GlobalMaxPool(Derived):
    """f = max of x over its last `axes` axes, which stay with size 1.

    The first maximum in row-major order has the slope 1, every other input 0 (see
    `engine.MaxPool`): dL/dx[i,j] = delta · [(i,j) = argmax x].  If there is a NaN, f is NaN and
    the last NaN has the slope 1, as in `engine.MaxPool`.
    """

    def __init__(self, axes: int = 2) -> None:
        self.axes = whole("axes", axes, least=1)
        self._last: Array | None = None

    def __repr__(self) -> str:
        return f"GlobalMaxPool(axes={self.axes})"

    def forward(self, x: ArrayLike) -> Array:
        """Return f (..., 1, 1) for x (..., H, W)."""
        x = real("x", x, least_axes=self.axes)
        self._last = x.copy()
        return np.asarray(x.max(axis=tuple(range(-self.axes, 0)), keepdims=True))

    def backward(self, delta: ArrayLike) -> Array:
        """Return dL/dx at the last x."""
        x = recalled(self._last)
        upstream = shaped("delta", delta, _ones(x.shape, self.axes), x.dtype)
        flat = x.reshape(*x.shape[: -self.axes], -1)
        dx = np.zeros_like(flat)
        nan = np.isnan(flat)
        last_nan = flat.shape[-1] - 1 - nan[..., ::-1].argmax(axis=-1)
        chosen = np.where(nan.any(axis=-1), last_nan, flat.argmax(axis=-1))[..., None]
        np.put_along_axis(dx, chosen, upstream.reshape(chosen.shape), axis=-1)
        return dx.reshape(x.shape)

    def valid(
        self,
        x: ArrayLike,
        dx: ArrayLike | None = None,
        delta: ArrayLike | None = None,
        J: ArrayLike | None = None,
    ) -> Mask:
        """Return, in f's shape, whether each output's part of dx (for delta) or of J is valid.

        At a tie each convex combination over the tied maxima is, see `engine.MaxPool`.
        """
        x = real("x", x, least_axes=self.axes)
        shape = _ones(x.shape, self.axes)
        channels, inputs = math.prod(shape), math.prod(x.shape[-self.axes :])
        flat, pool = x.reshape(channels, inputs), MaxPool((inputs,))
        if J is not None and dx is None and delta is None:
            rows = shaped("J", J, shape + x.shape, np.float64).reshape(channels, channels, inputs)
            own = rows[range(channels), range(channels)]
            others = np.abs(rows).sum(axis=(-1, -2)) - np.abs(own).sum(axis=-1)
            one = pool.valid(flat, J=own[:, None, :]) & (others <= subgradient.TOLERANCE)
        elif J is None and dx is not None and delta is not None:
            sent = shaped("dx", dx, x.shape, np.float64).reshape(flat.shape)
            upstream = shaped("delta", delta, shape, np.float64).reshape(channels, 1)
            one = pool.valid(flat, dx=sent, delta=upstream)
        else:
            raise ValueError(EITHER)
        return np.asarray(one.reshape(shape))


def _ones(shape: tuple[int, ...], axes: int) -> tuple[int, ...]:
    return shape[:-axes] + (1,) * axes
