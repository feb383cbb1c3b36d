"""What learners get wrong about one layer they get wrong about others: each has one name for it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine.checking import check
from engine.exercise import exercise_for

FILE = Path(__file__).with_name("misconceptions.yaml")
SHARED: list[dict[str, Any]] = yaml.safe_load(FILE.read_text("utf-8"))


def rows() -> Iterator[Any]:
    for one in SHARED:
        for layer, answer in one["answers"]:
            yield pytest.param(one["name"], layer, answer, id=f"{layer}: {answer}")


@pytest.mark.parametrize(("name", "layer", "answer"), rows())
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
