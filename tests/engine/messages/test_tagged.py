"""Cards that name layers by their tags: each gets the exercise that it asks for, or none."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from engine.exercise import Exercise, exercise_for, why_none
from engine.messages.exercise import GivenExercise

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
