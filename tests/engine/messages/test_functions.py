"""Every function of one number that an answer may use: its value, its slope, and where it jumps."""

from __future__ import annotations

import math
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
