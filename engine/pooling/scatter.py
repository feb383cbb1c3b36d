"""The backward message: each window's message goes to the flat index of its winning cell."""

from __future__ import annotations

from math import prod
from typing import Final

import numpy as np

from engine.pooling.blocks import deal
from engine.pooling.workspace import Workspace
from engine.windows import Laid, Numbers

#: Windows whose indices are held at once.
CHUNK: Final = 2**16


def scatter(cells: Numbers, delta: Numbers, dx: Numbers, laid: Laid, threads: int = 1) -> None:
    """Write into dx (N, H, W) what the windows send: delta (N, Ho, Wo) to the winning `cells`.

    Where windows overlap, an input adds up what it is sent, in the order of the windows.
    """
    windows = prod(laid.counts)
    together = max(1, min(CHUNK // windows, -(-len(dx) // threads)))
    corners, steps = laid.corners(), laid.steps()
    plane = prod(laid.size)
    several = corners + (np.arange(together) * plane).reshape(-1, *[1] * corners.ndim)

    def job(planes: slice, _: slice, work: Workspace) -> None:
        won, message, here = cells[planes], delta[planes], dx[planes]
        here[...] = 0
        at = work.array("at", won.shape, np.intp)
        np.take(steps, won, out=at, mode="clip")
        np.add(at, several[: len(won)], out=at)
        flat = here.reshape(-1)
        if laid.overlap:
            np.add.at(flat, at.reshape(-1), message.reshape(-1))
        else:
            flat[at.reshape(-1)] = message.reshape(-1)

    starts = range(0, len(dx), together)
    deal([(slice(n, n + together), slice(0)) for n in starts], threads, job)
