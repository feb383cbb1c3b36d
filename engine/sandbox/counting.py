"""How many steps a function takes: instructions of Python, and numbers that NumPy works out.

Steps are counted and not timed, so that the same function has the same number of them on any
machine, however busy.  What is counted was done; what is done and not counted (inside the standard
library's C, in arrays that something hides) makes the number too small, never too large.  So a
growth that the numbers show is there.

NumPy's part is told by arrays of a class of our own: each operation on them comes by here.
"""

from __future__ import annotations

import builtins
import math
import sys
from collections.abc import Callable
from contextlib import suppress
from math import inf, prod, sqrt
from pathlib import Path
from types import FrameType
from typing import Any, Final

import numpy as np

#: Steps after which counting ends; of Python's, which take longest to count, and of NumPy's.
_MOST_OF_PYTHON, _MOST = 250_000, 1_000_000
#: An operation on arrays takes as long to count as so many of Python's.
_OPERATION: Final = 50
_OWN: Final = (__file__, str(Path(np.__file__).parent))


class EnoughError(BaseException):
    """More steps than are counted; no `except Exception` of the function hides it."""


class _Meter:
    python = numpy = operations = 0
    ended = False


def _add(steps: float) -> None:
    _Meter.numpy += int(steps)
    _Meter.operations += _OPERATION
    if _Meter.numpy > _MOST:
        _end()


def _end() -> None:
    _Meter.ended = True
    raise EnoughError


def steps(call: Callable[[], object], namespace: dict[str, Any]) -> float:
    """The steps of a call; infinite where there are more than are counted.

    Arrays are seen that are `counted`, or made in the call by the functions in `namespace`.
    """
    _install(namespace)
    _Meter.python = _Meter.numpy = _Meter.operations = 0
    _Meter.ended = False
    sys.settrace(_entered)
    # What a bare `except` of the function's swallows is still too much.
    with suppress(EnoughError):
        try:
            call()
        finally:
            sys.settrace(None)
    taken = inf if _Meter.ended else float(_Meter.python + _Meter.numpy)
    _Meter.numpy = 0
    return taken


def _entered(frame: FrameType, _event: str, _what: object) -> Any:
    if frame.f_code.co_filename.startswith(_OWN):
        return None
    frame.f_trace_opcodes, frame.f_trace_lines = True, False
    return _stepped


def _stepped(_frame: FrameType, event: str, _what: object) -> Any:
    if event == "opcode":
        _Meter.python += 1
        if _Meter.python + _Meter.operations > _MOST_OF_PYTHON:
            _end()
    return _stepped


# -- Arrays on which each operation is counted.


def counted(value: Any) -> Any:
    """The same, an array or arrays as ones whose operations are counted."""
    if isinstance(value, np.ndarray):
        return value.view(_Counted) if type(value) is np.ndarray else value
    if type(value) in (tuple, list):
        return type(value)(map(counted, value))
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, _Counted):
        return value.view(np.ndarray)
    if type(value) in (tuple, list):
        return type(value)(map(_plain, value))
    if type(value) is dict:
        return {name: _plain(part) for name, part in value.items()}
    return value


class _Counted(np.ndarray[Any, Any]):
    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        plain = _plain(inputs)
        result = getattr(ufunc, method)(*plain, **_plain(options))
        _add(_cost_of_ufunc(ufunc, method, plain, result))
        out = options.get("out")
        return out[0] if out and len(out) == 1 else counted(result)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        args, kwargs = _plain(args), _plain(kwargs)
        result = func(*args, **kwargs)
        _add(_cost(func.__name__, args, [*_arrays(args), *_arrays(kwargs)], result))
        return counted(result)

    def __getitem__(self, key: Any) -> Any:
        result = super().__getitem__(key)
        if isinstance(result, np.ndarray) and not np.may_share_memory(_plain(result), _plain(self)):
            _add(result.size)
        return result

    def __setitem__(self, key: Any, value: Any) -> None:
        _add(np.size(_plain(value)))
        super().__setitem__(key, value)


def _method(name: str) -> Callable[..., Any]:
    def method(self: _Counted, *args: Any, **options: Any) -> Any:
        plain, args = _plain(self), _plain(args)
        result = getattr(plain, name)(*args, **_plain(options))
        _add(_cost(name, (plain, *args), [plain, *_arrays(args)], result))
        return counted(result)

    return method


for _name in (
    *("argmax", "argmin", "argpartition", "argsort", "astype", "copy", "cumprod", "cumsum", "dot"),
    *("flatten", "nonzero", "partition", "repeat", "sort", "take", "tolist"),
):
    setattr(_Counted, _name, _method(_name))


# -- What an operation costs; of what is not known, as much as it gives.


#: These read all that they are given.
_READERS: Final = frozenset(
    (
        *("allclose", "argmax", "argmin", "argpartition", "argsort", "argwhere", "array_equal"),
        *("average", "bincount", "count_nonzero", "flatnonzero", "histogram", "isclose", "max"),
        *("amax", "amin", "mean", "median", "min", "nonzero", "norm", "partition", "percentile"),
        *("prod", "ptp", "quantile", "sort", "std", "sum", "tolist", "unique", "var"),
    )
)
#: A matrix (n, n) costs them n times its entries.
_CUBIC: Final = frozenset(
    (
        *("cholesky", "det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "lstsq", "matrix_rank"),
        *("pinv", "qr", "slogdet", "solve", "svd", "svdvals"),
    )
)


def _cost(name: str, args: Any, arrays: list[Any], result: Any) -> float:
    given = [array.size for array in arrays]
    if name in _CUBIC and arrays:
        return float(prod(arrays[0].shape[-1:]) * given[0])
    if name == "matrix_power" and arrays:
        return float(prod(arrays[0].shape[-1:]) * given[0]) * max(1, abs(int(args[1])).bit_length())
    if name in ("dot", "inner", "tensordot", "vdot") and len(given) == 2:
        # (i, j) by (j, k) to (i, k): ij jk ik is the square of ijk.
        return sqrt(given[0] * given[1] * _size(result))
    if name in ("convolve", "correlate") and len(given) >= 2:
        return float(given[0] * given[1])
    if name == "einsum" and isinstance(args[0], str) and "." not in args[0]:
        return _cost_of_einsum(args[0], arrays)
    if name in _READERS:
        return float(sum(given))
    results = _arrays((result,))
    if any(np.may_share_memory(one, other) for one in results for other in arrays):
        return 0  # a view
    return _size(result)


def _cost_of_einsum(subscripts: str, arrays: list[Any]) -> float:
    sizes: dict[str, int] = {}
    for letters, array in zip(subscripts.partition("->")[0].split(","), arrays, strict=False):
        sizes |= zip(letters.replace(" ", ""), array.shape, strict=False)
    return prod(sizes.values())


def _cost_of_ufunc(ufunc: Any, method: str, inputs: Any, result: Any) -> float:
    sizes = [np.size(one) for one in inputs]
    if method == "at":
        return max(np.size(inputs[1]), sizes[-1])
    if method in ("reduce", "accumulate", "reduceat"):
        # Whether something is true may be known by the first entry.
        return 0 if ufunc in (np.logical_and, np.logical_or) else sizes[0]
    if ufunc.signature and len(sizes) == 2:
        return sqrt(sizes[0] * sizes[1] * _size(result))  # as dot; less of a stack of matrices
    return _size(result)


def _arrays(values: Any) -> list[Any]:
    if isinstance(values, np.ndarray):
        return [values]
    if isinstance(values, dict):
        values = values.values()
    elif not isinstance(values, tuple | list):
        return []
    return [array for value in values for array in _arrays(value)]


def _size(result: Any) -> int:
    return sum(array.size for array in _arrays(result)) or 1


# -- What makes arrays, and what goes through a list in C.


#: Functions that make arrays of what are none.
_MAKERS: Final = (
    *("arange", "array", "asarray", "ascontiguousarray", "empty", "eye", "fromiter", "full"),
    *("identity", "indices", "linspace", "ones", "tri", "zeros"),
)
_installed: dict[int, Any] = {}


def _install(namespace: dict[str, Any]) -> None:
    """Count what `np` makes, and what builtins go through: for good, in this process."""
    if _installed:
        return
    for name in _MAKERS:
        made = _maker(getattr(np, name))
        _installed[id(getattr(np, name))] = made
        setattr(np, name, made)
    for module, names in ((builtins, ("max", "min", "sorted", "sum")), (math, ("fsum", "prod"))):
        for name in names:
            reader = _reader(getattr(module, name))
            _installed[id(getattr(module, name))] = reader
            namespace.setdefault(name, reader) if module is builtins else setattr(
                math, name, reader
            )
    for name, value in namespace.items():
        namespace[name] = _installed.get(id(value), counted(value))


def _maker(function: Callable[..., Any]) -> Callable[..., Any]:
    def make(*args: Any, **options: Any) -> Any:
        result = function(*_plain(args), **_plain(options))
        given = _arrays(args)
        if not any(np.may_share_memory(_plain(result), _plain(one)) for one in given):
            _add(result.size)
        return counted(result)

    return make


def _reader(function: Callable[..., Any]) -> Callable[..., Any]:
    def read(*args: Any, **options: Any) -> Any:
        if len(args) == 1 and hasattr(args[0], "__len__"):
            _add(len(args[0]))
        return function(*args, **options)

    return read
