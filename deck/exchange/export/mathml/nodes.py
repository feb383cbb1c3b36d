"""Nodes of the tree to elements."""

from __future__ import annotations

import re
from html import escape

from cards.math.tree import (
    Accent,
    Arrow,
    Boxed,
    Brace,
    Break,
    Choice,
    Classed,
    Delimited,
    Environment,
    Fraction,
    Node,
    Operator,
    Root,
    Row,
    Scripts,
    Space,
    Stack,
    Styled,
    Symbol,
    Tag,
    Text,
    Unknown,
)
from deck.exchange.export.mathml.arrows import arrow
from deck.exchange.export.mathml.atoms import named, symbol
from deck.exchange.export.mathml.elements import (
    Setting,
    element,
    fence,
    grouped,
    inline_of,
    script_of,
    space,
)
from deck.exchange.export.mathml.marks import accented, boxed, braced
from deck.exchange.export.mathml.tables import broken, table

_ALPHABETS = frozenset({"bb", "cal", "scr", "frak"})
_FACES = frozenset({"bold", "bold-italic", "italic", "roman", "sans", "typewriter"})
_STYLES = {
    "display": ("true", "0"),
    "text": ("false", "0"),
    "script": ("false", "1"),
    "scriptscript": ("false", "2"),
}
_COLOUR = re.compile(r"(color|background):([A-Za-z]{1,30}|#[0-9A-Fa-f]{3,8})")
_TEXT_STYLES = {
    "bold": "font-weight:bold",
    "italic": "font-style:italic",
    "typewriter": "font-family:monospace",
    "sans": "font-family:sans-serif",
}


def row(body: Row, setting: Setting) -> str:
    """A row as one element."""
    from deck.exchange.export.mathml.rows import pieces

    if any(isinstance(item, Break) for item in body.items):
        return broken(body, setting)
    return grouped(pieces(body.items, setting))


def node_of(node: Node, setting: Setting, alone: bool = False) -> str:
    """One node as one element; `alone` as for `atoms.symbol`."""
    match node:
        case Symbol():
            return symbol(node, setting, alone)
        case Operator():
            return named(node, False)
        case Scripts():
            return _scripts(node, setting)
        case Row():
            return row(node, setting)
        case Fraction():
            return _fraction(node, setting)
        case Environment():
            return table(node, setting)
        case Delimited():
            return _delimited(node, setting)
        case Styled():
            return _styled(node, setting)
        case Text():
            return _text(node, setting)
        case Space():
            return space(node.em)
        case _:
            return _rarer(node, setting)


def _rarer(node: Node, setting: Setting) -> str:
    match node:
        case Root(body, None):
            return element("msqrt", row(body, inline_of(setting)))
        case Root(body, degree) if degree is not None:
            small = row(degree, script_of(setting))
            return element("mroot", row(body, inline_of(setting)) + small)
        case Accent():
            return accented(node.name, row(node.base, setting), node.over, node.wide)
        case Brace():
            return braced(node.shape, row(node.base, setting), node.over)
        case Stack():
            base = row(node.base, setting)
            return _under_over(base, node.under, node.over, setting)
        case Arrow():
            return arrow(node, setting)
        case Boxed():
            return boxed(node.how, row(node.body, setting))
        case Classed():
            return _classed(node, setting)
        case Choice():
            chosen = node.script if setting.small else node.text
            return row(node.display if setting.display else chosen, setting)
        case Tag():
            return element("mrow", space(2) + row(node.body, inline_of(setting)))
        case Unknown():
            return element("merror", element("mtext", escape(node.name)))
    return ""


def _fraction(node: Fraction, setting: Setting) -> str:
    inner = setting._replace(display=False)
    rule = {} if node.rule else {"linethickness": "0"}
    drawn = element("mfrac", row(node.above, inner) + row(node.below, inner), **rule)
    if node.style:
        big = "true" if node.style == "display" else "false"
        drawn = element("mstyle", drawn, displaystyle=big, scriptlevel="0")
    if node.left or node.right:
        return element("mrow", fence(node.left) + drawn + fence(node.right))
    return drawn


def _delimited(node: Delimited, setting: Setting) -> str:
    pieces = [fence(node.left)]
    for index, part in enumerate(node.parts):
        if index:
            pieces.append(fence(node.middles[index - 1]))
        pieces.append(row(part, setting))
    return element("mrow", "".join([*pieces, fence(node.right)]))


def _scripts(node: Scripts, setting: Setting) -> str:
    limits = _takes_limits(node, setting)
    core = _core(node.base)
    if node.base is None:
        base = element("mrow")
    elif isinstance(core, Operator):
        base = named(core, limits)
    else:
        base = node_of(node.base, setting)
    if limits:
        return _under_over(base, node.sub, node.sup, setting)
    small = script_of(setting)
    low = row(node.sub, small) if node.sub is not None else ""
    high = row(node.sup, small) if node.sup is not None else ""
    name = "msubsup" if low and high else "msub" if low else "msup"
    return element(name, base + low + high)


def _takes_limits(node: Scripts, setting: Setting) -> bool:
    if node.limits is not None:
        return node.limits
    match _core(node.base):
        case Operator(limits=limits):
            return limits == "always" or (limits == "display" and setting.display)
        case Brace():
            return True
        case Classed(kind="op"):
            return setting.display
    return False


def _core(node: Node | None) -> Node | None:
    """What is left of a row of one node."""
    while isinstance(node, Row) and len(node.items) == 1:
        node = node.items[0]
    return node


def _under_over(base: str, under: Row | None, over: Row | None, setting: Setting) -> str:
    small = script_of(setting)
    low = row(under, small) if under is not None else ""
    high = row(over, small) if over is not None else ""
    if not (low or high):
        return base
    name = "munderover" if low and high else "munder" if low else "mover"
    return element(name, base + low + high)


def _styled(node: Styled, setting: Setting) -> str:
    if node.style in _ALPHABETS or node.style in _FACES:
        return row(node.body, setting._replace(font=node.style))
    if node.style in _STYLES:
        display, level = _STYLES[node.style]
        inner = setting._replace(display=display == "true", small=level != "0")
        drawn = row(node.body, inner)
        return element("mstyle", drawn, displaystyle=display, scriptlevel=level)
    drawn = row(node.body, setting)
    found = _COLOUR.fullmatch(node.style)
    if not found:
        return drawn
    key = "mathcolor" if found[1] == "color" else "mathbackground"
    return element("mstyle", drawn, **{key: found[2]})


def _classed(node: Classed, setting: Setting) -> str:
    """A row with the gaps of its class around it."""
    inner = row(node.body, setting)
    gap = {"rel": 5 / 18, "bin": 4 / 18}.get(node.kind, 0.0)
    if not gap or setting.small:
        return inner if inner.startswith("<mrow>") else element("mrow", inner)
    return element("mrow", space(gap) + inner + space(gap))


def _text(node: Text, setting: Setting) -> str:
    style = _TEXT_STYLES.get(node.font, "")
    pieces = []
    for part in node.parts:
        if not isinstance(part, str):
            pieces.append(node_of(part, inline_of(setting)._replace(font="")))
            continue
        shown = escape(part.replace(" ", "\u00a0") if part != part.strip() else part)
        pieces.append(element("mtext", shown, style=style) if style else element("mtext", shown))
    return grouped(pieces) if pieces else element("mrow")
