r"""Fractions: of numbers, and derivatives in every layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cards.math.tree import Fraction, Node, Operator, Row, Scripts, Styled, Symbol
from engine.latex.parts import after_spaces, group, is_region, is_symbol, letter, solid
from engine.latex.writer import refuse

if TYPE_CHECKING:
    from engine.latex.rows import Transcriber


def fraction(to: Transcriber, items: Sequence[Node], at: int) -> int:
    r"""a/b in brackets; \frac{\partial f}{\partial x} and \frac{\partial}{\partial x} f without."""
    node = items[at]
    assert isinstance(node, Fraction)
    start = node.span[0]
    if not node.rule or node.left or node.right:
        raise refuse("This is no fraction.", "write a quotient", start)
    above, below = solid(node.above.items), solid(node.below.items)
    if not above or not below:
        raise refuse("A part of this fraction is missing.", "write it", start)
    if not (_differential(above) and _differential(below) and len(below) > 1):
        to.out.operand("", start)
        to.wrapped("((", above, ")/(", start)
        to.wrapped("", below, "))", node.below.span[0])
        return at + 1
    behind = at + 1
    if len(above) == 1:  # the operand stands behind the fraction
        behind = after_spaces(items, behind)
        if behind == len(items):
            raise refuse("Nothing is differentiated here.", "write what", start)
        above, behind = _operand(above, items, behind)
    to.out.operand("", start)
    to.row(above)
    to.out.put("/", node.below.span[0])
    to.row(below)
    to.out.put(" ", node.span[1] - 1)
    return behind


def _operand(above: list[Node], items: Sequence[Node], at: int) -> tuple[list[Node], int]:
    r"""The ∂ with what stands behind the fraction: f_{kl}, f_{kl}(x), \max over a window of x."""
    node = items[at]
    if isinstance(node, Scripts) and isinstance(node.base, Operator) and node.sub is not None:
        within = next((n for n, one in enumerate(node.sub.items) if is_symbol(one, "∈")), None)
        body = after_spaces(items, at + 1)
        region = solid(node.sub.items[within + 1 :]) if within is not None else []
        if node.base.text == "max" and is_region(region) and _entry_of_x(items, body):
            place = group(region, 1)
            if place is not None:
                f = Symbol("f", "ord", "f", node.span)
                opens = Symbol("(", "open", "(", node.span)
                closes = Symbol(")", "close", ")", node.span)
                return [*above, f, opens, *place[0], closes], body + 1
    found = group(items, after_spaces(items, at + 1))
    whole = solid(found[0]) if found else []
    if found and len(whole) == 1 and letter(whole[0]) == "x":
        return [*above, node], found[1]
    return [*above, node], at + 1


def _entry_of_x(items: Sequence[Node], at: int) -> bool:
    node = items[at] if at < len(items) else None
    return isinstance(node, Scripts) and node.base is not None and is_symbol(node.base, "x")


def gradient(to: Transcriber, items: Sequence[Node], at: int) -> int:
    r"""\nabla_{x} L: the derivative of L by x."""
    node = items[at]
    behind = after_spaces(items, at + 1)
    if not isinstance(node, Scripts) or node.sub is None or behind == len(items):
        raise refuse("This gradient does not say by what.", r"write \nabla_{x} L", node.span[0])
    to.out.operand("∂", node.span[0])
    to.row([items[behind]])
    to.out.put("/∂", node.sub.span[0])
    to.row(node.sub.items)
    return behind + 1


def _differential(items: Sequence[Node]) -> bool:
    first = items[0]
    while isinstance(first, Row | Styled):
        inner = first.items if isinstance(first, Row) else first.body.items
        if len(inner) != 1:
            return False
        first = inner[0]
    return is_symbol(first, "∂", "d")
