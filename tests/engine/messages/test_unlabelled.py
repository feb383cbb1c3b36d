"""An answer without a left side: its free indices say what it is the answer to, or it is asked."""

from __future__ import annotations

import pytest

from engine.checking import check
from engine.exercise import exercise_for


@pytest.mark.parametrize(
    ("layer", "answer", "read"),
    [
        ("linear", "delta[k]", "dL/db[k]"),
        ("linear", "delta", "dL/db[k]"),
        ("linear", "sum(delta[k] * W[k,j] for k)", "dL/dx[j]"),
        ("linear", "delta[k] * x[j]", "dL/dW[k,j]"),
        ("linear", "W[k,j]", "dy[k]/dx[j]"),
        ("linear", "[k == m]", "dy[k]/db[m]"),
        ("linear", "s = delta[k]\ns * x[j]", "dL/dW[k,j]"),
        ("batch-norm", "sum(delta[i] * h[i] for i)", "dL/dg"),
        ("convolution", "sum(delta[i] for i)", "dL/db"),
        ("attention", "sum(delta[i,c] * a[i,j] for i)", "dL/dv[j,c]"),
    ],
)
def test_the_indices_tell_what_is_answered(layer: str, answer: str, read: str) -> None:
    exercise = exercise_for({"layer": layer}, [], "derivation")
    assert exercise is not None
    found = check(answer, exercise)
    assert found.verdict == "correct"
    assert found.read.splitlines()[-1].startswith(f"{read} =")


@pytest.mark.parametrize(
    ("layer", "answer", "names"),
    [
        ("layer-norm", "delta[j]", ("dL/dx[j]", "dL/dg[j]", "dL/db[j]")),
        ("layer-norm", "delta", ("dL/dx[j]", "dL/dg[j]", "dL/db[j]")),
        ("batch-norm", "sum(delta[i] for i)", ("dL/dg", "dL/db")),
        ("batch-norm", "g * sum(delta[i] for i)", ("dL/dg", "dL/db")),
    ],
)
def test_where_several_fit_it_is_not_guessed(
    layer: str, answer: str, names: tuple[str, ...]
) -> None:
    exercise = exercise_for({"layer": layer}, [], "derivation")
    assert exercise is not None
    found = check(answer, exercise)
    assert found.verdict == "unreadable"
    assert found.message is not None
    assert all(name in found.message for name in names)
    assert found.hint == f"say which: begin with {names[0]} ="
    left = names[-1] if "[" in answer else names[-1].partition("[")[0]
    assert check(f"{left} = {answer}", exercise).verdict in ("correct", "wrong")


@pytest.mark.parametrize(
    "lines",
    [
        "dL/dx[j] = sum(delta[k] * f'(s[k]) * W[k,j] for k)\nf'(s) = 1 if s > 0 else exp(s)",
        "dL/dx[j] = sum(delta[k] * g(s[k]) * W[k,j] for k)\ng(x) = 1 if x > 0 else exp(x)",
        "dL/dx[j] = sum(delta[k] * dy[k]/ds[k] * W[k,j] for k)"
        "\ndy[k]/ds[k] = 1 if s[k] > 0 else exp(s[k])",
        "dL/dx_j = sum_k dL/dy_k * dy_k/dx_j where dy_k/dx_j = min(1, y_k + 1) * W_kj",
        r"\frac{\partial L}{\partial x_j} = \sum_k \delta_k f'(s_k) W_{kj}, \quad"
        r" f'(s) = \begin{cases} 1 & s > 0 \\ e^{s} & \text{otherwise} \end{cases}",
    ],
)
def test_what_an_answer_defines_by_given_names_is_read(lines: str) -> None:
    exercise = exercise_for({"layer": "linear-elu", "find": "dL/dx[j]"}, [], "derivation")
    assert exercise is not None
    assert check(lines, exercise).verdict == "correct"


@pytest.mark.parametrize(
    "answer",
    [
        r"\frac{\gamma}{m\sqrt{\sigma^2+\epsilon}}\left(m\delta_i-\sum_k\delta_k"
        r"-\hat x_i\sum_k\delta_k\hat x_k\right)",
        "n = m\n"
        "g / (n * sqrt(v + eps))"
        " * (n * delta[i] - sum(delta[k] for k) - h[i] * sum(delta[k] * h[k] for k))",
    ],
)
def test_a_mean_that_is_used_as_the_number_is_refused(answer: str) -> None:
    exercise = exercise_for({"layer": "batch-norm", "find": "dL/dx[i]"}, [], "derivation")
    assert exercise is not None
    found = check(answer, exercise)
    assert (found.verdict, found.hint) == ("unreadable", "write N for the number")
    assert check(answer.replace("n = m", "n = N").replace("m\\", "N\\"), exercise).ok


def test_a_mean_that_is_used_as_one_is_not() -> None:
    exercise = exercise_for({"layer": "batch-norm", "find": "dL/dg"}, [], "derivation")
    assert exercise is not None
    assert check("sum(delta[i] * (x[i] - m) for i) / sqrt(v + eps)", exercise).verdict == "correct"
    assert check("m * sum(delta[i] * h[i] for i)", exercise).verdict == "wrong"
