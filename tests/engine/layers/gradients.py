"""One gradient check for every layer: backward messages against central differences.

The check is of random projections: for a message u and a direction v, <backward(u), v> is the
slope of <u, f(x + h v)> at h = 0.  A wrong entry of the Jacobian escapes it with probability 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import Layer, Loss, Parametric

Array = NDArray[Any]
Width = np.dtype[Any]
WIDTHS = [np.dtype(name) for name in ("float16", "float32", "float64")]

#: Where f is linear or quadratic between kinks, and x, u, v and the step are short binary
#: fractions, the difference has no error at all.
EXACT_STEP = 0.25


def check_layer(layer: Layer, x: Array, rng: np.random.Generator, exact: bool = False) -> None:
    """Compare dL/dx and every parameter's message with central differences."""
    f = layer.forward(x)
    assert f.dtype == x.dtype
    for _ in range(3):
        u = _direction(rng, f.shape)

        def loss(u: Array = u) -> float:
            return float((u * layer.forward(x)).sum())

        layer.forward(x)
        dx = layer.backward(u)
        assert dx.shape == x.shape
        found = dict(layer.messages) if isinstance(layer, Parametric) else {}
        compare(dx, x, loss, rng, exact)
        if isinstance(layer, Parametric):
            assert found.keys() == layer.parameters.keys()
            for name, value in layer.parameters.items():
                assert found[name].shape == value.shape
                compare(found[name], value, loss, rng, exact)


def check_loss(
    loss: Loss, y: Array, target: Array, rng: np.random.Generator, exact: bool = False
) -> None:
    u = _direction(rng, loss.forward(y, target).shape)

    def value() -> float:
        return float((u * loss.forward(y, target)).sum())

    loss.forward(y, target)
    compare(loss.backward(u), y, value, rng, exact)


def compare(
    message: Array, at: Array, loss: Callable[[], float], rng: np.random.Generator, exact: bool
) -> None:
    """Compare a message with the slope of the loss as `at` is moved in place."""
    v = rng.integers(-1, 2, at.shape).astype(at.dtype) if exact else _direction(rng, at.shape)
    slope = _slope(at, v, loss, EXACT_STEP if exact else 1e-4)
    got = float((message * v).sum())
    scale = np.abs(message).sum() + abs(slope) + 1e-3
    assert got == slope if exact else abs(got - slope) <= 1e-7 * scale


def _slope(at: Array, v: Array, loss: Callable[[], float], step: float) -> float:
    """The slope at 0, from four places: its error is of the order of step⁴."""
    kept = at.copy()

    def moved(by: float) -> float:
        at[...] = kept + by * v
        return loss()

    near = (moved(step) - moved(-step)) / (2 * step)
    far = (moved(2 * step) - moved(-2 * step)) / (4 * step)
    at[...] = kept
    return near + (near - far) / 3


def _direction(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Signed quarters: exact to add up, and seldom 0."""
    return rng.integers(-8, 9, shape) / 4
