"""Pooling over all of the last axes at once: one value a channel."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from engine.layers.checks import Array, real, recalled, shaped, whole, wide


class GlobalAveragePool:
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
        x = _pooled(x, self.axes)
        self._last = (x.shape, x.dtype)
        mean = wide(x).mean(axis=tuple(range(-self.axes, 0)), keepdims=True)
        return np.asarray(mean, dtype=x.dtype)

    def backward(self, delta: ArrayLike) -> Array:
        """Return dL/dx at the last x, which matters by its shape alone."""
        shape, dtype = recalled(self._last)
        upstream = shaped("delta", delta, _ones(shape, self.axes), dtype)
        share = wide(upstream) / math.prod(shape[-self.axes :])
        return np.broadcast_to(share, shape).astype(dtype)


class GlobalMaxPool:
    """f = max of x over its last `axes` axes, which stay with size 1.

    The first maximum in row-major order has the slope 1, every other input 0 (see
    `engine.MaxPool`): dL/dx[i,j] = delta · [(i,j) = argmax x].
    """

    def __init__(self, axes: int = 2) -> None:
        self.axes = whole("axes", axes, least=1)
        self._last: Array | None = None

    def __repr__(self) -> str:
        return f"GlobalMaxPool(axes={self.axes})"

    def forward(self, x: ArrayLike) -> Array:
        """Return f (..., 1, 1) for x (..., H, W)."""
        x = _pooled(x, self.axes)
        self._last = x.copy()
        return np.asarray(x.max(axis=tuple(range(-self.axes, 0)), keepdims=True))

    def backward(self, delta: ArrayLike) -> Array:
        """Return dL/dx at the last x."""
        x = recalled(self._last)
        upstream = shaped("delta", delta, _ones(x.shape, self.axes), x.dtype)
        flat = x.reshape(*x.shape[: -self.axes], -1)
        dx = np.zeros_like(flat)
        chosen = flat.argmax(axis=-1)[..., None]
        np.put_along_axis(dx, chosen, upstream.reshape(chosen.shape), axis=-1)
        return dx.reshape(x.shape)


def _pooled(x: ArrayLike, axes: int) -> Array:
    array = real("x", x, least_axes=axes)
    if 0 in array.shape[-axes:]:
        raise ValueError(f"x has the shape {array.shape}: at least 1 entry an axis is allowed")
    return array


def _ones(shape: tuple[int, ...], axes: int) -> tuple[int, ...]:
    return shape[:-axes] + (1,) * axes
