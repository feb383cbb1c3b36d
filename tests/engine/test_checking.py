"""Arguments of a check, languages, chains of equations, and answers in several parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import engine
from engine.checking import check
from engine.exercise import language_of
from engine.pooling.exercise import PoolingExercise
from engine.pooling.inputs import GENERAL, smallest_geometries, tried_geometries
from engine.registry import exercise_for
from engine.verdict import Verdict
from tests.engine.cases import given, judged, made, table

POOLING = made("max-pool")
TABLE = table("parts", typed=True)
ANSWER = "dx[i,j] = sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l if (i,j) in Omega(k,l))"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"trials": True}, "trials is True: a whole number of at least 1 is allowed"),
        ({"trials": 0}, "trials is 0: a whole number of at least 1 is allowed"),
        ({"seed": -1}, "seed is -1: a whole number of at least 0 is allowed"),
        ({"seed": 1.0}, "seed is 1.0: a whole number of at least 0 is allowed"),
        ({"language": "french"}, "language is 'french': formula, latex, function, or None"),
        ({"exercise": 3}, "exercise is 3: an Exercise, as exercise_for(...) returns one"),
        ({"exercise": "dx"}, "is allowed"),
        ({"answer": 3}, "answer is 3: a text is allowed"),
    ],
)
def test_a_refusal_names_argument_value_and_what_is_allowed(
    arguments: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        engine.check(**{"answer": ANSWER, "exercise": POOLING, **arguments})


def test_exercise_and_answer_come_in_either_order_and_numbers_of_numpy_are_numbers() -> None:
    found = check(ANSWER, POOLING, seed=np.int64(3), trials=np.uint8(5))  # type: ignore[arg-type]
    assert found == check(POOLING, ANSWER, seed=3, trials=5)
    assert type(found.seed) is int
    assert found.tried == 5


def test_what_a_function_prints_is_kept() -> None:
    found = check("def backward(x, delta):\n    print(x.shape)\n    return x", POOLING)
    assert (found.printed or "").startswith("(")
    assert "process" in found.layers


@pytest.mark.parametrize(("answer", "language"), TABLE["languages"])
def test_the_language_is_told_by_the_looks(answer: str, language: str) -> None:
    assert language_of(answer) == language


def test_an_error_of_latex_is_told_at_its_place_in_the_latex() -> None:
    answer = r"\delta_{x,ij} = \sum_{k,l} \delta_{kl} \cdot q_{kl}"
    assert answer[(check(answer, POOLING).column or 0) - 1] == "q"


# Chains of equations.

POOL = {"layer": "max-pool", "find": "dx"}
TERM = "delta_kl [(i,j) = argmax(k,l)]"
LOGISTIC = {"given": "y = 1/(1+exp(-x))", "find": "dy/dx"}
LAYER = {
    "given": "s[k] = sum(W[k,j] * x[j] for j) + b[k]\ny[k] = 1/(1+exp(-s[k]))",
    "find": "dL/dx[j]",
}


def chains(kind: str) -> list[Any]:
    return [
        pytest.param(one["exercise"], text, id=text)
        for one in table("chains")
        for text in one.get(kind, ())
    ]


def place(answer: str, at: int) -> tuple[int, int]:
    return answer.count("\n", 0, at) + 1, at - answer.rfind("\n", 0, at)


def where(found: Verdict) -> tuple[str, int | None, int | None]:
    return found.verdict, found.line, found.column


def sides(answer: str) -> Iterator[tuple[int, int]]:
    """Where the sides of a plain chain begin and end: each '=' outside of brackets parts two."""
    start = depth = 0
    for at, sign in enumerate(answer):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "=" and not depth:
            yield start, at
            start = at + 1
    yield start, len(answer)


@pytest.mark.parametrize(("keys", "answer"), chains("right"))
def test_a_right_chain_is_right_and_whichever_side_is_doubled_is_named(
    keys: object, answer: str
) -> None:
    found = judged(keys, answer)
    assert found.verdict == "correct", (found.message, found.hint, found.step)
    words = (" if ", " sum from ", "where", "with ", "\n", "\\")
    if any(word in answer for word in words):
        return
    named = answer[0] in "dJ∂"
    *earlier, (start, end) = [*sides(answer)][named:]
    for first, last in earlier:
        wrong = f"{answer[:first]} 2*({answer[first:last].strip()}) {answer[last:]}"
        assert where(judged(keys, wrong)) == ("wrong-step", *place(wrong, first + 1)), wrong
    wrong = f"{answer[:start]} 2*({answer[start:end].strip()})"
    found = judged(keys, wrong)
    assert found.verdict in ("wrong", "only-without-overlap")
    assert (found.line, found.column) == place(wrong, start + 1)


@pytest.mark.parametrize(("keys", "marked"), chains("mistaken"))
def test_a_false_step_before_a_right_result_is_found_at_its_place(
    keys: object, marked: str
) -> None:
    answer = marked.replace("@", "")
    found = judged(keys, answer)
    assert where(found) == ("wrong-step", *place(answer, marked.index("@"))), found.message
    assert found.step
    assert found.step not in found.read.split("\n")
    assert found.counterexample
    assert not found.ok


@pytest.mark.parametrize(("keys", "answer", "verdict", "column"), TABLE["sides"])
def test_the_side_of_a_chain_that_is_off_is_named(
    keys: object, answer: str, verdict: str, column: int | None
) -> None:
    found = judged(keys, answer)
    assert (found.verdict, found.column) == (verdict, column)
    assert "bar" not in answer or (found.hint or "").endswith("leave this step out")


def test_a_side_that_cannot_be_read_is_refused_at_its_place_on_any_line() -> None:
    answer = "dy/dx = y - y^2\n= y(1-y)\n= y(1-y)*bar\n= y(1-y)"
    found = judged({"given": "y = 1/(1+exp(-x))", "find": "dy/dx"}, answer)
    assert where(found) == ("unreadable", *place(answer, answer.index("bar")))
    sides = "dy/dx = " + " = ".join(["y(1-y)"] * 12)
    assert judged({"given": "y = 1/(1+exp(-x))", "find": "dy/dx"}, sides).ok


def test_of_a_definition_the_side_is_named_at_which_the_result_goes_wrong() -> None:
    found = judged(LAYER, "g[k] = y[k] = y[k]*(1-y[k])\ndx[j] = sum(g[k]*W[k,j] for k)")
    assert (found.verdict, found.step) == (
        "wrong",
        "= y[k] * (1 - y[k])",
    )  # g is what it begins with
    found = judged(LAYER, "g[k] = y[k] - y[k]^2 = y[k]\ndx[j] = sum(delta[k]*g[k]*W[k,j] for k)")
    assert (*where(found), found.step) == ("wrong-step", 1, 24, "= y[k]")


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        (LAYER, "dx = W^T (delta*y*(1-y))"),
        (LAYER, "dx[j] = sum(h[k]*W[k,j] for k) where h[k] = delta[k]*y[k]*(1-y[k])"),
        (POOL, f"dx_ij = Σ_kl {TERM}"),
    ],
)
def test_a_definition_that_nothing_uses_is_named(keys: object, answer: str) -> None:
    assert judged(keys, answer).remark is None
    lines = ("g = x",) if keys is LAYER else ()
    for line in lines or ("g[k,l] = delta[k,l] = 2*delta[k,l]",):
        name = line.split("[")[0].split()[0]
        for text in (f"{line}\n{answer}", f"{answer}\n{line}"):
            found = judged(keys, text)
            assert (found.verdict, found.step) == ("correct", None)
            assert found.remark == f"{name} is not used, so what stands there was not tried."


@pytest.mark.parametrize(
    ("keys", "left", "first", "last"),
    [
        (LOGISTIC, "dy/dx", "y - y^2", "y(1-y)"),
        (LAYER, "dx", "W.T @ (delta*y - delta*y*y)", "W^T (delta ⊙ y ⊙ (1-y))"),
        (POOL, "dx_ij", "Σ_kl dL/df_kl df_kl/dx_ij", f"Σ_kl {TERM}"),
    ],
)
def test_lines_that_repeat_the_left_side_are_a_chain(
    keys: object, left: str, first: str, last: str
) -> None:
    assert judged(keys, f"{left} = {first}\n{left} = {last}").verdict == "correct"
    column = len(left) + 4
    found = judged(keys, f"{left} = 2*({first})\n{left} = {last}")
    assert where(found) == ("wrong-step", 1, column)
    found = judged(keys, f"{left} = {first}\n{left} = 2*({last})")
    assert where(found) == ("wrong", 2, column)


# Several messages in one answer.

UNIT = "s[k] = sum(W[k,j] * x[j] for j) + b[k]\ny[k] = tanh(s[k])"
DX, DW, DB = "dL/dx[j]", "dL/dW[k,j]", "dL/db[k]"
RIGHT = {
    DX: "dL/dx[j] = sum(delta[k] * (1 - y[k]^2) * W[k,j] for k)",
    DW: "dL/dW[k,j] = delta[k] * (1 - y[k]^2) * x[j]",
    DB: "dL/db[k] = delta[k] * (1 - y[k]^2)",
}
ALL = given(UNIT, [DX, DW, DB])


def said(found: Verdict) -> tuple[str, set[str], set[str]]:
    return found.verdict, {*found.parts}, {*found.open}


@pytest.mark.parametrize("part", RIGHT)
def test_one_part_or_two_are_not_the_card(part: str) -> None:
    others = {*RIGHT} - {part}
    found = check(RIGHT[part], ALL)
    assert said(found) == ("incomplete", {part}, others)
    assert not found.ok
    assert said(check(RIGHT[part].partition("= ")[2], ALL)) == said(found)
    found = check("\n".join(RIGHT[other] for other in others), ALL)
    assert said(found) == ("incomplete", others, {part})


@pytest.mark.parametrize(
    "answer", ["\n".join(RIGHT.values()), "; ".join(reversed(RIGHT.values())), *TABLE["whole"]]
)
def test_all_parts_in_one_answer_are_the_card(answer: str) -> None:
    found = check(answer, ALL)
    assert said(found) == ("correct", {*RIGHT}, set()), found.message
    assert found.ok
    assert said(check(found.read, ALL)) == said(found)


def test_of_several_parts_the_first_that_is_not_right_is_the_verdict() -> None:
    wrong = RIGHT[DW].replace("x[j]", "s[k]")
    found = check("\n".join((RIGHT[DX], wrong, f"{DB} = delta[k]")), ALL)
    assert said(found) == ("wrong", {DX}, {DW, DB})
    assert found.counterexample
    assert found.counterexample.target == DW
    found = check(f"{RIGHT[DB]}\ndx = W (delta * (1 - y^2))", ALL)
    assert (found.verdict, found.line) == ("wrong", 2)
    assert found.misconception == "transposed weight: W in place of W^T"
    found = check(f"{RIGHT[DB]}\ndL/dx[j] = foo(W)", ALL)
    assert (found.verdict, found.line) == ("unreadable", 2)
    found = check(f"{RIGHT[DB]}\ndL/dW[k,j] = delta[k] * x[j] = {RIGHT[DW].split('= ')[1]}", ALL)
    assert said(found) == ("wrong-step", {DB}, {DX, DW})
    assert (found.line, found.column) == (2, 14)
    found = check(f"{RIGHT[DX]}\n{RIGHT[DB]}\ndelta[k] * x[j]", ALL)
    assert (found.verdict, found.message) == ("unreadable", "There are two answers here.")


@pytest.mark.parametrize(("keys", "answer", "count"), TABLE["counted"])
def test_a_list_asks_for_each_input_and_a_message_or_its_jacobian_is_one(
    keys: object, answer: str, count: int
) -> None:
    found = judged(keys, answer)
    assert found.verdict == ("incomplete" if count else "correct"), found.message
    assert len(found.parts) + len(found.open) == count


def test_a_function_gives_the_part_whose_shape_it_has_or_that_is_right() -> None:
    body = "    d = delta * (1 - np.tanh(W @ x + b)**2)\n    return "
    for part, value in ((DX, "W.T @ d"), (DW, "np.outer(d, x)"), (DB, "d")):
        found = check(f"def backward(x, W, b, delta):\n{body}{value}", ALL)
        assert said(found) == ("incomplete", {part}, {*RIGHT} - {part})
    both = {"given": "y[i] = g * x[i] + b * x[i]^2", "find": ["dL/dg", "dL/db"]}
    for part, power in (("dL/dg", 1), ("dL/db", 2)):
        found = judged(both, f"def backward(x, delta):\n    return np.sum(delta * x**{power})")
        assert (found.verdict, found.parts) == ("incomplete", (part,))
    wrong = judged(both, "def backward(x, delta):\n    return np.sum(delta)")
    assert (wrong.verdict, wrong.parts) == ("wrong", ())


def test_the_exercise_says_that_all_are_asked_for() -> None:
    assert ALL.description.startswith(f"Write {DX}, {DW} and {DB} of")
    some = given(UNIT, "any").description
    assert some.startswith(f"Write {DX}, {DW}, {DB}, ")
    assert " or " in some


# Exercises of max pooling.

TAGS = ["cnn", "max-pooling", "backpropagation"]


@pytest.mark.parametrize("layer", ["max-pooling", "maxpool", "Max-Pool", "max pooling", "MaxPool"])
@pytest.mark.parametrize("message", ["backpropagation", "backprop", "Gradients", "gradient"])
def test_a_derivation_is_an_exercise_by_its_tags(layer: str, message: str) -> None:
    assert exercise_for(None, ["cnn", layer, message], "derivation") == PoolingExercise()


@pytest.mark.parametrize(
    ("keys", "read"),
    [
        ({"kernel": "2"}, {"kernel": (2, 2)}),
        ({"kernel": 2}, {"kernel": (2, 2)}),
        ({"kernel": ["2", "3"]}, {"kernel": (2, 3)}),
        ({"kernel": "2x3"}, {"kernel": (2, 3)}),
        ({"kernel": "[2, 3]"}, {"kernel": (2, 3)}),
        ({"find": "dx"}, {"find": "dx"}),
        ({"find": "dL/dx[i,j]"}, {"find": "dx"}),
        ({"find": "∂L/∂x_ij"}, {"find": "dx"}),
        ({"find": "J"}, {"find": "J"}),
        ({"find": "df_kl/dx_ij"}, {"find": "J"}),
    ],
)
def test_a_window_is_one_number_or_two_and_the_message_has_several_names(
    keys: dict[str, Any], read: dict[str, Any]
) -> None:
    assert exercise_for({"layer": "max-pool", **keys}, [], "open") == PoolingExercise(**read)
    assert exercise_for("none", TAGS, "derivation") is None


def test_a_general_exercise_is_tried_on_all_geometries_a_given_one_on_its_own() -> None:
    assert tried_geometries(None) == GENERAL
    exercise = PoolingExercise(kernel=(3, 2), stride=(2, 2), padding=(1, 0))
    for geometry in (*tried_geometries(exercise.window), *smallest_geometries(exercise.window)):
        assert (geometry.kernel, geometry.stride, geometry.padding) == ((3, 2), (2, 2), (1, 0))
        assert min(geometry.windows) >= 1
    assert len(tried_geometries(exercise.window)) > 2


@pytest.mark.parametrize("padding", [(0, 0), (1, 2), (3, 3)])
def test_a_given_window_is_tried_where_it_does_not_see_the_whole_input(
    padding: tuple[int, int],
) -> None:
    exercise = PoolingExercise(kernel=(7, 7), stride=(1, 2), padding=padding)
    answer = "sum(delta[k,l] * [(i,j) == argmax(x)] for k,l if (i,j) in Omega(k,l))"
    assert check(answer, exercise, trials=60).verdict == "wrong"


@pytest.mark.parametrize("kernel", [(1, 1), (2, 3), (7, 7)])
@pytest.mark.parametrize("stride", [None, (1, 1), (7, 3)])
@pytest.mark.parametrize("find", ["dx", "J", "any"])
def test_every_exercise_can_be_described_and_answered(
    kernel: tuple[int, int], stride: tuple[int, int] | None, find: Any
) -> None:
    exercise = PoolingExercise(kernel=kernel, stride=stride, find=find)
    assert f"{kernel[0]}×{kernel[1]}" in exercise.description
    answer = "sum(delta[k,l]*[(i,j)==argmax(k,l)] for k,l)"
    if find != "dx":
        answer = "1 if (i,j) == argmax(k,l) else 0"
    assert check(answer, exercise, trials=30).verdict == "correct"


def test_a_wrong_rule_that_says_nothing_of_one_part_is_still_known_of_another() -> None:
    """A vector cannot be transposed, a matrix can: both are asked of on the same inputs."""
    message = "y[k] = sum(W[k,j] * x[j] for j) + b[k]"
    exercise = made({"given": message, "find": ["dL/db[k]", "dL/dW[k,j]"]})
    assert check("dL/db[k] = delta[k] + delta[0]", exercise).verdict == "wrong"
    assert check("dL/dW[k,j] = delta[j] * x[k]", exercise).misconception == "transposed"


PLAIN = ["target", "indices", "inputs", "values", "yours", "expected", "cells", "note"]
WINDOWS = ["kernel", "stride", "padding", "target", "x", "delta"]
WINDOWS += ["yours", "expected", "cells", "window", "note"]


@pytest.mark.parametrize(
    ("exercise", "answer", "keys", "told"),
    [
        ("relu", "delta[k]", PLAIN, {"values": {"y": [0.0, 0.0]}}),
        ("max-pool", "dx[i,j] = 0 * x[i,j]", WINDOWS, {"target": "dx", "window": None}),
        ("max-pool", "df_kl/dx_ij = 0", WINDOWS, {"target": "J", "delta": None, "window": [0, 0]}),
    ],
)
def test_the_smallest_failing_input_has_the_same_keys_as_ever(
    exercise: str, answer: str, keys: list[str], told: dict[str, object]
) -> None:
    case = judged(exercise, answer).as_dict()["counterexample"]
    assert [*case] == keys
    assert {key: case[key] for key in told} == told
