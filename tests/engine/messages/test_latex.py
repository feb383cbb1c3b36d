"""A forward message and what is to be found, written in LaTeX."""

from __future__ import annotations

import pytest

from engine.checking import check
from engine.exercise import exercise_for


@pytest.mark.parametrize(
    ("given", "find", "answer"),
    [
        (
            r"s_k = \sum_j W_{kj} x_j + b_k" + "\n" + r"y_k = \tanh(s_k)",
            r"\frac{\partial L}{\partial x_j}",
            r"\sum_k \delta_k (1 - y_k^2) W_{kj}",
        ),
        (
            r"\hat y_k = \frac{e^{x_k}}{\sum_m e^{x_m}} \\ L = -\sum_k t_k \log \hat y_k",
            "dL/dx[k]",
            r"\hat y_k - t_k",
        ),
        (
            "\\begin{aligned}\ns_k &= x_k^2 \\\\\nL &= \\sum_k s_k\n\\end{aligned}",
            r"\partial L / \partial x_k",
            "2*x[k]",
        ),
        (
            "y_k = \\begin{cases} x_k & x_k > 0 \\\\\n a x_k & \\text{otherwise}\\end{cases}",
            "dx",
            "delta[k] * (1 if x[k] > 0 else a)",
        ),
        ("s[k] = x[k]^2\n" + r"y_k = \sqrt{s_k + 1}", "dL/dx[k]", "delta[k]*x[k]/y[k]"),
    ],
)
def test_latex_is_read_wherever_a_formula_stands(given: str, find: str, answer: str) -> None:
    exercise = exercise_for({"given": given, "find": find}, (), "derivation")
    assert exercise is not None
    found = check(answer, exercise)
    assert (found.verdict, found.message) == ("correct", None)
