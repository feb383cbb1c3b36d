"""A long answer is read or refused at its place; what that takes grows as the answer does."""

from __future__ import annotations

import cProfile

import pytest

from engine.checking import check
from engine.exercise import Exercise, ExerciseError
from tests.engine.cases import given, made
from tests.engine.long_answers import ELU, SHAPES, answers

#: Inputs: what is tried here is the reading.
FEW = 20


def calls(answer: str, exercise: Exercise) -> int:
    """How many functions are called for a verdict, once everything is loaded and drawn."""
    check(answer, exercise, trials=FEW)
    profile = cProfile.Profile(builtins=False)
    profile.runcall(check, answer, exercise, trials=FEW)
    return sum(entry.callcount for entry in profile.getstats())


@pytest.mark.parametrize("shape", SHAPES)
def test_twice_the_parts_take_twice_the_work_and_not_its_square(shape: str) -> None:
    exercise, text = SHAPES[shape]
    assert calls(text(14), exercise) < 3 * calls(text(7), exercise)


@pytest.mark.parametrize(
    ("exercise", "answer"),
    [
        pytest.param(exercise, text, id=name)
        for name, exercise, text in answers((300, 1250, 10_000))
    ],
)
def test_an_answer_of_any_length_is_read_or_refused_at_its_place(
    exercise: Exercise, answer: str
) -> None:
    found = check(answer, exercise, trials=FEW)
    if found.verdict == "unreadable":
        assert found.message
        assert found.hint
        assert 1 <= (found.line or 0) <= answer.count("\n") + 1
        assert found.column


@pytest.mark.parametrize(
    ("answer", "said", "column"),
    [
        ("dx[j] = " + " + ".join(["x[j]"] * 130), "more than 120 terms", 9),
        ("dx = " + "softmax(" * 20 + "x" + ")" * 20, "too many sums", 6),
        ("\n".join(["a = x[0]"] * 60) + "\ndx[j] = x[j]", "Only 60 lines", 1),
    ],
)
def test_what_is_too_large_is_said_at_the_place_where_it_is(
    answer: str, said: str, column: int
) -> None:
    found = check(answer, ELU)
    assert found.verdict == "unreadable"
    assert said in (found.message or "")
    assert (found.column or 0) >= column


def test_a_message_of_many_inputs_has_a_smallest_failing_one() -> None:
    terms = " + ".join(f"{name}[j] * x[j]" for name in "abcdefgmnpqrstu")
    found = check("dx[j] = delta[j]", given(f"y[j] = {terms}", "dL/dx[j]"))
    assert found.verdict == "wrong"
    assert found.counterexample is not None


@pytest.mark.parametrize(
    "message",
    [
        "f0(t) = tanh(t)\n"
        + "\n".join(f"f{n}(t) = f{n - 1}(f{n - 1}(t))" for n in range(1, 20))
        + "\ny[j] = f19(x[j])",
        "y[j] = " + " + ".join(f"a{n}[j]" for n in range(50)),
        "y[j] = " + " + ".join(["x[j]"] * 150),
    ],
)
def test_a_forward_message_that_is_too_large_is_refused_at_its_place(message: str) -> None:
    with pytest.raises(ExerciseError, match=r"line [0-9]+, column [0-9]+"):
        given(message, "any")


@pytest.mark.parametrize(
    "answer",
    ["dA[i,k] = sum(delta[i,j] * B[k,j] for j)", "def backward(A, B, delta): return delta @ B.T"],
)
def test_of_a_card_of_too_large_arrays_it_is_said(answer: str) -> None:
    keys = {"given": "C[i,j] = sum(A[i,k] * B[k,j] for k)", "find": "dL/dA[i,k]"}
    found = check(answer, made(keys, sizes={"i": 8, "j": 8, "k": 8}))
    assert found.verdict == "unreadable"
    assert "too large" in (found.message or "")
