"""The windows of a layer: what may be asked for; engine/laid.py is how they fall on one input."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.laid import Laid, Mask, Numbers, Shape

__all__ = ["Array", "Laid", "Mask", "Numbers", "Pair", "Shape", "Windows", "flag"]

Array: TypeAlias = NDArray[np.float64]
Pair: TypeAlias = tuple[int, int]

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
        kernel = _listed(kernel)
        dims = len(kernel) if isinstance(kernel, (tuple, list)) else 2
        if not 1 <= dims <= MOST_AXES:
            raise ValueError(f"kernel is {kernel!r}: 1 to {MOST_AXES} integers are allowed")
        sides = _numbers("kernel", kernel, dims, least=1)
        steps = sides if stride is None else _numbers("stride", stride, dims, least=1)
        apart = _numbers("dilation", dilation, dims, least=1)
        before, after = _margins(padding, dims)
        if any(2 * p > k for p, k in zip(before + after, sides * 2, strict=True)):
            raise ValueError(f"padding is {padding!r}: at most half the kernel {sides} is allowed")
        ceil = flag("ceil_mode", ceil_mode)
        return cls(sides, steps, before, apart, None if after == before else after, ceil)

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
        # The first window reaches furthest back, and the last one furthest forward.
        lead = max(0, -(-(before - (count - 1) * s) // d))
        last = min(k - 1, (n - 1 + before) // d)
        return count, max(1, last - lead + 1), lead * d - before


def flag(name: str, value: object) -> bool:
    """Read a truth value; raises ValueError where it is none."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ValueError(f"{name} is {value!r}: True or False is allowed")


def _sides(size: Shape) -> str:
    names = ("planes", "rows", "columns")[-len(size) :] if len(size) > 1 else ("inputs",)
    return " and ".join(f"{n} {name}" for n, name in zip(size, names, strict=True))


def _listed(value: object) -> object:
    """An array as the list, or the number, that it holds."""
    return value.tolist() if isinstance(value, np.ndarray) else value


def _margins(padding: object, dims: int) -> tuple[Shape, Shape]:
    """Read the padding before and after each axis."""
    padding = _listed(padding)
    if isinstance(padding, (tuple, list)) and any(isinstance(p, (tuple, list)) for p in padding):
        each = [_numbers("padding", p, 2, least=0) for p in padding]
        if len(each) != dims:
            raise ValueError(f"padding is {padding!r}: {dims} of them are allowed")
        return tuple(p[0] for p in each), tuple(p[1] for p in each)
    margins = _numbers("padding", padding, dims, least=0)
    return margins, margins


def _numbers(name: str, value: object, dims: int, least: int) -> Shape:
    listed = _listed(value)
    each = tuple(listed) if isinstance(listed, (tuple, list)) else (listed,) * dims
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
