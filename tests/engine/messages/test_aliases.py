"""Names of print: ŷ, ε, N, hyperbolic functions; and a delta that stands for the answer."""

from __future__ import annotations

import pytest

from engine.checking import check
from engine.exercise import Exercise, exercise_for


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
