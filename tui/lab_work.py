"""What the lab computes away from the screen: the verdict, the input shown, the formula typeset."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.verdict import Verdict
from tui.lab_input import Look, Picture

if TYPE_CHECKING:
    from cards.math.typesetter.box import Box
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
    question: str = ""
    solution: str = ""

    @classmethod
    def of(cls, card: Card) -> Task:
        text = (card.question, card.solution) if not card.exercise else ()
        return cls(card.exercise, tuple(card.tags), card.type, *text)

    def made(self) -> Exercise:
        from engine import Exercise

        found = Exercise.from_card(self)
        assert found is not None
        return found


@dataclass(frozen=True, slots=True)
class Asked:
    answer: str
    task: Task
    look: Look
    width: int
    """Columns for the typeset formula."""
    unconfined: bool = False
    """Whether the learner said to run this function where nothing confines it."""


@dataclass(frozen=True, slots=True)
class Found:
    verdict: Verdict | None
    """None where nothing is written yet."""
    picture: Picture | None
    """None where no input of the exercise can be drawn."""
    formula: Box | None
    """What was read, typeset; None where nothing was, and for a function."""
    open_to_it: str = ""
    """Of a function that was not run, because nothing confines it: what is open to it."""


def checked(asked: Asked, newer: Callable[[], bool]) -> Found:
    """`find`, in the helper process; what is given up for something newer is never shown."""
    from tui.lab_checker import GoneError, SupersededError, TooLongError, shared_checker

    try:
        found: Found = shared_checker().ask(asked, newer)
    except SupersededError:
        return Found(None, None, None)
    except (TooLongError, GoneError) as error:
        return Found(given_up(error), None, None)
    return found


def given_up(error: Exception) -> Verdict:
    """What is said of an answer that took too long (TooLongError), or ended its process."""
    if str(error):
        return _refused(str(error), "end other programs, and try it again")
    hint = "use fewer sums inside sums, or shorter loops"
    return _refused("This answer takes too long to be tried.", hint)


def _refused(message: str, hint: str) -> Verdict:
    return Verdict("unreadable", "", 0, tried=0, message=message, hint=hint)


def find(asked: Asked) -> Found:
    """Check an answer and draw an input.  Never raises for an answer, whatever its text is."""
    from engine import check, prose
    from engine.formula.problem import FormulaError
    from engine.sandbox.fault import FunctionError
    from engine.sandbox.worker import UnconfinedError, WorkerError
    from tui.lab_mixed import plainly

    exercise = asked.task.made()
    if not asked.answer.strip():
        return Found(None, _picture(exercise, asked.look, None), None)
    try:
        verdict = check(asked.answer, exercise, unconfined=asked.unconfined)
        verdict = plainly(verdict, asked.answer)
    except UnconfinedError as error:
        verdict = _refused("It was not run: too little confines it.", "f5 asks whether to run it")
        return Found(verdict, _picture(exercise, asked.look, None), None, str(error))
    except WorkerError as error:
        verdict = _refused(str(error), "write the answer as a formula")
    answer = prose.without(asked.answer)
    if verdict.verdict != "unreadable":
        from tui.lab_answer import rule_of

        try:
            with rule_of(answer, exercise, verdict, asked.unconfined) as rule:
                picture = _picture(exercise, asked.look, rule)
                return Found(verdict, picture, typeset(rule.tex, asked.width))
        except (FormulaError, FunctionError, WorkerError):
            # Of this one input it can say nothing; the verdict stands.
            pass
    return Found(verdict, _picture(exercise, asked.look, None), _as_written(answer, asked.width))


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
