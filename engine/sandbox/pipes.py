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
from engine.sandbox.wire import TOO_MUCH

PRINTED: Final = 8192
"""Bytes of output that are kept."""
_PIECE: Final = 1 << 16
#: Bytes between two answers that only a function sends which writes past its standard output.
_FLOOD: Final = 1 << 18
#: Pieces that fill any pipe (pipe(7)): more than that, someone still writes.
_FILL: Final = 16


@dataclass(slots=True)
class Pipes:
    requests: int
    results: int
    output: int
    deadline: float = 0.0
    """On time.monotonic's clock."""
    room: int = 0
    """Bytes of answers that may wait here until they are asked for."""
    flooded: int = 0
    """Bytes of output since the last answer that was read."""
    printed: bytearray = field(default_factory=bytearray)
    dropped: bool = False
    """Whether more was printed than is kept."""
    _received: bytearray = field(default_factory=bytearray)
    _selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)

    @classmethod
    def open(cls) -> tuple[Pipes, list[int]]:
        """Our ends, and the child's: requests, results, output."""
        ends = [os.pipe() for _ in range(3)]
        (r0, w0), (r1, w1), (r2, w2) = ends
        for handle in (w0, r1, r2):
            os.set_blocking(handle, False)
        pipes = cls(w0, r1, r2)
        pipes._selector.register(r2, selectors.EVENT_READ)
        return pipes, [r0, w1, w2]

    def send(self, payload: bytes) -> None:
        """Write all of it; meanwhile so much of earlier answers is read as there is room for.

        Without that, a child that waits to be read would not read what it waits for.
        """
        view = self._written(memoryview(payload))
        if not view:
            return
        self._selector.register(self.requests, selectors.EVENT_WRITE)
        try:
            while view:
                writable = self._turn(self.room)
                if writable is None:
                    return  # it has ended: reading will tell why
                if writable:
                    view = self._written(view)
        finally:
            self._selector.unregister(self.requests)

    def receive(self, size: int) -> bytes:
        """Exactly `size` bytes, or fewer where the child has ended."""
        while len(self._received) < size and self._turn(max(size, self.room)) is not None:
            pass
        data = bytes(self._received[:size])
        del self._received[:size]
        return data

    def drain(self) -> None:
        """What was printed last, once the child has ended."""
        with suppress(BlockingIOError):
            for _ in range(_FILL):
                self._keep(os.read(self.output, _PIECE))

    def close(self) -> None:
        self._selector.close()
        for handle in (self.requests, self.results, self.output):
            os.close(handle)

    def _written(self, view: memoryview) -> memoryview:
        """Write what the pipe takes at once; what is left."""
        try:
            return view[os.write(self.requests, view) :]
        except BlockingIOError:
            return view
        except BrokenPipeError:
            return view[:0]  # as above

    def _turn(self, most: int) -> bool | None:
        """Wait until something happens; whether requests can be written, None at the child's end.

        Answers are read until `most` bytes of them wait.
        """
        self._listen(len(self._received) < most)
        ready = self._selector.select(max(0.0, self.deadline - time.monotonic()))
        if not ready or time.monotonic() > self.deadline:
            raise FunctionError(Fault("time", "It took too long, and was stopped."))
        handles = [key.fd for key, _ in ready]
        if self.output in handles:
            self._gather()
        if self.results in handles:
            piece = os.read(self.results, min(most - len(self._received), _PIECE))
            self._received += piece
            if not piece:
                return None
        return self.requests in handles

    def _listen(self, on: bool) -> None:
        """Whether to hear of answers; what is not read must not wake us either."""
        if on != (self.results in self._selector.get_map()):
            if on:
                self._selector.register(self.results, selectors.EVENT_READ)
            else:
                self._selector.unregister(self.results)

    def _gather(self) -> None:
        piece = os.read(self.output, _PIECE)
        if not piece:
            self._selector.unregister(self.output)
        self._keep(piece)
        self.flooded += len(piece)
        if self.flooded > _FLOOD:
            raise FunctionError(Fault("output", TOO_MUCH))

    def _keep(self, piece: bytes) -> None:
        room = PRINTED - len(self.printed)
        self.printed += piece[:room]
        self.dropped = self.dropped or len(piece) > room
