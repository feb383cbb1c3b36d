"""What x, delta and the rest may be; anything else is a ValueError that names it."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from engine.pooling.ties import POLICIES, Ties
from engine.windows import Numbers, Shape

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


def pooled(name: str, value: ArrayLike, dims: int) -> Numbers:
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


def size(value: object, dims: int) -> Shape:
    """Return the size of an input plane."""
    each = tuple(value) if isinstance(value, (tuple, list)) else ()
    if len(each) != dims or not all(isinstance(n, (int, np.integer)) and n >= 1 for n in each):
        raise ValueError(f"size is {value!r}: {dims} integers of at least 1 are allowed")
    return tuple(int(n) for n in each)


def policy(ties: object) -> Ties:
    """Return the tie policy."""
    for known in POLICIES:
        if ties == known:
            return known
    raise ValueError(f"ties is {ties!r}: allowed are {', '.join(POLICIES)}")


def threads(value: object) -> int:
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
