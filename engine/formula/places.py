"""Pairs of coordinates and the sets they belong to: windows, ranges, the places of a maximum."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from engine.formula import reductions
from engine.formula.axes import Axed
from engine.formula.reductions import VALUE_OF
from engine.formula.regions import covers, exists, folded, gather, windows_of
from engine.formula.tree import (
    Binder,
    Cell,
    Name,
    Node,
    Number,
    Over,
    Pair,
    Range,
    Reduce,
    Window,
    Windows,
)
from engine.formula.truth import Truth, both, compared

if TYPE_CHECKING:
    from engine.formula.values import Evaluation

Scope = Mapping[str, Axed]


class Places:
    """Pairs of coordinates and sets of them."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._on = evaluation
        self._tables = evaluation.inputs.tables

    def indices(self, nodes: tuple[Node, ...], scope: Scope) -> tuple[Axed, ...]:
        """The indices of a cell or a set; one pair counts as two."""
        if len(nodes) == 1 and self.is_pair(nodes[0]):
            return self.pair(nodes[0], scope)
        return tuple(self._on.number(node, scope) for node in nodes)

    def resolved(self, node: Node) -> Node:
        """What a name without indices stands for."""
        while isinstance(node, Name) and node.name in self._on.definitions:
            definition = self._on.definitions[node.name]
            if len(definition.names) == 2:
                return node
            node = definition.body
        return node

    def is_pair(self, node: Node) -> bool:
        node = self.resolved(node)
        if isinstance(node, Cell) and node.array in self._on.definitions:
            definition = self._on.definitions[node.array]
            return len(definition.names) == 1 and self.is_pair(definition.body)
        return isinstance(node, Pair) or (isinstance(node, Over | Reduce) and node.kind in VALUE_OF)

    def pair(self, node: Node, scope: Scope) -> tuple[Axed, Axed]:
        node, scope = self._unfolded(node, scope)
        if isinstance(node, Pair):
            return self._on.number(node.items[0], scope), self._on.number(node.items[1], scope)
        if isinstance(node, Over):
            row, column = self.over(node.kind, node.region, scope)
            return row, column
        assert isinstance(node, Reduce)
        return reductions.place(self._on, node, scope)

    def _unfolded(self, node: Node, scope: Scope) -> tuple[Node, Scope]:
        """A definition's body with its parameters bound."""
        node = self.resolved(node)
        while isinstance(node, Cell):
            definition = self._on.definitions[node.array]
            values = self.indices(node.indices, scope)
            scope = {**scope, **dict(zip(definition.parameters, values, strict=True))}
            node = self.resolved(definition.body)
        return node, scope

    def over(self, kind: str, region: Node, scope: Scope) -> tuple[Axed, ...]:
        """`kind` over a window's inputs or over a whole array: one value, or a row and a column."""
        region, scope = self._unfolded(region, scope)
        if isinstance(region, Windows):
            binder = Binder(("k", "l"), region)
            return (
                reductions.reduced(self._on, Reduce("sum", Number(1.0), (binder,), None), scope),
            )
        if isinstance(region, Window):
            row, column = self.indices(region.indices, scope)
            tables = self._window_tables(kind)
            return tuple(gather(self._on.axes, table, row, column) for table in tables)
        assert isinstance(region, Name)
        return tuple(Axed(table, (0,)) for table in self._whole_tables(kind, region.name))

    def _window_tables(self, kind: str) -> tuple[np.ndarray, ...]:
        if (kind, "") not in self._tables:
            values, rows, columns = windows_of(self._on.inputs)
            found = folded(kind, values, ~np.isnan(values))
            if kind in VALUE_OF:
                safe = np.nan_to_num(found).astype(np.intp)[..., None]
                undefined = found * 0
                where = [
                    np.take_along_axis(np.broadcast_to(t, values.shape), safe, -1)[..., 0]
                    for t in (rows, columns)
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

    def member(self, left: Node, right: Node, scope: Scope) -> Truth:
        """Where a place belongs to a set; a window that does not exist has no inputs."""
        if isinstance(self.resolved(right), Range):
            return self.holds((self._on.number(left, scope),), right, scope)
        found = self.holds(self.pair(left, scope), right, scope)
        window = isinstance(self._unfolded(right, scope)[0], Window)
        return Truth(found.holds) if window else found

    def holds(self, at: tuple[Axed, ...], domain: Node, scope: Scope) -> Truth:
        """Where the place `at` (or the one number) belongs to the set; unknown of no window."""
        domain, scope = self._unfolded(domain, scope)
        if isinstance(domain, Range):
            start, stop = (self._on.number(n, scope) for n in (domain.start, domain.stop))
            between = (lambda v, a, b: (v >= a) & (v < b)), at[0], start, stop
            return compared(self._on.together, *between)
        place = (at[0], at[1])
        if isinstance(domain, Window):
            first, second = self.indices(domain.indices, scope)
            covered = covers(self._on.inputs, self._on.axes, place, (first, second))
            there = exists(self._on.inputs, self._on.axes, (first, second))
            gone = None if there is None else Axed(~there.data, there.axes)
            return Truth(covered, gone)
        if isinstance(domain, Windows):
            first, second = self.indices(domain.indices, scope)
            return Truth(covers(self._on.inputs, self._on.axes, (first, second), place))
        return self._tied(place, domain, scope)

    def _tied(self, at: tuple[Axed, Axed], domain: Node, scope: Scope) -> Truth:
        """The places that share the maximum: (i,j) in argmax(k,l)."""
        if isinstance(domain, Reduce):
            best = reductions.reduced(self._on, reductions.as_value(domain), scope)
            inner = {**scope, **dict(zip(domain.names, at, strict=True))}
            same = compared(self._on.together, np.equal, self._on.number(domain.body, inner), best)
            for test in reductions.tests(self._on, domain, inner, scope):
                same = both(self._on.together, same, test)
            return same
        assert isinstance(domain, Over)
        (best,) = self.over(VALUE_OF[domain.kind], domain.region, scope)
        region, inner_scope = self._unfolded(domain.region, scope)
        array = region.name if isinstance(region, Name) else "x"
        values = gather(self._on.axes, getattr(self._on.inputs, array), *at)
        # A place outside of the array is no maximum: only the maximum itself may be undefined.
        values = Axed(np.nan_to_num(values.data, nan=-np.inf), values.axes)
        same = compared(self._on.together, np.equal, values, best)
        if isinstance(region, Window):
            inside = Truth(self.holds(at, region, inner_scope).holds, same.unknown)
            same = both(self._on.together, same, inside)
        return same
