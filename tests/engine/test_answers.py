"""The answers that learners write, each with the verdict it must get."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine import check, exercise_for

ANSWERS = Path(__file__).parents[2].parent / "shared" / "answers" / "maxpool.yaml"


def entries() -> list[dict[str, Any]]:
    if not ANSWERS.exists():
        return []
    found: list[dict[str, Any]] = yaml.safe_load(ANSWERS.read_text("utf-8"))["formula"]
    return found


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry["answer"][:60])
@pytest.mark.parametrize("seed", [0, 1])
def test_an_answer_gets_its_verdict(entry: dict[str, Any], seed: int) -> None:
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
