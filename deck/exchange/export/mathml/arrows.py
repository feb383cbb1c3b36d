"""Arrows as long as their labels."""

from __future__ import annotations

from cards.math.tree import Arrow, Row
from deck.exchange.export.mathml.elements import Setting, element, operator, script_of, space

_UPRIGHT = frozenset("↑↓⇑⇓↕‖∥|║")
_LEAST = "1.8em"


def arrow(node: Arrow, setting: Setting) -> str:
    """With its labels over and under it; of an upright one, left and right of it."""
    shaft = operator(node.char, stretchy="true", minsize=_LEAST) if node.char else space(1)
    if node.char in _UPRIGHT:
        over, under = (_small(label, setting) for label in (node.over, node.under))
        return element("mrow", over + shaft + under)
    low, high = (_padded(label, setting) for label in (node.under, node.over))
    if not (low or high):
        return shaft
    name = "munderover" if low and high else "munder" if low else "mover"
    return element(name, shaft + low + high)


def _small(label: Row | None, setting: Setting) -> str:
    return element("mstyle", _row(label, setting), scriptlevel="1") if label is not None else ""


def _padded(label: Row | None, setting: Setting) -> str:
    if label is None:
        return ""
    # Core knows no "+0.8em": the gaps are spaces.
    return element("mrow", space(0.4) + _row(label, setting) + space(0.4))


def _row(label: Row, setting: Setting) -> str:
    from deck.exchange.export.mathml.nodes import row

    return row(label, script_of(setting))
