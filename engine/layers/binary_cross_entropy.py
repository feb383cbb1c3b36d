"""Cross-entropy of a yes or no, given its probability or its logit."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from engine.layers.checks import Array, chances, flag, real, recalled, shaped, wide
from engine.layers.reduction import Reduction, reduced, reduction_of, spread
from engine.layers.squashing import sigmoid


class BinaryCrossEntropy:
    """L = −t log p − (1 − t) log(1 − p) for every entry: p predicted, t in [0, 1] the target.

    On probabilities, with 0 log 0 = 0:

        dL/dp = (1 − t)/(1 − p) − t/p

    With logits=True the prediction is x with p = σ(x).  Then log p = −log(1 + exp(−x)), and

        L     = (1 − t) max(x, 0) + t max(−x, 0) + log(1 + exp(−|x|))
        dL/dx = σ(x) − t

    in which nothing overflows and nothing cancels: never take log(sigmoid(x)) by itself.  With
    0 · ∞ = 0 it has its limit at infinite x, too: 0 where x says what t says.
    """

    def __init__(self, logits: bool = False, reduction: Reduction = "mean") -> None:
        self.logits = flag("logits", logits)
        self.reduction = reduction_of(reduction)
        self._last: tuple[Array, Array] | None = None

    def __repr__(self) -> str:
        return f"BinaryCrossEntropy(logits={self.logits}, {self.reduction!r})"

    def forward(self, prediction: ArrayLike, target: ArrayLike) -> Array:
        """Return the loss; raises ValueError where a probability or a target leaves [0, 1]."""
        y = real("prediction", prediction)
        t = chances("target", shaped("target", target, y.shape, wide(y).dtype))
        if not self.logits:
            chances("prediction", y)
        self._last = (y.copy(), t.copy())
        losses = (_of_logit if self.logits else _of_chance)(wide(y), t)
        return reduced(losses, self.reduction).astype(y.dtype)

    def backward(self, delta: ArrayLike = 1.0) -> Array:
        """Return dL/dprediction at the last prediction."""
        y, t = recalled(self._last)
        upstream = spread(delta, y.shape, self.reduction, t.dtype)
        if self.logits:
            return np.asarray(upstream * (sigmoid(wide(y)) - t), dtype=y.dtype)
        p = wide(y)
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.where(t == 1, 0, (1 - t) / (1 - p)) - np.where(t == 0, 0, t / p)
        return np.asarray(upstream * slope, dtype=y.dtype)


def _of_logit(x: Array, t: Array) -> Array:
    with np.errstate(invalid="ignore"):
        no = np.where((t == 1) & (x > 0), 0, (1 - t) * np.maximum(x, 0))
        yes = np.where((t == 0) & (x < 0), 0, t * np.maximum(-x, 0))
    losses: Array = no + yes + np.log1p(np.exp(-np.abs(x)))
    return losses


def _of_chance(p: Array, t: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        yes = np.where(t == 0, 0, t * np.log(p))
        no = np.where(t == 1, 0, (1 - t) * np.log1p(-p))
    losses: Array = -yes - no
    return losses
