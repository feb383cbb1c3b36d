"""What scripts stand at: the node behind styles and groups, and whether it needs brackets.

In print a script's height tells `(a/b)²` from a squared numerator and `(√x)²` from a longer root;
rows of cells do not, so that such a base gets brackets.
"""

from __future__ import annotations

from cards.math.box import Box
from cards.math.drawing.kinds import core
from cards.math.environment import Environment
from cards.math.tree import (
    Accent,
    Arrow,
    Boxed,
    Brace,
    Classed,
    Delimited,
    Fraction,
    Node,
    Root,
    Row,
    Scripts,
    Stack,
    Symbol,
)

#: Of \cancel and its like: what leaves the base as it is.
_SEEN_THROUGH = frozenset({"cancel", "bcancel", "xcancel", "strike", "smash", "lap"})


def is_level(node: Node | None) -> bool:
    """Whether what is over or under a base is set at it, so that scripts stand on its own row."""
    node = core(node)
    if isinstance(node, Classed):
        node = core(node.body)
    return isinstance(node, Accent | Arrow | Brace | Stack)


def merged(node: Scripts) -> Scripts:
    """`{x_i}^2` as `x_i^2`: a symbol's scripts in one node, where their places are free."""
    inner = node.base
    while isinstance(inner, Row) and len(inner.items) == 1:
        inner = inner.items[0]
    if not isinstance(inner, Scripts) or inner is node.base or inner.limits is not None:
        return node
    if not isinstance(core(inner.base), Symbol) or not _are_free(inner, node):
        return node
    primes = inner.sup.items if inner.sup else ()
    sup = Row((*primes, *(node.sup.items if node.sup else ())), node.span)
    return Scripts(
        inner.base, inner.sub or node.sub, sup if sup.items else None, node.limits, node.span
    )


def needs_brackets(node: Scripts, box: Box, flat: bool) -> bool:
    """Whether the base of `node`, drawn as `box`, could lose a script to one of its parts."""
    base = core(node.base)
    last = _last(base)
    if isinstance(last, Scripts) and not _are_free(last, node):
        return True
    return _is_open(base, box, flat)


def _last(node: Node | None) -> Node | None:
    """What stands right before the scripts of a node: {ax^2}^3 is not ax²³."""
    while True:
        match node := core(node):
            case Row(items=(*_, last)):
                node = last
            case Accent(base=body) | Stack(base=body):
                node = body
            case Boxed(how=how, body=body) if how in _SEEN_THROUGH:
                node = body
            case _:
                return node


def _is_open(node: Node | None, box: Box, flat: bool) -> bool:
    tall = len(box.rows) > 1
    match core(node):
        case Fraction(rule=rule, right=right):
            return not right and (rule or not flat)
        case Root():
            return True
        case Row(items=items):
            return tall and bool(items) and not _closes(items[-1])
        case Environment(right=right, columns=columns):
            return tall and not right and not columns.endswith(("|", ":"))
        case Delimited(left="", right="", parts=parts):
            return tall or _is_open(parts[0], box, flat)
        case Boxed(how=how, body=body):
            return how in _SEEN_THROUGH and _is_open(body, box, flat)
        case Classed(kind=kind, body=body):
            return (kind != "op" or len(body.items) == 1) and _is_open(body, box, flat)
        case Stack(base=body):
            return isinstance(core(body), Fraction | Root | Environment)
        case Accent(base=body):
            return len(box.rows) > 2 or isinstance(core(body), Fraction | Root)
        case Scripts():
            return tall
    return False


def _closes(node: Node) -> bool:
    """Whether a bracket ends what a row ends with."""
    last = core(node)
    while isinstance(last, Scripts):
        last = core(last.base)
    if isinstance(last, Symbol):
        return last.kind == "close" or last.char in ("|", "‖")
    return isinstance(last, Delimited | Environment | Fraction) and bool(last.right)


def _are_free(inner: Scripts, outer: Scripts) -> bool:
    """Whether the places of the outer scripts are free at the inner ones; primes leave theirs."""
    high = inner.sup is not None and not all(
        isinstance(item, Symbol) and item.name == "prime" for item in inner.sup.items
    )
    return not (high and outer.sup is not None) and (inner.sub is None or outer.sub is None)
