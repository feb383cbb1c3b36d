"""What the lab computes off the UI thread: the verdict, and the input that is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui import lab_input

if TYPE_CHECKING:
    from engine import Exercise, Verdict


@dataclass(frozen=True, slots=True)
class Asked:
    answer: str
    exercise: Exercise
    geometry: int
    seed: int


@dataclass(frozen=True, slots=True)
class Found:
    verdict: Verdict | None
    """None where nothing is written yet."""
    picture: lab_input.Picture | None
    """None where the exercise has no windows to draw."""


def find(asked: Asked) -> Found:
    from engine import check

    verdict = check(asked.answer, asked.exercise) if asked.answer.strip() else None
    return Found(verdict, _picture(asked))


def _picture(asked: Asked) -> lab_input.Picture | None:
    from engine.pooling_exercise import PoolingExercise

    if not isinstance(asked.exercise, PoolingExercise):
        return None
    return lab_input.draw(asked.exercise, asked.geometry, asked.seed, asked.answer)
