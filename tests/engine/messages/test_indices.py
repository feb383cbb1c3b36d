"""An input in the place of an index, and the place of a largest as one."""

from __future__ import annotations

import pytest

from engine.checking import check
from engine.exercise import GivenError, exercise_for
from engine.verdict import Verdict


def verdict(answer: str, given: str, find: str, **keys: object) -> Verdict:
    exercise = exercise_for({"given": given, "find": find, **keys}, (), "derivation")
    assert exercise is not None
    return check(answer, exercise)


@pytest.mark.parametrize("name", ["t", "label", "c", "y", "i", "n"])
def test_a_declared_index_may_have_any_name(name: str) -> None:
    given = f"L = log(sum(exp(x[k]) for k)) - x[{name}]"
    answer = f"exp(x[j])/sum(exp(x[m]) for m) - [j == {name}]"
    found = verdict(answer, given, "dL/dx[j]", inputs={name: "index"})
    assert (found.verdict, found.left_out) == ("correct", 0)
    assert verdict(answer[:-6], given, "dL/dx[j]", inputs={name: "index"}).verdict != "correct"


def test_a_row_of_indices_may_have_any_name() -> None:
    given = "L = sum(log(sum(exp(x[n,k]) for k)) - x[n,c[n]] for n)"
    answer = "exp(x[n,j])/sum(exp(x[n,k]) for k) - [j == c[n]]"
    assert verdict(answer, given, "dL/dx[n,j]", inputs={"c": "index"}).verdict == "correct"


def test_a_given_index_cannot_run() -> None:
    inputs = {"c": "index"}
    with pytest.raises(GivenError, match="'c' is given here and runs over an index there"):
        verdict("", "L = sum(x[c] for c) - x[c]", "dL/dx[j]", inputs=inputs)
    with pytest.raises(GivenError, match="c is given, it cannot be an index"):
        verdict("", "L = sum(x[k] for k) - x[c]", "dL/dx[c]", inputs=inputs)
    found = verdict("dx[c] = 0", "L = sum(x[k] for k) - x[c]", "dL/dx[j]", inputs=inputs)
    assert "c is given" in str(found.message)


@pytest.mark.parametrize(
    "given",
    [
        "L = 2*w[argmax(x[k] for k)]",
        "i* = argmax(x[k] for k)\nL = 2*w[i*]",
        "(i*) = argmax(x[k] for k)\nL = 2*w[i*]",
        r"i^* = \arg\max_k x_k \\ L = 2 w_{i^*}",
        "L = 2*w[argmax(x)] + 0*sum(x[k] for k)",
    ],
)
@pytest.mark.parametrize("sizes", [{}, {"w": [5], "x": [3]}])
def test_an_array_is_as_long_as_the_place_of_a_largest_may_be(
    given: str, sizes: dict[str, list[int]]
) -> None:
    answer = "2*[j == argmax(x[m] for m)]"
    assert verdict(answer, given, "dL/dw[j]", sizes=sizes).verdict == "correct"


def test_the_place_of_a_largest_may_be_moved() -> None:
    answer = "sum(delta[k]*[m == argmax(x[k,j] for j) + 1] for k)"
    assert verdict(answer, "y[k] = w[argmax(x[k,j] for j) + 1]", "dL/dw[m]").verdict == "correct"
