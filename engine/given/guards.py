"""What a condition says of an index: 0 <= i - p < n lets i - p run from 0 to n - 1."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.formula import build
from engine.formula.tree import Arithmetic, Comparison, Indicator, Logic, Node, Number, Range

#: The least value, and what the value stays below; None where nothing is said.
Limit = tuple[Node | None, Node | None]


def limits(index: Node, guards: Iterable[Node]) -> Iterator[Limit]:
    """What conditions that all hold say of an index expression, as it is written."""
    for guard in guards:
        match guard:
            case Logic("and", parts):
                yield from limits(index, parts)
            case Comparison(ops, operands):
                for left, op, right in zip(operands, ops, operands[1:], strict=False):
                    if left == index:
                        yield from _said(op, right)
                    elif right == index:
                        yield from _said(_TURNED.get(op, ""), left)


_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _said(op: str, other: Node) -> Iterator[Limit]:
    """What `index op other` says."""
    one = Number(1.0)
    match op, other:
        case "in", Range(start, stop):
            yield start, stop
        case "<", _:
            yield None, other
        case "<=", _:
            yield None, build.arithmetic("+", other, one, 0)
        case ">", _:
            yield build.arithmetic("+", other, one, 0), None
        case ">=", _:
            yield other, None


def indicated(node: Node) -> Iterator[Node]:
    """The conditions of the indicators that a product has as factors."""
    match node:
        case Indicator(condition):
            yield condition
        case Arithmetic("*", left, right):
            yield from indicated(left)
            yield from indicated(right)
