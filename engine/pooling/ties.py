"""All maxima of a window, cell by cell of the window: what sharing a message among them takes.

These run over the definition, one cell of the window at a time, in blocks that stay in the cache;
only "split" and "all", the Jacobian and the forward-mode message come here.  The maxima are kept
as bits, one for each cell of a window: less to remember than x, from which they could be told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod
from typing import Any, Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from engine.pooling.forward import Pooled, planes_of, pool
from engine.windows import Laid, Mask, Numbers

Ties: TypeAlias = Literal["first", "last", "split", "all"]
POLICIES: Final[tuple[Ties, ...]] = get_args(Ties)

Index: TypeAlias = tuple[slice, ...]
#: Bytes of input in a block, at most and at least; in between it is a small part of the input.
BLOCK_BYTES: Final = 2**18
LEAST_BYTES: Final = 2**14
PART: Final = 32


def one_winner(ties: Ties) -> bool:
    return ties in ("first", "last")


def message_type(ties: Ties, *given: np.dtype[Any]) -> np.dtype[Any]:
    """The type that NumPy gives x·delta, where "split" needs fractions."""
    return np.result_type(*given, *([np.float16] if ties == "split" else []))


def passed(x: Numbers, laid: Laid, ties: Ties, threads: int = 1) -> Pooled:
    """Pool x (..., H, W), and find of each window what the policy asks for: winner or maxima."""
    single = one_winner(ties)
    pooled = pool(x, laid, ties == "last", track=single, threads=threads)
    return pooled if single else replace(pooled, marks=_marked(planes_of(x, laid.size), pooled))


def _marked(x: Numbers, pooled: Pooled) -> NDArray[np.uint8]:
    """Mark all maxima of each window: (words, N, Ho, Wo), bit n % 8 of word n // 8 for cell n.

    The only maximum of a window with a NaN is its last NaN.
    """
    f, laid = pooled.f, pooled.laid
    marks = np.zeros((-(-prod(laid.kernel) // 8), *f.shape), np.uint8)
    for planes, rows in _blocks(pooled, x.itemsize):
        for number, windows, inputs in laid.taps(rows):
            to = (planes, *windows)
            equal = x[(planes, *inputs)] == f[to]
            marks[number // 8][to] |= equal.view(np.uint8) << np.uint8(number % 8)
        if f.dtype.kind == "f" and np.isnan(f[planes, rows]).any():
            for number, windows, inputs in laid.taps(rows):
                nan = np.isnan(x[(planes, *inputs)])
                for word, kept in enumerate(marks):
                    bit = np.uint8(1 << number % 8 if word == number // 8 else 0)
                    np.copyto(kept[(planes, *windows)], bit, where=nan)
    return marks


def _blocks(pooled: Pooled, itemsize: int) -> Iterator[tuple[slice, slice]]:
    """Cut into (planes, rows of windows)."""
    laid = pooled.laid
    plane = itemsize * max(prod(laid.size), prod(laid.counts))
    room = max(LEAST_BYTES, min(BLOCK_BYTES, len(pooled.f) * plane // PART))
    together, count = max(1, room // plane), laid.counts[0]
    band = max(1, min(count, room * count // plane))
    for first in range(0, len(pooled.f), together):
        for top in range(0, count, band):
            yield slice(first, first + together), slice(top, min(count, top + band))


def _chosen(pooled: Pooled, planes: slice, rows: slice) -> Iterator[tuple[Index, Index, Mask]]:
    """Yield for each cell of a window which it is of the windows in a block, and where it counts.

    Two tuples of slices, into an array of the block's windows and into the inputs, and a mask.
    """
    for number, windows, inputs in pooled.laid.taps(rows):
        to = (planes, *windows)
        if pooled.cells is not None:
            mask: Mask = pooled.cells[to] == number
        else:
            assert pooled.marks is not None
            bit = np.uint8(1 << number % 8)
            mask = (pooled.marks[number // 8][to] & bit) != 0
        first = slice(windows[0].start - rows.start, windows[0].stop - rows.start)
        yield (slice(None), first, *windows[1:]), (planes, *inputs), mask


def _shared(values: Numbers, pooled: Pooled, planes: slice, rows: slice, ties: Ties) -> Numbers:
    """What each chosen cell gets of its window's values, in a block."""
    if ties != "split":
        return values
    count = np.zeros(values.shape, np.int32)
    for to, _, mask in _chosen(pooled, planes, rows):
        count[to] += mask
    # A window that steps over the input has no maximum, and sends nothing.
    shared: Numbers = values * (1 / np.maximum(count, 1)).astype(values.dtype)
    return shared


def send(pooled: Pooled, delta: Numbers, dx: Numbers, ties: Ties) -> None:
    """Write the backward message dx (N, H, W) of delta (N, Ho, Wo) under a policy."""
    dx[...] = 0
    for planes, rows in _blocks(pooled, dx.itemsize):
        sent = _shared(delta[planes, rows], pooled, planes, rows, ties)
        # A choice rather than a product: 0 times an infinite delta would be NaN.
        for to, at, mask in _chosen(pooled, planes, rows):
            dx[at] += np.where(mask, sent[to], 0)


def push(pooled: Pooled, tangent: Numbers, ties: Ties) -> Numbers:
    """Return the forward-mode message (N, Ho, Wo) of a tangent (N, H, W) under a policy."""
    pushed = np.zeros(pooled.f.shape, tangent.dtype)
    for planes, rows in _blocks(pooled, tangent.itemsize):
        out = pushed[planes, rows]
        shares = _shared(np.ones(out.shape, tangent.dtype), pooled, planes, rows, ties)
        for to, at, mask in _chosen(pooled, planes, rows):
            out[to] += np.where(mask, tangent[at] * shares[to], 0)
    return pushed


def dense(pooled: Pooled, ties: Ties, dtype: np.dtype[Any]) -> Numbers:
    """Return the Jacobian (N, Ho, Wo, H, W) under a policy."""
    laid, every, rows = pooled.laid, slice(None), slice(0, pooled.laid.counts[0])
    J = np.zeros((*pooled.f.shape, *laid.size), dtype)
    shares = _shared(np.ones(pooled.f.shape, dtype), pooled, every, rows, ties)
    for to, at, mask in _chosen(pooled, every, rows):
        J[_pairs(to, at, laid)] = np.where(mask, shares[to], 0)
    return J


def tied(pooled: Pooled) -> Mask:
    """Return (N, Ho, Wo, H, W): whether (i, j) is a maximum of window (k, l)."""
    return dense(pooled, "all", np.dtype(np.bool_))


def _pairs(to: Index, at: Index, laid: Laid) -> tuple[Any, ...]:
    """Index (N, Ho, Wo, H, W) at each window of `to` with its input of `at`."""
    windows = np.ix_(*(np.arange(n)[part] for part, n in zip(to[1:], laid.counts, strict=True)))
    inputs = np.ix_(*(np.arange(n)[part] for part, n in zip(at[1:], laid.size, strict=True)))
    return (slice(None), *windows, *inputs)
