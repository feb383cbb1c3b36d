"""Notation of print: aliases, functions, slopes, LaTeX."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable

import numpy as np
import pytest

from engine.checking import check
from engine.exercise import Exercise, exercise_for
from engine.formula import names
from engine.formula.axes import Axes
from engine.formula.rewrite import DERIVATIVES
from engine.formula.tree import Apply, Cell, Number, OffsetError
from engine.messages.autodiff import Duals
from engine.messages.dual import DualArray
from engine.messages.vocabulary import FUNCTIONS
from engine.verdict import Verdict


def exercise_of(key: object) -> Exercise:
    found = exercise_for(key, [], "derivation")
    assert found is not None
    return found


NORM = "g[m]*delta[m] for m) - h[j]*sum(g[m]*delta[m]*h[m] for m))"


@pytest.mark.parametrize(
    ("layer", "answer", "verdict"),
    [
        ("sigmoid", r"\delta_k \hat y_k(1-\hat y_k)", "correct"),
        ("sigmoid", r"\frac{\partial \hat y_k}{\partial x_k}=\hat y_k(1-\hat y_k)", "correct"),
        ("sigmoid", "delta_k ŷ_k (1 + ŷ_k)", "wrong"),
        ("sigmoid", "yhat[k] = 1 - y[k]\ndelta_k y_k yhat_k", "correct"),  # the learner's own
        ("cross-entropy", r"\hat{y}_k - t_k", "correct"),
        ("cross-entropy", r"t_k - \hat y_k", "wrong"),
        ("layer-norm", f"dx[j] = 1/(N*sqrt(v+ε))*(N*g[j]*delta[j] - sum({NORM}", "correct"),
        ("layer-norm", f"dx[j] = 1/(n*sqrt(v+eps))*(g[j]*delta[j] - sum({NORM}", "wrong"),
        (
            "layer-norm",
            r"\delta_{x,j}=\frac{1}{n\sqrt{v+\varepsilon}}"
            r"(n g_j\delta_j - \sum_m g_m\delta_m - h_j\sum_m g_m\delta_m h_m)",
            "correct",
        ),
        ("softmax", "dx[n] = y[n]*(delta[n] - sum(delta[k]*y[k] for k))", "correct"),
        ("tanh", r"\delta_k / \cosh^2(x_k)", "correct"),
        ("tanh", r"\delta_k \operatorname{sech}^2(x_k)", "correct"),
        ("tanh", "delta[k]*sech(x[k])", "wrong"),
        ("tanh", "delta[k]*(1 - (sinh(x[k])/cosh(x[k]))^2)", "correct"),
    ],
)
def test_print_s_names_mean_what_is_given(layer: str, answer: str, verdict: str) -> None:
    assert check(answer, exercise_of(layer)).verdict == verdict


@pytest.mark.parametrize(
    ("layer", "answer"),
    [("max-pool", "delta[i,j] = delta[k,l]"), ("softmax", "delta[k] = y[k]")],
)
def test_an_answer_that_begins_with_delta_is_told_so(layer: str, answer: str) -> None:
    found = check(answer, exercise_of(layer))
    assert found.verdict == "unreadable"
    assert found.message is not None
    assert "message from above" in found.message
    assert found.hint is not None
    assert "dx[i,j] =" in found.hint or "dL/dx[j] =" in found.hint
    assert found.column == 1


VALUES: dict[str, Callable[[float], float]] = {
    "abs": abs,
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
    "sign": lambda a: float((a > 0) - (a < 0)),
    "tanh": math.tanh,
    "relu": lambda a: max(a, 0.0),
    "floor": lambda a: float(math.floor(a)),
    "ceil": lambda a: float(math.ceil(a)),
    "sigmoid": lambda a: 1 / (1 + math.exp(-a)),
    "softplus": lambda a: math.log(1 + math.exp(a)),
    "erf": math.erf,
    "sin": math.sin,
    "cos": math.cos,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "sech": lambda a: 1 / math.cosh(a),
}
ONES = [*(name for name, count in names.FUNCTIONS.items() if count == 1), *FUNCTIONS]
PLACES = (-2.3, -0.4, 0.7, 1.6)


def exercise(given: str, **more: object) -> Exercise:
    found = exercise_for({"given": given, "find": "dL/dx[k]", **more}, [], "derivation")
    assert found is not None
    return found


def test_each_function_of_the_vocabulary_is_known_here() -> None:
    assert sorted(ONES) == sorted(VALUES)
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
    given = exercise("y[k] = x[k]^2")
    assert check("2 * x[k] * delta[k]", given).verdict == "correct"
    for answer in (f"2 * {name}(x[k]) * delta[k]", f"2 * x[k] * {name}(delta[k])"):
        assert check(answer, given).verdict == "wrong", answer


def test_an_unknown_function_in_a_tree_is_refused() -> None:
    duals = Duals(Axes(1), {}, lambda *_: 1)
    with pytest.raises(OffsetError):
        duals.dual(Apply("round", (Number(1.0),)), {})


@pytest.mark.parametrize(
    ("given", "answer", "verdict"),
    [
        ("y[k] = x[k] * floor(x[k])", "delta[k] * floor(x[k])", "correct"),
        ("y[k] = x[k] * floor(x[k])", "delta[k] * ceil(x[k])", "wrong"),
        ("y[k] = x[k] * ceil(x[k])", "delta[k] * ceil(x[k])", "correct"),
        ("y[k] = x[k] * sign(x[k])", "delta[k] * (1 if x[k] > 0 else -1)", "correct"),
        ("y[k] = x[k] * sign(x[k])", "delta[k] * x[k] / abs(x[k])", "correct-except-ties"),
        ("y[k] = abs(x[k])", "delta[k] * x[k] / abs(x[k])", "correct-except-ties"),
        ("y[k] = abs(x[k])", "delta[k] * abs(x[k]) / x[k]", "correct-except-ties"),
        ("y[k] = abs(x[k])", "-delta[k] * x[k] / abs(x[k])", "wrong"),
        ("y[k] = max(x[k], 0)", "delta[k] * max(x[k], 0) / x[k]", "correct-except-ties"),
    ],
)
def test_what_jumps_has_no_slope_there(given: str, answer: str, verdict: str) -> None:
    assert check(answer, exercise(given)).verdict == verdict


def test_of_a_kink_only_the_tie_is_named() -> None:
    found = check("delta[k] * x[k] / abs(x[k])", exercise("y[k] = abs(x[k])"))
    assert found.wrong_when == ("x[k] == 0 for some k",)


def test_an_index_may_be_rounded() -> None:
    given = exercise_for(
        {"given": "y[i] = x[floor(i/2)]", "find": "dL/dx[j]", "sizes": {"i": 4}}, [], "derivation"
    )
    assert given is not None
    right = "sum(delta[i] * [floor(i/2) == j] for i)"
    assert check(right, given).verdict == "correct"
    assert check(right.replace("floor", "ceil"), given).verdict == "wrong"


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


@pytest.mark.parametrize(
    ("given", "find", "answer"),
    [
        (
            r"s_k = \sum_j W_{kj} x_j + b_k" + "\n" + r"y_k = \tanh(s_k)",
            r"\frac{\partial L}{\partial x_j}",
            r"\sum_k \delta_k (1 - y_k^2) W_{kj}",
        ),
        (
            r"\hat y_k = \frac{e^{x_k}}{\sum_m e^{x_m}} \\ L = -\sum_k t_k \log \hat y_k",
            "dL/dx[k]",
            r"\hat y_k - t_k",
        ),
        (
            "\\begin{aligned}\ns_k &= x_k^2 \\\\\nL &= \\sum_k s_k\n\\end{aligned}",
            r"\partial L / \partial x_k",
            "2*x[k]",
        ),
        (
            "y_k = \\begin{cases} x_k & x_k > 0 \\\\\n a x_k & \\text{otherwise}\\end{cases}",
            "dx",
            "delta[k] * (1 if x[k] > 0 else a)",
        ),
        ("s[k] = x[k]^2\n" + r"y_k = \sqrt{s_k + 1}", "dL/dx[k]", "delta[k]*x[k]/y[k]"),
    ],
)
def test_latex_is_read_wherever_a_formula_stands(given: str, find: str, answer: str) -> None:
    exercise = exercise_for({"given": given, "find": find}, (), "derivation")
    assert exercise is not None
    found = check(answer, exercise)
    assert (found.verdict, found.message) == ("correct", None)
