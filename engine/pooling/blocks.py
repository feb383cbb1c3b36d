"""An input cut into blocks that fit the cache, dealt out to threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from math import ceil
from typing import Final

from engine.pooling.workspace import Workspace
from engine.windows import Laid

#: Bytes of input in a block, measured best on a core with 1 MiB of second-level cache.
BLOCK_BYTES: Final = 2**20
#: Planes in a block where rows can be cut instead: one cache line's worth of each would do.
LEAST_PLANES: Final = 64
#: Rows of windows below which a block of large planes takes fewer planes.
LEAST_ROWS: Final = 8


def blocks(planes: int, laid: Laid, itemsize: int, threads: int) -> Iterator[tuple[slice, slice]]:
    """Cut (planes, rows of windows) into blocks, as pairs of slices."""
    rows = laid.counts[0]
    row = itemsize * laid.stride[0]
    for size in laid.size[1:]:
        row *= size
    share = ceil(planes / threads)
    together = min(share, max(LEAST_PLANES, BLOCK_BYTES // (row * rows)))
    while together > 1 and BLOCK_BYTES // (row * together) < min(rows, LEAST_ROWS):
        together = ceil(together / 2)
    band = min(rows, max(1, BLOCK_BYTES // (row * together)))
    if row * together * rows <= 3 * BLOCK_BYTES:
        band = rows
    for first in range(0, planes, together):
        for top in range(0, rows, band):
            yield (
                slice(first, min(planes, first + together)),
                slice(top, min(rows, top + band)),
            )


def deal(
    parts: list[tuple[slice, slice]],
    threads: int,
    job: Callable[[slice, slice, Workspace], None],
) -> None:
    """Do `job` for all parts, a contiguous share of them in each thread.

    NumPy lets go of the interpreter's lock inside its loops, so the threads run at once.
    """

    def share(number: int) -> None:
        work = Workspace()
        for part in parts[number * len(parts) // count : (number + 1) * len(parts) // count]:
            job(*part, work)

    count = min(threads, len(parts))
    if count <= 1:
        share(0)
    else:
        # One share is the caller's own.
        others = [_pool(count - 1).submit(share, number) for number in range(1, count)]
        share(0)
        for other in others:
            other.result()


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="pooling")
