"""A wrong answer that has no value somewhere is told so, at its place."""

from __future__ import annotations

import pytest

from engine.checking import check
from engine.exercise import exercise_for
from engine.verdict import Counterexample


def test_a_window_that_does_not_exist_is_told() -> None:
    exercise = exercise_for("max-pool", [], "derivation")
    assert exercise is not None
    found = check("sum(delta[k+1,l] * [(i,j) == argmax(k,l)] for k,l)", exercise)
    case = found.counterexample
    assert found.verdict == "wrong"
    assert isinstance(case, Counterexample)
    row, column = case.cells[0]
    assert case.yours[row][column] != case.yours[row][column]
    assert f"At ({row},{column}) the answer has no value" in case.note


def test_an_answer_with_values_everywhere_is_not() -> None:
    exercise = exercise_for("max-pool", [], "derivation")
    assert exercise is not None
    case = check("sum(delta[k,l] for k,l if (i,j) in Omega(k,l))", exercise).counterexample
    assert case is not None
    assert "no value" not in case.note


LEFT_OVER = {"layer": "max-pool", "kernel": 2, "stride": 2}


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("delta[i//2,j//2] * [(i,j) == argmax(i//2,j//2)]", "correct"),
        ("delta[i//2,j//2] if (i,j) == argmax(i//2,j//2) else 0", "correct"),
        ("k = i//2; l = j//2; dx[i,j] = delta[k,l] * [(i,j) == argmax(k,l)]", "correct"),
        ("delta[i//2,j//2] * [x[i,j] == f[i//2,j//2]]", "correct-except-ties"),
        ("delta[i//2,j//2]", "wrong"),
        ("delta[i//2,j//2] if (i,j) == argmax(i//2,j//2) else 1", "wrong"),
        ("delta[i//2,j//2] * [(i,j) == argmax(i//2,j//2)] + [i == H-1] * [H % 2 == 1]", "wrong"),
    ],
)
def test_at_pixels_that_are_left_over_a_product_with_no_message_is_0(
    answer: str, verdict: str
) -> None:
    exercise = exercise_for(LEFT_OVER, [], "derivation")
    assert exercise is not None
    found = check(answer, exercise)
    assert found.verdict == verdict
    if verdict.startswith("correct"):
        assert "there is no window" in (found.remark or "")


def test_free_k_and_l_among_several_windows_are_told_for_what_they_are() -> None:
    exercise = exercise_for({"layer": "max-pool", "kernel": 2, "stride": 1}, [], "derivation")
    assert exercise is not None
    case = check("delta[k,l] * [(i,j) == argmax(k,l)]", exercise).counterexample
    assert isinstance(case, Counterexample)
    assert "lies in 2 windows" in case.note
    assert "does not exist" not in case.note
