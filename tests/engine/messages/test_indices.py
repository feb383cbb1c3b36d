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
    assert check(exercise.example, exercise).verdict in ("wrong", "correct")


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


def test_a_place_that_is_computed_keeps_the_range_as_it_is_written() -> None:
    literal = "sum({} for k in range(1,Ho+1) for l in range(1,Wo+1))"
    right = literal.format("delta[k-1,l-1] * [(i,j) == argmax(k-1,l-1)]")
    assert judged(POOL, right).verdict == "correct"
    wrong = literal.format("delta[k,l] * [(i,j) == argmax(k,l)] * [k*sh <= i]")
    found = judged({**POOL, "kernel": 2, "stride": 1, "padding": 0}, wrong)
    assert found.verdict == "wrong"
    assert "begins at 1" in (found.remark or "")


def test_a_sum_that_is_right_only_if_all_indices_count_from_1_is_refused() -> None:
    message = "y[i] = sum(x[k] * (k + 1) for k) * z[i]"
    answer = "delta[i] * sum(x[k] * k for k in range(1,4))"
    found = check(answer, given(message, "dL/dz[i]", sizes={"k": "3"}, fixed="true"))
    assert found.verdict == "unreadable", (found.read, found.remark)
    assert "count from 0" in (found.message or "")
    assert "all but the first" in (found.message or "")
    begun = check(answer.replace("k for", "k * k for"), given(message, "dL/dz[i]", sizes={"k": 3}))
    assert begun.verdict == "wrong"
    assert "begins at 1" in (begun.remark or "")


def test_the_letter_of_a_mean_is_not_taken_for_the_number() -> None:
    found = judged(
        {"layer": "batch-norm", "find": "dx"},
        r"\frac{g}{m\sqrt{v+\epsilon}}(m\delta_i - \sum_{j=1}^m \delta_j"
        r" - h_i\sum_{j=1}^m \delta_j h_j)",
    )
    assert found.verdict == "unreadable"
    assert "m is the mean here" in (found.message or "")


def test_a_star_makes_it_kronecker_s_in_max_pooling() -> None:
    answer = (
        r"J_{kl,ij} = \delta_{i i^*}\delta_{j j^*} "
        r"\text{ where } (i^*,j^*) = \arg\max_{(p,q)\in\Omega(k,l)} x_{pq}"
    )
    assert judged("max-pool", answer).verdict == "correct"
    other = judged("max-pool", answer.replace("j j^*", "i j^*"))
    assert other.verdict in ("wrong", "unreadable")


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


def test_a_row_of_indices_may_have_any_name() -> None:
    message = "L = sum(log(sum(exp(x[n,k]) for k)) - x[n,c[n]] for n)"
    answer = "exp(x[n,j])/sum(exp(x[n,k]) for k) - [j == c[n]]"
    card = given(message, "dL/dx[n,j]", inputs={"c": "index"})
    assert check(answer, card).verdict == "correct"
