"""What stands side by side: digits are joined to numbers, letters to names, gaps are made."""

from __future__ import annotations

from collections.abc import Sequence

from cards.math.tree import (
    Arrow,
    Classed,
    Delimited,
    Fraction,
    Node,
    Operator,
    Row,
    Scripts,
    Space,
    Stack,
    Styled,
    Symbol,
)
from deck.exchange.export.mathml.atoms import number, word
from deck.exchange.export.mathml.elements import Setting, operator, space
from deck.exchange.export.mathml.nodes import node_of

#: Behind these nothing can be added or subtracted: a minus is a sign.
_OPENING = frozenset({"", "bin", "rel", "open", "punct", "op"})
_NAMING = frozenset({"roman", "bold", "sans", "typewriter"})
_APPLY = "\u2061"
_THIN = 1 / 6


def pieces(items: Sequence[Node], setting: Setting) -> list[str]:
    """The elements of a row."""
    found: list[str] = []
    before, at = "", 0
    while at < len(items):
        end = _joined(items, at, setting)
        if end > at + 1:
            found.append(_run(items[at:end], setting))
            before, at = "ord", end
            continue
        node = items[at]
        kind = kind_of(node)
        function = is_function(node)
        if function and before in ("ord", "close", "inner") and not setting.small:
            found.append(space(_THIN))
        found.append(node_of(node, setting, alone=kind == "bin" and before in _OPENING))
        following = items[at + 1] if at + 1 < len(items) else None
        if function and following is not None:
            found += _applied(following, setting)
        if not isinstance(node, Space):
            before = kind
        at += 1
    return found


def _applied(following: Node, setting: Setting) -> list[str]:
    """What stands between a function and its argument."""
    kind = kind_of(following)
    gap = kind in ("ord", "op", "inner") and not isinstance(following, Space) and not setting.small
    return [operator(_APPLY), space(_THIN)] if gap else [operator(_APPLY)]


def _joined(items: Sequence[Node], at: int, setting: Setting) -> int:
    """The end of the number or the name that begins here."""
    end = at
    first = items[at]
    if not isinstance(first, Symbol) or first.kind != "ord" or first.size:
        return at
    if first.char.isdecimal():
        while end < len(items) and _is_digit(items, end):
            end += 1
    elif setting.font in _NAMING:
        while end < len(items) and _is_letter(items[end]):
            end += 1
    return end


def _is_digit(items: Sequence[Node], at: int) -> bool:
    node = items[at]
    if not isinstance(node, Symbol) or node.size:
        return False
    if node.char == ".":
        following = items[at + 1] if at + 1 < len(items) else None
        return isinstance(following, Symbol) and following.char.isdecimal()
    return node.kind == "ord" and node.char.isdecimal()


def _is_letter(node: Node) -> bool:
    return isinstance(node, Symbol) and node.kind == "ord" and not node.size and node.char.isalpha()


def _run(items: Sequence[Node], setting: Setting) -> str:
    text = "".join(item.char for item in items if isinstance(item, Symbol))
    return number(text, setting) if text[0].isdecimal() else word(text, setting)


def kind_of(node: Node) -> str:
    """TeX's class of an atom."""
    match node:
        case Symbol(kind=kind) | Stack(kind=kind) | Classed(kind=kind):
            return kind
        case Operator():
            return "op"
        case Scripts(base=base):
            return kind_of(base) if base is not None else "ord"
        case Arrow():
            return "rel"
        case Delimited() | Fraction():
            return "inner"
        case Row(items=items) if len(items) == 1 and isinstance(items[0], Operator):
            return "op"
        case Styled(style="display" | "text", body=Row(items=items)) if items:
            return kind_of(items[0])
    return "ord"


def is_function(node: Node) -> bool:
    """Whether a node is a function's name, which is set as a word."""
    match node:
        case Operator(large=large):
            return not large
        case Scripts(base=base) if base is not None:
            return is_function(base)
        case Row(items=items) if len(items) == 1:
            return is_function(items[0])
        case Stack(kind="op", base=base):
            return is_function(base)
    return False
