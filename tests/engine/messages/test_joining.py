"""Layers in a row: what one puts out is what the next takes in, under names that do not clash."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from engine.checking import check
from engine.exercise import ExerciseError, exercise_for
from engine.messages.exercise import GivenExercise
from engine.messages.layers import LAYERS

RIGHT = [
    (["linear", "sigmoid"], "dL/dW[k,j] = delta[k] * y[k] * (1 - y[k]) * x[j]"),
    (["linear", "sigmoid"], r"\frac{\partial L}{\partial b} = \delta \odot y \odot (1 - y)"),
    (["linear", "prelu"], "dL/da = sum(delta[k] * min(s[k], 0) for k)"),
    (["linear", "prelu"], "dL/dx[j] = sum(delta[k] * f'(s[k]) * W[k,j] for k)"),
    (["linear", "squared-error"], "dL/dW[k,j] = (y[k] - t[k]) * x[j]"),
    (["linear-unit", "squared error"], r"\nabla_w L = (y - t)\, x"),
    (["linear-unit", "tanh"], "dL/dw[j] = delta * (1 - y^2) * x[j]"),
    (["linear", "softmax", "cross-entropy"], "dL/dW = (p - t) x^T"),
    (["sigmoid", "linear"], "dL/dx[k] = f'(x[k]) * sum(W[m,k] * delta[m] for m)"),
    (["linear", "relu", "linear"], "dL/dV[m,k] = delta[m] * max(s[k], 0)"),
    (["linear", "relu", "linear"], "dL/dW = (V^T delta ⊙ f'(s)) x^T"),
    (["linear", "softmax"], "dL/db[k] = y[k] * (delta[k] - sum(delta[i] * y[i] for i))"),
    (["batch-norm", "relu"], "dL/dg = sum(delta[i] * [s[i] > 0] * h[i] for i)"),
    (["convolution", "relu"], "dL/dW[a] = sum(delta[i] * [y[i] > 0] * x[i*s+a] for i)"),
    (["conv2d", "relu"], "dL/dW[a,b] = sum(delta[k,l] * [y[k,l] > 0] * x[k+a,l+b] for k,l)"),
    (["dropout", "linear"], "dL/dx[k] = r[k] / q * sum(W[m,k] * delta[m] for m)"),
    (["sigmoid", "squared-error"], "dL/dx[k] = (y[k] - t[k]) * y[k] * (1 - y[k])"),
    (["attention", "relu"], "dL/dv[j,c] = sum(a[i,j] * delta[i,c] * [y[i,c] > 0] for i)"),
]


def made(row: list[str], **keys: Any) -> GivenExercise:
    exercise = exercise_for({"layers": row, **keys}, (), "derivation")
    assert isinstance(exercise, GivenExercise)
    return exercise


@pytest.mark.parametrize(("row", "answer"), RIGHT)
def test_the_derivative_of_a_row_is_right_and_that_of_one_layer_wrong(
    row: list[str], answer: str
) -> None:
    verdict = check(answer, made(row), trials=100)
    assert verdict.verdict == "correct"
    assert verdict.about == made(row).title
    short = "dL/dx[j] = sum(delta[k] * W[k,j] for k)"
    if row[0] == "linear" and row[1] not in ("squared-error", "softmax"):
        assert check(short, made(row), trials=100).verdict in ("wrong", "unreadable")


@pytest.mark.parametrize("row", [list(pair) for pair in product(LAYERS, repeat=2)])
def test_any_two_layers_are_joined_or_refused_in_a_sentence(row: list[str]) -> None:
    try:
        exercise = made(row)
    except ExerciseError as error:
        assert str(error).startswith("exercise: layers: ")  # noqa: PT017
        return
    symbols = [symbol.partition("[")[0].partition("(")[0] for symbol, _ in exercise.symbols]
    assert len(symbols) == len(set(symbols))
    asked = {target.below for target in exercise.task.targets}
    assert asked >= {"x"} or row[0] == "attention"
    # Nothing is lost of either: each parameter can be asked for.
    parameters = sum(len({*LAYERS[name].below} - {"s"}) for name in row) - 1
    defined = exercise.task.model.forward.defined
    assert len(asked - {*defined}) >= parameters or " + " not in exercise.layer


def test_a_row_counts_from_one_where_the_card_does() -> None:
    exercise = made(["convolution", "relu"], indices=1, find="dL/dW[a]")
    right = "sum(delta[i] * [y[i] > 0] * x[(i-1)*s+a] for i)"
    assert check(right, exercise).verdict == "correct"


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ({"layers": []}, "layers is []: a list like"),
        ({"layers": "linear"}, "layers is 'linear': a list like"),
        ({"layers": ["linear", "lstm"]}, "layer 'lstm' cannot be joined: linear, relu"),
        ({"layers": ["max-pool", "relu"]}, "layer 'max-pool' cannot be joined: linear, relu"),
        ({"layers": ["squared-error", "relu"]}, "ReLU cannot take in what comes before it"),
        ({"layers": ["linear", "batch-norm"]}, "cannot take in what comes before it"),
        ({"layers": ["relu", "convolution"]}, "cannot take in what comes before it"),
        ({"layers": ["linear", "relu"], "kernel": 2}, "'kernel' is unknown for linear + relu"),
        ({"layers": ["linear", "relu"], "find": "dL/dV"}, "find, line 1, column"),
    ],
)
def test_a_row_that_cannot_be_says_why(value: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ExerciseError) as caught:
        exercise_for(value, (), "derivation")
    assert sentence in str(caught.value)
