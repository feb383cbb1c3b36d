"""The forward message of one block: the largest of each window, and which cell it is.

The maximum over a window is the maximum over its rows of the maximum along each row, so one axis
is reduced at a time, the last one first.  A later cell replaces the best so far only if it is
*greater*: so along a row the first column wins a tie, and between rows the first row, which
together is the window's first maximum in row-major order.  ("Last": greater or equal.)

Inside a block the planes are the innermost axis, so that NumPy's loops run over contiguous
stretches whatever the stride is; and the block is small enough to stay in the cache.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, Final

import numpy as np

from engine.pooling.workspace import Workspace
from engine.windows import Laid, Numbers, Shape

#: Planes that are turned inward at once: the lines that they lie on stay in the nearest cache.
TILE: Final = 256


@dataclass(frozen=True, slots=True)
class Task:
    """What the blocks of one call have in common."""

    laid: Laid
    working: np.dtype[Any]
    """What is computed in."""
    lowest: float | int
    """What the padding holds."""
    cell_type: np.dtype[Any]
    """The smallest unsigned integer that numbers a window's cells."""
    last: bool
    """Whether the last of several equal maxima wins, not the first."""

    @classmethod
    def of(cls, laid: Laid, dtype: np.dtype[Any], last: bool = False) -> Task:
        """For an input of this type."""
        # NumPy has no fast arithmetic for halves: as singles they are exactly the same numbers.
        working = np.dtype(np.float32) if dtype == np.float16 else dtype
        lowest = -np.inf if dtype.kind == "f" else int(np.iinfo(dtype).min)
        return cls(laid, working, lowest, np.min_scalar_type(prod(laid.kernel) - 1), last)


def pool_block(
    x: Numbers, f: Numbers, cells: Numbers | None, start: int, task: Task, work: Workspace
) -> None:
    """Write the largest of each window into f, and its cell's number into `cells` if given.

    x (B, H, W) are whole planes; f and cells (B, rows, Wo) are their windows from row `start` on.
    """
    counts = f.shape[1:]
    block, padded = _load(x, counts, start, task, work)
    best, won = block, None
    for axis in reversed(range(len(counts))):
        best, won = _reduce(best, won, axis, counts[axis], cells is not None, task, work)
    f[...] = _outward(best)
    if cells is None:
        return
    if won is None:  # a kernel of one cell
        won = np.zeros(best.shape, task.cell_type)
    if padded:
        _never_the_padding(best, won, start, task)
    if best.dtype.kind == "f" and np.isnan(best.max()):
        _the_last_nan(block, best, won, task.laid)
    cells[...] = _outward(won)


def _load(
    x: Numbers, counts: Shape, start: int, task: Task, work: Workspace
) -> tuple[Numbers, bool]:
    """Return what the windows cover, (rows, columns, B), and whether padding is part of it."""
    laid = task.laid
    spans, inside, source = [], [], []
    for axis, count in enumerate(counts):
        s, d = laid.stride[axis], laid.dilation[axis]
        origin = laid.origin[axis] + (start * s if axis == 0 else 0)
        span = (count - 1) * s + (laid.kernel[axis] - 1) * d + 1
        low, high = max(0, -origin), min(span, laid.size[axis] - origin)
        spans.append(span)
        inside.append(slice(low, high))
        source.append(slice(origin + low, origin + high))
    block = work.array("block", (*spans, len(x)), task.working)
    within, planes = block[tuple(inside)], x[(slice(None), *source)]
    for first in range(0, len(x), TILE):
        some = slice(first, first + TILE)
        within[..., some] = _inward(planes[some])
    padded = False
    for axis, (inner, span) in enumerate(zip(inside, spans, strict=True)):
        for margin in (slice(0, inner.start), slice(inner.stop, span)):
            if margin.start < margin.stop:
                padded = True
                block[_along(axis, margin)] = task.lowest
    return block, padded


def _reduce(
    values: Numbers,
    won: Numbers | None,
    axis: int,
    count: int,
    track: bool,
    task: Task,
    work: Workspace,
) -> tuple[Numbers, Numbers | None]:
    """Reduce one axis of `values` (..., B) to `count` windows.

    `won` numbers the cell, among those of the axes reduced before, that each value comes from
    (None: there is but one).  A cell one step further along this axis has a number larger by all
    of those, so whoever wins later has the larger number.
    """
    laid = task.laid
    kernel, s, d = laid.kernel[axis], laid.stride[axis], laid.dilation[axis]
    steps = [_along(axis, slice(a * d, a * d + (count - 1) * s + 1, s)) for a in range(kernel)]
    best, first = values[steps[0]], None if won is None else won[steps[0]]
    if kernel == 1:
        return best, first
    weight = prod(laid.kernel[axis + 1 :])
    beats = np.greater_equal if task.last else np.greater
    largest = work.array(f"largest {axis}", best.shape, values.dtype)
    winners = work.array(f"winners {axis}", best.shape, task.cell_type)
    later = work.array("later", best.shape, task.cell_type)
    greater = work.array("greater", best.shape, np.bool_)
    flags = greater.view(np.uint8)
    for a, step in enumerate(steps[1:], start=1):
        if track:
            beats(values[step], best, out=greater)
            number = task.cell_type.type(a * weight)
            if won is None:
                np.multiply(flags, number, out=winners if a == 1 else later)
            else:
                np.add(won[step], number, out=later)
                np.multiply(later, flags, out=later)
            if a > 1:
                np.maximum(winners, later, out=winners)
            elif first is not None:
                np.maximum(first, later, out=winners)
        np.maximum(best, values[step], out=largest)
        best = largest
    return largest, winners if track else None


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


def _outward(block: Numbers) -> Numbers:
    """View (H, W, B) as (B, H, W)."""
    return block.transpose(block.ndim - 1, *range(block.ndim - 1))


def _along(axis: int, at: slice) -> tuple[slice, ...]:
    return (slice(None),) * axis + (at,)
