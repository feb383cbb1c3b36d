"""A wrong answer that has no value somewhere is told so, at its place."""

from __future__ import annotations

from engine import Counterexample, check, exercise_for


def test_a_window_that_does_not_exist_is_told() -> None:
    exercise = exercise_for("max-pool", [], "derivation")
    assert exercise is not None
    found = check("delta[i//sh,j//sw]*[(i,j)==argmax(i//sh,j//sw)]", exercise)
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
