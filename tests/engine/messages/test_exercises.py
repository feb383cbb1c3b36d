"""Forward messages as cards give them: right answers are correct, wrong ones are not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from engine.checking import check
from engine.exercise import Exercise, exercise_for
from engine.verdict import Case

CARDS = Path(__file__).with_name("exercises.yaml")
VERDICTS = {"right": "correct", "kinks": "correct-except-ties", "wrong": "wrong"}


def cards() -> list[dict[str, Any]]:
    # As a card's frontmatter is read: every value is a text.
    found: list[dict[str, Any]] = yaml.load(CARDS.read_text("utf-8"), Loader=yaml.BaseLoader)
    return found


def exercise_of(card: dict[str, Any]) -> Exercise:
    exercise = exercise_for(card["exercise"], [], "derivation")
    assert exercise is not None
    return exercise


def answers(*kinds: str) -> Iterator[Any]:
    for card in cards():
        for kind in kinds:
            for n, answer in enumerate(card.get(kind, ())):
                yield pytest.param(card, answer, VERDICTS[kind], id=f"{card['name']}-{kind}-{n}")


@pytest.mark.parametrize(("card", "answer", "verdict"), answers("right", "kinks", "wrong"))
def test_an_answer_gets_its_verdict(card: dict[str, Any], answer: str, verdict: str) -> None:
    assert check(answer, exercise_of(card)).verdict == verdict


@pytest.mark.parametrize(("card", "answer", "verdict"), answers("kinks", "wrong"))
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


@pytest.mark.parametrize(("card", "answer", "verdict"), answers("right", "kinks", "wrong"))
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
