"""Arrays with named axes: each index of a formula is an axis, the batch is axis 0."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
#: Cells of one array; 8 bytes each, a handful alive at once.
MAX_CELLS: Final = 1_000_000
#: Cells of all arrays of one evaluation: bounds its time.
MAX_WORK: Final = 12_000_000


class TooLargeError(Exception):
    """One array would exceed MAX_CELLS: fewer inputs at a time may do."""


class TooMuchError(Exception):
    """The whole would exceed MAX_WORK."""


@dataclass(frozen=True, slots=True)
class Axed:
    """`data` has one dimension an axis, in the ascending order of `axes`."""

    data: Array
    axes: tuple[int, ...]


class Axes:
    """The axes in use with their sizes, and the cells spent so far."""

    def __init__(self, batch: int, spent: int = 0) -> None:
        self.sizes = [batch]
        self.spent = spent
        self._counts: dict[int, Array] = {}

    def new(self, size: int, start: int = 0) -> Axed:
        """A new axis, as the index that counts along it."""
        axis = len(self.sizes)
        self.sizes.append(size)
        data = np.arange(start, start + size, dtype=np.float64)
        if start == 0:
            self._counts[axis] = data
        return Axed(data, (axis,))

    def counts(self, value: Axed, size: int) -> int | None:
        """The axis along which `value` counts 0, 1, ..., size - 1; None where it does not."""
        if len(value.axes) != 1 or self.sizes[value.axes[0]] != size:
            return None
        return value.axes[0] if self._counts.get(value.axes[0]) is value.data else None

    def aligned(self, *values: Axed) -> tuple[list[Array], tuple[int, ...]]:
        """The arrays, made to broadcast against each other, and their common axes."""
        union = tuple(sorted({axis for value in values for axis in value.axes}))
        cells = math.prod(self.sizes[axis] for axis in union)
        if cells > MAX_CELLS:
            raise TooLargeError
        self.spent += cells
        if self.spent > MAX_WORK:
            raise TooMuchError
        return [_expanded(value, union) for value in values], union

    def full(self, value: Axed, axes: tuple[int, ...]) -> Axed:
        """`value` repeated along `axes` that it does not have."""
        union = tuple(sorted({*value.axes, *axes}))
        shape = tuple(self.sizes[axis] for axis in union)
        if math.prod(shape) > MAX_CELLS:
            raise TooLargeError
        return Axed(np.broadcast_to(_expanded(value, union), shape), union)


def _expanded(value: Axed, union: tuple[int, ...]) -> Array:
    if value.axes == union:
        return value.data
    kept = iter(value.data.shape)
    return value.data.reshape([next(kept) if axis in value.axes else 1 for axis in union])


def constant(value: float | bool) -> Axed:
    return Axed(np.asarray(value), ())
