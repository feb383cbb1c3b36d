"""Sizes that the card states: what fails for others alone is a remark, whatever the verdict."""

from __future__ import annotations

import pytest

from engine.checking import check
from engine.exercise import exercise_for

POOL = {
    "given": "y[k] = max(x[2*k+a] for a)",
    "find": "dL/dx[i]",
    "sizes": {"k": 3, "a": 3},
}
CONVOLUTION = {"layer": "convolution", "find": "dL/dx[j]"}


@pytest.mark.parametrize(
    ("card", "answer", "verdict"),
    [
        (
            POOL,
            "sum(delta[k] * [x[i] == y[k]] for k if 2*k <= i and i < 2*k+3)",
            "correct-except-ties",
        ),
        (
            {**CONVOLUTION, "sizes": {"a": 3, "i": 3}},
            "sum(delta[i] * W[j-2*i] for i if 0 <= j-2*i and j-2*i <= 2)",
            "correct",
        ),
    ],
)
def test_right_at_the_cards_own_sizes_is_right(
    card: dict[str, object], answer: str, verdict: str
) -> None:
    exercise = exercise_for(card, [], "derivation")
    assert exercise is not None
    found = check(answer, exercise)
    assert found.verdict == verdict
    assert found.remark == "It would not hold with a of another length than the card says."


def test_sizes_that_nobody_stated_must_not_matter() -> None:
    exercise = exercise_for(CONVOLUTION, [], "derivation")
    assert exercise is not None
    answer = "sum(delta[i] * W[j-2*i] for i if 0 <= j-2*i and j-2*i <= 1)"
    assert check(answer, exercise).verdict == "wrong"
