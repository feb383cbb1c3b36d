"""The app's side: one warm process, and one session with a confined child at a time.

All pipes of a session are served at once and none is waited for alone, so that a function that
prints without end, reads nothing or answers nothing costs no more than its time.
"""

from __future__ import annotations

import json
import os
import select
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine.sandbox import wire

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


# -- The app's ends of a job's three pipes.


PRINTED: Final = 8192
"""Bytes of output that are kept."""
_PIECE: Final = 1 << 16
#: Bytes between two answers that only a function sends which writes past its standard output.
_FLOOD: Final = 1 << 18
#: Pieces that fill any pipe (pipe(7)): more than that, someone still writes.
_FILL: Final = 16
_TOO_LONG: Final = wire.Fault("time", "It took too long and was stopped.")


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

    def frame(self, most: int) -> bytes:
        """A frame of at most so many bytes; empty where there is none, or a longer one."""
        length = self.receive(wire.LENGTH.size)
        size = wire.LENGTH.unpack(length)[0] if len(length) == wire.LENGTH.size else 0
        return self.receive(size) if size <= most else b""

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
            raise wire.FunctionError(_TOO_LONG)
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
            raise wire.FunctionError(wire.Fault("output", wire.TOO_MUCH))

    def _keep(self, piece: bytes) -> None:
        room = PRINTED - len(self.printed)
        self.printed += piece[:room]
        self.dropped = self.dropped or len(piece) > room


# -- One learner's function in its confined child, as the app sees it.


_CRASHED: Final = wire.Fault("crash", "It crashed the process that it ran in.")
_ENDINGS: Final[dict[int, wire.Fault]] = {
    signal.SIGXCPU: _TOO_LONG,
    wire.TOO_LARGE: wire.Fault("memory", "It took too much memory and was stopped."),
    **dict.fromkeys((signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL), _CRASHED),
}


class WorkerSession:
    """Made by `Worker.session`; good for as many batches as its time allows."""

    def __init__(self, pipes: Pipes, end: Callable[[], int | None]) -> None:
        self._pipes = pipes
        self._end = end
        self._asked: deque[wire.FunctionBatch] = deque()
        self._finished = False
        self._status: int | None = None
        self.whole = False
        """Whether the last results were whole numbers."""
        self.failed: NDArray[np.bool_]
        """(B,): on which inputs there was none."""

    def call(self, request: wire.FunctionBatch) -> tuple[tuple[int, ...], NDArray[np.float64]]:
        """The function's results on a batch: the shape of one of them, and all, (B, *shape).

        Raises FunctionError; the session is of no more use then.
        """
        self.ask(request)
        return self.answer()

    def ask(self, request: wire.FunctionBatch) -> None:
        """Send a batch as `call` does; `answer` waits for its results.  Raises FunctionError."""
        self._pipes.send(request.encoded())
        self._asked.append(request)
        self._pipes.room += request.longest

    def answer(self) -> tuple[tuple[int, ...], NDArray[np.float64]]:
        """The results on the batch that was asked longest ago.  Raises FunctionError."""
        import numpy as np

        asked = self._asked.popleft()
        head = self._pipes.receive(1)
        if head == b"R" and (header := self._pipes.frame(wire.LARGEST_HEADER)):
            shape, whole = wire.read_results(header, asked)
            size = 8 * asked.count * prod(shape)
            data = self._pipes.receive(size + asked.count)
            if len(data) == size + asked.count:
                self._pipes.room -= asked.longest
                self._pipes.flooded, self.whole = 0, whole
                self.failed = np.frombuffer(data[size:], np.uint8) != 0
                return shape, np.frombuffer(data[:size], np.float64).reshape(asked.count, *shape)
        elif head == b"E" and (fault := self._pipes.frame(wire.LARGEST_FAULT)):
            raise wire.read_fault(fault)
        self.finish()
        raise wire.FunctionError(self._why())

    @property
    def printed(self) -> str:
        """What the function printed: its first 8 KB, without what a terminal would obey."""
        text = wire.printable(bytes(self._pipes.printed).decode("utf-8", "replace"))
        return text + "\n…" if self._pipes.dropped else text

    def renew(self, seconds: float) -> None:
        """From now on it may take so many seconds of wall-clock time."""
        self._pipes.deadline = time.monotonic() + seconds

    def finish(self) -> None:
        """End the child; what it printed last is gathered."""
        if not self._finished:
            self._finished = True
            self._status = self._end()
            self._pipes.drain()

    def _why(self) -> wire.Fault:
        if self._status is None:
            return wire.Fault("crash", "The process that it ran in is gone.")
        if os.WIFSIGNALED(self._status):
            broken = wire.Fault("answer", "It broke off its answer.")
            return _ENDINGS.get(os.WTERMSIG(self._status), broken)
        return wire.Fault("crash", "It ended the process that it ran in.")


# -- The warm process, as the app sees it.


SECONDS: Final = 3.0
"""Wall-clock time of one session."""
_START: Final = 30.0
#: No site-packages, no environment, no user's files: only the two folders that it is handed.
_PROGRAM: Final = (
    "import sys; sys.path[:0] = sys.argv[1:]; from engine.sandbox.server import main; main()"
)


class WorkerError(RuntimeError):
    """The warm process cannot be had; a sentence that says why."""


class UnconfinedError(WorkerError):
    """A function was not run: what nothing here keeps it from, in a sentence."""


class Worker:
    """Starts at once and in the background; `close` it, or use it as a context.

    One session at a time: a second thread waits.  A process that died is started again.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._spare: Pipes | None = None
        self._heard = False  # whether the spare child has told what confines it
        self._told: wire.Confinement | None = None
        self._watched = False
        self._start()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def confinement(self) -> wire.Confinement:
        """What confines a function here, as the last child told.  Waits; raises WorkerError."""
        with self._lock:
            return self._told or self._ready()

    def close(self) -> None:
        """End the process, and with it a session that is still running."""
        if self._spare is not None:
            self._spare.close()
            self._spare = None
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        self._told = None

    @contextmanager
    def session(
        self, source: str, seconds: float = SECONDS, unconfined: bool = False
    ) -> Iterator[WorkerSession]:
        """A child that has compiled `source` (or will say why not, at the first call).

        Raises UnconfinedError where it is not refused all that it must not do, unless `unconfined`
        says that the learner knows this and wants it run.
        """
        with self._lock:
            told, pipes = self._ready(), self._spare
            if told.left and not unconfined:
                raise UnconfinedError(told.said)
            assert pipes is not None
            self._spare = None
            try:
                session = WorkerSession(pipes, self._end)
                try:
                    session.renew(seconds)
                    self._open_socket.sendall(b"W" if self._watched else b"G")
                    pipes.send(wire.frame(source.encode("utf-8", "replace")))
                    yield session
                finally:
                    session.finish()
                    pipes.close()
                    self._prepare()
            except ConnectionError as error:
                self.close()
                raise WorkerError("The process for functions ended; try again.") from error

    def _ready(self) -> wire.Confinement:
        """Have a child that waits for its source, mostly it is there; what it tells of itself."""
        try:
            if self._process is None or self._process.poll() is not None:
                self.close()
                self._start()
            if self._spare is not None and select.select([self._open_socket], [], [], 0)[0]:
                self._status()  # it has ended, whatever the reason
                self._spare.close()
                self._spare = None
            self._prepare()
            if self._told is None or not self._heard:
                self._told = self._hear()
            return self._told
        except (TimeoutError, ConnectionError, wire.FunctionError) as error:
            self.close()
            raise WorkerError("The process for functions does not start.") from error

    def _hear(self) -> wire.Confinement:
        """What confines the spare child: its first words, before it has anything to run."""
        if self._spare is None:
            raise ConnectionError
        self._spare.deadline = time.monotonic() + _START
        told = self._spare.frame(wire.LARGEST_FAULT)
        if not told:
            raise ConnectionError
        layers, left = json.loads(told)
        self._heard = True
        # Where the kernel does not hold it to its memory, the warm process may.
        self._watched = wire.TOO_MUCH_MEMORY in left and wire.resident(os.getpid()) > 0
        return wire.Confinement(tuple(layers), tuple(left[: -1 if self._watched else None]))

    def _prepare(self) -> None:
        """Have the next child made and confined, best while nobody waits for it."""
        if self._spare is not None or self._socket is None:
            return
        pipes, theirs = Pipes.open()
        try:
            socket.send_fds(self._socket, [b"J"], theirs)
            self._spare, self._heard = pipes, False
        except ConnectionError:
            pipes.close()
            self.close()
        finally:
            for handle in theirs:
                os.close(handle)

    def _start(self) -> None:
        numpy = find_spec("numpy")
        if numpy is None or numpy.origin is None:
            raise WorkerError("NumPy is not installed.")
        ours, theirs = socket.socketpair()
        folders = [str(Path(__file__).parents[2]), str(Path(numpy.origin).parents[1])]
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _PROGRAM, *folders],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "LC_ALL": "C.UTF-8"},
                start_new_session=True,
            )
        except OSError as error:
            ours.close()
            raise WorkerError(f"The process for functions cannot start: {error}.") from error
        finally:
            theirs.close()
        ours.settimeout(_START)
        self._socket = ours
        self._prepare()

    def _end(self) -> int | None:
        """Have the child killed, and return its status; None where the process is gone too."""
        try:
            self._open_socket.sendall(b"K")
            return self._status()
        except OSError:
            self.close()
            return None

    def _status(self) -> int:
        """How the child ended; waits until it has."""
        data = self._open_socket.recv(wire.STATUS.size, socket.MSG_WAITALL)
        if len(data) != wire.STATUS.size:
            raise ConnectionError
        return int(wire.STATUS.unpack(data)[1])

    @property
    def _open_socket(self) -> socket.socket:
        if self._socket is None:
            raise ConnectionError
        return self._socket
