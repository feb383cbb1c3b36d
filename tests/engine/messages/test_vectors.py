"""Vector notation is read by shapes, told as index notation, and refused where it does not fit."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from cards import read_card
from engine.checking import check
from engine.exercise import Exercise, exercise_for
from tests.paths import OWN

LINEAR = {
    "given": "f(t) = tanh(t)\ns[k] = sum(W[k,j] * x[j] for j) + b[k]\ny[k] = f(s[k])",
    "find": ["dL/dx[j]", "dL/dW[k,j]", "dL/db[k]", "dy[k]/dx[j]"],
    "sizes": {"j": "3", "k": "2"},
}
LOGISTIC = {
    "given": "p[k] = 1 / (1 + exp(-sum(W[k,j] * x[j] for j)))\n"
    "L = -sum(t[k] * log(p[k]) + (1 - t[k]) * log(1 - p[k]) for k)",
    "find": "dL/dW[k,j]",
    "inputs": {"t": "binary"},
}
SOFTMAX = {"given": "y[k] = exp(x[k]) / sum(exp(x[m]) for m)", "find": "any"}
RIDGE = {"given": "L = sum(w[j]^2 for j) * c / 2", "find": "dL/dw[j]", "constants": {"c": "0.5"}}
NORM = {"given": "L = sqrt(sum(w[j]^2 for j))", "find": "dL/dw[j]"}
MEAN = {"given": "y = sum(x[j] * w[j] for j)\nL = (y - t)^2", "find": "dL/dw[j]"}


def made(keys: Mapping[str, object]) -> Exercise:
    exercise = exercise_for(keys, [], "derivation")
    assert exercise is not None
    return exercise


RIGHT = [
    (LINEAR, "dx = W^T (delta ⊙ f'(s))"),
    (LINEAR, "dx = W.T @ (delta * f'(s))"),
    (LINEAR, "dL/dx = W' @ (delta * (1 - y^2))"),
    (LINEAR, "∂L/∂x = Wᵀ(δ ⊙ (1 − y ⊙ y))"),
    (LINEAR, "dx = (delta * (1 - y^2))^T W"),
    (LINEAR, "dx = (delta * (1 - y**2)) @ W"),
    (LINEAR, "dx = W^T diag(f'(s)) delta"),
    (LINEAR, "dx_j = (W^T (delta ⊙ tanh'(s)))_j"),
    (LINEAR, "dx[j] = (W^T (delta ⊙ f'(s)))[j]"),
    (LINEAR, "ds = delta * f'(s)\ndx = W^T ds"),
    (LINEAR, "ds[k] = delta[k] * f'(s[k])\ndx = W^T ds"),
    (LINEAR, "dx = (dy/ds W)^T δ"),
    (LINEAR, "dW = (delta ⊙ f'(s)) x^T"),
    (LINEAR, "dW = outer(delta * f'(s), x)"),
    (LINEAR, "db = delta * (1 - y ⊙ y)"),
    (LINEAR, "db = delta"),
    (LINEAR, r"\delta_x = W^T (\delta_y \odot f'(s))"),
    (LINEAR, r"\frac{\partial L}{\partial x} = W^\top\left(\delta_y \circ f'(Wx + b)\right)"),
    (LINEAR, r"\nabla_{W} L = (\delta \odot f'(s))\, x^{\mathsf{T}}"),
    (LINEAR, r"\delta_W = \operatorname{diag}(f'(s))\, \delta_y x^{\intercal}"),
    (LINEAR, r"\frac{\partial y}{\partial x} = \operatorname{diag}(f'(s)) W"),
    (LINEAR, r"\frac{\partial L}{\partial \mathbf{x}} = \mathbf{W}^{\top} (\boldsymbol{\delta}"
     r" \odot (\mathbf{1} - \mathbf{y} \odot \mathbf{y}))"),
    (LOGISTIC, r"\frac{\partial L}{\partial W} = (p - t) x^T"),
    (LOGISTIC, "dW = (p - t) x^T"),
    (SOFTMAX, r"\frac{\partial y}{\partial x} = \operatorname{diag}(y) - y y^T"),
    (SOFTMAX, r"\partial y / \partial x = \operatorname{diag}(y)(\mathbf{I} - \mathbf{1} y^T)"),
    (SOFTMAX, r"\delta_x = y \odot (\delta - (\delta^\top y) \mathbf{1})"),
    (SOFTMAX, "dx = y ⊙ (δ - δ^T y)"),
    (SOFTMAX, "dx = (diag(y) - y y^T) δ"),
    (RIDGE, "c w"),
    (NORM, r"\frac{w}{\|w\|}"),
    (NORM, r"\frac{w}{\left\lVert w \right\rVert_2}"),
    (NORM, "w / ||w||"),
    (NORM, "w / norm(w)"),
    (MEAN, "2 (x^T w - t) x"),
    (MEAN, "2 (dot(w, x) - t) x"),
    (MEAN, r"2 (x^\top w - t)\, x"),
    ({"layer": "sigmoid"}, r"\delta \odot \sigma(x)(1-\sigma(x))"),
    ({"layer": "sigmoid"}, r"\delta_x = \delta_y \odot y \odot (1 - y)"),
    ({"layer": "sigmoid"}, "dx = delta * sigma'(x)"),
    ({"layer": "relu"}, r"\delta_x = \delta_y \odot \mathbf{1}[x > 0]"),
    ({"layer": "relu"}, r"\delta_x = \delta_y \odot \mathbb{I}(x > 0)"),
    ({"layer": "attention"}, r"\frac{\partial L}{\partial v} = a^T \delta"),
]  # fmt: skip


@pytest.mark.parametrize(("keys", "answer"), RIGHT)
def test_a_right_answer_in_vectors_is_correct_and_reads_back(
    keys: Mapping[str, object], answer: str
) -> None:
    verdict = check(answer, made(keys))
    if answer == "db = delta":
        assert verdict.verdict == "wrong"
        return
    assert verdict.verdict in ("correct", "incomplete"), (
        verdict.message,
        verdict.hint,
        verdict.read,
    )
    again = check(verdict.read, made(keys))
    assert (again.verdict, again.read) == (verdict.verdict, verdict.read)


def test_the_echo_is_the_index_formula_with_the_derivative_worked_out() -> None:
    verdict = check(r"\delta_x = W^T (\delta_y \odot f'(s))", made(LINEAR))
    assert verdict.read == (
        "f'(t) = 1 - tanh(t)^2\ndL/dx[j] = sum(W[k,j] * delta[k] * f'(s[k]) for k)"
    )


@pytest.mark.parametrize(
    ("keys", "answer", "column", "message", "hint"),
    [
        (LINEAR, "dx = W^T delta f'(s)", 16, "a column of j times a column of k", "⊙"),
        (LINEAR, "dx = W^T * (delta * f'(s))", 10, "entry by entry", "@"),
        (LINEAR, "db = delta f'(s)", 12, "two things", "⊙"),
        (LINEAR, "db = delta · f'(s)", 12, "two things", "⊙"),
        (LINEAR, "dx = W^T delta ⊙ f'(s)", 16, "without brackets", "brackets"),
        (LINEAR, "dx = (delta ⊙ f'(s)) W", 22, "a column of k times k×j", "transpose"),
        (LINEAR, "dW = delta x", 12, "a column of k times a column of j", "outer"),
        (LINEAR, "dx[j] = sum(delta * W[:,j])", 23, "':'", "example"),
        (LINEAR, "dx[j] = W^T delta", 13, "one entry", "leave the index out"),
        (LINEAR, "db = W^2", 7, "power of a matrix", "W ⊙ W"),
        (LINEAR, "db = g'(s)", 6, "I do not know 'g''", "define"),
        (LINEAR, r"\delta_x = \|x\|_1", 18, "Euclidean", "sum"),
        (LINEAR, "dy/dx = dy/dx", 9, "not given", "work it out"),
        ({"layer": "linear-elu"}, "dy[k]/ds[k] = f'(s[k])", 15, "worked out", "given"),
        ({"layer": "linear-elu"}, "dL/ds = delta ⊙ dy/ds", 15, "a column of k", "matrix"),
        ({"layer": "linear-elu"}, "dL/ds[k] = delta[k] * dy[k]/ds[k]", 21, "worked out", "given"),
        ({"layer": "convolution"}, r"\delta_x = W^T \delta", 0, "", ""),
    ],
)
def test_a_shape_that_does_not_fit_is_refused_at_its_place(
    keys: Mapping[str, object], answer: str, column: int, message: str, hint: str
) -> None:
    verdict = check(answer, made(keys))
    assert verdict.verdict == "unreadable", verdict.read
    assert verdict.hint
    if column:
        assert message.lower() in (verdict.message or "").lower()
        assert hint in verdict.hint
        assert abs((verdict.column or 0) - column) <= 2, verdict.column


UNFIT = "shapes that do not fit"


@pytest.mark.parametrize(
    ("answer", "column", "name", "teaching"),
    [
        ("dx = W (delta ⊙ f'(s))", 8, "transposed weight: W in place of W^T", "W is k×j"),
        ("dx = (delta ⊙ f'(s))^T W^T", 24, "transposed weight: W^T in place of W", "j×k"),
        ("dx = f'(s) ⊙ (W^T delta)", 12, "f'(s) on the wrong side of W^T", "W^T (f'(s) ⊙ delta)"),
        ("dx = W^T (delta ⊙ f'(x))", 17, "the derivative at x in place of s", "f'(s)"),
        ("dx = W ⊙ (delta ⊙ f'(s))", 9, "entry by entry in place of the matrix product", "W^T"),
        ("dW = x (delta ⊙ f'(s))^T", 8, "transposed", "This is j×k"),
        ("dW = (delta ⊙ f'(s))^T x", 24, "transposed", "x^T does"),
        ("dW = (delta ⊙ f'(s)) ⊙ x", 22, "entry by entry in place of the outer product", "x^T"),
        ("dx = diag(f'(s)) W", 18, "the Jacobian in place of the message", "multiplied"),
        ("dx = W^T (delta ⊙ f'(s)) + b", 26, "the term b does not belong here", "added"),
        ("dx_j = Σ_j δ_k f'(s_k) W_kj", 12, "summed over j in place of k", "which entry"),
        ("db = delta^T f'(s)", 14, UNFIT, "This is one number; dL/db[k] has k entries."),
        ("dx = delta + x", 12, UNFIT, "a column of k meets a column of j"),
        ("dW = W (delta ⊙ f'(s))", 8, UNFIT, "W is k×j"),
        ("dx = delta ⊙ f'(s)", 12, UNFIT, "This is a column of k; dL/dx[j] has j entries."),
    ],
)
def test_a_shape_that_does_not_fit_is_wrong_where_it_is_clear_what_was_written(
    answer: str, column: int, name: str, teaching: str
) -> None:
    verdict = check(answer, made(LINEAR))
    assert (verdict.verdict, verdict.misconception) == ("wrong", name)
    assert teaching in (verdict.teaching or "")
    assert (verdict.read, verdict.line, verdict.tried) == (answer, 1, 0)
    assert abs((verdict.column or 0) - column) <= 2, verdict.column


@pytest.mark.parametrize(
    "answer",
    [
        "dx = W^T delta",
        "dx = W^T (delta ⊙ f'(y))",
        "dx = W^T f'(s)",
        "dW = delta x^T",
        "dx = -W^T (delta ⊙ f'(s))",
        "dx = W^T (delta ⊙ (1 - y))",
    ],
)
def test_a_wrong_answer_in_vectors_is_wrong(answer: str) -> None:
    assert check(answer, made(LINEAR)).verdict == "wrong"


CARD_LINES = [
    r"\frac{\partial y_k}{\partial s_k} = f'(s_k) = \begin{cases} 2 s_k & \text{if } s_k > 0"
    r" \\ 0 & \text{if } s_k \le 0 \end{cases}",
    r"\frac{\partial L}{\partial x_j} = \sum_{k=1}^K \frac{\partial L}{\partial y_k}"
    r" \frac{\partial y_k}{\partial s_k} \frac{\partial s_k}{\partial x_j}",
    r"\delta_{x, j} = \sum_{k=1}^K \delta_{y, k} \cdot f'(s_k) \cdot W_{kj}",
    r"\delta_x = W^T (\delta_y \odot f'(s))",
    r"\frac{\partial L}{\partial W_{kj}} = \frac{\partial L}{\partial y_k}"
    r" \frac{\partial y_k}{\partial s_k} \frac{\partial s_k}{\partial W_{kj}}",
    r"\delta_{W, kj} = \delta_{y, k} \cdot f'(s_k) \cdot x_j",
]


@pytest.mark.parametrize("line", CARD_LINES)
@pytest.mark.parametrize("wrap", ["%s", "$%s$", "$$ %s $$"])
def test_a_line_of_the_cards_own_solution_is_correct(line: str, wrap: str) -> None:
    card = read_card(OWN.cards / "linear_squared_relu.md")
    exercise = Exercise.from_card(card)
    assert exercise is not None
    assert check(wrap % line, exercise).verdict in ("correct", "incomplete")
