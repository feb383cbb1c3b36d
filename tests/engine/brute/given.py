"""Answers to forward messages that cards give, against differences of these.

At points away from kinks an answer is right exactly if it agrees with the central differences of
the loss, of fourth order.  The messages are written out in plain Python.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice, product
from typing import Any, Final

from engine.checking import check
from engine.exercise import names_of
from engine.formula import tree as t
from engine.formula.tree import FormulaError
from engine.latex.transcribe import POOLING, transcription
from tests.engine.brute.interpreter import Interpreter as Pooling
from tests.engine.brute.interpreter import Scope, Truth
from tests.engine.brute.mutants import swapped
from tests.engine.brute.numbers import FUNCTIONS, folded
from tests.engine.cases import made, table

#: An array by its indices; of a scalar the only key is ().
Table = dict[tuple[int, ...], float]
Tables = dict[str, Table]
Sizes = Mapping[str, int]


def _linear(a: Tables, n: Sizes) -> Table:
    return {(k,): sum(a["W"][k, j] * a["x"][j,] for j in range(n["j"])) for k in range(n["k"])}


def _elu(a: Tables, n: Sizes) -> Tables:
    s: Table = _linear(a, n)
    y: Table = {at: v if v > 0 else math.exp(v) - 1 for at, v in s.items()}
    return {"s": s, "y": y, "L": {(): sum(a["delta"][at] * y[at] for at in y)}}


def _softmax(a: Tables, _: Sizes) -> Tables:
    total = sum(math.exp(v) for v in a["z"].values())
    p = {at: math.exp(v) / total for at, v in a["z"].items()}
    return {"p": p, "L": {(): -sum(a["t"][at] * math.log(p[at]) for at in p)}}


def _squares(a: Tables, n: Sizes) -> Tables:
    y: Table = {(k,): v + a["b"][k,] for (k,), v in _linear(a, n).items()}
    return {"y": y, "L": {(): sum((y[at] - a["t"][at]) ** 2 for at in y) / 2}}


def _sigmoid(a: Tables, n: Sizes) -> Tables:
    s: Table = _linear(a, n)
    y = {at: 1 / (1 + math.exp(-v)) for at, v in s.items()}
    return {"s": s, "y": y, "L": {(): sum(a["delta"][at] * y[at] for at in y)}}


_FORWARD: Final = {
    "linear and ELU": _elu,
    "softmax and cross-entropy": _softmax,
    "linear and squared error": _squares,
    "linear and sigmoid": _sigmoid,
}


@dataclass(frozen=True, slots=True)
class Given:
    name: str
    exercise: Mapping[str, object]
    below: str
    """The input whose derivative is asked."""
    inputs: Mapping[str, str]
    """The indices of each."""
    sizes: list[Sizes]
    words: list[str]
    """Names of which one may stand for another."""
    right: list[str]

    def forward(self, tables: Tables, n: Sizes) -> Tables:
        """The values of the definitions; "L" is the loss that is differentiated."""
        return _FORWARD[self.name](tables, n)

    def drawn(self, rng: random.Random, n: Sizes) -> Tables:
        found: Tables = {
            name: {at: rng.uniform(-1.5, 1.5) for at in product(*(range(n[x]) for x in letters))}
            for name, letters in self.inputs.items()
        }
        if "z" in found:  # t is a distribution
            weights = {at: rng.random() + 0.1 for at in found["t"]}
            total = sum(weights.values())
            found["t"] = {at: weight / total for at, weight in weights.items()}
        return found


EXERCISES: Final = [Given(**row) for row in table("differences", typed=True)]
#: So far a right answer may be off by the differences' own error.
NEAR: Final = 1e-6


_ENTRY: Final = re.compile(r"(?<![\w/])(?!d[A-Z])\w+\[[\w,]+\](?! =)")
_GROUPS: Final[list[str]] = table("right")["groups"]["given"]


class UnsupportedError(Exception):
    """A tree that this interpreter does not read."""


class Interpreter(Pooling):
    """The interpreter of max pooling, with these arrays and letters in place of its own."""

    def __init__(self, definitions: tuple[t.Definition, ...], tables: Tables, sizes: Sizes) -> None:
        self.definitions = {name: d for d in definitions for name in d.names}
        self.tables = tables
        self.scalars = {"e": math.e, "pi": math.pi, **{n: float(v) for n, v in sizes.items()}}
        self.scalars |= {name: table[()] for name, table in tables.items() if () in table}
        self.left_range = False
        """Whether an index that is worked out, as in w[j-i], has left the range of its array."""

    def number(self, node: t.Node, scope: Scope) -> float:
        match node:
            case t.Cell(array, indices) if array not in self.definitions:
                at = tuple(self.number(index, scope) for index in indices)
                found = self.tables[array].get(at)  # type: ignore[arg-type]
                if found is None and not all(isinstance(one, t.Name) for one in indices):
                    self.left_range = True
                return math.nan if found is None else found
            case t.Apply(function) if function not in FUNCTIONS:
                raise UnsupportedError(function)
            case t.Name(name) if not (name in scope or name in self.definitions):
                if name not in self.scalars:
                    raise UnsupportedError(name)
            case t.Over(kind, t.Name(name)) if name in self.tables:
                return folded(kind, list(self.tables[name].values()))
            case t.Over() | t.Window() | t.Windows() | t.Pair():
                raise UnsupportedError(type(node).__name__)
        return super().number(node, scope)

    def counted(self, node: t.Reduce, scope: Scope) -> Iterator[tuple[Scope, float]]:
        """Of a sum, a term that is undefined because an index left its range is 0."""
        if node.kind != "sum":
            yield from super().counted(node, scope)
            return
        before, self.left_range = self.left_range, False
        for inner, value in super().counted(node, scope):
            yield inner, 0.0 if math.isnan(value) and self.left_range else value
            self.left_range = False
        self.left_range = before

    def run(
        self, node: t.Reduce, binder: t.Binder, scope: Scope
    ) -> Iterator[tuple[tuple[float, ...], Truth]]:
        if isinstance(binder.domain, t.Range):
            yield from super().run(node, binder, scope)
            return
        if binder.domain is not None or node.kind in ("argmax", "argmin"):
            raise UnsupportedError(node.kind)
        lengths = [self.length(name, node) for name in binder.names]
        yield from (((*map(float, at),), True) for at in product(*map(range, lengths)))

    def length(self, letter: str, node: t.Reduce) -> int:
        """How far a letter runs: as the places do where it is read, or as in the message."""
        found: set[int] = set()

        def look(part: t.Node) -> None:
            if isinstance(part, t.Cell) and part.array in self.tables:
                for place, index in enumerate(part.indices):
                    if index == t.Name(letter):
                        found.add(1 + max(at[place] for at in self.tables[part.array]))
            elif isinstance(part, t.Cell | t.Name):
                name = part.array if isinstance(part, t.Cell) else part.name
                if name in self.definitions:
                    look(self.definitions[name].body)
            for child in t.children(part):
                look(child)

        for child in t.children(node):
            look(child)
        if not found and letter in self.scalars:
            return int(self.scalars[letter])
        if len(found) != 1:
            raise UnsupportedError(f"{letter} runs over {found}")
        return found.pop()


def slope(given: Given, tables: Tables, n: Sizes, at: tuple[int, ...]) -> float:
    """dL by the entry `at` of the target, by central differences of fourth order."""

    def loss(step: float) -> float:
        moved = {**tables[given.below], at: tables[given.below][at] + step}
        return given.forward({**tables, given.below: moved}, n)["L"][()]

    h = 1e-3
    return (8 * (loss(h) - loss(-h)) - (loss(2 * h) - loss(-2 * h))) / (12 * h)


def agrees(given: Given, read: Any, tables: Tables, n: Sizes) -> bool:
    """Whether an answer, once read, is the derivative at one point.  Raises UnsupportedError."""
    run = Interpreter(read.definitions, {**tables, **given.forward(tables, n)}, n)
    for at in tables[given.below]:
        scope = dict(zip(read.indices, map(float, at), strict=True))
        expected = slope(given, tables, n, at)
        if not abs(run.number(read.body, scope) - expected) <= NEAR * (1 + abs(expected)):
            return False
    return True


def points(given: Given, seed: int, many: int) -> Iterator[tuple[Tables, Sizes]]:
    """Random inputs of the exercise's sizes, and others; differences need some way to a kink."""
    rng = random.Random(seed)
    for n in range(many):
        sizes = given.sizes[n % len(given.sizes)]
        tables = given.drawn(rng, sizes)
        while any(abs(v) < 0.05 for v in given.forward(tables, sizes).get("s", {}).values()):
            tables = given.drawn(rng, sizes)
        # What differs far from 0 alone, as sin(s) > 0 from s > 0, must show here as well.
        if n % 4 == 3 and "W" in tables:
            tables["W"] = {at: 3 * value for at, value in tables["W"].items()}
        yield tables, sizes


def wrapped(text: str) -> Iterator[str]:
    """The text with each function of one number around each of its entries and brackets."""
    names = [name for name, of in FUNCTIONS.items() if name not in ("kron", "max", "min")]
    for found in _ENTRY.finditer(text):
        for name in names:
            yield f"{text[: found.start()]}{name}({found.group()}){text[found.end() :]}"


def contested(given: Given, points_tried: int, every: int = 1) -> tuple[int, list[str]]:
    """How many mutants of its right answers were tried, and whose verdict does not hold."""
    exercise = made(given.exercise)
    grader = exercise.grader()
    known = POOLING | names_of(exercise)
    tried = list(points(given, 5, points_tried))
    seen: set[str] = set()
    off: list[str] = []
    for right in given.right:
        around = chain(swapped(right, (*_GROUPS, *given.words)), wrapped(right))
        for text in (right, *islice(around, 0, None, every)):
            try:
                plain = transcription(text, known).text if "\\" in text else text
                reading = grader.read(plain)
                holds = reading.echo in seen or all(
                    agrees(given, reading.formula, tables, n) for tables, n in tried
                )
            except (FormulaError, UnsupportedError):
                continue
            if reading.echo in seen:
                continue
            seen.add(reading.echo)
            found = check(text, exercise)
            if holds != (found.verdict in ("correct", "correct-except-ties")):
                off.append(f"{found.verdict}: {reading.echo}")
    return len(seen), off
