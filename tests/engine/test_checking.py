"""Answers in every language and in several steps and parts, checked as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import engine
from engine.checking import check
from engine.exercise import Exercise, ExerciseError, exercise_for, language_of
from engine.pooling.exercise import PoolingExercise
from engine.pooling.inputs import GENERAL, smallest_geometries, tried_geometries
from engine.verdict import Verdict
from tests.material import Entry, each_answer

ANSWER = "dx[i,j] = sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l if (i,j) in Omega(k,l))"


def pooling() -> engine.Exercise:
    exercise = engine.exercise_for({"layer": "max-pool"}, (), "derivation")
    assert exercise is not None
    return exercise


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
        engine.check(**{"answer": ANSWER, "exercise": pooling(), **arguments})


def test_whole_numbers_of_numpy_are_whole_numbers() -> None:
    verdict = engine.check(ANSWER, pooling(), seed=np.int64(3), trials=np.uint8(5))  # type: ignore[arg-type]
    assert verdict == engine.check(ANSWER, pooling(), seed=3, trials=5)
    assert type(verdict.seed) is int


POOLING = exercise_for("max-pool", (), "derivation")
LINEAR_ELU = exercise_for(
    {
        "given": "s[k] = sum(W[k,j] * x[j] for j)\ny[k] = s[k] if s[k] > 0 else exp(s[k]) - 1",
        "find": "dL/dx[j]",
        "sizes": {"j": 3, "k": 2},
    },
    (),
    "derivation",
)


@pytest.mark.parametrize("seed", [0, 1])
@each_answer("latex", "numpy")
def test_an_answer_gets_its_verdict(entry: Entry, seed: int) -> None:
    assert POOLING is not None
    verdict = check(entry["answer"], POOLING, seed=seed)
    assert verdict.verdict == entry["verdict"], verdict
    if "misconception" in entry:
        assert verdict.misconception == entry["misconception"]


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        (
            r"\frac{\partial L}{\partial x_j} = \sum_k \delta_k W_{kj}"
            r" \begin{cases} 1 & s_k > 0 \\ y_k + 1 & \text{otherwise}\end{cases}",
            "correct",
        ),
        (r"\delta_{x,j} = \sum_k W_{kj} \delta_{y,k}", "wrong"),
        (
            "def backward(W, x, delta):\n    s = W @ x\n"
            "    return W.T @ (delta * np.where(s > 0, 1, np.exp(s)))",
            "correct",
        ),
        ("def f(x, y, W, delta): return W.T @ (delta * np.where(y > 0, 1, y + 1))", "correct"),
        ("def f(a, b, c): return a.T @ c", "wrong"),
        ("def f(W, x, delta): return W @ x", "unreadable"),
    ],
)
def test_a_cards_own_message_is_answered_in_every_language(answer: str, verdict: str) -> None:
    assert LINEAR_ELU is not None
    assert check(answer, LINEAR_ELU).verdict == verdict


@pytest.mark.parametrize(
    ("answer", "line", "words"),
    [
        ("def backward(x, delta):\n    return x.foo", 2, "foo"),
        ("def backward(x, delta):\n    return open('/etc/hostname').read()", 2, "not permitted"),
        ("def backward(x, delta)\n    return x", 1, "expected"),
        ("import numpy as np", None, "def backward"),
    ],
)
def test_a_function_without_numbers_is_unreadable(
    answer: str, line: int | None, words: str
) -> None:
    assert POOLING is not None
    verdict = check(answer, POOLING)
    assert (verdict.verdict, verdict.line, verdict.tried) == ("unreadable", line, 0)
    assert words in str(verdict.message)


def test_what_a_function_prints_is_kept() -> None:
    assert POOLING is not None
    verdict = check("def backward(x, delta):\n    print(x.shape)\n    return x", POOLING)
    assert verdict.printed is not None
    assert verdict.printed.startswith("(")
    assert "process" in verdict.layers


@pytest.mark.parametrize(
    ("answer", "language"),
    [
        ("dx[i,j] = sum(delta[k,l] for k,l)", "formula"),
        ("def_kl = x_ij", "formula"),
        (r"\delta_{kl}", "latex"),
        ("  def f(x, delta):\n    return x", "function"),
        ("import numpy as np\n\ndef backward(x, delta): return x", "function"),
        ("backward = lambda x, delta: x", "function"),
        ("def f(x):\n    '''\\\\delta'''\n    return x", "function"),
    ],
)
def test_the_language_is_told_by_the_looks(answer: str, language: str) -> None:
    assert language_of(answer) == language


def test_an_error_of_latex_is_told_at_its_place_in_the_latex() -> None:
    assert POOLING is not None
    answer = r"\delta_{x,ij} = \sum_{k,l} \delta_{kl} \cdot q_{kl}"
    verdict = check(answer, POOLING)
    assert verdict.column is not None
    assert answer[verdict.column - 1] == "q"


TABLE = yaml.safe_load(Path(__file__).with_name("chains.yaml").read_text("utf-8"))
POOL = {"layer": "max-pool", "find": "dx"}
POOL_J = {"layer": "max-pool", "find": "J"}
TERM = "delta_kl [(i,j) = argmax(k,l)]"
LOGISTIC = {"given": "y = 1/(1+exp(-x))", "find": "dy/dx"}
LAYER = {
    "given": "s[k] = sum(W[k,j] * x[j] for j) + b[k]\ny[k] = 1/(1+exp(-s[k]))",
    "find": "dL/dx[j]",
}
SOFTMAX = {"given": "y[k] = exp(x[k]) / sum(exp(x[m]) for m)", "find": "dL/dx[j]"}
SOFTMAX_J = {**SOFTMAX, "find": "dy[k]/dx[j]"}


def rows(kind: str) -> Iterator[Any]:
    for one in TABLE:
        for text in one.get(kind, ()):
            yield pytest.param(one["exercise"], text, id=text)


def judged(keys: object, answer: str) -> Verdict:
    exercise = exercise_for(keys, [], "derivation")
    assert exercise is not None
    return check(answer, exercise)


def place(answer: str, at: int) -> tuple[int, int]:
    return answer.count("\n", 0, at) + 1, at - answer.rfind("\n", 0, at)


@pytest.mark.parametrize(("keys", "answer"), rows("right"))
def test_a_right_chain_is_right(keys: object, answer: str) -> None:
    found = judged(keys, answer)
    assert found.verdict == "correct", (found.message, found.hint, found.step)


@pytest.mark.parametrize(("keys", "marked"), rows("mistaken"))
def test_a_false_step_before_a_right_result_is_found_at_its_place(
    keys: object, marked: str
) -> None:
    answer = marked.replace("@", "")
    found = judged(keys, answer)
    assert found.verdict == "wrong-step", (found.message, found.read)
    assert (found.line, found.column) == place(answer, marked.index("@"))
    assert found.step
    assert found.step not in found.read.split("\n")
    assert found.counterexample
    assert not found.ok


def sides(answer: str) -> Iterator[tuple[int, int]]:
    """Where the sides of a plain chain begin and end: each '=' outside of brackets parts two."""
    start = depth = 0
    for at, sign in enumerate(answer):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "=" and not depth:
            yield start, at
            start = at + 1
    yield start, len(answer)


def plain() -> Iterator[Any]:
    words = (" if ", " sum from ", "where", "with ", "\n", "\\")
    for row in rows("right"):
        if not any(word in row.values[1] for word in words):
            yield row


@pytest.mark.parametrize(("keys", "answer"), plain())
def test_whichever_side_is_doubled_is_the_one_that_is_named(keys: object, answer: str) -> None:
    named = answer[0] in "dJ∂"
    *earlier, (start, end) = [*sides(answer)][named:]
    for first, last in earlier:
        wrong = f"{answer[:first]} 2*({answer[first:last].strip()}) {answer[last:]}"
        found = judged(keys, wrong)
        assert found.verdict == "wrong-step", (wrong, found.message)
        assert (found.line, found.column) == place(wrong, first + 1)
    wrong = f"{answer[:start]} 2*({answer[start:end].strip()})"
    found = judged(keys, wrong)
    assert found.verdict in ("wrong", "only-without-overlap")
    assert (found.line, found.column) == place(wrong, start + 1)


def test_of_several_false_steps_the_first_is_named() -> None:
    found = judged(LOGISTIC, "dy/dx = y(1-y) = y^2 = y^3 = y - y^2")
    assert (found.verdict, found.column) == ("wrong-step", 18)


def test_of_a_wrong_result_the_side_is_named_at_which_it_goes_wrong() -> None:
    assert judged(LOGISTIC, "dy/dx = y(1-y) = y - y^2 = y").column == 28
    assert judged(LOGISTIC, "dy/dx = y(1-y) = 2 y - y^2 = y").column == 18
    assert judged(LOGISTIC, "dy/dx = y = y^2").column == 9
    found = judged(LAYER, "g[k] = y[k] = y[k]*(1-y[k])\ndx[j] = sum(g[k]*W[k,j] for k)")
    assert (found.verdict, found.step) == ("wrong", None)  # both sides of g are tried in vain
    found = judged(LAYER, "g[k] = y[k] - y[k]^2 = y[k]\ndx[j] = sum(delta[k]*g[k]*W[k,j] for k)")
    assert (found.verdict, found.step, found.line, found.column) == ("wrong", "g[k] = y[k]", 1, 24)


def test_a_step_that_cannot_be_read_is_refused_at_its_place() -> None:
    found = judged(LOGISTIC, "dy/dx = bar(x) * 2 = y(1-y)")
    assert (found.verdict, found.line, found.column) == ("unreadable", 1, 9)
    assert (found.hint or "").endswith("leave this step out")


def test_a_step_that_does_not_fit_by_its_shape_is_refused() -> None:
    found = judged(LAYER, "dx = W (delta*y*(1-y)) = W^T (delta*y*(1-y))")
    assert (found.verdict, found.column) == ("unreadable", 8)


def test_a_result_that_is_right_but_for_ties_has_steps_too() -> None:
    last = "sum(delta[k,l] * [x[i,j] == f[k,l]] for k,l if (i,j) in Omega(k,l))"
    assert judged(POOL, f"dx[i,j] = {last}").verdict == "correct-except-ties"
    found = judged(POOL, f"dx[i,j] = sum(delta[k,l] for k,l) = {last}")
    assert (found.verdict, found.column) == ("wrong-step", 11)


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        (SOFTMAX, "dx[j] = sum(delta[k]*y[k]*([k = j] - y[j]) for k)"),
        (SOFTMAX_J, "dy[k]/dx[j] = y[k]*(1-y[k]) if k = j else -y[k]*y[j]"),
        (SOFTMAX_J, "dy[k]/dx[j] = k = j ? y[k]*(1-y[k]) : -y[k]*y[j]"),
        ({"given": "y[k] = x[k]", "find": "dy[k]/dx[j]"}, "dy_k/dx_j = k = j"),
        ({"given": "y[k] = x[k]", "find": "dy[k]/dx[j]"}, "dy_k/dx_j = [k = j] = (k = j)"),
        (POOL_J, "(i*,j*) = argmax(k,l)\ndf_kl/dx_ij = [i = i*][j = j*]"),
        (POOL_J, "df_kl/dx_ij = 1 if (i,j) = argmax(k,l) else 0"),
        (POOL_J, "df_kl/dx_ij = 1 for (i,j) = argmax(k,l), 0 for (i,j) != argmax(k,l)"),
        (POOL, "dx_ij = sum of delta_kl for all (k,l) with (i,j) = argmax(k,l)"),
        (POOL, f"dx_ij = sum from k = 0 to Ho-1 of sum from l = 0 to Wo-1 of {TERM}"),
    ],
)
def test_a_condition_is_no_chain(keys: object, answer: str) -> None:
    assert judged(keys, answer).verdict == "correct"


def test_a_comparison_that_lacks_its_brackets_is_still_refused() -> None:
    found = judged(POOL, "dx_ij = delta_kl x_ij = f_kl")
    assert found.verdict == "unreadable"


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        (LAYER, "dx = W^T (delta*y*(1-y))"),
        (LAYER, "dx[j] = sum(h[k]*W[k,j] for k) where h[k] = delta[k]*y[k]*(1-y[k])"),
        (POOL, f"dx_ij = Σ_kl {TERM}"),
    ],
)
@pytest.mark.parametrize("line", ["g = x", "ds = delta*y = delta*y*(1-y)"])
def test_a_definition_that_nothing_uses_is_named(keys: object, answer: str, line: str) -> None:
    line = line if keys is LAYER else "g[k,l] = delta[k,l] = 2*delta[k,l]"
    assert judged(keys, answer).remark is None
    for text in (f"{line}\n{answer}", f"{answer}\n{line}"):
        found = judged(keys, text)
        assert (found.verdict, found.step) == ("correct", None)
        name = line.split("[")[0].split()[0]
        assert found.remark == f"{name} is not used, so what stands there was not tried."


def test_a_long_chain_is_refused() -> None:
    found = judged(LOGISTIC, "dy/dx" + " = y(1-y)" * 13)
    assert found.verdict == "unreadable"
    assert "12" in (found.message or "")
    assert judged(LOGISTIC, "dy/dx" + " = y(1-y)" * 12).verdict == "correct"


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
    found = judged(keys, f"{left} = 2*({first})\n{left} = {last}")
    assert (found.verdict, found.line, found.column) == ("wrong-step", 1, len(left) + 4)
    found = judged(keys, f"{left} = {first}\n{left} = 2*({last})")
    assert (found.verdict, found.line, found.column) == ("wrong", 2, len(left) + 4)


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


TAGS = ["cnn", "max-pooling", "backpropagation"]


@pytest.mark.parametrize("layer", ["max-pooling", "maxpool", "Max-Pool", "max pooling", "MaxPool"])
@pytest.mark.parametrize("message", ["backpropagation", "backprop", "Gradients", "gradient"])
def test_a_derivation_is_an_exercise_by_its_tags(layer: str, message: str) -> None:
    assert exercise_for(None, ["cnn", layer, message], "derivation") == PoolingExercise()


@pytest.mark.parametrize(
    ("tags", "type"),
    [(TAGS, "open"), (["max-pooling"], "derivation"), (["backprop", "lstm"], "derivation")],
)
def test_other_cards_are_none(tags: list[str], type: str) -> None:
    assert exercise_for(None, tags, type) is None


def test_none_turns_the_tags_off_and_a_layer_turns_any_card_on() -> None:
    assert exercise_for("none", TAGS, "derivation") is None
    assert exercise_for("max-pool", [], "open") == PoolingExercise()
    assert exercise_for({"layer": "max-pool"}, [], "basic") == PoolingExercise()


@pytest.mark.parametrize(
    ("value", "pair"),
    [("2", (2, 2)), (2, (2, 2)), (["2", "3"], (2, 3)), ("2x3", (2, 3)), ("[2, 3]", (2, 3))],
)
def test_a_window_is_one_number_or_two(value: Any, pair: tuple[int, int]) -> None:
    exercise = exercise_for({"layer": "max-pool", "kernel": value}, [], "derivation")
    assert isinstance(exercise, PoolingExercise)
    assert exercise.kernel == pair


@pytest.mark.parametrize(
    ("find", "read"),
    [("dx", "dx"), ("dL/dx[i,j]", "dx"), ("∂L/∂x_ij", "dx"), ("J", "J"), ("df_kl/dx_ij", "J")],
)
def test_the_message_to_find_may_be_named_in_several_ways(find: str, read: str) -> None:
    exercise = exercise_for({"layer": "max-pool", "find": find}, [], "derivation")
    assert isinstance(exercise, PoolingExercise)
    assert exercise.find == read


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("lstm", "layer 'lstm' is unknown: max-pool, linear, relu"),
        ({"layer": "lstm"}, "layer 'lstm' is unknown: max-pool, linear, relu"),
        ({"kernel": "2"}, "layer is missing: max-pool, linear, relu"),
        ({"layer": "max-pool", "given": "s"}, "'layer' is unknown: given, find, sizes"),
        ({"layer": "max-pool", "kernel": "0"}, "kernel is '0': a whole number from 1 to 7"),
        ({"layer": "max-pool", "kernel": "99"}, "kernel is '99': a whole number from 1 to 7"),
        ({"layer": "max-pool", "kernel": "-2"}, "kernel is '-2': a whole number"),
        ({"layer": "max-pool", "kernel": ["1", "2", "3"]}, "kernel is ['1', '2', '3']: a whole"),
        ({"layer": "max-pool", "kernel": "2", "stride": "x"}, "stride is 'x': a whole number"),
        ({"layer": "max-pool", "kernel": "2", "padding": "2"}, "padding is '2': at most half"),
        ({"layer": "max-pool", "stride": "2"}, "stride is '2' without a kernel"),
        ({"layer": "max-pool", "find": "dW"}, "find is 'dW': dx (the backward message), J"),
        (["max-pool"], "a layer (max-pool, linear, relu"),
    ],
)
def test_an_impossible_exercise_names_key_and_value(value: Any, sentence: str) -> None:
    with pytest.raises(ExerciseError, match=re.escape(sentence)):
        exercise_for(value, TAGS, "derivation")


def test_a_general_exercise_is_tried_on_all_geometries_a_given_one_on_its_own() -> None:
    assert tried_geometries(PoolingExercise()) == GENERAL
    given = PoolingExercise(kernel=(3, 2), stride=(2, 2), padding=(1, 0))
    for geometry in (*tried_geometries(given), *smallest_geometries(given)):
        assert (geometry.kernel, geometry.stride, geometry.padding) == ((3, 2), (2, 2), (1, 0))
        assert min(geometry.windows) >= 1
    assert len(tried_geometries(given)) > 2


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
    verdict = check(exercise.example, exercise, trials=30)
    # A mean over a window of one input is its maximum.
    assert verdict.verdict == ("correct" if kernel == (1, 1) else "wrong")
    answer = "1 if (i,j) == argmax(k,l) else 0"
    if find == "dx":
        answer = "sum(delta[k,l]*[(i,j)==argmax(k,l)] for k,l)"
    assert check(answer, exercise, trials=30).verdict == "correct"
