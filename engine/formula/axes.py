"""Arrays with named axes, and truth with a third value."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

# -- Arrays with named axes: each index of a formula is an axis, the batch is axis 0.


Array: TypeAlias = NDArray[Any]
Mask: TypeAlias = NDArray[np.bool_]
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


ARITHMETIC: Final[dict[str, Callable[..., Any]]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "//": np.floor_divide,
    "%": np.mod,
    "^": np.power,
}
RELATIONS: Final[dict[str, Callable[..., Any]]] = {
    "==": np.equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    # An undefined value is neither equal to another nor different from it.
    "!=": lambda a, b: (a < b) | (a > b),
}


# -- Conditions on values that may be undefined: true, false, or unknown (Kleene's three values).
#
# A comparison with something undefined is unknown.  A false part of an "and", or a true part of
# an "or", decides it all the same.


#: Applies a function to arrays that are first laid out along their common axes.
Together: TypeAlias = Callable[..., Axed]


@dataclass(frozen=True, slots=True)
class Truth:
    """Where a condition `holds`, and where nobody can say; None: it can be said everywhere."""

    holds: Axed
    unknown: Axed | None = None


def truth_of(together: Together, function: Callable[..., Any], *values: Axed) -> Truth:
    """The comparison of numbers, unknown wherever one of them is undefined."""
    return Truth(together(function, *values), unknown_of(together, *values))


def unknown_of(together: Together, *values: Axed) -> Axed | None:
    """Where one of some numbers is undefined; None: nowhere."""
    gaps = [Axed(gap, value.axes) for value in values if (gap := np.isnan(value.data)).any()]
    return reduce(partial(together, np.logical_or), gaps) if gaps else None


def both(together: Together, one: Truth, two: Truth) -> Truth:
    holds = together(np.logical_and, one.holds, two.holds)
    if one.unknown is None and two.unknown is None:
        return Truth(holds)
    possible = together(np.logical_and, possibly(together, one), possibly(together, two))
    return Truth(holds, together(lambda a, b: a & ~b, possible, holds))


def either(together: Together, one: Truth, two: Truth) -> Truth:
    return negated(together, both(together, negated(together, one), negated(together, two)))


def negated(together: Together, truth: Truth) -> Truth:
    return Truth(together(np.logical_not, possibly(together, truth)), truth.unknown)


def possibly(together: Together, truth: Truth) -> Axed:
    """Where the condition holds or is unknown."""
    if truth.unknown is None:
        return truth.holds
    return together(np.logical_or, truth.holds, truth.unknown)


def hidden(together: Together, value: Axed, truth: Truth) -> Axed:
    """`value`, undefined where the condition that it hangs on is unknown."""
    if truth.unknown is None:
        return value
    return together(lambda a, b: np.where(b, np.nan, a), value, truth.unknown)


# -- Axed arrays of any number of dimensions: reading cells, laying out, folding.


#: The axis of the trials, and that of the inputs' entries by which is differentiated.
BATCH = 0
DIRECTION = 1


def cells(axes: Axes, array: Array, lead: tuple[int, ...], at: Sequence[Axed], hole: float) -> Axed:
    """Return array[lead..., at...], and `hole` where the place does not exist.

    `lead` are the axes of the first dimensions of `array`; each of `at` indexes one more.
    """
    sizes = array.shape[len(lead) :]
    counted = [axes.counts(index, size) for index, size in zip(at, sizes, strict=True)]
    known = [axis for axis in counted if axis is not None]
    if len(known) == len(counted) == len(set(known)):
        order = (*lead, *known)
        ranks = sorted(range(len(order)), key=order.__getitem__)
        return Axed(array.transpose(ranks), tuple(order[rank] for rank in ranks))
    leads = [Axed(np.arange(axes.sizes[axis]), (axis,)) for axis in lead]
    places, union = axes.aligned(*leads, *at)
    exists = np.asarray(True)
    picks = list(places[: len(lead)])
    for place, size in zip(places[len(lead) :], sizes, strict=True):
        fits = (place >= 0) & (place < size) & (place == np.floor(place))
        exists = exists & fits
        picks.append(np.where(fits, place, 0).astype(np.intp))
    return Axed(np.where(exists, array[tuple(picks)], hole), union)


def flattened(axes: Axes, value: Axed, running: tuple[int, ...]) -> tuple[Array, tuple[int, ...]]:
    """`value` with the `running` axes as one, last: its data, and the axes before that one."""
    full = axes.full(value, running)
    axes.spent += full.data.size
    kept = tuple(axis for axis in full.axes if axis not in running)
    order = [full.axes.index(axis) for axis in (*kept, *running)]
    shape = tuple(axes.sizes[axis] for axis in kept)
    return full.data.transpose(order).reshape(*shape, -1), kept


def picked(axes: Axes, data: Array, kept: tuple[int, ...], choice: Axed) -> Axed:
    """data[..., choice] for data over `kept` and one last axis; the union of both's axes."""
    union = tuple(sorted({*kept, *choice.axes}))
    wide = axes.full(Axed(np.zeros([axes.sizes[a] for a in kept]), kept), union)
    shape = [axes.sizes[a] if a in kept else 1 for a in union]
    laid = np.broadcast_to(data.reshape(*shape, data.shape[-1]), (*wide.data.shape, data.shape[-1]))
    index = axes.full(choice, union).data.astype(np.intp)
    return Axed(np.take_along_axis(laid, index[..., None], -1)[..., 0], union)


def widened(partial: Axed, union: tuple[int, ...], shape: tuple[int, ...]) -> Axed:
    """A partial over some broadcast of the union's axes, over all of them."""
    return Axed(np.broadcast_to(partial.data, shape), union) if partial.axes else partial


def with_fallback(alike: Axed, usual: Axed) -> Axed:
    """Alternatives 0 and 1: the usual one, and where `alike` both."""
    options = np.stack([usual.data == 0, usual.data == 1], axis=-1)
    return Axed(options | alike.data[..., None], usual.axes)
