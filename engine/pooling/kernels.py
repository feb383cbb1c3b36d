"""Max pooling at speed: blocks that fit the cache, forward, and messages scattered back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, lru_cache
from math import ceil, prod
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.pooling.windows import Mask, Numbers, Shape, WindowLayout

# -- Memory that one worker uses again for block after block.


class Workspace:
    """Named buffers, as large as the largest array that was asked of each."""

    def __init__(self) -> None:
        self._buffers: dict[str, Numbers] = {}

    def array(self, name: str, shape: Shape, dtype: DTypeLike) -> Numbers:
        """Return a contiguous array whose content is whatever was there before."""
        count, kind = prod(shape), np.dtype(dtype)
        buffer: Numbers | None = self._buffers.get(name)
        if buffer is None or buffer.size < count or buffer.dtype != kind:
            self._buffers[name] = buffer = np.empty(count, kind)
        array: np.ndarray[Any, Any] = buffer[:count].reshape(shape)
        return array


# -- The largest of each window of a block, and which cell it is, one axis at a time.
#
# The maximum over a window is the maximum over its rows of the maximum along each row, so one
# axis is reduced at a time, the last one first.  A later cell replaces the best so far only if it
# is *greater*: so along a row the first column wins a tie, and between rows the first row, which
# together is the window's first maximum in row-major order.  ("Last": greater or equal.)
#
# Inside a block the planes are the innermost axis, so that NumPy's loops run over contiguous
# stretches whatever the stride is; and the block is small enough to stay in the cache.


@dataclass(frozen=True, slots=True)
class BlockTask:
    """What the blocks of one call have in common."""

    layout: WindowLayout
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
    def of(cls, layout: WindowLayout, dtype: np.dtype[Any], track: bool, last: bool) -> BlockTask:
        """For an input of this type."""
        # NumPy has no fast arithmetic for halves: as singles they are exactly the same numbers.
        working = np.dtype(np.float32) if dtype == np.float16 else dtype
        lowest = -np.inf if dtype.kind == "f" else int(np.iinfo(dtype).min)
        return cls(
            layout, working, lowest, np.min_scalar_type(prod(layout.kernel) - 1), track, last
        )


class Reduction:
    """Blocks of one shape: the arrays, and the calls on them that reduce each block in turn."""

    def __init__(self, task: BlockTask, counts: Shape, planes: int, work: Workspace) -> None:
        """Prepare for blocks of so many windows along each axis, and so many planes."""
        self._task, self._work = task, work
        self._calls: list[tuple[np.ufunc, Numbers, Any, Numbers]] = []
        spans = tuple(
            (n - 1) * s + (k - 1) * d + 1
            for n, k, s, d in zip(
                counts, task.layout.kernel, task.layout.stride, task.layout.dilation, strict=True
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
        layout, task = self._task.layout, self._task
        s, d = layout.stride[axis], layout.dilation[axis]
        steps = [
            along(axis, slice(a * d, a * d + (count - 1) * s + 1, s))
            for a in range(layout.kernel[axis])
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
        number = kind.type(a * prod(self._task.layout.kernel[axis + 1 :]))
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


# -- One block of planes: turned inward, reduced, put right where a window is odd, turned back.


#: Planes that are turned at once: the lines that they lie on stay in the nearest cache.
TILE: Final = 256
#: Windows in a plane that are rather written one by one, each for all planes.
FEW: Final = 4


class BlockPool:
    """One worker's way through the blocks of a call."""

    def __init__(self, task: BlockTask, work: Workspace) -> None:
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
            _the_last_nan(reduction.block, best, won, self._task.layout)
        _store(won, cells)


def _load(x: Numbers, block: Numbers, start: int, task: BlockTask) -> bool:
    """Fill the block with what the windows cover; return whether padding is part of it."""
    layout, inside, source = task.layout, [], []
    for axis, span in enumerate(block.shape[:-1]):
        origin = layout.origin[axis] + (start * layout.stride[axis] if axis == 0 else 0)
        low = min(span, max(0, -origin))
        high = max(low, min(span, layout.size[axis] - origin))
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


def _never_the_padding(best: Numbers, won: Numbers, start: int, task: BlockTask) -> None:
    """Where all of a window is as low as the padding, let a cell inside the input win."""
    lowest = best == task.lowest
    if not lowest.any():
        return
    taps = list(task.layout.taps())
    for number, windows, _ in taps if task.last else reversed(taps):
        rows = slice(max(0, windows[0].start - start), max(0, windows[0].stop - start))
        at = (rows, *windows[1:])
        won[at][lowest[at]] = number


def _the_last_nan(block: Numbers, best: Numbers, won: Numbers, layout: WindowLayout) -> None:
    """Where a window holds a NaN, its last one wins, as in PyTorch."""
    axes = list(zip(best.shape, layout.stride, layout.dilation, strict=False))
    for number, cell in enumerate(layout.cells):
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


# -- An input cut into blocks that fit the cache, dealt out to threads.


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


def blocks(
    planes: int, layout: WindowLayout, itemsize: int, threads: int
) -> Iterator[tuple[slice, slice]]:
    """Cut (planes, rows of windows) into blocks, as pairs of slices.

    A block has at most half of a thread's share, and a third where there are about as many windows
    as inputs: a workspace, of two to four arrays as large as its block, then leaves all that is
    held at once below three times the input.
    """
    plane, padded = itemsize * prod(layout.size), itemsize * prod(layout.spans)
    share = 2 if 2 * prod(layout.counts) <= prod(layout.size) else 3
    room = max(LEAST_BYTES, min(BLOCK_BYTES, planes * plane // (share * threads)))
    rows = layout.counts[0]
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


# -- The forward message of a whole array, and what the backward message needs to remember of it.


@dataclass(frozen=True, slots=True, eq=False)
class Pooled:
    """A forward pass: N planes, each with its windows."""

    layout: WindowLayout
    lead: Shape
    """The axes in front of the planes' own; N is their product."""
    dtype: np.dtype[Any]
    """Of x."""
    f: Numbers
    """(N, Ho, Wo): the largest of each window"""
    cells: Numbers | None
    """(N, Ho, Wo): the number of the window's cell that it comes from"""
    marks: Numbers | None = None
    """(words, N, Ho, Wo): all maxima of the window, a bit for each cell (`engine.pooling.layer`)"""

    @property
    def shape(self) -> Shape:
        """Of f with its leading axes."""
        return self.lead + self.layout.counts


def pool(
    x: Numbers, layout: WindowLayout, last: bool = False, track: bool = True, threads: int = 1
) -> Pooled:
    """Pool x (..., H, W); `track` says whether the winning cells are wanted."""
    lead = x.shape[: x.ndim - len(layout.size)]
    planes = planes_of(x, layout.size)
    task = BlockTask.of(layout, x.dtype, track, last)
    f = np.empty((len(planes), *layout.counts), x.dtype)
    cells = np.empty(f.shape, task.cell_type) if track else None

    def worker(work: Workspace) -> Callable[[slice, slice], None]:
        block = BlockPool(task, work)

        def job(some: slice, rows: slice) -> None:
            won = None if cells is None else cells[some, rows]
            block.pool(planes[some], f[some, rows], won, rows.start)

        return job

    threads = worth(threads, x)
    deal(list(blocks(len(planes), layout, task.working.itemsize, threads)), threads, worker)
    return Pooled(layout, lead, x.dtype, f, cells)


def planes_of(x: Numbers, size: Shape) -> Numbers:
    """Return x (..., H, W) as planes (N, H, W)."""
    lead = x.shape[: x.ndim - len(size)]
    planes: Numbers = x.reshape(prod(lead), *size)
    return planes


# -- Between a window's winning cell and the flat index, in the input plane, that PyTorch gives.


#: Windows that are turned into indices at once.
BLOCK_CELLS: Final = 2**12


def plane_indices(cells: Numbers, layout: WindowLayout) -> NDArray[np.int64]:
    """Return the flat index into the plane (H, W) of each window's winner, (N, Ho, Wo).

    A window that steps over the whole input has no winner: PyTorch names the first cell that is
    not before the input, whether or not there is an input by that number.
    """
    flat = np.empty(cells.shape, np.int64)
    rows, row = layout.counts[0], layout.stride[0] * layout.weights()[0]
    together = ceil(BLOCK_CELLS / prod(layout.counts))
    band = min(rows, ceil(BLOCK_CELLS / prod(layout.counts[1:])))
    steps, corners = layout.steps(), layout.corners(band)
    for first in range(0, len(cells), together):
        for top in range(0, rows, band):
            part = (slice(first, first + together), slice(top, top + band))
            here = flat[part]
            np.add(np.take(steps, cells[part]), corners[: here.shape[1]], out=here)
            here += top * row
    if (hollow := layout.hollow) is not None:
        flat[:, hollow] = layout.entrances()[hollow]
    return flat


def cells_at(flat: Numbers, layout: WindowLayout) -> Numbers:
    """Return which cell of its window each flat index (N, Ho, Wo) is; 0 in hollow windows.

    Raises ValueError where an index does not lie in its window.
    """
    hollow = layout.hollow
    places = [start.reshape(-1) for start in np.ix_(*map(layout.starts, range(len(layout.size))))]
    grids = [grid.reshape(-1) for grid in np.meshgrid(*places, indexing="ij")]
    known = flat.reshape(len(flat), -1)
    cells, inside = cells_in(known, grids, layout)
    if hollow is not None:
        inside |= hollow.reshape(-1)
    if not inside.all():
        raise refusal(known, inside, layout)
    return np.where(inside, cells, 0).reshape(flat.shape)


def cells_in(
    flat: Numbers, starts: list[NDArray[np.intp]], layout: WindowLayout
) -> tuple[NDArray[np.intp], Mask]:
    """Return of flat indices (N, M) which cell each is of its window, and whether it is one.

    Along each axis the M windows start at `starts` (M,).
    """
    inputs = layout.size[0] * layout.weights()[0]
    inside: Mask = (flat >= 0) & (flat < inputs)
    rest, cells = np.where(inside, flat, 0).astype(np.intp), np.zeros(flat.shape, np.intp)
    for axis, weight in enumerate(layout.weights()):
        at, rest = np.divmod(rest, weight)
        a, between = np.divmod(at - starts[axis], layout.dilation[axis])
        inside &= (between == 0) & (a >= 0) & (a < layout.kernel[axis])
        cells = cells * layout.kernel[axis] + a
    return cells, inside


def refusal(flat: Numbers, inside: Mask, layout: WindowLayout) -> ValueError:
    """What is wrong with the first index that is not inside its window."""
    wrong, inputs = flat[~inside], layout.size[0] * layout.weights()[0]
    outside = wrong[(wrong < 0) | (wrong >= inputs)]
    if outside.size:
        return ValueError(f"indices holds {outside[0]}: 0 to {inputs - 1} is allowed")
    return ValueError(
        f"indices holds {wrong[0]} for a window without it: "
        "what max_pool returned for the same arguments is allowed"
    )


# -- Indices that a caller brings along: whether each lies in its window, told in a few passes.


class KnownIndices:
    """The check of indices for windows that lie in one way.

    A window that lies inside the input altogether has its cells at fixed steps behind its corner,
    so that one look-up tells.  Of a window that is padded some of those are other rows' inputs, or
    other planes': it is looked at axis by axis.
    """

    def __init__(self, layout: WindowLayout, band: int) -> None:
        """Prepare for windows of at most so many rows at once."""
        self._layout = layout
        steps = layout.steps()
        # One place more at either end, where whatever lies outside is clipped to.
        self._cells = np.zeros(int(steps.max()) + 3, np.bool_)
        self._cells[steps + 1] = True
        self._row = layout.stride[0] * layout.weights()[0]
        self._before = layout.corners(band) - 1
        self._padded = [_padded(layout, axis) for axis in range(len(layout.size))]

    def check(self, flat: NDArray[np.intp], given: Numbers, rows: slice, work: Workspace) -> None:
        """Raise ValueError where one of flat (N, rows, Wo), from `given`, is not in its window."""
        ahead = work.array("ahead", flat.shape, np.intp)
        inside = work.array("inside", flat.shape, np.bool_)
        np.subtract(flat, self._before[: flat.shape[1]], out=ahead)
        if rows.start:
            np.subtract(ahead, rows.start * self._row, out=ahead)
        np.take(self._cells, ahead, out=inside, mode="clip")
        if not inside.all() or not self._padded_inside(flat, rows):
            everywhere = [np.ones(n, np.bool_) for n in flat.shape[1:]]
            known = given.reshape(len(given), -1)
            grids = self._grids(_either(everywhere), rows.start)
            raise refusal(known, cells_in(known, grids, self._layout)[1], self._layout)

    def _padded_inside(self, flat: NDArray[np.intp], rows: slice) -> bool:
        each = [self._padded[0][rows], *self._padded[1:]]
        if not any(padded.any() for padded in each):
            return True
        padded = _either(each)
        some = np.flatnonzero(padded)
        at = np.take(flat.reshape(len(flat), -1), some, axis=1)
        return bool(cells_in(at, self._grids(padded, rows.start), self._layout)[1].all())

    def _grids(self, chosen: Mask, top: int) -> list[NDArray[np.intp]]:
        """Where along each axis the chosen windows start; their first row is row `top`."""
        places = list(np.nonzero(chosen))
        places[0] = places[0] + top
        return [self._layout.starts(axis)[place] for axis, place in enumerate(places)]


def _padded(layout: WindowLayout, axis: int) -> Mask:
    """Which windows reach outside the input along an axis."""
    starts = layout.starts(axis)
    ends = starts + (layout.kernel[axis] - 1) * layout.dilation[axis]
    padded: Mask = (starts < 0) | (ends >= layout.size[axis])
    return padded


def _either(each: list[Mask]) -> Mask:
    """Which combinations of places along the axes are chosen by any of them."""
    chosen = np.zeros([len(places) for places in each], np.bool_)
    for axis, places in enumerate(each):
        chosen |= places.reshape(-1, *[1] * (len(each) - axis - 1))
    return chosen


# -- The backward message: each window's message goes to the flat index of its winner.


#: Windows whose indices are held at once, at most and at least; and in between as many as leave
#: them small beside dx: so many bytes of it for each.
MOST_CHUNK: Final = 2**16
LEAST_CHUNK: Final = 2**12
BYTES_EACH: Final = 64

Locate: TypeAlias = Callable[[slice, slice, NDArray[np.intp], Workspace], None]
"""(planes, rows, out, workspace): writes the flat index in these planes of each window's winner."""


def scatter(
    cells: Numbers, delta: Numbers, dx: Numbers, layout: WindowLayout, threads: int = 1
) -> None:
    """Write into dx (N, H, W) what the windows send: delta (N, Ho, Wo) to the winning `cells`.

    Where windows overlap, an input adds up what it is sent, in the order of the windows.
    """
    together, band = _chunk(dx, layout, threads)
    corners, steps = _corners(layout, band, together), layout.steps()
    row = layout.stride[0] * layout.weights()[0]

    def locate(planes: slice, rows: slice, out: NDArray[np.intp], _: Workspace) -> None:
        np.take(steps, cells[planes, rows], out=out, mode="clip")
        np.add(out, corners[: out.shape[0], : out.shape[1]], out=out)
        if rows.start:
            np.add(out, rows.start * row, out=out)

    _scatter(locate, delta, dx, layout, threads)


def scatter_known(
    flat: Numbers, delta: Numbers, dx: Numbers, layout: WindowLayout, threads: int = 1
) -> None:
    """The same, where the flat index (N, Ho, Wo) of each window's winner in its plane is known.

    Raises ValueError for an index that does not lie in its window.
    """
    known, plane = KnownIndices(layout, _chunk(dx, layout, threads)[1]), prod(layout.size)

    def locate(planes: slice, rows: slice, out: NDArray[np.intp], work: Workspace) -> None:
        np.copyto(out, flat[planes, rows], casting="unsafe")
        known.check(out, flat[planes, rows], rows, work)
        offsets = np.arange(len(out)) * plane
        np.add(out, offsets.reshape(-1, *[1] * (out.ndim - 1)), out=out)

    _scatter(locate, delta, dx, layout, threads)


def _chunk(dx: Numbers, layout: WindowLayout, threads: int) -> tuple[int, int]:
    """How many planes, and rows of windows in them, are located at once."""
    chunk = max(LEAST_CHUNK, min(MOST_CHUNK, dx.nbytes // BYTES_EACH))
    together = max(1, min(chunk // prod(layout.counts), ceil(len(dx) / worth(threads, dx))))
    return together, min(layout.counts[0], max(1, chunk // prod(layout.counts[1:])))


def _scatter(
    locate: Locate, delta: Numbers, dx: Numbers, layout: WindowLayout, threads: int
) -> None:
    together, band = _chunk(dx, layout, threads)
    overlap = layout.overlap

    def worker(work: Workspace) -> Callable[[slice, slice], None]:
        def job(planes: slice, _: slice) -> None:
            here = dx[planes]
            here[...] = 0
            for top in range(0, layout.counts[0], band):
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
def _corners(layout: WindowLayout, rows: int, count: int) -> NDArray[np.intp]:
    """Return the corners of the first rows of windows in `count` planes that follow each other.

    (count, rows, Wo), to be read only: a layer asks for the same ones again and again.
    """
    corners, plane = layout.corners(rows), prod(layout.size)
    several = np.empty((count, *corners.shape), np.intp)
    several[0] = corners
    done = 1
    while done < count:  # doubling: a few long additions, however small a plane is
        more = min(done, count - done)
        np.add(several[:more], done * plane, out=several[done : done + more])
        done += more
    several.flags.writeable = False
    return several
