"""What is wrong with the formulas of a card's exercise."""

from __future__ import annotations

from engine.exercise import ExerciseError
from engine.formula.problem import OffsetError, located


class GivenError(ExerciseError):
    """An exercise whose formula cannot be read; `line` and `column` are within that key's text.

    `row` is the line itself.
    """

    def __init__(self, key: str, text: str, trouble: OffsetError) -> None:
        found = located(trouble, text)
        place = f"line {found.line}, column {found.column}"
        super().__init__(f"exercise: {key}, {place}: {found.message} ({found.hint})")
        rows = text.splitlines() or [""]
        self.key, self.message, self.hint = key, found.message, found.hint
        self.line, self.column = found.line, found.column
        self.row = rows[min(found.line, len(rows)) - 1]
