"""One block of planes: turned inward, reduced, put right where a window is odd, turned back."""

from __future__ import annotations

from math import prod
from typing import Final

import numpy as np

from engine.pooling.separable import Reduction, Task, along
from engine.pooling.workspace import Workspace
from engine.windows import Laid, Numbers, Shape

#: Planes that are turned at once: the lines that they lie on stay in the nearest cache.
TILE: Final = 256
#: Windows in a plane that are rather written one by one, each for all planes.
FEW: Final = 4


class BlockPool:
    """One worker's way through the blocks of a call."""

    def __init__(self, task: Task, work: Workspace) -> None:
        self._task, self._work = task, work
        self._shape: Shape = ()
        self._reduction: Reduction

    def pool(self, x: Numbers, f: Numbers, cells: Numbers | None, start: int) -> None:
        """Write the largest of each window into f, and its cell's number into `cells` if given.

        x (B, H, W) are whole planes; f and cells (B, rows, Wo) their windows from row `start` on.
        """
        if f.shape != self._shape:
            self._shape = f.shape
            self._reduction = Reduction(self._task, f.shape[1:], len(f), self._work)
        reduction = self._reduction
        padded = _load(x, reduction.block, start, self._task)
        reduction.run()
        best, won = reduction.best, reduction.won
        _store(best, f)
        if cells is None:
            return
        if padded:
            _never_the_padding(best, won, start, self._task)
        if best.dtype.kind == "f" and np.isnan(best.max()):
            _the_last_nan(reduction.block, best, won, self._task.laid)
        _store(won, cells)


def _load(x: Numbers, block: Numbers, start: int, task: Task) -> bool:
    """Fill the block with what the windows cover; return whether padding is part of it."""
    laid, inside, source = task.laid, [], []
    for axis, span in enumerate(block.shape[:-1]):
        origin = laid.origin[axis] + (start * laid.stride[axis] if axis == 0 else 0)
        low = min(span, max(0, -origin))
        high = max(low, min(span, laid.size[axis] - origin))
        inside.append(slice(low, high))
        source.append(slice(origin + low, origin + high))
    within, planes = block[tuple(inside)], x[(slice(None), *source)]
    for first in range(0, len(x), TILE):
        some = slice(first, first + TILE)
        within[..., some] = _inward(planes[some])
    padded = False
    for axis, (inner, span) in enumerate(zip(inside, block.shape, strict=False)):
        for margin in (slice(0, inner.start), slice(inner.stop, span)):
            if margin.start < margin.stop:
                padded = True
                block[along(axis, margin)] = task.lowest
    return padded


def _never_the_padding(best: Numbers, won: Numbers, start: int, task: Task) -> None:
    """Where all of a window is as low as the padding, let a cell inside the input win."""
    lowest = best == task.lowest
    if not lowest.any():
        return
    taps = list(task.laid.taps())
    for number, windows, _ in taps if task.last else reversed(taps):
        rows = slice(max(0, windows[0].start - start), max(0, windows[0].stop - start))
        at = (rows, *windows[1:])
        won[at][lowest[at]] = number


def _the_last_nan(block: Numbers, best: Numbers, won: Numbers, laid: Laid) -> None:
    """Where a window holds a NaN, its last one wins, as in PyTorch."""
    axes = list(zip(best.shape, laid.stride, laid.dilation, strict=False))
    for number, cell in enumerate(laid.cells):
        at = tuple(
            slice(a * d, a * d + (n - 1) * s + 1, s)
            for a, (n, s, d) in zip(cell, axes, strict=True)
        )
        np.copyto(won, won.dtype.type(number), where=np.isnan(block[at]))


def _inward(planes: Numbers) -> Numbers:
    """View (B, H, W) as (H, W, B)."""
    return planes.transpose(*range(1, planes.ndim), 0)


def _store(block: Numbers, planes: Numbers) -> None:
    """Turn (H, W, B) outward, into (B, H, W)."""
    counts = block.shape[:-1]
    if prod(counts) > FEW:
        planes[...] = block.transpose(len(counts), *range(len(counts)))
        return
    # One by one, or NumPy's inner loop would be as short as there are windows.
    for window in np.ndindex(*counts):
        at: tuple[slice | int, ...] = (slice(None), *window)
        planes[at] = block[window]
