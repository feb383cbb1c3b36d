"""The catalogue: every layer, from 0 and from 1, joined, and meant by tags."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from cards import read_card
from engine.checking import check
from engine.exercise import Exercise, ExerciseError, exercise_for, layers, why_none
from engine.messages.exercise import GivenExercise
from engine.messages.layers import LAYERS
from tests.material import each_card

MESSAGE = ["backpropagation", "gradients"]


@pytest.mark.parametrize("name", layers())
def test_every_layer_tells_its_symbols_and_a_right_answer(name: str) -> None:
    exercise = exercise_for({"layer": name}, [], "derivation")
    assert exercise is not None
    assert exercise.layer == name
    assert exercise.symbols
    assert exercise.indices
    verdict = check(exercise.answer, exercise)
    assert (verdict.verdict, verdict.failed) == ("correct", 0)
    assert verdict.tried >= 280


@pytest.mark.parametrize(
    ("tag", "layer"),
    [
        ("linear", "linear"),
        ("ReLU", "relu"),
        ("elu", "elu"),
        ("PReLU", "prelu"),
        ("leaky-relu", "leaky-relu"),
        ("softmax", "softmax"),
        ("cross entropy", "cross-entropy"),
        ("layer-normalization", "layer-norm"),
        ("avg-pool", "average-pool"),
        ("max-pooling", "max-pool"),
        ("self_attention", "attention"),
    ],
)
def test_a_derivation_gets_its_layer_by_its_tags(tag: str, layer: str) -> None:
    exercise = exercise_for(None, [tag, *MESSAGE], "derivation")
    assert exercise is not None
    assert exercise.layer == layer
    assert exercise_for(None, [tag], "derivation") is None
    assert exercise_for(None, [tag, *MESSAGE], "open") is None


@pytest.mark.parametrize(
    ("tags", "layer"),
    [
        (["softmax", "cross-entropy"], "cross-entropy"),
        (["log-softmax", "nll"], "cross-entropy"),
        (["sigmoid", "cross-entropy"], "binary-cross-entropy"),
        (["convolution", "conv2d"], "convolution-2d"),
        (["average-pooling", "global-average-pooling"], "global-average-pool"),
        (["relu", "leaky-relu"], "leaky-relu"),
        (["linear", "softmax", "attention"], "attention"),
    ],
)
def test_the_most_specific_layer_of_several_tags_counts(tags: list[str], layer: str) -> None:
    exercise = exercise_for(None, [*tags, *MESSAGE], "derivation")
    assert exercise is not None
    assert exercise.layer == layer


@pytest.mark.parametrize("find", ["dL/dg[j]", "dL/dx[j]"])
def test_close_inputs_of_a_normalisation_are_judged_too(find: str) -> None:
    exercise = exercise_for({"layer": "layer-norm", "find": find}, [], "derivation")
    assert exercise is not None
    layer = exercise_for("layer-norm", [], "derivation")
    assert layer is not None
    right = "delta[j] * h[j]" if "g" in find else layer.answer
    verdict = check(right, exercise)
    assert (verdict.verdict, verdict.left_out) == ("correct", 0)
    assert check("delta[j] * (h[j] + 1e-6)", exercise).verdict == "wrong"


@pytest.mark.parametrize(
    ("find", "answer"),
    [
        ("dx", "delta[k] * y[k] * (1 - y[k])"),
        ("backward", "delta[k] * y[k] * (1 - y[k])"),
        ("dL/dx[i]", "delta[i] * y[i] * (1 - y[i])"),
        ("J", "dy[k]/dx[k] = y[k] * (1 - y[k])"),
        ("dy[k]/dx[m]", "[k == m] * y[k] * (1 - y[k])"),
    ],
)
def test_the_message_to_find_may_be_named_in_several_ways(find: str, answer: str) -> None:
    exercise = exercise_for({"layer": "sigmoid", "find": find}, [], "derivation")
    assert exercise is not None
    assert check(answer, exercise).verdict == "correct"


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"layer": "lstm"}, "layer 'lstm' is unknown: max-pool, linear"),
        ({"layer": "relu", "kernel": "2"}, "'kernel' is unknown for relu: layer, find, sizes"),
        ({"layer": "relu", "sizes": "3"}, "sizes is '3': a mapping"),
        ({"layer": "relu", "sizes": {"q": "3"}}, "q is no index"),
        ({"layer": "relu", "find": "dW"}, "find, line 1, column 1"),
    ],
)
def test_an_impossible_exercise_names_key_and_value(keys: object, sentence: str) -> None:
    with pytest.raises(ExerciseError, match=sentence.replace("(", r"\(")):
        exercise_for(keys, [], "derivation")


CARD_ANSWERS = {
    "pool_rows": ["dx[i,j] = sum(delta[k,l] for k,l if (i,j) == argmax(k,l))"],
    "linear_squared_relu": [
        "∂L/∂x_j = Σ_k 2 * δ_k * max(s_k, 0) W_kj",
        "∂L/∂W_kj = 2 * δ_k * max(s_k, 0) * x_j",
        "∂y_k/∂s_k = {2 * s_k if s_k > 0; 0 otherwise}",
    ],
    # Of the shared cards.
    "ssu_batch4_004": ["df_kl/dx_ij = [(i,j) == argmax(k,l)]"],
    "ssu_batch5_006": [
        "∂L/∂x_j = Σ_k δ_k {1 if s_k > 0; exp(s_k) otherwise} W_kj",
        "∂L/∂W_kj = δ_k {1 if s_k > 0; exp(s_k) otherwise} x_j",
        "∂y_k/∂s_k = {1 if s_k > 0; exp(s_k) otherwise}",
        "∂y_k/∂x_j = {1 if s_k > 0; exp(s_k) otherwise} W_kj",
        "∂y_k/∂W_kj = {1 if s_k > 0; exp(s_k) otherwise} x_j",
        "∂y_k/∂W_ij = [i = k] min(1, exp(s_k)) x_j",
    ],
}


@each_card
def test_every_card_with_a_backward_message_has_a_working_exercise(path: Path) -> None:
    card = read_card(path)
    exercise = Exercise.from_card(card)
    assert (exercise is not None) == (card.id in CARD_ANSWERS)
    if exercise is not None:
        for answer in CARD_ANSWERS[card.id]:
            assert check(answer, exercise).verdict in ("correct", "incomplete")


def test_the_check_takes_exercise_and_answer_in_either_order() -> None:
    exercise = exercise_for("relu", [], "derivation")
    assert exercise is not None
    assert check(exercise, exercise.answer) == check(exercise.answer, exercise)


def made(layer: str, **keys: object) -> Exercise:
    exercise = exercise_for({"layer": layer, "indices": 1, **keys}, [], "derivation")
    assert exercise is not None
    return exercise


@pytest.mark.parametrize("layer", layers())
def test_every_layer_counts_from_one(layer: str) -> None:
    exercise = made(layer)
    assert check(exercise.answer, exercise).verdict == "correct"
    assert all(said.startswith(("1 to", "the rows", "its columns")) for _, said in exercise.indices)
    assert "0 to" not in " ".join(said for _, said in exercise.indices)


@pytest.mark.parametrize(
    ("layer", "from_one", "from_zero"),
    [
        (
            "average-pool",
            r"\frac1r \sum_k \delta_k [1 \le i - (k-1)s \le r]",
            r"\frac1r \sum_k \delta_k [0 \le i - ks < r]",
        ),
        (
            "convolution",
            r"\frac{\partial L}{\partial W_a} = \sum_i \delta_i x_{(i-1)s+a}",
            r"\frac{\partial L}{\partial W_a} = \sum_i \delta_i x_{is+a}",
        ),
        (
            "convolution-2d",
            r"\sum_{a,b} \delta_{i-a+1,j-b+1} W_{ab}",
            r"\sum_{a,b} \delta_{i-a,j-b} W_{ab}",
        ),
        (
            "max-pool",
            "dx[i,j] = sum(delta[k,l] * [x[i,j] == max(window(k,l))] for k,l"
            " if (k-1)*sh < i+ph <= (k-1)*sh+kh and (l-1)*sw < j+pw <= (l-1)*sw+kw)",
            "dx[i,j] = sum(delta[k,l] * [x[i,j] == max(window(k,l))] for k,l"
            " if k*sh <= i+ph < k*sh+kh and l*sw <= j+pw < l*sw+kw)",
        ),
        (
            "max-pool",
            r"\sum_{k=1}^{H_o} \sum_{l=1}^{W_o} \delta_{kl}"
            r" [(i,j) = \arg\max_{(p,q) \in \Omega(k,l)} x_{pq}]",
            r"\sum_{k=0}^{H_o-1} \sum_{l=0}^{W_o-1} \delta_{kl}"
            r" [(i,j) = \arg\max_{(p,q) \in \Omega(k,l)} x_{pq}]",
        ),
    ],
)
def test_a_computed_place_is_read_from_one(layer: str, from_one: str, from_zero: str) -> None:
    right = ("correct", "correct-except-ties")
    zero = exercise_for(layer, [], "derivation")
    assert zero is not None
    assert check(from_one, made(layer)).verdict in right
    assert check(from_zero, zero).verdict in right
    assert check(from_zero, made(layer)).verdict == "wrong"
    # A sum over the whole range is read as print has it, wherever indices begin.
    assert (check(from_one, zero).verdict == "correct") == ("H_o" in from_one)


@pytest.mark.parametrize(
    "answer",
    [
        "(i*,j*) = argmax(k,l)\ndf_kl/dx_ij = [i == i*][j == j*]",
        "m[k,l] = max(window(k,l))\ndx[i,j] = sum(delta[k,l]*[x[i,j]==m[k,l]] "
        "for k,l in windows(i,j))",
        "dx[i,j] = sum(delta[k,l]*[(i,j)==argmax(k,l)] for k in range(1,Ho+1) "
        "for l in range(1,Wo+1))",
    ],
)
def test_places_of_windows_are_places_from_one_as_well(answer: str) -> None:
    assert check(answer, made("max-pool")).verdict.startswith("correct")


@pytest.mark.parametrize("layer", ["linear", "max-pool"])
def test_indices_begin_at_nothing_else(layer: str) -> None:
    with pytest.raises(ExerciseError, match="indices is 2: 0 or 1 is allowed"):
        exercise_for({"layer": layer, "indices": 2}, [], "derivation")


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


def joined(row: list[str], **keys: Any) -> GivenExercise:
    exercise = exercise_for({"layers": row, **keys}, (), "derivation")
    assert isinstance(exercise, GivenExercise)
    return exercise


@pytest.mark.parametrize(("row", "answer"), RIGHT)
def test_the_derivative_of_a_row_is_right_and_that_of_one_layer_wrong(
    row: list[str], answer: str
) -> None:
    verdict = check(answer, joined(row), trials=100)
    assert verdict.verdict == "correct"
    assert verdict.about == joined(row).title
    short = "dL/dx[j] = sum(delta[k] * W[k,j] for k)"
    if row[0] == "linear" and row[1] not in ("squared-error", "softmax"):
        assert check(short, joined(row), trials=100).verdict in ("wrong", "unreadable")


@pytest.mark.parametrize("row", [list(pair) for pair in product(LAYERS, repeat=2)])
def test_any_two_layers_are_joined_or_refused_in_a_sentence(row: list[str]) -> None:
    try:
        exercise = joined(row)
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
    exercise = joined(["convolution", "relu"], indices=1, find="dL/dW[a]")
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


CARDS: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("tagged.yaml").read_text("utf-8")
)
#: No exercise is found for these, though there would be a right one: a logarithm of a saturated
#: sigmoid is rounded, a solution says f' and never what it is, or gives the bias alone.
MISSED = {"logistic_unit", "elu_module", "linear_elu_with_bias"}


def card(entry: dict[str, Any]) -> Any:
    text = {key: entry[key] for key in ("tags", "question", "solution")}
    return SimpleNamespace(exercise=None, type="derivation", **text)


@pytest.mark.parametrize("entry", CARDS, ids=[entry["id"] for entry in CARDS])
def test_a_card_gets_the_exercise_that_it_asks_for_or_none(entry: dict[str, Any]) -> None:
    exercise = Exercise.from_card(card(entry))
    if exercise is None:
        assert "right" not in entry or entry["id"] in MISSED
        said = why_none(card(entry))
        for value in re.findall(r"`exercise: (\{.*?\})`", said):  # what it says can be written
            assert exercise_for(yaml.safe_load(value), (), "derivation") is not None
        assert "under `given`" in said or entry["tags"][0] == "lstm"
        return
    layer, below = entry["right"]
    assert exercise.layer == layer
    if isinstance(exercise, GivenExercise):
        asked = {target.below for target in exercise.task.targets}
        assert asked - {*exercise.task.model.forward.defined} == {*below}
    assert why_none(card(entry)) == ""


@pytest.mark.parametrize("entry", CARDS, ids=[entry["id"] for entry in CARDS])
@pytest.mark.parametrize(
    "solution", ["", "See the lecture.", r"$\frac{\partial L}{\partial x} = 7$"]
)
def test_a_solution_that_does_not_answer_an_exercise_makes_none(
    entry: dict[str, Any], solution: str
) -> None:
    assert Exercise.from_card(card({**entry, "solution": solution})) is None


@pytest.mark.parametrize(
    ("asks", "kept"),
    [
        ("Derive the parameter message.", {"W", "b"}),
        ("Give the gradients of the weights and biases.", {"W", "b"}),
        (r"Derive $\frac{\partial L}{\partial b_k}$.", {"b"}),
        (r"Derive $\partial L / \partial x_j$.", {"x"}),
        ("Odvoďte zpětnou zprávu.", {"x"}),
        ("Odvoďte derivaci podle vah a zpětnou zprávu.", {"x", "W", "b"}),
        ("Derive all gradients.", {"x", "W", "b"}),
        ("Give the forward, backward and parameter messages.", {"x", "W", "b"}),
        (r"Derive $\frac{\partial L}{\partial \theta}$.", None),
        ("Why does the gradient vanish?", None),
        ("Sketch the network.", None),
    ],
)
def test_the_question_says_by_what_derivatives_are_asked_for(
    asks: str, kept: set[str] | None
) -> None:
    entry = next(entry for entry in CARDS if entry["id"] == "linear_sigmoid")
    exercise = Exercise.from_card(card({**entry, "question": asks}))
    found = exercise and {target.below for target in exercise.task.targets}  # type: ignore[attr-defined]
    assert found == kept


@pytest.mark.parametrize(
    "solution",
    [
        "\\[" * 9_000,
        "\\(x" * 6_000,
        r"$\partial" + " " * 15_000 + "$=",
        r"$\frac{\partial L}{\partial x_j} = \delta_k W_{kj}$ " * 300,
        r"$\frac{\partial L}{\partial x_j} = " + "x " * 100_000 + "$",
    ],
)
def test_a_long_solution_is_not_tried_at_length(solution: str) -> None:
    entry = {
        "tags": ["linear", "relu", "sigmoid", "gradients"],
        "question": "Derive the gradients.",
    }
    assert Exercise.from_card(card({**entry, "solution": solution})) is None
