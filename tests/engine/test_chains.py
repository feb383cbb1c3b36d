"""A chain of equations: every side of it is tried, and one that is not right is found."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine.checking import check
from engine.exercise import exercise_for
from engine.verdict import Verdict

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
