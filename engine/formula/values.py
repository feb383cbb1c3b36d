"""Numbers and conditions of a tree, node by node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from engine.formula.axes import Array, Axed, Axes, constant
from engine.formula.places import Places
from engine.formula.reductions import reduced
from engine.formula.regions import Inputs, gather
from engine.formula.tree import (
    Apply,
    Arithmetic,
    Cell,
    Choice,
    Comparison,
    Formula,
    Indicator,
    Logic,
    Name,
    Negative,
    Node,
    Not,
    Number,
    Over,
    Reduce,
)
from engine.formula.truth import Truth, both, compared, either, hidden, negated

_OPERATORS: Final[dict[str, Callable[..., Array]]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "//": np.floor_divide,
    "%": np.mod,
    "^": np.power,
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
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
    "max": lambda *parts: _chained(np.maximum, parts),
    "min": lambda *parts: _chained(np.minimum, parts),
}
Scope = Mapping[str, Axed]


def _chained(function: Callable[..., Array], parts: tuple[Array, ...]) -> Array:
    found = parts[0]
    for part in parts[1:]:
        found = function(found, part)
    return found


class Evaluation:
    """One formula on some inputs.  `scope` maps each index to its values."""

    def __init__(self, inputs: Inputs, axes: Axes, formula: Formula, absent: bool = False) -> None:
        self.inputs = inputs
        self.axes = axes
        self.roles = formula.roles
        self.absent = absent
        """Whether the message of a window that does not exist makes its product 0."""
        self.definitions = {name: d for d in formula.tree.definitions for name in d.names}
        self.places = Places(self)
        self._scalars = inputs.scalars()

    def together(self, function: Callable[..., Any], *values: Axed) -> Axed:
        arrays, union = self.axes.aligned(*values)
        return Axed(np.asarray(function(*arrays)), union)

    def number(self, node: Node, scope: Scope) -> Axed:
        match node:
            case Number(value):
                return constant(value)
            case Name(name):
                return self._name(name, scope)
            case Cell():
                return self._cell(node, scope)
            case Apply(function, arguments):
                parts = [self.number(part, scope) for part in arguments]
                return self.together(_FUNCTIONS[function], *parts)
            case Arithmetic():
                return self._arithmetic(node, scope)
            case Negative(operand):
                return self.together(np.negative, self.number(operand, scope))
            case Indicator(condition):
                truth = self.condition(condition, scope)
                ones = Axed(truth.holds.data.astype(np.float64), truth.holds.axes)
                return hidden(self.together, ones, truth)
            case Choice(condition, then, otherwise):
                parts = [self._counted(part, scope) for part in (then, otherwise)]
                truth = self.condition(condition, scope)
                chosen = self.together(np.where, truth.holds, *parts)
                return chosen if truth.unknown is None else self._either(chosen, parts, truth)
            case Over(kind, region):
                return self.places.over(kind, region, scope)[0]
            case Reduce():
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

    def _cell(self, node: Cell, scope: Scope) -> Axed:
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

    def _counted(self, node: Node, scope: Scope) -> Axed:
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

    def _arithmetic(self, node: Arithmetic, scope: Scope) -> Axed:
        return self._guarded(node, scope)[0]

    def _guarded(self, node: Node, scope: Scope) -> tuple[Axed, Axed | None]:
        """A number, and where a false condition is a factor of it; None where there is none.

        There it is 0, whatever the other factors are: [false] * undefined is 0, and so is
        [false] / undefined.  So it is, where `absent`, with the message of no window.
        """
        match node:
            case Indicator():
                value = self.number(node, scope)
                return value, Axed(np.asarray(value.data == 0), value.axes)
            case Cell("delta") if self.absent and "delta" not in self.definitions:
                value = self.number(node, scope)
                return value, Axed(np.isnan(value.data), value.axes)
            case Negative(operand):
                value, off = self._guarded(operand, scope)
                return self.together(np.negative, value), off
            case Arithmetic(op, left, right):
                one, off = self._guarded(left, scope)
                two, also = self._guarded(right, scope)
                if op not in ("*", "/"):
                    off = None
                elif op == "*" and also is not None:
                    off = also if off is None else self.together(np.logical_or, off, also)
                return self._calculated(op, one, two, off), off
            case Name(name) if name in self.definitions and name not in scope:
                if len(self.definitions[name].names) == 1:
                    return self._guarded(self.definitions[name].body, scope)
            case Cell(name) if name in self.definitions and len(self.definitions[name].names) == 1:
                return self._guarded(self.definitions[name].body, self._inside(node, scope))
        return self.number(node, scope), None

    def _calculated(self, op: str, one: Axed, two: Axed, off: Axed | None) -> Axed:
        parts, union = (
            self.axes.aligned(one, two) if off is None else self.axes.aligned(one, two, off)
        )
        left = np.asarray(parts[0], dtype=np.float64) if op == "^" else parts[0]
        value = _OPERATORS[op](left, parts[1])
        if off is not None and not np.isfinite(value).all():
            value = np.where(parts[2], 0.0, value)
        return Axed(np.asarray(value), union)

    def _inside(self, node: Cell, scope: Scope) -> Scope:
        """The scope of a definition that is used with indices."""
        indices = self.places.indices(node.indices, scope)
        return {**scope, **dict(zip(self.definitions[node.array].parameters, indices, strict=True))}

    def condition(self, node: Node, scope: Scope) -> Truth:
        match node:
            case Comparison(ops, operands):
                steps = zip(operands, ops, operands[1:], strict=False)
                return self._all([self._compared(*step, scope) for step in steps])
            case Logic(op, operands):
                truths = [self.condition(part, scope) for part in operands]
                return self._all(truths) if op == "and" else self._any(truths)
            case Not(operand):
                return negated(self.together, self.condition(operand, scope))
            case Name(name) | Cell(name):
                inner = self._inside(node, scope) if isinstance(node, Cell) else scope
                return self.condition(self.definitions[name].body, inner)
        raise AssertionError(node)

    def _all(self, truths: list[Truth]) -> Truth:
        found = truths[0]
        for truth in truths[1:]:
            found = both(self.together, found, truth)
        return found

    def _any(self, truths: list[Truth]) -> Truth:
        found = truths[0]
        for truth in truths[1:]:
            found = either(self.together, found, truth)
        return found

    def _compared(self, left: Node, op: str, right: Node, scope: Scope) -> Truth:
        if op in ("in", "not in"):
            found = self.places.member(left, right, scope)
            return found if op == "in" else negated(self.together, found)
        if self.places.is_pair(left):
            ones, twos = self.places.pair(left, scope), self.places.pair(right, scope)
            pairs = zip(ones, twos, strict=True)
            found = self._all([compared(self.together, np.equal, *pair) for pair in pairs])
            return found if op == "==" else negated(self.together, found)
        one, two = self.number(left, scope), self.number(right, scope)
        return compared(self.together, _OPERATORS[op], one, two)
