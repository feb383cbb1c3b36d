"""What follows from a layer's two messages: its dense Jacobian, and which answers are valid."""

from __future__ import annotations

from copy import deepcopy
from typing import Final, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.layers.checks import EITHER, Array, dense, real, shaped
from engine.layers.layer import Layer, jacobian

Mask: TypeAlias = NDArray[np.bool_]

#: How far from the derivative an answer may lie, for x of so many bytes a number: in units of the
#: derivative itself, and of the largest entry of it and of delta.
TOLERANCE: Final = {2: 1e-2, 4: 1e-5, 8: 1e-9}


@runtime_checkable
class Kinked(Layer, Protocol):
    """An activation, f[i] of x[i] alone, whose slope may jump."""

    def slopes(self, x: Array) -> tuple[Array, Array]:
        """Return the slopes to the left and to the right of every x."""
        ...


class Derived:
    """A layer's `jacobian` and `valid`."""

    def jacobian(self: Layer, x: ArrayLike) -> Array:
        """Return the dense df/dx at x, of the shape of f followed by that of x."""
        return jacobian(self, x)

    def valid(
        self: Layer,
        x: ArrayLike,
        dx: ArrayLike | None = None,
        delta: ArrayLike | None = None,
        J: ArrayLike | None = None,
    ) -> Mask:
        """Return which parts of an answer are a derivative at x, or a subgradient at a kink.

        Give either `dx` with `delta`, for a mask of x's shape, one entry for each of dx; or `J`,
        of the shape of `jacobian`, for a mask of f's shape, one entry for each of J's rows.
        """
        return valid(self, x, dx, delta, J)


def valid(
    layer: Layer,
    x: ArrayLike,
    dx: ArrayLike | None,
    delta: ArrayLike | None,
    J: ArrayLike | None,
) -> Mask:
    """As `Derived.valid`.  The derivative is taken in double precision."""
    given = real("x", x)
    tolerance = TOLERANCE[min(8, given.dtype.itemsize)]
    layer, at = deepcopy(layer), given.astype(np.float64)
    f = layer.forward(at)
    if J is not None and dx is None and delta is None:
        rows = shaped("J", J, f.shape + at.shape, np.float64)
        each = _between(rows, *_jacobians(layer, at), tolerance, least=1.0)
        return np.asarray(each.reshape(*f.shape, -1).all(axis=-1))
    if J is None and dx is not None and delta is not None:
        sent = shaped("delta", delta, f.shape, np.float64)
        got = shaped("dx", dx, at.shape, np.float64)
        finite = np.abs(sent[np.isfinite(sent)]).max(initial=0.0)
        return _between(got, *_messages(layer, at, sent), tolerance, least=float(finite))
    raise ValueError(EITHER)


def _jacobians(layer: Layer, x: Array) -> tuple[Array, Array]:
    if not isinstance(layer, Kinked):
        J = jacobian(layer, x)
        return J, J
    dense(x.shape, x.shape * 2, x.dtype.itemsize)
    left, right = (np.diag(slope.reshape(-1)) for slope in layer.slopes(x))
    return left.reshape(x.shape * 2), right.reshape(x.shape * 2)


def _messages(layer: Layer, x: Array, delta: Array) -> tuple[Array, Array]:
    if not isinstance(layer, Kinked):
        dx = layer.backward(delta)
        return dx, dx
    left, right = layer.slopes(x)
    return delta * left, delta * right


def _between(got: Array, one: Array, other: Array, tolerance: float, least: float) -> Mask:
    """Whether each entry lies between the two, give or take the tolerance."""
    low, high = np.minimum(one, other), np.maximum(one, other)
    finite = np.isfinite(low) & np.isfinite(high)
    size = np.where(finite, np.maximum(np.abs(low), np.abs(high)), 0)
    slack = tolerance * (size + max(least, float(size.max(initial=0.0))))
    inside = (low - slack <= got) & (got <= high + slack)
    return np.asarray(inside | (np.isnan(low) & np.isnan(got)))
