"""Checking an answer: how many known verdicts agree; tests/bench/sound.py times them."""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from engine.checking import check
from engine.exercise import Exercise, exercise_for
from tests.bench.figures import Figure
from tests.paths import MATERIAL


def figures() -> Iterator[Figure]:
    exercise = exercise_for(None, ("max-pooling", "backpropagation"), "derivation")
    assert exercise is not None
    entries = [
        entry
        for each in MATERIAL
        for entry in yaml.safe_load(each.answers.read_text("utf-8"))["formula"]
    ]
    yield Figure("formula verdicts that agree", 100 * _agreeing(entries, exercise), 100, "%", False)


def _agreeing(entries: list[dict[str, str]], exercise: Exercise) -> float:
    """The share of the known answers that get their verdict and their misconception."""
    right = 0
    for entry in entries:
        verdict = check(entry["answer"], exercise)
        named = "misconception" not in entry or entry["misconception"] == verdict.misconception
        right += verdict.verdict == entry["verdict"] and named
    return right / len(entries)
