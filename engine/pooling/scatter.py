"""The backward message: each window's message goes to the flat index of its winning cell."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import ceil, prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.pooling.blocks import deal, worth
from engine.pooling.workspace import Workspace
from engine.windows import Laid, Numbers

#: Windows whose indices are held at once.
CHUNK: Final = 2**16


def scatter(cells: Numbers, delta: Numbers, dx: Numbers, laid: Laid, threads: int = 1) -> None:
    """Write into dx (N, H, W) what the windows send: delta (N, Ho, Wo) to the winning `cells`.

    Where windows overlap, an input adds up what it is sent, in the order of the windows.
    """
    threads = worth(threads, dx)
    rows, row = laid.counts[0], laid.stride[0] * laid.weights()[0]
    together = max(1, min(CHUNK // prod(laid.counts), ceil(len(dx) / threads)))
    band = min(rows, max(1, CHUNK // prod(laid.counts[1:])))
    corners, steps = _corners(laid, band, together), laid.steps()

    def worker(work: Workspace) -> Callable[[slice, slice], None]:
        def job(planes: slice, _: slice) -> None:
            here = dx[planes]
            here[...] = 0
            for top in range(0, rows, band):
                part = (planes, slice(top, top + band))
                won, message = cells[part], delta[part].reshape(-1)
                at = work.array("at", won.shape, np.intp)
                np.take(steps, won, out=at, mode="clip")
                np.add(at, corners[: len(won), : won.shape[1]], out=at)
                if top:
                    np.add(at, top * row, out=at)
                if laid.overlap:
                    np.add.at(here.reshape(-1), at.reshape(-1), message)
                else:
                    here.reshape(-1)[at.reshape(-1)] = message

        return job

    starts = range(0, len(dx), together)
    deal([(slice(n, n + together), slice(0)) for n in starts], threads, worker)


@lru_cache(maxsize=8)
def _corners(laid: Laid, rows: int, count: int) -> NDArray[np.intp]:
    """Return the corners of the first rows of windows in `count` planes that follow each other.

    (count, rows, Wo), to be read only: a layer asks for the same ones again and again.
    """
    corners, plane = laid.corners(rows), prod(laid.size)
    several = np.empty((count, *corners.shape), np.intp)
    several[0] = corners
    done = 1
    while done < count:  # doubling: a few long additions, however small a plane is
        more = min(done, count - done)
        np.add(several[:more], done * plane, out=several[done : done + more])
        done += more
    several.flags.writeable = False
    return several
