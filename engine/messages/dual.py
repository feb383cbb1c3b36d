"""Operations on arrays that carry slopes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from engine.formula import tree as t
from engine.formula.axes import (
    BATCH,
    DIRECTION,
    Array,
    Axed,
    constant,
    flattened,
    picked,
    with_fallback,
)
from engine.formula.tree import OffsetError

if TYPE_CHECKING:
    from engine.messages.autodiff import Duals


# -- A number with its derivatives, and arrays of them.


class BranchChoice(Protocol):
    def choose(self, alike: Array, usual: Array) -> Array: ...


@dataclass(frozen=True, slots=True)
class Dual:
    value: Axed
    slope: Axed | None = None
    """Over the value's axes and DIRECTION; None where it is constant."""


@dataclass(frozen=True, slots=True)
class DualArray:
    """An array that is known: `value` (B, ...), `slope` (B, D, ...) or None where constant."""

    value: Array
    slope: Array | None = None


Scope = Mapping[str, Dual]


# -- Functions of numbers with their derivatives, and the operators of arithmetic.


Function = Callable[[Array], Array]

_erf: Final[Function] = np.vectorize(math.erf, otypes=[np.float64])


def sigmoid(a: Array) -> Array:
    """1 / (1 + exp(-a)), without overflow on either side."""
    small = np.exp(-np.abs(a))
    return np.asarray(np.where(a >= 0, 1.0, small) / (1.0 + small))


def _softplus(a: Array) -> Array:
    return np.asarray(np.maximum(a, 0.0) + np.log1p(np.exp(-np.abs(a))))


def _sigmoid_slope(a: Array) -> Array:
    small = np.exp(-np.abs(a))
    return np.asarray(small / (1.0 + small) ** 2)


#: Smooth functions: the value and the derivative, each of the argument.
SMOOTH: Final[dict[str, tuple[Function, Function]]] = {
    "exp": (np.exp, np.exp),
    "log": (np.log, lambda a: 1.0 / a),
    "sqrt": (np.sqrt, lambda a: 0.5 / np.sqrt(a)),
    "sin": (np.sin, np.cos),
    "cos": (np.cos, lambda a: -np.sin(a)),
    "tanh": (np.tanh, lambda a: 1.0 / np.cosh(np.clip(a, -350, 350)) ** 2),
    "sinh": (np.sinh, np.cosh),
    "cosh": (np.cosh, np.sinh),
    "sech": (lambda a: 1.0 / np.cosh(a), lambda a: -np.tanh(a) / np.cosh(a)),
    "sigmoid": (sigmoid, _sigmoid_slope),
    "softplus": (_softplus, sigmoid),
    "erf": (_erf, lambda a: 2.0 / math.sqrt(math.pi) * np.exp(-a * a)),
}

#: Functions with a slope that they do not have, by names that nobody can type: see `slips`.
SLIPPED: Final[dict[str, tuple[Function, Function]]] = {
    "held": (lambda a: a, np.zeros_like),
    "tanh": (np.tanh, lambda a: 1.0 - np.tanh(a)),
    "tanh itself": (np.tanh, np.tanh),
    "tanh as sigmoid": (np.tanh, lambda a: np.tanh(a) * (1.0 - np.tanh(a))),
    "tanh at its value": (np.tanh, lambda a: 1.0 - np.tanh(np.tanh(a)) ** 2),
    "sigmoid itself": (sigmoid, sigmoid),
    "sigmoid": (sigmoid, lambda a: 1.0 - sigmoid(a)),
    "sigmoid squared": (sigmoid, lambda a: sigmoid(a) ** 2),
    "sigmoid as tanh": (sigmoid, lambda a: 1.0 - sigmoid(a) ** 2),
    "sigmoid at its value": (sigmoid, lambda a: _sigmoid_slope(sigmoid(a))),
    "exp at its value": (np.exp, lambda a: np.exp(np.exp(a))),
    "log itself": (np.log, np.log),
    "sqrt": (np.sqrt, lambda a: 1.0 / np.sqrt(a)),
    "sin": (np.sin, lambda a: -np.cos(a)),
    "cos": (np.cos, np.sin),
    "softplus": (_softplus, _softplus),
    "erf": (_erf, lambda a: np.exp(-a * a)),
}
SMOOTH.update({f"~{name}": pair for name, pair in SLIPPED.items()})
#: The same with the slope 1: what is inside is differentiated, the function is forgotten.
SMOOTH.update({f"~{name} 1": (pair[0], np.ones_like) for name, pair in [*SMOOTH.items()]})

#: Functions with a kink at 0: the value, and the derivative left and right of it.
KINKED: Final[dict[str, tuple[Function, float, float]]] = {
    "abs": (np.abs, -1.0, 1.0),
    "relu": (lambda a: np.maximum(a, 0.0), 0.0, 1.0),
}

#: Functions that stand still between jumps: the value left of a place, there, and right of it.
STEPS: Final[dict[str, tuple[Function, Function, Function]]] = {
    "sign": (lambda a: np.where(a > 0, 1.0, -1.0), np.sign, lambda a: np.where(a < 0, -1.0, 1.0)),
    "floor": (lambda a: np.ceil(a) - 1.0, np.floor, np.floor),
    "ceil": (np.ceil, np.ceil, lambda a: np.floor(a) + 1.0),
}

ARITHMETIC: Final[dict[str, Callable[..., Any]]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "//": np.floor_divide,
    "%": np.mod,
    "^": np.power,
}
RELATIONS: Final[dict[str, Callable[..., Any]]] = {
    "==": np.equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    # An undefined value is neither equal to another nor different from it.
    "!=": lambda a, b: (a < b) | (a > b),
}


def partial_derivatives(op: str, left: Array, right: Array, value: Array) -> tuple[Array, Array]:
    """d value / d left and d value / d right of `left op right`."""
    one = np.ones(())
    match op:
        case "+":
            return one, one
        case "-":
            return one, -one
        case "*":
            return right, left
        case "/":
            return 1.0 / right, -value / right
        case "^":
            # 0^0 = 1 has slope 0, as a power of 0 does not move.
            base = np.where(right == 0, 0.0, right * np.power(left, right - 1.0))
            return base, value * np.log(np.where(left == 0, 1.0, left))
    raise AssertionError(op)


# -- What a factor 0 hides: [false] * undefined is 0, and 0 * undefined is nothing to rely on.


def zero_guards(node: t.Node, definitions: Mapping[str, t.Definition]) -> bool:
    """Whether a 0 of this node means that a condition does not hold."""
    match node:
        case t.Indicator():
            return True
        case t.Arithmetic("*", left, right):
            return zero_guards(left, definitions) or zero_guards(right, definitions)
        case t.Arithmetic("/", part, _) | t.Negative(part):
            return zero_guards(part, definitions)
        case t.Name(name) | t.Cell(name) if name in definitions:
            return zero_guards(definitions[name].body, definitions)
    return False


def hidden_by_zero(together: Callable[..., Axed], factor: Axed, slope: Axed) -> list[Array]:
    """Where a factor 0 hides that a slope does not exist: one (B,) mask, or none."""
    if np.isfinite(slope.data).all() or BATCH not in slope.axes:
        return []
    lost = together(lambda f, s: (f == 0) & ~np.isfinite(s), factor, slope)
    data = np.moveaxis(lost.data, lost.axes.index(BATCH), 0)
    mask: Any = data.reshape(len(data), -1).any(axis=1)
    return [mask]


def guarded_product(factor: Array, slope: Array) -> Array:
    """A partial times a slope; what a false condition multiplies by 0 stays hidden."""
    return np.asarray(np.where(factor == 0, 0.0, factor * slope))


def size_of_product(factor: Array, slope: Array) -> Array:
    return guarded_product(np.abs(factor), slope)


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
        found = truths[0]
        for truth in truths[1:]:
            found = self._on.together(np.logical_and, found, truth)
        return found

    def _any(self, truths: list[Axed]) -> Axed:
        found = truths[0]
        for truth in truths[1:]:
            found = self._on.together(np.logical_or, found, truth)
        return found

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
            name = node.name if isinstance(node, t.Name) else node.array
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
