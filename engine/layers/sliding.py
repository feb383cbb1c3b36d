"""Windows that slide over the last axes of an array: where they lie, and back again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.layers.checks import Array, each, flag

Sizes = tuple[int, ...]
#: Picks out of an array's last axes.
Index = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Sliding:
    """Windows over as many trailing axes as there are numbers in each field.

    Along an axis of n inputs, cell a of window k lies at k · stride + a · dilation − before.
    """

    kernel: Sizes
    stride: Sizes
    dilation: Sizes
    before: Sizes
    after: Sizes
    """How much padding stands before and after the inputs."""
    ceil: bool = False
    """Whether a last window may reach past the padding, as long as it starts before its end."""

    @classmethod
    def of(
        cls,
        kernel: Sizes,
        stride: object,
        padding: object,
        dilation: object = 1,
        ceil_mode: bool = False,
    ) -> Sliding:
        """Read one number for all axes or one an axis; padding also (before, after) pairs.

        Raises ValueError for a stride or dilation below 1 or a negative padding.
        """
        axes = len(kernel)
        before, after = _margins(padding, axes)
        steps = kernel if stride is None else each("stride", stride, axes, least=1)
        apart = each("dilation", dilation, axes, least=1)
        return cls(kernel, steps, apart, before, after, flag("ceil_mode", ceil_mode))

    @property
    def span(self) -> Sizes:
        """How many inputs a window stretches over along each axis."""
        return tuple((k - 1) * d + 1 for k, d in zip(self.kernel, self.dilation, strict=True))

    def windows(self, sizes: Sizes) -> Sizes:
        """Return how many windows there are; raises ValueError where none fits."""
        counts = []
        sides = zip(sizes, self.span, self.stride, self.before, self.after, strict=True)
        for size, span, stride, before, after in sides:
            room = size + before + after - span
            if size < 1 or room < 0:
                raise ValueError(
                    f"x has {sizes} inputs along its last axes: windows that stretch over "
                    f"{self.span}, in a padding of {self.before} and {self.after}, do not fit"
                )
            count = (-(-room // stride) if self.ceil else room // stride) + 1
            # A last window that lies in the padding behind entirely does not count.
            counts.append(count - (self.ceil and (count - 1) * stride >= size + before))
        return tuple(counts)

    def padded(self, x: Array, fill: float) -> Array:
        """Return x with `fill` around it, as far as the windows reach."""
        sizes = x.shape[-len(self.kernel) :]
        margins = [(0, 0)] * (x.ndim - len(sizes))
        for size, end, before in zip(sizes, self.ends(sizes), self.before, strict=True):
            margins.append((before, max(0, end - size - before)))
        if not any(low or high for low, high in margins):
            return x
        return np.pad(x, margins, constant_values=fill)

    def parts(self, sizes: Sizes) -> Iterator[tuple[Sizes, Index]]:
        """Yield each cell of the kernel, with the padded inputs that it meets in all windows."""
        counts = self.windows(sizes)
        for cell in np.ndindex(*self.kernel):
            slices = (
                slice(a * d, a * d + s * (count - 1) + 1, s)
                for a, d, s, count in zip(cell, self.dilation, self.stride, counts, strict=True)
            )
            yield cell, (..., *slices)

    def empty(self, lead: Sizes, sizes: Sizes, dtype: np.dtype) -> Array:
        """Return zeros for messages to be added into, (*lead, *padded sizes)."""
        return np.zeros((*lead, *self.ends(sizes)), dtype)

    def cropped(self, padded: Array, sizes: Sizes) -> Array:
        """Return the part of a padded array that belongs to the inputs."""
        inner = (slice(b, b + n) for b, n in zip(self.before, sizes, strict=True))
        index: Index = (..., *inner)
        return padded[index]

    def ends(self, sizes: Sizes) -> Sizes:
        """The padded sizes: as far as padding and windows reach."""
        sides = zip(
            sizes, self.windows(sizes), self.stride, self.span, self.before, self.after, strict=True
        )
        return tuple(max(n + b + a, (count - 1) * s + w) for n, count, s, w, b, a in sides)


def _margins(padding: object, axes: int) -> tuple[Sizes, Sizes]:
    padding = padding.tolist() if isinstance(padding, np.ndarray) else padding
    if isinstance(padding, (tuple, list)) and any(isinstance(p, (tuple, list)) for p in padding):
        pairs = [each("padding", pair, 2, least=0) for pair in padding]
        if len(pairs) != axes:
            raise ValueError(f"padding is {padding!r}: {axes} pairs are allowed")
        return tuple(low for low, _ in pairs), tuple(high for _, high in pairs)
    same = each("padding", padding, axes, least=0)
    return same, same
