"""What the lab computes away from the screen: the verdict, the input shown, the formula typeset."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.verdict import Verdict
from tui.lab_input import Look, Picture

if TYPE_CHECKING:
    from cards.math.box import Box
    from cards.model import Card
    from engine import Exercise

#: Characters; the engine reads fewer, and says so.
LONGEST_ANSWER = 10_000


@dataclass(frozen=True, slots=True)
class Task:
    """What of a card its exercise is made of: plain data, for another process."""

    exercise: object
    tags: tuple[str, ...]
    type: str

    @classmethod
    def of(cls, card: Card) -> Task:
        return cls(card.exercise, tuple(card.tags), card.type)

    def made(self) -> Exercise:
        from engine import exercise_for

        found = exercise_for(self.exercise, self.tags, self.type)
        assert found is not None
        return found


@dataclass(frozen=True, slots=True)
class Asked:
    answer: str
    task: Task
    look: Look
    width: int
    """Columns for the typeset formula."""


@dataclass(frozen=True, slots=True)
class Found:
    verdict: Verdict | None
    """None where nothing is written yet."""
    picture: Picture | None
    """None where no input of the exercise can be drawn."""
    formula: Box | None
    """What was read, typeset; None where nothing was, and for a function."""


def checked(asked: Asked, newer: Callable[[], bool]) -> Found:
    """`find`, in the helper process; what is given up for something newer is never shown."""
    from tui.lab_checker import GoneError, SupersededError, TooLongError, shared_checker

    try:
        found: Found = shared_checker().ask(asked, newer)
    except SupersededError:
        return Found(None, None, None)
    except TooLongError:
        hint = "use fewer sums inside sums, or shorter loops"
        return Found(_refused("This answer takes too long to be tried.", hint), None, None)
    except GoneError as error:
        hint = "`deltadeck check` tries it as well"
        return Found(_refused(str(error), hint), None, None)
    return found


def _refused(message: str, hint: str) -> Verdict:
    return Verdict("unreadable", "", 0, tried=0, message=message, hint=hint)


def find(asked: Asked) -> Found:
    """Check an answer and draw an input.  Never raises for an answer, whatever its text is."""
    from engine.formula.problem import FormulaError
    from engine.sandbox.fault import FunctionError
    from engine.sandbox.worker import WorkerError

    exercise = asked.task.made()
    if not asked.answer.strip():
        return Found(None, _picture(exercise, asked.look, None), None)
    verdict = _verdict(asked.answer, exercise)
    answer = _formula(asked.answer)
    if verdict.verdict != "unreadable":
        from tui.lab_answer import rule_of

        try:
            with rule_of(answer, exercise, verdict) as rule:
                picture = _picture(exercise, asked.look, rule)
                return Found(verdict, picture, typeset(rule.tex, asked.width))
        except (FormulaError, FunctionError, WorkerError):
            # Of this one input it can say nothing; the verdict stands.
            pass
    return Found(verdict, _picture(exercise, asked.look, None), _as_written(answer, asked.width))


def _formula(answer: str) -> str:
    """The answer, or the one formula in it, read as `engine.check` reads it."""
    from engine import prose

    return prose.without(answer)


def _verdict(answer: str, exercise: Exercise) -> Verdict:
    from engine import check
    from engine.sandbox.worker import WorkerError
    from tui.lab_mixed import plainly

    try:
        return plainly(check(answer, exercise), answer)
    except WorkerError as error:
        return _refused(str(error), "write the answer as a formula")


def _picture(exercise: Exercise, look: Look, rule: Any) -> Picture | None:
    from engine.formula.problem import OffsetError
    from tui.lab_input import picture

    try:
        return picture(exercise, look, rule)
    except OffsetError:  # no such sizes
        return None


def _as_written(answer: str, width: int) -> Box | None:
    r"""LaTeX is typeset even where it was not understood: a missing \right is seen at once."""
    from engine.languages import language_of
    from tui.lab_mixed import function_within

    whole = language_of(answer) == "latex" and not function_within(answer)
    return typeset(answer, width) if whole else None


def typeset(tex: str, width: int) -> Box | None:
    from cards.math import layout

    return layout(tex, width=width) if tex else None
