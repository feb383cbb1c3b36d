"""Small random batches whose forward message comes from plain loops."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SmallBatch:
    kernel: tuple[int, int]
    stride: tuple[int, int]
    padding: tuple[int, int]
    x: Array
    delta: Array
    f: Array

    def omega(self, k: int, l: int) -> list[tuple[int, int]]:  # noqa: E741
        """The input coordinates of window (k,l), row by row."""
        top, left = (at * s - p for at, s, p in zip((k, l), self.stride, self.padding, strict=True))
        return [
            (i, j)
            for i in range(top, top + self.kernel[0])
            for j in range(left, left + self.kernel[1])
            if 0 <= i < self.x.shape[1] and 0 <= j < self.x.shape[2]
        ]


def small_batch(
    size: tuple[int, int],
    kernel: tuple[int, int],
    stride: tuple[int, int],
    padding: tuple[int, int] = (0, 0),
    seed: int = 0,
) -> SmallBatch:
    """Three inputs of integers with repeats, distinct deltas."""
    draw = np.random.default_rng(seed)
    x = draw.integers(-2, 3, (3, *size)).astype(np.float64)
    high, wide = (
        (n + 2 * p - k) // s + 1 for n, k, s, p in zip(size, kernel, stride, padding, strict=True)
    )
    order = draw.permutation(3 * high * wide).astype(np.float64)
    delta = order.reshape(3, high, wide) + 1.0
    batch = SmallBatch(kernel, stride, padding, x, delta, np.zeros((3, high, wide)))
    for b, k, l in np.ndindex(3, high, wide):  # noqa: E741
        batch.f[b, k, l] = max(x[b, i, j] for i, j in batch.omega(k, l))
    return batch


APART = small_batch((5, 4), (2, 2), (2, 2))
OVERLAPPING = small_batch((4, 5), (3, 2), (1, 1), (1, 0), seed=1)
GAPS = small_batch((5, 5), (2, 1), (3, 2), seed=2)
ALL = (APART, OVERLAPPING, GAPS)
