"""What check refuses, by a sentence, and what it takes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import engine

ANSWER = "dx[i,j] = sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l if (i,j) in Omega(k,l))"


def pooling() -> engine.Exercise:
    exercise = engine.exercise_for({"layer": "max-pool"}, (), "derivation")
    assert exercise is not None
    return exercise


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"trials": True}, "trials is True: a whole number of at least 1 is allowed"),
        ({"trials": 0}, "trials is 0: a whole number of at least 1 is allowed"),
        ({"seed": -1}, "seed is -1: a whole number of at least 0 is allowed"),
        ({"seed": 1.0}, "seed is 1.0: a whole number of at least 0 is allowed"),
        ({"language": "french"}, "language is 'french': formula, latex, function, or None"),
        ({"exercise": 3}, "exercise is 3: an Exercise, as exercise_for(...) returns one"),
        ({"exercise": "dx"}, "is allowed"),
        ({"answer": 3}, "answer is 3: a text is allowed"),
    ],
)
def test_a_refusal_names_argument_value_and_what_is_allowed(
    arguments: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        engine.check(**{"answer": ANSWER, "exercise": pooling(), **arguments})


def test_whole_numbers_of_numpy_are_whole_numbers() -> None:
    verdict = engine.check(ANSWER, pooling(), seed=np.int64(3), trials=np.uint8(5))  # type: ignore[arg-type]
    assert verdict == engine.check(ANSWER, pooling(), seed=3, trials=5)
    assert type(verdict.seed) is int
