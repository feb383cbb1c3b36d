"""The warm process: NumPy loaded once, a confined child forked for each job.

It never runs, reads or even sees a learner's text: the descriptors it is handed go to the child,
and what it says of a child is its exit status.  Over its socket (descriptor 0):

    app → us    b"J" with three descriptors (requests, results, output): make a child, which waits;
                b"G" when it is given its job, b"W" where its memory must be watched too, and b"K"
                to kill it
    us → app    b"S" and the exit status after each child
"""

from __future__ import annotations

import fcntl
import gc
import importlib
import os
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from math import inf
from typing import Final

from engine.sandbox.child import serve
from engine.sandbox.confine import confine
from engine.sandbox.wire import MEMORY, STATUS, TOO_LARGE, resident

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
    import numpy

    # Lazily imported by NumPy and by tracebacks: once, while files can be read.
    numpy.einsum("ij,jk->ik", numpy.eye(2), numpy.eye(2))
    repr(numpy.zeros((2, 2)))
    numpy.random.default_rng(0).normal(size=3)
    str(numpy.linalg.solve(numpy.eye(2), numpy.ones(2)))
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
        elif too_large := glance == _GLANCE and resident(child) > MEMORY:
            break
    if status is None:
        # The number is the child's own until it is waited for: this never hits another process.
        os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
    for handle in watched:
        os.close(handle)
    if there:
        sock.sendall(STATUS.pack(b"S", TOO_LARGE if too_large else status))
    return there
