"""What students write about layers and cards' own messages: read, judged and named, or refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine.checking import check
from engine.exercise import exercise_for

FILE = Path(__file__).with_name("students.yaml")


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
