"""A function gets the verdict of a formula with the same numbers, whatever was sent ahead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np
import pytest

from engine.checking import check
from engine.pooling.exercise import PoolingExercise
from engine.pooling.inputs import PoolingBatch
from engine.registry import exercise_for
from engine.sandbox import function_answer
from engine.sandbox.function_answer import Function
from engine.sandbox.wire import FunctionError
from engine.sandbox.worker import Worker
from engine.verdict import ShownWindows
from tests.engine.brute.answers import WRITTEN, Written

GENERAL: Final = PoolingExercise()
BATCHES: Final = tuple(GENERAL.grader().drawn(0, 300))
each = pytest.mark.parametrize("written", WRITTEN, ids=lambda one: one.name)


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with Worker() as worker:
        yield worker


def function(worker: Worker, body: str) -> Function:
    answer = Function(f"def backward(x, delta):\n    {body}\n", worker, GENERAL.grader())
    answer.targets_of(BATCHES)
    return answer


@each
def test_functions_as_learners_write_them_have_the_verdicts_of_their_formulas(
    written: Written,
) -> None:
    assert check(written.source, GENERAL).verdict == written.verdict
    given = PoolingExercise(kernel=(3, 2), stride=(2, 1), padding=(1, 0))
    for exercise in (GENERAL, given) if written.formula else ():
        ours = check(written.source, exercise, seed=4)
        theirs = check(written.formula, exercise, seed=4)
        like = replace(theirs, read=ours.read, printed=ours.printed, layers=ours.layers)
        assert ours == like


def test_what_was_expected_may_come_in_any_order_twice_or_not_at_all(worker: Worker) -> None:
    with function(worker, "return x + delta.sum()") as answer:
        answer.expect(iter(BATCHES[:9]))
        for n in (0, 3, 20, 5, 4, 3, 8, 23):
            batch = BATCHES[n]
            wanted = batch.x + batch.delta.sum(axis=(1, 2))[:, None, None]
            np.testing.assert_allclose(answer(batch), wanted)
    with function(worker, "return 2 * x") as answer:
        again = [batch for batch in BATCHES[:6] for _ in range(2)]
        answer.expect(iter([*again, *again]))
        for batch in [*again, *again]:
            np.testing.assert_array_equal(answer(batch), 2 * batch.x)


def test_a_fault_is_told_of_the_batch_that_is_asked_for(worker: Worker) -> None:
    shape = BATCHES[2].x.shape[1:]
    with function(worker, f"return x if x.shape != {shape} else print('x' * 99_999)") as answer:
        answer.expect(iter(BATCHES))
        for batch in BATCHES:
            if batch.x.shape[1:] != shape:
                np.testing.assert_array_equal(answer(batch), batch.x)
        for _ in range(2):
            with pytest.raises(FunctionError, match="printed too much"):
                answer(BATCHES[2])
        np.testing.assert_array_equal(answer(BATCHES[0]), BATCHES[0].x)


# Functions that fail on some inputs.

UNPADDED: Final = """def backward(x, delta):
    dx = np.zeros_like(x)
    for k, l in np.ndindex(*delta.shape):
        top, left = k * sh - ph, l * sw - pw
        window = x[top : top + kh, left : left + kw]
        i, j = np.unravel_index(window.argmax(), window.shape)
        dx[top + i, left + j] += delta[k, l]
    return dx
"""


def test_a_function_that_raises_on_some_inputs_is_wrong_there_and_says_where() -> None:
    found = check(UNPADDED, GENERAL)
    assert (found.verdict, found.wrong_when) == ("wrong", ("there is padding",))
    assert (found.line, found.trace) == (6, ((6, "backward"),))
    assert "empty sequence" in (found.message or "")
    case = found.counterexample
    assert case is not None
    assert case.windows == ShownWindows((1, 2), (1, 2), (0, 1))
    assert np.isnan(case.yours).all()
    assert case.note == ""
    # On some padded inputs it gives numbers, and wrong ones.
    assert re.fullmatch(r"Where it gives a result, it is wrong on \d+ of .*", found.remark or "")
    given = PoolingExercise(kernel=(2, 2), stride=(1, 1))
    assert check(UNPADDED, given).verdict == "correct"


def test_what_it_raises_is_told_of_the_input_that_is_shown() -> None:
    source = """def backward(x, delta):
    if x.min() < 0:
        raise ValueError(f"the least is {x.min():g}")
    return delta * (x > 0)
"""
    relu = exercise_for({"layer": "relu"}, (), "derivation")
    assert relu is not None
    found = check(source, relu)
    assert found.remark == "Where it gives a result, it is right."
    assert "an entry of x is negative" in found.wrong_when
    case = found.counterexample
    assert case is not None
    assert found.message == f"ValueError: the least is {np.min(case.inputs['x']):g}"


def test_results_of_another_shape_on_some_inputs_are_told_likewise() -> None:
    padded = UNPADDED.replace("zeros_like(x)", "zeros(np.add(x.shape, (2 * ph, 2 * pw)))")
    padded = padded.replace(
        "    for", "    x = np.pad(x, ((ph, ph), (pw, pw)), constant_values=-np.inf)\n    for"
    )
    padded = padded.replace(" - ph", "").replace(" - pw", "")
    found = check(padded, GENERAL)
    assert (found.verdict, found.wrong_when) == ("wrong", ("there is padding",))
    assert found.message == "It returned shape (1, 4), where (1, 2) is needed."


@pytest.mark.parametrize(
    ("body", "said"),
    [("return x.nothing", "AttributeError: "), ("return x[0]", "It returned shape (4,), ")],
)
def test_a_function_that_fails_from_the_first_gives_no_result(body: str, said: str) -> None:
    found = check(f"def backward(x, delta):\n    {body}", GENERAL)
    assert (found.verdict, found.failed) == ("unreadable", 0)
    assert (found.message or "").startswith(said)


def test_a_function_that_fails_by_what_it_was_called_on_before_is_told_so() -> None:
    late = WRITTEN[0].source.replace("    H,", "    global n; n += 1\n    if n > 40: n[0]\n    H,")
    found = check(f"n = 0\n{late}", GENERAL)
    assert found.verdict == "wrong"
    assert found.message == "It fails here, and did not when it was called by itself once more."


def test_a_slow_function_goes_on_in_a_new_child(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "n = 0\ndef backward(x, delta):\n    global n\n    n += 1\n    return 0 * x + n"
    for quick, longest in ((-1.0, 12 * 13), (1e9, 301)):
        monkeypatch.setattr(function_answer, "_QUICK", quick)
        with Function(source, worker, GENERAL.grader()) as answer:
            answer.targets_of(BATCHES)
            answer.expect(iter(BATCHES))
            assert max(answer(batch).max() for batch in BATCHES) <= longest
            assert (answer(BATCHES[-1]).max() == 301) == (longest == 301)


def test_long_answers_that_are_not_yet_read_hold_nothing_up(worker: Worker) -> None:
    """More numbers than a pipe holds, in a few inputs."""
    wide = []
    for n in (1, 2, 3):
        x = np.arange(8.0 * 400 * n * 10).reshape(8, 400, 10 * n)
        size = (400, 10 * n)
        wide.append(PoolingBatch(size, size, (0, 0), x, np.ones((8, 1, 1))))
    with function(worker, "return x") as answer:
        answer.expect(iter(wide))
        for batch in wide:
            np.testing.assert_array_equal(answer(batch), batch.x)


@pytest.mark.parametrize(
    "attack",
    [
        "os._exit(0)",
        "os.close(3)",
        "os.write(3, b'R' + bytes(50_000))",
        "os.write(3, b'E' + bytes(4))",
        "print('x' * 99_999); 1 / 0",
        "np.stack = None",
        "np.stack = lambda rows: np.zeros((len(rows) - 1, *rows[0].shape))",
    ],
)
def test_a_function_that_turns_hostile_in_time_is_never_called_correct(attack: str) -> None:
    right = WRITTEN[0].source.replace("backward", "right")
    for call in (2, 150):
        turns = f"""import os
calls = 0
def backward(x, delta):
    global calls
    calls += 1
    if calls == {call}:
        {attack}
        return 0 * x
    return right(x, delta)
"""
        assert check(right + turns, GENERAL).verdict != "correct"
    assert check(WRITTEN[0].source, GENERAL).verdict == "correct"
