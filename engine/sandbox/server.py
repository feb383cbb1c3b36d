"""The warm process: NumPy loaded once, a confined child forked for each job.

The process never runs, reads or even sees a learner's text: the descriptors it is handed go to the
child, and what it says of a child is its exit status.  Over its socket (descriptor 0):

    app → us    b"J" with three descriptors (requests, results, output): make a child, which waits;
                b"G" when it is given its job, b"W" where its memory must be watched too, and b"K"
                to kill it
    us → app    b"S" and the exit status after each child

The child compiles the learner's source, and calls its function on each input.
"""

from __future__ import annotations

import fcntl
import gc
import importlib
import io
import itertools
import json
import linecache
import math
import os
import re
import select
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from functools import partial
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, signature
from math import inf
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.sandbox import counting, wire
from engine.sandbox.confine import confine
from engine.sandbox.wire import FunctionBatch, UnclearError, arguments, chosen, frame

# -- What the function prints, in the child: its beginning goes out, a flood ends the call.


#: Characters that are sent on: the app keeps no more bytes.
_SENT: Final = 8192
#: Characters that one call may print.
_MOST: Final = 65_536


class FloodError(BaseException):
    """One call printed more than anyone reads; no `except Exception` of the function hides it."""


class Output(io.TextIOWrapper):
    """Standard output and error of the function."""

    def __init__(self) -> None:
        raw = io.FileIO(1, "w", closefd=False)
        super().__init__(raw, "utf-8", errors="replace", write_through=True)
        self._sent = self._called = 0

    def begin(self) -> None:
        """Another call begins."""
        self._called = 0

    def write(self, text: str) -> int:
        self._called += len(text)
        if self._called > _MOST:
            raise FloodError
        if self._sent <= _SENT:
            # One more than is kept tells the app that something is left out.
            self._sent += len(text)
            super().write(text)
        return len(text)


# -- In the confined child: compile the learner's source, and call its function on each input.


REQUESTS, RESULTS = 0, 3
SOURCE: Final = "<answer>"


class RefusedError(Exception):
    """A function or a result that cannot be used: kind and sentence."""


def serve(confinement: wire.Confinement) -> None:
    """Tell what confines us, then answer batches.  Never raises; ends the process at a fault."""
    _write(frame(json.dumps(astuple(confinement)).encode()))
    source = _read().decode("utf-8", "replace")
    sys.stdin = None  # what comes in at descriptor 0 is not for the function
    sys.stdout = sys.stderr = output = Output()
    try:
        namespace: dict[str, Any] = {"np": np, "numpy": np, "__name__": "answer"}
        namespace |= {"itertools": itertools, "math": math}
        exec(compile(source, SOURCE, "exec", dont_inherit=True), namespace)
        answer: _AnswerFunction | None = None
        while header := _read():
            batch = FunctionBatch.decoded(header, _read())
            if answer is None:
                found = _function(namespace, batch.called)
                answer = _AnswerFunction(found, namespace, frozenset(namespace), output)
            _write(answer.on(batch))
    except BaseException as error:  # noqa: BLE001 - the child's outermost edge: it is told
        _write(_fault(error))


def _function(namespace: dict[str, Any], called: str) -> Callable[..., Any]:
    written = [
        name
        for name, value in namespace.items()
        if getattr(getattr(value, "__code__", None), "co_filename", "") == SOURCE
    ]
    if callable(namespace.get(called)):
        written = [called]
    name = chosen(written, called)
    found: Callable[..., Any] = namespace[name]
    flags = getattr(getattr(found, "__code__", None), "co_flags", 0)
    if flags & (CO_COROUTINE | CO_ASYNC_GENERATOR):
        sentence = f"`{name}` is `async`, and gives no numbers when it is called: write `def`."
        raise RefusedError("parameters", sentence)
    return found


@dataclass(frozen=True, slots=True)
class _AnswerFunction:
    function: Callable[..., Any]
    namespace: dict[str, Any]
    own: frozenset[str]
    """The names that the source defines."""
    output: Output

    def on(self, batch: FunctionBatch) -> bytes:
        """The results on a batch, as they are sent.  Raises RefusedError, and what it raises."""
        self.namespace.update(batch.scalars)
        placed, named = arguments(list(signature(self.function).parameters.values()), batch)
        found: list[NDArray[Any] | None] = []
        for row in range(batch.count):
            values = {name: _whole(array[row]) for name, array in batch.arrays.items()}
            if batch.counted:
                values = {name: counting.counted(value) for name, value in values.items()}
            self.namespace.update((n, v) for n, v in values.items() if n not in self.own)
            of = {**batch.scalars, **values}
            call = partial(
                self.function,
                *(of[name] for name in placed),
                **{p: of[name] for p, name in named.items()},
            )
            self.output.begin()
            if batch.counted:
                found.append(np.array(counting.steps(call, self.namespace)))
                continue
            try:
                found.append(_checked(call(), batch.shapes))
            except MemoryError:
                raise
            except Exception as error:  # the learner's function may raise anything
                arithmetic = isinstance(error, ArithmeticError | np.linalg.LinAlgError)
                if not (batch.failing or (batch.partial and arithmetic)):
                    raise
                found.append(None)
        failed = bytes(result is None for result in found)
        results = [result for result in found if result is not None]
        if not results:
            results = [np.full(batch.shapes[0] if batch.shapes else (), np.nan)]
        shape = results[0].shape
        if not batch.shapes and not batch.partial:
            found = [one if one is not None and one.shape == shape else None for one in found]
        elif len({result.shape for result in results}) > 1:
            sentence = "It returned different shapes for inputs of one shape."
            raise RefusedError("result", sentence)
        undefined = np.full(shape, np.nan)
        numbers = np.stack([undefined if result is None else result for result in found])
        whole = all(result.dtype.kind in "iub" for result in results)
        return wire.results_frame(shape, whole, numbers.astype(np.float64).tobytes(), failed)


def _whole(value: Any) -> Any:
    """A whole number of Python's, which does not overflow and may be a size."""
    return value.item() if isinstance(value, np.integer) else value


def _checked(result: Any, shapes: Sequence[tuple[int, ...]]) -> NDArray[Any]:
    if result is None:
        sentence = "The function returned nothing: end it with `return dx`."
        raise RefusedError("result", sentence if shapes else sentence.replace(" dx", " ..."))
    try:
        array = np.asarray(result)
    except ValueError as error:
        sentence = "It returned values of different shapes: give one array, one message a function."
        raise RefusedError("result", sentence) from error
    if array.dtype.kind not in "fiub":
        told = type(result).__name__ if array.shape == () else array.dtype
        raise RefusedError("result", f"It returned {told}, where real numbers are needed.")
    if shapes and array.shape not in shapes:
        wanted = " or ".join(str(shape) for shape in shapes)
        raise RefusedError("result", f"It returned shape {array.shape}, where {wanted} is needed.")
    # A copy: the function may go on writing into what it returned.
    return np.array(array, order="C")


def _fault(error: BaseException) -> bytes:
    if isinstance(error, RefusedError):
        return wire.fault_frame(*error.args)
    if isinstance(error, UnclearError):
        return wire.fault_frame("parameters", *error.args)
    if isinstance(error, FloodError):
        return wire.fault_frame("output", wire.TOO_MUCH)
    if isinstance(error, SyntaxError) and error.filename == SOURCE:
        return wire.fault_frame("syntax", f"{error.msg}.", error.lineno or None)
    if isinstance(error, MemoryError):
        return wire.fault_frame("memory", "It asked for too much memory.")
    linecache.clearcache()
    trace = tuple(
        (frame.lineno or 1, frame.name)
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == SOURCE
    )
    said = _said(error)
    text = f"{type(error).__name__}: {said}" if said else type(error).__name__
    if isinstance(error, ImportError):
        text += ". Import only NumPy and what the standard library has for computing."
    if isinstance(error, PermissionError):
        text += ". A function may only compute: no files, no network, no other programs."
    return wire.fault_frame("exception", text, trace[-1][0] if trace else None, trace)


def _said(error: BaseException) -> str:
    try:
        return re.sub(r"^\[Errno \d+\] ", "", str(error))
    except BaseException:  # noqa: BLE001 - the learner's own class may do anything
        return ""


def _read() -> bytes:
    """One frame; empty at the end."""
    head = _exactly(wire.LENGTH.size)
    return _exactly(wire.LENGTH.unpack(head)[0]) if head else b""


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


# -- The warm process.


#: What functions that compute import, and what NumPy loads at the first use of it.
MODULES: Final = (
    *("bisect", "cmath", "collections", "contextlib", "copy", "dataclasses", "enum", "fractions"),
    *("functools", "heapq", "itertools", "math", "operator", "pprint", "random", "re"),
    *("statistics", "string", "textwrap", "time", "types", "typing", "warnings", "numpy.char"),
    *("numpy.fft", "numpy.lib.stride_tricks", "numpy.linalg", "numpy.ma", "numpy.polynomial"),
    *("numpy.random", "numpy.rec", "numpy.strings", "numpy.typing"),
)
#: Seconds of a job, a backstop: the app kills sooner.
_LONGEST: Final = 10.0

#: Seconds between two looks at a child: at its memory; at whether it has ended, if nothing tells.
_GLANCE, _MOMENT = 0.05, 0.005


def main() -> None:
    """Serve until the app closes the socket."""
    sock = socket.socket(fileno=0)
    _preload()
    gc.collect()
    gc.freeze()  # the children share these pages
    while True:
        command, handles, *_ = socket.recv_fds(sock, 1, 3)
        if not command:
            return
        if command != b"J" or len(handles) != 3:
            for handle in handles:
                os.close(handle)
            continue
        child = os.fork()
        if child == 0:
            _become(handles)
        for handle in handles:
            os.close(handle)
        if not _supervise(child, sock):
            return


def _preload() -> None:
    """What an answer may import: nothing can be read from the disk later."""
    for name in MODULES:
        importlib.import_module(name)

    # Lazily imported by NumPy and by tracebacks: once, while files can be read.
    np.einsum("ij,jk->ik", np.eye(2), np.eye(2))
    repr(np.zeros((2, 2)))
    np.random.default_rng(0).normal(size=3)
    str(np.linalg.solve(np.eye(2), np.ones(2)))
    "é".encode("idna")
    sys.modules.pop("readline", None)


def _become(handles: list[int]) -> None:
    """In the child: give up everything, then serve; never returns."""
    code = 70
    try:
        os.setsid()
        # Copies above 3 first: a handle may be one of the numbers that are written to.
        requests, results, output = (fcntl.fcntl(h, fcntl.F_DUPFD, 10) for h in handles)
        for number, handle in enumerate((requests, output, output, results)):
            os.dup2(handle, number)
        confinement = confine()
        code = 1
        serve(confinement)
        code = 0
    finally:
        os._exit(code)


def _supervise(child: int, sock: socket.socket) -> bool:
    """Wait for the child's end, or bring it about; whether the app is still there."""
    there, too_large, status = True, False, None
    watched: list[int] = []
    with suppress(AttributeError, OSError):  # not on this platform, or an old kernel
        watched.append(os.pidfd_open(child))
    until, glance = inf, inf if watched else _MOMENT
    while there:
        pause = max(0.0, min(glance, until - time.monotonic()))
        ready = select.select([sock.fileno(), *watched], [], [], None if pause == inf else pause)[0]
        if sock.fileno() in ready:
            command = sock.recv(1)
            there = bool(command)
            if command not in (b"G", b"W"):
                break
            until = time.monotonic() + _LONGEST
            glance = _GLANCE if command == b"W" else glance
        elif ready or time.monotonic() >= until:
            break
        elif (ended := os.waitpid(child, os.WNOHANG))[0]:
            status = ended[1]
            break
        elif too_large := glance == _GLANCE and wire.resident(child) > wire.MEMORY:
            break
    if status is None:
        # The number is the child's own until it is waited for: this never hits another process.
        os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
    for handle in watched:
        os.close(handle)
    if there:
        sock.sendall(wire.STATUS.pack(b"S", wire.TOO_LARGE if too_large else status))
    return there
