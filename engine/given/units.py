"""Functions of each number by itself, y[k] = f(s[k]), and the slopes they are given by mistake."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from engine.formula import echo
from engine.formula.problem import OffsetError
from engine.formula.tree import (
    Arithmetic,
    Cell,
    Choice,
    Comparison,
    Definition,
    Indicator,
    Name,
    Node,
    Number,
    Reduce,
    children,
)
from engine.given.paper import rebuilt, renamed, replaced
from engine.given.slips_of_rules import held
from engine.given.slopes import slope
from engine.verdict import Mistake

_ONE: Final = Number(1.0)
_TWO: Final = Number(2.0)


def inlined(node: Node, functions: Sequence[Definition]) -> Node:
    """A formula with what its functions say in their place."""
    same = rebuilt(node, lambda part: inlined(part, functions))
    for one in functions:
        if isinstance(same, Cell) and same.array == one.names[0] and len(one.parameters) == 1:
            return inlined(renamed(one.body, one.parameters[0], same.indices[0]), functions)
    return same


def unit_of(definition: Definition) -> Cell | None:
    """The s[k] of y[k] = f(s[k]); None where y is made of more than one array, or of sums."""
    found = set(_cells(definition.body))
    if len(found) != 1:
        return None
    cell = found.pop()
    own = tuple(map(Name, definition.parameters))
    return cell if cell is not None and cell.indices == own else None


def _cells(node: Node) -> Iterator[Cell | None]:
    """Every cell; None for a sum, which no unit has."""
    if isinstance(node, Cell):
        yield node
    elif isinstance(node, Reduce):
        yield None
    for part in children(node):
        yield from _cells(part)


def slips(definition: Definition) -> Iterator[tuple[Mistake, Node]]:
    """Wrong slopes of a unit, each as a formula that has it."""
    cell = unit_of(definition)
    if cell is None or definition.body == cell:
        return
    y, s = _left(definition), echo.text(cell)
    body = definition.body
    rule = _rule(definition, cell, s)
    teaching = f"d{y}/d{s} is {rule}." if rule else f"Differentiate {y} by {s} once more, slowly."

    def taken(name: str, wrong: Node) -> tuple[Mistake, Node]:
        return Mistake(name, teaching), Arithmetic("*", held(wrong), cell)

    chain = f"the slope of {y.partition('[')[0]} by {s.partition('[')[0]} is missing"
    teach = f"{y} is a function of {s}: the chain rule multiplies by its derivative."
    yield Mistake(chain, teach), cell
    there = Arithmetic("+", cell, held(Arithmetic("-", body, cell)))
    yield (
        Mistake(f"the derivative at {y} in place of {s}", f"{teaching[:-1]}: at {s}, not at {y}."),
        replaced(body, s, there),
    )
    rest = Arithmetic("-", _ONE, body)
    square = Arithmetic("^", body, _TWO)
    yield taken(f"{y} itself in place of its derivative", body)
    yield taken(f"1 - {y} in place of the derivative", rest)
    yield taken(f"{y}² in place of the derivative", square)
    yield taken(f"1 - {y}² in place of the derivative: that is tanh's",
                Arithmetic("-", _ONE, square))  # fmt: skip
    yield taken(f"{y} (1 - {y}) in place of the derivative: that is the sigmoid's",
                Arithmetic("*", body, rest))  # fmt: skip
    yield taken(f"1 + {y}² in place of the derivative: a sign", Arithmetic("+", _ONE, square))
    more = Arithmetic("*", body, Arithmetic("+", _ONE, body))
    yield taken(f"{y} (1 + {y}) in place of the derivative: a sign", more)
    yield taken(f"{s} (1 - {s}): {s} in place of {y}",
                Arithmetic("*", cell, Arithmetic("-", _ONE, cell)))  # fmt: skip
    yield taken(f"1 - {s}²: {s} in place of {y}",
                Arithmetic("-", _ONE, Arithmetic("^", cell, _TWO)))  # fmt: skip
    yield taken(f"[{s} > 0] in place of the derivative: that is ReLU's",
                Indicator(Comparison((">",), (cell, Number(0.0)))))  # fmt: skip
    yield taken(f"{s} in place of the derivative", cell)
    if isinstance(body, Choice):
        for kept, other in ((True, body.otherwise), (False, body.then)):
            name = f"{echo.text(other)} in place of its own derivative"
            wrong = Arithmetic("*", held(other), cell)
            changed = replace(body, otherwise=wrong) if kept else replace(body, then=wrong)
            yield Mistake(name, teaching), changed


def _rule(definition: Definition, cell: Cell, s: str) -> str:
    """The derivative as a formula, where it is short."""
    try:
        body = replaced(definition.body, s, Name("u"))
        found = slope(body, "u", {})
    except OffsetError:
        return ""
    said = echo.text(renamed(found, "u", cell))
    return said if len(said) <= 70 else ""


def _left(definition: Definition) -> str:
    inside = ",".join(definition.parameters)
    return f"{definition.names[0]}[{inside}]" if inside else definition.names[0]
