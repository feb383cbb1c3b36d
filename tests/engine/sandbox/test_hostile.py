"""Nothing that a function does reaches beyond it, and the worker serves the next one.

`hostile.txt` holds functions that try to get out, to stay, or to be taken for right: each line is
the body of a `def backward(x, delta)`; {secret} is a readable file.  What should not be there, they
print as "got through" (`through()`).
"""

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
from engine.sandbox.wire import FunctionBatch, FunctionError
from engine.sandbox.worker import SECONDS, UnconfinedError, Worker
from tests.engine.sandbox import without
from tests.paths import ROOT

SECRET = "the canary sings"
X, DELTA = np.arange(2 * 36.0).reshape(2, 6, 6), np.ones((2, 3, 3))
#: Some forge a fault frame of the child's; some say that they did what must be refused.
HEAD = """import os, socket, sys, time
def through(): print("got " + "through")
def libc(): import ctypes; return ctypes.CDLL(None)
def fault(text):
    os.write(3, b"E" + len(text).to_bytes(4, "little") + text)
def backward(x, delta):
"""


def sources(secret: str) -> list[str]:
    lines = Path(__file__).with_name("hostile.txt").read_text("utf-8").splitlines()
    bodies = [line.encode().decode("unicode_escape") for line in lines]
    return [HEAD + f"    {body.format(secret=secret)}\n" for body in bodies]


def attempt(worker: Worker, source: str, seconds: float = SECONDS) -> str:
    """What became of it: the fault's kind, or "result", and all that came back as text."""
    try:
        with worker.session(source, seconds) as session:
            try:
                session.call(FunctionBatch({"x": X, "delta": DELTA}, {"kh": 2}, [(6, 6)]))
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
            after = secret.stat()
            changed = (after.st_mtime, after.st_mode) != (before.st_mtime, before.st_mode)
            found = {
                "read the secret": SECRET in told or str(list(SECRET.encode()))[1:20] in told,
                "found what it should not": "got through" in told,
                "changed the disk": changed
                or list(folder.iterdir()) != [secret]
                or secret.read_text() != SECRET,
                "flooded": len(told) > 40_000,
                "broke the worker": not attempt(worker, "def f(x, delta): return 2 * x").startswith(
                    harmless
                ),
                "was run": harmless == "not run" and told != harmless,
                "ended the warm process": worker._process is not process,
            }
            wrong += [f"{what}: {source}" for what, so in found.items() if so]
    return wrong


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name)


def test_no_hostile_function_gets_through(folder: Path) -> None:
    assert len(sources("")) >= 180
    assert attack(folder) == []


#: What is missing, and what becomes of a harmless function there.
LACKING = [
    ("landlock,seccomp", "not run"),
    pytest.param("seccomp", "not run", marks=pytest.mark.long),
    pytest.param("landlock", "result", marks=pytest.mark.long),
]


@pytest.mark.skipif(platform.system() != "Linux", reason="these layers are Linux's")
@pytest.mark.parametrize(("lacks", "harmless"), LACKING)
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
    [*LACKING, pytest.param("nothing", "result", marks=pytest.mark.long)],
)
def test_no_hostile_function_of_an_ordinary_user_gets_through(
    folder: Path, lacks: str, harmless: str
) -> None:
    system = shutil.which(f"python{sys.version_info[0]}.{sys.version_info[1]}", path=os.defpath)
    # Ours may be in root's own folder.
    for interpreter in filter(None, (sys.executable, system)):
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
