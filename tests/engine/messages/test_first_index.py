"""Indices that count from 1, where a card says so: the message and the answers to it."""

from __future__ import annotations

from typing import Any

import pytest

from engine.checking import check
from engine.exercise import Exercise, ExerciseError, exercise_for

CONVOLUTION = {
    "given": "y[i] = sum(w[a] * x[i+a-1] for a)",
    "find": "any",
    "sizes": {"i": "3", "a": "2"},
    "indices": "1",
}
LINEAR = {
    "given": "s_k = sum_{j=1}^{n} W_kj x_j\ny[k] = tanh(s[k])",
    "find": "dL/dx[j]",
    "sizes": {"j": "n", "n": "3", "k": "K", "K": "2"},
    "indices": "1",
}
FROM_ZERO = {**LINEAR, "indices": "0"}
CLASS = {
    "given": "p[k] = exp(z[k]) / sum(exp(z[m]) for m)\nL = -log(p[t])",
    "find": "dL/dz[k]",
    "indices": "1",
}
LARGEST = {"given": "y = max(x[k] for k)", "find": "dL/dx[k]", "indices": "1"}
WEIGHTED = {"given": "L = sum(k * x[k] for k)", "find": "dL/dx[k]", "indices": "1"}
LATER = {"given": "y[k] = 2 * x[k+1]", "find": "dL/dx[j]", "sizes": {"k": "3"}, "indices": "1"}


def made(keys: dict[str, Any]) -> Exercise:
    exercise = exercise_for(keys, [], "derivation")
    assert exercise is not None
    return exercise


@pytest.mark.parametrize(
    ("keys", "answer", "verdict"),
    [
        (CONVOLUTION, "dL/dx[j] = sum(delta[i]*w[a]*[j == i+a-1] for i,a)", "correct"),
        (CONVOLUTION, "dL/dx[j] = sum(delta[i]*w[a]*[j == i+a] for i,a)", "wrong"),
        (CONVOLUTION, "dL/dw[a] = sum(delta[i]*x[i+a-1] for i)", "correct"),
        (CONVOLUTION, "dL/dw[a] = sum(delta[i]*x[i+a] for i)", "wrong"),
        (LINEAR, "sum_{k=1}^{K} delta_k (1-y_k^2) W_kj", "correct"),
        (LINEAR, "sum_{k=1}^{M} delta_k (1-y_k^2) W_kj", "correct"),
        (LINEAR, "sum_{k=1}^{K-1} delta_k (1-y_k^2) W_kj", "wrong"),
        (LINEAR, "sum_{k=1}^{M-1} delta_k (1-y_k^2) W_kj", "unreadable"),
        (LINEAR, "dx = W^T (delta ⊙ (1 - y ⊙ y))", "correct"),
        (LINEAR, "g[m] = delta[m] (1-y[m]^2)\nsum(g[k] W_kj for k)", "correct"),
        (LINEAR, "g(t) = 1 - t^2\nsum(delta[k] g(y[k]) W_kj for k)", "correct"),
        (FROM_ZERO, "sum_{k=1}^{K} delta_k (1-y_k^2) W_kj", "correct"),
        (FROM_ZERO, "sum_{k=1}^{M} delta_k (1-y_k^2) W_kj", "correct"),
        (FROM_ZERO, "sum_{k=0}^{K-1} delta_k (1-y_k^2) W_kj", "correct"),
        (FROM_ZERO, "sum_{k=1}^{K-1} delta_k (1-y_k^2) W_kj", "wrong"),
        (FROM_ZERO, "sum_{k=1}^{M-1} delta_k (1-y_k^2) W_kj", "unreadable"),
        (CLASS, "p[k] - [k == t]", "correct"),
        (CLASS, "{ p_k - 1 if k = t; p_k otherwise }", "correct"),
        (CLASS, "p[k] - [k == t-1]", "wrong"),
        (LARGEST, "delta * [k == argmax(x[m] for m)]", "correct"),
        (LARGEST, "m = argmax(x[i] for i)\ndelta * [k = m]", "correct"),
        (WEIGHTED, "k", "correct"),
        (WEIGHTED, "k + 1", "wrong"),
        (LATER, "2 * delta[j-1] * [j > 1]", "correct"),
        (LATER, "{ 2 delta[j-1] if j > 1; 0 if j = 1; 0 otherwise }", "correct"),
        (LATER, "2 * delta[j] * [j > 1]", "wrong"),
    ],
)
def test_an_answer_is_read_with_the_cards_indices(
    keys: dict[str, Any], answer: str, verdict: str
) -> None:
    found = check(answer, made(keys))
    assert found.verdict == verdict
    if found.read:
        again = check(found.read, made(keys))
        assert (again.read, again.verdict) == (found.read, verdict)


def test_the_exercise_tells_its_indices_and_its_message_as_the_card_has_them() -> None:
    exercise = made(CONVOLUTION)
    assert dict(exercise.indices)["a"].startswith("1 to 2")
    assert ("y[i]", "sum(w[a] * x[i + a - 1] for a)") in exercise.symbols
    assert check(exercise.example, exercise).verdict in ("wrong", "correct")


@pytest.mark.parametrize("value", ["2", "one", "-1", "[1]"])
def test_another_first_index_is_refused(value: str) -> None:
    with pytest.raises(ExerciseError, match=r"indices is .*: 0 or 1 is allowed"):
        made({**LINEAR, "indices": value})
