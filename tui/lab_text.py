"""What the lab says: its lines for a verdict, a formula, an input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from tui import verdict_text

if TYPE_CHECKING:
    from engine import Exercise, Verdict
    from tui.lab_hints import Hint
    from tui.lab_input import Picture

STILL_AT_IT = Content.styled("still trying it …", "dim")


def question(exercise: Exercise) -> str:
    """What is asked; of a card's own forward message, that message too."""
    from engine.pooling_exercise import PoolingExercise

    if isinstance(exercise, PoolingExercise):
        return exercise.description
    from engine.given.exercise import GivenExercise

    assert isinstance(exercise, GivenExercise)
    rows = [row for row in exercise.task.text.splitlines() if row.strip()]
    return "\n".join([exercise.description, *(f"  {row.strip()}" for row in rows)])


def placeholder(exercise: Exercise) -> str:
    left = exercise.example.splitlines()[-1].partition("=")[0].strip()
    return f"Write what you derived: {left} = …, LaTeX, or def backward(…):"


def headline(verdict: Verdict | None) -> Content:
    if verdict is None:
        return Content.styled("the verdict appears here while you type", "dim")
    if verdict.verdict == "unreadable" and verdict.layers:
        return Content.styled("? the function gives no message", "bold $text-muted")
    return verdict_text.headline(verdict)


def said(verdict: Verdict | None, answer: str, width: int, hints: Sequence[Hint]) -> Content:
    if verdict is None:
        return Content("")
    return verdict_text.details(verdict, answer, width, hints)


def geometry(picture: Picture) -> str:
    pooling = picture.pooling
    if pooling is None:
        return ""
    return verdict_text.geometry(pooling.kernel, pooling.stride, pooling.padding)


def nothing_fails(verdict: Verdict | None) -> str:
    if verdict is None or verdict.verdict == "unreadable":
        return "There is no answer yet that could fail."
    return "No input fails."


def no_hint(verdict: Verdict | None) -> str:
    if verdict is not None and verdict.verdict == "correct":
        return "It is correct: there is nothing to hint at."
    if verdict is not None:
        return "Hints are about an answer that can be read; Notation shows how one is written."
    return "Write something first, even a guess: the hints are about your answer."


def notation(exercise: Exercise) -> Content:
    """The symbols an answer may use, and one that is well formed."""
    lines = [
        Content.assemble((f"{symbol:24}", "bold"), meaning) for symbol, meaning in exercise.symbols
    ]
    lines.append(Content.assemble(("for example  ", "dim"), exercise.example))
    lines.append(
        Content.assemble(
            ("or           ", "dim"),
            r"LaTeX, as \delta_{x,ij} = \sum_{k,l} …, or def backward(x, delta): with NumPy",
        )
    )
    return Content("\n").join(lines)
