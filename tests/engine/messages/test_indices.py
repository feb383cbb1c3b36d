"""Indices: from 0 or 1, sums that begin at 1, terms beyond an array (see also answers/indices)."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from engine.checking import check
from tests.engine.cases import given, judged, listed, made, table

CONVOLUTION = {
    "given": "y[i] = sum(w[a] * x[i+a-1] for a)",
    "find": "any",
    "sizes": {"i": "3", "a": "2"},
    "indices": "1",
}


def test_the_exercise_tells_its_indices_and_its_message_as_the_card_has_them() -> None:
    exercise = made(CONVOLUTION)
    assert dict(exercise.indices)["a"].startswith("1 to 2")
    assert ("y[i]", "sum(w[a] * x[i + a - 1] for a)") in exercise.symbols


POOL = {"layer": "max-pool", "find": "dx"}


@pytest.mark.parametrize("group", table("sums"), ids=lambda group: str(group["exercise"]))
def test_print_s_sums_and_counts_are_read_as_they_are_meant(group: dict[str, Any]) -> None:
    keys = group["exercise"]
    for answer, _, _ in listed(group):
        found = judged(keys, answer)
        assert found.verdict == "correct", (found.message, found.hint, found.read)
        assert "range(1" not in found.read
        assert "range(Ho)" in found.read or keys != POOL
        twice = f"2 * {answer}" if keys == POOL else f"3 * ({answer})"
        assert judged(keys, twice).verdict == "wrong"


def test_a_sum_that_is_right_only_if_all_indices_count_from_1_is_refused() -> None:
    message = "y[i] = sum(x[k] * (k + 1) for k) * z[i]"
    answer = "delta[i] * sum(x[k] * k for k in range(1,4))"
    found = check(answer, given(message, "dL/dz[i]", sizes={"k": "3"}, fixed="true"))
    assert found.verdict == "unreadable", (found.read, found.remark)
    assert "count from 0" in (found.message or "")
    assert "all but the first" in (found.message or "")


@pytest.mark.parametrize("sign", "+-")
def test_of_all_shifts_only_the_right_one_is_correct(sign: str) -> None:
    card = given("y[k] = sum(W[a] * x[k+a] for a)", "dL/dx[i]", sizes={"x": [5], "W": [3]})
    for shift, weight in product(("", "+1", "-1"), ("a", "a+1", "1-a")):
        found = check(f"sum(delta[i{sign}a{shift}] * W[{weight}] for a)", card)
        # delta[i-a-1] W[a+1] leaves out W[0] alone, which runs over a = -1.
        assert (found.verdict == "correct") == ((sign, shift, weight) == ("-", "", "a"))


@pytest.mark.parametrize("name", ["t", "label", "c", "y", "i", "n"])
def test_a_declared_index_may_have_any_name(name: str) -> None:
    message = f"L = log(sum(exp(x[k]) for k)) - x[{name}]"
    card = given(message, "dL/dx[j]", inputs={name: "index"})
    answer = f"exp(x[j])/sum(exp(x[m]) for m) - [j == {name}]"
    found = check(answer, card)
    assert (found.verdict, found.left_out) == ("correct", 0)
    assert check(answer[:-6], card).verdict != "correct"
    # It cannot run.
    assert f"{name} is given" in str(check(f"dx[{name}] = 0", card).message)
