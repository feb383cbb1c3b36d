"""An input cut into blocks that fit the cache, dealt out to threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from math import ceil, prod
from typing import Final

from engine.pooling.workspace import Workspace
from engine.windows import Laid, Numbers

#: Bytes of input in a block, measured best on a core with 1 MiB of second-level cache.
BLOCK_BYTES: Final = 2**21
#: Bytes that are not worth cutting.
LEAST_BYTES: Final = 2**16
#: Bytes of input that a thread should have to itself: with less, the threads wait longer for each
#: other at the interpreter's lock, between two of NumPy's loops, than they save.
THREAD_BYTES: Final = 2**21
#: Planes in a block, if there are so many: as long are the stretches that NumPy's loops run over.
LEAST_PLANES: Final = 64
#: Bytes of a plane that is worth a block of its own, where planes cannot well be put together:
#: its rows are the stretches then.
LARGE_PLANE: Final = 2**17
#: Bytes of a cache line.
LINE: Final = 64
#: Neighbours in a plane lie as many bytes apart in a block as its planes take.  At multiples of
#: this they crowd into the same few places of the nearest cache, and are better a line more apart.
CROWDED: Final = 2**9
#: Planes at multiples of this many bytes push each other out of the nearest cache.
PAGE: Final = 2**12


def blocks(planes: int, laid: Laid, itemsize: int, threads: int) -> Iterator[tuple[slice, slice]]:
    """Cut (planes, rows of windows) into blocks, as pairs of slices.

    A block has at most half of a thread's share, and a third where there are about as many windows
    as inputs: a workspace, of two to four arrays as large as its block, then leaves all that is
    held at once below three times the input.
    """
    plane, padded = itemsize * prod(laid.size), itemsize * prod(laid.spans)
    share = 2 if 2 * prod(laid.counts) <= prod(laid.size) else 3
    room = max(LEAST_BYTES, min(BLOCK_BYTES, planes * plane // (share * threads)))
    rows = laid.counts[0]
    together = min(planes, max(LEAST_PLANES, room // padded))
    if plane >= LARGE_PLANE and (2 * planes < LEAST_PLANES or plane % PAGE == 0):
        together = 1
    groups = ceil(planes / together)
    together = ceil(planes / (ceil(groups / threads) * threads))  # as much for each thread
    if together * itemsize % CROWDED == 0:
        together += LINE // itemsize
    band = min(rows, max(1, room * rows // (padded * together)))
    for first in range(0, planes, together):
        for top in range(0, rows, band):
            yield (
                slice(first, min(planes, first + together)),
                slice(top, min(rows, top + band)),
            )


def worth(threads: int, array: Numbers) -> int:
    """How many of so many threads an array of this size is worth."""
    return max(1, min(threads, array.nbytes // THREAD_BYTES))


def deal(
    parts: list[tuple[slice, slice]],
    threads: int,
    worker: Callable[[Workspace], Callable[[slice, slice], None]],
) -> None:
    """Let a worker do each thread's share of the parts, with a workspace of its own.

    NumPy lets go of the interpreter's lock inside its loops, so the threads run at once.
    """

    def share(number: int) -> None:
        job = worker(Workspace())
        for part in parts[number * len(parts) // count : (number + 1) * len(parts) // count]:
            job(*part)

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
