"""Max pooling: the forward message, the backward message, the Jacobian, and what ties may do."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine import subgradient
from engine.pooling import arguments, places, ties
from engine.pooling.backward import backward
from engine.pooling.forward import Pooled, planes_of, pool
from engine.pooling.functions import max_unpool
from engine.pooling.ties import POLICIES, Ties
from engine.windows import Mask, Numbers, Shape, Windows

__all__ = ["POLICIES", "MaxPool", "Ties"]


@dataclass(frozen=True, slots=True, eq=False)
class _Pass:
    """The last forward pass, and its x (N, H, W) where the policy needs that too."""

    pooled: Pooled
    x: Numbers | None


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
        self._last: _Pass | None = None

    def __repr__(self) -> str:
        w = self.windows
        more = f", dilation={w.dilation}" if set(w.dilation) != {1} else ""
        more += ", ceil_mode=True" if w.ceil_mode else ""
        padding = w.padding if w.after is None else tuple(zip(w.padding, w.after, strict=True))
        return f"MaxPool({w.kernel}, {w.stride}, {padding}, ties={self.ties!r}{more})"

    # The messages.

    def forward(self, x: ArrayLike) -> Numbers:
        """Return f (..., Ho, Wo) for x (..., H, W), and remember what `backward` needs of it."""
        self._last = self._pass(x, keep=True)
        f = self._last.pooled.f.reshape(self._last.pooled.shape)
        # Sharing policies look at f again, and the caller may change what is returned.
        return f if ties.one_winner(self.ties) else f.copy()

    def backward(self, delta: ArrayLike) -> Numbers:
        """Return dL/dx (..., H, W) at the last x, given delta = dL/df (..., Ho, Wo).

        Raises RuntimeError before any `forward`, ValueError where delta is not of f's shape.
        """
        last = self._remembered("backward")
        upstream = arguments.shaped("delta", delta, last.pooled.shape)
        return backward(last.pooled, last.x, upstream, self.ties, self.threads)

    def jvp(self, tangent: ArrayLike) -> Numbers:
        """Return df (..., Ho, Wo) at the last x, given a tangent dx (..., H, W).

        Raises RuntimeError before any `forward`, ValueError where dx is not of x's shape.
        """
        last = self._remembered("jvp")
        pooled = last.pooled
        size = pooled.laid.size
        dx = arguments.shaped("tangent", tangent, pooled.lead + size)
        dx = dx.astype(ties.message_type(self.ties, pooled.dtype, dx.dtype))
        return ties.push(last.x, pooled, planes_of(dx, size), self.ties).reshape(pooled.shape)

    def jacobian(self, x: ArrayLike) -> Numbers:
        """Return the dense df/dx (..., Ho, Wo, H, W) at x, under the tie policy.

        In x's type, or in float64 for integers.
        """
        now = self._pass(x)
        pooled, dtype = now.pooled, now.pooled.dtype
        J = ties.dense(now.x, pooled, self.ties, dtype if dtype.kind == "f" else np.dtype(float))
        return J.reshape(pooled.shape + pooled.laid.size)

    def unpool(self, f: ArrayLike) -> Numbers:
        """Return (..., H, W): zero but for each window's f (..., Ho, Wo), at the last arg max.

        Raises RuntimeError before any `forward`, ValueError for "split" and "all".
        """
        if not ties.one_winner(self.ties):
            raise ValueError(f"ties is {self.ties!r}: unpooling takes 'first' or 'last'")
        pooled = self._remembered("unpool").pooled
        at = _indices(pooled)
        values = arguments.shaped("f", f, pooled.shape)
        return max_unpool(values, at, self.windows.kernel, size=pooled.laid.size)

    # Ties, and what else is right at them.

    def indices(self, x: ArrayLike) -> NDArray[np.int64]:
        """Return the flat index in its plane of each window's first maximum, (..., Ho, Wo).

        The last maximum where `ties` is "last".
        """
        return _indices(self._pass(x).pooled)

    def argmax(self, x: ArrayLike) -> NDArray[np.intp]:
        """Return the (i, j) of each window's first maximum, (..., Ho, Wo, 2), inside the input."""
        x = self._input(x)
        pooled = pool(x, self.windows.over(self._size(x)), threads=self.threads)
        return np.stack(np.unravel_index(_indices(pooled), pooled.laid.size), axis=-1)

    def tied(self, x: ArrayLike) -> Mask:
        """Return (..., Ho, Wo, H, W): whether (i, j) is a maximum of window (k, l)."""
        now = self._pass(x)
        shape = now.pooled.shape + now.pooled.laid.size
        return ties.tied(now.x, now.pooled).reshape(shape)

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
        now = self._pass(x)
        lead, counts, size = now.pooled.lead, now.pooled.laid.counts, now.pooled.laid.size
        # Whatever its axes are, the rules see one row of windows over one row of inputs.
        windows, inputs = (1, prod(counts)), (1, prod(size))
        tied = ties.tied(now.x, now.pooled).reshape(lead + windows + inputs)
        if J is not None and dx is None and delta is None:
            rows = arguments.shaped("J", J, lead + counts + size).astype(np.float64)
            return subgradient.valid_jacobian(rows.reshape(tied.shape), tied)
        if J is None and dx is not None and delta is not None:
            message = arguments.shaped("dx", dx, lead + size).astype(np.float64)
            upstream = arguments.shaped("delta", delta, lead + counts).astype(np.float64)
            return subgradient.valid_message(
                message.reshape(lead + inputs), upstream.reshape(lead + windows), tied
            )
        raise ValueError("valid takes either dx with delta, or J alone")

    def _input(self, x: ArrayLike) -> Numbers:
        return arguments.pooled("x", x, len(self.windows.kernel))

    def _size(self, x: Numbers) -> Shape:
        return x.shape[-len(self.windows.kernel) :]

    def _pass(self, x: ArrayLike, keep: bool = False) -> _Pass:
        """Pool x; `keep` is for a pass that outlives the call, when the caller may change x."""
        x = self._input(x)
        size = self._size(x)
        pooled = pool(x, self.windows.over(size), self.ties == "last", threads=self.threads)
        if not keep:
            return _Pass(pooled, planes_of(x, size))
        if ties.one_winner(self.ties):
            return _Pass(pooled, None)
        return _Pass(pooled, planes_of(x, size).copy())

    def _remembered(self, method: str) -> _Pass:
        if self._last is None:
            raise RuntimeError(f"{method} needs an x: call forward(x) first")
        return self._last


def _indices(pooled: Pooled) -> NDArray[np.int64]:
    assert pooled.cells is not None
    return places.indices(pooled.cells, pooled.laid).reshape(pooled.shape)
