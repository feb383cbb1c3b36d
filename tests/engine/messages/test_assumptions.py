"""What a card assumes of its inputs: drawn so, said to the learner, refused where it cannot be."""

from __future__ import annotations

import numpy as np
import pytest

from engine.checking import check
from engine.exercise import Exercise, ExerciseError, exercise_for

PRELU = "s[k] = sum(W[k,j] * x[j] for j)\ny[k] = max(s[k], a * s[k])"
RIGHT = "dL/dx[j] = sum(delta[k] * W[k,j] * (1 if s[k] > 0 else a) for k)"


def made(**keys: object) -> Exercise:
    exercise = exercise_for({"find": "dL/dx[j]", **keys}, [], "derivation")
    assert exercise is not None
    return exercise


@pytest.mark.parametrize(
    ("assume", "verdict"),
    [
        (None, "wrong"),
        ("0 < a < 1", "correct"),
        ("a >= 0 and 1 >= a", "correct"),
        (["a > 0", "a < 1"], "correct"),
        (r"0 \le a < 1", "correct"),
        ("-c < a < c", "correct"),
        ("a < 1", "correct"),
        ("a > 1", "wrong"),
        ("a != 1", "wrong"),
    ],
)
def test_an_answer_is_judged_where_the_assumption_holds(assume: object, verdict: str) -> None:
    exercise = made(given=PRELU + " + 0 * c", assume=assume, constants={"c": "0.5"})
    found = check(RIGHT, exercise)
    assert found.verdict == verdict
    if verdict == "correct" and isinstance(assume, str) and "\\" not in assume:
        assert assume.split(" and ")[0] in (found.remark or "")
        assert assume.split(" and ")[0] in exercise.description


TESTS = {
    "0 < p < 1": lambda p: (p > 0) & (p < 1),
    "p > 2": lambda p: p > 2,
    "p < -2": lambda p: p < -2,
    "p >= 0": lambda p: p >= 0,
    "p != 0": lambda p: p != 0,
    "-3 <= p <= 3 and p != 1": lambda p: (np.abs(p) <= 3) & (p != 1),
}


@pytest.mark.parametrize("assume", TESTS)
@pytest.mark.parametrize("power", [1, 3])
@pytest.mark.parametrize("kind", [{}, {"p": "real"}])
def test_it_holds_of_every_input_that_is_tried(
    assume: str, power: int, kind: dict[str, str]
) -> None:
    exercise = made(
        given=f"y[j] = abs(p[j]^{power} - 0.5) * x[j]", find="dL/dx[j]", assume=assume, inputs=kind
    )
    grader = exercise.grader()
    reading = grader.read(f"delta[j] * abs(p[j]^{power} - 0.5) * (2 if p[j] > 0.7 else 1)")
    drawn = grader.drawn(3, 300)
    for batch in (*drawn, *grader.aimed(reading, drawn)):
        p = batch.inputs["p"]
        assert TESTS[assume](p).all(), p[~TESTS[assume](p)]
        assert len(p) < 30 or len(np.unique(p)) > 8


@pytest.mark.parametrize("assume", TESTS)
def test_it_holds_of_the_counterexample(assume: str) -> None:
    found = check("2 * p[j] * delta[j]", made(given="y[j] = p[j] * x[j]", assume=assume))
    assert found.verdict == "wrong"
    assert found.counterexample is not None
    assert TESTS[assume](np.array(found.counterexample.inputs["p"])).all()  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("assume", "message"),
    [
        ("a > 1 and a < 0", "No a fulfils this"),
        (["a > 1", "a < 1"], "line 2"),
        ("a < b", "compares an input with a number"),
        ("q > 0", "the inputs are W, x, a"),
        ("a = 2", "is a comparison"),
        ("a", "is a comparison"),
        ("a > 0 and 0 <", "column 8"),
        ("x[1] > 0", "compares an input with a number"),
        ({"a": 1}, "assume"),
    ],
)
def test_what_cannot_be_assumed_is_refused_at_its_place(assume: object, message: str) -> None:
    with pytest.raises(ExerciseError) as caught:
        made(given=PRELU, assume=assume)
    assert "assume" in str(caught.value)
    assert message in str(caught.value)


def test_an_input_of_whole_numbers_takes_no_assumption() -> None:
    given = "L = -log(sum(exp(x[k]) * [k == c] for k) / sum(exp(x[k]) for k))"
    with pytest.raises(ExerciseError, match="index"):
        made(given=given, find="dL/dx[k]", inputs={"c": "index"}, assume="c > 0")


@pytest.mark.parametrize("name", ["p", "n", "k", "sigma", "exp", "a"])
@pytest.mark.parametrize("key", ["assume", "inputs"])
def test_a_name_that_the_card_speaks_of_is_an_input_whatever_its_letter(
    name: str, key: str
) -> None:
    said = {"assume": f"{name} > 0"} if key == "assume" else {"inputs": {name: "positive"}}
    exercise = made(given=f"y[j] = x[j] / {name}", find=f"dL/d{name}", **said)
    right = f"-sum(delta[j] * x[j] for j) / {name}^2"
    assert check(right, exercise).verdict == "correct"
    assert check(right.removeprefix("-"), exercise).verdict == "wrong"


def test_a_given_name_does_not_also_run_over_a_sum() -> None:
    with pytest.raises(ExerciseError, match="'n' is given here and runs over an index there"):
        made(given="y[j] = x[j]^n * sum(x[n] for n)", assume="n >= 2")


@pytest.mark.parametrize("assume", ["x_j > 0", "x_{j} > 0", "x[j] > 0", "x > 0"])
def test_an_assumption_may_name_entries_as_print_does(assume: str) -> None:
    exercise = made(given="y[j] = abs(x[j])", assume=assume)
    assert check("dL/dx[j] = delta[j]", exercise).verdict == "correct"


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1_0"])
def test_a_bound_is_a_finite_number(number: str) -> None:
    with pytest.raises(ExerciseError, match="compares an input with a number"):
        made(given="y[j] = x[j]", assume=f"x > {number}")
