"""Answers of the tables in `answers/`, each with the verdict that a person would give it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from engine.checking import check
from engine.exercise import EXAMPLES, ExerciseError, language_of
from engine.registry import exercise_for
from engine.verdict import Verdict
from tests.engine.cases import judged, listed, made, table
from tests.material import Entry, each_answer

NAMES = (
    *("algorithms", "cards", "densities", "grading", "hessians", "indices", "mistakes"),
    *("notation", "optima", "population"),
    *("people", "print", "refused_answers", "rows_of_layers", "students", "textbooks", "values"),
    *("vectors", "words"),
)
CARDS, SHARED = table("cards"), table("misconceptions")
#: What a table may ask of a verdict besides its outcome, and where the verdict has it.
FIELDS = {"named": "misconception", "when": "wrong_when"}


def faults(
    keys: object, text: str, outcome: str, asked: dict[str, Any], again: bool
) -> Iterator[str]:
    """What is not as the table has it, or as it must be for any answer with such a verdict.

    `again`: what was read must be an answer with the same verdict, too.
    """
    found = judged(keys, text)
    json.dumps(found.as_dict(), allow_nan=False)
    # Each row is about one message: of an exercise that asks for several, it is a part.
    if outcome != ("correct" if found.verdict == "incomplete" else found.verdict):
        yield f"{found.verdict}: {found.message or found.read}"
    for name, wanted in asked.items():
        value = getattr(found, FIELDS.get(name, name))
        if not holds(name, value, wanted):
            yield f"{name} is {value}, not {wanted}"
    if outcome == "unreadable":
        if not found.message or "look at" in (found.hint or "") or found.tried:
            yield f"refused without a way out: {found.message}; {found.hint}"
        if language_of(text) != "function" and not (found.hint and found.line and found.column):
            yield "refused without a place"
    elif outcome in ("correct", "correct-but-slow"):
        if found.failed or found.counterexample:
            yield "correct with a failure"
    else:
        yield from failure_faults(found)
    if again and found.tried and found.read and language_of(text) != "function":
        same = judged(keys, found.read)
        if (same.verdict, same.read) != (found.verdict, found.read):
            yield f"what was read, {found.read}, reads back as {same.read or same.message}"


def holds(name: str, value: Any, wanted: Any) -> bool:
    if wanted == "null":
        return value is None
    if isinstance(wanted, list):
        return list(value) == wanted
    return (
        str(value) == wanted
        if name in ("named", "line", "column", "tried", "left_out")
        else wanted in value
    )


def failure_faults(found: Verdict) -> Iterator[str]:
    """A failure is shown on small inputs, or taught where none was tried."""
    case = found.counterexample
    if case is None:
        if found.tried or not found.teaching:
            yield "neither a counterexample nor a teaching"
        return
    sizes = map(np.size, case.inputs.values()) if case.windows is None else ()
    if sum(sizes) > 64 or not case.cells or np.shape(case.yours) != np.shape(case.expected):
        yield f"not a small counterexample: {case}"
    if case.windows is None and bool(case.note) != (found.verdict == "correct-except-ties"):
        yield f"a note on {found.verdict}: {case.note}"
    yours, expected = np.array(case.yours), np.array(case.expected)
    for cell in case.cells:
        if np.isclose(yours[cell], expected[cell], rtol=1e-10, atol=1e-15):
            yield f"nothing is off at {cell}"


def groups() -> Iterator[Any]:
    for name in NAMES:
        for n, group in enumerate(table(name)):
            marks = pytest.mark.long if group.get("long") else ()
            yield pytest.param(group, id=f"{name}-{group.get('name', n)}", marks=marks)


@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("group", groups())
def test_an_answer_gets_its_verdict(group: dict[str, Any], every: int) -> None:
    """And so does each `every`-th as it was read."""
    told = [
        f"{text}\n    {fault}"
        for n, (text, outcome, asked) in enumerate(listed(group))
        for fault in faults(group["exercise"], text, outcome, asked, n % every == 0)
    ]
    assert not told, "\n".join(told)


WRITTEN = [group for group in table("derivations") if group["kind"] == "algorithm"]


@pytest.mark.parametrize("group", WRITTEN, ids=lambda group: group["name"])
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
def test_a_written_algorithm_gets_its_verdict(group: dict[str, Any], seed: int) -> None:
    for text in group["right"]:
        found = judged(group["exercise"], text, seed=seed)
        assert (found.verdict, found.remark) == ("correct", None), text
    wanted = table("written_algorithms")[group["name"]]
    for wrong, (outcome, *said) in zip(group["wrong"], wanted, strict=True):
        found = judged(group["exercise"], wrong["text"], seed=seed)
        assert found.verdict == outcome, wrong["why"]
        if outcome == "wrong":
            assert not list(failure_faults(found)), wrong["why"]
            assert found.misconception == (said[0] if said else None), wrong["why"]
        else:
            assert said[0] in (found.remark or ""), wrong["why"]


@each_answer("formula", "latex", "numpy")
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
def test_an_answer_of_the_material_gets_its_verdict(entry: Entry, seed: int) -> None:
    exercise = exercise_for(None, ["cnn", "max-pooling", "backpropagation"], "derivation")
    assert exercise is not None
    found = check(entry["answer"], exercise, seed=seed)
    assert found.verdict == entry["verdict"], found
    if language_of(entry["answer"]) == "formula" or "misconception" in entry:
        assert found.misconception == entry.get("misconception")
    if "at" in entry:
        assert found.column == entry["at"] + 1
    match found.verdict:
        case "unreadable":
            assert found.message
            assert (found.read, found.tried) == ("", 0)
        case "correct":
            assert (found.tried, found.failed, found.counterexample) == (300, 0, None)
        case _:
            assert not list(failure_faults(found))


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card["name"])
def test_a_right_answer_is_right_on_any_seed(card: dict[str, Any]) -> None:
    for seed in range(1, 3):
        verdict = judged(card["exercise"], card["correct"][0], seed=seed)
        assert (verdict.verdict, verdict.failed) == ("correct", 0)
        assert verdict.tried + verdict.left_out >= 300
        assert verdict.left_out <= 30


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card["name"])
def test_an_exercise_is_told_with_an_example_of_another(card: dict[str, Any]) -> None:
    exercise = made(card["exercise"])
    assert exercise is made(card["exercise"])
    assert exercise.example in EXAMPLES
    assert check(exercise.example, exercise).verdict == "unreadable"
    assert exercise.symbols
    assert exercise.description.startswith("Write d")


def test_each_example_is_right_where_it_belongs() -> None:
    square, running = EXAMPLES
    assert judged({"given": "L = sum((p[n] - t[n])^2 for n)", "find": "dp"}, square).ok
    assert judged({"given": "y[n] = sum(u[m] for m if m <= n)", "find": "du"}, running).ok
    # Whoever derives a squared error is shown the other.
    assert made({"given": "L = sum((p[n] - t[n])^2 for n)", "find": "dp"}).example == running


#: What makes the solution of max pooling, or of a linear layer.
SKELETON = re.compile(r"for k,l|Omega\(k,l\)|argmax\(k,l\)|delta\[|delta_kl|(?<!d)W\[k,j\]")


@pytest.mark.parametrize("exercise", ["max-pool", "linear"])
@pytest.mark.parametrize(
    "answer",
    [
        *("", "dx[i,j] = ", "sum(x[i,j] * ", "dx = x for k", "\\foo", "dx += x", "x'y'"),
        *("np.sum(x)", "sum(x for", "x[i,j] where x > 0", "x such that i", "sum over k of x"),
        *("x in x", "x | x", "the sum of x", "einsum('kj,k->j', W, delta)", "x : x"),
        *("x[i,j] == argmax", "dx[i,j] = x[i,j] * [i*,j*]", "forall x", "x[p,q]", "x,", "x < 3"),
        *("argmax", "sum(x)", "max(x) = argmax", "for all p x", "all(x > 0)", r"1 \text{ if best}"),
    ],
)
def test_no_refusal_has_the_skeleton_of_a_solution(exercise: str, answer: str) -> None:
    found = judged(exercise, answer)
    told = f"{found.message} {found.hint}".replace(answer or "\0", "").replace(EXAMPLES[0], "")
    assert not SKELETON.search(told), told


@pytest.mark.parametrize("seed", [1, 2])
def test_a_name_does_not_hang_on_the_seed(seed: int) -> None:
    for group in table("mistakes")[:6]:
        for text, _, asked in list(listed(group))[:2]:
            assert judged(group["exercise"], text, seed=seed).misconception == asked["named"]


@pytest.mark.parametrize("one", SHARED, ids=lambda one: one["name"])
def test_a_misconception_is_recognised_on_each_layer_that_it_is_had_of(one: dict[str, Any]) -> None:
    assert len({layer for layer, _ in one["answers"]}) > 1
    for layer, answer in one["answers"]:
        found = judged(layer, answer)
        assert found.verdict == "wrong", answer
        assert re.search(one["name"], found.misconception or ""), (answer, found.misconception)
        assert (found.teaching or "").endswith(".")


@pytest.mark.parametrize(("keys", "said"), table("refused_exercises", typed=True), ids=str)
def test_an_impossible_exercise_says_what_is_wrong_with_it(
    keys: object, said: str | list[str]
) -> None:
    with pytest.raises(ExerciseError) as caught:
        exercise_for(keys, ["cnn", "max-pooling", "backpropagation"], "derivation")
    for part in [said] if isinstance(said, str) else said:
        assert part in str(caught.value)
