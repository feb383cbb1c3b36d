"""The keys of an exercise: assumptions, inputs, functions (see also answers/refused_exercises)."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from engine.checking import check
from tests.engine.cases import given, judged
from tests.paths import ROOT


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
    prelu = "s[k] = sum(W[k,j] * x[j] for j)\ny[k] = max(s[k], a * s[k]) + 0 * c"
    exercise = given(prelu, "dL/dx[j]", assume=assume, constants={"c": "0.5"})
    right = "dL/dx[j] = sum(delta[k] * W[k,j] * (1 if s[k] > 0 else a) for k)"
    found = check(right, exercise)
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
def test_it_holds_of_every_input_that_is_tried_and_shown(
    assume: str, power: int, kind: dict[str, str]
) -> None:
    message = f"y[j] = abs(p[j]^{power} - 0.5) * x[j]"
    exercise = given(message, "dL/dx[j]", assume=assume, inputs=kind)
    grader = exercise.grader()
    answer = f"delta[j] * abs(p[j]^{power} - 0.5) * (2 if p[j] > 0.7 else 1)"
    drawn = grader.drawn(3, 300)
    for batch in (*drawn, *grader.aimed(grader.read(answer), drawn)):
        p = batch.inputs["p"]
        assert TESTS[assume](p).all(), p[~TESTS[assume](p)]
        assert len(p) < 30 or len(np.unique(p)) > 8
    found = check("3 * delta[j]", exercise)
    assert found.verdict == "wrong"
    assert found.counterexample is not None
    assert TESTS[assume](np.array(found.counterexample.inputs["p"])).all()


@pytest.mark.parametrize("name", ["p", "n", "k", "sigma", "exp", "a"])
@pytest.mark.parametrize("key", ["assume", "inputs"])
def test_a_name_that_the_card_speaks_of_is_an_input_whatever_its_letter(
    name: str, key: str
) -> None:
    said: object = f"{name} > 0" if key == "assume" else {name: "positive"}
    exercise = given(f"y[j] = x[j] / {name}", f"dL/d{name}", **{key: said})
    right = f"-sum(delta[j] * x[j] for j) / {name}^2"
    assert check(right, exercise).verdict == "correct"
    assert check(right.removeprefix("-"), exercise).verdict == "wrong"


def test_an_input_of_a_function_is_no_index() -> None:
    exercise = given("f(t) = t^3\ny[k] = f(x[k])", "any")
    assert dict(exercise.symbols)["x[k]"] == "given, any number"


def test_where_a_factor_0_hides_a_pole_nothing_is_judged() -> None:
    keys = {
        "given": "q = sum((u[k]-v[k])^2 for k)\nL = t*q/2 + (1-t)*max(0, c - sqrt(q))^2/2",
        "find": "dL/du[k]",
        "inputs": {"t": "binary"},
        "constants": {"c": "1.5"},
        "sizes": {"k": "3"},
    }
    right = "(u[k]-v[k]) * (t - (1-t)*max(0, c - sqrt(q))/sqrt(q))"
    found = judged(keys, right)
    assert (found.verdict, found.left_out > 0) == ("correct", True)
    assert judged(keys, right.replace("t -", "t +")).verdict == "wrong"


def test_a_sum_without_end_costs_no_time() -> None:
    exercise = given("y[k] = sum(W[k,j] * x[j] for j)", "dL/dx[j]", sizes={"j": 3})
    deep = "x[j]"
    for letter in "abcdefgh":
        deep = f"sum({deep} * x[{letter}] for {letter})"
    assert check(f"dx[j] = {deep}", exercise).verdict in ("unreadable", "wrong")
    assert check("dx[j] = " + "(" * 200, exercise).verdict == "unreadable"
    assert check("dx[j] = sum(1 for k in range(10^9))", exercise).verdict == "unreadable"


def test_sizes_stand_in_the_cards_order_in_every_process() -> None:
    code = """
from tests.engine.cases import given
message = "y[i] = x[i] * a * b * c * d * f"
sizes = {"i": "n", "n": 3, "a": 2, "b": 3, "c": 2, "d": 3, "f": 2}
print(*given(message, "dL/dx[i]", sizes=sizes).grader().task.model.sized)
"""
    told = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in "12"
    ]  # fmt: skip
    assert told == ["n a b c d f\n"] * 2


@pytest.mark.parametrize(
    ("message", "find", "left", "given_too"),
    [
        ("y[k] = x[k]^3", "backward", "dL/dx[k]", ", given delta[k] = dL/dy[k]"),
        ("y[k] = a * x[k]", "dL/da", "dL/da", ", given delta[k] = dL/dy[k]"),
        ("L = sum(x[k]^3 for k)", "jacobian", "dL/dx[k]", ""),
        ("y[k] = sum(W[k,j] * x[j]^3 for j)", "J", "dy[k]/dx[j]", ""),
        ("y[k] = x[k]^3", "dy[k]/dx[k]", "dy[k]/dx[k]", ""),
        ("y = x^3", "dy/dx", "dy/dx", ""),
    ],
)
def test_each_kind_of_exercise_says_what_is_asked_and_shows_how_it_is_written(
    message: str, find: str, left: str, given_too: str
) -> None:
    exercise = given(message, find)
    assert exercise.description == f"Write {left} of the card's forward message{given_too}."
    found = check(f"{left} = 1", exercise)
    assert (found.verdict, found.read.partition(" = ")[0]) == ("wrong", left)


def test_a_derivative_of_one_number_is_shown_as_it_was_read() -> None:
    assert check("dy/dw = 2 * w", given("y = w^2", "dy/dw")).read == "dy/dw = 2 * w"


def test_a_slope_at_equal_indices_may_be_given_at_all_of_them() -> None:
    exercise = given("y[k] = exp(x[k])", "dy[k]/dx[k]")
    assert check("dy[k]/dx[j] = exp(x[k]) * [k = j]", exercise).verdict == "correct"
    wrong = check("dy[k]/dx[j] = exp(x[k])", exercise)
    assert wrong.misconception == "[k = j] is forgotten"
    assert wrong.counterexample is not None
    assert (wrong.counterexample.target, wrong.counterexample.indices) == (
        "dy[k]/dx[j]",
        ("k", "j"),
    )


def is_of_kind(kind: str, values: np.ndarray) -> np.ndarray:
    """(B,): whether each input is what the card says."""
    rows = len(values)
    found: np.ndarray
    if kind in ("integer", "counts"):
        found = (values == np.floor(values)) & ((values >= 0) | (kind == "integer"))
    elif kind == "sign":
        found = np.abs(values) == 1
    elif kind.endswith("stochastic"):
        least = values > 0 if kind.startswith("positive") else values >= 0
        found = least & np.isclose(values.sum(axis=-1, keepdims=True), 1)
    elif kind == "invertible":
        found = np.linalg.det(values) > 0.1
    elif kind == "orthogonal":
        found = np.isclose(values @ np.swapaxes(values, -1, -2), np.eye(values.shape[-1]))
    else:
        found = values == np.swapaxes(values, -1, -2)
        if kind == "positive definite":
            found = found & (np.linalg.eigvalsh(values)[:, :1, None] > 0.1)
    return np.asarray(found.reshape(rows, -1).all(axis=1))


@pytest.mark.parametrize(
    "kind",
    [
        *("integer", "counts", "sign", "stochastic", "positive stochastic"),
        *("symmetric", "positive definite", "invertible", "orthogonal"),
    ],
)
def test_every_input_that_is_tried_and_shown_is_of_its_kind(kind: str) -> None:
    message = "y = sum(max(x[i], 0) * abs(A[i,j] - 0.5) for i,j)"
    exercise = given(message, "dL/dx[i]", inputs={"A": kind})
    grader: Any = exercise.grader()
    answer = "delta * sum(abs(A[i,j] - 0.5) * (2 if A[i,j] > 0.7 else 1) for j) * [x[i] > 0]"
    drawn = grader.drawn(3, 300)
    aimed = grader.aimed(grader.read(answer), drawn)
    sizes = set()
    for batch in (*drawn, *grader.fresh(3), *grader.small(), *aimed):
        assert is_of_kind(kind, batch.inputs["A"]).all()
        sizes.add(batch.inputs["A"].shape[1:])
    assert len(sizes) > 2
    if kind in ("symmetric", "positive definite", "invertible", "orthogonal"):
        assert all(rows == columns for rows, columns in sizes)
    found = check("3 * delta * x[i]", exercise)
    assert found.verdict == "wrong"
    assert found.counterexample is not None
    assert is_of_kind(kind, np.array(found.counterexample.inputs["A"])[None]).all()


def test_whole_numbers_stay_such_where_more_is_assumed() -> None:
    exercise = given(
        "y = n^2 + m", "y", inputs={"n": "counts", "m": "integer"}, assume=["n >= 2", "m != 0"]
    )
    grader: Any = exercise.grader()
    for batch in grader.drawn(0, 300):
        n, m = batch.inputs["n"], batch.inputs["m"]
        assert ((n >= 2) & (n == np.floor(n))).all()
        assert ((m != 0) & (m == np.floor(m))).all()
        assert len(np.unique(n)) > 4


def test_no_more_are_chosen_than_there_are() -> None:
    exercise = given("L = log(binom(n, k))", "L", inputs={"n": "counts", "k": "counts"})
    grader: Any = exercise.grader()
    for batch in (*grader.drawn(0, 300), *grader.small()):
        assert (batch.inputs["n"] >= batch.inputs["k"]).all()
