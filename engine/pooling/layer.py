"""MaxPool, and the same as plain functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod
from typing import Any, Final, Literal, TypeAlias, get_args, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.pooling.kernels import (
    Pooled,
    blocks,
    cells_at,
    plane_indices,
    planes_of,
    pool,
    scatter,
    scatter_known,
)
from engine.pooling.windows import (
    SUBGRADIENT_TOLERANCE,
    Mask,
    Numbers,
    PoolingWindows,
    Shape,
    WindowLayout,
    flag,
    valid_jacobian,
    valid_message,
)

# -- All maxima of a window, cell by cell of the window: what sharing a message among them takes.
#
# These run over the definition, one cell of the window at a time, in blocks that stay in the
# cache; only "split" and "all", the Jacobian and the forward-mode message come here.  The maxima
# are kept as bits, one for each cell of a window: less to remember than x, from which they could
# be told.


Ties: TypeAlias = Literal["first", "last", "split", "all"]
POLICIES: Final[tuple[Ties, ...]] = get_args(Ties)

Index: TypeAlias = tuple[slice, ...]
#: Blocks as small as of so many threads: masks and shares are held beside each.
_PARTS: Final = 4


def one_winner(ties: Ties) -> bool:
    return ties in ("first", "last")


def message_type(ties: Ties, *given: np.dtype[Any]) -> np.dtype[Any]:
    """The type that NumPy gives x·delta, where "split" needs fractions."""
    return np.result_type(*given, *([np.float16] if ties == "split" else []))


def passed(x: Numbers, layout: WindowLayout, ties: Ties, threads: int = 1) -> Pooled:
    """Pool x (..., H, W), and find of each window what the policy asks for: winner or maxima."""
    single = one_winner(ties)
    pooled = pool(x, layout, ties == "last", track=single, threads=threads)
    return pooled if single else replace(pooled, marks=_marked(planes_of(x, layout.size), pooled))


def _marked(x: Numbers, pooled: Pooled) -> NDArray[np.uint8]:
    """Mark all maxima of each window: (words, N, Ho, Wo), bit n % 8 of word n // 8 for cell n.

    The only maximum of a window with a NaN is its last NaN.
    """
    f, layout = pooled.f, pooled.layout
    marks = np.zeros((-(-prod(layout.kernel) // 8), *f.shape), np.uint8)
    for planes, rows in blocks(len(x), pooled.layout, x.itemsize, _PARTS):
        for number, windows, inputs in layout.taps(rows):
            to = (planes, *windows)
            equal = x[(planes, *inputs)] == f[to]
            marks[number // 8][to] |= equal.view(np.uint8) << np.uint8(number % 8)
        if f.dtype.kind == "f" and np.isnan(f[planes, rows]).any():
            for number, windows, inputs in layout.taps(rows):
                nan = np.isnan(x[(planes, *inputs)])
                for word, kept in enumerate(marks):
                    bit = np.uint8(1 << number % 8 if word == number // 8 else 0)
                    np.copyto(kept[(planes, *windows)], bit, where=nan)
    return marks


def _chosen(pooled: Pooled, planes: slice, rows: slice) -> Iterator[tuple[Index, Index, Mask]]:
    """Yield for each cell of a window which it is of the windows in a block, and where it counts.

    Two tuples of slices, into an array of the block's windows and into the inputs, and a mask.
    """
    for number, windows, inputs in pooled.layout.taps(rows):
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
    for planes, rows in blocks(len(dx), pooled.layout, dx.itemsize, _PARTS):
        sent = _shared(delta[planes, rows], pooled, planes, rows, ties)
        # A choice rather than a product: 0 times an infinite delta would be NaN.
        for to, at, mask in _chosen(pooled, planes, rows):
            dx[at] += np.where(mask, sent[to], 0)


def push(pooled: Pooled, tangent: Numbers, ties: Ties) -> Numbers:
    """Return the forward-mode message (N, Ho, Wo) of a tangent (N, H, W) under a policy."""
    pushed = np.zeros(pooled.f.shape, tangent.dtype)
    for planes, rows in blocks(len(tangent), pooled.layout, tangent.itemsize, _PARTS):
        out = pushed[planes, rows]
        shares = _shared(np.ones(out.shape, tangent.dtype), pooled, planes, rows, ties)
        for to, at, mask in _chosen(pooled, planes, rows):
            out[to] += np.where(mask, tangent[at] * shares[to], 0)
    return pushed


def dense(pooled: Pooled, ties: Ties, dtype: np.dtype[Any]) -> Numbers:
    """Return the Jacobian (N, Ho, Wo, H, W) under a policy."""
    layout, every, rows = pooled.layout, slice(None), slice(0, pooled.layout.counts[0])
    J = np.zeros((*pooled.f.shape, *layout.size), dtype)
    shares = _shared(np.ones(pooled.f.shape, dtype), pooled, every, rows, ties)
    for to, at, mask in _chosen(pooled, every, rows):
        J[_pairs(to, at, layout)] = np.where(mask, shares[to], 0)
    return J


def maxima_of(pooled: Pooled) -> Mask:
    """Return (N, Ho, Wo, H, W): whether (i, j) is a maximum of window (k, l)."""
    return dense(pooled, "all", np.dtype(np.bool_))


def _pairs(to: Index, at: Index, layout: WindowLayout) -> tuple[Any, ...]:
    """Index (N, Ho, Wo, H, W) at each window of `to` with its input of `at`."""
    windows = np.ix_(*(np.arange(n)[part] for part, n in zip(to[1:], layout.counts, strict=True)))
    inputs = np.ix_(*(np.arange(n)[part] for part, n in zip(at[1:], layout.size, strict=True)))
    return (slice(None), *windows, *inputs)


# -- What x, delta and the rest may be; anything else is a ValueError that names it.


_AXES: Final = {1: "(..., W)", 2: "(..., H, W)", 3: "(..., D, H, W)"}


def numbers(name: str, value: ArrayLike) -> Numbers:
    """Return the array in this machine's byte order."""
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} is ragged: an array with rows of one length is allowed") from None
    if array.dtype.kind not in "iuf" or array.dtype.itemsize > 8:
        raise ValueError(
            f"{name} holds {array.dtype}: real numbers are allowed, float16 to float64 or integers"
        )
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def checked_array(name: str, value: ArrayLike, dims: int) -> Numbers:
    """Return an array that windows of so many axes may slide over."""
    array = numbers(name, value)
    if array.ndim < dims:
        raise ValueError(f"{name} has {array.ndim} axes: at least {dims} {_AXES[dims]} are allowed")
    if 0 in array.shape[: array.ndim - dims]:
        raise ValueError(f"{name} has the shape {array.shape}: at least 1 is allowed")
    return array


def shaped(name: str, value: ArrayLike, shape: Shape) -> Numbers:
    """Return an array of exactly this shape."""
    array = numbers(name, value)
    if array.shape != shape:
        raise ValueError(f"{name} has the shape {array.shape}: {shape} is allowed")
    return array


def indices_of(value: ArrayLike, shape: Shape) -> Numbers:
    """Return indices, whatever they point at, in an array of this shape."""
    array = shaped("indices", value, shape)
    if array.dtype.kind not in "iu":
        raise ValueError(f"indices holds {array.dtype}: integers are allowed")
    return array


def flat_indices(value: ArrayLike, shape: Shape, inputs: int) -> Numbers:
    """Return flat indices into planes of so many inputs, in an array of this shape."""
    array = indices_of(value, shape)
    if array.size and not 0 <= (least := array.min()) <= (most := array.max()) < inputs:
        raise ValueError(
            f"indices holds {least if least < 0 else most}: 0 to {inputs - 1} is allowed"
        )
    return array.astype(np.intp, copy=False)


def checked_size(value: object, dims: int) -> Shape:
    """Return the size of an input plane."""
    each = tuple(value) if isinstance(value, (tuple, list)) else ()
    if len(each) != dims or not all(isinstance(n, (int, np.integer)) and n >= 1 for n in each):
        raise ValueError(f"size is {value!r}: {dims} integers of at least 1 are allowed")
    return tuple(int(n) for n in each)


def checked_policy(ties: object) -> Ties:
    """Return the tie policy."""
    for known in POLICIES:
        if ties == known:
            return known
    raise ValueError(f"ties is {ties!r}: allowed are {', '.join(POLICIES)}")


def checked_threads(value: object) -> int:
    """Return the number of threads."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError(f"threads is {value!r}: an integer of at least 1 is allowed")
    return int(value)


def no_overflow(name: str, sent: Numbers, dtype: np.dtype[Any], gain: int, of: str) -> None:
    """Raise ValueError where so many of the integers sent might add up to more than fits."""
    if dtype.kind not in "iu":
        return
    largest = max(int(sent.max()), -int(sent.min()))
    if largest * gain > (room := int(np.iinfo(dtype).max)) and gain > 1:
        raise ValueError(
            f"{name} holds {largest} in {dtype}, and up to {gain} {of} add up: "
            f"at most {room // gain} is allowed, or a wider type"
        )


# -- The backward message of a forward pass, under a tie policy.


def backward(pooled: Pooled, delta: Numbers, policy: Ties, threads: int = 1) -> Numbers:
    """Return dL/dx (..., H, W) for delta (..., Ho, Wo), in the type that NumPy gives x·delta."""
    message, dx = prepared(pooled, delta, policy)
    if pooled.cells is not None and pooled.layout.hollow is None:
        scatter(pooled.cells, message, dx, pooled.layout, threads)
    else:
        send(pooled, message, dx, policy)
    return dx.reshape(pooled.lead + pooled.layout.size)


def prepared(pooled: Pooled, delta: Numbers, policy: Ties) -> tuple[Numbers, Numbers]:
    """Return delta (N, Ho, Wo) in the type of the message, and room for the message (N, H, W)."""
    layout = pooled.layout
    dtype = message_type(policy, pooled.dtype, delta.dtype)
    no_overflow("delta", delta, dtype, layout.shared, "windows")
    message = delta.astype(dtype, copy=False).reshape(-1, *layout.counts)
    return message, np.empty((len(message), *layout.size), dtype)


# -- Max pooling as plain functions; `engine.MaxPool` is a layer that remembers its last input.


@overload
def max_pool(
    x: ArrayLike,
    kernel: object,
    stride: object = ...,
    padding: object = ...,
    dilation: object = ...,
    ceil_mode: bool = ...,
    return_indices: Literal[False] = ...,
    threads: int = ...,
) -> Numbers: ...


@overload
def max_pool(
    x: ArrayLike,
    kernel: object,
    stride: object = ...,
    padding: object = ...,
    dilation: object = ...,
    ceil_mode: bool = ...,
    *,
    return_indices: Literal[True],
    threads: int = ...,
) -> tuple[Numbers, NDArray[np.int64]]: ...


def max_pool(
    x: ArrayLike,
    kernel: object,
    stride: object = None,
    padding: object = 0,
    dilation: object = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
    threads: int = 1,
) -> Numbers | tuple[Numbers, NDArray[np.int64]]:
    """Return f (..., Ho, Wo), the largest of each window of x (..., H, W), in x's type.

    An int is meant for rows and columns; a kernel of one or three numbers pools (..., W) or
    (..., D, H, W).  `stride`, which defaults to the kernel, `padding` and `dilation` are an int
    or a number for each axis, and each padding may be a pair (before, after).  `ceil_mode` counts
    a last window that the padded input only holds in part.  With `return_indices`, also return
    the flat index of each window's first maximum in its plane, (..., Ho, Wo) of int64.

    These, and what becomes of NaN and infinities, are as PyTorch has them; so is minus infinity
    (the least integer) for a dilated window that steps over the whole input.  Its index is of the
    cell where it comes out of the padding, which need not be an input: nothing is sent there.
    ValueError names the argument that cannot be, its value and what is allowed.
    """
    windows = PoolingWindows.of(kernel, stride, padding, dilation, ceil_mode)
    x = checked_array("x", x, len(windows.kernel))
    layout = windows.over(x.shape[-len(windows.kernel) :])
    track = flag("return_indices", return_indices)
    pooled = pool(x, layout, track=track, threads=checked_threads(threads))
    f = pooled.f.reshape(pooled.shape)
    if pooled.cells is None:
        return f
    return f, plane_indices(pooled.cells, layout).reshape(pooled.shape)


def max_pool_backward(
    x: ArrayLike,
    delta: ArrayLike,
    kernel: object,
    stride: object = None,
    padding: object = 0,
    dilation: object = 1,
    ceil_mode: bool = False,
    *,
    indices: ArrayLike | None = None,
    ties: Ties = "first",
    threads: int = 1,
) -> Numbers:
    """Return dL/dx (..., H, W) at x, given delta = dL/df (..., Ho, Wo).

    `indices`, as `max_pool` returns them, save finding the maxima again, and then decide alone;
    without them `ties` does ("first", "last", "split" or "all", see `engine.MaxPool`).  The rest
    is as for `max_pool`.  The result has the type that NumPy gives to x·delta.
    """
    windows = PoolingWindows.of(kernel, stride, padding, dilation, ceil_mode)
    x = checked_array("x", x, len(windows.kernel))
    policy, threads = checked_policy(ties), checked_threads(threads)
    layout = windows.over(x.shape[-len(windows.kernel) :])
    lead = x.shape[: x.ndim - len(layout.size)]
    upstream = shaped("delta", delta, lead + layout.counts)
    if indices is None:
        return backward(passed(x, layout, policy, threads), upstream, policy, threads)
    flat = indices_of(indices, upstream.shape).reshape(-1, *layout.counts)
    pooled = Pooled(layout, lead, x.dtype, flat, None)
    if layout.hollow is not None:
        cells = cells_at(flat, layout)
        return backward(replace(pooled, cells=cells), upstream, "first", threads)
    message, dx = prepared(pooled, upstream, "first")
    scatter_known(flat, message, dx, layout, threads)
    return dx.reshape(lead + layout.size)


def max_unpool(
    f: ArrayLike,
    indices: ArrayLike,
    kernel: object,
    stride: object = None,
    padding: object = 0,
    size: Shape | None = None,
) -> Numbers:
    """Return (..., H, W): zero but for the elements of f (..., Ho, Wo), each at its flat index.

    This undoes `max_pool` as far as it can be undone.  `size` is (H, W); left out, the smallest
    that the windows cover without their padding.  Where two windows name one place, the later
    one, in row-major order, stays.
    """
    windows = PoolingWindows.of(kernel, stride, padding)
    dims = len(windows.kernel)
    values = checked_array("f", f, dims)
    if size is None:
        counts, after = values.shape[-dims:], windows.after or windows.padding
        axes = zip(counts, windows.kernel, windows.stride, windows.padding, after, strict=True)
        size = tuple((n - 1) * s + k - p - q for n, k, s, p, q in axes)
    size = checked_size(size, dims)
    at = flat_indices(indices, values.shape, prod(size))
    lead = values.shape[: values.ndim - dims]
    plane: Numbers = np.zeros((prod(lead), prod(size)), values.dtype)
    np.put_along_axis(plane, at.reshape(len(plane), -1), values.reshape(len(plane), -1), axis=1)
    return plane.reshape(lead + size)


# -- Max pooling: the forward message, the backward message, the Jacobian, and what ties may do.


#: Bytes of a dense Jacobian: whoever asks for more did not mean it.
MOST_DENSE: Final = 2**30


class MaxPool:
    """Max pooling over windows of (..., H, W), in the type of x: float16 to float64 or integers.

    Omega(k, l) is the set of input coordinates of window (k, l), see windows.py.  Padding
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
        self.ties: Ties = checked_policy(ties)
        self.windows = PoolingWindows.of(kernel, stride, padding, dilation, ceil_mode)
        self.threads = checked_threads(threads)
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
        upstream = shaped("delta", delta, last.shape)
        return backward(last, upstream, self.ties, self.threads)

    def jvp(self, tangent: ArrayLike) -> Numbers:
        """Return df (..., Ho, Wo) at the last x, given a tangent dx (..., H, W).

        Raises RuntimeError before any `forward`, ValueError where dx is not of x's shape, or where
        integers of it might add up to more than their type holds.
        """
        last = self._remembered("jvp")
        size = last.layout.size
        dx = shaped("tangent", tangent, last.lead + size)
        dtype = message_type(self.ties, last.dtype, dx.dtype)
        gain = prod(last.layout.kernel) if self.ties == "all" else 1
        no_overflow("tangent", dx, dtype, gain, "inputs")
        dx = planes_of(dx.astype(dtype, copy=False), size)
        return push(last, dx, self.ties).reshape(last.shape)

    def jacobian(self, x: ArrayLike) -> Numbers:
        """Return the dense df/dx (..., Ho, Wo, H, W) at x, under the tie policy.

        In x's type, or in float64 for integers.  Raises ValueError where it is too large.
        """
        x = self._input(x)
        dtype = x.dtype if x.dtype.kind == "f" else np.dtype(float)
        self._fits(x, dtype.itemsize)
        now = self._pass(x, self.ties)
        return dense(now, self.ties, dtype).reshape(now.shape + now.layout.size)

    def unpool(self, f: ArrayLike) -> Numbers:
        """Return (..., H, W): zero but for each window's f (..., Ho, Wo), at the last arg max.

        Raises RuntimeError before any `forward`, ValueError for "split" and "all".
        """
        if not one_winner(self.ties):
            raise ValueError(f"ties is {self.ties!r}: unpooling takes 'first' or 'last'")
        pooled = self._remembered("unpool")
        at = _indices(pooled)
        values = shaped("f", f, pooled.shape)
        return max_unpool(values, at, self.windows.kernel, size=pooled.layout.size)

    # Ties, and what else is right at them.

    def indices(self, x: ArrayLike) -> NDArray[np.int64]:
        """Return the flat index in its plane of each window's first maximum, (..., Ho, Wo).

        The last maximum where `ties` is "last".
        """
        return _indices(self._pass(x, "last" if self.ties == "last" else "first"))

    def argmax(self, x: ArrayLike) -> NDArray[np.intp]:
        """Return the (i, j) of each window's first maximum, (..., Ho, Wo, 2), inside the input."""
        pooled = self._pass(x, "first")
        return np.stack(np.unravel_index(_indices(pooled), pooled.layout.size), axis=-1)

    def tied(self, x: ArrayLike) -> Mask:
        """Return (..., Ho, Wo, H, W): whether (i, j) is a maximum of window (k, l)."""
        x = self._input(x)
        self._fits(x, 1)
        now = self._pass(x, "all")
        return maxima_of(now).reshape(now.shape + now.layout.size)

    def valid(
        self,
        x: ArrayLike,
        dx: ArrayLike | None = None,
        delta: ArrayLike | None = None,
        J: ArrayLike | None = None,
    ) -> Mask:
        """Return, for each of the leading axes, whether dx (for delta) or J is a subgradient at x.

        Give either `dx` (..., H, W) with `delta` (..., Ho, Wo), or `J` (..., Ho, Wo, H, W).
        The rules are in `engine.pooling.windows`.
        """
        x = self._input(x)
        self._fits(x, 8)
        now = self._pass(x, "all")
        lead, counts, size = now.lead, now.layout.counts, now.layout.size
        # Whatever its axes are, the rules see one row of windows over one row of inputs.
        windows, inputs = (1, prod(counts)), (1, prod(size))
        tied = maxima_of(now).reshape(lead + windows + inputs)
        hollow = np.flatnonzero(
            np.zeros(counts) if now.layout.hollow is None else now.layout.hollow
        )
        if J is not None and dx is None and delta is None:
            rows = shaped("J", J, lead + counts + size).astype(np.float64)
            rows = rows.reshape(lead + windows + inputs)
            # A window that steps over the input has a row of zeros.
            none = np.abs(rows[..., hollow, :, :]).max(axis=(-4, -3, -2, -1), initial=0)
            some = valid_jacobian(
                np.delete(rows, hollow, axis=-3), np.delete(tied, hollow, axis=-3)
            )
            return np.asarray(some & (none <= SUBGRADIENT_TOLERANCE))
        if J is None and dx is not None and delta is not None:
            message = shaped("dx", dx, lead + size).astype(np.float64)
            upstream = shaped("delta", delta, lead + counts).astype(np.float64)
            upstream = upstream.reshape(lead + windows).copy()
            # ... and sends nothing, to whomever.
            upstream[..., hollow], tied[..., hollow, 0, 0] = 0, True
            return valid_message(message.reshape(lead + inputs), upstream, tied)
        raise ValueError("valid takes either dx with delta, or J alone")

    def _input(self, x: ArrayLike) -> Numbers:
        return checked_array("x", x, len(self.windows.kernel))

    def _size(self, x: Numbers) -> Shape:
        return x.shape[-len(self.windows.kernel) :]

    def _pass(self, x: ArrayLike, policy: Ties) -> Pooled:
        x = self._input(x)
        return passed(x, self.windows.over(self._size(x)), policy, self.threads)

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
    return plane_indices(pooled.cells, pooled.layout).reshape(pooled.shape)
