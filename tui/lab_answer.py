"""An answer as the lab tries it on one input: as a rule, in whichever language it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine import Exercise, Verdict
    from engine.grader import Array, Reading


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
    from engine.languages import language_of

    language = language_of(answer)
    grader = exercise.grader()
    if language == "function":
        from engine.function_answer import Function, shared_worker

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
    from engine.languages import names_of
    from engine.latex.reader import POOLING, transcription

    return transcription(answer, POOLING | names_of(exercise)).text


def typeset_source(reading: Reading[Any], exercise: Exercise) -> str:
    """What was read, in LaTeX."""
    from engine.formula import tex
    from engine.formula.tree import Formula

    formula = reading.formula
    if isinstance(formula, Formula):
        return tex.answer(formula.tree)
    return _given(formula, exercise)


def _given(read: Any, exercise: Exercise) -> str:
    """Of a card's own forward message: its target may be any derivative."""
    from engine.formula import tex, tex_names
    from engine.formula.tree import Name, Node
    from engine.given.exercise import GivenExercise

    assert isinstance(exercise, GivenExercise)
    target, letters = read.target, read.indices

    def at(names: tuple[str, ...]) -> str:
        nodes: tuple[Node, ...] = tuple(map(Name, names))
        return tex_names.together([tex_names.name(name) for name in names], nodes)

    if target.jacobian:
        if len(letters) < len(target.indices):
            places = tuple(dict.fromkeys(target.indices))
            letters = tuple(letters[places.index(index)] for index in target.indices)
        upper, lower = letters[: target.above_count], letters[target.above_count :]
        left = tex_names.message(target.below, at(lower), target.above, at(upper))
    else:
        loss = exercise.task.words.loss or "L"
        left = tex_names.message(target.below, at(letters), loss)
    return tex.lines([*map(tex.definition, read.definitions), (left, read.body)])
