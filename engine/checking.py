"""check(answer, exercise): read it, try it on inputs that hurt, and say what that makes of it."""

from __future__ import annotations

from typing import Final

from engine import formula
from engine.exercise import Exercise
from engine.formula import FormulaError
from engine.grade import grade
from engine.judge import Target
from engine.verdict import Verdict

_OTHER_MESSAGE: Final = {
    "J": (
        "This is the Jacobian df/dx; the exercise asks for the backward message dL/dx.",
        "multiply it by delta[k,l] and sum over the windows (k,l)",
    ),
    "dx": (
        "This is the backward message dL/dx; the exercise asks for the Jacobian df/dx.",
        "leave out delta and the sum: df_kl/dx_ij = ...",
    ),
}


def check(answer: str, exercise: Exercise, seed: int = 0, trials: int = 300) -> Verdict:
    """Judge an answer on `trials` random inputs drawn from `seed`; the same call, the same verdict.

    What the verdicts mean is told at `engine.grade.grade`; "unreadable" is an answer that is not a
    formula, or that gives the other message than the exercise insists on.  It never raises for
    an answer, whatever its text is; a negative seed, or no trials at all, is a ValueError.
    """
    for name, value, least in (("seed", seed, 0), ("trials", trials, 1)):
        if not isinstance(value, int) or value < least:
            raise ValueError(f"{name} is {value!r}: a whole number of at least {least} is allowed")
    try:
        read = formula.read(answer)
        # Without a left side and without delta, it is the Jacobian's element.
        target: Target = "dx" if read.target == "dx" else "J"
        if exercise.find not in ("any", target):
            message, hint = _OTHER_MESSAGE[target]
            return _unreadable(FormulaError(message, hint, 1, 1), seed, read.echo)
        return grade(
            lambda batch: formula.evaluate(read, batch), target, exercise, seed, trials, read.echo
        )
    except FormulaError as error:
        return _unreadable(error, seed)


def _unreadable(error: FormulaError, seed: int, echo: str = "") -> Verdict:
    return Verdict(
        "unreadable",
        echo,
        seed,
        tried=0,
        message=error.message,
        hint=error.hint,
        line=error.line,
        column=error.column,
    )
