"""Windows as index arithmetic: membership masks, and what a window or an array holds.

Omega(k,l): k*sh - ph <= i < k*sh - ph + kh and 0 <= i < H, and likewise for the column.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from engine.formula.axes import Array, Axed, Axes


class Batch(Protocol):
    """Random inputs of one geometry, as engine/trials.py draws them."""

    @property
    def kernel(self) -> tuple[int, int]: ...
    @property
    def stride(self) -> tuple[int, int]: ...
    @property
    def padding(self) -> tuple[int, int]: ...
    @property
    def x(self) -> Array: ...
    @property
    def delta(self) -> Array: ...
    @property
    def f(self) -> Array: ...


@dataclass(frozen=True, slots=True)
class Inputs:
    """Some of a batch: x (B,H,W), delta and f (B,Ho,Wo)."""

    kernel: tuple[int, int]
    stride: tuple[int, int]
    padding: tuple[int, int]
    x: Array
    delta: Array
    f: Array
    tables: dict[tuple[str, str], tuple[Array, ...]] = field(default_factory=dict, compare=False)
    """An operator over each window, or over a whole array, once it was asked for."""

    @property
    def roomy(self) -> bool:
        """Whether a window is so much smaller than the input that it pays to look at it alone."""
        (height, width), (kh, kw) = self.sizes["input"], self.kernel
        return 2 * kh * kw <= height * width

    def some(self, part: slice) -> Inputs:
        arrays = (self.x[part], self.delta[part], self.f[part])
        return Inputs(self.kernel, self.stride, self.padding, *arrays)

    @property
    def sizes(self) -> dict[str, tuple[int, int]]:
        return {
            "input": (self.x.shape[1], self.x.shape[2]),
            "output": (self.f.shape[1], self.f.shape[2]),
        }

    def scalars(self) -> dict[str, float]:
        height, width = self.sizes["input"]
        high, wide = self.sizes["output"]
        pairs = (*self.kernel, *self.stride, *self.padding, height, width, high, wide)
        names = ("kh", "kw", "sh", "sw", "ph", "pw", "H", "W", "Ho", "Wo")
        return dict(zip(names, map(float, pairs), strict=True))


def exists(inputs: Inputs, axes: Axes, window: tuple[Axed, Axed]) -> Axed | None:
    """Where there is an output `window`; None: everywhere."""
    sizes = inputs.sizes["output"]
    if all(axes.counts(of, size) is not None for of, size in zip(window, sizes, strict=True)):
        return None
    (rows, columns), union = axes.aligned(*window)
    inside = (rows >= 0) & (rows < sizes[0]) & (columns >= 0) & (columns < sizes[1])
    return None if inside.all() else Axed(inside, union)


def covers(inputs: Inputs, axes: Axes, place: tuple[Axed, Axed], window: tuple[Axed, Axed]) -> Axed:
    """Where the input `place` lies in Omega of the output `window`."""
    sides = []
    for side in (0, 1):
        (at, of), union = axes.aligned(place[side], window[side])
        first = of * inputs.stride[side] - inputs.padding[side]
        inside = (at >= first) & (at < first + inputs.kernel[side])
        inside &= (at >= 0) & (at < inputs.sizes["input"][side])
        inside &= (of >= 0) & (of < inputs.sizes["output"][side])
        sides.append(Axed(inside, union))
    (rows, columns), union = axes.aligned(*sides)
    return Axed(rows & columns, union)


def gather(
    axes: Axes, array: Array, row: Axed, column: Axed, margin: tuple[int, int] = (0, 0)
) -> Axed:
    """array[b, row, column]; NaN, "undefined", where the place does not exist.

    As far out as `margin` (rows, columns) the array is padded with minus infinity.
    """
    down, across = axes.counts(row, array.shape[1]), axes.counts(column, array.shape[2])
    if down is not None and across is not None and down != across:
        if down < across:
            return Axed(array, (0, down, across))
        return Axed(array.swapaxes(1, 2), (0, across, down))
    whole = Axed(np.zeros((array.shape[0],)), (0,))
    (_, rows, columns), union = axes.aligned(whole, row, column)
    whole_numbers = (rows == np.floor(rows)) & (columns == np.floor(columns))
    exists = whole_numbers & _within(array, rows, columns, (0, 0))
    padded = whole_numbers & _within(array, rows, columns, margin)
    batch = np.arange(array.shape[0]).reshape(-1, *[1] * (len(union) - 1))
    low = np.where(exists, rows, 0).astype(np.intp)
    wide = np.where(exists, columns, 0).astype(np.intp)
    outside = np.where(padded, -np.inf, np.nan)
    return Axed(np.where(exists, array[batch, low, wide], outside), union)


def _within(array: Array, rows: Array, columns: Array, margin: tuple[int, int]) -> Array:
    down, across = margin
    along: Array = (rows >= -down) & (rows < array.shape[1] + down)
    return np.asarray(along & (columns >= -across) & (columns < array.shape[2] + across))


def windows_of(inputs: Inputs) -> tuple[Array, Array, Array]:
    """Each window's values (B,Ho,Wo,kh*kw), NaN in the padding, and their rows and columns."""
    (height, width), (high, wide) = inputs.sizes["input"], inputs.sizes["output"]
    (kh, kw), (sh, sw), (ph, pw) = inputs.kernel, inputs.stride, inputs.padding
    rows = np.arange(high)[:, None] * sh - ph + np.arange(kh)
    columns = np.arange(wide)[:, None] * sw - pw + np.arange(kw)
    rows, columns = np.broadcast_arrays(rows[:, None, :, None], columns[None, :, None, :])
    exists = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    values = inputs.x[:, np.where(exists, rows, 0), np.where(exists, columns, 0)]
    values = np.where(exists, values, np.nan)
    flat = (high, wide, kh * kw)
    return values.reshape(-1, *flat), rows.reshape(flat), columns.reshape(flat)


def folded(kind: str, values: Array, exists: Array) -> Array:
    """`kind` (sum, max, count, ...) along the last axis, over what exists.

    Of nothing the sum and the count are 0, the maximum is minus infinity, the minimum plus
    infinity, and mean and place are undefined.
    """
    count: Array = exists.sum(-1)
    if kind == "count":
        return np.asarray(count, dtype=np.float64)
    if kind in ("sum", "mean"):
        total: Array = np.where(exists, values, 0.0).sum(-1)
        return total if kind == "sum" else np.divide(total, np.where(count, count, np.nan))
    low = kind in ("min", "argmin")
    kept = np.where(exists, values, np.inf if low else -np.inf)
    kept = np.where(exists & np.isnan(values), np.nan, kept)
    if kind in ("max", "min"):
        best: Array = kept.min(-1) if low else kept.max(-1)
        return best
    ahead = kept.argmin(-1) if low else kept.argmax(-1)
    chosen = np.take_along_axis(exists, ahead[..., None], -1)[..., 0]
    # An infinite value must not lose to a cell that does not exist.
    first = np.where(chosen, ahead, exists.argmax(-1))
    defined = (count > 0) & ~np.isnan(kept).any(-1)
    return np.asarray(np.where(defined, first, np.nan))
