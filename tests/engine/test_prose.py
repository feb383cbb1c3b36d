"""Words around one formula are left out; words that may be conditions are not."""

from __future__ import annotations

import pytest

from engine.checking import check
from engine.exercise import exercise_for
from engine.prose import without


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
