"""Work that is worth it is spread over all processors; what is not, or cannot be, is done here."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import subprocess

#: More would wait for the one process that writes the index.
_MOST = 8


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
            yield from enumerate(map(_answer, requests))
            return
        from deck.index.processes import spread as spread_over
        from deck.index.processes import started

        try:
            with self:
                self._processes = self._processes or started(count)
                if self._processes:
                    yield from spread_over(requests, self._processes)
                else:
                    yield from enumerate(map(_answer, requests))
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


def _answer(request: Any) -> Any:
    from deck.index import worker  # with the parser, which most starts need not

    return worker.answer(request)
