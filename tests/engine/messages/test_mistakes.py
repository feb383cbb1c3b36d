"""A wrong answer that follows a known wrong rule is named by it, and no other rule claims it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine.checking import check
from engine.exercise import Exercise, exercise_for

FILE = Path(__file__).with_name("mistakes.yaml")


def exercises() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load(FILE.read_text("utf-8"))
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
