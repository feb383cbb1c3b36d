"""Layers as exercises: each has symbols, index names and an answer that is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from cards import read_card
from engine.checking import check
from engine.exercise import Exercise, ExerciseError, exercise_for, layers
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
