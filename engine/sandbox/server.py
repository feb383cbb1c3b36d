"""The warm process: NumPy loaded once, a confined child forked for each job.

It never runs, reads or even sees a learner's text: the descriptors it is handed go to the child,
and what it says of a child is its exit status.  Over its socket (descriptor 0):

    app → us    b"J" with three descriptors (requests, results, output): make a child, which waits;
                b"G" when it is given its job, b"K" to kill it
    us → app    a JSON line with the layers at the start; b"S" and the exit status after each child
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import time
from typing import Final

from engine.sandbox.child import serve
from engine.sandbox.confine import available, confine
from engine.sandbox.wire import STATUS

#: What functions that compute import, and what NumPy loads at the first use of it.
MODULES: Final = (
    *("bisect", "cmath", "collections", "contextlib", "copy", "dataclasses", "enum", "fractions"),
    *(
        "functools",
        "heapq",
        "itertools",
        "math",
        "operator",
        "pprint",
        "random",
        "re",
        "statistics",
    ),
    *("string", "textwrap", "time", "types", "typing", "warnings", "numpy.char", "numpy.fft"),
    *("numpy.lib.stride_tricks", "numpy.linalg", "numpy.ma", "numpy.polynomial", "numpy.random"),
    *("numpy.rec", "numpy.strings", "numpy.typing"),
)
#: Seconds of a job, a backstop: the app kills sooner.
_LONGEST: Final = 10.0

_HAS_ENDED: Final = os.WEXITED | os.WNOHANG | os.WNOWAIT


def main() -> None:
    """Serve until the app closes the socket."""
    sock = socket.socket(fileno=0)
    _preload()
    layers = available()
    sock.sendall(json.dumps(layers).encode() + b"\n")
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
            _become(handles, layers)
        for handle in handles:
            os.close(handle)
        if not _supervise(child, sock):
            return


def _preload() -> None:
    """What an answer may import: nothing can be read from the disk later."""
    for name in MODULES:
        importlib.import_module(name)
    import numpy

    # Lazily imported by NumPy and by tracebacks: once, while files can be read.
    numpy.einsum("ij,jk->ik", numpy.eye(2), numpy.eye(2))
    repr(numpy.zeros((2, 2)))
    numpy.random.default_rng(0).normal(size=3)
    str(numpy.linalg.solve(numpy.eye(2), numpy.ones(2)))
    "é".encode("idna")
    sys.modules.pop("readline", None)


def _become(handles: list[int], layers: tuple[str, ...]) -> None:
    """In the child: give up everything, then serve; never returns."""
    code = 70
    try:
        os.setsid()
        requests, results, output = (os.dup(handle) for handle in handles)
        # Copies above 3 first: a handle may be one of the numbers that are written to.
        copies = [_above(handle, 10) for handle in (requests, output, results)]
        os.dup2(copies[0], 0)
        os.dup2(copies[1], 1)
        os.dup2(copies[1], 2)
        os.dup2(copies[2], 3)
        confine(layers)
        code = 1
        serve()
        code = 0
    finally:
        os._exit(code)


def _above(handle: int, least: int) -> int:
    import fcntl

    return fcntl.fcntl(handle, fcntl.F_DUPFD, least)


def _supervise(child: int, sock: socket.socket) -> bool:
    """Wait for the child's end, or bring it about; whether the app is still there."""
    there = True
    until: float | None = None
    watched = _watch(child)
    while there:
        ready = select.select([sock.fileno(), *watched], [], [], _pause(until, bool(watched)))[0]
        if sock.fileno() in ready:
            command = sock.recv(1)
            there = bool(command)
            if command != b"G":
                break
            until = time.monotonic() + _LONGEST
        elif ready or os.waitid(os.P_PID, child, _HAS_ENDED) or _past(until):
            break
    # The number is the child's own until it is waited for, so this never hits another process.
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    for handle in watched:
        os.close(handle)
    if there:
        sock.sendall(STATUS.pack(b"S", status))
    return there


def _pause(until: float | None, watched: bool) -> float | None:
    """Seconds to wait: to the job's end, or where nothing tells of the child's, a moment."""
    if not watched:
        return 0.005
    return None if until is None else max(0.0, until - time.monotonic())


def _past(until: float | None) -> bool:
    return until is not None and time.monotonic() >= until


def _watch(child: int) -> list[int]:
    try:
        return [os.pidfd_open(child)]
    except (AttributeError, OSError):  # not on this platform, or an old kernel
        return []
