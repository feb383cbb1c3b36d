"""Cross-entropy of one class among several, given their probabilities or their logits."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from engine.layers.checks import (
    Array,
    axis_number,
    axis_of,
    chances,
    flag,
    given,
    real,
    recalled,
    shaped,
    wide,
)
from engine.layers.reduction import Reduction, reduced, reduction_of, spread
from engine.layers.softmax import log_softmax


class CrossEntropy:
    """L = −sum of t[k] log p[k] over the classes k along `axis`; a loss for every other index.

    The target is either the distribution t, of the prediction's shape, or whole numbers without
    the axis of the classes: the one class c with t[c] = 1.  On probabilities, with 0 log 0 = 0:

        dL/dp[k] = −t[k] / p[k]

    With logits=True the prediction is x with p = softmax(x), log p[k] = x[k] − log sum exp(x):

        dL/dx[j] = −sum of t[k] ([k = j] − p[j]) over k = p[j] · (sum of t) − t[j]

    which is p − t for a distribution.  The logarithm is never taken of a rounded probability.
    """

    def __init__(self, logits: bool = False, axis: int = -1, reduction: Reduction = "mean") -> None:
        self.logits = flag("logits", logits)
        self.axis = axis_number("axis", axis)
        self.reduction = reduction_of(reduction)
        self._last: tuple[Array, Array] | None = None

    def __repr__(self) -> str:
        return f"CrossEntropy(logits={self.logits}, axis={self.axis}, {self.reduction!r})"

    def forward(self, prediction: ArrayLike, target: ArrayLike) -> Array:
        """Return the loss; raises ValueError where a class or a probability cannot be."""
        y = real("prediction", prediction, least_axes=1)
        axis = axis_of("axis", self.axis, y)
        t = _distribution(target, y, axis)
        if not self.logits:
            chances("prediction", y)
        self._last = (y.copy(), t)
        # A class without any chance, or far below the range of the type, costs infinity.
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            logs = log_softmax(wide(y), axis) if self.logits else np.log(wide(y))
            losses = -np.where(t == 0, 0, t * logs).sum(axis=axis)
            return reduced(losses, self.reduction).astype(y.dtype)

    def backward(self, delta: ArrayLike = 1.0) -> Array:
        """Return dL/dprediction at the last prediction."""
        y, t = recalled(self._last)
        axis = axis_of("axis", self.axis, y)
        single = y.shape[:axis] + y.shape[axis + 1 :]
        upstream = np.expand_dims(spread(delta, single, self.reduction, t.dtype), axis)
        if self.logits:
            slope = np.exp(log_softmax(wide(y), axis)) * t.sum(axis=axis, keepdims=True) - t
        else:
            with np.errstate(divide="ignore", invalid="ignore"):
                slope = np.where(t == 0, 0, -t / wide(y))
        return np.asarray(upstream * slope, dtype=y.dtype)


def _distribution(target: ArrayLike, y: Array, axis: int) -> Array:
    """The target as a distribution over the classes, of the prediction's shape."""
    known = given("target", target)
    single = y.shape[:axis] + y.shape[axis + 1 :]
    if known.dtype.kind in "iu" and known.shape == single:
        classes = y.shape[axis]
        wrong = known[(known < 0) | (known >= classes)]
        if wrong.size:
            raise ValueError(f"target holds {wrong[0]}: classes 0 to {classes - 1} are allowed")
        chosen = np.expand_dims(known, axis) == np.arange(classes).reshape(
            (-1,) + (1,) * (y.ndim - 1 - axis)
        )
        return np.asarray(chosen, dtype=wide(y).dtype)
    if known.shape != y.shape:
        raise ValueError(
            f"target has the shape {known.shape}: {y.shape}, or whole numbers of the shape "
            f"{single}, is allowed"
        )
    t = shaped("target", known, y.shape, wide(y).dtype).copy()
    if (t < 0).any():
        raise ValueError(f"target holds {t.min()}: probabilities of at least 0 are allowed")
    return t
