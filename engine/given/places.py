"""Conditions, indices and what runs over indices: the part of a formula that picks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from engine.formula.axes import Array, Axed, constant
from engine.formula.problem import OffsetError
from engine.formula.tree import (
    Cell,
    Comparison,
    Logic,
    Name,
    Node,
    Not,
    Over,
    Pair,
    Range,
    Reduce,
)
from engine.given import arrays
from engine.given.arrays import DIRECTION

if TYPE_CHECKING:
    from engine.given.duals import Dual, Duals, Scope

_LONGEST: Final = 64
_LOW: Final = ("min", "argmin")


class Places:
    def __init__(self, duals: Duals) -> None:
        self._on = duals

    # Conditions.

    def condition(self, node: Node, scope: Scope) -> Axed:
        match node:
            case Comparison(ops, operands):
                steps = zip(operands, ops, operands[1:], strict=False)
                return self._all([self._compared(*step, scope) for step in steps])
            case Logic(op, parts):
                truths = [self.condition(part, scope) for part in parts]
                return self._all(truths) if op == "and" else self._any(truths)
            case Not(operand):
                return self._on.together(np.logical_not, self.condition(operand, scope))
            case Name() | Cell():
                body, inner = self._unfolded(node, scope)
                return self.condition(body, inner)
        raise AssertionError(node)

    def _all(self, truths: list[Axed]) -> Axed:
        found = truths[0]
        for truth in truths[1:]:
            found = self._on.together(np.logical_and, found, truth)
        return found

    def _any(self, truths: list[Axed]) -> Axed:
        found = truths[0]
        for truth in truths[1:]:
            found = self._on.together(np.logical_or, found, truth)
        return found

    def _compared(self, left: Node, op: str, right: Node, scope: Scope) -> Axed:
        if op in ("in", "not in"):
            found = self._member(left, right, scope)
            return found if op == "in" else self._on.together(np.logical_not, found)
        if self.is_pair(left) or self.is_pair(right):
            ones, twos = self.pair(left, scope), self.pair(right, scope)
            found = self._all(
                [
                    self._on.together(np.equal, one.value, two.value)
                    for one, two in zip(ones, twos, strict=True)
                ]
            )
            return found if op == "==" else self._on.together(np.logical_not, found)
        return self._on.compared(self._on.dual(left, scope), op, self._on.dual(right, scope))

    def _member(self, left: Node, right: Node, scope: Scope) -> Axed:
        domain, inner = self._unfolded(right, scope)
        at = self.pair(left, scope) if self.is_pair(left) else (self._on.dual(left, scope),)
        if isinstance(domain, Range):
            return self._within(at[0].value, domain, inner)
        assert isinstance(domain, Reduce)
        return self._shares(at, domain, inner)

    def _within(self, at: Axed, domain: Range, scope: Scope) -> Axed:
        start, stop = (self._on.number(node, scope) for node in (domain.start, domain.stop))
        return self._on.together(lambda v, a, b: (v >= a) & (v < b), at, start, stop)

    def _shares(self, at: tuple[Dual, ...], domain: Reduce, scope: Scope) -> Axed:
        """j in argmax(z[m] for m): whether z[j] is as large as the largest."""
        kind = "min" if domain.kind in _LOW else "max"
        best = Reduce(kind, domain.body, domain.binders, domain.condition, domain.at)
        inner = {**scope, **dict(zip(domain.names, at, strict=True))}
        truths = [
            self._on.together(
                np.equal, self._on.number(domain.body, inner), self._on.number(best, scope)
            )
        ]
        truths += self._tests(domain, inner)
        return self._all(truths)

    # Pairs.

    def _unfolded(self, node: Node, scope: Scope) -> tuple[Node, Scope]:
        """What a name of the learner's stands for, with its parameters bound."""
        definitions = self._on.definitions
        while isinstance(node, Name | Cell):
            name = node.name if isinstance(node, Name) else node.array
            definition = definitions.get(name)
            if definition is None or len(definition.names) == 2:
                return node, scope
            if isinstance(node, Cell):
                at = self.indices(node.indices, scope)
                scope = {**scope, **dict(zip(definition.parameters, at, strict=True))}
            node = definition.body
        return node, scope

    def is_pair(self, node: Node) -> bool:
        found, _ = self._unfolded(node, {}) if isinstance(node, Name) else (node, {})
        if isinstance(found, Cell) and found.array in self._on.definitions:
            return self.is_pair(self._on.definitions[found.array].body)
        return isinstance(found, Pair) or (
            isinstance(found, Reduce)
            and found.kind in ("argmax", "argmin")
            and len(found.names) == 2
        )

    def pair(self, node: Node, scope: Scope) -> tuple[Dual, ...]:
        body, inner = self._unfolded(node, scope)
        if isinstance(body, Pair):
            return tuple(self._on.dual(item, inner) for item in body.items)
        assert isinstance(body, Reduce)
        return self._argbest(body, inner)

    def indices(self, nodes: tuple[Node, ...], scope: Scope) -> tuple[Dual, ...]:
        if len(nodes) == 1 and self.is_pair(nodes[0]):
            return self.pair(nodes[0], scope)
        return tuple(self._on.dual(node, scope) for node in nodes)

    # What runs over indices.

    def reduced(self, node: Node, scope: Scope) -> Dual:
        """A sum, mean, max, min or count; argmax over one index as the number it is."""
        if isinstance(node, Over):
            return self._over_whole(node)
        assert isinstance(node, Reduce)
        if node.kind in ("argmax", "argmin"):
            return self._argbest(node, scope)[0]
        inner, bound, counts = self._bound(node, scope)
        running = tuple(axis for index in bound for axis in index.axes)
        if node.kind == "count":
            truth = self._on.together(np.logical_and, counts, self.condition(node.body, inner))
            data, kept = arrays.flattened(self._on.axes, truth, running)
            return _dual(Axed(data.sum(-1, dtype=np.float64), kept))
        body = self._on.dual(node.body, inner)
        if node.kind in ("sum", "mean"):
            return self._summed(node.kind, body, counts, running)
        return self._best(node.kind, body, counts, running)

    def _summed(self, kind: str, body: Dual, counts: Axed, running: tuple[int, ...]) -> Dual:
        on = self._on

        def total(part: Axed) -> Axed:
            masked = on.together(lambda c, v: np.where(c, v, 0.0), counts, part)
            data, kept = arrays.flattened(on.axes, masked, running)
            return Axed(data.sum(-1), kept)

        value = total(body.value)
        slope = total(body.slope) if body.slope is not None else None
        if kind == "mean":
            data, kept = arrays.flattened(on.axes, counts, running)
            number = Axed(np.where(data.any(-1), data.sum(-1), np.nan), kept)
            value = on.together(np.divide, value, number)
            slope = on.together(np.divide, slope, number) if slope is not None else None
        return _dual(value, slope)

    def _best(self, kind: str, body: Dual, counts: Axed, running: tuple[int, ...]) -> Dual:
        on = self._on
        usual, values, kept = self._first(kind, body.value, counts, running)
        if body.slope is None:
            return _dual(arrays.picked(on.axes, values, kept, usual))
        slopes, wide = arrays.flattened(on.axes, body.slope, running)
        taken = self._chosen(usual, values, (slopes, wide))
        return _dual(
            arrays.picked(on.axes, values, kept, taken), arrays.picked(on.axes, slopes, wide, taken)
        )

    def _first(
        self, kind: str, value: Axed, counts: Axed, running: tuple[int, ...]
    ) -> tuple[Axed, Array, tuple[int, ...]]:
        """The first best place along the running axes, and the values; NaN where none counts."""
        on = self._on
        masked = on.together(lambda c, v: np.where(c, v, np.nan), counts, value)
        data, kept = arrays.flattened(on.axes, masked, running)
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
        mine = arrays.picked(on.axes, data, wide, usual)
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
        return self._best(function, _dual(value, slope), constant(True), index.axes)

    def _stacked(self, parts: list[Axed], index: Axed) -> Axed:
        data, union = self._on.axes.aligned(*parts)
        shape = tuple(self._on.axes.sizes[axis] for axis in union)
        return Axed(
            np.stack([np.broadcast_to(d, shape) for d in data], axis=-1), (*union, *index.axes)
        )

    def _argbest(self, node: Reduce, scope: Scope) -> tuple[Dual, ...]:
        """The first best place, by the indices in the order in which they are named."""
        on = self._on
        inner, bound, counts = self._bound(node, scope)
        running = tuple(axis for index in bound for axis in index.axes)
        body = on.dual(node.body, inner)
        usual, values, kept = self._first(node.kind, body.value, counts, running)
        taken = usual
        if body.slope is not None:
            taken = self._chosen(usual, values, arrays.flattened(on.axes, body.slope, running))
        undefined = arrays.picked(on.axes, values, kept, taken).data * 0
        sizes = [len(index.data) for index in bound]
        places = np.unravel_index(taken.data, sizes)
        return tuple(
            _dual(Axed(index.data[place] + undefined, taken.axes))
            for index, place in zip(bound, places, strict=True)
        )

    def _over_whole(self, node: Over) -> Dual:
        """max(z): over all entries of an array."""
        on = self._on
        assert isinstance(node.region, Name)
        table = on.tables[node.region.name]
        index = [on.axes.new(size) for size in table.value.shape[1:]]
        body = on._table(node.region.name, tuple(index))
        running = tuple(axis for one in index for axis in one.axes)
        if node.kind in ("sum", "mean"):
            return self._summed(node.kind, body, constant(True), running)
        if node.kind in ("argmax", "argmin"):
            usual, _, _ = self._first(node.kind, body.value, constant(True), running)
            return _dual(Axed(usual.data.astype(np.float64), usual.axes))
        return self._best(node.kind, body, constant(True), running)

    def _bound(self, node: Reduce, scope: Scope) -> tuple[dict[str, Dual], list[Axed], Axed]:
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
                    body, at = self._unfolded(domain, inner)
                    assert isinstance(body, Range)
                    index = self._ranged(body, at)
                    truths.append(self._within(index, body, at))
                inner[name] = _dual(index)
                found.append(index)
        if node.condition is not None:
            truths.append(self.condition(node.condition, inner))
        return inner, found, self._all([constant(True), *truths])

    def _tests(self, node: Reduce, inner: Scope) -> list[Axed]:
        truths = []
        for binder in node.binders:
            for name in binder.names:
                if binder.domain is not None:
                    body, at = self._unfolded(binder.domain, inner)
                    assert isinstance(body, Range)
                    truths.append(self._within(inner[name].value, body, at))
        if node.condition is not None:
            truths.append(self.condition(node.condition, inner))
        return truths

    def _ranged(self, domain: Range, scope: Scope) -> Axed:
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


def _dual(value: Axed, slope: Axed | None = None) -> Dual:
    from engine.given.duals import Dual

    return Dual(value, slope)
