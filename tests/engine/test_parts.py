"""A card that asks for several messages is answered by all of them, at once or one by one."""

from __future__ import annotations

import pytest

from engine.checking import check
from engine.exercise import Exercise, exercise_for
from engine.verdict import Verdict

GIVEN = "s[k] = sum(W[k,j] * x[j] for j) + b[k]\ny[k] = tanh(s[k])"
DX, DW, DB = "dL/dx[j]", "dL/dW[k,j]", "dL/db[k]"
RIGHT = {
    DX: "dL/dx[j] = sum(delta[k] * (1 - y[k]^2) * W[k,j] for k)",
    DW: "dL/dW[k,j] = delta[k] * (1 - y[k]^2) * x[j]",
    DB: "dL/db[k] = delta[k] * (1 - y[k]^2)",
}


def asking(find: object, **keys: object) -> Exercise:
    found = exercise_for({"given": GIVEN, "find": find, **keys}, [], "derivation")
    assert found is not None
    return found


def said(found: Verdict) -> tuple[str, set[str], set[str]]:
    return found.verdict, {*found.parts}, {*found.open}


ALL = asking([DX, DW, DB])


@pytest.mark.parametrize("part", RIGHT)
def test_one_part_is_not_the_card(part: str) -> None:
    found = check(RIGHT[part], ALL)
    assert said(found) == ("incomplete", {part}, {*RIGHT} - {part})
    assert not found.ok
    bare = RIGHT[part].partition("= ")[2]
    assert said(check(bare, ALL)) == said(found)


@pytest.mark.parametrize("left", RIGHT)
def test_two_parts_leave_one_open(left: str) -> None:
    given = {*RIGHT} - {left}
    found = check("\n".join(RIGHT[part] for part in given), ALL)
    assert said(found) == ("incomplete", given, {left})


@pytest.mark.parametrize(
    "answer",
    [
        "\n".join(RIGHT.values()),
        "; ".join(reversed(RIGHT.values())),
        "ds = delta * (1 - y^2)\ndx = W.T @ ds\ndW = ds x^T\ndb = ds",
        "db = delta * (1 - y*y)\ndW = outer(db, x)\ndx = W^T db",
        "dW = outer(db, x)\ndb = ds\ndx = W^T ds\nds = delta * (1 - y*y)",
        "dL/db_k = dL/ds_k = delta_k (1 - y_k^2)\n"
        "dL/dW_kj = dL/db_k x_j\ndL/dx_j = sum_k dL/db_k W_kj",
        r"\begin{aligned} \delta_s &= \delta_y \odot (1 - y \odot y) \\"
        r" \frac{\partial L}{\partial b} &= \delta_s \\"
        r" \frac{\partial L}{\partial W} &= \delta_s x^\top \\"
        r" \frac{\partial L}{\partial x} &= W^\top \delta_s \end{aligned}",
    ],
)
def test_all_parts_in_one_answer_are_the_card(answer: str) -> None:
    found = check(answer, ALL)
    assert said(found) == ("correct", {*RIGHT}, set()), found.message
    assert found.ok
    again = check(found.read, ALL)
    assert said(again) == said(found)


def test_the_first_part_that_is_wrong_is_the_verdict() -> None:
    wrong = RIGHT[DW].replace("x[j]", "s[k]")
    found = check("\n".join((RIGHT[DX], wrong, f"{DB} = delta[k]")), ALL)
    assert said(found) == ("wrong", {DX}, {DW, DB})
    assert found.counterexample
    assert found.counterexample.target == DW


def test_a_part_whose_shape_does_not_fit_is_wrong_at_its_place() -> None:
    found = check(f"{RIGHT[DB]}\ndx = W (delta * (1 - y^2))", ALL)
    assert (found.verdict, found.line) == ("wrong", 2)
    assert found.misconception == "transposed weight: W in place of W^T"


def test_a_part_that_cannot_be_read_is_refused() -> None:
    found = check(f"{RIGHT[DB]}\ndL/dx[j] = foo(W)", ALL)
    assert (found.verdict, found.line) == ("unreadable", 2)


def test_a_false_step_of_a_part_is_found() -> None:
    found = check(f"{RIGHT[DB]}\ndL/dW[k,j] = delta[k] * x[j] = {RIGHT[DW].split('= ')[1]}", ALL)
    assert said(found) == ("wrong-step", {DB}, {DX, DW})
    assert (found.line, found.column) == (2, 14)


def test_two_answers_to_one_part_are_refused() -> None:
    found = check(f"{RIGHT[DX]}\n{RIGHT[DB]}\ndelta[k] * x[j]", ALL)
    assert (found.verdict, found.message) == ("unreadable", "There are two answers here.")


LINEAR = "dL/dx[j] = sum(delta[k] * W[k,j] for k)"


@pytest.mark.parametrize(
    ("exercise", "answer", "count"),
    [
        (asking([DX, DW, DB]), RIGHT[DX], 3),
        (asking([DX, "dy[k]/dx[j]"]), RIGHT[DX], 0),
        (asking([DX, "dy[k]/dx[j]", DB]), RIGHT[DX], 2),
        (asking(["dy[k]/dx[j]", "dy[k]/ds[k]"]), "dy[k]/ds[k] = 1 - y[k]^2", 2),
        (asking([DX]), RIGHT[DX], 0),
        (asking(DX), RIGHT[DX], 0),
        (asking("any"), RIGHT[DW], 0),
        (asking(["any"]), RIGHT[DW], 0),
        (exercise_for("linear", [], "derivation"), LINEAR, 0),
        (exercise_for(None, ["linear", "backpropagation"], "derivation"), LINEAR, 0),
        (exercise_for({"layer": "linear", "find": "any"}, [], "derivation"), LINEAR, 0),
        (exercise_for({"layer": "linear", "find": "dx"}, [], "derivation"), LINEAR, 0),
        (exercise_for({"layer": "linear", "find": [DX, DW]}, [], "derivation"), LINEAR, 2),
        (exercise_for({"layer": "sigmoid", "find": ["dx", "J"]}, [], "derivation"), "y(1-y)", 0),
    ],
)
def test_a_list_asks_for_each_input_and_a_message_or_its_jacobian_is_one(
    exercise: Exercise, answer: str, count: int
) -> None:
    found = check(answer, exercise)
    assert found.verdict == ("incomplete" if count else "correct"), found.message
    assert len(found.parts) + len(found.open) == count


def test_max_pooling_asks_for_one_thing() -> None:
    exercise = exercise_for("max-pool", [], "derivation")
    assert exercise is not None
    jacobian = "df_kl/dx_ij = [(i,j) = argmax(k,l)]"
    for answer in (jacobian, f"{jacobian}\ndx_ij = sum_kl delta_kl df_kl/dx_ij"):
        assert said(check(answer, exercise)) == ("correct", set(), set())


def test_a_function_gives_the_part_whose_shape_it_has() -> None:
    body = "    d = delta * (1 - np.tanh(W @ x + b)**2)\n    return "
    for part, value in ((DX, "W.T @ d"), (DW, "np.outer(d, x)"), (DB, "d")):
        found = check(f"def backward(x, W, b, delta):\n{body}{value}", ALL)
        assert said(found) == ("incomplete", {part}, {*RIGHT} - {part})


def test_of_parts_of_one_shape_a_function_gives_the_one_that_is_right() -> None:
    keys = {"given": "y[i] = g * x[i] + b * x[i]^2", "find": ["dL/dg", "dL/db"]}
    exercise = exercise_for(keys, [], "derivation")
    assert exercise is not None
    for part, power in (("dL/dg", 1), ("dL/db", 2)):
        found = check(f"def backward(x, delta):\n    return np.sum(delta * x**{power})", exercise)
        assert (found.verdict, found.parts) == ("incomplete", (part,))
    wrong = check("def backward(x, delta):\n    return np.sum(delta)", exercise)
    assert (wrong.verdict, wrong.parts) == ("wrong", ())


def test_the_exercise_says_that_all_are_asked_for() -> None:
    assert ALL.description.startswith(f"Write {DX}, {DW} and {DB} of")
    assert asking("any").description.startswith(f"Write {DX}, {DW}, {DB}, ")
    assert " or " in asking("any").description
