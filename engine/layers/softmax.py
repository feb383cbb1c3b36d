"""Softmax and its logarithm along one axis."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from engine.layers.checks import Array, axis_number, axis_of, real, recalled, shaped, wide
from engine.layers.derived import Derived


def softmax(x: Array, axis: int) -> Array:
    """Return exp(x) / sum exp(x): less the largest x, exp cannot overflow and f is the same."""
    raised = np.exp(_lowered(x, axis))
    return np.asarray(raised / raised.sum(axis=axis, keepdims=True))


def log_softmax(x: Array, axis: int) -> Array:
    """Return x − log sum exp(x), finite even where softmax(x) underflows to 0."""
    low = _lowered(x, axis)
    return np.asarray(low - np.log(np.exp(low).sum(axis=axis, keepdims=True)))


def _lowered(x: Array, axis: int) -> Array:
    # An infinite largest x gives NaN, as it must, and what lies below the type's range is minus
    # infinity: there is nothing to warn of.
    with np.errstate(invalid="ignore", over="ignore"):
        return np.asarray(x - x.max(axis=axis, keepdims=True))


class Softmax(Derived):
    """f[k] = exp(x[k]) / sum of exp(x[m]) over m, along `axis`.

    The quotient rule gives df[k]/dx[j] = f[k] ([k = j] − f[j]), so that

        dL/dx[j] = sum of delta[k] · f[k] ([k = j] − f[j]) over k
                 = f[j] (delta[j] − sum of delta[k] f[k] over k)
    """

    def __init__(self, axis: int = -1) -> None:
        self.axis = axis_number("axis", axis)
        self._last: Array | None = None

    def __repr__(self) -> str:
        return f"Softmax(axis={self.axis})"

    def forward(self, x: ArrayLike) -> Array:
        """Return f, of x's shape; raises ValueError where x has no such axis."""
        x = _along(x, self.axis)
        self._last = softmax(wide(x), self.axis).astype(x.dtype, copy=False)
        return self._last.copy()

    def backward(self, delta: ArrayLike) -> Array:
        """Return dL/dx at the last x."""
        f = recalled(self._last)
        upstream = shaped("delta", delta, f.shape, wide(f).dtype)
        mean = (upstream * f).sum(axis=self.axis, keepdims=True)
        dx: Array = f * (upstream - mean)
        return dx.astype(f.dtype, copy=False)


class LogSoftmax(Derived):
    """f[k] = x[k] − log of the sum of exp(x[m]) over m, along `axis`.

    With s = softmax(x), df[k]/dx[j] = [k = j] − s[j], so that

        dL/dx[j] = delta[j] − s[j] · sum of delta[k] over k
    """

    def __init__(self, axis: int = -1) -> None:
        self.axis = axis_number("axis", axis)
        self._last: Array | None = None

    def __repr__(self) -> str:
        return f"LogSoftmax(axis={self.axis})"

    def forward(self, x: ArrayLike) -> Array:
        """Return f, of x's shape; raises ValueError where x has no such axis."""
        x = _along(x, self.axis)
        with np.errstate(over="ignore"):  # beyond half precision lies minus infinity
            self._last = log_softmax(wide(x), self.axis).astype(x.dtype, copy=False)
        return self._last.copy()

    def backward(self, delta: ArrayLike) -> Array:
        """Return dL/dx at the last x."""
        f = recalled(self._last)
        upstream = shaped("delta", delta, f.shape, wide(f).dtype)
        total = upstream.sum(axis=self.axis, keepdims=True)
        dx: Array = upstream - np.exp(wide(f)) * total
        return dx.astype(f.dtype, copy=False)


def _along(x: ArrayLike, axis: int) -> Array:
    array = real("x", x, least_axes=1)
    axis_of("axis", axis, array)
    return array
