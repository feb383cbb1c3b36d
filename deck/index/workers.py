"""Work that is worth it is spread over all processors; what is not, or cannot be, is done here."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Self

from deck.index import worker

#: More would wait for the one process that writes the index.
_MOST = 8
#: Requests that are waiting or being answered, for each worker: bounds the memory.
_AHEAD = 3


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

    def answers(self, requests: Sequence[Any], spread: bool) -> Iterator[tuple[int, Any]]:
        """The answer to each request (`worker.answer`) with its number, in the order of finishing.

        They are worked out here where it is not worth it to `spread` them, where no process can be
        started, and where another thread has the processes.
        """
        count = min(os.cpu_count() or 1, _MOST, len(requests))
        if not (spread and count > 1 and self._busy.acquire(blocking=False)):
            yield from ((number, worker.answer(request)) for number, request in enumerate(requests))
            return
        try:
            with self:
                self._processes = self._processes or _started(count)
                if self._processes:
                    yield from _spread(requests, self._processes)
                else:
                    yield from enumerate(map(worker.answer, requests))
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


def _started(count: int) -> list[subprocess.Popen[bytes]]:
    home = str(Path(__file__).resolve().parents[2])
    paths = os.pathsep.join([home, *filter(None, sys.path)])
    command = [sys.executable, "-m", worker.__name__]
    started: list[subprocess.Popen[bytes]] = []
    with suppress(OSError):
        for _ in range(count):
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": paths},
            )
            started.append(process)
    return started


def _spread(
    requests: Sequence[Any], processes: list[subprocess.Popen[bytes]]
) -> Iterator[tuple[int, Any]]:
    free: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
    for process in processes:
        free.put(process)
    with ThreadPoolExecutor(len(processes)) as threads:
        waiting: dict[Future[Any], int] = {}
        for number, request in enumerate(requests):
            waiting[threads.submit(_ask, free, request)] = number
            if len(waiting) >= _AHEAD * len(processes):
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                yield from ((waiting.pop(future), future.result()) for future in done)
        while waiting:
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            yield from ((waiting.pop(future), future.result()) for future in done)


def _ask(free: SimpleQueue[subprocess.Popen[bytes]], request: Any) -> Any:
    """The answer of a free process; one that died is not asked again."""
    process = free.get()
    try:
        if process.poll() is None and process.stdin and process.stdout:
            pickle.dump(request, process.stdin, pickle.HIGHEST_PROTOCOL)
            process.stdin.flush()
            return pickle.load(process.stdout)
    except (OSError, EOFError, pickle.UnpicklingError):
        process.kill()
    finally:
        free.put(process)
    return worker.answer(request)
