"""The lab's helper process: an answer's verdict, its input and its formula; what an exercise is.

It answers requests (tui/lab/requests.py) over its pipes, one at a time, until they close. Only
this process imports NumPy, and never Textual.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from cards.math import layout
from cards.math.typesetter.box import text_box
from engine import prose
from engine.algorithm.exercise import AlgorithmExercise
from engine.checking import CheckedAnswer, check, checked
from engine.exercise import Exercise, ExerciseError, language_of
from engine.formula.tree import FormulaError, OffsetError
from engine.messages.targets import typeset
from engine.pooling.exercise import PoolingExercise
from engine.proposal import keys_of, proposed, solution_verdict
from engine.registry import exercise_of, why_none
from engine.sandbox.function_answer import Function, shared_worker
from engine.sandbox.wire import FunctionError
from engine.sandbox.worker import UnconfinedError, WorkerError
from engine.verdict import Proposal
from tui.lab.inputs import Rule, picture, worksheet
from tui.lab.requests import (
    VALUES,
    CheckRequest,
    ExerciseInfo,
    ExerciseLookupResult,
    ExerciseRequest,
    ExerciseSpec,
    FaultError,
    LabRequest,
    LabResponse,
    MarkedLine,
    PoolingWindow,
    Request,
    Result,
    SolutionRequest,
    read,
    unreadable,
    write,
)
from tui.lab.text import function_within, plainly
from tui.lab.worksheet import WorksheetRequest
from tui.text import shortened

if TYPE_CHECKING:
    from cards.model import Card
    from engine.exercise import Language, Reading
    from engine.messages.exercise import GivenExercise
    from engine.verdict import Verdict

#: Kinds of inputs (engine/messages/inputs.py) that a kind of values can be chosen for.
_CHOOSABLE = ("real", "positive")
#: What a file's name says of the language in it.
_BY_SUFFIX: dict[str, Language] = {".py": "function", ".tex": "latex"}


def main() -> None:
    """Serve standard input."""
    source, target = sys.stdin.buffer, sys.stdout.buffer
    while True:
        try:
            request = read(source)
        except EOFError:
            return
        try:
            found = answered(request)
        except Exception:  # noqa: BLE001  (the edge of this process: it is raised in the other)
            found = FaultError(traceback.format_exc())
        write(target, found)


def answered(request: Request[Result]) -> Result:
    """What a request comes to."""
    found: Any
    match request:
        case LabRequest():
            found = evaluate(request)
        case ExerciseRequest():
            found = lookup(request.task)
        case WorksheetRequest():
            found = worksheet(request.task.made(), request.seed)
        case CheckRequest():
            found = verdict_of(request)
        case SolutionRequest():
            found = solution_of(request)
    return cast("Result", found)


# An exercise.


def lookup(task: ExerciseSpec) -> ExerciseLookupResult:
    """Which exercise a card has."""
    try:
        exercise = exercise_of(task)
    except ExerciseError as error:
        return ExerciseLookupResult(None, str(error))
    return ExerciseLookupResult(brief(exercise) if exercise is not None else None)


def brief(exercise: Exercise) -> ExerciseInfo:
    if isinstance(exercise, PoolingExercise):
        return ExerciseInfo(
            description=exercise.description,
            symbols=exercise.symbols,
            left=exercise.answer.partition(" = ")[0],
            example=exercise.example,
            answer=exercise.answer,
            handed=("x", "delta"),
            pooling=True,
            window=PoolingWindow(2, 2, 0) if exercise.kernel is None else None,
            values=VALUES,
            sized=True,
        )
    if isinstance(exercise, AlgorithmExercise):
        return ExerciseInfo(
            description=exercise.description,
            symbols=exercise.symbols,
            left="",
            example=exercise.example,
            answer="",
            handed=tuple(exercise.inputs),
            pooling=False,
            called=exercise.name,
        )
    given = cast("GivenExercise", exercise)
    task = given.task
    return ExerciseInfo(
        description=exercise.description,
        symbols=exercise.symbols,
        left=task.targets[0].written(),
        example=exercise.example,
        answer=exercise.answer,
        handed=(*task.model.forward.inputs, *(("delta",) if task.words.output else ())),
        pooling=False,
        values=VALUES if {*_CHOOSABLE} & {*task.model.kinds.values()} else (),
        parts=tuple(dict.fromkeys(given.labels.values())),
        sized=not task.model.rigid and bool(task.model.sized),
    )


# An answer.


def evaluate(asked: LabRequest) -> LabResponse:
    """Check an answer and draw an input.  Never raises for an answer, whatever its text is."""
    exercise = asked.task.made()

    def found(verdict: Verdict | None, rule: Rule | None = None, formula: str = "") -> LabResponse:
        try:
            shown = picture(exercise, asked.look, rule)
        except (OffsetError, FormulaError, WorkerError):  # no such sizes, or no definition
            shown = None
        typeset = layout(formula, width=asked.width) if formula else None
        unexplained = not asked.thorough and bool(
            verdict
            and not verdict.misconception
            and (
                verdict.verdict in ("wrong", "wrong-step")
                or any(step.mark == "unread" for step in verdict.steps)
            )
        )
        return LabResponse(verdict, shown, typeset, unexplained=unexplained)

    if not asked.answer.strip():
        return found(None)
    answer = prose.without(asked.answer)
    try:
        judged = checked(
            asked.answer, exercise, unconfined=asked.unconfined, thorough=asked.thorough
        )
    except UnconfinedError as error:
        refused = unreadable(
            "It was not run: this computer lacks a full sandbox.", "f5 asks whether to run it"
        )
        return replace(found(refused), open_to_it=str(error))
    except WorkerError as error:
        judged = CheckedAnswer(unreadable(str(error), "write the answer as a formula"))
    verdict = plainly(judged.verdict, asked.answer)
    latex = language_of(answer) == "latex"
    # Of this one input an answer may say nothing; the verdict stands.
    with suppress(FormulaError, FunctionError, WorkerError):
        if (shown := judged.shown) is not None:
            # A step may be about what the answer itself defines.
            side = next((one for one in judged.sides if one.reading is shown), None)
            exercise = getattr(side, "exercise", None) or exercise
            grader = exercise.grader()
            # What was pasted is what is recognised.
            source = answer if latex else r" \\ ".join(map(_tex, judged.readings))
            lines = _lines(judged, asked) if judged.verdict.steps else ()
            rule = Rule(shown.target, partial(grader.evaluate, shown))
            return replace(found(verdict, rule, "" if lines else source), lines=lines)
        if verdict.verdict != "unreadable" and language_of(answer) == "function":
            with _function(answer, exercise, verdict, asked.unconfined) as rule:
                return found(verdict, rule)
    if judged.verdict.steps:
        return replace(found(verdict), lines=_lines(judged, asked))
    # LaTeX is typeset even where it was not understood: a missing \right is seen at once.
    return found(verdict, formula=answer if latex and not function_within(answer) else "")


@contextmanager
def _function(
    answer: str, exercise: Exercise, verdict: Verdict, unconfined: bool
) -> Iterator[Rule]:
    """A function, run again for the part that the verdict is about.

    Raises FormulaError, FunctionError or WorkerError; so may `run`.
    """
    grader = exercise.grader()
    with Function(answer, shared_worker(), grader, unconfined) as function:
        targets = function.targets_of(grader.drawn(0, 300))
        right = (one for one in targets if grader.parts(one)[0] == verdict.parts)
        yield Rule(next(right, targets[0]), function)


#: Columns before a line of a derivation, for its mark.
_MARGIN = 2


def _lines(judged: CheckedAnswer, asked: LabRequest) -> tuple[MarkedLine, ...]:
    """A derivation line by line: each on one row, where there is room for it."""
    room = max(20, asked.width - _MARGIN)
    rows = asked.answer.split("\n")
    found = []
    for side, step in zip(judged.sides, judged.verdict.steps, strict=True):
        if side.tex:
            box = layout(side.tex, mode="line")
            box = box if box.width <= room else layout(side.tex, display=False, width=room)
        else:
            box = text_box(shortened(rows[step.line - 1][step.column - 1 :].strip(), room))
        found.append(MarkedLine(box, step.mark, step.line))
    return tuple(found)


def _tex(reading: Reading[Any]) -> str:
    """What was read, in LaTeX."""
    read = reading.formula
    return typeset(read.target, read.indices, read.definitions, read.body)


# An answer on the command line.


def verdict_of(asked: CheckRequest) -> Verdict | Exception | None:
    """An error that must be raised on the other side is returned."""
    language = asked.said or _BY_SUFFIX.get(asked.path.suffix)
    options = (asked.seed, asked.trials, language, asked.unconfined)
    try:
        exercise = _exercise(asked.card)
        if asked.answer is None:
            return None
        return plainly(check(asked.answer, exercise, *options), asked.answer, asked.said)
    except (ExerciseError, WorkerError) as error:
        return error


def solution_of(asked: SolutionRequest) -> Proposal | ExerciseError | None:
    task = asked.task
    try:
        exercise = exercise_of(task)
        if exercise is not None:
            verdict = solution_verdict(task.solution, exercise)
            said = () if task.exercise else ("Its tags and its text tell this exercise already.",)
            return Proposal(keys_of(exercise, task), verdict, said)
        return proposed(task.question, task.solution, task.tags) if asked.proposing else None
    except ExerciseError as error:
        return ExerciseError(str(error))  # without what only this process knows


def _exercise(card: Card) -> Exercise:
    try:
        exercise = exercise_of(card)
    except ExerciseError as error:
        raise ExerciseError(f"{card.path}: {error}") from error
    if exercise is None:
        why = why_none(card) or (
            "Nothing says which layer to check. Add `exercise: max-pool` to its frontmatter, or "
            "tag a derivation with `max-pooling` and `backpropagation`."
        )
        raise ExerciseError(f"The card '{card.id}' has no exercise. {why}")
    return exercise
