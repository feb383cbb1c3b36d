"""Checking an answer: how many known verdicts agree, and how long a verdict takes."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from functools import partial

import yaml

from engine import Exercise, check, exercise_for
from tests.bench.figures import Figure, median_ms
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
    times = [median_ms(partial(check, e["answer"], exercise), runs=5) for e in entries]
    yield Figure("formula verdict, median of the answers", statistics.median(times), 50, "ms")
    yield Figure("formula verdict, slowest of the answers", max(times), 150, "ms")


def _agreeing(entries: list[dict[str, str]], exercise: Exercise) -> float:
    """The share of the known answers that get their verdict and their misconception."""
    right = 0
    for entry in entries:
        verdict = check(entry["answer"], exercise)
        named = "misconception" not in entry or entry["misconception"] == verdict.misconception
        right += verdict.verdict == entry["verdict"] and named
    return right / len(entries)
