"""Where the windows of a layer lie: shapes, cells, and back to the input."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]
Pair: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows of `kernel` (kh, kw) at steps of `stride`, over an input with `padding` around it.

    Omega(k, l), the input coordinates of window (k, l), are the rows k·sh − ph + a and the columns
    l·sw − pw + b for 0 <= a < kh, 0 <= b < kw, as far as they lie inside the input.
    """

    kernel: Pair
    stride: Pair
    padding: Pair

    @classmethod
    def of(cls, kernel: object, stride: object = None, padding: object = 0) -> Windows:
        """Read ints or pairs; the stride defaults to the kernel.

        Raises ValueError where a kernel or stride is below 1, or a padding is negative or above
        half the kernel (a window could then lie in the padding entirely).
        """
        sides = _pair("kernel", kernel, least=1)
        steps = sides if stride is None else _pair("stride", stride, least=1)
        margins = _pair("padding", padding, least=0)
        if any(2 * p > k for p, k in zip(margins, sides, strict=True)):
            raise ValueError(f"padding is {padding!r}: at most half the kernel {sides} is allowed")
        return cls(sides, steps, margins)

    def output_shape(self, height: int, width: int) -> Pair:
        """Return (Ho, Wo); raises ValueError where no window fits the padded input."""
        if min(height, width) < 1:
            raise ValueError(f"x has {height} rows and {width} columns: at least 1 is allowed")
        padded = (height + 2 * self.padding[0], width + 2 * self.padding[1])
        if any(k > size for k, size in zip(self.kernel, padded, strict=True)):
            raise ValueError(f"kernel is {self.kernel}: at most the padded input {padded} fits")
        rows, columns = (
            (size - k) // s + 1 for size, k, s in zip(padded, self.kernel, self.stride, strict=True)
        )
        return rows, columns

    def cells(self, x: Array, outside: float) -> Array:
        """Return the windows of x (..., H, W), padded with `outside`: (..., Ho, Wo, kh, kw)."""
        ph, pw = self.padding
        if ph or pw:
            margins = [(0, 0)] * (x.ndim - 2) + [(ph, ph), (pw, pw)]
            x = np.pad(x, margins, constant_values=outside)
        every: Array = sliding_window_view(x, self.kernel, axis=(-2, -1))
        return every[..., :: self.stride[0], :: self.stride[1], :, :]

    def inside(self, height: int, width: int) -> Mask:
        """Return (Ho, Wo, kh, kw): which cells of the windows lie in the input."""
        inside: Mask = self.cells(np.ones((height, width)), outside=0.0) > 0
        return inside

    def gather(self, cells: Array, size: Pair) -> Array:
        """Sum what the windows' cells (..., Ho, Wo, kh, kw) send to each input: (..., H, W)."""
        padded = np.zeros(cells.shape[:-4] + self._padded(size))
        for a, b, rows, columns in self._offsets(cells.shape):
            padded[..., rows, columns] += cells[..., a, b]
        return self._crop(padded, size)

    def spread(self, cells: Array, size: Pair) -> Array:
        """Lay each window's cells (..., Ho, Wo, kh, kw) over an input: (..., Ho, Wo, H, W)."""
        k, l, a, b = np.indices(cells.shape[-4:])  # noqa: E741 (k, l is the window's index)
        padded = np.zeros(cells.shape[:-2] + self._padded(size))
        padded[..., k, l, k * self.stride[0] + a, l * self.stride[1] + b] = cells
        return self._crop(padded, size)

    def _offsets(self, shape: tuple[int, ...]) -> Iterator[tuple[int, int, slice, slice]]:
        """For each place (a, b) of a window, the padded rows and columns it has in all windows."""
        rows, columns, kh, kw = shape[-4:]
        sh, sw = self.stride
        for a in range(kh):
            down = slice(a, a + sh * (rows - 1) + 1, sh)
            for b in range(kw):
                yield a, b, down, slice(b, b + sw * (columns - 1) + 1, sw)

    def _padded(self, size: Pair) -> Pair:
        return size[0] + 2 * self.padding[0], size[1] + 2 * self.padding[1]

    def _crop(self, padded: Array, size: Pair) -> Array:
        ph, pw = self.padding
        return padded[..., ph : ph + size[0], pw : pw + size[1]]


def _pair(name: str, value: object, least: int) -> Pair:
    pair = tuple(value) if isinstance(value, (tuple, list)) else (value, value)
    numbers = [int(n) for n in pair if isinstance(n, (int, np.integer)) and not isinstance(n, bool)]
    if len(pair) != 2 or len(numbers) != 2 or min(numbers) < least:
        raise ValueError(
            f"{name} is {value!r}: an integer of at least {least}, or a pair of them, is allowed"
        )
    return numbers[0], numbers[1]
