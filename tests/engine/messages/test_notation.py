"""Notation of print: aliases, functions, slopes, LaTeX."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

from engine.checking import check
from engine.formula import tree as t
from engine.formula.axes import Axes
from engine.formula.slopes import DERIVATIVES
from engine.formula.tree import Apply, Cell, Number
from engine.messages.autodiff import Duals
from engine.messages.dual import DualArray
from engine.messages.vocabulary import FUNCTIONS
from engine.verdict import Verdict
from tests.engine.brute.numbers import FUNCTIONS as VALUES
from tests.engine.cases import given, table

ONES = [*(name for name, count in t.FUNCTIONS.items() if count == 1), *FUNCTIONS]
PLACES = (-2.3, -0.4, 0.7, 1.6)


def test_each_function_of_the_vocabulary_is_known_here() -> None:
    assert {*ONES} == {*VALUES} - {"kron", "max", "min"}
    assert set(ONES) <= set(DERIVATIVES)


@pytest.mark.parametrize("name", ONES)
def test_value_and_slope_are_those_of_numbers(name: str) -> None:
    of = VALUES[name]
    places = [p for p in PLACES if p > 0 or name not in ("log", "sqrt")]
    axes = Axes(len(places))
    axes.new(1)
    table = DualArray(np.array(places)[:, None], np.ones((len(places), 1, 1)))
    duals = Duals(axes, {"x": table}, lambda *_: 1)
    found = duals.dual(Apply(name, (Cell("x", (Number(0.0),)),)), {})
    slope = np.zeros(len(places)) if found.slope is None else found.slope.data.ravel()
    assert found.value.data.ravel() == pytest.approx([of(p) for p in places])
    h = 1e-5
    assert slope == pytest.approx([(of(p + h) - of(p - h)) / (2 * h) for p in places], abs=1e-6)


@pytest.mark.parametrize("name", ONES)
def test_a_function_too_many_is_wrong(name: str) -> None:
    card = given("y[k] = x[k]^2")
    assert check("2 * x[k] * delta[k]", card).verdict == "correct"
    for answer in (f"2 * {name}(x[k]) * delta[k]", f"2 * x[k] * {name}(delta[k])"):
        assert check(answer, card).verdict == "wrong", answer


#: A sign before a sign, a factor or a divisor 1, a power 1, a 0, a fraction over a fraction.
UNTIDY = re.compile(
    r"- ?-|\+ -|\(-1\)|\b1 \* |\* 1\b(?!\.)|/1\b(?![.0-9])|\^1\b(?!\.)"
    r"|\b0 [*+]|[*+-] 0\b|\* -|/-|/\([^()]*/[^()]*\)/"
)


def derived(function: str) -> Verdict:
    """What a learner gets who leaves f' to the program."""
    card = given(f"f(t) = {function}\ny[k] = f(x[k])")
    return check("dx[k] = delta[k] * f'(x[k])", card)


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


@pytest.mark.parametrize(
    "seed", [pytest.param(n, marks=[] if n < 40 else pytest.mark.long) for n in range(120)]
)
def test_a_derivative_that_is_worked_out_has_the_right_value_and_is_tidy(seed: int) -> None:
    function = written(random.Random(seed), 2)
    found = derived(function)
    assert found.verdict == "correct", (function, found.read, found.message)
    first = found.read.split("\n")[0]
    if first.startswith("f'"):
        assert not UNTIDY.search(first), (function, first)


@pytest.mark.parametrize(("function", "slope"), table("readings")["slopes"])
def test_a_derivative_is_told_as_one_would_write_it(function: str, slope: str) -> None:
    found = derived(function)
    assert found.verdict == "correct"
    assert found.read.split("\n")[0] == f"f'(t) = {slope}"
