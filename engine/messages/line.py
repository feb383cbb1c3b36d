"""A line of a derivation: what it may speak of, and how each of its sides is read."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from itertools import accumulate, pairwise
from typing import Any, Final

from engine.formula import tree as t
from engine.formula.axes import RELATIONS
from engine.formula.rewrite import (
    ZERO,
    exchanged,
    inside,
    names_in,
    rebuilt,
    renamed,
    replaced,
    substituted,
)
from engine.formula.statements import EQUATED, LEADING, LeftSide
from engine.formula.tokens import Token, turn
from engine.formula.tree import NUMBERS, SLOPE, OffsetError, UnknownError
from engine.formula.types import UndefinedError
from engine.formula.unparse import unparse
from engine.messages.answer import (
    Expression,
    Parsed,
    Read,
    arities,
    as_reading,
    expression,
    parsed_side,
    read_side,
)
from engine.messages.evaluation import MessageGrader
from engine.messages.jacobian import Jacobian
from engine.messages.optimum import Optimum
from engine.messages.problem import OptimumProblem
from engine.messages.products import UNFIT, UnfitError
from engine.messages.side import FEW, Condition, Side, judgement, printed
from engine.messages.spec import links, target_of
from engine.messages.stated import Stated, extended
from engine.messages.stationary import of_part, only_touches, solved, without_sign
from engine.messages.targets import Derivative, Target, is_total, left_of, named, sides_of
from engine.messages.vocabulary import Words, picks
from engine.verdict import Kind, Mark, Mistake


@dataclass(frozen=True, slots=True)
class Stage:
    """What a line may speak of: an exercise with all that the lines above it define."""

    exercise: MessageGrader
    lines: tuple[t.Definition, ...] = ()
    """Definitions that speak of derivatives, or of the message from above."""
    own: tuple[str, ...] = ()
    """Every name that is defined so far."""
    names: tuple[tuple[str, str], ...] = ()
    """What the derivation calls what is given."""
    bars: bool = False
    kronecker: bool = False
    settled: bool = False
    """Whether something was said to vanish: what follows may hold at an optimum only."""
    slopes: tuple[t.Definition, ...] = ()
    """Derivatives by their names, as lines above have worked them out."""

    @property
    def words(self) -> Words:
        """With every derivative as it is, but for those that a line calls something else."""
        return _words_at(self)


@lru_cache(maxsize=256)
def _words_at(stage: Stage) -> Words:
    task = stage.exercise.task
    words = links(task.words, task.model.forward)
    names = {**words.names, **dict(stage.names)}
    local = words.local - {name for d in stage.lines for name in d.names}
    return replace(words, names=names, local=local, bars=stage.bars, kronecker=stage.kronecker)


@dataclass(frozen=True, slots=True)
class JudgedLine:
    """One line a = b = c of a derivation, judged."""

    sides: tuple[Side, ...]
    stage: Stage
    """What the lines below it may speak of."""


@lru_cache(maxsize=512)
def judged_line(stage: Stage, row: tuple[Token, ...], text: str) -> JudgedLine:
    tokens = [*row]
    model = stage.exercise.task.model
    if isinstance(model, OptimumProblem) and of_part(tokens, model.objective):
        return JudgedLine((Side(tokens[0].at, "unchecked"),), stage)
    tokens = _without_words(tokens)
    if is_total(tokens, stage.words):
        return JudgedLine((Side(tokens[0].at, "unchecked"),), stage)
    try:
        line = _Line(stage, text, tokens)
        found = line.judged()
        ends = [one.reading.target for one in found.sides if one.reading is not None]
        vanishes = any(map(_is_zero, line.sides)) and not _is_identity(found)
        if vanishes or any(isinstance(one, Optimum) for one in ends):
            found = replace(found, stage=replace(found.stage, settled=True))
        first, *rest = found.sides
        return replace(found, sides=(replace(first, head=line.head), *rest))
    except OffsetError as trouble:
        return JudgedLine((_unread(tokens[0].at, trouble),), stage)


def _is_identity(line: JudgedLine) -> bool:
    """Whether it holds wherever the variables of the objective are, not at its optimum alone."""
    return all(one.mark == "follows" and not one.at_best for one in line.sides)


def _without_words(tokens: list[Token]) -> list[Token]:
    while tokens[0].kind == "word" and tokens[0].text in LEADING and len(tokens) > 2:
        tokens = tokens[1:]
    return tokens


def with_multiplier(stage: Stage, row: tuple[Token, ...], text: str, name: str) -> Stage | None:
    """With a number that no line defines as an equation says, linear in it and 0 on the right.

    None where the line is no such equation.
    """
    try:
        zero = extended(stage.exercise, t.Definition((name,), (), ZERO, 0))
        line = _Line(replace(stage, exercise=zero), text, _without_words([*row]))
        at = next((n for n, side in enumerate(line.sides) if n and _is_zero(side)), 0)
        read = line.alone(at - 1, None).read if at else None
        body = solved(read.body, name, read.indices) if read and not read.steps else None
        if body is None:
            return None
        own = extended(stage.exercise, t.Definition((name,), (), body, 0))
    except OffsetError:
        return None
    return replace(stage, exercise=own, own=(*stage.own, name))


def _unread(at: int, trouble: OffsetError) -> Side:
    """A side that cannot be read, or whose shapes fit in no way, and so is wrong."""
    if isinstance(trouble, UnfitError) and trouble.firm:
        mistake = Mistake(UNFIT, f"{trouble.message} ({trouble.hint})")
        return Side(at, "wrong", message=trouble.message, hint=trouble.hint, mistake=mistake)
    unread = Side(at, "unread", message=trouble.message, hint=trouble.hint)
    missing = trouble.name if isinstance(trouble, UnknownError | UndefinedError) else ""
    unknown = trouble.name if isinstance(trouble, UnknownError) else ""
    return replace(unread, unknown=unknown, missing=missing)


# -- Names that no line defines: an identity holds whatever they are.


#: So many such names a line may speak of.
_MOST_NAMES: Final = 3
#: In dy/da what is differentiated by is no name of its own.
_DIFFERENTIAL: Final = re.compile(r"[d∂]\w")


def for_any(
    stage: Stage, row: tuple[Token, ...], text: str, general: Collection[str]
) -> JudgedLine | None:
    """The line with what it lacks as anything: a number, an array, a function.

    None where it cannot be read so, or does not follow and may be about something else than
    anything: `general` are names that the text says to be so, and in f'(z) = ... is z.
    """
    first: JudgedLine | None = None
    texts = [token.text for token in row]
    if texts[1:4:2] == ["(", ")"] and texts[2] in texts[4:]:
        general = {*general, texts[2]}
    for some, found in _tries(stage, row, text, _MOST_NAMES):
        ends = [side.reading.target for side in found.sides if side.reading is not None]
        if not all(isinstance(end, Stated) for end in ends):
            continue  # of what the message gives a formula cannot hang on anything
        if all(side.mark in ("follows", "defines") for side in found.sides):
            return found
        certain = all(name in general or name in _called(row) for name in some)
        certain &= not any(side.mistake for side in found.sides) and not _elsewhere(
            row, some, stage
        )
        first = first or (found if certain else None)
    return first


def _elsewhere(row: tuple[Token, ...], some: Collection[str], stage: Stage) -> bool:
    """Whether what the message makes is called with such a name: L(x + h) is no product."""
    for at, (token, behind) in enumerate(pairwise(row)):
        if behind.text == "(" and not behind.spaced and stage.words.makes(token.text):
            depth = list(accumulate(map(turn, row[at + 1 :])))
            inside = row[at + 2 : at + 1 + depth.index(0)]
            if {one.text.split("_")[0] for one in inside} & {*some}:
                return True
    return False


def _tries(
    stage: Stage, row: tuple[Token, ...], text: str, left: int
) -> Iterator[tuple[tuple[str, ...], JudgedLine]]:
    """The line read with every kind of thing for each name that it lacks, and these names."""
    found = judged_line(stage, row, text)
    unread = [side for side in found.sides if side.mark == "unread"]
    if not unread:
        yield (), found
    name = next((side.missing for side in unread if side.missing), "").rstrip("'")
    if not name or not left or _DIFFERENTIAL.match(name):
        return
    for one in _anything(name, stage.words, row):
        with suppress(OffsetError):
            exercise = extended(stage.exercise, one, called=name in _called(row))
            for some, line in _tries(replace(stage, exercise=exercise), row, text, left - 1):
                yield (name, *some), line


def _called(row: tuple[Token, ...]) -> set[str]:
    return {one.text for one, behind in pairwise(row) if behind.text == "(" and not behind.spaced}


def _anything(name: str, words: Words, row: tuple[Token, ...]) -> Iterator[t.Definition]:
    """A function that is none of those that one knows; or a number, and arrays of every shape."""
    indexed = any(
        one.text.startswith(f"{name}_") or (one.text == name and behind.text in ("[", "_"))
        for one, behind in pairwise(row)
    )

    def wave(letters: Sequence[str]) -> t.Node:
        angle: t.Node = t.Number(0.7)
        for n, letter in enumerate(letters):
            step = t.Arithmetic("*", t.Number(2.3 + n), t.Name(letter))
            angle = t.Arithmetic("+", angle, step)
        return t.Apply("sin", (angle,))

    if name in _called(row):
        yield t.Definition((name,), ("u",), t.Arithmetic("+", wave("u"), t.Name("u")))
        return
    if not indexed:
        yield t.Definition((name,), (), wave(""))
    shapes = {dims: array for array, dims in words.dims.items() if len(dims) in (1, 2)}
    for array in sorted(shapes.values(), key=lambda one: len(words.dims[one])):
        letters = "uv"[: len(words.dims[array])]
        of = t.Cell(array, tuple(map(t.Name, letters)))
        nothing = t.Arithmetic("*", t.Number(0.0), of)  # it runs as far
        yield t.Definition((name,), tuple(letters), t.Arithmetic("+", wave(letters), nothing))


#: Of a line that is one formula: an answer without its left side, or text that looks like one.
ALONE: Final = "No sign stands between two sides here."


class _Line:
    """One line, being judged."""

    def __init__(self, stage: Stage, text: str, tokens: list[Token]) -> None:
        self.stage, self.text = stage, text
        self.exercise, self.words = stage.exercise, stage.words
        tokens, self.condition = conditioned(tokens, self.words)
        tokens = without_sign(tokens) if self.exercise.task.model.aim else tokens
        self.sides = [side[side[0].text == ":" :] for side in sides_of(tokens, self.words)]  # =:
        signs = {token.at: token.text for token in tokens}
        self.relations = [signs[side[-1].at] for side in self.sides[:-1]]
        if _is_zero(self.sides[0]) and self.relations[:1] == ["="]:
            self.sides[:2] = self.sides[1::-1]  # 0 = a has the shape of a
        self.head: t.Node | None = None
        self.shape: tuple[str, ...] | None = None
        """The ranges of a side that the others are compared with."""

    def judged(self) -> JudgedLine:
        first = self.sides[0]
        if len(self.sides) == 1:
            self._parsed(first, ())  # what is no formula is not read
            return JudgedLine((Side(first[0].at, "unchecked", message=ALONE),), self.stage)
        try:
            found, own = named(first, self.words)
        except OffsetError:
            found = own = None  # a formula, as G (1 - g) is
        targets = self._targets(found) if found is not None else ()
        if targets and found is not None:
            left = left_of([*targets], found, self.words)
            sides = self._compared(targets, left, 1)
            read = [one.reading.target for one in sides if one.reading is not None]
            meant = next((one for one in read if one in targets), targets[0])
            self.head = _headed(meant, left.names)
            strays = all(side.mark == "wrong" for side in sides)
            if strays and self._is_short(found, targets[0]):
                return self._meant(targets[0], left)
            return JudgedLine(tuple(sides), self._restated(targets[0], sides))
        if self.relations[0] in EQUATED and own is not None and self._is_new(own):
            return self._defined(own)
        if own is not None and {*own.names} <= {*self.exercise.task.model.forward.inputs}:
            # m = sum(x[i] for i)/n, where a derivative is zero: what is given is anything else.
            return JudgedLine((Side(first[0].at, "unchecked"),), self.stage)
        alone = self.alone(0, None)
        self.head = printed(alone.read.body, self.exercise)
        return JudgedLine(tuple(self._against(alone, 1)), self.stage)

    def _targets(self, found: Derivative) -> tuple[Target, ...]:
        """What a left side names, and the same at equal indices where all else is 0."""
        task = self.exercise.task
        if {*(found.indices or ())} & task.words.sizes:
            return ()  # the last entry, x_n: one number like others
        asked = [one for one in task.targets if one.named_by(found)]
        if asked and (task.model.aim or found.second == "*"):
            return (*asked,)
        try:
            target = target_of(found, task.words, task.model.survey)
        except OffsetError:
            return ()  # of a number, or by one that is given: a formula like others
        if target is not None and not target.above:
            return ()  # dX of a card that has no loss
        if target is None or not target.below:
            return (target,) if target else ()
        is_own = target.below in task.model.forward.asides
        if is_own and target.above not in task.model.moved(target.below):
            said = f"How {target.above} depends on {target.below} is not said."
            hint = f"write {target.above} with {target.below} on a line above"
            raise OffsetError(said, hint, found.at)
        try:
            return (target, *target.also(self.exercise.drawn(0, FEW)[0]))
        except OffsetError as trouble:  # its place is one of the forward message
            raise OffsetError(trouble.message, trouble.hint, found.at) from None

    def _is_short(self, found: Derivative, target: Target) -> bool:
        """Whether a message has a short name, as ds, which a program may mean otherwise."""
        asked = {one.key for one in self.exercise.task.targets}
        slash = any(token.text == "/" for token in self.sides[0])
        slash |= self.sides[0][0].text.startswith("grad_")
        return not slash and bool(found.below) and not found.above and target.key not in asked

    def _meant(self, target: Target, left: LeftSide) -> JudgedLine:
        """A line that calls something of its own ds."""
        letters = left.parameters
        return self._defined(LeftSide("definition", (target.key,), letters, left.at))

    def _is_new(self, own: LeftSide) -> bool:
        if len(own.names) != 1:
            return False
        name = own.names[0]
        base = name.rstrip("'")
        if base != name and f"{base}'" in arities(self.words):
            return False  # f' of an f that is known
        is_constant = name in NUMBERS and name not in self.words.arities and bool(own.parameters)
        if name in self.stage.own or self._is_function(name, own):
            return False  # once more: is it the same?
        return name not in self.words.known or is_constant  # e_k is none of theirs

    def _is_function(self, name: str, own: LeftSide) -> bool:
        """Whether a name is called that everyone knows, as in log(p[k]) = ..."""
        at = next(n for n, side in enumerate(self.sides) if side[0].at == own.at)
        return _calls(self.sides[at]) and self.words.canonical(name) is not None

    # The sides of one line, each compared with the one that it must agree with.

    def _compared(self, targets: tuple[Target, ...], left: LeftSide, first: int) -> list[Side]:
        """The sides from the `first` on; behind a sign other than '=' another side counts."""
        found: list[Side] = []
        for n in range(first, len(self.sides)):
            if n + 1 < len(self.sides) and self._is_left(n, targets):
                continue  # H = d^2L/dw^2 = ... says the same twice
            if (own := self._naming(n)) is not None:
                found.append(self._called(own, n))
                continue
            side = self._side(targets, left, n)
            found.append(replace(side, kind=self._kind(targets[0], side, n == first)))
            if found[-1].relation not in EQUATED and n + 1 < len(self.sides):
                alone = self.alone(n, left.parameters or None)
                return [*found, *self._against(alone, n + 1)]
        return found

    def _kind(self, target: Target, side: Side, is_first: bool) -> Kind:
        if side.relation not in EQUATED:
            return "bound"
        if not is_first or isinstance(target, Stated):
            return "rewriting"
        if not target.below:
            return "definition"
        read: Read | None = side.reading.formula if side.reading else None
        return "chain rule" if read is not None and read.steps else "derivative"

    def _against(self, side: Expression, first: int, name: str = "") -> list[Side]:
        """The sides from the `first` on, compared with another side."""
        if first == len(self.sides):
            return []
        read = side.read
        for letter, (array, _) in zip(read.indices, side.places, strict=True):
            if not array:
                said = f"I cannot tell what {letter} runs over."
                raise OffsetError(said, "read an array at it", side.at)
        target = Stated(name or unparse(read.body), "", read.indices, side)
        letters = read.indices if side.named else ()
        left = LeftSide("~", letters or target.letters, letters, side.at)
        self.shape = side.dims
        return self._compared((target,), left, first)

    def _side(self, targets: tuple[Target, ...], left: LeftSide, n: int) -> Side:
        """A side, judged in each way in which its signs may be meant: right is what fits."""
        words, found = self.words, self._in_words(targets, left, n)
        for way in self._ways(self.sides[n]):
            if found.mark not in ("wrong", "unread"):
                break
            self.words = replace(self.words, **way)
            other = self._in_words(targets, left, n)
            self.words = replace(self.words, kronecker=words.kronecker, dots=words.dots)
            certain = "dots" not in way or self._dots(self.sides[n]) == 1  # each its own way
            fits = found.mark == "unread" or found.mistake is not None
            wrong = other.mark == "wrong" and not other.mistake
            found = other if other.mark == "follows" or (certain and fits and wrong) else found
        return found

    def _ways(self, tokens: list[Token]) -> Iterator[dict[str, Any]]:
        """A delta with two indices may be the message or Kronecker's; a dot between two vectors
        their inner product, or a product entry by entry."""
        output = self.exercise.task.words.output
        two = bool(output) and self.words.arities.get(output) == 2
        if two and any(token.text.split("_")[0] == "delta" for token in tokens):
            yield {"kronecker": not self.words.kronecker}
        if self._dots(tokens):
            yield {"dots": "@"}
            yield {"dots": "⊙"}

    def _dots(self, tokens: list[Token]) -> int:
        dots = [one for one in tokens[:-1] if self.text[one.at : one.at + 1] in [*"·⋅∙•×"]]
        return sum(one.text == "*" for one in dots)

    def _in_words(self, targets: tuple[Target, ...], left: LeftSide, n: int) -> Side:
        tokens, relation = self.sides[n], self.relations[n - 1]
        at = tokens[0].at
        tokens, is_up_to = without_constant(tokens, self.words)
        relation = "+" if is_up_to and relation in EQUATED else relation
        try:
            parsed = self._parsed(tokens, left.names)
            with _strangers(parsed):
                read = read_side(parsed, targets, left)
        except OffsetError as trouble:
            return _unread(at, trouble)
        reading = as_reading(read, self.exercise.task.first, read.target.key)
        found = Side(
            at,
            "follows",
            reading=reading,
            exercise=self.exercise,
            relation=relation,
            condition=None if self._renames(read.target) else self.condition,
        )
        mark, at_best = self._mark(found, n)
        found = replace(found, mark=mark, at_best=at_best)
        is_bound = found.mark == "follows" and relation in ("<=", ">=")
        if is_bound and judgement(replace(found, relation="=")) == "follows":
            said = "The sides are equal on all inputs, so the sign between them is not tried."
            found = replace(found, mark="unchecked", message=said)
        return found

    def _renames(self, target: Target) -> bool:
        """Whether "at k = m" gives an index of the left side no more than another letter."""
        one, sign, other = self.condition or ("", "", "")
        return sign == "==" and len({one, other} & {*target.letters}) == 1

    def _mark(self, side: Side, n: int) -> tuple[Mark, bool]:
        """Whether a side follows, and whether that was judged where something is at its best."""
        assert side.reading is not None
        model, target = self.exercise.task.model, side.reading.target
        best = replace(side, at_best=True)
        if not model.aim or isinstance(target, Optimum):
            return judgement(best), bool(model.aim)
        mark = judgement(side)
        zeros = [_is_zero(one) for one in self.sides[: n + 1]]
        slope = target.below or (isinstance(target, Stated) and target.side.read.steps)
        if mark == "follows" or side.relation in ("~", "+") or (slope and not any(zeros)):
            return mark, False
        mark = judgement(best)
        if mark != "follows" or self.stage.settled or any(map(_is_zero, self.sides)):
            return mark, True
        return ("wrong", False) if only_touches(side) else ("unchecked", True)

    def alone(self, n: int, letters: tuple[str, ...] | None) -> Expression:
        """A side by itself; the letters of the others are its indices, too."""
        others: list[Parsed] = []
        for one in self.sides[n + 1 :] if letters is None else ():
            with suppress(OffsetError):  # whoever judges it hears of it
                others.append(self._parsed(without_constant(one, self.words)[0], ()))
        tokens, _ = without_constant(self.sides[n], self.words) if n else (self.sides[0], False)
        try:
            parsed = self._parsed(tokens, letters or ())
            with _strangers(parsed):
                return expression(parsed, letters, others)
        except OffsetError:
            # One number at some indices, or what stands before the first sign: an inner product.
            if self.words.dots or self._dots(tokens) != 1 or not (letters or n == 0):
                raise
            self.words = replace(self.words, dots="@")
            found = self.alone(n, letters)
            self.words = replace(self.words, dots="")
            return found

    def _parsed(self, tokens: list[Token], own: tuple[str, ...]) -> Parsed:
        """A side's formula; what it differentiates has a name of its own."""
        words = self.words
        if self.shape is not None:
            words = replace(words, dims={**words.dims, "~": self.shape})
        found = parsed_side(self.text, words, tokens, own, self.stage.lines)
        while (slope := _slope(found.body)) is not None:
            body, by = slope.arguments
            for one in self.stage.slopes:
                body = substituted_in(body, one)
            side = expression(replace(found, body=body), None, ())
            name = f"~{len(self.exercise.task.model.forward.asides)}"
            one = t.Definition((name,), side.read.indices, side.read.body, slope.at)
            if not self._is_plain(one.body, side.read):
                said = "This is the derivative of a derivative."
                raise OffsetError(said, "give the inner one a line of its own", slope.at)
            self._take(replace(self.stage, exercise=extended(self.exercise, one)))
            step = f"d{name}/d{t.name_of(by)}"
            above = tuple(map(t.Name, side.read.indices)) if side.named else ()
            at = (*above, *(by.indices if isinstance(by, t.Cell) else ()))
            link = t.Cell(step, at, slope.at) if at else t.Name(step, slope.at)
            shaped = replace(self.words, dims={**self.words.dims, "~": self.shape or ()})
            words = shaped if self.shape is not None else self.words
            found = replace(found, words=words, body=exchanged(found.body, slope, link))
        return found

    def _take(self, stage: Stage) -> None:
        self.stage, self.exercise, self.words = stage, stage.exercise, stage.words

    # Lines that define.

    def _defined(self, left: LeftSide) -> JudgedLine:
        name, letters = left.names[0], left.parameters
        self.head = _cell(name, letters)
        if _calls(self.sides[0]):
            return JudgedLine((self._function(left, 1),), self.stage)
        side = self.alone(1, letters)
        one = t.Definition((name,), side.read.indices, side.read.body, left.at)
        stage = self._with(one, side.read)
        shown = self._definition(1, side.read, name)
        return JudgedLine((shown, *self._against(side, 2, name)), stage)

    def _definition(self, n: int, read: Read, name: str) -> Side:
        reading = as_reading(read, self.exercise.task.first, name)
        at = self.sides[n][0].at
        return Side(at, "defines", "definition", reading=reading, exercise=self.exercise)

    def _function(self, left: LeftSide, n: int) -> Side:
        """f(u) = ..., f(s[k]) = ...: a function of numbers, whatever these are besides."""
        words = self.words
        plain = [name for name in left.parameters if "[" not in name]
        self.words = replace(words, arities={**words.arities, **dict.fromkeys(plain, 0)})
        indices = {i for one in left.parameters for i in re.findall(r"\w+", one.partition("[")[2])}
        side = self.alone(n, (*plain, *sorted(indices)))
        self.words = words
        body, parameters = side.read.body, list[str]()
        for parameter in left.parameters:
            letter = next(u for u in "uvtzpq" if u not in (*parameters, *names_in(body)))
            body = replaced(renamed(body, parameter, t.Name(letter)), parameter, t.Name(letter))
            parameters.append(letter)
        if indices & {*names_in(body)}:
            said = f"{left.names[0]} is a function of {', '.join(left.parameters)} alone."
            raise OffsetError(said, "write what else it hangs on into its brackets", side.at)
        one = t.Definition(left.names, tuple(parameters), body, left.at)
        self._take(self._with(one, side.read, called=True))
        return self._definition(n, side.read, left.names[0])

    def _naming(self, n: int) -> LeftSide | None:
        """The name that a side is, where nothing else has it: e in dL/dy_k = e_k = y_k - t_k."""
        try:
            _, own = named(self.sides[n], self.words)
        except OffsetError:
            return None
        if own is None or n == 0 or self.relations[n - 1] not in EQUATED:
            return None
        name = own.names[0]
        known = self.words.canonical(name) is not None and name not in NUMBERS
        known |= name in self.words.rules.names or name in UNREAD
        return own if not known and self._is_new(own) else None

    def _is_left(self, n: int, targets: tuple[Target, ...]) -> bool:
        """Whether a side is another name of what the line is about."""
        try:
            found, _ = named(self.sides[n], self.words)
        except OffsetError:
            return False
        return found is not None and bool(found.second) and targets[0].named_by(found)

    def _called(self, own: LeftSide, n: int) -> Side:
        """A name in the middle of a line, for what its left side is; f(s[k]) for the next one."""
        if _calls(self.sides[n]):
            if n + 1 == len(self.sides):
                said = f"I do not know '{own.names[0]}'."
                raise OffsetError(said, "define it on a line of its own", own.at)
            return replace(self._function(own, n + 1), at=self.sides[n][0].at)
        side = self.alone(0, own.parameters)
        one = t.Definition(own.names, side.read.indices, side.read.body, own.at)
        self._take(self._with(one, side.read))
        return self._definition(n, side.read, own.names[0])

    def _with(self, one: t.Definition, read: Read, called: bool = False) -> Stage:
        """What the lines below a definition may speak of."""
        own = (*self.stage.own, *one.names)
        if not self._is_plain(one.body, read):
            lines = (*self.stage.lines, *read.definitions, one)
            return replace(self.stage, lines=tuple(dict.fromkeys(lines)), own=own)
        exercise = extended(self.exercise, one, read.definitions, called)
        return replace(self.stage, exercise=exercise, own=own)

    def _is_plain(self, body: t.Node, read: Read) -> bool:
        """Whether a formula speaks of what the message makes alone, not of derivatives."""
        inner = {name for d in self.stage.lines for name in d.names}
        return not read.steps and not {"delta", *inner} & {*names_in(body)}

    def _restated(self, target: Target, judged: list[Side]) -> Stage:
        """What the message makes, in the learner's words: with names that they define."""
        own = {*self.stage.own}
        if isinstance(target, Optimum):
            return self.stage
        if target.below:
            return replace(self.stage, slopes=(*self._slopes(target, judged), *self.stage.slopes))
        for one in judged:
            if one.mark != "follows" or one.relation not in EQUATED or one.reading is None:
                continue
            read: Read = one.reading.formula
            used = {*names_in(read.body)}
            if used & own and target.above not in used and self._is_plain(read.body, read):
                made = t.Definition((target.above,), read.indices, read.body, 0)
                with suppress(OffsetError):  # they go round in a circle: the message's own stays
                    exercise = extended(self.exercise, made, read.definitions)
                    return replace(self.stage, exercise=exercise)
        return self.stage

    def _slopes(self, target: Target, judged: list[Side]) -> Iterator[t.Definition]:
        """What a derivative was worked out to, by its names."""
        names = (f"d{target.above}/d{target.below}", f"d{target.below}")
        is_loss = target.above in (self.words.loss, self.words.output)
        for one in judged if not target.diagonal and target.key in names else ():
            read: Read | None = one.reading.formula if one.reading is not None else None
            if one.mark == "follows" and one.is_equal and read and not read.steps:
                whole = len(read.indices) == len(target.indices) and not read.definitions
                for name in names[: 1 + is_loss] if whole else ():
                    yield t.Definition((name,), read.indices, read.body, 0)


def substituted_in(node: t.Node, one: t.Definition) -> t.Node:
    """A formula with a definition's body wherever its name stands."""
    same = rebuilt(node, lambda part: substituted_in(part, one))
    if isinstance(same, t.Name | t.Cell) and t.name_of(same) == one.names[0]:
        at = same.indices if isinstance(same, t.Cell) else ()
        return substituted(one.body, dict(zip(one.parameters, at, strict=True)))
    return same


@contextmanager
def _strangers(parsed: Parsed) -> Iterator[None]:
    """Tells a number that nobody defines from an index that nothing binds."""
    try:
        yield
    except UndefinedError as trouble:
        if picks(parsed.body, trouble.name, parsed.words):
            raise
        hint = "define it on a line of its own"
        raise UnknownError(trouble.name, hint, trouble.at) from None


def _is_zero(side: list[Token]) -> bool:
    return [token.text for token in side[:-1]] == ["0"]


#: What stands between names as a function does: no name that a line may give.
UNREAD: Final = ("outer", "dot", "matmul", "einsum")


def _calls(side: list[Token]) -> bool:
    """Whether a name is called with brackets, f(u)."""
    return len(side) > 2 and side[1].text == "("


def _cell(name: str, letters: Sequence[str]) -> t.Node:
    at = tuple(map(t.Name, letters))
    return t.Cell(name, at) if at else t.Name(name)


def _headed(target: Target, letters: tuple[str, ...]) -> t.Node:
    """A left side that the message knows, at the indices of an answer."""
    if not target.below:
        return _cell(target.above, letters)
    by = dict(zip(target.letters, letters, strict=False))
    at = tuple(by.get(letter, letter) for letter in target.indices)
    if isinstance(target, Jacobian):
        of, *below = map(_cell, target.arrays, target.grouped(at))
    else:
        of, below = t.Name(target.loss), [_cell(target.below, at)]
    return reduce(lambda above, by: t.Apply(SLOPE, (above, by)), below, of)


def _slope(body: t.Node) -> t.Apply | None:
    """The innermost derivative of a formula that is still to be worked out."""
    found = [one for one in inside(body) if isinstance(one, t.Apply) and one.function == SLOPE]
    return next((one for one in found if not any(map(_slope, one.arguments))), None)


# -- What stands behind the sides of a line: the indices that it holds for, and "+ const".


_CONSTANT: Final = ("const", "constant", "cst", "c", "C")
_FOR: Final = ("if", "for", "when", ",")


def conditioned(tokens: list[Token], words: Words) -> tuple[list[Token], Condition | None]:
    """A line without the indices behind it that it holds for: "if k = j", "(k != j)"."""
    texts = [token.text for token in tokens[:-1]]
    size = 5 if texts[-1:] == [")"] else 4
    if len(texts) < size + 3 or {"else", "otherwise", "{"} & {*texts}:
        return tokens, None
    opens, one, sign, two, *_ = texts[-size:]
    sign = "==" if sign == "=" else sign
    letters = all(len(a) == 1 and a.isalpha() and a not in words.arities for a in (one, two))
    if not letters or sign not in RELATIONS or opens not in (("(",) if size == 5 else _FOR):
        return tokens, None
    cut = len(texts) - size
    while texts[cut - 1] in _FOR:
        cut -= 1
    return [*tokens[:cut], replace(tokens[-1], at=tokens[cut].at)], (one, sign, two)


def without_constant(tokens: list[Token], words: Words) -> tuple[list[Token], bool]:
    """A side without the "+ const" behind it, and whether it has one."""
    if len(tokens) < 4 or tokens[-3].text != "+":
        return tokens, False
    *rest, sign, last, end = tokens
    if last.text not in _CONSTANT or last.text in words.known:
        return tokens, False
    return [*rest, replace(end, at=sign.at)], True
