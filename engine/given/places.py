"""Conditions, pairs and indices: the part of a formula that picks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from engine.formula.axes import Axed
from engine.formula.tree import (
    Cell,
    Comparison,
    Logic,
    Name,
    Node,
    Not,
    Pair,
    Range,
    Reduce,
)
from engine.given import sides
from engine.given.dual import Dual, Scope

if TYPE_CHECKING:
    from engine.given.duals import Duals

_LOW: Final = ("min", "argmin")


class Places:
    def __init__(self, duals: Duals) -> None:
        self._on = duals

    # Conditions.

    def condition(self, node: Node, scope: Scope) -> Axed:
        match node:
            case Comparison(ops, operands):
                steps = zip(operands, ops, operands[1:], strict=False)
                return self.all([self._compared(*step, scope) for step in steps])
            case Logic(op, parts):
                truths = [self.condition(part, scope) for part in parts]
                return self.all(truths) if op == "and" else self._any(truths)
            case Not(operand):
                return self._on.together(np.logical_not, self.condition(operand, scope))
            case Name() | Cell():
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

    def _compared(self, left: Node, op: str, right: Node, scope: Scope) -> Axed:
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
        return sides.compared(self._on, (left, right), ends[0], op, ends[1])

    def _member(self, left: Node, right: Node, scope: Scope) -> Axed:
        domain, inner = self.unfolded(right, scope)
        at = self.pair(left, scope) if self.is_pair(left) else (self._on.dual(left, scope),)
        if isinstance(domain, Range):
            return self.within(at[0].value, domain, inner)
        assert isinstance(domain, Reduce)
        return self._shares(at, domain, inner)

    def within(self, at: Axed, domain: Range, scope: Scope) -> Axed:
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
        return self.all(truths)

    # Pairs.

    def unfolded(self, node: Node, scope: Scope) -> tuple[Node, Scope]:
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
        found, _ = self.unfolded(node, {}) if isinstance(node, Name) else (node, {})
        if isinstance(found, Cell) and found.array in self._on.definitions:
            return self.is_pair(self._on.definitions[found.array].body)
        return isinstance(found, Pair) or (
            isinstance(found, Reduce)
            and found.kind in ("argmax", "argmin")
            and len(found.names) == 2
        )

    def pair(self, node: Node, scope: Scope) -> tuple[Dual, ...]:
        body, inner = self.unfolded(node, scope)
        if isinstance(body, Pair):
            return tuple(self._on.dual(item, inner) for item in body.items)
        assert isinstance(body, Reduce)
        return self._on.running.place(body, inner)

    def indices(self, nodes: tuple[Node, ...], scope: Scope) -> tuple[Dual, ...]:
        if len(nodes) == 1 and self.is_pair(nodes[0]):
            return self.pair(nodes[0], scope)
        return tuple(self._on.dual(node, scope) for node in nodes)

    def _tests(self, node: Reduce, inner: Scope) -> list[Axed]:
        truths = []
        for binder in node.binders:
            for name in binder.names:
                if binder.domain is not None:
                    body, at = self.unfolded(binder.domain, inner)
                    assert isinstance(body, Range)
                    truths.append(self.within(inner[name].value, body, at))
        if node.condition is not None:
            truths.append(self.condition(node.condition, inner))
        return truths
