"""The app's ends of a job's three pipes: send a batch, read the answer, gather what was printed.

All at once and never waiting for one of them, so that a function that prints without end, reads
nothing or answers nothing costs no more than its time.
"""

from __future__ import annotations

import os
import selectors
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from engine.sandbox.fault import Fault, FunctionError

PRINTED: Final = 8192
"""Bytes of output that are kept."""
_PIECE: Final = 1 << 16


@dataclass(slots=True)
class Pipes:
    requests: int
    results: int
    output: int
    deadline: float
    """On time.monotonic's clock."""
    printed: bytearray = field(default_factory=bytearray)
    dropped: bool = False
    """Whether more was printed than is kept."""
    _ended: bool = False

    @classmethod
    def open(cls, seconds: float) -> tuple[Pipes, list[int]]:
        """Our ends, and the child's: requests, results, output."""
        ends = [os.pipe() for _ in range(3)]
        (r0, w0), (r1, w1), (r2, w2) = ends
        for handle in (w0, r1, r2):
            os.set_blocking(handle, False)
        return cls(w0, r1, r2, time.monotonic() + seconds), [r0, w1, w2]

    def send(self, payload: bytes) -> None:
        """Write all of it; what the child answers meanwhile waits in its pipe."""
        view = memoryview(payload)
        with selectors.DefaultSelector() as selector:
            selector.register(self.requests, selectors.EVENT_WRITE)
            selector.register(self.output, selectors.EVENT_READ)
            while view:
                for key, _ in self._ready(selector):
                    if key.fd == self.output:
                        self._gather(selector)
                        continue
                    try:
                        view = view[os.write(self.requests, view) :]
                    except BlockingIOError:
                        continue
                    except BrokenPipeError:
                        return  # it has ended: reading will tell why

    def receive(self, size: int) -> bytes:
        """Exactly `size` bytes, or fewer where the child has ended."""
        pieces: list[bytes] = []
        with selectors.DefaultSelector() as selector:
            selector.register(self.results, selectors.EVENT_READ)
            if not self._ended:
                selector.register(self.output, selectors.EVENT_READ)
            while size:
                for key, _ in self._ready(selector):
                    if key.fd == self.output:
                        self._gather(selector)
                        continue
                    piece = os.read(self.results, min(size, _PIECE))
                    if not piece:
                        return b"".join(pieces)
                    pieces.append(piece)
                    size -= len(piece)
        return b"".join(pieces)

    def drain(self) -> None:
        """What was printed last, once the child has ended."""
        with suppress(BlockingIOError):
            while piece := os.read(self.output, _PIECE):
                self._keep(piece)

    def close(self) -> None:
        for handle in (self.requests, self.results, self.output):
            os.close(handle)

    def _ready(self, selector: selectors.BaseSelector) -> list[tuple[selectors.SelectorKey, int]]:
        ready = selector.select(max(0.0, self.deadline - time.monotonic()))
        if not ready or time.monotonic() > self.deadline:
            raise FunctionError(Fault("time", "It took too long, and was stopped."))
        return ready

    def _gather(self, selector: selectors.BaseSelector) -> None:
        piece = os.read(self.output, _PIECE)
        if not piece:
            self._ended = True
            selector.unregister(self.output)
        self._keep(piece)

    def _keep(self, piece: bytes) -> None:
        room = PRINTED - len(self.printed)
        self.printed += piece[:room]
        self.dropped = self.dropped or len(piece) > room
