"""Max pooling by its definition, in plain loops: what the tests compare with."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from engine.pooling.inputs import Geometry
from engine.pooling.layer import MaxPool
from engine.pooling.windows import Array


def omega(geometry: Geometry, k: int, l: int) -> list[tuple[int, int]]:  # noqa: E741
    """The input coordinates of window (k, l), in row-major order."""
    (kh, kw), (sh, sw), (ph, pw) = geometry.kernel, geometry.stride, geometry.padding
    rows = range(k * sh - ph, k * sh - ph + kh)
    columns = range(l * sw - pw, l * sw - pw + kw)
    height, width = geometry.size
    return [(i, j) for i in rows for j in columns if 0 <= i < height and 0 <= j < width]


def windows(geometry: Geometry) -> list[tuple[int, int]]:
    rows, columns = geometry.windows
    return list(np.ndindex(rows, columns))


def maxima(geometry: Geometry, x: Array, k: int, l: int) -> list[tuple[int, int]]:  # noqa: E741
    cells = omega(geometry, k, l)
    top = max(x[cell] for cell in cells)
    return [cell for cell in cells if x[cell] == top]


def layer(geometry: Geometry, ties: str = "first") -> MaxPool:
    return MaxPool(geometry.kernel, geometry.stride, geometry.padding, ties)  # type: ignore[arg-type]


@st.composite
def geometries(draw: st.DrawFn) -> Geometry:
    """Any small geometry in which at least one window fits."""
    kernel = (draw(st.integers(1, 3)), draw(st.integers(1, 3)))
    padding = (draw(st.integers(0, kernel[0] // 2)), draw(st.integers(0, kernel[1] // 2)))
    stride = (draw(st.integers(1, 4)), draw(st.integers(1, 4)))
    low = [max(1, k - 2 * p) for k, p in zip(kernel, padding, strict=True)]
    size = (draw(st.integers(low[0], 6)), draw(st.integers(low[1], 6)))
    return Geometry(kernel, stride, padding, size)


@st.composite
def inputs(draw: st.DrawFn, few_values: bool = True) -> tuple[Geometry, Array, Array]:
    """A geometry with an x (H, W), full of ties or without one, and a delta (Ho, Wo)."""
    geometry = draw(geometries())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if few_values:
        x = rng.integers(-1, 2, geometry.size).astype(np.float64)
    else:
        ranks = rng.permutation(geometry.size[0] * geometry.size[1]).astype(np.float64)
        x = ranks.reshape(geometry.size) - 5.0
    delta = rng.integers(-9, 10, geometry.windows) / 4
    return geometry, x, delta
