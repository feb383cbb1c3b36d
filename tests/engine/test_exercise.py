"""Laws of exercises: what a card may ask, and the sentence where it may not."""

from __future__ import annotations

import re
from typing import Any

import pytest

from engine.checking import check
from engine.exercise import ExerciseError, exercise_for
from engine.pooling.exercise import PoolingExercise
from engine.pooling.inputs import GENERAL, smallest_geometries, tried_geometries

TAGS = ["cnn", "max-pooling", "backpropagation"]


@pytest.mark.parametrize("layer", ["max-pooling", "maxpool", "Max-Pool", "max pooling", "MaxPool"])
@pytest.mark.parametrize("message", ["backpropagation", "backprop", "Gradients", "gradient"])
def test_a_derivation_is_an_exercise_by_its_tags(layer: str, message: str) -> None:
    assert exercise_for(None, ["cnn", layer, message], "derivation") == PoolingExercise()


@pytest.mark.parametrize(
    ("tags", "type"),
    [(TAGS, "open"), (["max-pooling"], "derivation"), (["backprop", "lstm"], "derivation")],
)
def test_other_cards_are_none(tags: list[str], type: str) -> None:
    assert exercise_for(None, tags, type) is None


def test_none_turns_the_tags_off_and_a_layer_turns_any_card_on() -> None:
    assert exercise_for("none", TAGS, "derivation") is None
    assert exercise_for("max-pool", [], "open") == PoolingExercise()
    assert exercise_for({"layer": "max-pool"}, [], "basic") == PoolingExercise()


@pytest.mark.parametrize(
    ("value", "pair"),
    [("2", (2, 2)), (2, (2, 2)), (["2", "3"], (2, 3)), ("2x3", (2, 3)), ("[2, 3]", (2, 3))],
)
def test_a_window_is_one_number_or_two(value: Any, pair: tuple[int, int]) -> None:
    exercise = exercise_for({"layer": "max-pool", "kernel": value}, [], "derivation")
    assert isinstance(exercise, PoolingExercise)
    assert exercise.kernel == pair


@pytest.mark.parametrize(
    ("find", "read"),
    [("dx", "dx"), ("dL/dx[i,j]", "dx"), ("∂L/∂x_ij", "dx"), ("J", "J"), ("df_kl/dx_ij", "J")],
)
def test_the_message_to_find_may_be_named_in_several_ways(find: str, read: str) -> None:
    exercise = exercise_for({"layer": "max-pool", "find": find}, [], "derivation")
    assert isinstance(exercise, PoolingExercise)
    assert exercise.find == read


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("lstm", "layer 'lstm' is unknown: max-pool, linear, relu"),
        ({"layer": "lstm"}, "layer 'lstm' is unknown: max-pool, linear, relu"),
        ({"kernel": "2"}, "layer is missing: max-pool, linear, relu"),
        ({"layer": "max-pool", "given": "s"}, "'layer' is unknown: given, find, sizes"),
        ({"layer": "max-pool", "kernel": "0"}, "kernel is '0': a whole number from 1 to 7"),
        ({"layer": "max-pool", "kernel": "99"}, "kernel is '99': a whole number from 1 to 7"),
        ({"layer": "max-pool", "kernel": "-2"}, "kernel is '-2': a whole number"),
        ({"layer": "max-pool", "kernel": ["1", "2", "3"]}, "kernel is ['1', '2', '3']: a whole"),
        ({"layer": "max-pool", "kernel": "2", "stride": "x"}, "stride is 'x': a whole number"),
        ({"layer": "max-pool", "kernel": "2", "padding": "2"}, "padding is '2': at most half"),
        ({"layer": "max-pool", "stride": "2"}, "stride is '2' without a kernel"),
        ({"layer": "max-pool", "find": "dW"}, "find is 'dW': dx (the backward message), J"),
        (["max-pool"], "a layer (max-pool, linear, relu"),
    ],
)
def test_an_impossible_exercise_names_key_and_value(value: Any, sentence: str) -> None:
    with pytest.raises(ExerciseError, match=re.escape(sentence)):
        exercise_for(value, TAGS, "derivation")


def test_a_general_exercise_is_tried_on_all_geometries_a_given_one_on_its_own() -> None:
    assert tried_geometries(PoolingExercise()) == GENERAL
    given = PoolingExercise(kernel=(3, 2), stride=(2, 2), padding=(1, 0))
    for geometry in (*tried_geometries(given), *smallest_geometries(given)):
        assert (geometry.kernel, geometry.stride, geometry.padding) == ((3, 2), (2, 2), (1, 0))
        assert min(geometry.windows) >= 1
    assert len(tried_geometries(given)) > 2


@pytest.mark.parametrize("padding", [(0, 0), (1, 2), (3, 3)])
def test_a_given_window_is_tried_where_it_does_not_see_the_whole_input(
    padding: tuple[int, int],
) -> None:
    exercise = PoolingExercise(kernel=(7, 7), stride=(1, 2), padding=padding)
    answer = "sum(delta[k,l] * [(i,j) == argmax(x)] for k,l if (i,j) in Omega(k,l))"
    assert check(answer, exercise, trials=60).verdict == "wrong"


@pytest.mark.parametrize("kernel", [(1, 1), (2, 3), (7, 7)])
@pytest.mark.parametrize("stride", [None, (1, 1), (7, 3)])
@pytest.mark.parametrize("find", ["dx", "J", "any"])
def test_every_exercise_can_be_described_and_answered(
    kernel: tuple[int, int], stride: tuple[int, int] | None, find: Any
) -> None:
    exercise = PoolingExercise(kernel=kernel, stride=stride, find=find)
    assert f"{kernel[0]}×{kernel[1]}" in exercise.description
    verdict = check(exercise.example, exercise, trials=30)
    # A mean over a window of one input is its maximum.
    assert verdict.verdict == ("correct" if kernel == (1, 1) else "wrong")
    answer = "1 if (i,j) == argmax(k,l) else 0"
    if find == "dx":
        answer = "sum(delta[k,l]*[(i,j)==argmax(k,l)] for k,l)"
    assert check(answer, exercise, trials=30).verdict == "correct"
