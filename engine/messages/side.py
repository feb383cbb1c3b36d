"""A side of a line of a derivation, judged: does it follow from what it is compared with?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Final, TypeAlias

import numpy as np

from engine.exercise import Reading
from engine.formula import tree as t
from engine.formula.axes import RELATIONS, Array
from engine.formula.rewrite import names_in, rebuilt, substituted
from engine.formula.statements import EQUATED
from engine.formula.tree import SLOPE, FormulaError, OffsetError
from engine.formula.unparse import tex, unparse
from engine.grading import agrees, grade
from engine.messages.answer import Read
from engine.messages.evaluation import MessageGrader, evaluate
from engine.messages.model import Batch
from engine.messages.problem import OptimumProblem
from engine.messages.stated import Stated, at_kinks, is_primed
from engine.messages.targets import Target
from engine.messages.value import Value
from engine.verdict import Kind, Mark, Mistake, Verdict

#: How a side stands to what it is compared with, in text and in LaTeX, and "up to a constant".
_SIGNS: Final = {
    "=": ("=", "="),
    "~": ("∝", r"\propto"),
    "<=": ("≤", r"\le"),
    ">=": ("≥", r"\ge"),
}
_MORE: Final = (" + const", r" + \text{const}")

#: Two indices compared.
Condition: TypeAlias = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a line, judged; see `engine.exercise.Judgement`."""

    at: int
    """Its place: in the line, and at last in the answer."""
    mark: Mark
    kind: Kind = "rewriting"
    message: str = ""
    hint: str = ""
    reading: Reading[Target] | None = None
    exercise: MessageGrader | None = None
    relation: str = "="
    """How it stands to the side that it is compared with; "+" is equal up to a constant."""
    condition: Condition | None = None
    """The indices that it holds for."""
    part: str = ""
    head: t.Node | None = None
    """What stands before the first sign of its line, where it is the first side behind it."""
    unknown: str = ""
    """What it speaks of and no line defines, as a multiplier, where it is not read for that."""
    missing: str = ""
    """Of one that was not read the name that it lacks."""
    at_best: bool = False
    """Whether it is judged where the objective is best, not at any values of its variables."""
    mistake: Mistake | None = None
    """Where no input is needed to tell that it is wrong."""

    @property
    def read(self) -> str:
        return self._told(unparse, 0)

    @property
    def tex(self) -> str:
        """The same in LaTeX."""
        return self._told(tex, 1)

    def _told(self, said: Callable[[t.Node], str], form: int) -> str:
        if self.reading is None or self.exercise is None:
            return ""
        head = f"{said(self.head)} " if self.head is not None else ""
        body = printed(self.reading.formula.body, self.exercise)
        sign = _SIGNS.get(self.relation, _SIGNS["="])[form]
        return f"{head}{sign} {said(body)}{_MORE[form] if self.relation == '+' else ''}"

    @property
    def tried(self) -> MessageGrader:
        """The exercise on whose inputs it is judged."""
        assert self.exercise is not None
        is_best = self.at_best or not self.exercise.task.model.aim
        return self.exercise if is_best else _anywhere(self.exercise)

    @property
    def names(self) -> frozenset[str]:
        """What it, and the side that it is compared with, speak of."""
        if self.reading is None:
            return frozenset()
        target = self.reading.target
        bodies = [self.reading.formula.body]
        bodies += [target.side.read.body] if isinstance(target, Stated) else []
        return frozenset(name for body in bodies for name in names_in(body))

    @property
    def is_equal(self) -> bool:
        """Whether it is to be the same as what it is compared with, at all indices."""
        return self.relation in EQUATED and self.condition is None

    def verdict(self, seed: int, trials: int, thorough: bool = True) -> Verdict:
        if self.mistake is not None:
            return Verdict("wrong", "", seed, 0, self.mistake.name, self.mistake.teaching)
        assert self.reading is not None
        target = self.reading.target
        about = (self.tried, seed, trials, thorough)
        return grade(related(self), target, *about, reading=self.reading)


@lru_cache(maxsize=256)
def _anywhere(exercise: MessageGrader) -> MessageGrader:
    task = exercise.task
    return replace(exercise, task=replace(task, model=task.model.anywhere))


def printed(node: t.Node, exercise: MessageGrader) -> t.Node:
    """A formula with its derivatives as they are written: ds[k]/dx[j] for ds/dx[k,j]."""
    same = rebuilt(node, lambda part: printed(part, exercise))
    array = same.array if isinstance(same, t.Cell) else t.name_of(same) or ""
    words = exercise.task.words
    if not isinstance(same, t.Cell | t.Name):
        return same
    if array not in words.arities and array[:1] == "d" and array[1:] in words.arities:
        at = same.indices if isinstance(same, t.Cell) else ()
        below = t.Cell(array[1:], at) if at else t.Name(array[1:])
        return t.Apply(SLOPE, (t.Name(words.loss or "L"), below), same.at)
    if "/" not in array:
        return same
    above, under = (part[1:] for part in array.split("/"))
    indices = same.indices if isinstance(same, t.Cell) else ()
    own = exercise.task.model.forward.defined.get(above)
    count = words.arities.get(above, 0) if indices else 0
    upper, lower = indices[:count], indices[count:]
    if above.startswith("~") and own is not None:  # no name of the learner's
        by = dict(zip(own.parameters, upper, strict=False))
        of: t.Node = printed(substituted(own.body, by), exercise)
    else:
        of = t.Cell(above, upper) if upper else t.Name(above)
    return t.Apply(SLOPE, (of, t.Cell(under, lower) if lower else t.Name(under)), same.at)


# -- Does a side follow?  On a few inputs, as the verdict on a whole answer is on many.


#: So many inputs tell whether a step is right.
FEW: Final = 60

#: A line about an objective may have no value on this share of inputs: A (w - B/A)^2 where A = 0.
_HOLES: Final = 0.34

Rule: TypeAlias = Callable[[Batch], Array]


def related(one: Side) -> Rule:
    """The numbers of a side; where it need not be equal, those of an equal one as far as it may."""
    assert one.reading is not None
    read: Read = one.reading.formula
    target = one.reading.target
    primed = is_primed(read)
    is_line = one.tried.task.model.aim and isinstance(target, Stated | Value)
    if one.is_equal and not primed and not is_line:
        return partial(evaluate, read)

    def both(read: Read, batch: Batch) -> tuple[Array, Array]:
        got, expected = (
            evaluate(read, batch),
            target.numbers(target.reference(batch).jacobian, batch),
        )
        empty = np.isnan(got.reshape(len(got), -1)).any(axis=1)
        if is_line and empty.mean() <= _HOLES:
            got = np.where(empty.reshape(-1, *[1] * (got.ndim - 1)), expected, got)
        return got, expected

    def adapted(read: Read, batch: Batch) -> Array:
        got, expected = both(read, batch)
        if one.relation in ("~", "+") and (other := _elsewhere(batch)) is not None:
            with np.errstate(all="ignore"):
                mine, theirs = both(read, other)
                return got + (theirs - mine) if one.relation == "+" else got * (theirs / mine)
        if one.condition is not None:
            left, sign, right = one.condition
            letters, at = [*target.letters], np.indices(got.shape[1:])
            holds = RELATIONS[sign](at[letters.index(left)], at[letters.index(right)])
            got = np.where(holds, got, expected)
        if primed:
            got = np.where(at_kinks(read, batch).reshape(-1, *[1] * (got.ndim - 1)), expected, got)
        axes = tuple(range(1, got.ndim))
        match one.relation:
            case "<=":
                return np.minimum(got, expected)
            case ">=":
                return np.maximum(got, expected)
            case "~":
                above = (expected * expected).sum(axis=axes, keepdims=True)
                return np.asarray(got * above / (got * expected).sum(axis=axes, keepdims=True))
            case "+":
                return np.asarray(got + (expected - got).mean(axis=axes, keepdims=True))
        return got

    return partial(adapted, read)


def _elsewhere(batch: Batch) -> Batch | None:
    """The same with other values of what is to be found: a constant does not hang on these."""
    model = batch.model
    if not isinstance(model, OptimumProblem) or not {*model.found} <= {*batch.inputs}:
        return None
    inputs = {**batch.inputs, **model.shifted(batch.inputs)}
    return Batch(model, batch.length, batch.grown, inputs, batch.delta, rounding=batch.rounding)


def judgement(one: Side) -> Mark:
    """Whether a side that was read follows, tried on a few inputs."""
    assert one.reading is not None
    letters = {*one.reading.target.letters}
    is_free = one.exercise is not None and bool(one.exercise.task.model.aim) and not one.at_best
    if one.relation in ("~", "+") and not (letters or is_free):
        return "unchecked"  # any number is a multiple of another
    if one.condition is not None and not {one.condition[0], one.condition[2]} <= letters:
        return "unchecked"
    return _agreed(replace(one, at=0), one.reading.formula)


@lru_cache(maxsize=1024)
def _agreed(one: Side, read: Read) -> Mark:  # noqa: ARG001
    assert one.reading is not None
    try:
        right = agrees(related(one), one.tried, 0, FEW, one.reading)
    except (FormulaError, OffsetError):
        return "unchecked"
    if right and not any(map(partial(_tells, one.reading.target), one.tried.drawn(0, FEW))):
        return "unchecked"  # there is no value on any input
    return "follows" if right else "wrong"


def _tells(target: Target, batch: Batch) -> bool:
    """Whether a side can be judged on some input of a batch."""
    with np.errstate(all="ignore"):
        return not target.reference(batch).left_out.all()
