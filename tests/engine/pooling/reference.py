"""Max pooling in plain loops over windows and their cells: what the tests compare with."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.pooling.layer import MaxPool

Place = tuple[int, ...]
Numbers = NDArray[Any]


@dataclass(frozen=True)
class Layer:
    """The arguments of one pooling, a number for each axis, and the size that it slides over."""

    kernel: Place
    stride: Place
    padding: tuple[tuple[int, int], ...]
    dilation: Place
    ceil_mode: bool
    size: Place

    @property
    def arguments(self) -> dict[str, Any]:
        return {
            "kernel": self.kernel,
            "stride": self.stride,
            "padding": self.padding,
            "dilation": self.dilation,
            "ceil_mode": self.ceil_mode,
        }

    @property
    def counts(self) -> Place:
        """How many windows along each axis, by PyTorch's rule."""
        counts = []
        for axis, n in enumerate(self.size):
            before, after = self.padding[axis]
            span = self.dilation[axis] * (self.kernel[axis] - 1) + 1
            steps = (n + before + after - span) / self.stride[axis]
            count = (math.ceil(steps) if self.ceil_mode else math.floor(steps)) + 1
            if self.ceil_mode and (count - 1) * self.stride[axis] >= n + before:
                count -= 1
            counts.append(count)
        return tuple(counts)

    def omega(self, window: Place) -> list[Place]:
        """The inputs of one window, in row-major order."""
        cells = []
        for cell in product(*(range(k) for k in self.kernel)):
            axes = zip(window, self.stride, self.padding, cell, self.dilation, strict=True)
            place = tuple(w * s - p[0] + a * d for w, s, p, a, d in axes)
            if all(0 <= i < n for i, n in zip(place, self.size, strict=True)):
                cells.append(place)
        return cells

    @property
    def hollow(self) -> list[Place]:
        """The windows that step over the input altogether."""
        return [window for window in self.windows() if not self.omega(window)]

    def windows(self) -> Iterator[Place]:
        return iter(np.ndindex(*self.counts))


def made(layer: Layer, ties: Any = "first") -> MaxPool:
    return MaxPool(**layer.arguments, ties=ties)


def maxima(layer: Layer, x: Numbers, window: Place) -> list[Place]:
    """The places of a window's maxima; a window with a NaN has its last NaN alone.

    A dilated window that steps over the whole input has none.
    """
    cells = layer.omega(window)
    nans = [place for place in cells if np.isnan(x[place])]
    if nans:
        return nans[-1:]
    top = max((x[place] for place in cells), default=None)
    return [place for place in cells if x[place] == top]


def chosen(layer: Layer, x: Numbers, window: Place, ties: str) -> dict[Place, float]:
    """The maxima that a policy sends the window's message to, and the share of each."""
    tied = maxima(layer, x, window)
    if ties in ("first", "last"):
        return dict.fromkeys(tied[:1] if ties == "first" else tied[-1:], 1.0)
    return dict.fromkeys(tied, 1 / max(1, len(tied)) if ties == "split" else 1.0)


def forward(layer: Layer, x: Numbers) -> Numbers:
    lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    f = np.full(layer.counts, lowest, x.dtype)
    for window in layer.windows():
        for place in maxima(layer, x, window)[:1]:
            f[window] = x[place]
    return f


def indices(layer: Layer, x: Numbers, ties: str = "first") -> Numbers:
    flat = np.zeros(layer.counts, np.int64)
    for window in layer.windows():
        for place in chosen(layer, x, window, ties) or [entrance(layer, window)]:
            flat[window] = sum(
                i * math.prod(layer.size[axis + 1 :]) for axis, i in enumerate(place)
            )
    return flat


def entrance(layer: Layer, window: Place) -> Place:
    """Where PyTorch says that the maximum of a window without inputs is."""
    axes = zip(window, layer.stride, layer.padding, layer.dilation, strict=True)
    starts = [(w * s - p[0], d) for w, s, p, d in axes]
    return tuple(start % d if start < 0 else start for start, d in starts)


def jacobian(layer: Layer, x: Numbers, ties: str = "first") -> Numbers:
    J = np.zeros(layer.counts + layer.size)
    for window in layer.windows():
        for place, share in chosen(layer, x, window, ties).items():
            J[window + place] = share
    return J


def backward(layer: Layer, x: Numbers, delta: Numbers, ties: str = "first") -> Numbers:
    dx = np.zeros(layer.size)
    for window in layer.windows():
        for place, share in chosen(layer, x, window, ties).items():
            dx[place] += share * delta[window]
    return dx


@st.composite
def layers(draw: st.DrawFn) -> Layer:
    """Any small layer, also one in which a window sees no input."""
    dims = draw(st.sampled_from([1, 2, 2, 2, 3]))
    most = 3 if dims < 3 else 2

    def numbers(least: int, largest: int) -> Place:
        return tuple(draw(st.integers(least, largest)) for _ in range(dims))

    kernel = numbers(1, most)
    halves = [st.integers(0, k // 2) for k in kernel]
    before = tuple(draw(half) for half in halves)
    after = before if draw(st.booleans()) else tuple(draw(half) for half in halves)
    layer = Layer(
        kernel=kernel,
        stride=numbers(1, 4),
        padding=tuple(zip(before, after, strict=True)),
        dilation=draw(st.sampled_from([(1,) * dims, numbers(1, 3)])),
        ceil_mode=draw(st.booleans()),
        size=numbers(1, 7 if dims < 3 else 4),
    )
    assume(min(layer.counts) > 0)
    return layer


#: Values among which there are many ties.
PLAIN = [-2.0, -1.0, 0.0, 1.0]
ODD = [-np.inf, np.inf, np.nan, 0.0, -0.0, 1.0]


Given = tuple[Layer, Numbers, Numbers]


@st.composite
def inputs(draw: st.DrawFn, odd: bool = True) -> Given:
    """A layer, an x full of ties and, if `odd`, of NaN and infinities, and a delta."""
    layer = draw(layers())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = ODD if odd and draw(st.booleans()) else PLAIN
    x = rng.choice(values, layer.size)
    return layer, x, rng.integers(-9, 10, layer.counts) / 4
