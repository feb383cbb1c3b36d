"""Sides of derivations changed at one place: does the mark say what loops over the numbers say?

Two sides of a line that follow are the same on all inputs; one of them with a change follows
exactly if loops over its entries come to the same numbers.  The message itself is run by loops
too, and a derivative that a side speaks of is a difference of these.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, product
from typing import Any, Final

import numpy as np

from engine.formula import tree as t
from engine.formula.rewrite import bound_in, inside, renamed
from engine.formula.tree import FormulaError, OffsetError
from engine.messages.model import Batch
from engine.messages.side import FEW, Side, judgement, related
from tests.engine.brute.given import Interpreter, Table, Tables, UnsupportedError
from tests.engine.brute.mutants import changed
from tests.engine.cases import made

#: So many inputs are looped over; where derivatives are differences, so many.
_POINTS: Final = 40
_SLOPES: Final = 10
#: So near are equal numbers, and differences to derivatives.
_NEAR: Final = 1e-9
_STEEP: Final = 1e-5

#: What stands for what where one is mistaken for the other.
_OTHER: Final = {"exp": "log", "log": "exp", "sqrt": "abs", "tanh": "sigmoid", "sigmoid": "tanh"}
_KINDS: Final = {"sum": "mean", "mean": "sum", "prod": "sum", "max": "min", "min": "max"}
_SIGNS: Final = {"+": "-", "-": "+", "*": "/", "/": "*"}


def sides(rows: Sequence[Mapping[str, Any]]) -> Iterator[Side]:
    """Every side that follows, of right derivations, and that loops might evaluate."""
    for row in rows:
        for text in row["right"]:
            for side in made(row["exercise"]).grader().steps(text):
                if not isinstance(side, Side) or side.mark != "follows" or side.reading is None:
                    continue
                if side.exercise is not None and side.exercise.task.model.aim and side.at_best:
                    continue
                side = anywhere(side)
                if side.is_equal and side.reading and not side.reading.formula.definitions:
                    yield side


def anywhere(side: Side) -> Side:
    """A side that holds not only at an optimum, on inputs of which none is at its best."""
    exercise = side.exercise
    if exercise is None or not exercise.task.model.aim or side.at_best:
        return side
    task = replace(exercise.task, model=exercise.task.model.anywhere)
    return replace(side, exercise=replace(exercise, task=task))


def mutants(rows: Sequence[Mapping[str, Any]], every: int = 1) -> Iterator[tuple[Side, Side]]:
    """A side that follows, with one that is changed at a place, if that means something."""
    for n, (side, body) in enumerate((s, b) for s in sides(rows) for b in _slips(s)):
        if n % every == 0:
            assert side.reading is not None
            read = replace(side.reading.formula, body=body, echo=f"mutant {n}")
            yield side, replace(side, reading=replace(side.reading, formula=read))


def _body(side: Side) -> t.Node:
    assert side.reading is not None
    body: t.Node = side.reading.formula.body
    return body


def _slips(side: Side) -> Iterator[t.Node]:
    """Its formula with one slip: a sign, a factor, an index, an exponent, a name, a sum's range."""
    assert side.reading is not None
    body = _body(side)
    letters = sorted({*side.reading.formula.indices} | _bound(body))
    cells = {(c.array, len(c.indices)) for c in inside(body) if isinstance(c, t.Cell)}

    def here(node: Any) -> Iterator[t.Node]:
        match node:
            case t.Arithmetic(op, left, right):
                if op in _SIGNS:
                    yield replace(node, op=_SIGNS[op])
                if op == "^":
                    yield left
                    for step in ("+", "-"):
                        yield replace(node, right=t.Arithmetic(step, right, t.Number(1.0)))
            case t.Negative(operand):
                yield operand
            case t.Number(value):
                yield from (t.Number(value + 1), t.Number(value / 2))
            case t.Apply(function, (argument,)):
                yield argument
                yield replace(node, arguments=(t.Negative(argument),))
                if function in _OTHER:
                    yield replace(node, function=_OTHER[function])
            case t.Cell(array, indices):
                for n, index in enumerate(indices):
                    for letter in letters if isinstance(index, t.Name) else ():
                        if index != t.Name(letter):
                            at = (*indices[:n], t.Name(letter), *indices[n + 1 :])
                            yield replace(node, indices=at)
                for other, count in sorted(cells):
                    if count == len(indices) and other != array:
                        yield replace(node, array=other)
            case t.Reduce(kind, inner, binders):
                if kind in _KINDS:
                    yield replace(node, kind=_KINDS[kind])
                for letter in letters:
                    name = binders[0].names[0]
                    if letter != name:
                        yield renamed(inner, name, t.Name(letter))
                        apart = t.Comparison(("!=",), (t.Name(name), t.Name(letter)))
                        yield replace(node, condition=apart)

    yield from dict.fromkeys((*changed(body), *changed(body, here)))


def _bound(body: t.Node) -> set[str]:
    return {name for part in inside(body) for name in bound_in(part)}


#: So many inputs on which the engine says that a side is wrong are asked of the loops.
_SEEN: Final = 60


def disagreements(rows: Sequence[Mapping[str, Any]], every: int = 1) -> tuple[int, list[str]]:
    """How many mutants were tried, each nth of them, and those whose mark brute force contests."""
    tried, off = 0, []
    for side, mutant in mutants(rows, every):
        try:
            same = _same(side, mutant)
            mark = judgement(mutant) if same is not None else "unchecked"
            if mark == "wrong" and same:  # the engine may know an input on which it shows
                seen = [_told_apart(side, mutant, *at) for at in islice(_refuted(mutant), _SEEN)]
                same = False if True in seen else None if None in seen else True
        except (UnsupportedError, FormulaError, OffsetError, KeyError, ArithmeticError):
            continue  # no formula: two sums over one letter, a place that there is not
        if same is None or mark == "unchecked":
            continue
        tried += 1
        if (mark == "follows") != same:
            off.append(f"{side.read}: changed to {_body(mutant)} it is {mark}")
    return tried, off


def _same(side: Side, mutant: Side) -> bool | None:
    """Whether both come to the same numbers on some inputs; None where neither has any."""
    assert side.exercise is not None
    assert side.reading is not None
    batch = side.exercise.drawn(0, FEW)[0]
    told = False
    reference = side.reading.target.reference(batch)
    for n in range(min(_SLOPES if side.reading.formula.steps else _POINTS, len(batch))):
        if not (reference.left_out[n] or reference.met[n]):
            apart = _told_apart(side, mutant, batch, n)
            if apart:
                return False
            told |= apart is not None
    return True if told else None


def _refuted(mutant: Side) -> Iterator[tuple[Batch, int]]:
    """Inputs on which the engine says that it is wrong."""
    grader, reading, rule = mutant.exercise, mutant.reading, related(mutant)
    assert grader is not None
    assert reading is not None
    with np.errstate(all="ignore"):
        drawn = grader.drawn(0, FEW)
        for batch in (*drawn, *grader.aimed(reading, drawn)):
            judged = grader.judged(batch, reading.target, rule(batch), rule)
            yield from ((batch, int(n)) for n in np.flatnonzero(judged.astray))


def _told_apart(side: Side, mutant: Side, batch: Batch, n: int) -> bool | None:
    """Whether an input tells the two apart; None where the side that follows has no number."""
    assert side.reading is not None
    reading, loops = side.reading, _loops(batch, n)
    names = [name for name in reading.formula.steps if name not in loops.tables]
    if not all(map(loops.differentiated, names)):
        return None
    near = _STEEP if names else _NEAR
    run = Interpreter(loops.functions, loops.tables, loops.sizes)
    told = False
    for at in product(*map(range, reading.target.shape(batch.shapes))):
        scope = dict(zip(reading.formula.indices, map(float, at), strict=True))
        one, other = (run.number(_body(each), scope) for each in (side, mutant))
        if not math.isfinite(one):
            continue
        told = True
        # An infinite number is within any share of itself.
        if not (math.isfinite(other) and abs(one - other) <= near * max(1.0, abs(one), abs(other))):
            return True
    return False if told else None


def _loops(batch: Batch, n: int) -> Loops:
    """The message on one input."""
    key = "loops", n
    if key not in batch.kept:
        batch.kept[key] = Loops(batch, n)
    found: Loops = batch.kept[key]
    return found


class Loops:
    """What each name of a message comes to on one input, and the slopes between them."""

    def __init__(self, batch: Batch, n: int) -> None:
        forward = batch.model.forward
        given = {**batch.inputs} | ({} if batch.delta is None else {"delta": batch.delta})
        self.inputs = {name: _table(array[n]) for name, array in given.items()}
        self.arrays, self.functions = forward.arrays, forward.functions
        self.above = forward.outputs[-1] if forward.outputs else ""
        self.shapes, self.sizes = batch.shapes, _sizes(batch)
        self.tables = self.run()

    def run(self, below: str = "", at: tuple[int, ...] = (), step: float = 0.0) -> Tables:
        """Every array by its name, where one entry of one is moved by a step."""
        found: Tables = {}
        for name, values in self.inputs.items():
            found[name] = {**values, at: values[at] + step} if name == below else values
        for one in self.arrays:
            run, name = Interpreter(self.functions, found, self.sizes), one.names[0]
            found[name] = {
                cell: run.number(one.body, dict(zip(one.parameters, map(float, cell), strict=True)))
                for cell in product(*map(range, self.shapes[name]))
            }
            if name == below:
                found[name] = {**found[name], at: found[name][at] + step}
        return found

    def differentiated(self, name: str) -> bool:
        """Whether "dy/ds", or "ds" of the loss, is now a table: not so near a kink or a pole."""
        if name in self.tables:
            return True
        first, _, second = name.rpartition("/")
        above, below = first[1:] or self.above, second[1:]
        weights = self.tables.get("delta", {}) if not first else {}
        found: Table = {}
        for cell, value in self.tables[below].items():
            size = 1e-3 * abs(value) if value else 1e-3
            coarse, fine = (self._slopes(above, below, cell, h) for h in (size, size / 4))
            for at, slope in fine.items():
                if not abs(slope - coarse[at]) <= _STEEP / 10 * max(1.0, abs(slope)):
                    return False
            if weights:
                found[cell] = sum(weights[at] * slope for at, slope in fine.items())
            else:
                found |= {(*at, *cell): slope for at, slope in fine.items()}
        self.tables[name] = found
        return True

    def _slopes(self, above: str, below: str, cell: tuple[int, ...], h: float) -> Table:
        """Central differences of fourth order."""
        two, one, less, least = (
            self.run(below, cell, step * h)[above] for step in (2.0, 1.0, -1.0, -2.0)
        )
        return {at: (8 * (one[at] - less[at]) - (two[at] - least[at])) / (12 * h) for at in one}


def _sizes(batch: Batch) -> dict[str, int]:
    numbers = {name: int(np.asarray(v).flat[0]) for name, v in batch.length.numbers.items()}
    return {**batch.letters, **numbers}


def _table(values: Any) -> Table:
    one = np.asarray(values)
    return {tuple(at): float(one[tuple(at)]) for at in np.ndindex(one.shape)}
