"""Max pooling: the forward message, the backward message, the Jacobian, and what ties may do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike, NDArray

from engine import subgradient

Array: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]
Pair: TypeAlias = tuple[int, int]
Ties: TypeAlias = Literal["first", "last", "split", "all"]

POLICIES: Final[tuple[Ties, ...]] = get_args(Ties)


class MaxPool:
    """Max pooling over windows of (..., H, W), in float64.

    Omega(k, l) is the set of input coordinates of window (k, l): rows k·sh − ph + a and columns
    l·sw − pw + b for 0 <= a < kh, 0 <= b < kw, as far as they lie inside the input.  Padding
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

        Raises ValueError where a kernel or stride is below 1, a padding is negative or above half
        the kernel (a window could then lie in the padding entirely), or `ties` is unknown.
        """
        self.kernel = _pair("kernel", kernel, least=1)
        self.stride = self.kernel if stride is None else _pair("stride", stride, least=1)
        self.padding = _pair("padding", padding, least=0)
        if any(2 * p > k for p, k in zip(self.padding, self.kernel, strict=True)):
            raise ValueError(
                f"padding is {padding!r}: at most half the kernel {self.kernel} is allowed"
            )
        if ties not in POLICIES:
            raise ValueError(f"ties is {ties!r}: allowed are {', '.join(POLICIES)}")
        self.ties: Ties = ties
        self._last: Array | None = None

    def __repr__(self) -> str:
        return f"MaxPool({self.kernel}, {self.stride}, {self.padding}, ties={self.ties!r})"

    # The three messages.

    def forward(self, x: ArrayLike) -> Array:
        """Return f (..., Ho, Wo) for x (..., H, W), and remember x for `backward`."""
        x = self._input(x)
        self._last = x.copy()
        largest: Array = self._cells(x).max(axis=(-2, -1))
        return largest

    def backward(self, delta: ArrayLike) -> Array:
        """Return dL/dx (..., H, W) at the last x, given delta = dL/df (..., Ho, Wo).

        Raises RuntimeError before any `forward`, ValueError where delta is not of f's shape.
        """
        if self._last is None:
            raise RuntimeError("backward needs an x: call forward(x) first")
        x = self._last
        chosen, share = self._chosen(x)
        delta = _numbers("delta", delta)
        if delta.shape != share.shape:
            raise ValueError(
                f"delta has the shape {delta.shape}: the shape of f, {share.shape}, is allowed"
            )
        # A choice rather than a product: 0 times an infinite delta would be NaN.
        sent = np.where(chosen, (delta * share)[..., None, None], 0.0)
        padded = np.zeros(self._padded_shape(x.shape))
        for a, b, rows, columns in self._offsets(share.shape):
            padded[..., rows, columns] += sent[..., a, b]
        return self._crop(padded, x.shape)

    def jacobian(self, x: ArrayLike) -> Array:
        """Return the dense df/dx (..., Ho, Wo, H, W) at x, under the tie policy."""
        x = self._input(x)
        chosen, share = self._chosen(x)
        return self._spread(np.where(chosen, share[..., None, None], 0.0), x.shape)

    # Ties, and what else is right at them.

    def argmax(self, x: ArrayLike) -> NDArray[np.intp]:
        """Return the (i, j) of each window's first maximum, (..., Ho, Wo, 2), inside the input."""
        x = self._input(x)
        flat = _flat(self._tied_cells(x)).argmax(axis=-1)
        a, b = np.divmod(flat, self.kernel[1])
        k, l = np.indices(flat.shape[-2:])  # noqa: E741 (the window's index is k, l in the field)
        i = k * self.stride[0] - self.padding[0] + a
        j = l * self.stride[1] - self.padding[1] + b
        return np.stack([i, j], axis=-1)

    def tied(self, x: ArrayLike) -> Mask:
        """Return (..., Ho, Wo, H, W): whether (i, j) is a maximum of window (k, l)."""
        x = self._input(x)
        return self._spread(self._tied_cells(x).astype(np.float64), x.shape) > 0

    def inside(self, height: int, width: int) -> Mask:
        """Return (Ho, Wo, H, W): whether (i, j) is in Omega(k, l)."""
        return self.tied(np.zeros((height, width)))

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

    # Shapes.

    def output_shape(self, height: int, width: int) -> Pair:
        """Return (Ho, Wo); raises ValueError where the window does not fit the padded input."""
        if min(height, width) < 1:
            raise ValueError(f"x is empty: {height} rows, {width} columns; at least 1 is allowed")
        padded = (height + 2 * self.padding[0], width + 2 * self.padding[1])
        if any(k > size for k, size in zip(self.kernel, padded, strict=True)):
            raise ValueError(
                f"kernel is {self.kernel}: at most the padded input, {padded}, is allowed"
            )
        rows, columns = (
            (size - k) // s + 1 for size, k, s in zip(padded, self.kernel, self.stride, strict=True)
        )
        return rows, columns

    def _input(self, x: ArrayLike) -> Array:
        x = _numbers("x", x)
        if x.ndim < 2:
            raise ValueError(f"x has {x.ndim} axes: at least 2 (..., H, W) are allowed")
        self.output_shape(x.shape[-2], x.shape[-1])
        return x

    def _cells(self, x: Array, outside: float = -np.inf) -> Array:
        """The windows of x, (..., Ho, Wo, kh, kw); a read-only view of the padded input."""
        ph, pw = self.padding
        if ph or pw:
            margins = [(0, 0)] * (x.ndim - 2) + [(ph, ph), (pw, pw)]
            x = np.pad(x, margins, constant_values=outside)
        windows = sliding_window_view(x, self.kernel, axis=(-2, -1))
        every: Array = windows[..., :: self.stride[0], :: self.stride[1], :, :]
        return every

    def _tied_cells(self, x: Array) -> Mask:
        cells = self._cells(x)
        top = cells.max(axis=(-2, -1), keepdims=True)
        tied: Mask = cells == top
        if np.isnan(top).any():
            tied |= _last(np.isnan(cells))
        if any(self.padding):
            # An input of minus infinity ties with the padding, which is never a maximum.
            tied &= self._cells(np.ones(x.shape[-2:]), outside=0.0) > 0
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

    def _offsets(self, shape: tuple[int, ...]) -> Iterator[tuple[int, int, slice, slice]]:
        """For each place (a, b) in a window, the padded rows and columns it has in all windows."""
        (kh, kw), (sh, sw) = self.kernel, self.stride
        rows, columns = shape[-2:]
        for a in range(kh):
            for b in range(kw):
                yield (
                    a,
                    b,
                    slice(a, a + sh * (rows - 1) + 1, sh),
                    slice(b, b + sw * (columns - 1) + 1, sw),
                )

    def _spread(self, cells: Array, shape: tuple[int, ...]) -> Array:
        """Lay values (..., Ho, Wo, kh, kw) of windows out over the input: (..., Ho, Wo, H, W)."""
        k, l, a, b = np.indices(cells.shape[-4:])  # noqa: E741
        padded = np.zeros(cells.shape[:-2] + self._padded_shape(shape)[-2:])
        padded[..., k, l, k * self.stride[0] + a, l * self.stride[1] + b] = cells
        return self._crop(padded, shape)

    def _padded_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        (ph, pw) = self.padding
        return (*shape[:-2], shape[-2] + 2 * ph, shape[-1] + 2 * pw)

    def _crop(self, padded: Array, shape: tuple[int, ...]) -> Array:
        ph, pw = self.padding
        return padded[..., ph : ph + shape[-2], pw : pw + shape[-1]]


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


def _pair(name: str, value: object, least: int) -> Pair:
    pair = tuple(value) if isinstance(value, (tuple, list)) else (value, value)
    numbers = [int(n) for n in pair if isinstance(n, (int, np.integer)) and not isinstance(n, bool)]
    if len(pair) != 2 or len(numbers) != 2 or min(numbers) < least:
        raise ValueError(
            f"{name} is {value!r}: an integer of at least {least}, or a pair of them, is allowed"
        )
    return numbers[0], numbers[1]


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
