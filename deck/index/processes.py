"""The processes that help: started, and asked, each by one thread at a time.

Only who needs some imports this: most starts do not."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from deck.index import worker

#: Requests that are waiting or being answered, for each worker: bounds the memory.
_AHEAD = 3
#: Not `-m`: what the worker pickles must be of its module, not of `__main__`.
_START = "from deck.index.worker import main; main()"


def started(count: int) -> list[subprocess.Popen[bytes]]:
    """So many, or as many as can be started."""
    home = str(Path(__file__).resolve().parents[2])
    paths = os.pathsep.join([home, *filter(None, sys.path)])
    command = [sys.executable, "-c", _START]
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


def spread(
    requests: Sequence[Any], processes: list[subprocess.Popen[bytes]]
) -> Iterator[tuple[int, Any]]:
    """The answer to each request with its number, in the order of finishing."""
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
