"""Formulas about max pooling evaluated on batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import Any, Final, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from engine.formula import tree as t
from engine.formula.axes import (
    ARITHMETIC,
    RELATIONS,
    Array,
    Axed,
    Axes,
    TooLargeError,
    TooMuchError,
    Truth,
    both,
    compared,
    constant,
    either,
    hidden,
    negated,
    possibly,
)
from engine.formula.reader import role
from engine.formula.tree import FormulaError, OffsetError, located

# -- Windows as index arithmetic: membership masks, and what a window or an array holds.
#
# Omega(k,l): k*sh - ph <= i < k*sh - ph + kh and 0 <= i < H, and likewise for the column.


class WindowBatch(Protocol):
    """Random inputs of one geometry, as engine/pooling/inputs.py draws them."""

    @property
    def kernel(self) -> tuple[int, int]: ...
    @property
    def stride(self) -> tuple[int, int]: ...
    @property
    def padding(self) -> tuple[int, int]: ...
    @property
    def x(self) -> Array: ...
    @property
    def delta(self) -> Array: ...
    @property
    def f(self) -> Array: ...


@dataclass(frozen=True, slots=True)
class Inputs:
    """Some of a batch: x (B,H,W), delta and f (B,Ho,Wo)."""

    kernel: tuple[int, int]
    stride: tuple[int, int]
    padding: tuple[int, int]
    x: Array
    delta: Array
    f: Array
    tables: dict[tuple[str, str], tuple[Array, ...]] = field(default_factory=dict, compare=False)
    """An operator over each window, or over a whole array, once it was asked for."""

    @property
    def roomy(self) -> bool:
        """Whether a window is so much smaller than the input that it pays to look at it alone."""
        (height, width), (kh, kw) = self.sizes["input"], self.kernel
        return 2 * kh * kw <= height * width

    def some(self, part: slice) -> Inputs:
        arrays = (self.x[part], self.delta[part], self.f[part])
        return Inputs(self.kernel, self.stride, self.padding, *arrays)

    @property
    def sizes(self) -> dict[str, tuple[int, int]]:
        return {
            "input": (self.x.shape[1], self.x.shape[2]),
            "output": (self.f.shape[1], self.f.shape[2]),
        }

    def scalars(self) -> dict[str, float]:
        height, width = self.sizes["input"]
        high, wide = self.sizes["output"]
        pairs = (*self.kernel, *self.stride, *self.padding, height, width, high, wide)
        names = ("kh", "kw", "sh", "sw", "ph", "pw", "H", "W", "Ho", "Wo")
        return dict(zip(names, map(float, pairs), strict=True))


def exists(inputs: Inputs, axes: Axes, window: tuple[Axed, Axed]) -> Axed | None:
    """Where there is an output `window`; None: everywhere."""
    sizes = inputs.sizes["output"]
    if all(axes.counts(of, size) is not None for of, size in zip(window, sizes, strict=True)):
        return None
    (rows, columns), union = axes.aligned(*window)
    inside = (rows >= 0) & (rows < sizes[0]) & (columns >= 0) & (columns < sizes[1])
    return None if inside.all() else Axed(inside, union)


def covers(inputs: Inputs, axes: Axes, place: tuple[Axed, Axed], window: tuple[Axed, Axed]) -> Axed:
    """Where the input `place` lies in Omega of the output `window`."""
    sides = []
    for side in (0, 1):
        (at, of), union = axes.aligned(place[side], window[side])
        first = of * inputs.stride[side] - inputs.padding[side]
        inside = (at >= first) & (at < first + inputs.kernel[side])
        inside &= (at >= 0) & (at < inputs.sizes["input"][side])
        inside &= (of >= 0) & (of < inputs.sizes["output"][side])
        sides.append(Axed(inside, union))
    (rows, columns), union = axes.aligned(*sides)
    return Axed(rows & columns, union)


def gather(
    axes: Axes, array: Array, row: Axed, column: Axed, margin: tuple[int, int] = (0, 0)
) -> Axed:
    """array[b, row, column]; NaN, "undefined", where the place does not exist.

    As far out as `margin` (rows, columns) the array is padded with minus infinity.
    """
    down, across = axes.counts(row, array.shape[1]), axes.counts(column, array.shape[2])
    if down is not None and across is not None and down != across:
        if down < across:
            return Axed(array, (0, down, across))
        return Axed(array.swapaxes(1, 2), (0, across, down))
    whole = Axed(np.zeros((array.shape[0],)), (0,))
    (_, rows, columns), union = axes.aligned(whole, row, column)
    whole_numbers = (rows == np.floor(rows)) & (columns == np.floor(columns))
    exists = whole_numbers & _within(array, rows, columns, (0, 0))
    padded = whole_numbers & _within(array, rows, columns, margin)
    batch = np.arange(array.shape[0]).reshape(-1, *[1] * (len(union) - 1))
    low = np.where(exists, rows, 0).astype(np.intp)
    wide = np.where(exists, columns, 0).astype(np.intp)
    outside = np.where(padded, -np.inf, np.nan)
    return Axed(np.where(exists, array[batch, low, wide], outside), union)


def _within(array: Array, rows: Array, columns: Array, margin: tuple[int, int]) -> Array:
    down, across = margin
    along: Array = (rows >= -down) & (rows < array.shape[1] + down)
    return np.asarray(along & (columns >= -across) & (columns < array.shape[2] + across))


def windows_of(inputs: Inputs) -> tuple[Array, Array, Array]:
    """Each window's values (B,Ho,Wo,kh*kw), NaN in the padding, and their rows and columns."""
    (height, width), (high, wide) = inputs.sizes["input"], inputs.sizes["output"]
    (kh, kw), (sh, sw), (ph, pw) = inputs.kernel, inputs.stride, inputs.padding
    rows = np.arange(high)[:, None] * sh - ph + np.arange(kh)
    columns = np.arange(wide)[:, None] * sw - pw + np.arange(kw)
    rows, columns = np.broadcast_arrays(rows[:, None, :, None], columns[None, :, None, :])
    exists = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    values = inputs.x[:, np.where(exists, rows, 0), np.where(exists, columns, 0)]
    values = np.where(exists, values, np.nan)
    flat = (high, wide, kh * kw)
    return values.reshape(-1, *flat), rows.reshape(flat), columns.reshape(flat)


def folded(kind: str, values: Array, exists: Array) -> Array:
    """`kind` (sum, max, count, ...) along the last axis, over what exists.

    Of nothing the sum and the count are 0, the maximum is minus infinity, the minimum plus
    infinity, and mean and place are undefined.
    """
    count: Array = exists.sum(-1)
    if kind == "count":
        return np.asarray(count, dtype=np.float64)
    if kind in ("sum", "mean"):
        total: Array = np.where(exists, values, 0.0).sum(-1)
        return total if kind == "sum" else np.divide(total, np.where(count, count, np.nan))
    low = kind in ("min", "argmin")
    kept = np.where(exists, values, np.inf if low else -np.inf)
    kept = np.where(exists & np.isnan(values), np.nan, kept)
    if kind in ("max", "min"):
        best: Array = kept.min(-1) if low else kept.max(-1)
        return best
    ahead = kept.argmin(-1) if low else kept.argmax(-1)
    chosen = np.take_along_axis(exists, ahead[..., None], -1)[..., 0]
    # An infinite value must not lose to a cell that does not exist.
    first = np.where(chosen, ahead, exists.argmax(-1))
    defined = (count > 0) & ~np.isnan(kept).any(-1)
    return np.asarray(np.where(defined, first, np.nan))


# -- Sums, maxima and places over bound indices: lay the body out, mask what does not count, fold.


Scope = Mapping[str, Axed]
#: Axes by number.
AxisNumbers = tuple[int, ...]
_MAX_RANGE: Final = 4_096
#: The value whose place it is.
VALUE_OF: Final = {"argmax": "max", "argmin": "min"}


def tests(on: Evaluation, node: t.Reduce, inner: Scope, outer: Scope) -> list[Truth]:
    """The conditions under which the bound indices count: their sets, and the one behind 'if'."""
    found: list[Truth] = []
    seen = dict(outer)
    for binder in node.binders:
        if binder.domain is not None:
            at = tuple(inner[name] for name in binder.names)
            found.append(on.places.holds(at, binder.domain, seen))
        seen.update({name: inner[name] for name in binder.names})
    if node.condition is not None:
        found.append(on.condition(node.condition, inner))
    return found


def _bound(
    on: Evaluation, node: t.Reduce, scope: Scope
) -> tuple[dict[str, Axed], list[Axed], AxisNumbers]:
    """The bound indices, and the new axes along which they run, in the order named."""
    inner = dict(scope)
    found: list[Axed] = []
    running: list[int] = []
    for binder in node.binders:
        domain = on.places.resolved(binder.domain) if binder.domain is not None else None
        start = inner
        for place, name in enumerate(binder.names):
            if isinstance(domain, t.Range):
                index = _ranged(on, domain, inner)
            elif domain is None:
                side, along = _role(on, node, binder, name)
                index = on.axes.new(on.inputs.sizes[side][along])
            elif isinstance(domain, t.Window) and on.inputs.roomy:
                index = on.axes.new(on.inputs.kernel[place])
            else:
                side = "output" if isinstance(domain, t.Windows) else "input"
                index = on.axes.new(on.inputs.sizes[side][place])
            running.extend(index.axes)
            if isinstance(domain, t.Window) and on.inputs.roomy:
                index = _within_window(on, domain, place, index, start)
            inner = {**inner, name: index}
            found.append(index)
    return inner, found, tuple(running)


def _within_window(on: Evaluation, window: t.Window, side: int, step: Axed, scope: Scope) -> Axed:
    """The row or the column of a window, so many steps from its first one."""
    of = on.places.indices(window.indices, scope)[side]
    stride, padding = on.inputs.stride[side], on.inputs.padding[side]
    return on.together(lambda k, a: k * stride - padding + a, of, step)


def _role(on: Evaluation, node: t.Reduce, binder: t.Binder, name: str) -> t.Role:
    known = (id(binder), name)
    if known not in on.roles:
        on.roles[known] = role(name, node.names.index(name), node, on.definitions)
    return on.roles[known]


def _ranged(on: Evaluation, domain: t.Range, scope: Scope) -> Axed:
    low = np.ceil(np.nanmin(on.number(domain.start, scope).data, initial=np.inf))
    high = np.ceil(np.nanmax(on.number(domain.stop, scope).data, initial=-np.inf))
    size = high - low
    if not size <= _MAX_RANGE or not np.isfinite(low):
        if size <= 0 or np.isnan(size):
            return on.axes.new(1)
        raise OffsetError("This range is too long.", f"at most {_MAX_RANGE} numbers", domain.at)
    return on.axes.new(max(1, int(size)), int(low))


def _laid_out(
    on: Evaluation, node: t.Reduce, scope: Scope
) -> tuple[Axed, Axed, list[Axed], AxisNumbers]:
    """The body and where it counts, both over the same axes; what is bound, and how it runs."""
    inner, bound, running = _bound(on, node, scope)
    truth = Truth(constant(True))
    for test in tests(on, node, inner, scope):
        truth = both(on.together, truth, test)
    if node.kind == "count":
        body = constant(1.0)
        truth = both(on.together, truth, on.condition(node.body, inner))
    else:
        body = on.number(node.body, inner)
    # What may count but cannot be said to makes the whole undefined.
    body, counts = hidden(on.together, body, truth), possibly(on.together, truth)
    used = {axis for index in bound for axis in index.axes}
    union = tuple(sorted({*body.axes, *counts.axes, *used}))
    return on.axes.full(body, union), on.axes.full(counts, union), bound, running


def _folded(on: Evaluation, node: t.Reduce, scope: Scope) -> tuple[Axed, list[Axed], AxisNumbers]:
    body, counts, bound, running = _laid_out(on, node, scope)
    kept = tuple(axis for axis in body.axes if axis not in running)
    on.axes.spent += body.data.size
    values, exists = (_flat(on, part, kept, running) for part in (body, counts))
    kind = "sum" if node.kind == "count" else node.kind
    return Axed(folded(kind, values, exists), kept), bound, running


def _flat(on: Evaluation, value: Axed, kept: AxisNumbers, running: AxisNumbers) -> Array:
    """`value`, which has all of these axes, with those that run as its last one."""
    order = [value.axes.index(axis) for axis in (*kept, *running)]
    shape = (*(on.axes.sizes[axis] for axis in kept), -1)
    flat: Array = value.data.transpose(order).reshape(shape)
    return flat


def reduced(on: Evaluation, node: t.Reduce, scope: Scope) -> Axed:
    """The number that a sum, max, min, count or mean comes to."""
    return _folded(on, node, scope)[0]


def place_of_extremum(on: Evaluation, node: t.Reduce, scope: Scope) -> tuple[Axed, Axed]:
    """Row and column of the first best place, in the order in which the indices are named."""
    ahead, bound, running = _folded(on, node, scope)
    undefined = ahead.data * 0
    step = np.nan_to_num(ahead.data).astype(np.intp)
    along = np.unravel_index(step, [on.axes.sizes[axis] for axis in running])
    found: list[Axed] = []
    for index, axis, ahead_along in zip(bound, running, along, strict=True):
        if index.axes == (axis,):
            picked = index.data[ahead_along]
        else:
            whole = on.axes.full(index, (*ahead.axes, *running))
            flat = _flat(on, whole, ahead.axes, running)
            picked = np.take_along_axis(flat, step[..., None], -1)[..., 0]
        found.append(Axed(picked + undefined, ahead.axes))
    return found[0], found[1]


# -- Pairs of coordinates and the sets they belong to: windows, ranges, the places of a maximum.


class WindowCoordinates:
    """Pairs of coordinates and sets of them."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._on = evaluation
        self._tables = evaluation.inputs.tables

    def indices(self, nodes: tuple[t.Node, ...], scope: Scope) -> tuple[Axed, ...]:
        """The indices of a cell or a set; one pair counts as two."""
        if len(nodes) == 1 and self.is_pair(nodes[0]):
            return self.pair(nodes[0], scope)
        return tuple(self._on.number(node, scope) for node in nodes)

    def resolved(self, node: t.Node) -> t.Node:
        """What a name without indices stands for."""
        while isinstance(node, t.Name) and node.name in self._on.definitions:
            definition = self._on.definitions[node.name]
            if len(definition.names) == 2:
                return node
            node = definition.body
        return node

    def is_pair(self, node: t.Node) -> bool:
        node = self.resolved(node)
        if isinstance(node, t.Cell) and node.array in self._on.definitions:
            definition = self._on.definitions[node.array]
            return len(definition.names) == 1 and self.is_pair(definition.body)
        return isinstance(node, t.Pair) or (
            isinstance(node, t.Over | t.Reduce) and node.kind in VALUE_OF
        )

    def pair(self, node: t.Node, scope: Scope) -> tuple[Axed, Axed]:
        node, scope = self._unfolded(node, scope)
        if isinstance(node, t.Pair):
            return self._on.number(node.items[0], scope), self._on.number(node.items[1], scope)
        if isinstance(node, t.Over):
            row, column = self.over(node.kind, node.region, scope)
            return row, column
        assert isinstance(node, t.Reduce)
        return place_of_extremum(self._on, node, scope)

    def _unfolded(self, node: t.Node, scope: Scope) -> tuple[t.Node, Scope]:
        """A definition's body with its parameters bound."""
        node = self.resolved(node)
        while isinstance(node, t.Cell):
            definition = self._on.definitions[node.array]
            values = self.indices(node.indices, scope)
            scope = {**scope, **dict(zip(definition.parameters, values, strict=True))}
            node = self.resolved(definition.body)
        return node, scope

    def over(self, kind: str, region: t.Node, scope: Scope) -> tuple[Axed, ...]:
        """`kind` over a window's inputs or over a whole array: one value, or a row and a column."""
        region, scope = self._unfolded(region, scope)
        if isinstance(region, t.Windows):
            binder = t.Binder(("k", "l"), region)
            return (reduced(self._on, t.Reduce("sum", t.Number(1.0), (binder,), None), scope),)
        if isinstance(region, t.Window):
            row, column = self.indices(region.indices, scope)
            tables = self._window_tables(kind)
            return tuple(gather(self._on.axes, table, row, column) for table in tables)
        assert isinstance(region, t.Name)
        return tuple(Axed(table, (0,)) for table in self._whole_tables(kind, region.name))

    def _window_tables(self, kind: str) -> tuple[np.ndarray, ...]:
        if (kind, "") not in self._tables:
            values, rows, columns = windows_of(self._on.inputs)
            found = folded(kind, values, ~np.isnan(values))
            if kind in VALUE_OF:
                safe = np.nan_to_num(found).astype(np.intp)[..., None]
                undefined = found * 0
                where = [
                    np.take_along_axis(np.broadcast_to(grid, values.shape), safe, -1)[..., 0]
                    for grid in (rows, columns)
                ]
                self._tables[kind, ""] = (where[0] + undefined, where[1] + undefined)
            else:
                self._tables[kind, ""] = (found,)
        return self._tables[kind, ""]

    def _whole_tables(self, kind: str, array: str) -> tuple[np.ndarray, ...]:
        if (kind, array) not in self._tables:
            values = getattr(self._on.inputs, array)
            flat = values.reshape(len(values), -1)
            found = folded(kind, flat, np.ones(flat.shape, dtype=bool))
            split = (found // values.shape[2], found % values.shape[2])
            self._tables[kind, array] = split if kind in VALUE_OF else (found,)
        return self._tables[kind, array]

    def member(self, left: t.Node, right: t.Node, scope: Scope) -> Truth:
        """Where a place belongs to a set; a window that does not exist has no inputs."""
        if isinstance(self.resolved(right), t.Range):
            return self.holds((self._on.number(left, scope),), right, scope)
        found = self.holds(self.pair(left, scope), right, scope)
        window = isinstance(self._unfolded(right, scope)[0], t.Window)
        return Truth(found.holds) if window else found

    def holds(self, at: tuple[Axed, ...], domain: t.Node, scope: Scope) -> Truth:
        """Where the place `at` (or the one number) belongs to the set; unknown of no window."""
        domain, scope = self._unfolded(domain, scope)
        if isinstance(domain, t.Range):
            start, stop = (self._on.number(n, scope) for n in (domain.start, domain.stop))
            between = (lambda v, a, b: (v >= a) & (v < b)), at[0], start, stop
            return compared(self._on.together, *between)
        place = (at[0], at[1])
        if isinstance(domain, t.Window):
            first, second = self.indices(domain.indices, scope)
            covered = covers(self._on.inputs, self._on.axes, place, (first, second))
            there = exists(self._on.inputs, self._on.axes, (first, second))
            gone = None if there is None else Axed(~there.data, there.axes)
            return Truth(covered, gone)
        if isinstance(domain, t.Windows):
            first, second = self.indices(domain.indices, scope)
            return Truth(covers(self._on.inputs, self._on.axes, (first, second), place))
        return self._tied(place, domain, scope)

    def _tied(self, at: tuple[Axed, Axed], domain: t.Node, scope: Scope) -> Truth:
        """The places that share the maximum: (i,j) in argmax(k,l)."""
        if isinstance(domain, t.Reduce):
            best = reduced(self._on, replace(domain, kind=VALUE_OF[domain.kind]), scope)
            inner = {**scope, **dict(zip(domain.names, at, strict=True))}
            same = compared(self._on.together, np.equal, self._on.number(domain.body, inner), best)
            for test in tests(self._on, domain, inner, scope):
                same = both(self._on.together, same, test)
            return same
        assert isinstance(domain, t.Over)
        (best,) = self.over(VALUE_OF[domain.kind], domain.region, scope)
        region, inner_scope = self._unfolded(domain.region, scope)
        array = region.name if isinstance(region, t.Name) else "x"
        values = gather(self._on.axes, getattr(self._on.inputs, array), *at)
        # A place outside of the array is no maximum: only the maximum itself may be undefined.
        values = Axed(np.nan_to_num(values.data, nan=-np.inf), values.axes)
        same = compared(self._on.together, np.equal, values, best)
        if isinstance(region, t.Window):
            inside = Truth(self.holds(at, region, inner_scope).holds, same.unknown)
            same = both(self._on.together, same, inside)
        return same


# -- Numbers and conditions of a tree, node by node.


_FUNCTIONS: Final[dict[str, Callable[..., Array]]] = {
    "abs": np.abs,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "floor": np.floor,
    "ceil": np.ceil,
    "sign": np.sign,
    "tanh": np.tanh,
    "relu": lambda a: np.maximum(a, 0.0),
    "kron": lambda a, b: np.where(np.isnan(a + b), np.nan, a == b),
    "max": lambda *parts: reduce(np.maximum, parts),
    "min": lambda *parts: reduce(np.minimum, parts),
}


class Evaluation:
    """One formula on some inputs.  `scope` maps each index to its values."""

    def __init__(
        self, inputs: Inputs, axes: Axes, formula: t.Formula, absent: bool = False
    ) -> None:
        self.inputs = inputs
        self.axes = axes
        self.roles = formula.roles
        self.absent = absent
        """Whether the message of a window that does not exist makes its product 0."""
        self.definitions = {name: d for d in formula.tree.definitions for name in d.names}
        self.places = WindowCoordinates(self)
        self._scalars = inputs.scalars()

    def together(self, function: Callable[..., Any], *values: Axed) -> Axed:
        arrays, union = self.axes.aligned(*values)
        return Axed(np.asarray(function(*arrays)), union)

    def number(self, node: t.Node, scope: Scope) -> Axed:
        match node:
            case t.Number(value):
                return constant(value)
            case t.Name(name):
                return self._name(name, scope)
            case t.Cell():
                return self._cell(node, scope)
            case t.Apply(function, arguments):
                parts = [self.number(part, scope) for part in arguments]
                return self.together(_FUNCTIONS[function], *parts)
            case t.Arithmetic():
                return self._guarded(node, scope)[0]
            case t.Negative(operand):
                return self.together(np.negative, self.number(operand, scope))
            case t.Indicator(condition):
                truth = self.condition(condition, scope)
                ones = Axed(truth.holds.data.astype(np.float64), truth.holds.axes)
                return hidden(self.together, ones, truth)
            case t.Choice(condition, then, otherwise):
                parts = [self._counted(part, scope) for part in (then, otherwise)]
                truth = self.condition(condition, scope)
                chosen = self.together(np.where, truth.holds, *parts)
                return chosen if truth.unknown is None else self._either(chosen, parts, truth)
            case t.Over(kind, region):
                return self.places.over(kind, region, scope)[0]
            case t.Reduce():
                return reduced(self, node, scope)
        raise AssertionError(node)

    def _name(self, name: str, scope: Scope) -> Axed:
        if name in scope:
            return scope[name]
        definition = self.definitions.get(name)
        if definition is None:
            return constant(self._scalars[name])
        if len(definition.names) == 2:
            return self.places.pair(definition.body, scope)[definition.names.index(name)]
        return self.number(definition.body, scope)

    def _cell(self, node: t.Cell, scope: Scope) -> Axed:
        definition = self.definitions.get(node.array)
        if definition is not None:
            inside = self._inside(node, scope)
            if len(definition.names) == 2:
                pair = self.places.pair(definition.body, inside)
                return pair[definition.names.index(node.array)]
            return self.number(definition.body, inside)
        indices = self.places.indices(node.indices, scope)
        # The padding of x holds minus infinity; of the other arrays there is nothing outside.
        margin = self.inputs.padding if node.array == "x" else (0, 0)
        row, column = indices
        return gather(self.axes, getattr(self.inputs, node.array), row, column, margin)

    def _counted(self, node: t.Node, scope: Scope) -> Axed:
        """A case's value; 0 where a factor of it is the message of no window."""
        value, off = self._guarded(node, scope)
        if off is None or not np.isnan(value.data).any():
            return value
        return self.together(lambda a, b: np.where(b, 0.0, a), value, off)

    def _either(self, chosen: Axed, parts: list[Axed], truth: Truth) -> Axed:
        """Where nobody can say which case it is, the value that both have, if they have one."""
        assert truth.unknown is not None
        return self.together(
            lambda value, one, two, gap: np.where(gap & (one != two), np.nan, value),
            chosen, *parts, truth.unknown,
        )  # fmt: skip

    def _guarded(self, node: t.Node, scope: Scope) -> tuple[Axed, Axed | None]:
        """A number, and where a false condition is a factor of it; None where there is none.

        There it is 0, whatever the other factors are: [false] * undefined is 0, and so is
        [false] / undefined.  So it is, where `absent`, with the message of no window.
        """
        match node:
            case t.Indicator():
                value = self.number(node, scope)
                return value, Axed(np.asarray(value.data == 0), value.axes)
            case t.Cell("delta") if self.absent and "delta" not in self.definitions:
                value = self.number(node, scope)
                return value, Axed(np.isnan(value.data), value.axes)
            case t.Negative(operand):
                value, off = self._guarded(operand, scope)
                return self.together(np.negative, value), off
            case t.Arithmetic(op, left, right):
                one, off = self._guarded(left, scope)
                two, also = self._guarded(right, scope)
                if op not in ("*", "/"):
                    off = None
                elif op == "*" and also is not None:
                    off = also if off is None else self.together(np.logical_or, off, also)
                return self._calculated(op, one, two, off), off
            case t.Name(name) if name in self.definitions and name not in scope:
                if len(self.definitions[name].names) == 1:
                    return self._guarded(self.definitions[name].body, scope)
            case t.Cell(name) if (
                name in self.definitions and len(self.definitions[name].names) == 1
            ):
                return self._guarded(self.definitions[name].body, self._inside(node, scope))
        return self.number(node, scope), None

    def _calculated(self, op: str, one: Axed, two: Axed, off: Axed | None) -> Axed:
        parts, union = (
            self.axes.aligned(one, two) if off is None else self.axes.aligned(one, two, off)
        )
        left = np.asarray(parts[0], dtype=np.float64) if op == "^" else parts[0]
        value = ARITHMETIC[op](left, parts[1])
        if off is not None and not np.isfinite(value).all():
            value = np.where(parts[2], 0.0, value)
        return Axed(np.asarray(value), union)

    def _inside(self, node: t.Cell, scope: Scope) -> Scope:
        """The scope of a definition that is used with indices."""
        indices = self.places.indices(node.indices, scope)
        return {**scope, **dict(zip(self.definitions[node.array].parameters, indices, strict=True))}

    def condition(self, node: t.Node, scope: Scope) -> Truth:
        match node:
            case t.Comparison(ops, operands):
                steps = zip(operands, ops, operands[1:], strict=False)
                return self._all([self._compared(*step, scope) for step in steps])
            case t.Logic(op, operands):
                truths = [self.condition(part, scope) for part in operands]
                return self._all(truths) if op == "and" else self._any(truths)
            case t.Not(operand):
                return negated(self.together, self.condition(operand, scope))
            case t.Name(name) | t.Cell(name):
                inner = self._inside(node, scope) if isinstance(node, t.Cell) else scope
                return self.condition(self.definitions[name].body, inner)
        raise AssertionError(node)

    def _all(self, truths: list[Truth]) -> Truth:
        return reduce(partial(both, self.together), truths)

    def _any(self, truths: list[Truth]) -> Truth:
        return reduce(partial(either, self.together), truths)

    def _compared(self, left: t.Node, op: str, right: t.Node, scope: Scope) -> Truth:
        if op in ("in", "not in"):
            found = self.places.member(left, right, scope)
            return found if op == "in" else negated(self.together, found)
        if self.places.is_pair(left):
            ones, twos = self.places.pair(left, scope), self.places.pair(right, scope)
            pairs = zip(ones, twos, strict=True)
            found = self._all([compared(self.together, np.equal, *pair) for pair in pairs])
            return found if op == "==" else negated(self.together, found)
        one, two = self.number(left, scope), self.number(right, scope)
        return compared(self.together, RELATIONS[op], one, two)


# -- A tree to numbers, over a whole batch at once.
#
# Each index is an axis, each node an array over the axes it depends on.  Undefined values (cells
# outside of an array, 0/0) are NaN; a false indicator, an untaken branch and a condition that a
# sum does not meet hide them.


#: What windows hold (Places), for as long as their batch is kept.
_TABLES: Final[WeakKeyDictionary[WindowBatch, dict[tuple[str, str], tuple[Array, ...]]]] = (
    WeakKeyDictionary()
)
_TOO_LARGE: Final = "This formula takes too many steps to be tried on random inputs."


def evaluate(formula: t.Formula, batch: WindowBatch) -> Array:
    """Target dx: (B,H,W); J: (B,Ho,Wo,H,W); float64, NaN where the formula is undefined.

    Raises FormulaError where the formula needs too much memory or time.
    """
    f, tables = np.asarray(batch.f), _TABLES.setdefault(batch, {})
    sides = (batch.kernel, batch.stride, batch.padding)
    inputs = Inputs(*sides, batch.x, batch.delta, f, tables)
    try:
        with np.errstate(all="ignore"):
            return _filled(formula, inputs, _parts(formula, inputs))
    except OffsetError as trouble:
        raise located(trouble, formula.source) from None
    except (TooLargeError, TooMuchError):
        raise FormulaError(_TOO_LARGE, "use fewer sums inside sums", 1, 1) from None


def _filled(formula: t.Formula, inputs: Inputs, found: Array) -> Array:
    """A message that is undefined at pixels that are left over, with 0 for products that have one.

    There delta[i//2,j//2] asks for a window that does not exist, which has no message.
    """
    if formula.tree.target == "J" or not np.isnan(found).any():
        return found
    axes = Axes(1)
    high, wide = (axes.new(size) for size in inputs.sizes["output"])
    rows, columns = (axes.new(size) for size in inputs.sizes["input"])
    mask = covers(inputs, axes, (rows, columns), (high, wide))
    covered = axes.full(mask, (1, 2, 3, 4)).data.any((0, 1))
    gaps = np.isnan(found) & ~covered
    if not gaps.any():
        return found
    again = _parts(formula, inputs, absent=True)
    if (gaps & ~np.isnan(again)).any():
        formula.beyond.add("delta (where there is no window)")
    return np.where(gaps, again, found)


def _parts(formula: t.Formula, inputs: Inputs, absent: bool = False) -> Array:
    """The whole batch at once, or in smaller parts where that needs too much memory."""
    total = inputs.x.shape[0]
    step = total
    spent = 0
    done: list[Array] = []
    start = 0
    while start < total or not done:
        part = slice(start, start + step)
        fewer = inputs if step == total else inputs.some(part)
        axes = Axes(fewer.x.shape[0], spent)
        try:
            done.append(_whole(formula, fewer, axes, absent))
        except TooLargeError:
            if step <= 1:
                raise
            step = max(1, step // 4)
            continue
        finally:
            spent = axes.spent
        start += step
    return np.concatenate(done) if len(done) > 1 else done[0]


def _whole(formula: t.Formula, inputs: Inputs, axes: Axes, absent: bool) -> Array:
    answer = formula.tree
    evaluation = Evaluation(inputs, axes, formula, absent)
    high, wide = (axes.new(size) for size in inputs.sizes["output"])
    rows, columns = (axes.new(size) for size in inputs.sizes["input"])
    if answer.target == "J":
        indices = dict(zip(answer.indices, (high, wide, rows, columns), strict=True))
        order = (0, *high.axes, *wide.axes, *rows.axes, *columns.axes)
        value = evaluation.number(answer.body, indices)
        return np.ascontiguousarray(axes.full(value, order).data, dtype=np.float64)
    # Free k,l in a dx: the window that contains (i,j).  The learner may define them instead.
    windows = {"k": high, "l": wide}
    free = {name: windows[name] for name in windows if name not in evaluation.definitions}
    indices = {**free, **dict(zip(answer.indices, (rows, columns), strict=True))}
    value = evaluation.number(answer.body, indices)
    order = (0, *rows.axes, *columns.axes)
    if not {*value.axes} & {*high.axes, *wide.axes}:
        return np.ascontiguousarray(axes.full(value, order).data, dtype=np.float64)
    return _in_its_window(axes, inputs, value, ((rows, columns), (high, wide)))


def _in_its_window(
    axes: Axes,
    inputs: Inputs,
    value: Axed,
    at: tuple[tuple[Axed, Axed], tuple[Axed, Axed]],
) -> Array:
    """The value at the one window of each input: 0 in none, NaN in several."""
    mask = covers(inputs, axes, *at)
    order = (0, 1, 2, 3, 4)
    full, within = axes.full(value, order), axes.full(mask, order[1:])
    total: Array = np.where(within.data, full.data, 0.0).sum((1, 2))
    several = within.data.sum((0, 1)) > 1
    return np.where(several, np.nan, total)
