"""The backward message: each window's message goes to the flat index of its winner."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import ceil, prod
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.pooling.blocks import deal, worth
from engine.pooling.known import Known
from engine.pooling.workspace import Workspace
from engine.windows import Laid, Numbers

#: Windows whose indices are held at once, at most and at least; and in between as many as leave
#: them small beside dx: so many bytes of it for each.
CHUNK: Final = 2**16
LEAST_CHUNK: Final = 2**12
BYTES_EACH: Final = 64

Locate: TypeAlias = Callable[[slice, slice, NDArray[np.intp], Workspace], None]
"""(planes, rows, out, workspace): writes the flat index in these planes of each window's winner."""


def scatter(cells: Numbers, delta: Numbers, dx: Numbers, laid: Laid, threads: int = 1) -> None:
    """Write into dx (N, H, W) what the windows send: delta (N, Ho, Wo) to the winning `cells`.

    Where windows overlap, an input adds up what it is sent, in the order of the windows.
    """
    together, band = _chunk(dx, laid, threads)
    corners, steps = _corners(laid, band, together), laid.steps()
    row = laid.stride[0] * laid.weights()[0]

    def locate(planes: slice, rows: slice, out: NDArray[np.intp], _: Workspace) -> None:
        np.take(steps, cells[planes, rows], out=out, mode="clip")
        np.add(out, corners[: out.shape[0], : out.shape[1]], out=out)
        if rows.start:
            np.add(out, rows.start * row, out=out)

    _scatter(locate, delta, dx, laid, threads)


def scatter_known(flat: Numbers, delta: Numbers, dx: Numbers, laid: Laid, threads: int = 1) -> None:
    """The same, where the flat index (N, Ho, Wo) of each window's winner in its plane is known.

    Raises ValueError for an index that does not lie in its window.
    """
    known, plane = Known(laid, _chunk(dx, laid, threads)[1]), prod(laid.size)

    def locate(planes: slice, rows: slice, out: NDArray[np.intp], work: Workspace) -> None:
        np.copyto(out, flat[planes, rows], casting="unsafe")
        known.check(out, flat[planes, rows], rows, work)
        offsets = np.arange(len(out)) * plane
        np.add(out, offsets.reshape(-1, *[1] * (out.ndim - 1)), out=out)

    _scatter(locate, delta, dx, laid, threads)


def _chunk(dx: Numbers, laid: Laid, threads: int) -> tuple[int, int]:
    """How many planes, and rows of windows in them, are located at once."""
    chunk = max(LEAST_CHUNK, min(CHUNK, dx.nbytes // BYTES_EACH))
    together = max(1, min(chunk // prod(laid.counts), ceil(len(dx) / worth(threads, dx))))
    return together, min(laid.counts[0], max(1, chunk // prod(laid.counts[1:])))


def _scatter(locate: Locate, delta: Numbers, dx: Numbers, laid: Laid, threads: int) -> None:
    together, band = _chunk(dx, laid, threads)
    overlap = laid.overlap

    def worker(work: Workspace) -> Callable[[slice, slice], None]:
        def job(planes: slice, _: slice) -> None:
            here = dx[planes]
            here[...] = 0
            for top in range(0, laid.counts[0], band):
                rows = slice(top, top + band)
                message = delta[planes, rows]
                at = work.array("at", message.shape, np.intp)
                locate(planes, rows, at, work)
                if overlap:
                    np.add.at(here.reshape(-1), at.reshape(-1), message.reshape(-1))
                else:
                    here.reshape(-1)[at.reshape(-1)] = message.reshape(-1)

        return job

    starts = range(0, len(dx), together)
    parts = [(slice(n, n + together), slice(0)) for n in starts]
    deal(parts, worth(threads, dx), worker)


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
