"""The catalogue: every layer, from 0 and from 1, joined, and meant by tags."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from cards import read_card
from engine.checking import check
from engine.exercise import ExerciseError
from engine.messages.exercise import GivenExercise
from engine.messages.layers import LAYERS
from engine.registry import exercise_for, exercise_of, layers, why_none
from tests.engine.cases import made, table
from tests.material import each_card

MESSAGE = ["backpropagation", "gradients"]
TABLE = table("layers")


@pytest.mark.parametrize("name", layers())
def test_every_layer_tells_its_symbols_and_a_right_answer_from_0_and_from_1(name: str) -> None:
    exercise = made(name)
    assert exercise.layer == name
    assert exercise.symbols
    assert exercise.indices
    verdict = check(exercise.answer, exercise)
    assert (verdict.verdict, verdict.failed) == ("correct", 0)
    assert verdict.tried >= 280
    assert not (verdict.left_out and name == "layer-norm")  # close inputs are judged, too
    one = made({"layer": name, "indices": 1})
    assert check(one.answer, one).verdict == "correct"
    assert all(said.startswith(("1 to", "the rows", "its columns")) for _, said in one.indices)


@pytest.mark.parametrize(("tags", "layer"), TABLE["tags"])
def test_a_derivation_gets_its_layer_by_its_tags(tags: str, layer: str) -> None:
    named = tags.split(", ")
    exercise = exercise_for(None, [*named, *MESSAGE], "derivation")
    assert exercise is not None
    assert exercise.layer == layer
    assert exercise_for(None, named, "derivation") is None
    assert exercise_for(None, [*named, *MESSAGE], "open") is None


@each_card
def test_every_card_with_a_backward_message_has_a_working_exercise(path: Path) -> None:
    card = read_card(path)
    exercise = exercise_of(card)
    assert (exercise is not None) == (card.id in TABLE["cards"])
    if exercise is not None:
        for answer in TABLE["cards"][card.id]:
            assert check(answer, exercise).verdict in ("correct", "incomplete")


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("at", range(len(LAYERS)), ids=list(LAYERS))
def test_any_two_layers_are_joined_or_refused_in_a_sentence(at: int, every: int) -> None:
    first = list(LAYERS)[at]
    for row in ([first, second] for second in list(LAYERS)[at % every :: every]):
        try:
            exercise = exercise_for({"layers": row}, (), "derivation")
        except ExerciseError as error:
            assert str(error).startswith("exercise: layers: ")  # noqa: PT017
            continue
        assert isinstance(exercise, GivenExercise)
        symbols = [symbol.partition("[")[0].partition("(")[0] for symbol, _ in exercise.symbols]
        assert len(symbols) == len(set(symbols))
        asked = {target.below for target in exercise.task.targets}
        assert asked >= {"x"} or first == "attention"
        # Nothing is lost of either: each parameter can be asked for.
        parameters = sum(len({*LAYERS[name].below} - {"s"}) for name in row) - 1
        defined = exercise.task.model.forward.defined
        assert len(asked - {*defined}) >= parameters or " + " not in exercise.layer


def test_a_verdict_on_a_row_tells_its_title() -> None:
    exercise = made({"layers": ["linear", "sigmoid"]})
    assert check("delta[k]", exercise, trials=20).about == exercise.title  # type: ignore[attr-defined]


# Cards that name layers by their tags.

CARDS = table("tagged")
each_tagged = pytest.mark.parametrize("entry", CARDS, ids=[entry["id"] for entry in CARDS])
#: No exercise is found for these, though there would be a right one: a logarithm of a saturated
#: sigmoid is rounded, a solution says f' and never what it is, or gives the bias alone.
MISSED = {"logistic_unit", "elu_module", "linear_elu_with_bias"}


def card(entry: dict[str, Any], **other: str) -> Any:
    text = {key: entry[key] for key in ("tags", "question", "solution") if key in entry}
    return SimpleNamespace(**text | other, exercise=None, type="derivation")


@each_tagged
def test_a_card_gets_the_exercise_that_it_asks_for_or_none(entry: dict[str, Any]) -> None:
    exercise = exercise_of(card(entry))
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


@each_tagged
def test_a_solution_that_does_not_answer_an_exercise_makes_none(entry: dict[str, Any]) -> None:
    for solution in ("", "See the lecture.", r"$\frac{\partial L}{\partial x} = 7$"):
        assert exercise_of(card(entry, solution=solution)) is None


@pytest.mark.parametrize(("asks", "kept"), TABLE["asks"])
def test_the_question_says_by_what_derivatives_are_asked_for(asks: str, kept: str) -> None:
    entry = next(entry for entry in CARDS if entry["id"] == "linear_sigmoid")
    exercise = exercise_of(card(entry, question=asks))
    found = exercise and {target.below for target in exercise.task.targets}  # type: ignore[attr-defined]
    assert found == (None if kept == "null" else {*kept.split()})


@pytest.mark.parametrize(
    "solution",
    [
        "\\[" * 9_000,
        "\\(x" * 6_000,
        r"$\partial" + " " * 15_000 + "$=",
        r"$\frac{\partial L}{\partial x_j} = \delta_k W_{kj}$ " * 300,
        r"$\frac{\partial L}{\partial x_j} = " + "x " * 100_000 + "$",
    ],
    ids=len,
)
def test_a_long_solution_is_not_tried_at_length(solution: str) -> None:
    tags = ["linear", "relu", "sigmoid", "gradients"]
    entry = {"tags": tags, "question": "Derive the gradients."}
    assert exercise_of(card(entry, solution=solution)) is None
