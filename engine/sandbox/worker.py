"""The app's side: one warm process, and one session with a confined child at a time."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from engine.sandbox.pipes import Pipes
from engine.sandbox.session import Session
from engine.sandbox.wire import STATUS, frame

SECONDS: Final = 3.0
"""Wall-clock time of one session."""
_START: Final = 30.0
#: No site-packages, no environment, no user's files: only the two folders that it is handed.
_PROGRAM: Final = (
    "import sys; sys.path[:0] = sys.argv[1:]; from engine.sandbox.server import main; main()"
)


class WorkerError(RuntimeError):
    """The warm process cannot be had; a sentence that says why."""


class Worker:
    """Starts at once and in the background; `close` it, or use it as a context.

    One session at a time: a second thread waits.  A process that died is started again.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._layers: tuple[str, ...] | None = None
        self._spare: Pipes | None = None
        self._start()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def layers(self) -> tuple[str, ...]:
        """What confines a function here: "process", "limits", "nobody", "landlock", "seccomp".

        Waits until the process is warm; raises WorkerError."""
        with self._lock:
            return self._warm()

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
        self._layers = None

    @contextmanager
    def session(self, source: str, seconds: float = SECONDS) -> Iterator[Session]:
        """A child that has compiled `source` (or will say why not, at the first call)."""
        with self._lock:
            self._warm()
            try:
                pipes = self._child()
                session = Session(pipes, self._end)
                try:
                    session.renew(seconds)
                    self._open_socket.sendall(b"G")
                    pipes.send(frame(source.encode("utf-8", "replace")))
                    yield session
                finally:
                    session.finish()
                    pipes.close()
                    self._prepare()
            except ConnectionError as error:
                self.close()
                raise WorkerError("The process for functions ended; try again.") from error

    def _child(self) -> Pipes:
        """The pipes of a confined child that waits for its source; mostly it is there already."""
        if self._spare is not None and select.select([self._open_socket], [], [], 0)[0]:
            self._status()  # it has ended, whatever the reason
            self._spare.close()
            self._spare = None
        self._prepare()
        if self._spare is None:
            raise ConnectionError
        pipes, self._spare = self._spare, None
        return pipes

    def _prepare(self) -> None:
        """Have the next child made and confined, best while nobody waits for it."""
        if self._spare is not None or self._socket is None:
            return
        pipes, theirs = Pipes.open()
        try:
            socket.send_fds(self._socket, [b"J"], theirs)
            self._spare = pipes
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

    def _warm(self) -> tuple[str, ...]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._start()
        if self._layers is None:
            line = bytearray()
            try:
                while not line.endswith(b"\n"):
                    piece = self._open_socket.recv(1)
                    if not piece:
                        raise ConnectionError
                    line += piece
            except (TimeoutError, ConnectionError) as error:
                self.close()
                raise WorkerError("The process for functions does not start.") from error
            self._layers = tuple(json.loads(line))
        return self._layers

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
