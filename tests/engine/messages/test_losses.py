"""Rounding makes no right answer wrong, and no wrong one right.

`python -m tests.bench losses` tries the same on 200 seeds each.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np
import pytest

from engine.checking import check
from engine.exercise import Exercise
from engine.formula.tree import FormulaError
from tests.engine.brute.mutants import swapped
from tests.engine.cases import given, made, table

_GROUPS: Final[list[str]] = table("right")["groups"]["losses"]
#: A mutant counts as wrong where it is off by so much of the right answer, on so many inputs.
_OFF, _SHARE = 1e-3, 1 / 3


@dataclass(frozen=True, eq=False, slots=True)
class Loss:
    name: str
    exercise: Exercise
    right: str
    function: str = ""

    def wrong(self, count: int) -> Iterator[str]:
        """Answers that are wrong by their numbers: sign, factor, a term more, one token changed."""
        head, body = self.right.rsplit(" = ", 1)
        texts = [f"-({body})", f"2*({body})", f"({body})/2", f"({body}) + 1"]
        changed = list(dict.fromkeys(swapped(body, _GROUPS)))
        random.Random(len(body)).shuffle(changed)
        yield from islice(
            (f"{head} = {t}" for t in [*texts, *changed] if self._off(head, t)), count
        )

    def _off(self, head: str, text: str) -> bool:
        grader = self.exercise.grader()
        try:
            readings = [grader.read(answer) for answer in (self.right, f"{head} = {text}")]
            batch = grader.drawn(0, 300)[0]
            with np.errstate(all="ignore"):
                right, other = (grader.evaluate(reading, batch) for reading in readings)
                if readings[0].target != readings[1].target:
                    return False
                size = np.abs(right).reshape(len(right), -1).max(axis=1, initial=0.0)
                far = np.abs(other - right).reshape(len(right), -1).max(axis=1, initial=0.0)
                return bool(np.mean(far > _OFF * (1 + size)) > _SHARE)
        except FormulaError:
            return False


def losses() -> list[Loss]:
    return [
        Loss(card["name"], made(card["exercise"]), card["correct"][0], card.get("function", ""))
        for card in table("losses")
    ]


LOSSES = losses()
EACH = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
MANY = pytest.mark.parametrize("many", [1, pytest.param(6, marks=pytest.mark.long)])


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
    for seed in range(2):
        assert check(loss.function, loss.exercise, seed=seed).verdict == "correct", seed


#: Messages that have a value, and hardly a digit of a derivative, on nearly all inputs.
HOPELESS = (
    "L = (1 - sigmoid(36 + abs(x)))*exp(36 + abs(x))",
    "L = sqrt((1 + 1e-30*x^2) - 1 + 1e-40*x)",
)


@pytest.mark.parametrize("message", HOPELESS)
@pytest.mark.parametrize("answer", ["dL/dx = 2", "dL/dx = -4*x"])
def test_what_can_be_judged_on_hardly_an_input_is_not_correct(message: str, answer: str) -> None:
    found = check(answer, given(message, "dL/dx"))
    assert found.verdict == "unreadable"
    assert found.left_out > 4 * found.tried
    assert found.message is not None
    assert str(found.left_out) in found.message


def test_no_counterexample_is_an_input_on_which_rounding_may_be_all() -> None:
    """Of an answer that is right but on one side of a border, what fails lies on that side."""
    message = "p[i] = 1/(1 + exp(-9*x[i]))\nL = -sum(log(1-p[i]) for i)"
    exercise = given(message, "dL/dx[i]")
    for seed in range(4):
        found = check("9*p[i] if x[i] > -1 else 0", exercise, seed=seed)
        assert found.verdict == "wrong"
        case = found.counterexample
        assert case is not None
        assert all(np.array(case.inputs["x"])[at] <= -1 for at in case.cells)
