"""The answers that learners write, each with the verdict it must get."""

from __future__ import annotations

import json

import pytest

from engine.checking import check
from engine.exercise import exercise_for
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
