"""Words around a formula."""

from __future__ import annotations

import random
import re
from functools import cache

import pytest

from engine.checking import check
from engine.exercise import Exercise, exercise_for
from engine.prose import stranger, tells_why, without
from engine.verdict import Verdict


@pytest.mark.parametrize(
    ("layer", "answer"),
    [
        ("softmax", r"In vector form: $\delta_x = y \odot (\delta - y^T\delta \mathbf{1})$."),
        ("sigmoid", "The slope is $dy_k/dx_k = y_k (1 - y_k)$"),
        ("sigmoid", r"By the chain rule $$\delta_k y_k (1 - y_k)$$."),
    ],
)
def test_the_one_formula_is_the_answer(layer: str, answer: str) -> None:
    exercise = exercise_for(layer, [], "derivation")
    assert exercise is not None
    assert check(answer, exercise).verdict == "correct"


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("Answer: dx_k = delta_k", "dx_k = delta_k"),
        ("The gradient is dx_k = delta_k.", "dx_k = delta_k."),
        ("By the chain rule we get\ndx_k = delta_k", "dx_k = delta_k"),
        ("dx_k = delta_k, because only the maximum counts", "dx_k = delta_k"),
        ("1. s = x_k\n2. dx_k = delta_k s", "s = x_k\n   dx_k = delta_k s"),
        ("```\ndx_k = delta_k\n```", "dx_k = delta_k"),
        ("With $s = x_k$ we get $$dx_k = s$$", "s = x_k\n          dx_k = s"),
        (r"Let $s = \exp x$. Then $y = s$", r"s = \exp x\\       y = s"),
    ],
)
def test_words_around_a_formula_are_left_out(answer: str, left: str) -> None:
    assert without(answer).strip() == left
    assert len(without(answer)) == len(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "W delta",
        "delta f\nx = 1",
        "Only where x > 0: dx_k = delta_k",
        "If x > 0: $delta_k$",
        "Only for the maximum $delta_k$",
        "First $delta_k$ then $x_k$",
        "It is $delta_k$ where x > 0",
        "dx[k] = $delta_k$",
        "$delta_k$",
        "def backward(x): return '$x$'",
    ],
)
def test_what_may_mean_something_stays(answer: str) -> None:
    assert without(answer) == answer


def test_every_place_is_kept() -> None:
    assert without("In short:\n$dx = 1$.") == "         \n dx = 1  "


#: A right answer of each layer, in plain notation and in LaTeX.
RIGHT = {
    "cross-entropy": ("p_k - t_k", r"\mathrm{p}_k - t_k"),
    "relu": ("delta[k] * [x[k] > 0]", r"\delta_k [x_k > 0]"),
    "max-pool": (
        "sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l)",
        r"\sum_{k,l} \delta_{kl} [(i,j) = \arg\max \Omega(k,l)]",
    ),
}
LEFT = {"cross-entropy": "dL/dx_k", "relu": "dL/dx_k", "max-pool": "dL/dx_ij"}
SAYING = re.findall(
    r"\w+",
    "half twice square root inverse opposite negative minus plus times sign factor two three "
    "squared halved doubled negated transpose transposed sum mean average max not no never only "
    "wrong up down about without except second double norm log exp tanh absolute value reciprocal "
    "product difference divided multiplied scaled approximately roughly almost if unless banana",
)
EMPTY = re.findall(
    r"\w+", "the answer is so thus we get gradient by chain rule of hence it follows that"
)
MARKS = ("", ":", ",", ".", ": ", ".:")


def verdict(layer: str, answer: str) -> Verdict:
    return check(answer, exercise(layer), trials=2)


@cache
def exercise(layer: str) -> Exercise:
    found = exercise_for(layer, (), "derivation")
    assert found is not None
    return found


def written(rng: random.Random, layer: str) -> tuple[str, str]:
    """A right answer amid words, and those words."""
    words = [rng.choice(SAYING if rng.random() < 0.5 else EMPTY) for _ in range(rng.randint(1, 4))]
    said = " ".join(words)
    plain, tex = RIGHT[layer]
    if rng.random() < 0.3:
        plain = f"{LEFT[layer]} = {plain}"
    plain = rng.choice((plain, f"({plain})")) if "=" not in plain[:12] else plain
    mark = rng.choice(MARKS)
    command = rng.choice(("text", "textit", "mbox", "textrm"))
    form = rng.choice(
        (
            f"{said}{mark} {plain}",
            f"{said}{mark}\n{plain}",
            f"{plain} {said}",
            f"{plain}, {said}",
            f"{plain}.\n{said}",
            f"{said}{mark} ${plain}$",
            f"${plain}$ {said}",
            rf"\{command}{{{said}{mark} }} {tex}",
            rf"\{command}{{{said}{mark} }} ({tex})",
            rf"{tex} \{command}{{ {said}}}",
            rf"{tex} \\ \{command}{{ {said}}}",
        )
    )
    return form, said


@pytest.mark.parametrize("layer", RIGHT)
def test_a_right_answer_amid_words_is_right_only_if_they_say_nothing(layer: str) -> None:
    rng = random.Random(5)
    read = 0
    for _ in range(500):
        answer, said = written(rng, layer)
        found = verdict(layer, answer).verdict
        if found.startswith(("correct", "only")):
            read += 1
            assert stranger(said) is None or tells_why(said), answer
    assert read > 20


@pytest.mark.parametrize("layer", RIGHT)
@pytest.mark.parametrize("word", ["half of", "twice", "minus", "the square of", "up to sign:", "-"])
@pytest.mark.parametrize("command", ["text", "mbox", "textit", "textrm", "textbf"])
def test_a_text_that_says_something_is_refused_at_its_place(
    layer: str, word: str, command: str
) -> None:
    found = verdict(layer, rf"\{command}{{{word}}} ({RIGHT[layer][1]})")
    assert found.verdict == "unreadable"
    assert found.line == 1
    assert found.column is not None
    assert found.column <= len(command) + 3 + len(word)
    assert "leave the words away" in (found.hint or "")


@pytest.mark.parametrize(
    ("answer", "verdict_of_it"),
    [
        (r"\text{softmax}(x)_k - t_k", "correct"),
        (r"\mathrm{softmax}(x)_k - t_k", "correct"),
        (r"\text{exp}(p_k) - t_k", "wrong"),
        (r"\textit{tanh}(p_k - t_k)", "wrong"),
        (r"\text{answer}(p_k - t_k)", "unreadable"),
        (r"\text{Answer: }(p_k - t_k)", "correct"),
        (r"\text{so we get } (p_k - t_k)", "correct"),
        ("The answer is p_k - t_k", "correct"),
        ("The gradient of dL/dx_k = p_k - t_k", "unreadable"),
        ("2. (p_k - t_k)", "unreadable"),
        ("1. s_k = p_k\n2. (s_k - t_k)", "correct"),
        ("p_k - t_k, because the sign flips", "unreadable"),
        (r"p_k - t_k \text{ because of a factor}", "unreadable"),
        (r"(2) \quad (p_k - t_k)", "wrong"),
        ("1/2 * $p_k - t_k$", "wrong"),
        ("-$p_k - t_k$", "wrong"),
        ("$p_k - t_k$ / 2", "wrong"),
        ("1 * $p_k - t_k$", "correct"),
        ("dL/dx_k = $p_k - t_k$", "correct"),
    ],
)
def test_a_word_a_number_and_a_dollar_keep_what_they_mean(answer: str, verdict_of_it: str) -> None:
    assert verdict("cross-entropy", answer).verdict == verdict_of_it


@pytest.mark.parametrize(
    ("answer", "column"),
    [
        ("half of dL/dx_k = p_k - t_k", 1),
        ("the square of dL/dx_k = p_k - t_k", 5),
        ("opposite sign: p_k - t_k", 1),
        ("p_k - t_k times two", 11),
        ("p_k - t_k squared", 11),
    ],
)
def test_words_that_may_change_the_formula_are_named_with_a_way_out(
    answer: str, column: int
) -> None:
    found = verdict("cross-entropy", answer)
    assert found.verdict == "unreadable"
    assert found.column == column
    assert "words" in (found.message or "")
    assert "leave the words away" in (found.hint or "")
