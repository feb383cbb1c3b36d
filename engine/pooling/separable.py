"""The largest of each window of a block, and which cell it is, one axis at a time.

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
from typing import Any

import numpy as np

from engine.pooling.workspace import Workspace
from engine.windows import Laid, Numbers, Shape


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
    track: bool
    """Whether the winning cells are wanted."""
    last: bool
    """Whether the last of several equal maxima wins, not the first."""

    @classmethod
    def of(cls, laid: Laid, dtype: np.dtype[Any], track: bool, last: bool) -> Task:
        """For an input of this type."""
        # NumPy has no fast arithmetic for halves: as singles they are exactly the same numbers.
        working = np.dtype(np.float32) if dtype == np.float16 else dtype
        lowest = -np.inf if dtype.kind == "f" else int(np.iinfo(dtype).min)
        return cls(laid, working, lowest, np.min_scalar_type(prod(laid.kernel) - 1), track, last)


class Reduction:
    """Blocks of one shape: the arrays, and the calls on them that reduce each block in turn."""

    def __init__(self, task: Task, counts: Shape, planes: int, work: Workspace) -> None:
        """Prepare for blocks of so many windows along each axis, and so many planes."""
        self._task, self._work = task, work
        self._calls: list[tuple[np.ufunc, Numbers, Any, Numbers]] = []
        spans = tuple(
            (n - 1) * s + (k - 1) * d + 1
            for n, k, s, d in zip(
                counts, task.laid.kernel, task.laid.stride, task.laid.dilation, strict=True
            )
        )
        self.block = work.array("block", (*spans, planes), task.working)
        """What the windows cover, (rows, columns, B): to be filled before `run`"""
        best, won = self.block, None
        for axis in reversed(range(len(counts))):
            best, won = self._reduce(best, won, axis, counts[axis])
        self.best = best
        """The largest of each window, (Ho, Wo, B)"""
        self.won = np.zeros(best.shape, task.cell_type) if won is None else won
        """The number of the cell that it comes from, if tracked"""

    def run(self) -> None:
        """Reduce what the block holds."""
        for call, one, other, out in self._calls:
            call(one, other, out=out)

    def _reduce(
        self, values: Numbers, won: Numbers | None, axis: int, count: int
    ) -> tuple[Numbers, Numbers | None]:
        """Reduce one axis of `values` (..., B) to `count` windows.

        `won` numbers the cell, among those of the axes reduced before, that each value comes from
        (None: there is but one).
        """
        laid, task = self._task.laid, self._task
        s, d = laid.stride[axis], laid.dilation[axis]
        steps = [
            along(axis, slice(a * d, a * d + (count - 1) * s + 1, s))
            for a in range(laid.kernel[axis])
        ]
        best, winners = values[steps[0]], None if won is None else won[steps[0]]
        if len(steps) == 1:
            return best, winners
        largest = self._work.array(f"largest {axis}", best.shape, task.working)
        greater = self._work.array("greater", best.shape, np.bool_)
        for a, step in enumerate(steps[1:], start=1):
            if task.track:
                beats = np.greater_equal if task.last else np.greater
                self._calls.append((beats, values[step], best, greater))
                later = None if won is None else won[step]
                winners = self._number(greater, later, winners, axis, a)
            self._calls.append((np.maximum, best, values[step], largest))
            best = largest
        return best, winners

    def _number(
        self, greater: Numbers, later: Numbers | None, winners: Numbers | None, axis: int, a: int
    ) -> Numbers:
        """Number the winners anew where the cells `a` steps along this axis are greater.

        A cell one step further along the axis has a number larger by as many as the axes reduced
        before have cells; so whoever wins later has the larger number.
        """
        kind = self._task.cell_type
        number = kind.type(a * prod(self._task.laid.kernel[axis + 1 :]))
        flags, into = greater.view(np.uint8), self._work.array(f"won {axis}", greater.shape, kind)
        if winners is None:
            self._calls.append((np.multiply, flags, number, into))
            return into
        spare = self._work.array("spare", greater.shape, kind)
        if later is None:
            self._calls.append((np.multiply, flags, number, spare))
        else:
            self._calls.append((np.add, later, number, spare))
            self._calls.append((np.multiply, spare, flags, spare))
        self._calls.append((np.maximum, winners, spare, into))
        return into


def along(axis: int, at: slice) -> tuple[slice, ...]:
    """Index one axis."""
    return (slice(None),) * axis + (at,)
