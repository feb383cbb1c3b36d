"""A formula evaluated with its slopes, kinks and rounding errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any, Final

import numpy as np

from engine.formula import tree as t
from engine.formula.axes import BATCH, DIRECTION, Array, Axed, Axes, cells, constant, widened
from engine.formula.tree import OffsetError
from engine.messages.borders import Borders
from engine.messages.dual import (
    ARITHMETIC,
    KINKED,
    SMOOTH,
    STEPS,
    BranchChoice,
    Dual,
    DualArray,
    Picks,
    Running,
    Scope,
    guarded_product,
    hidden_by_zero,
    one_sided_slope,
    partial_derivatives,
    size_of_product,
    step,
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


# -- What rounding may have done to a number: the same evaluation, its inexact results moved a
# little.
#
# Where 1 - sigmoid(s) has lost most of its digits, so has all that is computed from it, though no
# number looks odd.  An evaluation in which every result that was rounded is moved by a few of its
# last digits comes out elsewhere there, and only there.  (J. Vignes, "Discrete stochastic
# arithmetic for validating results of numerical software", 2004; D. S. Parker, "Monte Carlo
# arithmetic", 1997.)


#: As far as a result is moved, at most, of its size: hundreds of times what rounding does, so that
#: two moves that happen to cancel still leave more than rounding did; and hardly more than it does.
_FAR, _NEAR = 2.0**-44, 2.0**-50
#: What rounding may have done is at most so many times what moves of the size _FAR do.
_CAUTION: Final = 16.0
#: For their size, near moves do at most so many times as much as far ones, or no digit is right.
_UNEVEN: Final = 8.0
#: Of the largest entry, too little to look at.
_NOTHING: Final = 1e-9
#: Below and above its inverse no number is known to be right: it may have left float64's range.
_LEAST: Final = 2.0**-970
#: These round wherever they are not at 0, also to numbers that look exact: tanh(20) is 1.
_ROUNDING: Final = {one for pair in SMOOTH.values() for one in pair} - {np.sqrt}


@dataclass(frozen=True, slots=True)
class Rounding:
    """One way to move what is rounded.  Equal numbers move alike: what is a tie stays one."""

    salt: int
    most: float  # As far as a result is moved, of its size.

    def of(self, function: Callable[..., Any], parts: Sequence[Array], found: Array) -> Array:
        """`found`, which is function(*parts), moved where it is not exact."""
        if found.dtype != np.float64 or function in (np.where, np.negative):
            return found
        # A partial derivative need not depend on all of what it is of.
        shape = found.shape
        parts = [part for part in parts if np.broadcast_shapes(part.shape, shape) == shape]
        if function in (np.add, np.subtract):
            one, two = parts[0], parts[1] if function is np.add else -parts[1]
            back = found - one
            rounded = (one - (found - back)) + (two - back) != 0
        elif function in _ROUNDING:
            # log(1) is 0 exactly, exp(-1000) is not.
            rounded = (parts[0] != 0) & ((found != 0) | (np.abs(parts[0]) > 1))
        else:
            rounded = ~_short(found)
            for part in parts:
                rounded = rounded | ~_short(part)
            for part in parts:
                rounded &= (np.abs(found) != np.abs(part)) & (part != 0)
        if not rounded.any():
            return found
        shift = self._shift(found)
        moved = np.where(rounded, found * (1.0 + self.most * shift), found)
        small, large = np.abs(found) < _LEAST, np.isinf(found)
        for part in parts:
            large &= np.isfinite(part)
        if function not in (np.add, np.subtract):  # no sum is too small to be told
            moved = np.where(rounded & small, _LEAST * shift, moved)
        return np.where(rounded & large, shift / _LEAST, moved)

    def total(self, parts: Array) -> Array:
        """The sum along the last dimension, term by term."""
        found = np.zeros(parts.shape[:-1])
        for n in range(parts.shape[-1]):
            found = self.of(np.add, (found, parts[..., n]), found + parts[..., n])
        return found

    def _shift(self, found: Array) -> Array:
        """Between a quarter and 1, up or down, by a hash of the number's size."""
        bits = np.array(np.abs(found), order="C").view(np.uint64)
        bits = (bits ^ np.uint64(self.salt)) * np.uint64(0x9E3779B97F4A7C15)
        bits = (bits ^ (bits >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
        side = (bits >> np.uint64(11)) * 2.0**-52 - 1.0
        return np.asarray(0.75 * side + np.copysign(0.25, side))


def _short(value: Array) -> Array:
    """Where a number has few digits, as those have that are computed exactly."""
    return np.asarray(value == np.asarray(value, dtype=np.float32))


ROUNDINGS: Final = tuple(
    Rounding(salt, most)
    for most in (_FAR, _NEAR)
    for salt in (0x5851F42D4C957F2D, 0x14057B7EF767814F)
)


def rounding_moves(base: Array, moved: Sequence[Array]) -> Array:
    """(B, 1, ...): how far rounding may have moved an entry of `base`; `moved` is as ROUNDINGS are,
    or as the first of them are.

    It is infinite for an input where near moves do as much as far ones: what is computed from a
    number without a right digit may be off by any factor.
    """
    off = {most: np.zeros((len(base), base[:1].size)) for most in (_FAR, _NEAR)}
    for one, how in zip(moved, ROUNDINGS, strict=False):
        same = (one == base) | (np.isnan(one) & np.isnan(base))
        apart = np.where(same, 0.0, np.abs(one - base)).reshape(len(base), -1)
        off[how.most] = np.maximum(off[how.most], np.where(np.isnan(apart), np.inf, apart))
    far, near = off[_FAR], off[_NEAR] * (_FAR / _NEAR)
    size = np.abs(base).reshape(len(base), -1).max(axis=1, initial=0.0)
    found = _CAUTION * np.maximum(far, near)
    lost = ~(near <= _UNEVEN * far) & (found > _NOTHING * size[:, None])
    most = np.where(lost, np.inf, found).max(axis=1, initial=0.0)
    return np.asarray(most.reshape(-1, *[1] * (base.ndim - 1)))


# -- Where a forward message has no derivative: which trials meet a kink, and its branches there.
#
# A kink is a choice between alternatives that are equally good at the input: both sides of a
# comparison that holds with equality, the two slopes of |x| at 0, the inputs that share a
# maximum. The evaluation asks `choose` at each of them, always in the same order, so that a
# second run can be told to take the other branches.


#: Of so many combinations of branches each is tried; a trial with more is left out.
MOST_BRANCHES = 64
#: Rows of one run over all branches: bounds its time and memory.
MOST_ROWS = 6_000


@dataclass(slots=True)
class Record:
    """Takes the usual branch everywhere, and remembers where there was another one."""

    calls: list[tuple[Array, Array]] = field(default_factory=list)

    def choose(self, alike: Array, usual: Array) -> Array:
        """Return which alternative is taken: `usual` (B, ...), of `alike` (B, ..., n)."""
        self.calls.append((alike, usual))
        return usual

    def met(self, trials: int) -> Array:
        """(B,): which trials have a choice."""
        met = np.zeros(trials, dtype=np.bool_)
        for alike, _ in self.calls:
            several = alike.sum(axis=-1) > 1
            met |= several.reshape(trials, -1).any(axis=1)
        return met


@dataclass(slots=True)
class Replay:
    """Takes the branches it was told to."""

    told: list[Array]
    _next: int = 0

    def choose(self, alike: Array, usual: Array) -> Array:
        self._next += 1
        told = self.told[self._next - 1]
        # What a forced branch brings up further on has no choice of its own.
        return told if told.shape == usual.shape and alike.shape[-1] else usual


def branches(record: Record, trials: Array) -> tuple[Array, Replay]:
    """Lay out every combination of branches of some `trials`.

    Return the trial of each row, and the choices to take in these rows.  A trial with more than
    MOST_BRANCHES combinations has no row; its derivative is then not decided.
    """
    rows: list[int] = []
    changes: list[tuple[int, int, tuple[int, ...], int]] = []
    for trial in trials.tolist():
        sites = _sites(record, trial)
        count = int(np.prod([len(options) for _, _, options in sites], dtype=np.float64))
        if count > MOST_BRANCHES or len(rows) + count > MOST_ROWS:
            continue
        for combination in product(*(options for _, _, options in sites)):
            for (call, place, _), option in zip(sites, combination, strict=True):
                changes.append((call, len(rows), place, option))
            rows.append(trial)
    of = np.array(rows, dtype=np.intp)
    told = [usual[of].copy() for _, usual in record.calls]
    for call, row, place, option in changes:
        told[call][(row, *place)] = option
    return of, Replay(told)


def _sites(record: Record, trial: int) -> list[tuple[int, tuple[int, ...], list[int]]]:
    """The choices of one trial: call, place, and the alternatives there."""
    found = []
    for call, (alike, _) in enumerate(record.calls):
        for place in np.argwhere(alike[trial].sum(axis=-1) > 1):
            at = tuple(place.tolist())
            found.append((call, at, np.flatnonzero(alike[(trial, *at)]).tolist()))
    return found


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
        for part, partial in zip(parts, partials, strict=True):
            if part.slope is None:
                continue
            factor = partial if isinstance(partial, Axed) else constant(partial)
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
