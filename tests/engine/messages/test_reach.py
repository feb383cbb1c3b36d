"""Terms of a sum whose index leaves its array's range count as 0, and make nothing else right."""

from __future__ import annotations

from itertools import product

import pytest

from engine.checking import check
from engine.exercise import Exercise, exercise_for

REMARK = "Terms beyond the range of {} count as 0."


def exercise_of(key: object) -> Exercise:
    found = exercise_for(key, [], "derivation")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("answer", "array"),
    [
        (r"\sum_{a,b} \delta_{i-a,j-b} W_{ab}", "delta"),
        ("sum(delta[i-a,j-b]*W[a,b] for a,b)", "delta"),
        ("sum_a sum_b delta[i-a,j-b]*W[a,b]", "delta"),
        ("sum(delta[k,l]*W[i-k,j-l] for k,l)", "W"),
        ("g[k,l] = delta[k,l]\ndx[i,j] = sum(g[i-a,j-b]*W[a,b] for a,b)", "delta"),
    ],
)
def test_the_textbook_gradient_of_a_convolution_is_correct(answer: str, array: str) -> None:
    found = check(answer, exercise_of("convolution-2d"))
    assert found.verdict == "correct"
    assert found.remark == REMARK.format(array)


@pytest.mark.parametrize(
    ("sign", "shift", "weight"), product("+-", ("", "+1", "-1"), ("a", "a+1", "1-a"))
)
def test_of_all_shifts_only_the_right_one_is_correct(sign: str, shift: str, weight: str) -> None:
    card = {
        "given": "y[k] = sum(W[a] * x[k+a] for a)",
        "find": "dL/dx[i]",
        "sizes": {"x": [5], "W": [3]},
    }
    found = check(f"sum(delta[i{sign}a{shift}] * W[{weight}] for a)", exercise_of(card))
    # delta[i-a-1] W[a+1] leaves out W[0] alone, which runs over a = -1.
    assert (found.verdict == "correct") == ((sign, shift, weight) == ("-", "", "a"))


def test_a_plain_index_that_runs_too_far_stays_undefined() -> None:
    found = check("sum(W[j,k] * delta[k] for k)", exercise_of("linear"))
    assert found.verdict == "wrong"


def test_a_cell_beyond_its_range_is_undefined_outside_of_sums() -> None:
    card = {"given": "y[k] = sum(x[k+a] for a in range(2))", "find": "dL/dx[i]"}
    assert check("delta[i] + delta[i-1]", exercise_of(card)).verdict == "wrong"
    right = "sum(delta[i-a] for a in range(2))"
    assert check(right, exercise_of(card)).verdict == "correct"


def test_a_division_by_zero_in_a_sum_is_not_hidden() -> None:
    found = check("sum(delta[i-a] * W[a] / 0 for a)", exercise_of("convolution"))
    assert found.verdict in ("wrong", "unreadable")
