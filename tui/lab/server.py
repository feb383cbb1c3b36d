"""The lab's helper process: an answer to its verdict, an exercise to what is said of it."""

from __future__ import annotations

import pickle
import struct
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING, Any, Final

from engine.verdict import Verdict
from tui.lab.inputs import VALUES, Look, Picture, Window

if TYPE_CHECKING:
    from cards.math.typesetter.box import Box
    from cards.model import Card
    from engine.exercise import Exercise
    from engine.grading import Array, Reading


# == The lab's helper process: answers requests over its pipes, one at a time, until they close.
#
# NumPy holds the interpreter's lock for milliseconds at a time; in a process of its own a check
# never makes a key wait, and one that takes too long can be ended.  Frames are pickles between
# two
# processes of one program: what a learner's function returns never reaches them (engine/sandbox).


#: Of a frame: the length of the pickle that follows.
HEAD: Final = struct.Struct("!I")


class FaultError(RuntimeError):
    """A fault of ours in the helper, with its traceback."""


def write(stream: IO[bytes], what: Any) -> None:
    data = pickle.dumps(what, pickle.HIGHEST_PROTOCOL)
    stream.write(HEAD.pack(len(data)) + data)
    stream.flush()


def read(stream: IO[bytes]) -> Any:
    """Raises EOFError where the other side is gone."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        raise EOFError
    (length,) = HEAD.unpack(head)
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return pickle.loads(data)


def answer(request: Any) -> Any:
    """What a request comes to; it is one of ours, told by its type."""
    from tui.commands.formulas import CheckRequest, verdict_of
    from tui.lab.worksheet import HandAsked, sheet

    if isinstance(request, Asked):
        return find(request)
    if isinstance(request, CheckRequest):
        return verdict_of(request)
    if isinstance(request, BriefAsked):
        return known(request)
    assert isinstance(request, HandAsked)
    return sheet(request)


def main() -> None:
    """Serve standard input."""
    source, target = sys.stdin.buffer, sys.stdout.buffer
    _warm()
    while True:
        try:
            request = read(source)
        except EOFError:
            return
        try:
            found = answer(request)
        except Exception:  # noqa: BLE001  (the edge of this process: it is raised in the other)
            found = FaultError(traceback.format_exc())
        write(target, found)


def _warm() -> None:
    """What the first request would wait for."""
    from importlib import import_module

    for name in ("cards.math", "engine.checking", "engine.pooling.grader", "tui.lab.server"):
        import_module(name)


# == What the lab computes away from the screen: the verdict, the input shown, the formula typeset.


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
        from engine.exercise import Exercise

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
    from tui.lab.client import GoneError, SupersededError, TooLongError, shared_checker

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
    from engine import prose
    from engine.checking import check
    from engine.formula.tree import FormulaError
    from engine.sandbox.wire import FunctionError
    from engine.sandbox.worker import UnconfinedError, WorkerError
    from tui.lab.text import plainly

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
        try:
            with rule_of(answer, exercise, verdict, asked.unconfined) as rule:
                picture = _picture(exercise, asked.look, rule)
                return Found(verdict, picture, typeset(rule.tex, asked.width))
        except (FormulaError, FunctionError, WorkerError):
            # Of this one input it can say nothing; the verdict stands.
            pass
    return Found(verdict, _picture(exercise, asked.look, None), _as_written(answer, asked.width))


def _picture(exercise: Exercise, look: Look, rule: Any) -> Picture | None:
    from engine.formula.tree import OffsetError
    from tui.lab.inputs import picture

    try:
        return picture(exercise, look, rule)
    except OffsetError:  # no such sizes
        return None


def _as_written(answer: str, width: int) -> Box | None:
    r"""LaTeX is typeset even where it was not understood: a missing \right is seen at once."""
    from engine.exercise import language_of
    from tui.lab.text import function_within

    whole = language_of(answer) == "latex" and not function_within(answer)
    return typeset(answer, width) if whole else None


def typeset(tex: str, width: int) -> Box | None:
    from cards.math import layout

    return layout(tex, width=width) if tex else None


# == An answer as the lab tries it on one input: as a rule, in whichever language it is written.


@dataclass(frozen=True, slots=True)
class Rule:
    target: Any
    """What the answer is the answer to, as the exercise's grader has it."""
    run: Callable[[Any], Array]
    """From a batch of the exercise to the answer's numbers."""
    tex: str = ""
    """The answer as LaTeX, as it was understood; empty for a function."""


@contextmanager
def rule_of(
    answer: str, exercise: Exercise, verdict: Verdict, unconfined: bool = False
) -> Iterator[Rule]:
    """Read an answer, and of its parts and steps take that which a verdict is about.

    Raises FormulaError, FunctionError or WorkerError; so may `run`."""
    from engine.checking import parts_of, said_by
    from engine.exercise import language_of

    language = language_of(answer)
    grader = exercise.grader()
    if language == "function":
        from engine.sandbox.function_answer import Function, shared_worker

        with Function(answer, shared_worker(), grader, unconfined) as function:
            first = grader.drawn(0, 300)[0]
            found = function.targets_of(first)
            right = (one for one in found if grader.parts(one)[0] == verdict.parts)
            yield Rule(next(right, found[0]), function)
        return
    text = _plain(answer, exercise) if language == "latex" else answer
    every = parts_of(text, grader)
    reading = next((one for one in every if one.echo == verdict.read), every[0])
    # What was pasted is what is recognised.
    rows = [typeset_source(one, exercise) for one in every]
    tex = answer if language == "latex" else r" \\ ".join(rows)
    for at in [at for chain in reading.chains for at in chain[:-1]] if verdict.step else ():
        step = grader.read(text, reading.part, at)
        reading = step if said_by(step, reading) == verdict.step else reading
    yield Rule(reading.target, lambda batch: grader.evaluate(reading, batch), tex)


def _plain(answer: str, exercise: Exercise) -> str:
    from engine.exercise import names_of
    from engine.latex.transcribe import POOLING, transcription

    return transcription(answer, POOLING | names_of(exercise)).text


def typeset_source(reading: Reading[Any], exercise: Exercise) -> str:
    """What was read, in LaTeX."""
    from engine.formula import unparse as tex
    from engine.formula.tree import Formula

    formula = reading.formula
    if isinstance(formula, Formula):
        return tex.answer(formula.tree)
    return _given(formula, exercise)


def _given(read: Any, exercise: Exercise) -> str:
    """Of a card's own forward message: its target may be any derivative."""
    from engine.formula.tree import Name, Node
    from engine.formula.unparse import definition, lines, message, tex_names_name, together
    from engine.messages.exercise import GivenExercise

    assert isinstance(exercise, GivenExercise)
    target, letters = read.target, read.indices

    def at(names: tuple[str, ...]) -> str:
        nodes: tuple[Node, ...] = tuple(map(Name, names))
        return together([tex_names_name(name) for name in names], nodes)

    if target.jacobian:
        if len(letters) < len(target.indices):
            places = tuple(dict.fromkeys(target.indices))
            letters = tuple(letters[places.index(index)] for index in target.indices)
        upper, lower = letters[: target.above_count], letters[target.above_count :]
        left = message(target.below, at(lower), target.above, at(upper))
    else:
        loss = exercise.task.words.loss or "L"
        left = message(target.below, at(letters), loss)
    return lines([*map(definition, read.definitions), (left, read.body)])


# == What the lab's screens say of an exercise, as plain data: made in the helper process.
#
# An exercise of a card's own forward message is made with NumPy, whose import takes 0.1 s; the
# process that draws the screen never imports it, so that no key waits for it.


#: Kinds of inputs (engine/messages/inputs.py) that a kind of values can be chosen for.
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
    from engine.exercise import Exercise, ExerciseError

    try:
        exercise = Exercise.from_card(asked.task)
    except ExerciseError as error:
        return Known(None, str(error))
    return Known(brief(exercise) if exercise is not None else None)


def brief(exercise: Exercise) -> Brief:
    from engine.pooling.exercise import PoolingExercise

    if isinstance(exercise, PoolingExercise):
        free = exercise.kernel is None
        window = Window(2, 2, 0) if free else None
        return _brief(exercise, (), ("x", "delta"), True, window, VALUES)
    from engine.messages.exercise import GivenExercise

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
