"""What may stand beside the slash of a/b without brackets.

`1/2σ²` can be read in two ways, so it is `1/(2σ²)`; `1/2`, `∂f/∂x`, `p(x)/q(x)`, `1/|x|` and
`ab/c` can be read in one.  Where in doubt, brackets.
"""

from __future__ import annotations

from collections.abc import Sequence

from cards.math.drawing.kinds import core
from cards.math.environment import Environment
from cards.math.tree import (
    Arrow,
    Brace,
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
    Text,
    Unknown,
)

#: Letters that are functions where a bracket follows.
_FUNCTIONS = frozenset("fghpqFGHPQΓφψΦΨ")
_OPENING = frozenset("([{⟨⌈⌊|‖")
_CLOSING = frozenset(")]}⟩⌉⌋|‖")


def is_product(row: Row) -> bool:
    """Whether a row may stand before a slash as it is: factors side by side, or -1."""
    items = _flat(row)
    if len(items) == 1:
        return _is_whole(items[0])
    if _is_sign(items[0] if items else None):
        items = items[1:]
    return bool(items) and all(_is_plain(item) for item in _outside_brackets(items))


def is_factor(row: Row) -> bool:
    """Whether a row may stand after a slash as it is: one thing."""
    items = _flat(row)
    if len(items) == 1:
        return _is_whole(items[0])
    if len(items) > 1 and isinstance(items[-1], Symbol) and items[-1].char == "!":
        return is_single(items[:-1])
    if is_single(items):
        return True
    head = _base(items[0]) if items else None
    if isinstance(head, Symbol) and head.char in "∂dⅆ" and len(items) == 2:
        return _is_plain(items[1]) and not _is_text(items[1])
    if isinstance(head, Operator) and not head.large:
        return is_single(items[1:]) and _is_whole(items[-1])
    return False


def is_single(items: Sequence[Node]) -> bool:
    """One atom, a number, something in brackets, or a function of that."""
    if len(items) == 1:
        return _is_whole(items[0])
    if all(
        isinstance(item, Symbol) and (item.char.isdigit() or item.char == ".") for item in items
    ):
        return bool(items)
    if items and isinstance(items[0], Symbol) and items[0].char in _OPENING:
        return _closes_last(items)
    head = _base(items[0]) if items else None
    named = isinstance(head, Symbol) and head.char in _FUNCTIONS
    if not named or len(items) < 2:
        return False
    if len(items) == 2 and isinstance(items[1], Delimited):
        return not any(_has_sum(part.items) for part in items[1].parts)
    opens = isinstance(items[1], Symbol) and items[1].char in _OPENING and items[1].char != "|"
    return opens and _closes_last(items[1:]) and not _has_sum(items)


def _outside_brackets(items: Sequence[Node]) -> list[Node]:
    depth = 0
    outside: list[Node] = []
    for item in items:
        head = _base(item)
        kind = head.kind if isinstance(head, Symbol) else "ord"
        depth -= kind == "close"
        if depth <= 0:
            outside.append(item)
        depth += kind == "open"
    return outside


def _flat(row: Row) -> list[Node]:
    """The atoms of a row: without spaces, styles opened."""
    items: list[Node] = []
    for item in row.items:
        if isinstance(item, Styled):
            items += _flat(item.body)
        elif isinstance(item, Row) and len(row.items) == 1:
            items += _flat(item)
        elif not isinstance(item, Space):
            items.append(item)
    return items


def _base(node: Node | None) -> Node | None:
    while isinstance(node, Scripts):
        node = node.base
    return node


def _is_sign(node: Node | None) -> bool:
    return isinstance(node, Symbol) and node.kind == "bin"


def _is_text(node: Node) -> bool:
    return isinstance(_base(node), Text | Unknown)


def _is_bracketed(node: Node) -> bool:
    """A fraction with scripts stands in brackets."""
    return isinstance(node, Scripts) and isinstance(core(node.base), Fraction)


def _is_plain(node: Node) -> bool:
    """Whether a node among factors is one that neither adds nor reaches beyond itself."""
    if _is_bracketed(node):
        return True
    base = _base(node)
    if isinstance(base, Symbol):
        return base.kind in ("ord", "open", "close") and base.char != "/"
    unsafe = (Operator, Fraction, Text, Stack, Classed, Arrow, Unknown, Environment, Brace)
    if isinstance(base, Row):
        return all(_is_plain(item) for item in base.items)
    return not isinstance(base, unsafe)


def _is_whole(node: Node) -> bool:
    """Whether a node that stands alone is one thing to the eye."""
    if _is_bracketed(node):
        return True
    base = _base(node)
    if isinstance(base, Symbol):
        return base.char != "/"
    if isinstance(base, Operator | Unknown):
        return True
    if isinstance(base, Text):
        return all(isinstance(part, str) and part.strip().isalnum() for part in base.parts)
    if isinstance(base, Fraction):
        return bool(base.left and base.right)
    if isinstance(base, Environment):
        return bool(base.left and base.right)
    if isinstance(base, Row):
        return base is node and is_single(_flat(base))
    return not isinstance(base, Stack | Classed | Arrow | Brace)


def _closes_last(items: Sequence[Node]) -> bool:
    """Whether the bracket that `items` begin with is closed by their last one."""
    depth = 0
    for index, item in enumerate(items):
        head = _base(item)
        if not isinstance(head, Symbol):
            continue
        if head.char in "|‖":
            if index and index < len(items) - 1 and isinstance(items[0], Symbol):
                if items[0].char == head.char:
                    return False
                continue
            depth += 1 if not index else -1
        elif head.char in _OPENING:
            depth += 1
        elif head.char in _CLOSING:
            depth -= 1
        if depth == 0:
            return index == len(items) - 1
    return False


def _has_sum(items: Sequence[Node]) -> bool:
    return any(isinstance(item, Symbol) and item.kind == "bin" for item in items)
