"""Windows laid over an input of one size: how many there are, and which inputs each one holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import gcd, prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[Any]
"""An array of any of the dtypes that pooling takes."""
Mask: TypeAlias = NDArray[np.bool_]
Shape: TypeAlias = tuple[int, ...]


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
    def shared(self) -> int:
        """In how many windows at most one input lies."""
        axes = zip(self.counts, self.kernel, self.stride, self.dilation, strict=True)
        return prod(min(n, -(-k // (s // gcd(s, d)))) for n, k, s, d in axes)

    @property
    def spans(self) -> Shape:
        """How many inputs, padding included, all windows together reach over along each axis."""
        axes = zip(self.counts, self.kernel, self.stride, self.dilation, strict=True)
        return tuple((n - 1) * s + (k - 1) * d + 1 for n, k, s, d in axes)

    @property
    def cells(self) -> list[Shape]:
        """The cells of a window, (a, b) in row-major order."""
        return list(product(*(range(k) for k in self.kernel)))

    def taps(
        self, rows: slice | None = None
    ) -> Iterator[tuple[int, tuple[slice, ...], tuple[slice, ...]]]:
        """For each cell of a window: its number, which windows have it inside the input, and where.

        Two tuples of slices of the same shape: into the output's axes, and into the input's.  Of
        all windows, or of those in some rows.
        """
        for number, cell in enumerate(self.cells):
            axes = [self._tap(axis, a, rows) for axis, a in enumerate(cell)]
            if all(axes):
                windows, inputs = zip(*(axis for axis in axes if axis), strict=True)
                yield number, windows, inputs

    def _tap(self, axis: int, a: int, rows: slice | None) -> tuple[slice, slice] | None:
        """Cell a along one axis: the windows that have it inside, and the inputs it is."""
        start, step = self.origin[axis] + a * self.dilation[axis], self.stride[axis]
        least, most = (rows.start, rows.stop) if rows and not axis else (0, self.counts[axis])
        first = max(least, -(start // step))
        last = min(most - 1, (self.size[axis] - 1 - start) // step)
        if first > last:
            return None
        at = start + first * step
        return slice(first, last + 1), slice(at, at + (last - first) * step + 1, step)

    def starts(self, axis: int) -> NDArray[np.intp]:
        """Return where along an axis the first cell of each window lies, before 0 if padded."""
        return np.arange(self.counts[axis]) * self.stride[axis] + self.origin[axis]

    @property
    def hollow(self) -> Mask | None:
        """Which windows (Ho, Wo) step over the input altogether; None if none does.

        Only a dilated window can that begins in the padding.
        """
        if set(self.dilation) == {1}:
            return None
        hollow = np.zeros(self.counts, np.bool_)
        for axis, (n, k, d) in enumerate(zip(self.size, self.kernel, self.dilation, strict=True)):
            starts = self.starts(axis)
            over = (self._entrances(axis) >= n) | (starts + (k - 1) * d < 0)
            hollow |= over.reshape(-1, *[1] * (len(self.counts) - axis - 1))
        return hollow if hollow.any() else None

    def _entrances(self, axis: int) -> NDArray[np.intp]:
        """Where along an axis the first cell of each window lies that is not before 0."""
        starts = self.starts(axis)
        entrances: NDArray[np.intp] = np.where(starts < 0, starts % self.dilation[axis], starts)
        return entrances

    def entrances(self) -> NDArray[np.intp]:
        """Return for each window the flat index of its first cell that lies before no axis' 0."""
        return self._flat([self._entrances(axis) for axis in range(len(self.size))])

    def corners(self, rows: int | None = None) -> NDArray[np.intp]:
        """Return the flat index of each window's cell (0, 0), outside the input if padded.

        Of the first `rows` of windows, or of all.
        """
        each = [self.starts(axis) for axis in range(len(self.size))]
        return self._flat([each[0][:rows], *each[1:]])

    def _flat(self, each: list[NDArray[np.intp]]) -> NDArray[np.intp]:
        """The flat index of each combination of places along the axes."""
        flat = np.zeros([len(places) for places in each], dtype=np.intp)
        for axis, (places, weight) in enumerate(zip(each, self.weights(), strict=True)):
            flat += (places * weight).reshape(-1, *[1] * (len(each) - axis - 1))
        return flat

    def steps(self) -> NDArray[np.intp]:
        """Return how far each cell of a window lies behind its cell (0, 0) in the flat input."""
        strides = [w * d for w, d in zip(self.weights(), self.dilation, strict=True)]
        return np.array([sum(map(int.__mul__, cell, strides)) for cell in self.cells], np.intp)

    def weights(self) -> list[int]:
        """What one step along each axis adds to a flat index."""
        return [prod(self.size[axis + 1 :]) for axis in range(len(self.size))]
