"""Nothing that a function does reaches beyond it, and the worker serves the next one."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.sandbox.confine import MACHINES
from engine.sandbox.wire import FunctionError
from engine.sandbox.worker import SECONDS, UnconfinedError, Worker
from tests.engine.sandbox import without
from tests.engine.sandbox.hostile import sources

SECRET = "the canary sings"
ROOT = Path(__file__).parents[3]
X, DELTA = np.arange(2 * 36.0).reshape(2, 6, 6), np.ones((2, 3, 3))


def attempt(worker: Worker, source: str, seconds: float = SECONDS) -> str:
    """What became of it: the fault's kind, or "result", and all that came back as text."""
    try:
        with worker.session(source, seconds) as session:
            try:
                session.call({"x": X, "delta": DELTA}, {"kh": 2}, [(6, 6)])
            except FunctionError as error:
                return f"{error.fault.kind} {error.fault} {session.printed}"
            return f"result {session.printed}"
    except UnconfinedError:
        return "not run"


def attack(folder: Path, harmless: str = "result") -> list[str]:
    """Every hostile function; what was wrong afterwards, in words.

    `harmless` is what becomes of a function that does nothing: "result", or "not run".
    """
    secret = folder / "secret"
    secret.write_text(SECRET)
    secret.chmod(0o644)
    before = secret.stat()
    wrong = []
    with Worker() as worker:
        process = worker._process
        for source in sources(str(secret)):
            told = attempt(worker, source, seconds=0.4)
            if SECRET in told or str(list(SECRET.encode()))[1:20] in told:
                wrong.append(f"read the secret: {source}")
            if "got through" in told:
                wrong.append(f"found what it should not: {source}")
            after = secret.stat()
            changed = (after.st_mtime, after.st_mode) != (before.st_mtime, before.st_mode)
            if changed or list(folder.iterdir()) != [secret] or secret.read_text() != SECRET:
                wrong.append(f"changed the disk: {source}")
            if len(told) > 40_000:
                wrong.append(f"flooded: {source}")
            if not attempt(worker, "def f(x, delta): return 2 * x").startswith(harmless):
                wrong.append(f"broke the worker: {source}")
            if harmless == "not run" and told != harmless:
                wrong.append(f"was run: {source}")
            if worker._process is not process:
                wrong.append(f"ended the warm process: {source}")
    return wrong


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name)


def test_no_hostile_function_gets_through(folder: Path) -> None:
    assert len(sources("")) >= 180
    assert attack(folder) == []


@pytest.mark.skipif(platform.system() != "Linux", reason="these layers are Linux's")
@pytest.mark.parametrize(
    ("lacks", "harmless"),
    [("landlock", "result"), ("seccomp", "not run"), ("landlock,seccomp", "not run")],
)
def test_none_gets_through_where_a_layer_is_missing(
    folder: Path, lacks: str, harmless: str
) -> None:
    command = without.command(lacks, *attacking(folder, harmless))
    done = subprocess.run(command, capture_output=True, cwd=ROOT, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize(
    ("lacks", "harmless"),
    [
        ("nothing", "result"),
        ("landlock", "result"),
        ("seccomp", "not run"),
        ("landlock,seccomp", "not run"),
    ],
)
def test_no_hostile_function_of_an_ordinary_user_gets_through(
    folder: Path, lacks: str, harmless: str
) -> None:
    for interpreter in interpreters():
        filtered = [interpreter, str(ROOT / "tests/engine/sandbox/without.py"), lacks, interpreter]
        done = as_nobody([*filtered, "-B", *attacking(folder, harmless)])
        if done is not None:
            assert done.returncode == 0, done.stderr
            assert json.loads(done.stdout) == []
            return
    pytest.skip("no interpreter here can be run by another user")


def attacking(folder: Path, harmless: str) -> list[str]:
    """Python's arguments for `attack` in a process of its own."""
    code = (
        "import json, pathlib, sys; sys.path[:0] = sys.argv[1:3];"
        "from tests.engine.sandbox.test_hostile import attack;"
        "print(json.dumps(attack(pathlib.Path(sys.argv[3]), sys.argv[4])))"
    )
    return ["-c", code, str(ROOT), str(Path(np.__file__).parents[1]), str(folder), harmless]


def interpreters() -> Iterator[str]:
    """Ours, and the system's of the same version: ours may be in root's own folder."""
    yield sys.executable
    system = shutil.which(f"python{sys.version_info[0]}.{sys.version_info[1]}", path=os.defpath)
    if system is not None:
        yield system


def as_nobody(command: list[str]) -> subprocess.CompletedProcess[str] | None:
    """Run it as another user; None where that user may not."""
    try:
        return subprocess.run(
            command, capture_output=True, user=65534, group=65534, extra_groups=[], cwd="/",
            text=True, env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"},
        )  # fmt: skip
    except PermissionError:
        return None


@pytest.mark.skipif(platform.machine() not in MACHINES, reason="there is no filter for it")
def test_every_call_that_is_not_listed_is_refused() -> None:
    """Each number, and on x86-64 each of its other face, with nothing but zeros."""
    machine = MACHINES[platform.machine()]
    # The kernel lets its probes (x86-64's 335 and 336) past every filter: they are its own calls.
    listed = {*machine.allowed, *machine.mapping, 335, 336}
    numbers = [n + face for n in range(600) for face in (0, 1 << 30) if n not in listed or face]
    source = f"""import ctypes
def backward(x, delta):
    libc = ctypes.CDLL(None, use_errno=True)
    for number in {numbers}:
        ctypes.set_errno(0)
        found = libc.syscall(ctypes.c_long(number), 0, 0, 0, 0, 0, 0), ctypes.get_errno()
        if found != (-1, 1):
            print(number, found)
    for number in {machine.mapping}:
        if libc.syscall(ctypes.c_long(number), 0, 4096, 7, 0x22, -1, 0) != -1:
            print(number, "executable")
    return x
"""
    with Worker() as worker:
        assert attempt(worker, source) == "result "
