"""Sums that count from 1, and letters for how many there are, where indices count from 0."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from engine.checking import check
from engine.exercise import Exercise, exercise_for

MEAN = {
    "given": "y[n] = sum(X[n,j] * w[j] for j)\nL = mean((y[n] - t[n])^2 for n)",
    "find": "dL/dw[j]",
}
SIZED = {
    "given": "L = sum((x[i] - t[i])^2 for i) / n",
    "find": "dL/dx[i]",
    "sizes": {"n": "3", "i": "n"},
}
LINEAR = {"given": "y[k] = sum(W[k,j] * x[j] for j)", "find": "dL/dx[j]"}
SOFTMAX = {"given": "y[k] = exp(x[k]) / sum(exp(x[m]) for m)", "find": "dL/dx[k]"}
POOL = {"layer": "max-pool", "find": "dx"}


def made(keys: Mapping[str, object]) -> Exercise:
    exercise = exercise_for(keys, [], "derivation")
    assert exercise is not None
    return exercise


@pytest.mark.parametrize(
    "answer",
    [
        r"\sum_{{k=1}}^{{H_o}}\sum_{{l=1}}^{{W_o}} \delta_{{kl}}[(i,j)=\arg\max(k,l)]{0}",
        r"\sum_{{k=1}}^{{H_{{out}}}}\sum_{{l=1}}^{{W_{{out}}}} \delta_{{kl}}"
        r" [(i,j)=\arg\max_{{(p,q)\in\Omega(k,l)}} x_{{pq}}]{0}",
        "sum(delta[k,l] * [(i,j) == argmax(k,l)] for k in 1..Ho for l in 1..Wo){0}",
        "sum_{{k=1}}^{{Ho}} sum_{{l=1}}^{{Wo}} delta[k,l] * [(i,j) == argmax(k,l)]{0}",
        r"\sum_{{k=1}}^{{H_o}}\sum_{{l=1}}^{{W_o}}\sum_{{p=1}}^{{H}}\sum_{{q=1}}^{{W}}"
        r" \delta_{{kl}} [(p,q)=\arg\max(k,l)] [p=i][q=j]{0}",
    ],
)
def test_windows_counted_from_1_are_all_windows(answer: str) -> None:
    found = check(answer.format(""), made(POOL))
    assert found.verdict == "correct", (found.message, found.read)
    assert "range(Ho)" in found.read
    assert check("2 * " + answer.format(""), made(POOL)).verdict == "wrong"


def test_a_place_that_is_computed_keeps_the_range_as_it_is_written() -> None:
    literal = "sum({} for k in range(1,Ho+1) for l in range(1,Wo+1))"
    right = literal.format("delta[k-1,l-1] * [(i,j) == argmax(k-1,l-1)]")
    assert check(right, made(POOL)).verdict == "correct"
    wrong = literal.format("delta[k,l] * [(i,j) == argmax(k,l)] * [k*sh <= i]")
    found = check(wrong, made({**POOL, "kernel": 2, "stride": 1, "padding": 0}))
    assert found.verdict == "wrong"
    assert "begins at 1" in (found.remark or "")


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        (SIZED, r"\frac{{1}}{{n}}\sum_{{k=1}}^{{n}} 2(x_k - t_k)[k = i]"),
        (SIZED, "2/n * sum((x[k] - t[k]) * [k == i] for k in 1..n)"),
        (SOFTMAX, r"\sum_{{k=1}}^{{n}} \delta_k y_k ([k = i] - y_i)"),
        (SOFTMAX, r"y_i(\delta_i - \sum_{{k=1}}^{{K}} \delta_k y_k)"),
        (LINEAR, "sum_{{k=1}}^K delta[k] * W[k,j]"),
        *(
            (MEAN, answer.replace("#", number))
            for number in ("N", "n", "m", "B")
            for answer in (
                r"\frac{{2}}{{#}} \sum_{{i=1}}^{{#}} (y_i - t_i) X_{{ij}}",
                "2/# * X.T @ (y - t)",
                "2/# * sum_{{i=1}}^# (y[i] - t[i]) * X[i,j]",
                "1/# * sum(2 * (y[i] - t[i]) * X[i,j] for i in 1..#)",
            )
        ),
        (MEAN, "2/batch_size * X.T @ (y - t)"),
    ],
)
def test_print_s_sums_and_counts_are_read_as_they_are_meant(
    keys: Mapping[str, object], answer: str
) -> None:
    answer = answer.format()
    found = check(answer, made(keys))
    assert found.verdict == "correct", (found.message, found.hint, found.read)
    assert "range(1" not in found.read
    assert check(f"3 * ({answer})", made(keys)).verdict == "wrong"


def test_a_sum_that_is_right_only_if_all_indices_count_from_1_is_refused() -> None:
    given = "y[i] = sum(x[k] * (k + 1) for k) * z[i]"
    keys: dict[str, object] = {"given": given, "find": "dL/dz[i]", "sizes": {"k": "3"}}
    answer = "delta[i] * sum(x[k] * k for k in range(1,4))"
    found = check(answer, made({**keys, "fixed": "true"}))
    assert found.verdict == "unreadable", (found.read, found.remark)
    assert "count from 0" in (found.message or "")
    assert "all but the first" in (found.message or "")
    begun = check(answer.replace("k for", "k * k for"), made(keys))
    assert begun.verdict == "wrong"
    assert "begins at 1" in (begun.remark or "")


def test_the_letter_of_a_mean_is_not_taken_for_the_number() -> None:
    found = check(
        r"\frac{g}{m\sqrt{v+\epsilon}}(m\delta_i - \sum_{j=1}^m \delta_j"
        r" - h_i\sum_{j=1}^m \delta_j h_j)",
        made({"layer": "batch-norm", "find": "dx"}),
    )
    assert found.verdict == "unreadable"
    assert "m is the mean here" in (found.message or "")
