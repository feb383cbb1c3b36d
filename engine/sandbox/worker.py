"""The app's side: one warm process, and one session with a confined child at a time."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from engine.sandbox.fault import FunctionError
from engine.sandbox.pipes import Pipes
from engine.sandbox.session import Session
from engine.sandbox.wire import LENGTH, STATUS, TOO_MUCH_MEMORY, Confinement, frame, resident

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
        self._told: Confinement | None = None
        self._watched = False
        self._start()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def confinement(self) -> Confinement:
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
    ) -> Iterator[Session]:
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
                session = Session(pipes, self._end)
                try:
                    session.renew(seconds)
                    self._open_socket.sendall(b"W" if self._watched else b"G")
                    pipes.send(frame(source.encode("utf-8", "replace")))
                    yield session
                finally:
                    session.finish()
                    pipes.close()
                    self._prepare()
            except ConnectionError as error:
                self.close()
                raise WorkerError("The process for functions ended; try again.") from error

    def _ready(self) -> Confinement:
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
        except (TimeoutError, ConnectionError, FunctionError) as error:
            self.close()
            raise WorkerError("The process for functions does not start.") from error

    def _hear(self) -> Confinement:
        """What confines the spare child: its first words, before it has anything to run."""
        if self._spare is None:
            raise ConnectionError
        self._spare.deadline = time.monotonic() + _START
        length = self._spare.receive(LENGTH.size)
        if len(length) < LENGTH.size:
            raise ConnectionError
        layers, left = json.loads(self._spare.receive(LENGTH.unpack(length)[0]))
        self._heard = True
        # Where the kernel does not hold it to its memory, the warm process may.
        self._watched = TOO_MUCH_MEMORY in left and resident(os.getpid()) > 0
        return Confinement(tuple(layers), tuple(left[: -1 if self._watched else None]))

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
        data = self._open_socket.recv(STATUS.size, socket.MSG_WAITALL)
        if len(data) != STATUS.size:
            raise ConnectionError
        return int(STATUS.unpack(data)[1])

    @property
    def _open_socket(self) -> socket.socket:
        if self._socket is None:
            raise ConnectionError
        return self._socket
