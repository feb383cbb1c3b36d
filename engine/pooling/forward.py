"""The forward message of a whole array, and what the backward message needs to remember of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from engine.pooling.block import BlockPool
from engine.pooling.blocks import blocks, deal, worth
from engine.pooling.separable import Task
from engine.pooling.workspace import Workspace
from engine.windows import Laid, Numbers, Shape


@dataclass(frozen=True, slots=True, eq=False)
class Pooled:
    """A forward pass: N planes, each with its windows."""

    laid: Laid
    lead: Shape
    """The axes in front of the planes' own; N is their product."""
    dtype: np.dtype[Any]
    """Of x."""
    f: Numbers
    """(N, Ho, Wo): the largest of each window"""
    cells: Numbers | None
    """(N, Ho, Wo): the number of the window's cell that it comes from"""
    marks: Numbers | None = None
    """(words, N, Ho, Wo): all maxima of the window, a bit for each cell (`engine.pooling.ties`)"""

    @property
    def shape(self) -> Shape:
        """Of f with its leading axes."""
        return self.lead + self.laid.counts


def pool(
    x: Numbers, laid: Laid, last: bool = False, track: bool = True, threads: int = 1
) -> Pooled:
    """Pool x (..., H, W); `track` says whether the winning cells are wanted."""
    lead = x.shape[: x.ndim - len(laid.size)]
    planes = planes_of(x, laid.size)
    task = Task.of(laid, x.dtype, track, last)
    f = np.empty((len(planes), *laid.counts), x.dtype)
    cells = np.empty(f.shape, task.cell_type) if track else None

    def worker(work: Workspace) -> Callable[[slice, slice], None]:
        block = BlockPool(task, work)

        def job(some: slice, rows: slice) -> None:
            won = None if cells is None else cells[some, rows]
            block.pool(planes[some], f[some, rows], won, rows.start)

        return job

    threads = worth(threads, x)
    deal(list(blocks(len(planes), laid, task.working.itemsize, threads)), threads, worker)
    return Pooled(laid, lead, x.dtype, f, cells)


def planes_of(x: Numbers, size: Shape) -> Numbers:
    """Return x (..., H, W) as planes (N, H, W)."""
    lead = x.shape[: x.ndim - len(size)]
    planes: Numbers = x.reshape(prod(lead), *size)
    return planes
