"""What a layer is: a forward message, and the backward message that belongs to it.

    f = layer.forward(x)                 the forward message; x is remembered
    dx = layer.backward(delta)           dL/dx at that x, given delta = dL/df of f's shape
    layer.jacobian(x)                    df/dx, dense; of layers of ours (engine/layers/derived.py)
    layer.valid(x, dx=..., delta=...)    which of somebody else's dx, or J, are right, ditto
    layer.parameters["weight"]           the parameters θ by name, where a layer has any
    layer.messages["weight"]             dL/dθ, left by the last backward

Arrays may have any number of leading batch axes.  The width of the floating-point numbers stays
what it was: f and dx have x's, dL/dθ has θ's; whole numbers become float64.  Half precision is
computed in single.  Bad arguments raise a ValueError that names the argument, its value and what
is allowed; a backward before any forward raises a RuntimeError.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from inspect import signature
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from engine.layers.checks import Array, dense


@runtime_checkable
class Layer(Protocol):
    """A differentiable map of one array."""

    def forward(self, x: ArrayLike, /) -> Array:
        """Return f(x), and remember x for `backward`."""
        ...

    def backward(self, delta: ArrayLike, /) -> Array:
        """Return dL/dx at the last x, given delta = dL/df."""
        ...


@runtime_checkable
class Parametric(Layer, Protocol):
    """A layer with parameters."""

    @property
    def parameters(self) -> Mapping[str, Array]:
        """The parameters themselves, by name: change them in place to train."""
        ...

    @property
    def messages(self) -> Mapping[str, Array]:
        """dL/dθ of each parameter, of its shape and type, as the last `backward` found it."""
        ...


class Loss(Protocol):
    """A number to be made small: what is predicted against what was asked for."""

    def forward(self, prediction: ArrayLike, target: ArrayLike, /) -> Array:
        """Return the loss, and remember both for `backward`."""
        ...

    def backward(self, delta: ArrayLike = 1.0, /) -> Array:
        """Return dL/dprediction, given the message of whatever follows (1: the loss is last)."""
        ...


def jacobian(layer: Layer, x: ArrayLike) -> Array:
    """Return the dense df/dx at x, of the shape of f followed by that of x.

    One backward message a cell of f: meant for small inputs, and refused for large ones.  The
    layer's last x, its messages and what it remembers in training stay as they are.
    """
    checked("layer", layer)
    layer = deepcopy(layer)
    f = layer.forward(x)
    shape = f.shape + np.shape(x)
    dense(np.shape(x), shape, f.dtype.itemsize)
    rows = []
    for cell in np.ndindex(*f.shape):
        unit = np.zeros_like(f)
        unit[cell] = 1
        rows.append(layer.backward(unit))
    return np.array(rows).reshape(shape)


def checked(name: str, value: object) -> Layer:
    """Return a layer, which maps one array: neither a class nor a loss."""
    if isinstance(value, Layer) and not isinstance(value, type):
        try:
            signature(value.forward).bind(None)
        except TypeError:
            pass
        else:
            return value
    raise ValueError(
        f"{name} is {value!r}: objects with forward and backward, of one array each, are allowed"
    )
