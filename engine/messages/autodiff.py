"""A formula evaluated with its slopes, kinks and rounding errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial, reduce
from itertools import combinations
from typing import Any, Final

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
    cells,
    constant,
    flattened,
    picked,
    widened,
    with_fallback,
)
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
    zero_guards,
)

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
        self.places = Picks(self)
        self.running = Running(self)

    # Values and slopes, node by node.

    def dual(self, node: t.Node, scope: Scope) -> Dual:
        match node:
            case t.Number(value):
                return Dual(constant(value))
            case t.Name(name):
                return self._name(name, scope)
            case t.Cell():
                return self._cell(node, scope)
            case t.Apply(_, arguments):
                return self._applied(node, [self.dual(part, scope) for part in arguments])
            case t.Arithmetic():
                return self._arithmetic(node, scope)
            case t.Negative(operand):
                return self.through(np.negative, [self.dual(operand, scope)], [-1.0])
            case t.Indicator(condition):
                truth = self.places.condition(condition, scope)
                return Dual(Axed(truth.data.astype(np.float64), truth.axes))
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
        value = cells(self.axes, table.value, lead, at, hole)
        if table.slope is None:
            return Dual(value)
        return Dual(value, cells(self.axes, table.slope, (BATCH, DIRECTION), at, 0.0))

    def _applied(self, node: t.Apply, parts: list[Dual]) -> Dual:
        function = node.function
        if function in SMOOTH:
            of, slope = SMOOTH[function]
            return self.through(of, parts, [self._if_needed(slope, parts[0])])
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
            return Dual(self.together(lambda a, b: (a == b) * 1.0, *values))
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
        # [false] * undefined is 0, as is [false] / undefined.
        guards = [zero_guards(part, self.definitions) for part in (node.left, node.right)]
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
            Axed(self._rounded(partial_derivatives, (one, two), p), union if p.ndim else ())
            for p in partial_derivatives(node.op, one, two, found.data)
        ]
        partials = [widened(p, union, found.data.shape) for p in partials]
        return Dual(found, self.chained(parts, partials, any(guards)))

    def _choice(self, truth: Axed, then: t.Node, otherwise: t.Node, scope: Scope) -> Dual:
        one, two = self.dual(then, scope), self.dual(otherwise, scope)
        value = self.together(np.where, truth, one.value, two.value)
        if one.slope is None and two.slope is None:
            return Dual(value)
        slopes = [part.slope or constant(0.0) for part in (one, two)]
        return Dual(value, self.together(np.where, truth, *slopes))


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


def compared(on: Duals, ends: tuple[t.Node, t.Node], left: Dual, op: str, right: Dual) -> Axed:
    """The truth of a comparison of two nodes; where it hangs in the balance, either."""
    truth = on.together(RELATIONS[op], left.value, right.value)
    truth = on.tied(left.value, right.value, truth)
    if on.borders is not None and (on.borders.equalities or op not in ("==", "!=")):
        off = on.together(np.subtract, left.value, right.value)
        on.bordering(off, *ends, op in ("==", "!="))
    if on.kinks is None:
        return truth
    apart = on.chained([left, right], [1.0, -1.0])
    if apart is None:
        return truth
    alike = on.together(lambda a, b, m: (a == b) & m, left.value, right.value, on.moving(apart))
    taken = _either(on, Axed(truth.data.astype(np.intp), truth.axes), alike)
    return Axed(taken.data == 1, taken.axes)


def _either(on: Duals, usual: Axed, alike: Axed) -> Axed:
    index = on.axes.full(usual, alike.axes)
    return on.pick(with_fallback(on.axes.full(alike, index.axes), index), index)


# -- Conditions, pairs and indices: the part of a formula that picks.


_LOW: Final = ("min", "argmin")


class Picks:
    def __init__(self, duals: Duals) -> None:
        self._on = duals

    # Conditions.

    def condition(self, node: t.Node, scope: Scope) -> Axed:
        match node:
            case t.Comparison(ops, operands):
                steps = zip(operands, ops, operands[1:], strict=False)
                return self.all([self._compared(*step, scope) for step in steps])
            case t.Logic(op, parts):
                truths = [self.condition(part, scope) for part in parts]
                return self.all(truths) if op == "and" else self._any(truths)
            case t.Not(operand):
                return self._on.together(np.logical_not, self.condition(operand, scope))
            case t.Name() | t.Cell():
                body, inner = self.unfolded(node, scope)
                return self.condition(body, inner)
        raise AssertionError(node)

    def all(self, truths: list[Axed]) -> Axed:
        return reduce(partial(self._on.together, np.logical_and), truths)

    def _any(self, truths: list[Axed]) -> Axed:
        return reduce(partial(self._on.together, np.logical_or), truths)

    def _compared(self, left: t.Node, op: str, right: t.Node, scope: Scope) -> Axed:
        if op in ("in", "not in"):
            found = self._member(left, right, scope)
            return found if op == "in" else self._on.together(np.logical_not, found)
        if self.is_pair(left) or self.is_pair(right):
            ones, twos = self.pair(left, scope), self.pair(right, scope)
            found = self.all(
                [
                    self._on.together(np.equal, one.value, two.value)
                    for one, two in zip(ones, twos, strict=True)
                ]
            )
            return found if op == "==" else self._on.together(np.logical_not, found)
        ends = self._on.dual(left, scope), self._on.dual(right, scope)
        return compared(self._on, (left, right), ends[0], op, ends[1])

    def _member(self, left: t.Node, right: t.Node, scope: Scope) -> Axed:
        domain, inner = self.unfolded(right, scope)
        at = self.pair(left, scope) if self.is_pair(left) else (self._on.dual(left, scope),)
        if isinstance(domain, t.Range):
            return self.within(at[0].value, domain, inner)
        assert isinstance(domain, t.Reduce)
        return self._shares(at, domain, inner)

    def within(self, at: Axed, domain: t.Range, scope: Scope) -> Axed:
        start, stop = (self._on.number(node, scope) for node in (domain.start, domain.stop))
        return self._on.together(lambda v, a, b: (v >= a) & (v < b), at, start, stop)

    def _shares(self, at: tuple[Dual, ...], domain: t.Reduce, scope: Scope) -> Axed:
        """j in argmax(z[m] for m): whether z[j] is as large as the largest."""
        kind = "min" if domain.kind in _LOW else "max"
        best = t.Reduce(kind, domain.body, domain.binders, domain.condition, domain.at)
        inner = {**scope, **dict(zip(domain.names, at, strict=True))}
        truths = [
            self._on.together(
                np.equal, self._on.number(domain.body, inner), self._on.number(best, scope)
            )
        ]
        truths += self._tests(domain, inner)
        return self.all(truths)

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
            return self.is_pair(self._on.definitions[found.array].body)
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

    def _tests(self, node: t.Reduce, inner: Scope) -> list[Axed]:
        truths = []
        for binder in node.binders:
            for name in binder.names:
                if binder.domain is not None:
                    body, at = self.unfolded(binder.domain, inner)
                    assert isinstance(body, t.Range)
                    truths.append(self.within(inner[name].value, body, at))
        if node.condition is not None:
            truths.append(self.condition(node.condition, inner))
        return truths


# -- What runs over indices: sums, means, largest and smallest, and where these are.


_LONGEST: Final = 64


class Running:
    def __init__(self, duals: Duals) -> None:
        self._on = duals

    def reduced(self, node: t.Node, scope: Scope) -> Dual:
        """A sum, mean, max, min or count; argmax over one index as the number it is."""
        if isinstance(node, t.Over):
            return self._over_whole(node)
        assert isinstance(node, t.Reduce)
        if node.kind in ("argmax", "argmin"):
            return self.place(node, scope)[0]
        inner, bound, counts = self._bound(node, scope)
        running = tuple(axis for index in bound for axis in index.axes)
        if node.kind == "count":
            truth = self._on.together(
                np.logical_and, counts, self._on.places.condition(node.body, inner)
            )
            data, kept = flattened(self._on.axes, truth, running)
            return Dual(Axed(data.sum(-1, dtype=np.float64), kept))
        reach = self._on.reach if node.kind == "sum" else None
        if reach is not None:
            body = reach.term(self._on, node.body, inner, counts)
        else:
            body = self._on.dual(node.body, inner)
        if node.kind in ("sum", "mean"):
            return self._summed(node.kind, body, counts, running)
        return self._best(node.kind, body, counts, running)

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

    def _best(self, kind: str, body: Dual, counts: Axed, running: tuple[int, ...]) -> Dual:
        on = self._on
        usual, values, kept = self._first(kind, body.value, counts, running)
        if body.slope is None:
            return Dual(picked(on.axes, values, kept, usual))
        slopes, wide = flattened(on.axes, body.slope, running)
        taken = self._chosen(usual, values, (slopes, wide))
        return Dual(picked(on.axes, values, kept, taken), picked(on.axes, slopes, wide, taken))

    def _first(
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
        return self._best(function, Dual(value, slope), constant(True), index.axes)

    def _stacked(self, parts: list[Axed], index: Axed) -> Axed:
        data, union = self._on.axes.aligned(*parts)
        shape = tuple(self._on.axes.sizes[axis] for axis in union)
        return Axed(
            np.stack([np.broadcast_to(d, shape) for d in data], axis=-1), (*union, *index.axes)
        )

    def place(self, node: t.Reduce, scope: Scope) -> tuple[Dual, ...]:
        """The first best place, by the indices in the order in which they are named."""
        on = self._on
        inner, bound, counts = self._bound(node, scope)
        running = tuple(axis for index in bound for axis in index.axes)
        body = on.dual(node.body, inner)
        usual, values, kept = self._first(node.kind, body.value, counts, running)
        taken = usual
        if body.slope is not None:
            taken = self._chosen(usual, values, flattened(on.axes, body.slope, running))
        undefined = picked(on.axes, values, kept, taken).data * 0
        sizes = [len(index.data) for index in bound]
        places = np.unravel_index(taken.data, sizes)
        return tuple(
            Dual(Axed(index.data[place] + undefined, taken.axes))
            for index, place in zip(bound, places, strict=True)
        )

    def _over_whole(self, node: t.Over) -> Dual:
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
            usual, _, _ = self._first(node.kind, body.value, constant(True), running)
            return Dual(Axed(usual.data.astype(np.float64), usual.axes))
        return self._best(node.kind, body, constant(True), running)

    def _bound(self, node: t.Reduce, scope: Scope) -> tuple[dict[str, Dual], list[Axed], Axed]:
        """A new axis for each bound index, and where its values count."""
        inner = dict(scope)
        found: list[Axed] = []
        truths: list[Axed] = []
        for binder in node.binders:
            for name in binder.names:
                domain = binder.domain
                if domain is None:
                    index = self._on.axes.new(self._on.extent(name, node))
                else:
                    body, at = self._on.places.unfolded(domain, inner)
                    assert isinstance(body, t.Range)
                    index = self._ranged(body, at)
                    truths.append(self._on.places.within(index, body, at))
                inner[name] = Dual(index)
                found.append(index)
        if node.condition is not None:
            truths.append(self._on.places.condition(node.condition, inner))
        return inner, found, self._on.places.all([constant(True), *truths])

    def _ranged(self, domain: t.Range, scope: Scope) -> Axed:
        on = self._on
        low = np.ceil(np.nanmin(on.number(domain.start, scope).data, initial=np.inf))
        high = np.ceil(np.nanmax(on.number(domain.stop, scope).data, initial=-np.inf))
        size = high - low
        if size > _LONGEST:
            raise OffsetError("This range is too long.", f"at most {_LONGEST} numbers", domain.at)
        if not size >= 1 or not np.isfinite(low):
            return on.axes.new(1)
        return on.axes.new(int(size), int(low))


def _over(on: Duals, data: Array, have: tuple[int, ...], want: tuple[int, ...]) -> Array:
    """`data` over `have` and one last axis, made to broadcast against an array over `want`."""
    kept = tuple(a for a in have if a in want)
    if kept != have:
        data = np.asarray(data.any(axis=tuple(n for n, a in enumerate(have) if a not in want)))
    shape = [on.axes.sizes[a] if a in kept else 1 for a in want]
    return data.reshape(*shape, data.shape[-1])
