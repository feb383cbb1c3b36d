"""Max pooling: the forward message, the backward message, the Jacobian, and what ties may do."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine import subgradient
from engine.windows import Array, Mask, Pair, Windows

Ties: TypeAlias = Literal["first", "last", "split", "all"]

POLICIES: Final[tuple[Ties, ...]] = get_args(Ties)


class MaxPool:
    """Max pooling over windows of (..., H, W), in float64.

    Omega(k, l) is the set of input coordinates of window (k, l), see `engine.windows`.  Padding
    holds minus infinity, so that it never wins.

        forward     f[k,l] = max of x[i,j] over (i,j) in Omega(k,l)

    Near an x without ties the arg max of every window stays where it is, so f[k,l] is locally
    just the coordinate x[i*,j*]: its slope is 1 there and 0 elsewhere, whatever the values are.

        Jacobian    df[k,l]/dx[i,j] = 1 if (i,j) = argmax Omega(k,l) else 0
        backward    dL/dx[i,j] = sum of delta[k,l] · df[k,l]/dx[i,j] over the windows (k,l)

    An input that several windows share adds up what each of them sends.  At a tie f is not
    differentiable and every convex combination over the tied maxima is a subgradient; `ties`
    picks one: "first" in row-major order (as PyTorch does), "last", "split" evenly, or "all"
    (each gets the whole message: *not* a subgradient, but what `x == f` in code computes).

    A window that holds a NaN gives NaN, and its only maximum is its last NaN (as in PyTorch).
    """

    def __init__(
        self,
        kernel: int | tuple[int, int],
        stride: int | tuple[int, int] | None = None,
        padding: int | tuple[int, int] = 0,
        ties: Ties = "first",
    ) -> None:
        """Take an int for both axes or a (rows, columns) pair; the stride defaults to the kernel.

        Raises ValueError for a window that cannot be (see `Windows.of`) or an unknown `ties`.
        """
        if ties not in POLICIES:
            raise ValueError(f"ties is {ties!r}: allowed are {', '.join(POLICIES)}")
        self.windows = Windows.of(kernel, stride, padding)
        self.ties: Ties = ties
        self._last: Array | None = None

    def __repr__(self) -> str:
        w = self.windows
        return f"MaxPool({w.kernel}, {w.stride}, {w.padding}, ties={self.ties!r})"

    # The three messages.

    def forward(self, x: ArrayLike) -> Array:
        """Return f (..., Ho, Wo) for x (..., H, W), and remember x for `backward`."""
        x = self._input(x)
        self._last = x.copy()
        largest: Array = self.windows.cells(x, outside=-np.inf).max(axis=(-2, -1))
        return largest

    def backward(self, delta: ArrayLike) -> Array:
        """Return dL/dx (..., H, W) at the last x, given delta = dL/df (..., Ho, Wo).

        Raises RuntimeError before any `forward`, ValueError where delta is not of f's shape.
        """
        if self._last is None:
            raise RuntimeError("backward needs an x: call forward(x) first")
        chosen, share = self._chosen(self._last)
        upstream = _shaped("delta", delta, share.shape)
        # A choice rather than a product: 0 times an infinite delta would be NaN.
        sent = np.where(chosen, (upstream * share)[..., None, None], 0.0)
        return self.windows.gather(sent, _size(self._last))

    def jacobian(self, x: ArrayLike) -> Array:
        """Return the dense df/dx (..., Ho, Wo, H, W) at x, under the tie policy."""
        x = self._input(x)
        chosen, share = self._chosen(x)
        return self.windows.spread(np.where(chosen, share[..., None, None], 0.0), _size(x))

    # Ties, and what else is right at them.

    def argmax(self, x: ArrayLike) -> NDArray[np.intp]:
        """Return the (i, j) of each window's first maximum, (..., Ho, Wo, 2), inside the input."""
        x = self._input(x)
        a, b = np.divmod(_flat(self._tied_cells(x)).argmax(axis=-1), self.windows.kernel[1])
        k, l = np.indices(a.shape[-2:])  # noqa: E741 (k, l is the window's index)
        (sh, sw), (ph, pw) = self.windows.stride, self.windows.padding
        return np.stack([k * sh - ph + a, l * sw - pw + b], axis=-1)

    def tied(self, x: ArrayLike) -> Mask:
        """Return (..., Ho, Wo, H, W): whether (i, j) is a maximum of window (k, l)."""
        x = self._input(x)
        return self.windows.spread(self._tied_cells(x).astype(np.float64), _size(x)) > 0

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
        tied = self.tied(x)
        if J is not None and dx is None and delta is None:
            return subgradient.valid_jacobian(_shaped("J", J, tied.shape), tied)
        if J is None and dx is not None and delta is not None:
            message = _shaped("dx", dx, tied.shape[:-4] + tied.shape[-2:])
            upstream = _shaped("delta", delta, tied.shape[:-2])
            return subgradient.valid_message(message, upstream, tied)
        raise ValueError("valid takes either dx with delta, or J alone")

    def _input(self, x: ArrayLike) -> Array:
        x = _numbers("x", x)
        if x.ndim < 2:
            raise ValueError(f"x has {x.ndim} axes: at least 2 (..., H, W) are allowed")
        self.windows.output_shape(*_size(x))
        return x

    def _tied_cells(self, x: Array) -> Mask:
        """Which cells of each window are its maxima, (..., Ho, Wo, kh, kw)."""
        cells = self.windows.cells(x, outside=-np.inf)
        top = cells.max(axis=(-2, -1), keepdims=True)
        tied: Mask = cells == top
        if np.isnan(top).any():
            tied |= _last(np.isnan(cells))
        if any(self.windows.padding):
            # An input of minus infinity ties with the padding, which is never a maximum.
            tied &= self.windows.inside(*_size(x))
        return tied

    def _chosen(self, x: Array) -> tuple[Mask, Array]:
        """Which maxima get the message, (..., Ho, Wo, kh, kw), and each one's share of it."""
        tied = self._tied_cells(x)
        share = np.ones(tied.shape[:-2])
        if self.ties == "split":
            share /= tied.sum(axis=(-2, -1))
        if self.ties in ("split", "all"):
            return tied, share
        return (_first if self.ties == "first" else _last)(tied), share


def _flat(cells: Mask) -> Mask:
    return cells.reshape(*cells.shape[:-2], cells.shape[-2] * cells.shape[-1])


def _first(cells: Mask) -> Mask:
    """Keep only the first True of each window (..., kh, kw), in row-major order."""
    flat = _flat(cells)
    alone = np.arange(flat.shape[-1]) == flat.argmax(axis=-1)[..., None]
    kept: Mask = (alone & flat).reshape(cells.shape)
    return kept


def _last(cells: Mask) -> Mask:
    return _first(cells[..., ::-1, ::-1])[..., ::-1, ::-1]


def _size(x: Array) -> Pair:
    return x.shape[-2], x.shape[-1]


def _numbers(name: str, value: ArrayLike) -> Array:
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} holds {array.dtype}: real numbers are allowed")
    return array.astype(np.float64, copy=False)


def _shaped(name: str, value: ArrayLike, shape: tuple[int, ...]) -> Array:
    array = _numbers(name, value)
    if array.shape != shape:
        raise ValueError(f"{name} has the shape {array.shape}: {shape} is allowed")
    return array
