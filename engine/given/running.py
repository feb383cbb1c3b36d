"""What runs over indices: sums, means, largest and smallest, and where these are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from engine.formula.axes import Array, Axed, constant
from engine.formula.problem import OffsetError
from engine.formula.tree import Name, Node, Over, Range, Reduce
from engine.given import arrays
from engine.given.arrays import DIRECTION
from engine.given.dual import Dual, Scope

if TYPE_CHECKING:
    from engine.given.duals import Duals

_LONGEST: Final = 64
_LOW: Final = ("min", "argmin")


class Running:
    def __init__(self, duals: Duals) -> None:
        self._on = duals

    def reduced(self, node: Node, scope: Scope) -> Dual:
        """A sum, mean, max, min or count; argmax over one index as the number it is."""
        if isinstance(node, Over):
            return self._over_whole(node)
        assert isinstance(node, Reduce)
        if node.kind in ("argmax", "argmin"):
            return self.place(node, scope)[0]
        inner, bound, counts = self._bound(node, scope)
        running = tuple(axis for index in bound for axis in index.axes)
        if node.kind == "count":
            truth = self._on.together(
                np.logical_and, counts, self._on.places.condition(node.body, inner)
            )
            data, kept = arrays.flattened(self._on.axes, truth, running)
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
            data, kept = arrays.flattened(on.axes, masked, running)
            rounding = on.rounding
            return Axed(data.sum(-1) if rounding is None else rounding.total(data), kept)

        value = total(body.value)
        slope = total(body.slope) if body.slope is not None else None
        if kind == "mean":
            data, kept = arrays.flattened(on.axes, counts, running)
            number = Axed(np.where(data.any(-1), data.sum(-1), np.nan), kept)
            value = on.together(np.divide, value, number)
            slope = on.together(np.divide, slope, number) if slope is not None else None
        return Dual(value, slope)

    def _best(self, kind: str, body: Dual, counts: Axed, running: tuple[int, ...]) -> Dual:
        on = self._on
        usual, values, kept = self._first(kind, body.value, counts, running)
        if body.slope is None:
            return Dual(arrays.picked(on.axes, values, kept, usual))
        slopes, wide = arrays.flattened(on.axes, body.slope, running)
        taken = self._chosen(usual, values, (slopes, wide))
        return Dual(
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
        return self._best(function, Dual(value, slope), constant(True), index.axes)

    def _stacked(self, parts: list[Axed], index: Axed) -> Axed:
        data, union = self._on.axes.aligned(*parts)
        shape = tuple(self._on.axes.sizes[axis] for axis in union)
        return Axed(
            np.stack([np.broadcast_to(d, shape) for d in data], axis=-1), (*union, *index.axes)
        )

    def place(self, node: Reduce, scope: Scope) -> tuple[Dual, ...]:
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
            Dual(Axed(index.data[place] + undefined, taken.axes))
            for index, place in zip(bound, places, strict=True)
        )

    def _over_whole(self, node: Over) -> Dual:
        """max(z): over all entries of an array."""
        on = self._on
        assert isinstance(node.region, Name)
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
                    body, at = self._on.places.unfolded(domain, inner)
                    assert isinstance(body, Range)
                    index = self._ranged(body, at)
                    truths.append(self._on.places.within(index, body, at))
                inner[name] = Dual(index)
                found.append(index)
        if node.condition is not None:
            truths.append(self._on.places.condition(node.condition, inner))
        return inner, found, self._on.places.all([constant(True), *truths])

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
