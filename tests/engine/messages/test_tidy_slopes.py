"""Derivatives that are worked out for the learner: right, and as one would write them."""

from __future__ import annotations

import random
import re

import pytest

from engine.checking import check
from engine.exercise import exercise_for
from engine.verdict import Verdict

#: A sign before a sign, a factor or a divisor 1, a power 1, a 0, a fraction over a fraction.
UNTIDY = re.compile(
    r"- ?-|\+ -|\(-1\)|\b1 \* |\* 1\b(?!\.)|/1\b(?![.0-9])|\^1\b(?!\.)"
    r"|\b0 [*+]|[*+-] 0\b|\* -|/-|/\([^()]*/[^()]*\)/"
)


def derived(function: str) -> Verdict:
    """What a learner gets who leaves f' to the program."""
    keys = {"given": f"f(t) = {function}\ny[k] = f(x[k])", "find": "dL/dx[k]"}
    exercise = exercise_for(keys, [], "derivation")
    assert exercise is not None
    return check("dx[k] = delta[k] * f'(x[k])", exercise)


def written(rng: random.Random, depth: int) -> str:
    """A function of t whose values are finite everywhere, with signs and ones to trip over."""
    if depth == 0:
        return rng.choice(["t", "t", "(t - 1)", "(1 - t)", "(2 * t)", "(t/2)"])
    one, two = written(rng, depth - 1), written(rng, depth - 1)
    return rng.choice(
        [
            f"({one} + {two})",
            f"({one} - {two})",
            f"(-{one})",
            f"{one} * {two}",
            f"{one}/(2 + cos({two}))",
            f"({one})/(1/(2 + sin({two})))",
            f"sin({one})",
            f"tanh(-{one})",
            f"1/(1 + exp(-sin({one})))",
            f"exp(-cos({one}))",
            f"(2 + sin({one}))^(-2)",
            f"({one})^2/2",
        ]
    )


@pytest.mark.parametrize("seed", range(120))
def test_a_derivative_that_is_worked_out_has_the_right_value_and_is_tidy(seed: int) -> None:
    function = written(random.Random(seed), 2)
    found = derived(function)
    assert found.verdict == "correct", (function, found.read, found.message)
    first = found.read.split("\n")[0]
    if first.startswith("f'"):
        assert not UNTIDY.search(first), (function, first)


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        ("1/(1 + exp(-t))", "exp(-t)/(1 + exp(-t))^2"),
        ("-cos(-t)", "-sin(-t)"),
        ("(t - 1)^2/2", "t - 1"),
        ("t^2/2", "t"),
        ("sqrt(1 + t^2)", "t/sqrt(1 + t^2)"),
        ("2 * t * 3", "6"),
        ("exp(-t)", "-exp(-t)"),
        ("0.1 * t^3", "0.3 * t^2"),
        ("-(3 - t)", "1"),
        ("(2 + sin(t))^(-1)", "-(cos(t)/(2 + sin(t))^2)"),
        ("exp(-t^2)", "-(2 * t * exp(-t^2))"),
        ("2 * exp(3 * t)/3", "2 * exp(3 * t)"),
        ("sin(t) * cos(t)", "cos(t)^2 - sin(t)^2"),
        ("t - tanh(t)", "tanh(t)^2"),
        (
            "(exp(t) - exp(-t))/(exp(t) + exp(-t))",
            "1 - (exp(t) - exp(-t))^2/(exp(t) + exp(-t))^2",
        ),
        ("log(cosh(t))", "sinh(t)/cosh(t)"),
    ],
)
def test_a_derivative_is_told_as_one_would_write_it(function: str, slope: str) -> None:
    found = derived(function)
    assert found.verdict == "correct"
    assert found.read.split("\n")[0] == f"f'(t) = {slope}"
