"""Acts that are killed at a chosen moment: after so many calls of functions, counted by Python.

An act runs in a child of a server that has the program loaded; first to its end, to count its
calls, then again and again on a fresh copy of the folder, killed after some of them.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from deck.backup import back_up, backups, bring_back, restore
from deck.collection import Collection
from deck.fsrs import Rating
from deck.repair import repair
from deck.settings import write_setting
from tests.deck.given import NOON, later
from tests.paths import ROOT

ACTS: dict[str, Callable[[Path], object]] = {
    "restore": lambda root: restore(root, backups(root)[-1].path, later(days=1)),
    "bring back": lambda root: bring_back(root, backups(root)[-1].path),
    "repair": repair,
    "back up": lambda root: back_up(root, later(days=2)),
    "first answer": lambda root: Collection.open(root, NOON).rate("a", Rating.GOOD, NOON, 0),
    "make": lambda root: Collection.init(root, NOON),
    "set": lambda root: write_setting(root / ".deltadeck" / "config.toml", "new_per_day", 7),
}
_NEVER = 10**9


class Stopper:
    """Does acts in a copy of a folder, and stops them."""

    def __init__(self, host: subprocess.Popen[str], folder: Path) -> None:
        self._host, self._folder = host, folder

    def moments(self, act: str, count: int, after: float = 0.0) -> Iterator[Path]:
        """The folder as it is after the act was killed at each of `count` moments, and (the last
        one) after the act.  They are spread over its calls, the first share `after` left out."""
        calls = self._run(act, _NEVER)
        for number in range(count):
            self._run(act, 1 + int(calls * (after + (1 - after) * number / count)))
            yield self._folder / "copy"
        self._run(act, _NEVER)
        yield self._folder / "copy"

    def _run(self, act: str, stop: int) -> int:
        """How many calls it took; the given folder is `given`, and the act's is `copy`.

        Both names are for the same collection: the user's data goes by the folder's path.
        """
        copy = self._folder / "copy"
        for name in ("cards", "own"):
            shutil.rmtree(copy / name, ignore_errors=True)
            shutil.copytree(self._folder / name, copy / name, symlinks=True)
        assert self._host.stdin is not None
        assert self._host.stdout is not None
        self._host.stdin.write(f"{stop}\t{act}\t{copy}\n")
        self._host.stdin.flush()
        said = self._host.stdout.readline().strip()
        assert said, "the act failed"
        return int(said)


@contextmanager
def stopper(folder: Path) -> Iterator[Stopper]:
    """For a `folder` with `cards` and `own`, the user's data and cache."""
    command = [sys.executable, "-m", "tests.deck.stopping"]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as host:
        yield Stopper(host, folder)
        assert host.stdin is not None
        host.stdin.close()


def serve() -> None:
    for line in sys.stdin:
        stop, act, folder = line.rstrip("\n").split("\t")
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.environ["XDG_CACHE_HOME"] = os.environ["XDG_DATA_HOME"] = f"{folder}/own"
            calls = _counted(ACTS[act], Path(folder) / "cards", int(stop))
            os.write(write, str(calls).encode())
            os._exit(0)
        os.close(write)
        said = os.read(read, 20).decode()
        os.close(read)
        _, status = os.waitpid(child, 0)
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        os.write(1, f"{0 if killed else said}\n".encode())


def _counted(act: Callable[[Path], object], root: Path, stop: int) -> int:
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1
        if calls == stop:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(count)
    act(root)
    sys.setprofile(None)
    return calls


if __name__ == "__main__":
    serve()
