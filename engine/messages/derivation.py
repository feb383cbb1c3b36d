"""A derivation: its lines, each judged by whether it follows from what stands above it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, ClassVar, Final

import numpy as np

from engine.formula import tree as t
from engine.formula.axes import Array
from engine.formula.rewrite import inside, names_in, renamed
from engine.formula.statements import LEADING, LeftSide
from engine.formula.tokens import Token
from engine.formula.tree import FormulaError, OffsetError
from engine.formula.unparse import tex_name, unparse
from engine.exercise import names_of
from engine.grading import agrees, grade
from engine.latex.transcribe import POOLING, looks_like_latex, transcription
from engine.messages.answer import Read, Side, as_reading, read_side, side_of, upstream
from engine.messages.dual import Record
from engine.messages.exercise import GivenExercise, evaluate
from engine.messages.forward import in_order
from engine.messages.model import FLOOR, Batch, Reference
from engine.messages.shapes import Survey
from engine.messages.spec import links, target_of, words_of
from engine.messages.spelling import rows, spoken_so
from engine.messages.targets import (
    Derivative,
    Target,
    in_brackets,
    left_of,
    named,
    sides_of,
    tex_indices,
)
from engine.messages.vocabulary import Words
from engine.prose import formulas
from engine.verdict import Mark

# -- What a side of a line is compared with, where the message itself does not tell: another side.


@dataclass(frozen=True, slots=True)
class Stated(Target):
    """What one side of a line comes to; `above` is how it is called, `lower` has its letters."""

    side: Side
    title: ClassVar[str] = "the left side"

    @classmethod
    def of(cls, below: str, words: Words, survey: Survey) -> Stated | None:  # noqa: ARG003
        return None

    @classmethod
    def read(cls, found: Derivative, words: Words) -> Stated | None:  # noqa: ARG003
        return None

    @property
    def key(self) -> str:
        return "~"

    @property
    def arrays(self) -> tuple[str, ...]:
        return ("~",)

    def written(self, indices: tuple[str, ...] | None = None) -> str:
        return self.above + in_brackets(self.lower if indices is None else indices)

    def tex(self, indices: tuple[str, ...]) -> str:
        return tex_name(self.above) + (f"_{{{tex_indices(indices)}}}" if indices else "")

    def shape(self, shapes: Any) -> tuple[int, ...]:
        return tuple(shapes[array][place] for array, place in self.side.places)

    # What it comes to: the numbers stand where those of a derivative would.

    def reference(self, batch: Batch) -> Reference:
        found = batch.kept.get(("stated", self))
        if found is None:
            values = self._laid_out(batch)
            rows = len(values)
            known = np.isfinite(values).all(axis=(1, 2)) & ~self._kinked(batch)
            size = np.where(known, np.abs(np.nan_to_num(values)).max(axis=(1, 2), initial=0.0), 0.0)
            least = FLOOR * float(np.median(size[known])) if known.any() else 0.0
            none = np.zeros(rows, dtype=np.bool_)
            branches = np.zeros(0, dtype=np.intp), np.zeros((0, *values.shape[1:]))
            found = Reference(
                values, none, *branches, ~known, np.maximum(size, least), Record()
            )
            batch.kept["stated", self] = found
        assert isinstance(found, Reference)
        return found

    def _kinked(self, batch: Batch) -> Array:
        """(B,): where a derivative that it speaks of does not exist."""
        found = np.zeros(len(batch), dtype=np.bool_)
        for step in self.side.read.steps:
            above, _, below = step.rpartition("/")
            of = batch.reference(above[1:] or batch.model.forward.outputs[-1], below[1:])
            found |= of.met | of.left_out
        return found

    def moved(self, batch: Batch, n: int) -> Array:
        return self._laid_out(batch.rounded[n])

    def falsified(self, batch: Batch, **changes: Any) -> Array:  # noqa: ARG002
        return np.full(self._laid_out(batch).shape, np.nan)

    def _laid_out(self, batch: Batch) -> Array:
        """(B, O, 1)."""
        with np.errstate(all="ignore"):
            found = evaluate(replace(self.side.read, target=self), batch)
        return found.reshape(len(found), -1, 1)


# -- An exercise whose message has what a line defines, too.


@lru_cache(maxsize=256)
def extended(exercise: GivenExercise, one: t.Definition, others: tuple[t.Definition, ...]) -> GivenExercise:
    """The exercise with a definition of the learner's, and derivatives that it uses by name.

    A definition of what the message has already takes its place.
    """
    task = exercise.task
    model, words = task.model, task.words
    before = model.forward
    name = one.names[0]
    functions = (*before.functions, *others)
    arrays = [one if d.names[0] == name else d for d in before.arrays]
    arrays += [one] * (name not in before.defined)
    arrays = in_order(arrays, list(functions))
    asides = before.asides | ({name} - {*before.defined})
    forward = replace(before, arrays=tuple(arrays), functions=functions, asides=asides)
    model = replace(model, forward=forward)
    model.lengths()
    found = words_of(forward, model.survey)
    found = replace(
        words,
        arities=found.arities,
        arrays=found.arrays,
        dims=found.dims,
        functions=found.functions,
    )
    return replace(exercise, task=replace(task, model=model, words=found))


# -- The lines of a derivation, by what each is about.


@dataclass(frozen=True)
class Stage:
    """What a line may speak of: an exercise with all that the lines above it define."""

    exercise: GivenExercise
    lines: tuple[t.Definition, ...] = ()
    """Definitions that speak of derivatives, or of the message from above."""
    upstream: str = ""
    """What the derivation calls the message from above."""
    plain: Words = field(default_factory=Words, compare=False)

    @property
    def words(self) -> Words:
        task = self.exercise.task
        words = links(task.words, task.model.forward)
        names = {self.upstream: "delta"} if self.upstream else {}
        return replace(words, names={**words.names, **names}, bars=self.plain.bars, kronecker=self.plain.kronecker)


@dataclass(frozen=True)
class Row:
    """One equation a = b = c of a derivation, read."""

    sides: tuple[SideFound, ...]
    stage: Stage
    """What the lines below it may speak of."""
    subject: str = ""
    """What it is about, by its key; "" of a side that is no name."""


@dataclass(frozen=True)
class SideFound:
    at: int
    """Its place in the line."""
    mark: Mark
    message: str = ""
    hint: str = ""
    read: Read | None = None
    exercise: GivenExercise | None = None


def steps(answer: str, exercise: GivenExercise) -> Iterator[tuple[int, SideFound]]:
    """Each side of the derivation with its place in the text, a formula in plain notation."""
    words = spoken_so(answer, exercise.task.words)
    stage = Stage(exercise, upstream=upstream(answer, words), plain=words)
    seen: dict[str, list[SideFound]] = {}
    for row in rows(answer, words):
        start = row[0].at
        near = tuple(replace(token, at=token.at - start) for token in row)
        text = answer[start : row[-1].at]
        found = _row(stage, near, text)
        stage = found.stage
        for side in found.sides:
            yield start + side.at, side


@lru_cache(maxsize=512)
def _row(stage: Stage, row: tuple[Token, ...], text: str) -> Row:
    tokens = [*row]
    while tokens[0].kind == "word" and tokens[0].text in LEADING and len(tokens) > 2:
        tokens = tokens[1:]
    sides = sides_of(tokens, stage.words)
    try:
        return _Line(stage, text, sides).row()
    except OffsetError as trouble:
        unread = SideFound(sides[0][0].at, "unread", trouble.message, trouble.hint)
        return Row((unread,), stage)


class _Line:
    """One line, being judged."""

    def __init__(self, stage: Stage, text: str, sides: list[list[Token]]) -> None:
        self.stage, self.text, self.sides = stage, text, sides
        self.words = stage.words
        self.exercise = stage.exercise

    def row(self) -> Row:
        first = [*self.sides[0][:-1], Token("end", "", self.sides[0][-1].at)]
        if len(self.sides) == 1:
            return Row((SideFound(first[0].at, "unchecked"),), self.stage)
        found, own = named(first, self.words)
        target = self._target(found) if found is not None else None
        if target is not None and found is not None:
            left = left_of([target], found, self.words)
            return self._compared(target, left, self.sides[1:])
        if own is not None and len(own.names) == 1 and own.names[0] not in self.words.known:
            return self._defined(own, self.sides[1:])
        return self._anonymous(self.sides)

    def _target(self, found: Derivative) -> Target | None:
        try:
            return target_of(found, self.exercise.task.words, self.exercise.task.model.survey)
        except OffsetError:
            return None  # of a number, or by one that is given: a formula like others

    def _compared(
        self, target: Target, left: LeftSide, sides: list[list[Token]], stage: Stage | None = None
    ) -> Row:
        found = []
        for side in sides:
            found.append(self._judged(target, left, side))
        return Row(tuple(found), stage or self.stage, target.key)

    def _judged(self, target: Target, left: LeftSide, side: list[Token]) -> SideFound:
        at = side[0].at
        try:
            read = read_side(self.text, self.words, target, left, side, self.stage.lines)
        except OffsetError as trouble:
            return SideFound(at, "unread", trouble.message, trouble.hint)
        return SideFound(at, judged(self.exercise, read), read=read, exercise=self.exercise)

    def _defined(self, left: LeftSide, sides: list[list[Token]]) -> Row:
        side = side_of(self.text, self.words, sides[0], left.parameters, self.stage.lines)
        stage = self._with(left.names[0], side)
        shown = SideFound(sides[0][0].at, "defines", read=side.read)
        rest = self._stated(left.names[0], side, sides[1:])
        return Row((shown, *rest), stage, left.names[0])

    def _with(self, name: str, side: Side) -> Stage:
        """What the lines below a definition may speak of."""
        one = t.Definition((name,), side.read.indices, side.read.body, side.at)
        own = {name for d in self.stage.lines for name in d.names}
        spoken = {*names_in(side.read.body)}
        if "delta" in spoken or side.read.steps or own & spoken:
            return replace(self.stage, lines=(*self.stage.lines, *side.read.definitions, one))
        exercise = extended(self.exercise, _apart(one, self.words), side.read.definitions)
        return replace(self.stage, exercise=exercise)

    def _anonymous(self, sides: list[list[Token]]) -> Row:
        letters = None
        side = side_of(self.text, self.words, sides[0], letters, self.stage.lines, sides[1:])
        return Row(tuple(self._stated("the left side", side, sides[1:])), self.stage)

    def _stated(self, name: str, side: Side, sides: list[list[Token]]) -> list[SideFound]:
        if not sides:
            return []
        target = Stated(name, "", side.read.indices, side)
        letters = side.read.indices if side.named else ()
        left = LeftSide("~", letters or target.letters, letters, side.at)
        words = replace(self.words, dims={**self.words.dims, "~": side.dims})
        line = _Line(self.stage, self.text, sides)
        line.words = words
        return [line._judged(target, left, one) for one in sides]


def _apart(one: t.Definition, words: Words) -> t.Definition:
    """A definition whose letters are not the message's, where those run over something else."""
    return one


#: So many inputs tell whether a step is right.
_FEW: Final = 60


@lru_cache(maxsize=1024)
def judged(exercise: GivenExercise, read: Read) -> Mark:
    reading = as_reading(read, exercise.task.first, read.target.key)
    rule = partial(evaluate, read)
    try:
        right = agrees(rule, exercise, 0, _FEW, reading)
    except (FormulaError, OffsetError):
        return "unchecked"
    return "follows" if right else "wrong"


def whole(answer: str, exercise: GivenExercise):
    written = plain_of(answer, POOLING | names_of(exercise))
    return [*steps(written.text, exercise)], written.text


@dataclass(frozen=True, slots=True)
class Written:
    """The formulas of a derivation in plain notation, a line each."""

    text: str
    offsets: tuple[int, ...]
    """For each character the place in the answer."""


def plain_of(answer: str, names: frozenset[str]) -> Written:
    parts: list[str] = []
    offsets: list[int] = []
    for start, end in formulas(answer):
        text, places = _plain(answer[start:end], names)
        if parts and not text.lstrip().startswith(("=", "+", "-")) and "=" not in text:
            continue  # a formula in a sentence
        parts.append(text)
        offsets += [*(start + place for place in places), end]
    return Written("\n".join(parts), tuple(offsets))


@lru_cache(maxsize=256)
def _plain(part: str, names: frozenset[str]) -> tuple[str, Sequence[int]]:
    if not looks_like_latex(part):
        return part, range(len(part))
    found = transcription(part, names)
    return found.text, found.offsets
