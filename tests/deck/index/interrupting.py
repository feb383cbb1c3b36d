"""Indexing that is killed at each of its commits.

A collection is opened in a child of a server that has the program loaded.  The child counts what it
commits to the index, in small chunks, and kills itself before or after one of its commits.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from deck import Collection
from deck.index import cards, journal, lines
from tests.deck.given import NOON
from tests.paths import ROOT

NEVER = 0
_COMMITS = ("COMMIT", "CREATE", "DELETE", "DROP", "INSERT", "PRAGMA", "UPDATE")


class Interrupter:
    """Opens collections and says how many commits that took."""

    def __init__(self, host: subprocess.Popen[str]) -> None:
        self._host = host

    def open(self, root: Path, cache: Path, stop: int = NEVER) -> int:
        """Opens `root`, and is killed at the moment `stop`; how many moments there were, or 0 where
        it was killed.  Each commit has two moments, one before it and one after it."""
        assert self._host.stdin is not None
        assert self._host.stdout is not None
        self._host.stdin.write(f"{stop}\t{root}\t{cache}\n")
        self._host.stdin.flush()
        said = self._host.stdout.readline().strip()
        assert said, "the collection could not be opened"
        return int(said)


@contextmanager
def interrupter() -> Iterator[Interrupter]:
    command = [sys.executable, "-m", "tests.deck.index.interrupting"]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as host:
        yield Interrupter(host)
        assert host.stdin is not None
        host.stdin.close()


# The other side.


class _Counted(sqlite3.Connection):
    """Kills the program at one of its moments."""

    moments, stop = 0, NEVER

    def execute(self, sql: str, *given: Any) -> sqlite3.Cursor:
        counts = sql.lstrip().startswith(_COMMITS) and (sql == "COMMIT" or not self.in_transaction)
        if counts:
            _pass()
        found = super().execute(sql, *given)
        if counts:
            _pass()
        return found

    def executescript(self, sql: str) -> sqlite3.Cursor:
        _pass()
        found = super().executescript(sql)
        _pass()
        return found


def _pass() -> None:
    _Counted.moments += 1
    if _Counted.moments == _Counted.stop:
        os.kill(os.getpid(), signal.SIGKILL)


def serve() -> None:
    cards.SPREAD, cards.CHUNK, journal.SPREAD, lines.PIECE = 4, 3, 1, 600
    connect = sqlite3.connect
    sqlite3.connect = lambda *a, **k: connect(*a, **k, factory=_Counted)  # type: ignore[assignment]
    os.cpu_count = lambda: 1  # no worker processes, which take long to start
    for line in sys.stdin:
        stop, root, cache = line.rstrip("\n").split("\t")
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.environ["XDG_CACHE_HOME"] = cache
            _Counted.stop = int(stop)
            Collection.open(Path(root), NOON, "desk")
            os.write(write, str(_Counted.moments).encode())
            os._exit(0)
        os.close(write)
        said = os.read(read, 20).decode()
        os.close(read)
        _, status = os.waitpid(child, 0)
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        os.write(1, f"{0 if killed else said}\n".encode())


if __name__ == "__main__":
    serve()
