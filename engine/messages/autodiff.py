"""A formula evaluated with its slopes, kinks and rounding errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial, reduce
from itertools import accumulate, combinations
from typing import Any, ClassVar, Final

import numpy as np

from engine.formula import tree as t
from engine.formula.axes import (
    ARITHMETIC,
    BATCH,
    DIRECTION,
    RELATIONS,
    Array,
    Axed,
    Axes,
    Truth,
    both,
    cells,
    constant,
    either,
    flattened,
    hidden,
    negated,
    picked,
    possibly,
    truth_of,
    unknown_of,
    widened,
    with_fallback,
)
from engine.formula.slopes import PARTIALS
from engine.formula.tree import OffsetError
from engine.messages.borders import Borders
from engine.messages.dual import (
    KINKED,
    SMOOTH,
    STEPS,
    BranchChoice,
    Dual,
    DualArray,
    Function,
    Rounding,
    Scope,
    guarded_product,
    hidden_by_zero,
    partial_derivatives,
    size_of_product,
)
from engine.messages.special import DETERMINANTS, OF_SEVERAL

# -- Terms of a sum whose index leaves its array's range: in print they count as 0.
#
# The convolution gradient sum_{a,b} delta[i-a,j-b] W[a,b] is written so in every textbook.  Only
# a shifted index says that: a plain one which runs too far, as in W[j,k] for W[k,j], is a
# mistake.


class OmittedTerms:
    """Where terms were left out, while an answer is evaluated."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        """Arrays that some term of a sum reads beyond their range."""
        self._terms: list[list[tuple[str, Axed]]] = []

    def read(self, on: Duals, name: str, at: tuple[Axed, ...], shape: tuple[int, ...]) -> None:
        """Take down where a term that is being evaluated reads `name` out of its range."""
        if not self._terms:
            return
        for place, size in zip(at, shape, strict=True):
            if not plain(place):
                outside = on.together(lambda v, s=size: (v < 0) | (v >= s), place)
                if outside.data.any():
                    self._terms[-1].append((name, outside))

    def term(self, on: Duals, body: t.Node, scope: Scope, counts: Axed) -> Dual:
        """The term of a sum: 0 where it is undefined because an index left its range."""
        self._terms.append([])
        inner = len(on.axes.sizes)  # the first of the axes that run within the term alone
        found = on.dual(body, scope)
        value = found.value
        for name, outside in self._terms.pop():
            kept = tuple(axis for axis in outside.axes if axis < inner)
            within = tuple(range(len(kept), outside.data.ndim))
            outside = Axed(np.asarray(outside.data.any(axis=within)), kept)
            gone = on.together(lambda v, o: np.isnan(v) & o, value, outside)
            if on.together(np.logical_and, gone, counts).data.any():
                self.names.add(name)
            value = on.together(lambda v, g: np.where(g, 0.0, v), value, gone)
        return Dual(value, found.slope)


def plain(index: Axed) -> bool:
    """Whether it is an index by itself, which counts from 0."""
    data = index.data
    return len(index.axes) == 1 and bool((data == np.arange(data.shape[0])).all())


# -- The tree of a formula to values and slopes at once: forward-mode differentiation, batched.


#: What the arguments of a function are called in its derivatives.
_ARGUMENTS: Final = ("~a", "~b", "~c")


@cache
def _partials(function: str, count: int) -> tuple[t.Node, ...]:
    return PARTIALS[function](*map(t.Name, _ARGUMENTS[:count]))


#
# A dual is a number with its derivatives by every entry of one input, along the axis DIRECTION:
# after one evaluation the slope of y is the whole Jacobian dy/dx, exact up to rounding. (Wengert,
# "A simple automatic derivative evaluation program", 1964.)


class Duals:
    """Evaluates trees over tables.  `ranges` gives the size that an index letter counts to."""

    def __init__(
        self,
        axes: Axes,
        tables: Mapping[str, DualArray],
        extent: Callable[[str, t.Reduce], int],
        definitions: tuple[t.Definition, ...] = (),
        kinks: BranchChoice | None = None,
        sizes: bool = False,
        reach: OmittedTerms | None = None,
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
        self._product = size_of_product if sizes else guarded_product
        self.places: Picks = Picks(self)
        self.running: Running = Running(self)

    # Values and slopes, node by node.

    def dual(self, node: t.Node, scope: Scope) -> Dual:
        match node:
            case t.Number(value):
                return Dual(constant(value))
            case t.Name(name):
                return self._name(name, scope)
            case t.Cell():
                return self._cell(node, scope)
            case t.Apply("entry", (t.Reduce("inv") as matrix, *indices)):
                return self.running.inverse(matrix, tuple(indices), scope)
            case t.Apply(_, arguments):
                return self._applied(node, [self.dual(part, scope) for part in arguments])
            case t.Arithmetic():
                return self._arithmetic(node, scope)
            case t.Negative(operand):
                part = self.dual(operand, scope)
                return replace(self.through(np.negative, [part], [-1.0]), off=part.off)
            case t.Indicator(condition):
                truth = self.places.condition(condition, scope)
                ones = Axed(truth.holds.data.astype(np.float64), truth.holds.axes)
                off = negated(self.together, truth).holds
                return Dual(hidden(self.together, ones, truth), None, off)
            case t.Choice(condition, then, otherwise):
                return self._choice(self.places.condition(condition, scope), then, otherwise, scope)
            case t.Over() | t.Reduce():
                return self.running.reduced(node, scope)
        raise AssertionError(node)

    def number(self, node: t.Node, scope: Scope) -> Axed:
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
        for part, by in zip(parts, partials, strict=True):
            if part.slope is None:
                continue
            factor = by if isinstance(by, Axed) else constant(by)
            if self.hidden is not None and not guarded:
                self.hidden += hidden_by_zero(self.together, factor, part.slope)
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

    def _cell(self, node: t.Cell, scope: Scope) -> Dual:
        definition = self.definitions.get(node.array)
        at = self.places.indices(node.indices, scope)
        if definition is not None:
            inner = {**scope, **dict(zip(definition.parameters, at, strict=True))}
            if len(definition.names) == 2:
                return self.places.pair(definition.body, inner)[definition.names.index(node.array)]
            return self.dual(definition.body, inner)
        return self.table(node.array, tuple(part.value for part in at))

    def table(self, name: str, at: tuple[Axed, ...]) -> Dual:
        table = self.tables[name]
        lead = (BATCH,) if table.value.ndim > len(at) else ()
        if self.reach is not None:
            self.reach.read(self, name, at, table.value.shape[len(lead) :])
        hole = 0.0 if self.lenient and not all(map(plain, at)) else np.nan
        value = cells(self.axes, table.value, lead, at, hole)
        if table.slope is None:
            return Dual(value)
        return Dual(value, cells(self.axes, table.slope, (BATCH, DIRECTION), at, 0.0))

    def _applied(self, node: t.Apply, parts: list[Dual]) -> Dual:
        function = node.function
        if function in SMOOTH:
            of, slope = SMOOTH[function]
            return self.through(of, parts, [self._if_needed(slope, parts[0])])
        if function in OF_SEVERAL:
            at = {name: Dual(part.value) for name, part in zip(_ARGUMENTS, parts, strict=False)}
            partials = [
                self.number(slope, at) if part.slope is not None else 0.0
                for slope, part in zip(_partials(function, len(parts)), parts, strict=True)
            ]
            return self.through(OF_SEVERAL[function], parts, partials)
        if function in KINKED:
            of, left, right = KINKED[function]
            self.bordering(parts[0].value, node.arguments[0])
            return self.through(of, parts, [one_sided_slope(self, parts[0], left, right)])
        if function in STEPS:
            if function == "sign":
                self.bordering(parts[0].value, node.arguments[0])
            return Dual(step(self, parts[0], STEPS[function]))
        if function == "~slope":
            return Dual(parts[1].value, parts[0].slope)  # of a slip: the value stays
        if function == "kron":
            values = [part.value for part in parts]
            return Dual(
                self.together(lambda a, b: np.where(np.isnan(a + b), np.nan, a == b), *values)
            )
        if function in ("max", "min"):
            self._bordering_each(parts, node.arguments)
            return self.running.best_of(function, parts)
        raise OffsetError(f"'{function}' has no meaning here.", "write it out", node.at)

    def bordering(
        self, off: Axed, left: t.Node, right: t.Node | None = None, equal: bool = False
    ) -> None:
        """Note how far a choice is from its border, which is where `left` equals `right`."""
        if self.borders is not None and BATCH in off.axes:
            self.borders.note(off.data, left, right, equal)

    def _bordering_each(self, parts: list[Dual], nodes: tuple[t.Node, ...]) -> None:
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

    def _arithmetic(self, node: t.Arithmetic, scope: Scope) -> Dual:
        parts = [self.dual(node.left, scope), self.dual(node.right, scope)]
        (one, two), union = self.axes.aligned(*(part.value for part in parts))
        if node.op == "^":
            one = np.asarray(one, dtype=np.float64)
        function = ARITHMETIC[node.op]
        value = self._rounded(function, (one, two), np.asarray(function(one, two)))
        off = self._off(node.op, parts)
        if off is not None and not np.isfinite(value).all():
            value = np.where(self.axes.full(off, union).data, 0.0, value)
        found = Axed(np.asarray(value), union)
        if all(part.slope is None for part in parts):
            return Dual(found, None, off)
        if node.op in ("//", "%"):
            raise OffsetError(f"'{node.op}' has no derivative.", "use it for indices only", node.at)
        partials = [
            Axed(self._rounded(partial_derivatives, (one, two), p), union if p.ndim else ())
            for p in partial_derivatives(node.op, one, two, found.data)
        ]
        partials = [widened(p, union, found.data.shape) for p in partials]
        guarded = any(part.off is not None for part in parts)
        return Dual(found, self.chained(parts, partials, guarded), off)

    def _off(self, op: str, parts: Sequence[Dual]) -> Axed | None:
        """Where a product is 0, whatever its other factors are: [false] * undefined is 0.

        So is [false] / undefined.
        """
        factors = parts[: {"*": 2, "/": 1}.get(op, 0)]
        masks = [part.off for part in factors if part.off is not None]
        return reduce(partial(self.together, np.logical_or), masks) if masks else None

    def _choice(self, truth: Truth, then: t.Node, otherwise: t.Node, scope: Scope) -> Dual:
        one, two = self.dual(then, scope), self.dual(otherwise, scope)
        value = self._chosen(truth, one.value, two.value)
        if one.slope is None and two.slope is None:
            return Dual(value)
        slopes = [part.slope or constant(0.0) for part in (one, two)]
        return Dual(value, self._chosen(truth, *slopes))

    def _chosen(self, truth: Truth, one: Axed, two: Axed) -> Axed:
        """One where the condition holds, else two; undefined where nobody knows and they differ."""
        found = self.together(np.where, truth.holds, one, two)
        if truth.unknown is None:
            return found
        return self.together(
            lambda v, a, b, gap: np.where(gap & (a != b), np.nan, v), found, one, two, truth.unknown
        )


# -- Comparisons, kinks and jumps: where the two sides are equal, either may be taken.


def one_sided_slope(on: Duals, part: Dual, left: float, right: float) -> Axed | float:
    """The slope of a function with a kink at 0."""
    if part.slope is None:
        return 0.0
    above = on.together(lambda a: (a > 0).astype(np.intp), part.value)
    alike = on.together(lambda a, m: (a == 0) & m, part.value, on.moving(part.slope))
    taken = _either(on, above, alike)
    return on.together(lambda side: np.where(side == 1, right, left), taken)


def step(on: Duals, part: Dual, sides: tuple[Function, ...]) -> Axed:
    """A function that jumps: where it does, its value on either side may be taken."""
    values = [on.together(side, part.value) for side in sides]
    if part.slope is None or on.kinks is None:
        return values[1]
    moving = on.moving(part.slope)
    axes = tuple(sorted({*part.value.axes, *moving.axes}))
    moves = on.axes.full(moving, axes).data
    laid = [on.axes.full(value, axes).data for value in values]
    alike = np.stack([(one != laid[1]) & moves for one in laid], axis=-1)
    alike[..., 1] = True
    taken = on.pick(Axed(alike, axes), Axed(np.ones(moves.shape, dtype=np.intp), axes))
    return picked(on.axes, np.stack(laid, axis=-1), axes, taken)


def compared(on: Duals, ends: tuple[t.Node, t.Node], left: Dual, op: str, right: Dual) -> Truth:
    """The truth of a comparison of two nodes; where it hangs in the balance, either."""
    values = left.value, right.value
    truth = on.tied(*values, on.together(RELATIONS[op], *values))
    unknown = unknown_of(on.together, *values)
    if on.borders is not None and (on.borders.equalities or op not in ("==", "!=")):
        off = on.together(np.subtract, *values)
        on.bordering(off, *ends, op in ("==", "!="))
    apart = None if on.kinks is None else on.chained([left, right], [1.0, -1.0])
    if apart is None:
        return Truth(truth, unknown)
    alike = on.together(lambda a, b, m: (a == b) & m, *values, on.moving(apart))
    taken = _either(on, Axed(truth.data.astype(np.intp), truth.axes), alike)
    return Truth(Axed(taken.data == 1, taken.axes), unknown)


def _either(on: Duals, usual: Axed, alike: Axed) -> Axed:
    index = on.axes.full(usual, alike.axes)
    return on.pick(with_fallback(on.axes.full(alike, index.axes), index), index)


# -- Conditions, pairs and indices: the part of a formula that picks.


_LOW: Final = ("min", "argmin")


class Picks:
    def __init__(self, duals: Duals) -> None:
        self._on = duals

    # Conditions.

    def condition(self, node: t.Node, scope: Scope) -> Truth:
        match node:
            case t.Comparison(ops, operands):
                steps = zip(operands, ops, operands[1:], strict=False)
                return self.all([self._compared(*step, scope) for step in steps])
            case t.Logic(op, parts):
                truths = [self.condition(part, scope) for part in parts]
                return self.all(truths) if op == "and" else self._any(truths)
            case t.Not(operand):
                return negated(self._on.together, self.condition(operand, scope))
            case t.Name() | t.Cell():
                body, inner = self.unfolded(node, scope)
                return self.condition(body, inner)
        raise AssertionError(node)

    def all(self, truths: Iterable[Truth]) -> Truth:
        return reduce(partial(both, self._on.together), truths)

    def _any(self, truths: Iterable[Truth]) -> Truth:
        return reduce(partial(either, self._on.together), truths)

    def _compared(self, left: t.Node, op: str, right: t.Node, scope: Scope) -> Truth:
        if op in ("in", "not in"):
            found = self.member(left, right, scope)
        elif self.is_pair(left) or self.is_pair(right):
            pairs = zip(self.pair(left, scope), self.pair(right, scope), strict=True)
            found = self.all(self.equal(one.value, two.value) for one, two in pairs)
        else:
            ends = self._on.dual(left, scope), self._on.dual(right, scope)
            return compared(self._on, (left, right), ends[0], op, ends[1])
        return found if op in ("in", "==") else negated(self._on.together, found)

    def equal(self, one: Axed, two: Axed) -> Truth:
        return truth_of(self._on.together, np.equal, one, two)

    def member(self, left: t.Node, right: t.Node, scope: Scope) -> Truth:
        """Where a place, or a number, belongs to a set."""
        at = self.pair(left, scope) if self.is_pair(left) else (self._on.dual(left, scope),)
        return self.holds(tuple(one.value for one in at), *self.unfolded(right, scope))

    def holds(self, at: tuple[Axed, ...], domain: t.Node, scope: Scope) -> Truth:
        """Where the place `at`, or the one number, belongs to a set."""
        if isinstance(domain, t.Range):
            ends = [self._on.number(node, scope) for node in (domain.start, domain.stop)]
            return truth_of(self._on.together, lambda v, a, b: (v >= a) & (v < b), at[0], *ends)
        assert isinstance(domain, t.Reduce)
        return self._shares(at, domain, scope)

    def _shares(self, at: tuple[Axed, ...], domain: t.Reduce, scope: Scope) -> Truth:
        """j in argmax(z[m] for m): whether z[j] is as large as the largest."""
        best = replace(domain, kind="min" if domain.kind in _LOW else "max")
        inner = {**scope, **dict(zip(domain.names, map(Dual, at), strict=True))}
        own, most = self._on.number(domain.body, inner), self._on.number(best, scope)
        return self.all([self.equal(own, most), *self.tests(domain, inner, scope)])

    # Pairs.

    def unfolded(self, node: t.Node, scope: Scope) -> tuple[t.Node, Scope]:
        """What a name of the learner's stands for, with its parameters bound."""
        definitions = self._on.definitions
        while isinstance(node, t.Name | t.Cell):
            name = t.name_of(node)
            definition = definitions.get(name)
            if definition is None or len(definition.names) == 2:
                return node, scope
            if isinstance(node, t.Cell):
                at = self.indices(node.indices, scope)
                scope = {**scope, **dict(zip(definition.parameters, at, strict=True))}
            node = definition.body
        return node, scope

    def is_pair(self, node: t.Node) -> bool:
        found, _ = self.unfolded(node, {}) if isinstance(node, t.Name) else (node, {})
        if isinstance(found, t.Cell) and found.array in self._on.definitions:
            definition = self._on.definitions[found.array]
            return len(definition.names) == 1 and self.is_pair(definition.body)
        return isinstance(found, t.Pair) or (
            isinstance(found, t.Reduce)
            and found.kind in ("argmax", "argmin")
            and len(found.names) == 2
        )

    def pair(self, node: t.Node, scope: Scope) -> tuple[Dual, ...]:
        body, inner = self.unfolded(node, scope)
        if isinstance(body, t.Pair):
            return tuple(self._on.dual(item, inner) for item in body.items)
        assert isinstance(body, t.Reduce)
        return self._on.running.place(body, inner)

    def indices(self, nodes: tuple[t.Node, ...], scope: Scope) -> tuple[Dual, ...]:
        if len(nodes) == 1 and self.is_pair(nodes[0]):
            return self.pair(nodes[0], scope)
        return tuple(self._on.dual(node, scope) for node in nodes)

    def tests(self, node: t.Reduce, inner: Scope, outer: Scope) -> Iterator[Truth]:
        """The conditions on what a sum binds: its sets, and what stands behind its "if"."""
        for binder in node.binders:
            if binder.domain is not None:
                at = tuple(inner[name].value for name in binder.names)
                yield self.holds(at, *self.unfolded(binder.domain, outer))
            outer = {**outer, **{name: inner[name] for name in binder.names}}
        if node.condition is not None:
            yield self.condition(node.condition, inner)


def _times(rounding: Rounding, one: Array, two: Array) -> Array:
    return rounding.of(np.multiply, (one, two), np.asarray(one * two))


# -- What runs over indices: sums, means, largest and smallest, and where these are.


class Running:
    longest: ClassVar[int] = 64
    """So many numbers a written range has at most."""

    def __init__(self, duals: Duals) -> None:
        self._on = duals

    def reduced(self, node: t.Node, scope: Scope) -> Dual:
        """A sum, mean, max, min or count; argmax over one index as the number it is."""
        if isinstance(node, t.Over):
            return self.over_whole(node, scope)
        assert isinstance(node, t.Reduce)
        if node.kind == "inv":
            raise OffsetError("A matrix is no number.", "write an entry of it", node.at)
        if node.kind in ("argmax", "argmin"):
            return self.place(node, scope)[0]
        inner, _, running = self.bound(node, scope)
        truth = self._where(node, inner, scope)
        if node.kind == "count":
            truth = both(self._on.together, truth, self._on.places.condition(node.body, inner))
            body = Dual(constant(1.0))
        elif node.kind == "sum" and self._on.reach is not None:
            body = self._on.reach.term(self._on, node.body, inner, truth.holds)
        else:
            body = self._on.dual(node.body, inner)
        # What may count but cannot be said to makes the whole undefined.
        body = Dual(hidden(self._on.together, body.value, truth), body.slope)
        counts = possibly(self._on.together, truth)
        if node.kind in ("sum", "mean", "count"):
            return self._summed(node.kind, body, counts, running)
        if node.kind == "prod":
            return self._multiplied(body, counts, running)
        if node.kind in t.OF_MATRICES:
            return self._determinant(node, body, running)
        return self.best(node.kind, body, counts, running)

    def _where(self, node: t.Reduce, inner: Scope, outer: Scope) -> Truth:
        """Where the indices that are bound count."""
        return self._on.places.all(
            [Truth(constant(True)), *self._on.places.tests(node, inner, outer)]
        )

    def _summed(self, kind: str, body: Dual, counts: Axed, running: tuple[int, ...]) -> Dual:
        on = self._on

        def total(part: Axed) -> Axed:
            masked = on.together(lambda c, v: np.where(c, v, 0.0), counts, part)
            data, kept = flattened(on.axes, masked, running)
            rounding = on.rounding
            return Axed(data.sum(-1) if rounding is None else rounding.total(data), kept)

        value = total(body.value)
        slope = total(body.slope) if body.slope is not None else None
        if kind == "mean":
            data, kept = flattened(on.axes, counts, running)
            number = Axed(np.where(data.any(-1), data.sum(-1), np.nan), kept)
            value = on.together(np.divide, value, number)
            slope = on.together(np.divide, slope, number) if slope is not None else None
        return Dual(value, slope)

    def _multiplied(self, body: Dual, counts: Axed, running: tuple[int, ...]) -> Dual:
        """A product over indices; its slope by a factor is the product of all others."""
        on = self._on
        masked = on.together(lambda c, v: np.where(c, v, 1.0), counts, body.value)
        data, kept = flattened(on.axes, masked, running)
        times = np.multiply if on.rounding is None else partial(_times, on.rounding)
        before = list(accumulate(np.moveaxis(data, -1, 0), times, initial=np.ones(data.shape[:-1])))
        value = Axed(before.pop(), kept)
        if body.slope is None:
            return Dual(value)
        behind = np.ones(data.shape[:-1])
        others = np.empty(data.shape)
        for n in reversed(range(len(before))):
            others[..., n] = times(before[n], behind)
            behind = times(behind, data[..., n])
        return Dual(value, self._chained(body.slope, counts, others, kept, running))

    def _chained(
        self,
        slope: Axed,
        counts: Axed,
        partials: Array,
        kept: tuple[int, ...],
        running: tuple[int, ...],
    ) -> Axed:
        """The sum, over what runs, of partials times slopes; `partials` is over `kept` and that."""
        on = self._on
        shape = [on.axes.sizes[axis] for axis in (*kept, *running)]
        order = np.argsort((*kept, *running))
        every = Axed(partials.reshape(shape).transpose(order), tuple(sorted((*kept, *running))))
        moved = on.chained([Dual(every, slope)], [every])
        assert moved is not None
        return self._summed("sum", Dual(moved), counts, running).value

    def _determinant(self, node: t.Reduce, body: Dual, running: tuple[int, ...]) -> Dual:
        """det, or logdet, of a matrix that is given by its entry."""
        on = self._on
        rows, columns = (on.axes.sizes[axis] for axis in running)
        if rows != columns or node.condition is not None:
            said = f"{node.kind} is of a square matrix; this one is {rows}x{columns}."
            raise OffsetError(said, "check its indices", node.at)
        data, kept = flattened(on.axes, body.value, running)
        matrices = data.reshape(*data.shape[:-1], rows, columns)
        if on.rounding is not None:
            matrices = on.rounding.matrices(matrices)
        known = np.asarray(np.isfinite(matrices).all(axis=(-1, -2)))
        safe = np.where(known[..., None, None], matrices, np.eye(rows))
        of, slope = DETERMINANTS[node.kind]
        value = Axed(np.where(known, of(safe), np.nan), kept)
        if body.slope is None:
            return Dual(value)
        partials = np.where(known[..., None, None], slope(safe), np.nan).reshape(data.shape)
        return Dual(value, self._chained(body.slope, constant(True), partials, kept, running))

    def best(self, kind: str, body: Dual, counts: Axed, running: tuple[int, ...]) -> Dual:
        on = self._on
        usual, values, kept = self.first(kind, body.value, counts, running)
        if body.slope is None:
            return Dual(picked(on.axes, values, kept, usual))
        slopes, wide = flattened(on.axes, body.slope, running)
        taken = self._chosen(usual, values, (slopes, wide))
        return Dual(picked(on.axes, values, kept, taken), picked(on.axes, slopes, wide, taken))

    def first(
        self, kind: str, value: Axed, counts: Axed, running: tuple[int, ...]
    ) -> tuple[Axed, Array, tuple[int, ...]]:
        """The first best place along the running axes, and the values; NaN where none counts."""
        on = self._on
        masked = on.together(lambda c, v: np.where(c, v, np.nan), counts, value)
        data, kept = flattened(on.axes, masked, running)
        worst = np.inf if kind in _LOW else -np.inf
        known = np.where(np.isnan(data), worst, data)
        ahead = known.argmin(-1) if kind in _LOW else known.argmax(-1)
        return Axed(np.asarray(ahead), kept), data, kept

    def _chosen(self, usual: Axed, values: Array, slopes: tuple[Array, tuple[int, ...]]) -> Axed:
        """Among places of the same value but another slope, the one that is to be taken."""
        on = self._on
        if on.kinks is None:
            return usual
        data, wide = slopes
        mine = picked(on.axes, data, wide, usual)
        at = wide.index(DIRECTION)
        both = tuple(a for a in wide if a != DIRECTION)
        first = on.axes.full(mine, wide).data
        other = (data != first[..., None]).any(axis=at)
        union = tuple(sorted({*both, *usual.axes}))
        best = np.take_along_axis(values, usual.data[..., None], -1)
        alike = (values == best) & _over(on, other, both, usual.axes)
        own = np.arange(values.shape[-1]) == usual.data[..., None]
        index = on.axes.full(usual, union)
        options = np.broadcast_to(alike | own, (*index.data.shape, values.shape[-1]))
        return on.pick(Axed(options, index.axes), index)

    def best_of(self, function: str, parts: list[Dual]) -> Dual:
        """max(a, b, ...) and min(a, b, ...): as over an index that counts the arguments."""
        on = self._on
        index = on.axes.new(len(parts))
        value = self._stacked([part.value for part in parts], index)
        slope = None
        if any(part.slope is not None for part in parts):
            slope = self._stacked([part.slope or constant(0.0) for part in parts], index)
        return self.best(function, Dual(value, slope), constant(True), index.axes)

    def _stacked(self, parts: list[Axed], index: Axed) -> Axed:
        data, union = self._on.axes.aligned(*parts)
        shape = tuple(self._on.axes.sizes[axis] for axis in union)
        return Axed(
            np.stack([np.broadcast_to(d, shape) for d in data], axis=-1), (*union, *index.axes)
        )

    def place(self, node: t.Reduce, scope: Scope) -> tuple[Dual, ...]:
        """The first best place, by the indices in the order in which they are named."""
        on = self._on
        inner, bound, running = self.bound(node, scope)
        truth = self._where(node, inner, scope)
        body = on.dual(node.body, inner)
        value = hidden(on.together, body.value, truth)
        usual, values, kept = self.first(node.kind, value, possibly(on.together, truth), running)
        taken = usual
        if body.slope is not None:
            taken = self._chosen(usual, values, flattened(on.axes, body.slope, running))
        best = picked(on.axes, values, kept, taken).data
        undefined = np.where(np.isnan(best), np.nan, 0.0)
        steps = np.unravel_index(taken.data, [on.axes.sizes[axis] for axis in running])
        found = []
        for index, axis, step in zip(bound, running, steps, strict=True):
            if index.axes == (axis,):
                place = index.data[step]
            else:
                whole = on.axes.full(index, (*taken.axes, *running))
                laid, over = flattened(on.axes, whole, running)
                place = picked(on.axes, laid, over, taken).data
            found.append(Dual(Axed(place + undefined, taken.axes)))
        return tuple(found)

    def inverse(self, node: t.Reduce, indices: tuple[t.Node, ...], scope: Scope) -> Dual:
        """An entry of the inverse of a matrix; undefined where it has none.

        Its slope is -A^(-1) dA A^(-1).  (Petersen and Pedersen, "The matrix cookbook", eq. 59.)
        """
        on = self._on
        at = tuple(on.number(index, scope) for index in indices)
        inner, _, running = self.bound(node, scope)
        size, width = (on.axes.sizes[axis] for axis in running)
        if size != width:
            raise OffsetError(
                "This matrix is not square.", "check what its indices run over", node.at
            )
        body = on.dual(node.body, inner)
        data, kept = flattened(on.axes, body.value, running)
        matrix = data.reshape(*data.shape[:-1], size, size)
        found = inverted(matrix if on.rounding is None else on.rounding.nudged(matrix))
        value = cells(on.axes, found, kept, at, np.nan)
        if body.slope is None:
            return Dual(value)
        data, wide = flattened(on.axes, body.slope, running)
        change = data.reshape(*data.shape[:-1], size, size)
        sides = on.axes.full(Axed(found, (*kept, *running)), (*wide, *running)).data
        return Dual(value, cells(on.axes, -sides @ change @ sides, wide, at, 0.0))

    def over_whole(self, node: t.Over, scope: Scope) -> Dual:  # noqa: ARG002
        """max(z): over all entries of an array."""
        on = self._on
        assert isinstance(node.region, t.Name)
        table = on.tables[node.region.name]
        index = [on.axes.new(size) for size in table.value.shape[1:]]
        body = on.table(node.region.name, tuple(index))
        running = tuple(axis for one in index for axis in one.axes)
        if node.kind in ("sum", "mean"):
            return self._summed(node.kind, body, constant(True), running)
        if node.kind in ("argmax", "argmin"):
            usual, _, _ = self.first(node.kind, body.value, constant(True), running)
            return Dual(Axed(usual.data.astype(np.float64), usual.axes))
        return self.best(node.kind, body, constant(True), running)

    def bound(
        self, node: t.Reduce, scope: Scope
    ) -> tuple[dict[str, Dual], list[Axed], tuple[int, ...]]:
        """What a sum binds, with its new axes: the scope inside, each index, and its axis."""
        inner = dict(scope)
        found: list[Axed] = []
        running: list[int] = []
        for binder in node.binders:
            domain, at = None, scope
            if binder.domain is not None:
                domain, at = self._on.places.unfolded(binder.domain, inner)
            for place, name in enumerate(binder.names):
                index, axis = self.index(name, place, node, domain, at)
                inner = {**inner, name: Dual(index)}
                found.append(index)
                running.append(axis)
        return inner, found, tuple(running)

    def index(
        self, name: str, place: int, node: t.Reduce, domain: t.Node | None, scope: Scope
    ) -> tuple[Axed, int]:
        """A bound index, the one at `place` of a domain, and the new axis along which it runs."""
        del place
        if domain is None:
            index = self._on.axes.new(self._on.extent(name, node))
        else:
            assert isinstance(domain, t.Range)
            index = self._ranged(domain, scope)
        return index, index.axes[0]

    def _ranged(self, domain: t.Range, scope: Scope) -> Axed:
        on = self._on
        low = np.ceil(np.nanmin(on.number(domain.start, scope).data, initial=np.inf))
        high = np.ceil(np.nanmax(on.number(domain.stop, scope).data, initial=-np.inf))
        size = high - low
        if size > self.longest:
            raise OffsetError(
                "This range is too long.", f"at most {self.longest} numbers", domain.at
            )
        if not size >= 1 or not np.isfinite(low):
            return on.axes.new(1)
        return on.axes.new(int(size), int(low))


def inverted(matrices: Array) -> Array:
    """(..., N, N): the inverse of each; NaN where there is none."""
    one = np.eye(matrices.shape[-1])
    finite = np.isfinite(matrices).all(axis=(-2, -1), keepdims=True)
    known = np.where(finite, matrices, one)
    sizes = np.linalg.svd(known, compute_uv=False)[..., None]
    least = np.finfo(np.float64).eps * len(one) * sizes[..., :1, :]
    regular = finite & (sizes[..., -1:, :] > least)
    return np.where(regular, np.linalg.inv(np.where(regular, known, one)), np.nan)


def _over(on: Duals, data: Array, have: tuple[int, ...], want: tuple[int, ...]) -> Array:
    """`data` over `have` and one last axis, made to broadcast against an array over `want`."""
    kept = tuple(a for a in have if a in want)
    if kept != have:
        data = np.asarray(data.any(axis=tuple(n for n, a in enumerate(have) if a not in want)))
    shape = [on.axes.sizes[a] if a in kept else 1 for a in want]
    return data.reshape(*shape, data.shape[-1])
