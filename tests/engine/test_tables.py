"""Answers of tables, each with the verdict that a person would give it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from engine.checking import check
from engine.exercise import Exercise, exercise_for
from engine.formula.reader import read
from engine.verdict import Case, Verdict
from tests.material import Entry, each_answer


@each_answer("formula")
@pytest.mark.parametrize("seed", [0, 1])
def test_an_answer_gets_its_verdict(entry: Entry, seed: int) -> None:
    exercise = exercise_for(None, ["cnn", "max-pooling", "backpropagation"], "derivation")
    assert exercise is not None
    verdict = check(entry["answer"], exercise, seed=seed)
    assert verdict.verdict == entry["verdict"]
    assert verdict.misconception == entry.get("misconception")
    assert bool(verdict.read) == (entry["verdict"] != "unreadable")
    json.dumps(verdict.as_dict(), allow_nan=False)
    if "at" in entry:
        assert verdict.column == entry["at"] + 1
    if entry["verdict"] == "unreadable":
        assert verdict.message
        assert verdict.hint
        assert verdict.tried == 0
    elif entry["verdict"] == "correct":
        assert (verdict.tried, verdict.failed, verdict.counterexample) == (300, 0, None)
    else:
        assert verdict.counterexample is not None
        assert verdict.counterexample.yours != verdict.counterexample.expected
        assert verdict.counterexample.cells


TABLE: dict[str, dict[str, list[str]]] = yaml.safe_load(
    Path(__file__).with_name("population.yaml").read_text("utf-8")
)
#: Enough for all of them, and less than a check takes.
TRIALS = 100
READ = ("correct", "correct-except-ties", "only-without-overlap", "wrong")


@cache
def verdict_of(layer: str, answer: str) -> Verdict:
    exercise = exercise_for(layer, (), "derivation")
    assert exercise is not None
    return check(answer, exercise, trials=TRIALS)


def verdicts(layers: Iterable[str], *expected: str) -> Iterator[tuple[str, str, Verdict]]:
    """Each answer of the table with the verdict that it must get, and the one that it gets."""
    for layer in layers:
        for verdict in set(expected) & set(TABLE[layer]):
            for answer in TABLE[layer][verdict]:
                yield answer, verdict, verdict_of(layer, answer)


def test_an_answer_that_is_clear_gets_the_verdict_it_deserves() -> None:
    other = [
        (answer, verdict, found.verdict, found.message, found.read)
        for answer, verdict, found in verdicts(TABLE, *READ)
        if found.verdict != verdict
    ]
    assert other == []


def test_what_is_not_clear_is_refused_at_its_place_with_a_way_to_write_it() -> None:
    for answer, _, found in verdicts(TABLE, "unreadable"):
        assert found.verdict == "unreadable", answer
        assert found.message, answer
        assert found.line, answer
        assert found.column, answer
        assert "look at" not in (found.hint or "look at"), answer


def test_what_was_read_reads_back_to_the_same_tree() -> None:
    for answer, _, found in verdicts(["max-pool"], *READ):
        assert read(read(found.read).echo).tree == read(found.read).tree, answer


FILE = Path(__file__).with_name("messages") / "students.yaml"


def rows() -> Iterator[Any]:
    for one in yaml.safe_load(FILE.read_text("utf-8")):
        for text, verdict, *said in one["rows"]:
            yield pytest.param(one["exercise"], text, verdict, said[0] if said else None, id=text)


@pytest.mark.parametrize(("keys", "text", "verdict", "said"), rows())
def test_an_answer_gets_its_verdict_and_the_name_of_its_mistake(
    keys: dict[str, Any], text: str, verdict: str, said: str | None
) -> None:
    exercise = exercise_for(keys, [], "derivation")
    assert exercise is not None
    found = check(text, exercise)
    # Each row is about one message: of an exercise that asks for several, it is a part.
    outcome = "correct" if found.verdict == "incomplete" else found.verdict
    assert outcome == verdict, (found.message, found.read)
    if verdict == "unreadable":
        assert str(said) in (found.message or "")
        assert found.hint
        assert found.column
    else:
        assert found.misconception == said
    if verdict == "wrong":
        assert found.counterexample or found.teaching


@pytest.mark.parametrize(("text", "place"), [("dx = W delta", 8), (r"\delta_x = W \delta", 14)])
def test_what_does_not_fit_is_shown_at_its_place(text: str, place: int) -> None:
    exercise = exercise_for("linear", [], "derivation")
    assert exercise is not None
    found = check(text, exercise)
    assert (found.misconception, found.line) == ("transposed weight: W in place of W^T", 1)
    assert (found.column, found.counterexample) == (place, None)


MISTAKES = Path(__file__).with_name("messages") / "mistakes.yaml"


def exercises() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load(MISTAKES.read_text("utf-8"))
    return found


def made(keys: dict[str, Any]) -> Exercise:
    exercise = exercise_for(keys, [], "derivation")
    assert exercise is not None
    return exercise


def answers() -> Iterator[Any]:
    for one in exercises():
        for entry in one["answers"]:
            yield pytest.param(one["exercise"], entry["answer"], entry["named"], id=entry["answer"])


@pytest.mark.parametrize(("keys", "answer", "name"), answers())
def test_a_mistake_is_named_and_mended(keys: dict[str, Any], answer: str, name: str) -> None:
    verdict = check(answer, made(keys))
    assert (verdict.verdict, verdict.misconception) == ("wrong", name)
    assert verdict.teaching
    assert verdict.teaching.endswith(".")


def test_at_least_twenty_five_mistakes_are_told_apart() -> None:
    names = {entry["named"] for one in exercises() for entry in one["answers"]}
    assert len(names) >= 60


@pytest.mark.parametrize("seed", range(1, 4))
def test_a_name_does_not_hang_on_the_seed(seed: int) -> None:
    for one in exercises()[:6]:
        for entry in one["answers"][:2]:
            found = check(entry["answer"], made(one["exercise"]), seed=seed).misconception
            assert found == entry["named"]


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        ({"layer": "linear"}, "dL/dx[j] = sum(delta[k] * W[k,j] for k) + x[j]"),
        ({"layer": "softmax"}, "dL/dx[k] = y[k]^3 * delta[k]"),
        ({"layer": "cross-entropy"}, "dL/dx[k] = p[k] * t[k]"),
        ({"layer": "layer-norm"}, "dL/dx[j] = delta[j] + h[j]"),
        ({"layer": "relu"}, "dL/dx[k] = delta[k] * [x[k] > 1]"),
    ],
)
def test_what_follows_no_known_rule_is_not_named(keys: dict[str, Any], answer: str) -> None:
    verdict = check(answer, made(keys))
    assert (verdict.verdict, verdict.misconception) == ("wrong", None)


MISCONCEPTIONS = Path(__file__).with_name("messages") / "misconceptions.yaml"
SHARED: list[dict[str, Any]] = yaml.safe_load(MISCONCEPTIONS.read_text("utf-8"))


def misconceptions() -> Iterator[Any]:
    for one in SHARED:
        for layer, answer in one["answers"]:
            yield pytest.param(one["name"], layer, answer, id=f"{layer}: {answer}")


@pytest.mark.parametrize(("name", "layer", "answer"), misconceptions())
def test_a_misconception_is_recognised_on_each_layer_that_it_is_had_of(
    name: str, layer: str, answer: str
) -> None:
    exercise = exercise_for(layer, [], "derivation")
    assert exercise is not None
    verdict = check(answer, exercise)
    assert verdict.verdict == "wrong"
    assert re.search(name, verdict.misconception or ""), verdict.misconception
    assert (verdict.teaching or "").endswith(".")


def test_at_least_twenty_five_are_shared_by_two_layers_or_more() -> None:
    shared = [one for one in SHARED if len({layer for layer, _ in one["answers"]}) > 1]
    assert len(shared) == len(SHARED) >= 25


CARDS = Path(__file__).with_name("messages") / "exercises.yaml"
VERDICTS = {"right": "correct", "kinks": "correct-except-ties", "wrong": "wrong"}


def cards() -> list[dict[str, Any]]:
    # As a card's frontmatter is read: every value is a text.
    found: list[dict[str, Any]] = yaml.load(CARDS.read_text("utf-8"), Loader=yaml.BaseLoader)
    return found


def exercise_of(card: dict[str, Any]) -> Exercise:
    exercise = exercise_for(card["exercise"], [], "derivation")
    assert exercise is not None
    return exercise


def answers_to_exercises(*kinds: str) -> Iterator[Any]:
    for card in cards():
        for kind in kinds:
            for n, answer in enumerate(card.get(kind, ())):
                yield pytest.param(card, answer, VERDICTS[kind], id=f"{card['name']}-{kind}-{n}")


@pytest.mark.parametrize(
    ("card", "answer", "verdict"), answers_to_exercises("right", "kinks", "wrong")
)
def test_an_answer_to_an_exercise_gets_its_verdict(
    card: dict[str, Any], answer: str, verdict: str
) -> None:
    assert check(answer, exercise_of(card)).verdict == verdict


@pytest.mark.parametrize(("card", "answer", "verdict"), answers_to_exercises("kinks", "wrong"))
def test_a_failure_is_shown_on_small_inputs(
    card: dict[str, Any], answer: str, verdict: str
) -> None:
    found = check(answer, exercise_of(card))
    case = found.counterexample
    assert isinstance(case, Case)
    assert case.cells
    assert np.shape(case.yours) == np.shape(case.expected)
    assert sum(np.size(values) for values in case.inputs.values()) <= 40
    for cell in case.cells:
        assert len(cell) == len(case.indices) == np.ndim(case.yours)
        yours, expected = (np.array(grid)[cell] for grid in (case.yours, case.expected))
        assert yours != pytest.approx(expected, rel=1e-10, abs=1e-15)
    assert bool(case.note) == (verdict == "correct-except-ties")


@pytest.mark.parametrize(
    ("card", "answer", "verdict"), answers_to_exercises("right", "kinks", "wrong")
)
def test_what_was_read_reads_back(card: dict[str, Any], answer: str, verdict: str) -> None:
    exercise = exercise_of(card)
    read = exercise.grader().read(answer)
    again = exercise.grader().read(read.echo)
    assert again.echo == read.echo
    assert again.formula.body == read.formula.body
    assert check(read.echo, exercise).verdict == verdict


@pytest.mark.parametrize("card", cards(), ids=lambda card: card["name"])
def test_a_right_answer_is_right_on_any_seed(card: dict[str, Any]) -> None:
    for seed in range(1, 6):
        verdict = check(card["right"][0], exercise_of(card), seed=seed)
        assert (verdict.verdict, verdict.failed) == ("correct", 0)
        assert verdict.tried + verdict.left_out >= 300
        assert verdict.left_out <= 30


@pytest.mark.parametrize("card", cards(), ids=lambda card: card["name"])
def test_the_example_is_well_formed(card: dict[str, Any]) -> None:
    exercise = exercise_of(card)
    assert check(exercise.example, exercise).verdict in ("correct", "wrong")
    assert exercise.symbols
    assert exercise.description.startswith("Write d")


def test_the_same_keys_are_the_same_exercise() -> None:
    card = cards()[0]
    assert exercise_of(card) is exercise_of(card)
