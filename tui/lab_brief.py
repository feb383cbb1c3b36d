"""What the lab's screens say of an exercise, as plain data: made in the helper process.

An exercise of a card's own forward message is made with NumPy, whose import takes 0.1 s; the
process that draws the screen never imports it, so that no key waits for it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tui.lab_input import VALUES, Window
from tui.lab_work import Task

if TYPE_CHECKING:
    from engine import Exercise

#: Kinds of inputs (engine/given/inputs.py) that a kind of values can be chosen for.
_CHOOSABLE = ("real", "positive")


@dataclass(frozen=True, slots=True)
class Brief:
    description: str
    """One sentence that tells what is asked."""
    forward: tuple[str, ...]
    """The lines of a card's own forward message; none for max pooling."""
    symbols: tuple[tuple[str, str], ...]
    """What an answer may speak of, each with its meaning."""
    example: str
    """A well-formed answer; it need not be right."""
    answer: str
    """A right answer; "" for a card's own forward message."""
    handed: tuple[str, ...]
    """The arguments of an answer that is a function, by name."""
    pooling: bool
    window: Window | None = None
    """Of max pooling, where the sliders begin; None where the card leaves nothing free."""
    values: tuple[str, ...] = ()
    """Kinds of values that an input can be asked for; none where there is no choice."""

    @property
    def signature(self) -> str:
        """The first line of an answer that is a function."""
        return f"def backward({', '.join(self.handed)}):"

    @property
    def left(self) -> str:
        """The left side of an answer: "dx[i,j]", "dL/dx[j]"."""
        return self.example.splitlines()[-1].partition("=")[0].strip()


@dataclass(frozen=True, slots=True)
class BriefAsked:
    task: Task


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a card's exercise."""

    brief: Brief | None
    """None where the card has no exercise."""
    problem: str = ""
    """Why an exercise that is asked for cannot be, in a sentence."""


def known(asked: BriefAsked) -> Known:
    from engine import Exercise, ExerciseError

    try:
        exercise = Exercise.from_card(asked.task)
    except ExerciseError as error:
        return Known(None, str(error))
    return Known(brief(exercise) if exercise is not None else None)


def brief(exercise: Exercise) -> Brief:
    from engine.pooling_exercise import PoolingExercise

    if isinstance(exercise, PoolingExercise):
        free = exercise.kernel is None
        window = Window(2, 2, 0) if free else None
        return _brief(exercise, (), ("x", "delta"), True, window, VALUES)
    from engine.given.exercise import GivenExercise

    assert isinstance(exercise, GivenExercise)
    rows = tuple(row.strip() for row in exercise.task.text.splitlines() if row.strip())
    some = any(kind in _CHOOSABLE for kind in exercise.task.model.kinds.values())
    task = exercise.task
    handed = (*task.model.forward.inputs, *(("delta",) if task.words.output else ()))
    found = _brief(exercise, rows, handed, False, None, VALUES if some else ())
    # That of a layer of ours is its right answer: here it would give it away.
    return replace(found, example=replace(exercise, answer="").example)


def _brief(
    exercise: Exercise,
    forward: tuple[str, ...],
    handed: tuple[str, ...],
    pooling: bool,
    window: Window | None,
    values: tuple[str, ...],
) -> Brief:
    return Brief(
        exercise.description,
        forward,
        exercise.symbols,
        exercise.example,
        exercise.answer,
        handed,
        pooling,
        window,
        values,
    )
