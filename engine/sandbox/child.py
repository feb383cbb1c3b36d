"""In the confined child: compile the learner's source, and call its function on each input."""

from __future__ import annotations

import io
import json
import linecache
import os
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from inspect import Parameter, signature
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.sandbox.wire import LENGTH, fault_frame

REQUESTS, RESULTS = 0, 3
SOURCE: Final = "<answer>"


class RefusedError(Exception):
    """A function or a result that cannot be used: kind and sentence."""


def serve() -> None:
    """Answer batches until there are no more.  Never raises; ends the process at a fault."""
    source = _read().decode("utf-8", "replace")
    sys.stdin = None  # what comes in at descriptor 0 is not for the function
    sys.stdout = sys.stderr = io.TextIOWrapper(
        io.FileIO(1, "w", closefd=False), "utf-8", errors="replace", write_through=True
    )
    try:
        namespace: dict[str, Any] = {"np": np, "numpy": np, "__name__": "answer"}
        exec(compile(source, SOURCE, "exec", dont_inherit=True), namespace)
        answer = _Answer(_function(namespace), namespace, frozenset(namespace))
        while header := _read():
            _write(answer.on(json.loads(header), _read()))
    except BaseException as error:  # noqa: BLE001 - the child's outermost edge: it is told
        _write(_fault(error))


def _function(namespace: dict[str, Any]) -> Callable[..., Any]:
    written = [
        value
        for value in namespace.values()
        if getattr(getattr(value, "__code__", None), "co_filename", "") == SOURCE
    ]
    if callable(namespace.get("backward")):
        found: Callable[..., Any] = namespace["backward"]
        return found
    if len(written) == 1:
        only: Callable[..., Any] = written[0]
        return only
    raise RefusedError("parameters", "Define one function `backward`: def backward(x, delta): ...")


@dataclass(frozen=True, slots=True)
class _Answer:
    function: Callable[..., Any]
    namespace: dict[str, Any]
    own: frozenset[str]
    """The names that the source defines."""

    def on(self, header: dict[str, Any], blob: bytes) -> bytes:
        """The results on a batch, as they are sent.  Raises RefusedError, and what it raises."""
        scalars = {k: tuple(v) if isinstance(v, list) else v for k, v in header["scalars"].items()}
        self.namespace.update(scalars)
        arrays = _arrays(header["arrays"], blob)
        names = _arguments(self.function, list(arrays), scalars, header["given"])
        shapes = [tuple(shape) for shape in header["shapes"]]
        results: list[NDArray[np.float64]] = []
        for row in range(next(iter(arrays.values())).shape[0]):
            values = {name: array[row] for name, array in arrays.items()}
            self.namespace.update((n, v) for n, v in values.items() if n not in self.own)
            result = self.function(*(values[n] if n in values else scalars[n] for n in names))
            results.append(_checked(result, shapes))
            if results[0].shape != results[-1].shape:
                sentence = "It returned different shapes for inputs of one shape."
                raise RefusedError("result", sentence)
        which = shapes.index(results[0].shape)
        return b"R" + bytes([which]) + np.stack(results).tobytes()


def _arrays(shapes: dict[str, list[int]], blob: bytes) -> dict[str, NDArray[np.float64]]:
    """Copies, for the learner to write into."""
    found: dict[str, NDArray[np.float64]] = {}
    start = 0
    for name, shape in shapes.items():
        size = prod(shape)
        found[name] = np.frombuffer(blob, np.float64, size, start).reshape(shape).copy()
        start += 8 * size
    return found


def _arguments(
    function: Callable[..., Any], arrays: list[str], scalars: dict[str, Any], given: int
) -> list[str]:
    """Which value goes to which parameter: by name, or else the given arrays in their order."""
    parameters = [
        p
        for p in signature(function).parameters.values()
        if p.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    ]
    known = [p.name for p in parameters if p.name in arrays or p.name in scalars]
    needed = [p.name for p in parameters if p.default is Parameter.empty]
    if set(needed) <= set(known):
        # Up to the first parameter that we do not know: what follows keeps its default.
        names = [p.name for p in parameters]
        return known if names[: len(known)] == known else needed
    if len(needed) == given:
        return arrays[:given]
    raise RefusedError(
        "parameters",
        f"The function asks for ({', '.join(needed)}); it is given {', '.join(arrays[:given])}.",
    )


def _checked(result: Any, shapes: list[tuple[int, ...]]) -> NDArray[np.float64]:
    if result is None:
        raise RefusedError("result", "The function returned nothing: end it with `return dx`.")
    array = np.asarray(result)
    if array.dtype.kind not in "fiub":
        told = type(result).__name__ if array.shape == () else array.dtype
        raise RefusedError("result", f"It returned {told}, where real numbers are needed.")
    if array.shape not in shapes:
        wanted = " or ".join(str(shape) for shape in shapes)
        raise RefusedError("result", f"It returned shape {array.shape}, where {wanted} is needed.")
    # A copy: the function may go on writing into what it returned.
    return np.array(array, dtype=np.float64, order="C")


def _fault(error: BaseException) -> bytes:
    if isinstance(error, RefusedError):
        return fault_frame(error.args[0], error.args[1], None, [])
    if isinstance(error, SyntaxError) and error.filename == SOURCE:
        return fault_frame("syntax", f"{error.msg}.", error.lineno or None, [])
    if isinstance(error, MemoryError):
        return fault_frame("memory", "It asked for more memory than it may have.", None, [])
    linecache.clearcache()
    trace = [
        (frame.lineno or 1, frame.name)
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == SOURCE
    ]
    said = _said(error)
    text = f"{type(error).__name__}: {said}" if said else type(error).__name__
    if isinstance(error, ImportError):
        text += ". Here are NumPy and what of the standard library computes, and no more."
    return fault_frame("exception", text, trace[-1][0] if trace else None, trace)


def _said(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException:  # noqa: BLE001 - the learner's own class may do anything
        return ""


def _read() -> bytes:
    """One frame; empty at the end."""
    head = _exactly(LENGTH.size)
    return _exactly(LENGTH.unpack(head)[0]) if head else b""


def _exactly(size: int) -> bytes:
    pieces: list[bytes] = []
    while size and (piece := os.read(REQUESTS, min(size, 1 << 20))):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _write(payload: bytes) -> None:
    view = memoryview(payload)
    while view:
        view = view[os.write(RESULTS, view) :]
