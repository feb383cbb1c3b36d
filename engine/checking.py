"""check(answer, exercise): read it, try it on inputs that hurt, and say what that makes of it."""

from __future__ import annotations

from engine.exercise import Exercise
from engine.formula import FormulaError
from engine.grade import grade
from engine.verdict import Verdict


def check(
    answer: str | Exercise, exercise: Exercise | str, seed: int = 0, trials: int = 300
) -> Verdict:
    """Judge an answer on `trials` random inputs drawn from `seed`; the same call, the same verdict.

    The answer and the exercise may stand in either order.  What the verdicts mean is told at
    `engine.grade.grade`; "unreadable" is an answer that is not a formula, or that gives the other
    message than the exercise insists on.  It never raises for an answer, whatever its text is; a
    negative seed, or no trials at all, is a ValueError.
    """
    for name, value, least in (("seed", seed, 0), ("trials", trials, 1)):
        if not isinstance(value, int) or value < least:
            raise ValueError(f"{name} is {value!r}: a whole number of at least {least} is allowed")
    if isinstance(exercise, str):
        answer, exercise = exercise, answer
    if not isinstance(answer, str) or isinstance(exercise, str):
        raise TypeError("check takes an answer, a text, and an exercise")
    grader = exercise.grader()
    try:
        reading = grader.read(answer)
        return grade(
            lambda batch: grader.evaluate(reading, batch),
            reading.target,
            exercise,
            seed,
            trials,
            reading.echo,
        )
    except FormulaError as error:
        return Verdict(
            "unreadable",
            error.echo,
            seed,
            tried=0,
            message=error.message,
            hint=error.hint,
            line=error.line,
            column=error.column,
        )
