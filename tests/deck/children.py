"""Programs of their own for what cannot be done to the one that runs the tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from tests.paths import ROOT

#: What a child says by its exit code when the system does not let it try.
_CANNOT = 77
#: Before each script: the program, a folder, and how to say what an answer came to.
_GIVEN = """
import os, resource, signal, sys
from pathlib import Path
from deck import Collection, CollectionError, JournalError, Rating
from tests.deck.given import NOON, later, opened

root = Path(sys.argv[1])


def refused(collection, item, now, error=JournalError):
    try:
        collection.rate(item, Rating.GOOD, now, 1000)
    except error as raised:
        return str(raised)
    raise SystemExit("it was not refused")
"""
#: For root: a user namespace without a mapping takes the right to ignore permissions away.
_ORDINARY = f"""
import ctypes, os, sys
if os.geteuid() == 0 and ctypes.CDLL(None).unshare(0x10000000):
    sys.exit({_CANNOT})
"""


def ordinary(script: str, root: Path) -> list[str]:
    """What a script printed that ran as a user for whom permissions hold, line by line."""
    return _lines([sys.executable, "-c", _ORDINARY + _GIVEN + script, str(root)])


def on_small_disk(script: str, root: Path, size: str = "512k") -> list[str]:
    """What a script printed for which `root` is a disk of its own, and so small."""
    if not shutil.which("unshare"):
        pytest.skip("a disk of one's own needs unshare")
    root.mkdir(exist_ok=True)
    shell = f'mount -t tmpfs -o size={size} none "$1" || exit {_CANNOT}; exec "$2" -c "$3" "$1"'
    python = [sys.executable, _GIVEN + script]
    return _lines(["unshare", "-rm", "sh", "-c", shell, "sh", str(root), *python])


def _lines(command: list[str]) -> list[str]:
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode == _CANNOT or "unshare failed" in done.stderr:
        pytest.skip("the system lets no one try this")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout.splitlines()


# Programs at work beside the test, forked from a server that has ours loaded.

SERVER = get_context("forkserver")
SERVER.set_forkserver_preload(["deck.collection"])


def begun(work: Callable[..., None], *given: object) -> tuple[Any, Connection]:
    """A process that does `work` in this environment, and what it says."""
    hears, says = SERVER.Pipe(duplex=False)
    process = SERVER.Process(target=_working, args=(work, says, dict(os.environ), given))
    process.start()
    says.close()
    return process, hears


def _working(
    work: Callable[..., None], says: Connection, own: dict[str, str], given: tuple[object, ...]
) -> None:
    os.environ.update(own)
    work(says, *given)
