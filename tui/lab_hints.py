"""One hint after the other: where an answer fails, the mistake by its name, the line itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from engine.verdict import Verdict
from tui.cells import labels
from tui.text import counted

if TYPE_CHECKING:
    from cards.model import Card
    from engine import Exercise

_DISPLAY = re.compile(r"\$\$(.+?)\$\$|\\\[(.+?)\\\]", re.DOTALL)


def hints(verdict: Verdict, exercise: Exercise, card: Card) -> tuple[str, ...]:
    """What may be told of a wrong answer, from the least to the most; nothing of other answers."""
    if verdict.verdict in ("correct", "unreadable"):
        return ()
    return tuple(filter(None, (where(verdict), mistake(verdict), solution(exercise, card))))


def where(verdict: Verdict) -> str:
    """Which inputs fail."""
    if verdict.wrong_when:
        return f"It is wrong only when {', and '.join(verdict.wrong_when)}."
    if verdict.failed == verdict.tried:
        return "It fails on every input, so look at the smallest case."
    right = verdict.tried - verdict.failed
    return f"It is right on {counted(right, 'input')} of {verdict.tried}, of no one kind."


def mistake(verdict: Verdict) -> str:
    """The misconception with its sentence; where there is none, how near the answer is."""
    if verdict.misconception:
        named = f"It looks like this: {verdict.misconception}."
        return f"{named} {verdict.teaching}" if verdict.teaching else named
    return near(verdict)


def near(verdict: Verdict) -> str:
    """How far off the smallest case is, at its most telling cell."""
    shown = verdict.counterexample
    if shown is None or not shown.cells:
        return ""
    cell = shown.cells[0]
    yours, right = labels([[_at(shown.yours, cell), _at(shown.expected, cell)]])[0]
    count = len(shown.cells)
    off = "One entry is" if count == 1 else f"{count} entries are"
    at = ",".join(map(str, cell))
    return f"{off} off in the smallest case: at [{at}] it says {yours}, and {right} is expected."


def solution(exercise: Exercise, card: Card) -> str:
    """A right answer in our notation, or else the line of the card's solution."""
    if exercise.answer:
        return f"A right answer: {exercise.answer}"
    line = solution_line(card.solution)
    return f"The solution has: {line}" if line else ""


def solution_line(text: str) -> str:
    """The first displayed formula of a solution with a derivative in it, else its first line."""
    formulas = [one or other for one, other in _DISPLAY.findall(text)]
    told = [f for f in formulas if "partial" in f or "delta" in f or "nabla" in f] or formulas
    if told:
        return " ".join(told[0].split())
    rows = [row.strip() for row in text.splitlines() if row.strip()]
    return rows[0] if rows else ""


def _at(values: Any, cell: tuple[int, ...]) -> float:
    for index in cell:
        values = values[index]
    number: float = values
    return number
