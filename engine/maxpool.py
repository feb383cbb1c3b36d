"""Max pooling: the forward message, the backward message, the Jacobian, and what ties may do."""

from __future__ import annotations

from math import prod
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine import subgradient
from engine.pooling import arguments, places, ties
from engine.pooling.backward import backward
from engine.pooling.forward import Pooled, planes_of
from engine.pooling.functions import max_unpool
from engine.pooling.ties import POLICIES, Ties
from engine.windows import Mask, Numbers, Shape, Windows

__all__ = ["POLICIES", "MaxPool", "Ties"]

#: Bytes of a dense Jacobian: whoever asks for more did not mean it.
MOST_DENSE: Final = 2**30


class MaxPool:
    """Max pooling over windows of (..., H, W), in the type of x: float16 to float64 or integers.

    Omega(k, l) is the set of input coordinates of window (k, l), see `engine.windows`.  Padding
    holds minus infinity, so that it never wins.

        forward     f[k,l] = max of x[i,j] over (i,j) in Omega(k,l)

    Near an x without ties the arg max of every window stays where it is, so f[k,l] is locally
    just the coordinate x[i*,j*]: its slope is 1 there and 0 elsewhere, whatever the values are.

        Jacobian    df[k,l]/dx[i,j] = 1 if (i,j) = argmax Omega(k,l) else 0
        backward    dL/dx[i,j] = sum of delta[k,l] · df[k,l]/dx[i,j] over the windows (k,l)
        jvp         df[k,l] = sum of df[k,l]/dx[i,j] · dx[i,j] over the inputs (i,j)

    An input that several windows share adds up what each of them sends.  At a tie f is not
    differentiable and every convex combination over the tied maxima is a subgradient; `ties`
    picks one: "first" in row-major order (as PyTorch does), "last", "split" evenly, or "all"
    (each gets the whole message: *not* a subgradient, but what `x == f` in code computes).

    A window that holds a NaN gives NaN, and its only maximum is its last NaN (as in PyTorch).
    A kernel of one or three numbers pools (..., W) or (..., D, H, W) in the same way.
    """

    def __init__(
        self,
        kernel: object,
        stride: object = None,
        padding: object = 0,
        ties: Ties = "first",
        *,
        dilation: object = 1,
        ceil_mode: bool = False,
        threads: int = 1,
    ) -> None:
        """Take an int for both axes or a number for each; the stride defaults to the kernel.

        The arguments are those of `max_pool`.  `threads` is how many work on one large input.
        Raises ValueError for a window that cannot be (see `Windows.of`) or an unknown `ties`.
        """
        self.ties: Ties = arguments.policy(ties)
        self.windows = Windows.of(kernel, stride, padding, dilation, ceil_mode)
        self.threads = arguments.threads(threads)
        self._last: Pooled | None = None

    def __repr__(self) -> str:
        w = self.windows
        more = f", dilation={w.dilation}" if set(w.dilation) != {1} else ""
        more += ", ceil_mode=True" if w.ceil_mode else ""
        padding = w.padding if w.after is None else tuple(zip(w.padding, w.after, strict=True))
        return f"MaxPool({w.kernel}, {w.stride}, {padding}, ties={self.ties!r}{more})"

    # The messages.

    def forward(self, x: ArrayLike) -> Numbers:
        """Return f (..., Ho, Wo) for x (..., H, W), and remember what `backward` needs of it."""
        self._last = self._pass(x, self.ties)
        return self._last.f.reshape(self._last.shape)

    def backward(self, delta: ArrayLike) -> Numbers:
        """Return dL/dx (..., H, W) at the last x, given delta = dL/df (..., Ho, Wo).

        Raises RuntimeError before any `forward`, ValueError where delta is not of f's shape.
        """
        last = self._remembered("backward")
        upstream = arguments.shaped("delta", delta, last.shape)
        return backward(last, upstream, self.ties, self.threads)

    def jvp(self, tangent: ArrayLike) -> Numbers:
        """Return df (..., Ho, Wo) at the last x, given a tangent dx (..., H, W).

        Raises RuntimeError before any `forward`, ValueError where dx is not of x's shape, or where
        integers of it might add up to more than their type holds.
        """
        last = self._remembered("jvp")
        size = last.laid.size
        dx = arguments.shaped("tangent", tangent, last.lead + size)
        dtype = ties.message_type(self.ties, last.dtype, dx.dtype)
        gain = prod(last.laid.kernel) if self.ties == "all" else 1
        arguments.no_overflow("tangent", dx, dtype, gain, "inputs")
        dx = planes_of(dx.astype(dtype, copy=False), size)
        return ties.push(last, dx, self.ties).reshape(last.shape)

    def jacobian(self, x: ArrayLike) -> Numbers:
        """Return the dense df/dx (..., Ho, Wo, H, W) at x, under the tie policy.

        In x's type, or in float64 for integers.  Raises ValueError where it is too large.
        """
        x = self._input(x)
        dtype = x.dtype if x.dtype.kind == "f" else np.dtype(float)
        self._fits(x, dtype.itemsize)
        now = self._pass(x, self.ties)
        return ties.dense(now, self.ties, dtype).reshape(now.shape + now.laid.size)

    def unpool(self, f: ArrayLike) -> Numbers:
        """Return (..., H, W): zero but for each window's f (..., Ho, Wo), at the last arg max.

        Raises RuntimeError before any `forward`, ValueError for "split" and "all".
        """
        if not ties.one_winner(self.ties):
            raise ValueError(f"ties is {self.ties!r}: unpooling takes 'first' or 'last'")
        pooled = self._remembered("unpool")
        at = _indices(pooled)
        values = arguments.shaped("f", f, pooled.shape)
        return max_unpool(values, at, self.windows.kernel, size=pooled.laid.size)

    # Ties, and what else is right at them.

    def indices(self, x: ArrayLike) -> NDArray[np.int64]:
        """Return the flat index in its plane of each window's first maximum, (..., Ho, Wo).

        The last maximum where `ties` is "last".
        """
        return _indices(self._pass(x, "last" if self.ties == "last" else "first"))

    def argmax(self, x: ArrayLike) -> NDArray[np.intp]:
        """Return the (i, j) of each window's first maximum, (..., Ho, Wo, 2), inside the input."""
        pooled = self._pass(x, "first")
        return np.stack(np.unravel_index(_indices(pooled), pooled.laid.size), axis=-1)

    def tied(self, x: ArrayLike) -> Mask:
        """Return (..., Ho, Wo, H, W): whether (i, j) is a maximum of window (k, l)."""
        x = self._input(x)
        self._fits(x, 1)
        now = self._pass(x, "all")
        return ties.tied(now).reshape(now.shape + now.laid.size)

    def valid(
        self,
        x: ArrayLike,
        dx: ArrayLike | None = None,
        delta: ArrayLike | None = None,
        J: ArrayLike | None = None,
    ) -> Mask:
        """Return, for each of the leading axes, whether dx (for delta) or J is a subgradient at x.

        Give either `dx` (..., H, W) with `delta` (..., Ho, Wo), or `J` (..., Ho, Wo, H, W).
        The rules are in `engine.subgradient`.
        """
        x = self._input(x)
        self._fits(x, 8)
        now = self._pass(x, "all")
        lead, counts, size = now.lead, now.laid.counts, now.laid.size
        # Whatever its axes are, the rules see one row of windows over one row of inputs.
        windows, inputs = (1, prod(counts)), (1, prod(size))
        tied = ties.tied(now).reshape(lead + windows + inputs)
        hollow = np.flatnonzero(np.zeros(counts) if now.laid.hollow is None else now.laid.hollow)
        if J is not None and dx is None and delta is None:
            rows = arguments.shaped("J", J, lead + counts + size).astype(np.float64)
            rows = rows.reshape(lead + windows + inputs)
            # A window that steps over the input has a row of zeros.
            none = np.abs(rows[..., hollow, :, :]).max(axis=(-4, -3, -2, -1), initial=0)
            some = subgradient.valid_jacobian(
                np.delete(rows, hollow, axis=-3), np.delete(tied, hollow, axis=-3)
            )
            return np.asarray(some & (none <= subgradient.TOLERANCE))
        if J is None and dx is not None and delta is not None:
            message = arguments.shaped("dx", dx, lead + size).astype(np.float64)
            upstream = arguments.shaped("delta", delta, lead + counts).astype(np.float64)
            upstream = upstream.reshape(lead + windows).copy()
            # ... and sends nothing, to whomever.
            upstream[..., hollow], tied[..., hollow, 0, 0] = 0, True
            return subgradient.valid_message(message.reshape(lead + inputs), upstream, tied)
        raise ValueError("valid takes either dx with delta, or J alone")

    def _input(self, x: ArrayLike) -> Numbers:
        return arguments.pooled("x", x, len(self.windows.kernel))

    def _size(self, x: Numbers) -> Shape:
        return x.shape[-len(self.windows.kernel) :]

    def _pass(self, x: ArrayLike, policy: Ties) -> Pooled:
        x = self._input(x)
        return ties.passed(x, self.windows.over(self._size(x)), policy, self.threads)

    def _fits(self, x: Numbers, itemsize: int) -> None:
        """Raise ValueError where every window by every input would be too much."""
        size = self._size(x)
        cells = x.shape[: x.ndim - len(size)] + self.windows.over(size).counts + size
        needed = prod(cells) * itemsize
        if needed > MOST_DENSE:
            raise ValueError(
                f"x has the shape {x.shape}: every output by every input takes "
                f"{needed / 2**30:,.1f} GiB; at most {MOST_DENSE / 2**30:g} GiB is allowed, "
                "which is why backward never forms it"
            )

    def _remembered(self, method: str) -> Pooled:
        if self._last is None:
            raise RuntimeError(f"{method} needs an x: call forward(x) first")
        return self._last


def _indices(pooled: Pooled) -> NDArray[np.int64]:
    assert pooled.cells is not None
    return places.indices(pooled.cells, pooled.laid).reshape(pooled.shape)
