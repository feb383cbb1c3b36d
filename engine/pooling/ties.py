"""All maxima of a window, cell by cell of the window: what sharing a message among them takes.

These run over the definition, one cell of the window at a time; only "split" and "all", the
Jacobian and the forward-mode message come here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal, TypeAlias, get_args

import numpy as np

from engine.pooling.forward import Pooled
from engine.windows import Laid, Mask, Numbers

Ties: TypeAlias = Literal["first", "last", "split", "all"]
POLICIES: Final[tuple[Ties, ...]] = get_args(Ties)

Tap: TypeAlias = tuple[tuple[slice, ...], tuple[slice, ...], Mask]
"""Which windows and which inputs one cell is, as index tuples, and where it gets a share."""


def one_winner(ties: Ties) -> bool:
    return ties in ("first", "last")


def message_type(ties: Ties, *given: np.dtype[Any]) -> np.dtype[Any]:
    """The type that NumPy gives x·delta, where "split" needs fractions."""
    return np.result_type(*given, *([np.float16] if ties == "split" else []))


def maxima(x: Numbers | None, pooled: Pooled) -> Iterator[Tap]:
    """Yield for each cell of a window where it is a maximum; x (N, H, W) is needed here.

    The only maximum of a window with a NaN is its last NaN.
    """
    assert x is not None
    assert pooled.cells is not None
    empty = np.isnan(pooled.f)
    any_empty = bool(empty.any())
    for number, windows, inputs in pooled.laid.taps():
        to, at = (slice(None), *windows), (slice(None), *inputs)
        equal: Mask = x[at] == pooled.f[to]
        if any_empty:
            equal |= empty[to] & (pooled.cells[to] == number)
        yield to, at, equal


def winners(pooled: Pooled) -> Iterator[Tap]:
    """Yield for each cell of a window where it is the one winner."""
    assert pooled.cells is not None
    for number, windows, inputs in pooled.laid.taps():
        to, at = (slice(None), *windows), (slice(None), *inputs)
        yield to, at, pooled.cells[to] == number


def taps(x: Numbers | None, pooled: Pooled, ties: Ties) -> Iterator[Tap]:
    """Yield for each cell of a window where the policy gives it a share."""
    return winners(pooled) if one_winner(ties) else maxima(x, pooled)


def share(x: Numbers | None, pooled: Pooled, ties: Ties, dtype: np.dtype[Any]) -> Numbers:
    """Return what each chosen maximum of a window gets of its message, (N, Ho, Wo)."""
    if ties != "split":
        return np.broadcast_to(np.ones((), dtype), pooled.f.shape)
    count = np.zeros(pooled.f.shape, np.int32)
    for to, _, equal in maxima(x, pooled):
        count[to] += equal
    shares: Numbers = (1 / count).astype(dtype)
    return shares


def send(x: Numbers | None, pooled: Pooled, delta: Numbers, dx: Numbers, ties: Ties) -> None:
    """Write the backward message dx (N, H, W) of delta (N, Ho, Wo) under a policy."""
    sent = delta * share(x, pooled, ties, dx.dtype)
    dx[...] = 0
    # A choice rather than a product: 0 times an infinite delta would be NaN.
    for to, at, chosen in taps(x, pooled, ties):
        dx[at] += np.where(chosen, sent[to], 0)


def push(x: Numbers | None, pooled: Pooled, tangent: Numbers, ties: Ties) -> Numbers:
    """Return the forward-mode message (N, Ho, Wo) of a tangent (N, H, W) under a policy."""
    shares = share(x, pooled, ties, tangent.dtype)
    pushed = np.zeros(pooled.f.shape, tangent.dtype)
    for to, at, chosen in taps(x, pooled, ties):
        pushed[to] += np.where(chosen, tangent[at] * shares[to], 0)
    return pushed


def dense(x: Numbers | None, pooled: Pooled, ties: Ties, dtype: np.dtype[Any]) -> Numbers:
    """Return the Jacobian (N, Ho, Wo, H, W) under a policy."""
    laid = pooled.laid
    J = np.zeros((*pooled.f.shape, *laid.size), dtype)
    shares = share(x, pooled, ties, dtype)
    for to, at, chosen in taps(x, pooled, ties):
        J[_pairs(to, at, laid)] = np.where(chosen, shares[to], 0)
    return J


def tied(x: Numbers | None, pooled: Pooled) -> Mask:
    """Return (N, Ho, Wo, H, W): whether (i, j) is a maximum of window (k, l)."""
    laid = pooled.laid
    mask = np.zeros((*pooled.f.shape, *laid.size), np.bool_)
    for to, at, equal in maxima(x, pooled):
        mask[_pairs(to, at, laid)] = equal
    return mask


def _pairs(to: tuple[slice, ...], at: tuple[slice, ...], laid: Laid) -> tuple[Any, ...]:
    """Index (N, Ho, Wo, H, W) at each window of `to` with its input of `at`."""
    windows = np.ix_(*(np.arange(n)[part] for part, n in zip(to[1:], laid.counts, strict=True)))
    inputs = np.ix_(*(np.arange(n)[part] for part, n in zip(at[1:], laid.size, strict=True)))
    return (slice(None), *windows, *inputs)
