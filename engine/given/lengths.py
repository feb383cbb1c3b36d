"""How long each index runs under one choice of sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from engine.formula.tree import (
    Apply,
    Arithmetic,
    Name,
    Negative,
    Node,
    Number,
    Range,
)

#: Lengths of the ranges that `sizes` does not name; different ones, so that a swap shows.
USUAL = (3, 2, 4, 3, 2)


LARGEST = 8


@dataclass(eq=False, slots=True)
class Variable:
    """An index: a parameter of a definition, a bound index, or one dimension of an input."""

    letter: str
    domain: Range | None = None
    scope: dict[str, Variable] = field(default_factory=dict)
    """Of a domain: what its names stand for."""
    joined: Variable | None = None

    @property
    def root(self) -> Variable:
        found = self
        while found.joined is not None:
            found = found.joined
        return found


@dataclass(frozen=True, eq=False)
class Lengths:
    """The length of every range under one choice of sizes."""

    of_range: Mapping[int, int]
    numbers: Mapping[str, float]
    """Constants, and sizes that are used as numbers."""
    place_of: Callable[[Node], Variable | None] = lambda _: None
    """The index that an arg max is a value of."""

    def of(self, variable: Variable) -> int:
        if variable.domain is not None:
            low, high = self._domain(variable)
            return max(1, int(high - low + 1))
        return self.of_range[id(variable.root)]

    def _domain(self, variable: Variable) -> tuple[float, float]:
        assert variable.domain is not None
        low, _ = self.interval(variable.domain.start, variable.scope)
        _, stop = self.interval(variable.domain.stop, variable.scope)
        return low, stop - 1

    def interval(self, node: Node, scope: Mapping[str, Variable]) -> tuple[float, float]:
        """The least and the largest value of an index expression."""
        match node:
            case Number(value):
                return value, value
            case Name(name) if name in scope:
                variable = scope[name]
                return self._reach(variable)
            case Name(name) if name in self.numbers:
                return self.numbers[name], self.numbers[name]
            case Negative(part):
                low, high = self.interval(part, scope)
                return -high, -low
            case Arithmetic(op, left, right):
                return self._arithmetic(op, self.interval(left, scope), self.interval(right, scope))
            case Apply("floor" | "ceil" as kind, (part,)):
                low, high = self.interval(part, scope)
                to = math.floor if kind == "floor" else math.ceil
                return float(to(low)), float(to(high))
        chosen = self.place_of(node)
        return self._reach(chosen) if chosen is not None else (0.0, 0.0)

    def _reach(self, variable: Variable) -> tuple[float, float]:
        if variable.domain is not None:
            return self._domain(variable)
        return 0.0, float(self.of(variable) - 1)

    def _arithmetic(
        self, op: str, one: tuple[float, float], two: tuple[float, float]
    ) -> tuple[float, float]:
        if op == "%":
            return 0.0, max(0.0, two[1] - 1)
        ends = [_APPLY[op](a, b) for a in one for b in two]
        return min(ends), max(ends)


_APPLY: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b if b else 0.0,
    "//": lambda a, b: a // b if b else 0.0,
    "^": lambda a, b: a**b if a >= 0 or float(b).is_integer() else 0.0,
}
