"""Work that is worth it is spread over all processors; what is not, or cannot be, is done here.

The processes get pickled functions and requests on their input, and send pickled answers.  Not
multiprocessing: that imports the caller's main module again, and forks programs that have threads.
"""

from __future__ import annotations

import gc
import os
import pickle
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from operator import length_hint
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

if TYPE_CHECKING:
    import subprocess
    from concurrent.futures import Future

_Request = TypeVar("_Request")
_Answer = TypeVar("_Answer")

#: More would wait for the one process that writes the index.
_MOST = 8
#: Requests that are waiting or being answered, for each process: bounds the memory.
_AHEAD = 3
#: Not `-m`: what is pickled must be of its module, not of `__main__`.
_START = "from deck.index.workers import serve; serve()"


class Workers:
    """Processes that help.  They start at the first work that is worth it, and end behind it, or
    at the end of a `with` around it: whoever has several such works starts them once."""

    def __init__(self) -> None:
        self._processes: list[subprocess.Popen[bytes]] = []
        self._busy = threading.Lock()
        self._kept = 0

    def __enter__(self) -> Self:
        self._kept += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._kept -= 1
        if not self._kept:
            self._end()

    def answers(
        self, function: Callable[[_Request], _Answer], requests: Iterable[_Request], spread: bool
    ) -> Iterator[_Answer]:
        """The answer of a function of a module to each request, in their order.

        They are worked out here where it is not worth it to `spread` them, where no process can be
        started, and where another thread has the processes.
        """
        count = min(os.cpu_count() or 1, length_hint(requests, _MOST), _MOST)
        if not (spread and count > 1 and self._busy.acquire(blocking=False)):
            yield from map(function, requests)
            return
        try:
            with self:
                self._processes = self._processes or _started(count)
                yield from _spread(function, requests, self._processes)
        except BaseException:
            self._end()  # what they were asked is of no use any more
            raise
        finally:
            self._busy.release()

    def _end(self) -> None:
        while self._processes:
            process = self._processes.pop()
            with suppress(OSError):
                if process.stdin:
                    process.stdin.close()
            process.kill()
            process.wait()
            if process.stdout:
                process.stdout.close()


def serve() -> None:
    """What such a process does, until its input ends."""
    gc.set_threshold(100_000, 50, 100)  # what is read lives until it is sent: little to collect
    while True:
        try:
            function, request = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        pickle.dump(function(request), sys.stdout.buffer, pickle.HIGHEST_PROTOCOL)
        sys.stdout.buffer.flush()


def start_python(*words: str, **variables: str) -> subprocess.Popen[bytes]:
    """Another Python that finds what this one does, with pipes.  Raises OSError."""
    import subprocess  # with the threads below, 10 ms: only a start that reads much pays for it

    paths = os.pathsep.join([str(Path(__file__).resolve().parents[2]), *filter(None, sys.path)])
    return subprocess.Popen(
        [sys.executable, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": paths, **variables},
    )


def _started(count: int) -> list[subprocess.Popen[bytes]]:
    """So many, or as many as can be started."""
    started: list[subprocess.Popen[bytes]] = []
    with suppress(OSError):
        for _ in range(count):
            started.append(start_python("-c", _START))
    return started


def _spread(
    function: Callable[[_Request], _Answer],
    requests: Iterable[_Request],
    processes: list[subprocess.Popen[bytes]],
) -> Iterator[_Answer]:
    from concurrent.futures import ThreadPoolExecutor
    from queue import SimpleQueue

    if not processes:
        yield from map(function, requests)
        return
    free: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
    for process in processes:
        free.put(process)

    def ask(request: _Request) -> _Answer:
        """The answer of a free process; one that died is not asked again."""
        process = free.get()
        try:
            if process.poll() is None and process.stdin and process.stdout:
                pickle.dump((function, request), process.stdin, pickle.HIGHEST_PROTOCOL)
                process.stdin.flush()
                answer: _Answer = pickle.load(process.stdout)
                return answer
        except (OSError, EOFError, pickle.UnpicklingError):
            process.kill()
        finally:
            free.put(process)
        return function(request)

    with ThreadPoolExecutor(len(processes)) as threads:
        waiting: deque[Future[_Answer]] = deque()
        for request in requests:
            waiting.append(threads.submit(ask, request))
            if len(waiting) >= _AHEAD * len(processes):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
