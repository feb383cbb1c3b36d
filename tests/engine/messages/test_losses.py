"""Rounding makes no right answer wrong, and no wrong one right.

`python -m tests.bench.losses` tries the same on 200 seeds each.
"""

from __future__ import annotations

import numpy as np
import pytest

from engine.checking import check
from engine.exercise import exercise_for
from engine.verdict import Case
from tests.engine.messages.losses import Loss, losses

LOSSES = losses()
EACH = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
MANY = pytest.mark.parametrize("many", [1, pytest.param(6, marks=pytest.mark.long)])


def test_there_are_sixty() -> None:
    assert len({loss.name for loss in LOSSES}) >= 60


@MANY
@EACH
def test_a_right_answer_is_right_on_any_seed(loss: Loss, many: int) -> None:
    for seed in range(many):
        found = check(loss.right, loss.exercise, seed=seed)
        assert (found.verdict, found.failed) == ("correct", 0), seed
        assert found.tried > 2 * found.left_out, seed


@MANY
@EACH
def test_a_wrong_answer_is_wrong_on_any_seed(loss: Loss, many: int) -> None:
    wrong = list(loss.wrong(6))
    assert len(wrong) >= 4
    for seed, answer in enumerate(wrong[: 2 * many]):
        assert check(answer, loss.exercise, seed=seed).verdict == "wrong", (answer, seed)


@pytest.mark.parametrize(
    "loss", [loss for loss in LOSSES if loss.function], ids=lambda loss: loss.name
)
def test_a_right_function_is_right_on_any_seed(loss: Loss) -> None:
    for seed in range(4):
        assert check(loss.function, loss.exercise, seed=seed).verdict == "correct", seed


#: Messages that have a value, and hardly a digit of a derivative, on nearly all inputs.
HOPELESS = (
    "L = (1 - sigmoid(36 + abs(x)))*exp(36 + abs(x))",
    "L = sqrt((1 + 1e-30*x^2) - 1 + 1e-40*x)",
)


@pytest.mark.parametrize("given", HOPELESS)
@pytest.mark.parametrize("answer", ["dL/dx = 2", "dL/dx = -4*x"])
def test_what_can_be_judged_on_hardly_an_input_is_not_correct(given: str, answer: str) -> None:
    exercise = exercise_for({"given": given, "find": "dL/dx"}, (), "derivation")
    assert exercise is not None
    found = check(answer, exercise)
    assert found.verdict == "unreadable"
    assert found.left_out > 4 * found.tried
    assert found.message is not None
    assert str(found.left_out) in found.message


def test_no_counterexample_is_an_input_on_which_rounding_may_be_all() -> None:
    """Of an answer that is right but on one side of a border, what fails lies on that side."""
    exercise = exercise_for(
        {
            "given": "p[i] = 1/(1 + exp(-9*x[i]))\nL = -sum(log(1-p[i]) for i)",
            "find": "dL/dx[i]",
        },
        (),
        "derivation",
    )
    assert exercise is not None
    for seed in range(4):
        found = check("9*p[i] if x[i] > -1 else 0", exercise, seed=seed)
        assert found.verdict == "wrong"
        case = found.counterexample
        assert isinstance(case, Case)
        assert all(np.array(case.inputs["x"])[at] <= -1 for at in case.cells)
