"""Where the windows of a layer lie: what may be asked for, and how they fall on one input."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[Any]
"""An array of any of the dtypes that pooling takes."""
Mask: TypeAlias = NDArray[np.bool_]
Pair: TypeAlias = tuple[int, int]
Shape: TypeAlias = tuple[int, ...]

#: The largest kernel, stride, padding or dilation: their products then stay within int64.
LARGEST: Final = 2**31 - 1
#: Inputs have rows and columns; or one axis, or three.
MOST_AXES: Final = 3


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows of `kernel` cells at steps of `stride`, over an input with padding around it.

    One number for each of the input's last axes (H, W).  Omega(k, l), the input coordinates of
    window (k, l), are the rows k·sh − ph + a·dh and the columns l·sw − pw + b·dw for 0 <= a < kh,
    0 <= b < kw, as far as they lie inside the input.
    """

    kernel: Shape
    stride: Shape
    padding: Shape
    """Before the first row and column; as much follows the last, unless `after` differs."""
    dilation: Shape = ()
    """Steps between a window's cells; left out, 1 for each axis."""
    after: Shape | None = None
    ceil_mode: bool = False
    """Whether a last window that the padded input only holds in part counts too."""

    @classmethod
    def of(
        cls,
        kernel: object,
        stride: object = None,
        padding: object = 0,
        dilation: object = 1,
        ceil_mode: bool = False,
    ) -> Windows:
        """Read an int for all axes or a number for each; the stride defaults to the kernel.

        The kernel says how many axes there are: an int means two.  Each padding may be a pair
        (before, after) of its own.  Raises ValueError where a kernel, stride or dilation is below
        1, or a padding is negative or above half the kernel.
        """
        dims = len(kernel) if isinstance(kernel, (tuple, list)) else 2
        if not 1 <= dims <= MOST_AXES:
            raise ValueError(f"kernel is {kernel!r}: 1 to {MOST_AXES} integers are allowed")
        sides = _numbers("kernel", kernel, dims, least=1)
        steps = sides if stride is None else _numbers("stride", stride, dims, least=1)
        apart = _numbers("dilation", dilation, dims, least=1)
        before, after = _margins(padding, dims)
        if any(2 * p > k for p, k in zip(before + after, sides * 2, strict=True)):
            raise ValueError(f"padding is {padding!r}: at most half the kernel {sides} is allowed")
        return cls(sides, steps, before, apart, None if after == before else after, bool(ceil_mode))

    def output_shape(self, *size: int) -> Shape:
        """Return the number of windows along each axis; raises ValueError where none fits."""
        return self.over(size).counts

    @lru_cache(maxsize=256)  # noqa: B019 (a value: nothing is kept alive that counts)
    def over(self, size: Shape) -> Laid:
        """Lay the windows over an input of one size; raises ValueError where none fits.

        Cells that lie in the padding in every window are left out of the kernel.
        """
        if min(size) < 1:
            raise ValueError(f"x has {_sides(size)}: at least 1 is allowed")
        dilation = self.dilation or (1,) * len(size)
        after = self.padding if self.after is None else self.after
        axes = [
            self._axis(*numbers)
            for numbers in zip(
                size, self.kernel, self.stride, self.padding, after, dilation, strict=True
            )
        ]
        if None in axes:
            spans = tuple((k - 1) * d + 1 for k, d in zip(self.kernel, dilation, strict=True))
            dilated = f", dilated to {spans}" if spans != self.kernel else ""
            padded = tuple(sum(n) for n in zip(size, self.padding, after, strict=True))
            raise ValueError(
                f"kernel is {self.kernel}{dilated}: at most the padded input {padded} fits"
            )
        counts, kernel, origin = zip(*(axis for axis in axes if axis), strict=True)
        return Laid(tuple(size), counts, kernel, self.stride, dilation, origin)

    def _axis(self, n: int, k: int, s: int, before: int, after: int, d: int) -> Shape | None:
        """Return count, kernel and origin along one axis, or None where no window fits."""
        room = n + before + after - ((k - 1) * d + 1)
        count = (room + (s - 1 if self.ceil_mode else 0)) // s + 1
        if self.ceil_mode and (count - 1) * s >= n + before:
            count -= 1  # it would start in the padding behind the input
        if count < 1:
            return None
        if d > 1 and before:
            _no_empty_window(n, k, s, before, d, count)
        # The first window reaches furthest back, and the last one furthest forward.
        lead = max(0, -(-(before - (count - 1) * s) // d))
        last = min(k - 1, (n - 1 + before) // d)
        return count, last - lead + 1, lead * d - before


@dataclass(frozen=True, slots=True)
class Laid:
    """Windows laid over an input of one `size`: window k starts at k·stride + `origin`."""

    size: Shape
    counts: Shape
    """How many windows along each axis: the size of the output."""
    kernel: Shape
    stride: Shape
    dilation: Shape
    origin: Shape

    @property
    def overlap(self) -> bool:
        """Whether some input lies in two windows."""
        axes = zip(self.counts, self.stride, self.kernel, self.dilation, strict=True)
        return any(n > 1 and s < (k - 1) * d + 1 for n, s, k, d in axes)

    @property
    def spans(self) -> Shape:
        """How many inputs, padding included, all windows together reach over along each axis."""
        axes = zip(self.counts, self.kernel, self.stride, self.dilation, strict=True)
        return tuple((n - 1) * s + (k - 1) * d + 1 for n, k, s, d in axes)

    @property
    def cells(self) -> list[Shape]:
        """The cells of a window, (a, b) in row-major order."""
        return list(product(*(range(k) for k in self.kernel)))

    def taps(self) -> Iterator[tuple[int, tuple[slice, ...], tuple[slice, ...]]]:
        """For each cell of a window: its number, which windows have it inside the input, and where.

        Two tuples of slices of the same shape: into the output's axes, and into the input's.
        """
        for number, cell in enumerate(self.cells):
            axes = [self._tap(axis, a) for axis, a in enumerate(cell)]
            if all(axes):
                windows, inputs = zip(*(axis for axis in axes if axis), strict=True)
                yield number, windows, inputs

    def _tap(self, axis: int, a: int) -> tuple[slice, slice] | None:
        """Cell a along one axis: the windows that have it inside, and the inputs it is."""
        start, step = self.origin[axis] + a * self.dilation[axis], self.stride[axis]
        first = max(0, -(start // step))
        last = min(self.counts[axis] - 1, (self.size[axis] - 1 - start) // step)
        if first > last:
            return None
        at = start + first * step
        return slice(first, last + 1), slice(at, at + (last - first) * step + 1, step)

    def corners(self, rows: int | None = None) -> NDArray[np.intp]:
        """Return the flat index of each window's cell (0, 0), outside the input if padded.

        Of the first `rows` of windows, or of all.
        """
        counts = (self.counts[0] if rows is None else rows, *self.counts[1:])
        flat = np.zeros(counts, dtype=np.intp)
        for axis, weight in enumerate(self.weights()):
            starts = np.arange(counts[axis]) * self.stride[axis] + self.origin[axis]
            flat += (starts * weight).reshape(-1, *[1] * (len(counts) - axis - 1))
        return flat

    def steps(self) -> NDArray[np.intp]:
        """Return how far each cell of a window lies behind its cell (0, 0) in the flat input."""
        strides = [w * d for w, d in zip(self.weights(), self.dilation, strict=True)]
        return np.array([sum(map(int.__mul__, cell, strides)) for cell in self.cells], np.intp)

    def weights(self) -> list[int]:
        """What one step along each axis adds to a flat index."""
        return [prod(self.size[axis + 1 :]) for axis in range(len(self.size))]


def _no_empty_window(n: int, k: int, s: int, before: int, d: int, count: int) -> None:
    """Raise ValueError where the cells of a window step over the input altogether."""
    for start in range(-before, min(0, (count - 1) * s - before + 1), s):
        a = -(start // d)
        if a >= k or start + a * d >= n:
            raise ValueError(
                f"dilation is {d}: with padding {before} a window's cells would step over "
                f"all {n} inputs; at most {max(1, n)} is allowed"
            )


def _sides(size: Shape) -> str:
    names = ("planes", "rows", "columns")[-len(size) :] if len(size) > 1 else ("inputs",)
    return " and ".join(f"{n} {name}" for n, name in zip(size, names, strict=True))


def _margins(padding: object, dims: int) -> tuple[Shape, Shape]:
    """Read the padding before and after each axis."""
    if isinstance(padding, (tuple, list)) and any(isinstance(p, (tuple, list)) for p in padding):
        each = [_numbers("padding", p, 2, least=0) for p in padding]
        if len(each) != dims:
            raise ValueError(f"padding is {padding!r}: {dims} of them are allowed")
        return tuple(p[0] for p in each), tuple(p[1] for p in each)
    margins = _numbers("padding", padding, dims, least=0)
    return margins, margins


def _numbers(name: str, value: object, dims: int, least: int) -> Shape:
    each = tuple(value) if isinstance(value, (tuple, list)) else (value,) * dims
    numbers = tuple(
        int(n) for n in each if isinstance(n, (int, np.integer)) and not isinstance(n, bool)
    )
    if len(each) != dims or len(numbers) != dims or min(numbers) < least:
        several = {1: "one of them alone", 2: "a pair of them"}.get(dims, f"{dims} of them")
        raise ValueError(
            f"{name} is {value!r}: an integer of at least {least}, or {several}, is allowed"
        )
    if max(numbers) > LARGEST:
        raise ValueError(f"{name} is {value!r}: at most {LARGEST} is allowed")
    return numbers
