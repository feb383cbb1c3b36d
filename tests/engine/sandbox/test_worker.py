"""What a function is given, and what comes back of it."""

from __future__ import annotations

import os
import platform
import select
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.sandbox.confine import MACHINES, program
from engine.sandbox.server import MODULES
from engine.sandbox.wire import Fault, FunctionBatch, FunctionError
from engine.sandbox.worker import Worker
from tests.engine.cases import table

X, DELTA = np.arange(2 * 36.0).reshape(2, 6, 6), np.ones((2, 3, 3))
BOTH = {"x": X, "delta": DELTA}
TABLE = table("worker", typed=True)


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with Worker() as worker:
        yield worker


def result(worker: Worker, source: str) -> np.ndarray:
    with worker.session(source) as session:
        return session.call(FunctionBatch(BOTH, {"kh": 2, "kernel": [2, 3]}, [(6, 6)]))[1]


def fault(worker: Worker, source: str) -> Fault:
    with pytest.raises(FunctionError) as raised:
        result(worker, source)
    return raised.value.fault


@pytest.mark.parametrize("source", TABLE["same"])
def test_arguments_go_by_name_or_else_by_place(worker: Worker, source: str) -> None:
    np.testing.assert_array_equal(result(worker, source), X + 9)


@pytest.mark.parametrize(("source", "kind", "words", "line"), TABLE["faults"])
def test_a_fault_is_a_sentence_with_its_line(
    worker: Worker, source: str, kind: str, words: str, line: int | None
) -> None:
    found = fault(worker, source)
    assert (found.kind, found.line) == (kind, line)
    assert words in found.message


def test_modules_that_compute_can_be_imported(worker: Worker) -> None:
    lines = [*(f"import {name}" for name in MODULES), "from __future__ import annotations"]
    used = (
        "np.ma.masked_array(x, x > 2).filled(9) + np.char.str_len(['']) + np.pad(x, 1)[1:-1, 1:-1]"
    )
    source = "\n".join([*lines[::-1], f"def f(x, delta): return x + 0 * ({used})"])
    np.testing.assert_array_equal(result(worker, source), X)


def test_a_trace_names_the_learners_lines_alone(worker: Worker) -> None:
    source = "def f(x):\n    return np.dot(x, 1, 2, 3)\ndef backward(x, delta):\n    return f(x)"
    assert fault(worker, source).trace == ((4, "backward"), (2, "f"))


def printed(worker: Worker, source: str, count: int = 2) -> str:
    arrays = {"x": np.ones((count, 6, 6)), "delta": np.ones((count, 3, 3))}
    with worker.session(source) as session:
        session.call(FunctionBatch(arrays, {}, [(6, 6)]))
        session.finish()
        return session.printed


def test_what_is_printed_is_kept_and_bounded_and_a_little_on_every_input_is_no_flood(
    worker: Worker,
) -> None:
    assert printed(worker, "def backward(x, delta): print('here'); return x") == "here\nhere\n"
    long = printed(worker, "def backward(x, delta): print('é' * 9999); return x")
    assert len(long.encode()) <= 8192 + 8
    often = printed(worker, "def backward(x, delta): print('x' * 500); return x", 400)
    assert often.startswith("x" * 500)


@pytest.mark.parametrize(
    "flood",
    [
        "print('x' * 1000)",
        "print()",
        "import os; os.write(1, bytes(9999))",
        "sys.stderr.write('xy')",
    ],
)
def test_a_flood_is_cut_and_told_as_one(worker: Worker, flood: str) -> None:
    source = f"import sys\ndef backward(x, delta):\n    while True:\n        {flood}"
    assert fault(worker, source).kind == "output"
    handled = f"import sys\ntry:\n    while True: {flood}\nexcept Exception: pass"
    assert fault(worker, handled).kind == "output"


def test_nothing_that_a_terminal_obeys_comes_back(worker: Worker) -> None:
    said = r"\x1b[31mred\x1b[0m \x1b]0;owned\x07\x9b2J\u202eabc\tend\n"
    shown = printed(worker, f"def f(x, delta): print('{said}', end=''); return x")
    assert shown == "red abc\tend\n" * 2
    told = fault(worker, f"def f(x, delta): raise ValueError('{said}')")
    assert told.message == "ValueError: red abc\tend\n"


def test_sizes_and_indices_are_whole_numbers(worker: Worker) -> None:
    source = "def f(p, s, x): return np.zeros(s) + x[p] + x[p[0]:p[0] + s].size"
    arrays = {"x": X.reshape(2, 36), "p": np.array([[1.0, 2.0]] * 2)}
    with worker.session(source) as session:
        shape, found = session.call(FunctionBatch(arrays, {"s": 2.0}, [(2,)], whole=("p",)))
    np.testing.assert_array_equal(found, [[3.0, 4.0], [39.0, 40.0]])
    assert shape == (2,)


def test_a_killed_worker_is_started_again() -> None:
    with Worker() as worker:
        assert worker.confinement.layers
        process = worker._process
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        np.testing.assert_array_equal(result(worker, "def f(x, delta): return x"), X)


@pytest.mark.skipif(platform.system() != "Linux", reason="children are looked up in /proc")
def test_a_child_that_died_before_it_had_a_job_is_replaced(worker: Worker) -> None:
    result(worker, "def f(x, delta): return x")
    assert worker._process is not None
    waiting = Path(f"/proc/{worker._process.pid}/task/{worker._process.pid}/children")
    while not waiting.read_text():
        pass
    os.kill(int(waiting.read_text()), signal.SIGKILL)
    assert worker._socket is not None
    select.select([worker._socket], [], [])
    np.testing.assert_array_equal(result(worker, "def f(x, delta): return x"), X)


def test_no_answer_finds_what_another_left(worker: Worker) -> None:
    leave = "import math\nmath.left = np.left = 1\ndef f(x, delta): return x"
    result(worker, leave)
    seek = "import math\ndef f(x, delta): return x + hasattr(math, 'left') + hasattr(np, 'left')"
    np.testing.assert_array_equal(result(worker, seek), X)


def test_a_session_answers_batch_after_batch_in_the_order_of_the_questions(
    worker: Worker,
) -> None:
    with worker.session("def f(x, delta): return delta * kh") as session:
        for kh in range(1, 20):
            shape, found = session.call(FunctionBatch(BOTH, {"kh": kh}, [(6, 6), (3, 3)]))
            assert shape == (3, 3)
            np.testing.assert_array_equal(found, DELTA * kh)
        for kh in range(9):
            session.ask(FunctionBatch(BOTH, {"kh": kh}, [(6, 6), (3, 3)]))
        for kh in range(9):
            np.testing.assert_array_equal(session.answer()[1], DELTA * kh)


def test_threads_take_turns(worker: Worker) -> None:
    found: list[bool] = []

    def ask(number: int) -> None:
        got = result(worker, f"def f(x, delta): return x + {number}")
        found.append(bool((got == X + number).all()))

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 6


@given(st.text(max_size=60))
def test_any_text_is_a_result_or_a_fault(worker: Worker, source: str) -> None:
    with worker.session(source) as session:
        try:
            shape, _ = session.call(FunctionBatch(BOTH, {}, [(6, 6)]))
        except FunctionError as error:
            shape = (6, 6) if error.fault.message else ()
    assert shape == (6, 6)


@pytest.mark.skipif(platform.system() != "Linux", reason="these layers are Linux's")
def test_all_layers_are_there_on_linux(worker: Worker) -> None:
    assert {"process", "limits", "seccomp"} <= set(worker.confinement.layers)


@pytest.mark.parametrize("name", MACHINES)
def test_every_jump_of_the_filter_lands_inside_it(name: str) -> None:
    code = program(MACHINES[name])
    lines = [code[at : at + 8] for at in range(0, len(code), 8)]
    for at, line in enumerate(lines):
        if int.from_bytes(line[:2], "little") & 7 == 5:  # a jump
            assert at + 1 + max(line[2], line[3]) < len(lines)
    assert len(set(MACHINES[name].allowed)) == len(MACHINES[name].allowed) == 22
