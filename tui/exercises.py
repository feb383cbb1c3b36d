"""A card's exercise as screens and command line need it: the bridge from cards to engine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cards.model import Problem

if TYPE_CHECKING:
    from cards import Card


def problems_of(text: str, path: Path | None = None) -> tuple[Problem, ...]:
    """Everything that is wrong or odd with the text of a card, its exercise included."""
    from cards.parse import analyse

    card, problems = analyse(text, path)
    exercise = exercise_problem(card) if card else None
    return (*problems, exercise) if exercise else problems


def exercise_problem(card: Card) -> Problem | None:
    """What is wrong with the card's `exercise:` key; None where there is none or it is good.

    NumPy is imported only for a card that has the key.
    """
    if card.exercise is None:
        return None
    from engine import ExerciseError, exercise_for

    try:
        exercise_for(card.exercise, card.tags, card.type)
    except ExerciseError as error:
        hint = "`deltadeck check --help` and docs/answers.md say what an exercise is."
        return Problem(card.path, _line(card.source), 1, str(error), hint, "warning")
    return None


def _line(source: str) -> int:
    """The line of the key, 1 where it is written in a way that hides it."""
    for number, line in enumerate(source.splitlines(), 1):
        if line.lstrip("\ufeff").startswith("exercise"):
            return number
    return 1
