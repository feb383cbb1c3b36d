"""A function gets the verdict of a formula with the same numbers, whatever was sent ahead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np
import pytest

from engine.checking import check
from engine.pooling.exercise import PoolingExercise
from engine.pooling.inputs import PoolingBatch
from engine.sandbox import function_answer
from engine.sandbox.function_answer import Function
from engine.sandbox.wire import FunctionError
from engine.sandbox.worker import Worker
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
    answer.targets_of(BATCHES[0])
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
    with function(worker, f"return x if x.shape != {shape} else 1 / 0") as answer:
        answer.expect(iter(BATCHES))
        for batch in BATCHES:
            if batch.x.shape[1:] != shape:
                np.testing.assert_array_equal(answer(batch), batch.x)
        for _ in range(2):
            with pytest.raises(FunctionError, match="ZeroDivisionError"):
                answer(BATCHES[2])
        np.testing.assert_array_equal(answer(BATCHES[0]), BATCHES[0].x)


def test_a_slow_function_goes_on_in_a_new_child(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "n = 0\ndef backward(x, delta):\n    global n\n    n += 1\n    return 0 * x + n"
    for quick, longest in ((-1.0, 12 * 13), (1e9, 301)):
        monkeypatch.setattr(function_answer, "_QUICK", quick)
        with Function(source, worker, GENERAL.grader()) as answer:
            answer.targets_of(BATCHES[0])
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
