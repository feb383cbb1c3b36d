"""Nothing that a function does reaches beyond it, and the worker serves the next one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.sandbox import FunctionError, Worker
from tests.engine.sandbox.hostile import sources

SECRET = "the canary sings"
ROOT = Path(__file__).parents[3]
X, DELTA = np.arange(2 * 36.0).reshape(2, 6, 6), np.ones((2, 3, 3))


def attempt(worker: Worker, source: str) -> str:
    """What became of it: the fault's kind, or "result", and all that came back as text."""
    with worker.session(source, seconds=1) as session:
        try:
            session.call({"x": X, "delta": DELTA}, {"kh": 2}, [(6, 6)])
        except FunctionError as error:
            return f"{error.fault.kind} {error.fault} {session.printed}"
        return f"result {session.printed}"


def attack(folder: Path) -> list[str]:
    """Every hostile function; what was wrong afterwards, in words."""
    secret = folder / "secret"
    secret.write_text(SECRET)
    secret.chmod(0o644)
    wrong = []
    with Worker() as worker:
        for source in sources(str(secret)):
            told = attempt(worker, source)
            if SECRET in told or str(list(SECRET.encode()))[1:20] in told:
                wrong.append(f"read the secret: {source}")
            if sorted(folder.iterdir()) != [secret] or secret.read_text() != SECRET:
                wrong.append(f"changed the disk: {source}")
            if len(told) > 40_000:
                wrong.append(f"flooded: {source}")
            if not attempt(worker, "def f(x, delta): return 2 * x").startswith("result"):
                wrong.append(f"broke the worker: {source}")
    return wrong


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name)


def test_no_hostile_function_gets_through(folder: Path) -> None:
    assert len(sources("")) >= 90
    assert attack(folder) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_no_hostile_function_of_an_ordinary_user_gets_through(folder: Path) -> None:
    code = (
        "import json, pathlib, sys; sys.path.insert(0, sys.argv[1]);"
        "from tests.engine.sandbox.test_hostile import attack;"
        "print(json.dumps(attack(pathlib.Path(sys.argv[2]))))"
    )
    try:
        done = subprocess.run(
            [sys.executable, "-B", "-c", code, str(ROOT), str(folder)],
            capture_output=True, user=65534, group=65534, extra_groups=[], cwd="/", text=True,
            env={"PATH": os.environ["PATH"], "HOME": str(folder / "none")},
        )  # fmt: skip
    except PermissionError:
        pytest.skip("this interpreter cannot be run by another user")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []
