"""δ with two indices is Kronecker's where it can be nothing else; one place is a diagonal."""

from __future__ import annotations

import pytest

from engine.checking import check
from engine.exercise import Exercise, exercise_for


def exercise_of(key: object) -> Exercise:
    found = exercise_for(key, [], "derivation")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("layer", "answer", "verdict"),
    [
        ("softmax", r"\frac{\partial y_k}{\partial x_i} = y_k(\delta_{ki}-y_i)", "correct"),
        ("softmax", r"\sum_k \delta_k y_k(\delta_{ki}-y_i)", "correct"),
        ("softmax", r"\delta_{x,i} = \sum_k \delta_k y_k(\delta_{ki}-y_i)", "correct"),
        ("softmax", r"\sum_k \delta_k y_k(\delta_{mi}-y_i)", "unreadable"),
        ("softmax", "dL/dx[i] = sum(delta[k] * y[k] * (delta[k,i] - y[i]) for k)", "correct"),
        ("softmax", r"\frac{\partial y_k}{\partial x_i} = y_k(\delta_{ki}+y_i)", "wrong"),
        ("linear", r"\frac{\partial y_k}{\partial W_{mj}} = \delta_{km}x_j", "correct"),
        ("linear", r"\frac{\partial y_k}{\partial W_{mj}} = \delta_{kj}x_m", "wrong"),
        ("cross-entropy", r"\frac{\partial p_k}{\partial x_i} = p_k(\delta_{ki}-p_i)", "correct"),
    ],
)  # fmt: skip
def test_two_indices_of_a_vector_s_delta_are_kronecker_s(
    layer: str, answer: str, verdict: str
) -> None:
    find = {"cross-entropy": "dp[k]/dx[i]", "linear": "dy[k]/dW[m,j]"}.get(layer)
    exercise = exercise_of({"layer": layer, **({"find": find} if find else {})})
    assert check(answer, exercise).verdict == verdict


def test_a_star_makes_it_kronecker_s_in_max_pooling() -> None:
    answer = (
        r"J_{kl,ij} = \delta_{i i^*}\delta_{j j^*} "
        r"\text{ where } (i^*,j^*) = \arg\max_{(p,q)\in\Omega(k,l)} x_{pq}"
    )
    found = check(answer, exercise_of("max-pool"))
    assert found.verdict == "correct"
    other = check(answer.replace("j j^*", "i j^*"), exercise_of("max-pool"))
    assert other.verdict in ("wrong", "unreadable")


@pytest.mark.parametrize(
    ("layer", "answer", "verdict"),
    [
        ("sigmoid", "y_k(1-y_k)", "correct"),
        ("sigmoid", "y_i(1-y_i)", "correct"),
        ("sigmoid", "y_k(1-y_i)", "wrong"),
        ("sigmoid", "y_k(1+y_k)", "wrong"),
        ("sigmoid", "y_k(1-y_k) [k == i]", "correct"),
        ("sigmoid", r"\sigma(s)(1-\sigma(s)) \text{ where } s=x_k", "correct"),
        ("sigmoid", "delta_k y_k(1-y_k)", "correct"),
        ("tanh", "1 - y_k^2", "correct"),
        ("relu", "[x_k > 0]", "correct"),
        ("softmax", "y_k(1-y_k)", "wrong"),
        ("sigmoid", "1", "wrong"),
    ],
)
def test_what_speaks_of_one_place_is_the_slope_there(layer: str, answer: str, verdict: str) -> None:
    assert check(answer, exercise_of(layer)).verdict == verdict
