"""A long answer is read or refused at its place; what that takes grows as the answer does."""

from __future__ import annotations

import cProfile
from collections.abc import Callable, Iterator

import pytest

from engine.checking import check
from engine.exercise import Exercise, ExerciseError
from tests.engine.cases import given, made

ELU = given(
    "s[k] = sum(W[k,j] * x[j] for j)\ny[k] = s[k] if s[k] > 0 else exp(s[k]) - 1",
    ["dL/dx[j]", "dL/dW[k,j]"],
    sizes={"j": 3, "k": 2},
)
POOL = made("max-pool")


def _row(unit: str, sign: str, head: str = "dx = ", tail: str = "") -> Callable[[int], str]:
    return lambda count: head + sign.join([unit] * count) + tail


def _nest(opening: str, closing: str, core: str, head: str = "dx = ") -> Callable[[int], str]:
    return lambda count: head + opening * count + core + closing * count


def _lines(line: str, first: str, last: str) -> Callable[[int], str]:
    """Lines that each define a name, {0}, by that of the line before, {1}."""

    def text(count: int) -> str:
        names = [f"a{n}" for n in range(count)]
        pairs = zip(names, [first, *names], strict=False)
        return "\n".join([*(line.format(*pair) for pair in pairs), last.format(names[-1])])

    return text


#: By name: the exercise, and the answer of so many parts.
SHAPES: dict[str, tuple[Exercise, Callable[[int], str]]] = {
    "a sum of vectors": (ELU, _row("W^T delta", " + ")),
    "a difference of vectors": (ELU, _row("W.T @ (delta * y)", " - ")),
    "a sum of matrices": (ELU, _row("delta x^T", " + ", "")),
    "a sum of entries": (ELU, _row("x[j]", " + ", "dx[j] = ")),
    "a sum of sums": (ELU, _row("sum(delta[k]*W[k,j] for k)", " + ", "dx[j] = ")),
    "a quotient": (ELU, _row("2", " / ", "dx = W^T delta / ")),
    "a product entry by entry": (ELU, _row("y", " ⊙ ", "dx = W^T (delta ⊙ ", ")")),
    "factors side by side": (ELU, _row("y_0", " ", "dx[j] = ")),
    "a product of matrices": (ELU, _row("W.T @ W", " @ ", "dx = ", " @ W.T @ delta")),
    "transposes": (ELU, _row("^T", "", "dx = W", " delta")),
    "terms that do not fit": (ELU, _row("W delta", " + ")),
    "the last term does not fit": (ELU, _row("W^T delta", " + ", "dx = ", " + W delta")),
    "an index that is a sum": (ELU, _row("j", "+", "dx[j] = x[", "]")),
    "names that nobody knows": (ELU, _row("foo", " + ", "dx[j] = ")),
    "Greek letters": (ELU, _row("α", "", "dx[j] = ")),
    "sums in brackets": (ELU, _nest("2*(", " + x)", "x")),
    "softmax of softmax": (ELU, _nest("softmax(", ")", "x")),
    "norm of norm": (ELU, _nest("x * norm(", ")", "x")),
    "powers in LaTeX": (ELU, _nest("2^{", "}", "2", r"\delta_x = W^T \delta \cdot ")),
    "fractions in LaTeX": (ELU, _nest(r"\frac{1}{", "}", "2", r"\delta_x = W^T \delta ")),
    "a sum in LaTeX": (ELU, _row(r"W^\top \delta", " + ", r"\delta_x = ")),
    "cases": (ELU, _row("x[j] if x[j] > 0", "; ", "dx[j] = { ", "; 0 otherwise }")),
    "comparisons": (ELU, _row("x[j] > 0", " and ", "dx[j] = [", "]")),
    "a chain": (ELU, _row("W^T delta", " = ")),
    "empty lines": (ELU, _row("\n", "", "dx = W^T delta")),
    "empty words": (ELU, _row("so the ", "", "", "5 + x")),
    "lines, each used twice": (ELU, _lines("{0} = {1} + {1}", "x[0]", "dx[j] = {0}")),
    "lines, each used once": (ELU, _lines("{0} = W.T @ (W @ {1})", "x", "dx = {0}")),
    "lines of windows, each used twice": (
        POOL,
        _lines(
            "{0}_kl = {1}_kl + {1}_kl",
            "delta",
            "dx[i,j] = sum({0}_kl * [(i,j) == argmax(k,l)] for k,l)",
        ),
    ),
    "a product of conditions": (
        POOL,
        _row("[(i,j) == argmax(k,l)]", " * ", "dx[i,j] = sum(delta[k,l] * ", " for k,l)"),
    ),
    "a sum over windows": (
        POOL,
        _row("sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l)", " + ", "dx[i,j] = "),
    ),
}


def of_length(text: Callable[[int], str], length: int) -> str:
    """The answer of the most parts that is no longer than `length`."""
    part = len(text(3)) - len(text(2))
    return text(max(1, (length - len(text(1))) // part))


def answers(length: int) -> Iterator[tuple[str, Exercise, str]]:
    for name, (exercise, text) in SHAPES.items():
        yield f"{name}, {length}", exercise, of_length(text, length)


#: Inputs: what is tried here is the reading.
FEW = 20


def calls(answer: str, exercise: Exercise) -> int:
    """How many functions are called for a verdict."""
    profile = cProfile.Profile(builtins=False)
    profile.runcall(check, answer, exercise, trials=FEW)
    return sum(entry.callcount for entry in profile.getstats())


@pytest.mark.parametrize("shape", SHAPES)
def test_twice_the_parts_take_twice_the_work_and_not_its_square(shape: str) -> None:
    exercise, text = SHAPES[shape]
    check(text(5), exercise, trials=FEW)  # everything is loaded and drawn, no line is kept
    assert calls(text(12), exercise) < 3 * calls(text(6), exercise)


@pytest.mark.parametrize(
    ("exercise", "answer"),
    [
        pytest.param(exercise, text, id=name, marks=[] if length == 1250 else pytest.mark.long)
        for length in (300, 1250, 10_000)
        for name, exercise, text in answers(length)
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
