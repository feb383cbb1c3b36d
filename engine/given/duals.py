"""The tree of a formula to values and slopes at once: forward-mode differentiation, batched.

A dual is a number with its derivatives by every entry of one input, along the axis DIRECTION:
after one evaluation the slope of y is the whole Jacobian dy/dx, exact up to rounding.
(Wengert, "A simple automatic derivative evaluation program", 1964.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from engine.formula.axes import Array, Axed, Axes, constant
from engine.formula.problem import OffsetError
from engine.formula.tree import (
    Apply,
    Arithmetic,
    Cell,
    Choice,
    Definition,
    Indicator,
    Name,
    Negative,
    Node,
    Number,
    Over,
    Reduce,
)
from engine.given import arrays, calculus, sides, undefined
from engine.given.arrays import BATCH, DIRECTION
from engine.given.borders import Borders
from engine.given.dual import Chooser, Dual, Scope, Table
from engine.given.places import Places
from engine.given.reach import Reach, plain
from engine.given.rounding import Rounding
from engine.given.running import Running


class Duals:
    """Evaluates trees over tables.  `ranges` gives the size that an index letter counts to."""

    def __init__(
        self,
        axes: Axes,
        tables: Mapping[str, Table],
        extent: Callable[[str, Reduce], int],
        definitions: tuple[Definition, ...] = (),
        kinks: Chooser | None = None,
        sizes: bool = False,
        reach: Reach | None = None,
        hidden: list[Array] | None = None,
    ) -> None:
        """`sizes` takes every partial by its size alone: slopes are then bounds; see `reach`.

        `hidden` takes (B,) masks of where a factor 0 hides that a slope does not exist.
        """
        self.reach = reach
        self.hidden = hidden
        self.lenient = False
        """Whether what a shifted index reads beyond its range counts as 0."""
        self.borders: Borders | None = None
        self.rounding: Rounding | None = None
        self.ties: list[tuple[Axed, Axed]] | None = None
        """Takes where the two sides of each comparison are equal, and its truth."""
        self.told: Iterator[tuple[Axed, Axed]] | None = None
        """The same of the evaluation without rounding: it decides what was equal there."""
        self.axes = axes
        self.tables = dict(tables)
        self.extent = extent
        self.definitions = {name: d for d in definitions for name in d.names}
        self.kinks = kinks
        self._product = undefined.size_of_product if sizes else undefined.product
        self.places = Places(self)
        self.running = Running(self)

    # Values and slopes, node by node.

    def dual(self, node: Node, scope: Scope) -> Dual:
        match node:
            case Number(value):
                return Dual(constant(value))
            case Name(name):
                return self._name(name, scope)
            case Cell():
                return self._cell(node, scope)
            case Apply(_, arguments):
                return self._applied(node, [self.dual(part, scope) for part in arguments])
            case Arithmetic():
                return self._arithmetic(node, scope)
            case Negative(operand):
                return self.through(np.negative, [self.dual(operand, scope)], [-1.0])
            case Indicator(condition):
                truth = self.places.condition(condition, scope)
                return Dual(Axed(truth.data.astype(np.float64), truth.axes))
            case Choice(condition, then, otherwise):
                return self._choice(self.places.condition(condition, scope), then, otherwise, scope)
            case Over() | Reduce():
                return self.running.reduced(node, scope)
        raise AssertionError(node)

    def number(self, node: Node, scope: Scope) -> Axed:
        return self.dual(node, scope).value

    def together(self, function: Callable[..., Any], *values: Axed) -> Axed:
        data, union = self.axes.aligned(*values)
        return Axed(self._rounded(function, data, np.asarray(function(*data))), union)

    def _rounded(self, function: Callable[..., Any], parts: Sequence[Array], found: Array) -> Array:
        return found if self.rounding is None else self.rounding.of(function, parts, found)

    def tied(self, left: Axed, right: Axed, truth: Axed) -> Axed:
        """The truth of a comparison; a move of rounding parts no sides that were equal."""
        if self.ties is not None:
            self.ties.append((self.together(np.equal, left, right), truth))
        told = next(self.told, None) if self.told is not None else None
        return truth if told is None else self.together(np.where, *told, truth)

    def through(self, function: Callable[..., Any], parts: list[Dual], partials: list[Any]) -> Dual:
        """function(parts...), with its partial derivatives by each: numbers or Axed."""
        value = self.together(function, *(part.value for part in parts))
        return Dual(value, self.chained(parts, partials))

    def chained(self, parts: list[Dual], partials: list[Any], guarded: bool = False) -> Axed | None:
        """The chain rule: the sum of partial times slope over the parts that have one.

        What is `guarded` may be undefined where a false condition multiplies it by 0.
        """
        total: Axed | None = None
        for part, partial in zip(parts, partials, strict=True):
            if part.slope is None:
                continue
            factor = partial if isinstance(partial, Axed) else constant(partial)
            if self.hidden is not None and not guarded:
                self.hidden += undefined.hidden(self.together, factor, part.slope)
            term = self.together(self._product, factor, part.slope)
            total = term if total is None else self.together(np.add, total, term)
        return total

    def pick(self, alike: Axed, usual: Axed) -> Axed:
        """Which of the alternatives (the last dimension of `alike`) is taken."""
        if self.kinks is None or BATCH not in usual.axes:
            return usual
        return Axed(self.kinks.choose(alike.data, usual.data), usual.axes)

    # The kinds of node.

    def _name(self, name: str, scope: Scope) -> Dual:
        if name in scope:
            return scope[name]
        definition = self.definitions.get(name)
        if definition is None:
            return self.table(name, ())
        if len(definition.names) == 2:
            return self.places.pair(definition.body, scope)[definition.names.index(name)]
        return self.dual(definition.body, scope)

    def _cell(self, node: Cell, scope: Scope) -> Dual:
        definition = self.definitions.get(node.array)
        at = self.places.indices(node.indices, scope)
        if definition is not None:
            return self.dual(
                definition.body, {**scope, **dict(zip(definition.parameters, at, strict=True))}
            )
        return self.table(node.array, tuple(part.value for part in at))

    def table(self, name: str, at: tuple[Axed, ...]) -> Dual:
        table = self.tables[name]
        lead = (BATCH,) if table.value.ndim > len(at) else ()
        if self.reach is not None:
            self.reach.read(self, name, at, table.value.shape[len(lead) :])
        hole = 0.0 if self.lenient and not all(map(plain, at)) else np.nan
        value = arrays.cells(self.axes, table.value, lead, at, hole)
        if table.slope is None:
            return Dual(value)
        return Dual(value, arrays.cells(self.axes, table.slope, (BATCH, DIRECTION), at, 0.0))

    def _applied(self, node: Apply, parts: list[Dual]) -> Dual:
        function = node.function
        if function in calculus.SMOOTH:
            of, slope = calculus.SMOOTH[function]
            return self.through(of, parts, [self._if_needed(slope, parts[0])])
        if function in calculus.KINKED:
            of, left, right = calculus.KINKED[function]
            self.bordering(parts[0].value, node.arguments[0])
            return self.through(of, parts, [sides.slope(self, parts[0], left, right)])
        if function in calculus.STEPS:
            if function == "sign":
                self.bordering(parts[0].value, node.arguments[0])
            return Dual(sides.step(self, parts[0], calculus.STEPS[function]))
        if function == "~slope":
            return Dual(parts[1].value, parts[0].slope)  # of a slip: the value stays
        if function == "kron":
            values = [part.value for part in parts]
            return Dual(self.together(lambda a, b: (a == b) * 1.0, *values))
        if function in ("max", "min"):
            self._bordering_each(parts, node.arguments)
            return self.running.best_of(function, parts)
        raise OffsetError(f"'{function}' has no meaning here.", "write it out", node.at)

    def bordering(
        self, off: Axed, left: Node, right: Node | None = None, equal: bool = False
    ) -> None:
        """Note how far a choice is from its border, which is where `left` equals `right`."""
        if self.borders is not None and BATCH in off.axes:
            self.borders.note(off.data, left, right, equal)

    def _bordering_each(self, parts: list[Dual], nodes: tuple[Node, ...]) -> None:
        if self.borders is None:
            return
        for one, other in combinations(range(len(parts)), 2):
            off = self.together(np.subtract, parts[one].value, parts[other].value)
            self.bordering(off, nodes[one], nodes[other])

    def _if_needed(self, slope: Callable[[Array], Array], part: Dual) -> Axed | float:
        return 0.0 if part.slope is None else self.together(slope, part.value)

    def moving(self, slope: Axed) -> Axed:
        """Where a slope is not 0 in every direction."""
        at = slope.axes.index(DIRECTION)
        return Axed((slope.data != 0).any(axis=at), tuple(a for a in slope.axes if a != DIRECTION))

    def _arithmetic(self, node: Arithmetic, scope: Scope) -> Dual:
        parts = [self.dual(node.left, scope), self.dual(node.right, scope)]
        (one, two), union = self.axes.aligned(*(part.value for part in parts))
        if node.op == "^":
            one = np.asarray(one, dtype=np.float64)
        function = calculus.ARITHMETIC[node.op]
        value = self._rounded(function, (one, two), np.asarray(function(one, two)))
        # [false] * undefined is 0, as is [false] / undefined.
        guards = [undefined.guards(part, self.definitions) for part in (node.left, node.right)]
        if node.op in ("*", "/") and guards[0]:
            value = np.where(one == 0, 0.0, value)
        if node.op == "*" and guards[1]:
            value = np.where(two == 0, 0.0, value)
        found = Axed(np.asarray(value), union)
        if all(part.slope is None for part in parts):
            return Dual(found)
        if node.op in ("//", "%"):
            raise OffsetError(f"'{node.op}' has no derivative.", "use it for indices only", node.at)
        partials = [
            Axed(self._rounded(calculus.partials, (one, two), p), union if p.ndim else ())
            for p in calculus.partials(node.op, one, two, found.data)
        ]
        partials = [arrays.widened(p, union, found.data.shape) for p in partials]
        return Dual(found, self.chained(parts, partials, any(guards)))

    def _choice(self, truth: Axed, then: Node, otherwise: Node, scope: Scope) -> Dual:
        one, two = self.dual(then, scope), self.dual(otherwise, scope)
        value = self.together(np.where, truth, one.value, two.value)
        if one.slope is None and two.slope is None:
            return Dual(value)
        slopes = [part.slope or constant(0.0) for part in (one, two)]
        return Dual(value, self.together(np.where, truth, *slopes))
