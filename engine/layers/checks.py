"""Arguments of layers: read, or refused with the argument, its value and what is allowed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

#: Floating-point numbers of any width.
Array: TypeAlias = NDArray[Any]
T = TypeVar("T")

HALF: Final = np.dtype(np.float16)
#: What is wrong where `valid` is given neither, or both.
EITHER: Final = "valid takes either dx with delta, or J alone"
#: Bytes of a dense Jacobian: whoever asks for more did not mean it.
MOST_DENSE: Final = 2**30


def given(name: str, value: ArrayLike) -> Array:
    """Return `value` as an array that holds something, of whatever type."""
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} is ragged: an array with rows of one length is allowed") from None
    if not array.size:
        raise ValueError(
            f"{name} has the shape {array.shape}: at least 1 entry along each axis is allowed"
        )
    return array


def real(name: str, value: ArrayLike, least_axes: int = 0) -> Array:
    """Return `value` as floating-point numbers; whole numbers and truth values become float64."""
    array = given(name, value)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} holds {array.dtype}: real numbers are allowed")
    if array.ndim < least_axes:
        raise ValueError(f"{name} has {array.ndim} axes: at least {least_axes} are allowed")
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def shaped(name: str, value: ArrayLike, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
    """Return `value` as an array of exactly this shape and type."""
    array = real(name, value)
    if array.shape != shape:
        raise ValueError(f"{name} has the shape {array.shape}: {shape} is allowed")
    return array.astype(dtype, copy=False)


def chances(name: str, value: Array) -> Array:
    """Return probabilities; what is no number passes, so that its loss is none either."""
    wrong = value[(value < 0) | (value > 1)]
    if wrong.size:
        raise ValueError(f"{name} holds {wrong[0]}: probabilities from 0 to 1 are allowed")
    return value


def recalled(last: T | None) -> T:
    """Return what `forward` left for `backward`."""
    if last is None:
        raise RuntimeError("backward needs an input: call forward first")
    return last


def wide(array: Array) -> Array:
    """Return half precision as single, in which it is computed; anything else as it is."""
    return array.astype(np.float32) if array.dtype == HALF else array


def between(name: str, value: float, low: float, high: float, ends: str = "[]") -> float:
    """Return `value` if it lies in the interval; `ends` are its brackets, as in "[)"."""
    number = isinstance(value, (int, float, np.integer, np.floating))
    number = number and not isinstance(value, bool)
    above = number and (value > low or (ends[0] == "[" and value == low))
    below = number and (value < high or (ends[1] == "]" and value == high))
    if not (above and below):
        interval = f"{ends[0]}{low:g}, {high:g}{ends[1]}"
        raise ValueError(f"{name} is {value!r}: a number in {interval} is allowed")
    return float(value)


def whole(name: str, value: object, least: int) -> int:
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= least:
        return int(value)
    raise ValueError(f"{name} is {value!r}: a whole number of at least {least} is allowed")


def each(name: str, value: object, axes: int, least: int) -> tuple[int, ...]:
    """Return one whole number an axis, from one for all of them or from a sequence."""
    listed = value.tolist() if isinstance(value, np.ndarray) else value
    parts = tuple(listed) if isinstance(listed, (tuple, list)) else (listed,) * axes
    try:
        if len(parts) == axes > 0:
            return tuple(whole(name, part, least) for part in parts)
    except ValueError:
        pass
    raise ValueError(
        f"{name} is {value!r}: a whole number of at least {least}, or {max(axes, 1)} of them, "
        "is allowed"
    )


def flag(name: str, value: object) -> bool:
    """Return a truth value."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ValueError(f"{name} is {value!r}: True or False is allowed")


def axis_number(name: str, value: object) -> int:
    """Return the number of an axis, of an array that is not known yet."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return int(value)
    raise ValueError(
        f"{name} is {value!r}: a whole number, negative from the last axis, is allowed"
    )


def axis_of(name: str, axis: int, array: Array) -> int:
    """Return `axis`, counted from the front."""
    if not -array.ndim <= axis < array.ndim:
        raise ValueError(
            f"{name} is {axis}: from {-array.ndim} to {array.ndim - 1} are allowed "
            f"for an array of {array.ndim} axes"
        )
    return axis % array.ndim


def dense(x: tuple[int, ...], cells: tuple[int, ...], itemsize: int) -> None:
    """Raise ValueError where an array of `cells`, every output by every input, is too large."""
    needed = math.prod(cells) * itemsize
    if needed > MOST_DENSE:
        raise ValueError(
            f"x has the shape {x}: every output by every input takes {needed / 2**30:,.1f} GiB; "
            f"at most {MOST_DENSE / 2**30:g} GiB is allowed, which is why backward never forms it"
        )


def summed_to(array: Array, shape: Sequence[int]) -> Array:
    """Sum over the axes along which an array of `shape` was broadcast to `array`'s shape."""
    extra = array.ndim - len(shape)
    stretched = [n + extra for n, size in enumerate(shape) if size == 1]
    total = array.sum(axis=(*range(extra), *stretched))
    return np.asarray(total).reshape(shape)
