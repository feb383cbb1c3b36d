"""The squared distance of a prediction from its target."""

from __future__ import annotations

from numpy.typing import ArrayLike

from engine.layers.checks import Array, real, recalled, shaped, wide
from engine.layers.reduction import Reduction, known, reduced, spread


class SquaredError:
    """L = (y − t)² for every entry, and then their mean, their sum, or each of them.

        dL/dy = 2 (y − t), times delta, and divided by their number for the mean

    `factor` scales the loss: with 1/2 the derivative is y − t.
    """

    def __init__(self, reduction: Reduction = "mean", factor: float = 1.0) -> None:
        self.reduction = known(reduction)
        self.factor = factor
        self._last: Array | None = None

    def __repr__(self) -> str:
        return f"SquaredError({self.reduction!r}, factor={self.factor})"

    def forward(self, prediction: ArrayLike, target: ArrayLike) -> Array:
        """Return the loss of a prediction of any shape against a target of the same."""
        y = real("prediction", prediction)
        self._last = y - shaped("target", target, y.shape, y.dtype)
        off = wide(self._last)
        return reduced(self.factor * off * off, self.reduction).astype(y.dtype)

    def backward(self, delta: ArrayLike = 1.0) -> Array:
        """Return dL/dprediction at the last prediction."""
        off = recalled(self._last)
        upstream = spread(delta, off.shape, self.reduction, wide(off).dtype)
        dy: Array = upstream * 2 * self.factor * off
        return dy.astype(off.dtype, copy=False)
