"""The kind of a drawn node among its neighbours, in the terms of spacing.py."""

from __future__ import annotations

from cards.math.box import Box
from cards.math.environment import Environment
from cards.math.tree import (
    Arrow,
    Boxed,
    Brace,
    Classed,
    Delimited,
    Fraction,
    Node,
    Operator,
    Row,
    Scripts,
    Stack,
    Styled,
    Symbol,
    Unknown,
)

_OPENING = frozenset("([{⟨⌈⌊")
_CLOSING = frozenset(")]}⟩⌉⌋")


def core(node: Node | None) -> Node | None:
    """What a style or a group of one is about."""
    while isinstance(node, Styled | Row):
        items = node.body.items if isinstance(node, Styled) else node.items
        if len(items) != 1:
            return node
        node = items[0]
    return node


def kind_of_symbol(node: Symbol) -> str:
    r"""\big( opens, though TeX calls it ordinary."""
    if node.size and node.kind == "ord":
        return "open" if node.char in _OPENING else "close" if node.char in _CLOSING else "ord"
    return node.kind


def _is_large(node: Node) -> bool:
    return isinstance(node, Operator) and node.large


def kind_of(node: Node, box: Box) -> str:
    """The kind of a drawn node among its neighbours; the first one of spacing.py's table."""
    tall = len(box.rows) > 1
    match node:
        case Symbol():
            return kind_of_symbol(node)
        case Operator():
            return "large" if node.large else "op"
        case Scripts():
            if isinstance(core(node.base), Fraction):
                return "fence"
            return kind_of(node.base, box) if node.base is not None else "ord"
        case Fraction():
            fenced = node.left or node.right or (not tall and not node.rule)
            return "fence" if fenced else "inner" if tall else "ratio"
        case Delimited():
            return "fence"
        case Environment():
            fenced = bool(node.left or node.right) and not tall
            return "fence" if fenced else "inner"
        case Stack() if len(node.base.items) == 1 and isinstance(node.base.items[0], Operator):
            return kind_of(node.base.items[0], box)
        case Classed(kind="op", body=Row(items=items)) if any(map(_is_large, items)):
            return "large"
        case Stack() | Classed():
            return node.kind
        case Arrow():
            return "rel"
        case Row() if len(node.items) == 1 and isinstance(node.items[0], Fraction):
            return kind_of(node.items[0], box)
        case Unknown():
            return "op"
        case Boxed():
            return "inner" if tall and node.how == "box" else "ord"
        case Brace():
            return "inner" if tall else "ord"
        case _:
            return "ord"
