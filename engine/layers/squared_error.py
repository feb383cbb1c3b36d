"""The squared distance of a prediction from its target."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from engine.layers.checks import Array, between, real, recalled, shaped, wide
from engine.layers.reduction import Reduction, reduced, reduction_of, spread


class SquaredError:
    """L = (y − t)² for every entry, and then their mean, their sum, or each of them.

        dL/dy = 2 (y − t), times delta, and divided by their number for the mean

    `factor` scales the loss: with 1/2 the derivative is y − t.
    """

    def __init__(self, reduction: Reduction = "mean", factor: float = 1.0) -> None:
        self.reduction = reduction_of(reduction)
        self.factor = between("factor", factor, -np.inf, np.inf, "()")
        self._last: tuple[Array, np.dtype] | None = None

    def __repr__(self) -> str:
        return f"SquaredError({self.reduction!r}, factor={self.factor})"

    def forward(self, prediction: ArrayLike, target: ArrayLike) -> Array:
        """Return the loss of a prediction of any shape against a target of the same."""
        y = real("prediction", prediction)
        # Wide before the difference: in half precision it would lose what tells y from t.
        off = wide(y) - shaped("target", target, y.shape, wide(y).dtype)
        self._last = (off, y.dtype)
        return reduced(self.factor * off * off, self.reduction).astype(y.dtype)

    def backward(self, delta: ArrayLike = 1.0) -> Array:
        """Return dL/dprediction at the last prediction."""
        off, dtype = recalled(self._last)
        upstream = spread(delta, off.shape, self.reduction, off.dtype)
        dy: Array = upstream * 2 * self.factor * off
        return dy.astype(dtype, copy=False)
