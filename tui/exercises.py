"""A card's exercise as screens and command line need it: the bridge from cards to engine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from cards.model import Problem

if TYPE_CHECKING:
    from cards import Card
    from engine.exercise import GivenError


def problems_of(
    text: str, path: Path | None = None, macros: Mapping[str, str] | None = None
) -> tuple[Problem, ...]:
    """Everything that is wrong or odd with the text of a card, its exercise included.

    `macros` are the collection's.
    """
    from cards.lint import formula_problems
    from cards.parse import analyse

    card, problems = analyse(text, path)
    if card is None:
        return problems
    exercise = exercise_problem(card)
    formulas = formula_problems(text, path, {**(macros or {}), **card.macros})
    return (*problems, *formulas, *([exercise] if exercise else []))


def exercise_problem(card: Card) -> Problem | None:
    """What is wrong with the card's `exercise:` key; None where there is none or it is good.

    NumPy is imported only for a card that has the key.
    """
    if card.exercise is None:
        return None
    from engine.exercise import ExerciseError, GivenError, exercise_for

    hint = "`deltadeck check --help` and docs/answers.md say what an exercise is."
    try:
        exercise_for(card.exercise, card.tags, card.type)
    except GivenError as error:
        line, column = _place(card.source, error)
        said = f"exercise: {error.key}: {error.message}"
        return Problem(card.path, line, column, said, error.hint or hint, "warning")
    except ExerciseError as error:
        line = _line_of(card.source, "exercise", 0)
        return Problem(card.path, line, 1, str(error), hint, "warning")
    return None


def _place(source: str, error: GivenError) -> tuple[int, int]:
    """Where in the card a formula goes wrong: its line there is looked for below its key."""
    rows = source.splitlines()
    first = _line_of(source, error.key, _line_of(source, "exercise", 0) - 1)
    wanted = error.row.strip()
    indented = len(error.row) - len(error.row.lstrip())
    if wanted:
        # A text of one line may stand behind its key; the same line may stand twice in a block.
        found = [n for n in range(first - 1, len(rows)) if wanted in rows[n]]
        at = next((n for n in found if n - first >= error.line - 1), found[0] if found else None)
        if at is not None:
            return at + 1, rows[at].index(wanted) + error.column - indented
    return first, 1


def _line_of(source: str, key: str, start: int) -> int:
    """The 1-based line of a key at or below line `start`; 1 where it is hidden."""
    for number, line in enumerate(source.splitlines(), 1):
        if number > start and line.lstrip("\ufeff {").startswith(key):
            return number
    return max(1, start)
