"""What confines a function is found by trying, and none is run unconfined unless that is asked for.

Machines that lack a layer are made by a filter in the kernel (`without.py`).
"""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.sandbox.confine import TRIES, version
from engine.sandbox.wire import TOO_MUCH_MEMORY
from tests.engine.brute.answers import FUNCTIONS
from tests.engine.sandbox import without
from tests.paths import ROOT

pytestmark = [
    pytest.mark.skipif(platform.system() != "Linux", reason="the filter is Linux's"),
    pytest.mark.skipif(not version(), reason="this kernel has no Landlock to take away"),
]

FUNCTION = FUNCTIONS[0]
#: Maps the same 64 MB again and again: little is needed of the machine, and it counts each time.
MEMORY = """import ctypes, mmap, time
def f(x):
    size = 1 << 26
    whole = mmap.mmap(-1, size)
    here = ctypes.addressof(ctypes.c_char.from_buffer(whole))
    libc = ctypes.CDLL(None)
    libc.mremap.restype = ctypes.c_void_p
    libc.mremap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int]
    for _ in range(24):
        ctypes.memset(libc.mremap(here, 0, size, 1), 1, size)
    while True:
        time.sleep(1)
"""
FILES = {"reading files", "writing or deleting files"}
RIGHTS = {"emptying files", "changing the rights of files", "using the network", "running programs"}


def told(lacks: str, code: str, *arguments: str) -> Any:
    """What `code` prints as JSON on a machine that lacks something."""
    begin = "import json, sys; from engine.sandbox.worker import *\n"
    command = without.command(lacks, "-c", begin + code, *arguments)
    done = subprocess.run(command, capture_output=True, cwd=ROOT, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("lacks", "left"),
    [
        ("nothing", set()),
        ("landlock", set()),
        ("pidfd", set()),
        ("memory", set()),
        ("seccomp", RIGHTS),
        ("landlock,seccomp", FILES | RIGHTS),
    ],
)
def test_what_is_left_open_is_what_no_layer_refused(lacks: str, left: set[str]) -> None:
    code = "with Worker() as w: print(json.dumps([w.confinement.layers, w.confinement.left]))"
    layers, found = told(lacks, code)
    assert set(layers) & {"landlock", "seccomp"} == {"landlock", "seccomp"} - {*lacks.split(",")}
    # What else an ordinary user may do to programs of his own, root's child may not.
    assert set(found) - {"reaching your other programs"} == left
    assert set(found) <= set(TRIES)


def test_a_layer_that_python_cannot_reach_is_missing(tmp_path: Path) -> None:
    """Python may be built without ctypes, which Landlock and seccomp are asked for through."""
    python = tmp_path / "python"
    hidden = "import sys; sys.modules['_ctypes'] = None; "
    script = 'first="$1 $2 $3"; program="$4"; shift 4\n'
    script += f'exec {sys.executable} $first "{hidden}$program" "$@"\n'
    python.write_text(f"#!/bin/sh\n{script}")
    python.chmod(0o755)
    code = "sys.executable = sys.argv[1]\nwith Worker() as w: print(json.dumps(w.confinement.left))"
    assert set(told("nothing", code, str(python))) >= FILES | RIGHTS


@pytest.mark.parametrize("lacks", ["seccomp", "landlock,seccomp"])
def test_check_runs_no_function_unconfined_unless_it_is_told_to(lacks: str) -> None:
    code = """
from engine import check, exercise_for
exercise = exercise_for("max-pool", (), "derivation")
formula = check("dx[i,j] = sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l)", exercise).verdict
try:
    check(sys.argv[1], exercise)
    refused = ""
except UnconfinedError as error:
    refused = str(error)
verdict = check(sys.argv[1], exercise, unconfined=True)
print(json.dumps([formula, refused, verdict.verdict, verdict.layers]))
"""
    formula, refused, verdict, layers = told(lacks, code, FUNCTION)
    assert formula == verdict == "correct"
    assert "Nothing on this computer keeps a function from " in refused
    assert "using the network or running programs" in refused
    assert ("reading files" in refused) == ("landlock" in lacks)
    assert "process" in layers
    assert "seccomp" not in layers


UNCONFINED = """
import numpy as np
from engine.sandbox.wire import FunctionError, FunctionBatch
with Worker() as worker:
    with worker.session(sys.argv[1], float(sys.argv[2]), unconfined=True) as session:
        try:
            session.call(FunctionBatch({"x": np.ones((1, 2))}, {}, [(2,)]))
            session.finish()
            print(json.dumps(session.printed))
        except FunctionError as error:
            print(json.dumps(error.fault.kind))
"""


@pytest.mark.skipif(shutil.which("ps") is None, reason="nothing tells how much memory it holds")
def test_memory_is_watched_where_the_kernel_does_not_hold_it() -> None:
    assert told("landlock,seccomp,memory", UNCONFINED, MEMORY, "9") == "memory"


def test_what_holds_where_nothing_confines_is_as_it_is_said() -> None:
    lacks = "landlock,seccomp"
    assert told(lacks, UNCONFINED, "def f(x):\n    while True: pass", "0.2") == "time"
    assert told(lacks, UNCONFINED, "def f(x): return np.ones(1 << 28)", "3") == "memory"
    shown = "import os\ndef f(x): print(dict(os.environ), os.getcwd()); return x"
    assert told(lacks, UNCONFINED, shown, "3") == "{} /\n"


@pytest.mark.parametrize(
    ("body", "kind"),
    [("while True: pass", "time"), ("import os; os._exit(0)", "crash"), ("1 / 0", "exception")],
)
def test_the_end_of_a_child_is_seen_where_the_kernel_tells_of_none(body: str, kind: str) -> None:
    """As on macOS, and before Linux 5.3."""
    assert told("pidfd", UNCONFINED, f"def f(x):\n    {body}", "0.3") == kind


def test_memory_that_nothing_holds_is_said_to_be_open() -> None:
    """Where nothing watches over it either: `ps` is on no path."""
    code = "import os; os.defpath = ''\nos.environ['PATH'] = ''\n"
    code += "with Worker() as w: print(json.dumps([w.confinement.left, w.confinement.said]))"
    left, said = told("memory", code)
    assert left == [TOO_MUCH_MEMORY]
    assert "beyond 1 GB" not in said
