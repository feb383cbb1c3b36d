"""Max pooling as plain functions; `engine.MaxPool` is a layer that remembers its last input."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.pooling import arguments, places
from engine.pooling.backward import backward, prepared
from engine.pooling.forward import Pooled, pool
from engine.pooling.scatter import scatter_known
from engine.pooling.ties import Ties, passed
from engine.windows import Numbers, Shape, Windows, flag


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
    windows = Windows.of(kernel, stride, padding, dilation, ceil_mode)
    x = arguments.pooled("x", x, len(windows.kernel))
    laid = windows.over(x.shape[-len(windows.kernel) :])
    track = flag("return_indices", return_indices)
    pooled = pool(x, laid, track=track, threads=arguments.threads(threads))
    f = pooled.f.reshape(pooled.shape)
    if pooled.cells is None:
        return f
    return f, places.indices(pooled.cells, laid).reshape(pooled.shape)


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
    windows = Windows.of(kernel, stride, padding, dilation, ceil_mode)
    x = arguments.pooled("x", x, len(windows.kernel))
    policy, threads = arguments.policy(ties), arguments.threads(threads)
    laid = windows.over(x.shape[-len(windows.kernel) :])
    lead = x.shape[: x.ndim - len(laid.size)]
    upstream = arguments.shaped("delta", delta, lead + laid.counts)
    if indices is None:
        return backward(passed(x, laid, policy, threads), upstream, policy, threads)
    flat = arguments.indices_of(indices, upstream.shape).reshape(-1, *laid.counts)
    pooled = Pooled(laid, lead, x.dtype, flat, None)
    if laid.hollow is not None:
        cells = places.cells_at(flat, laid)
        return backward(replace(pooled, cells=cells), upstream, "first", threads)
    message, dx = prepared(pooled, upstream, "first")
    scatter_known(flat, message, dx, laid, threads)
    return dx.reshape(lead + laid.size)


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
    windows = Windows.of(kernel, stride, padding)
    dims = len(windows.kernel)
    values = arguments.pooled("f", f, dims)
    if size is None:
        counts, after = values.shape[-dims:], windows.after or windows.padding
        axes = zip(counts, windows.kernel, windows.stride, windows.padding, after, strict=True)
        size = tuple((n - 1) * s + k - p - q for n, k, s, p, q in axes)
    size = arguments.size(size, dims)
    at = arguments.flat_indices(indices, values.shape, prod(size))
    lead = values.shape[: values.ndim - dims]
    plane: Numbers = np.zeros((prod(lead), prod(size)), values.dtype)
    np.put_along_axis(plane, at.reshape(len(plane), -1), values.reshape(len(plane), -1), axis=1)
    return plane.reshape(lead + size)
