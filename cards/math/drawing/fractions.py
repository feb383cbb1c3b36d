"""Fractions: on two lines with a rule, or on one with a slash and what brackets it needs."""

from __future__ import annotations

from cards.math.box import Box
from cards.math.drawing.boxes import blank, hcat, text_box, vcat
from cards.math.drawing.delimiters import fenced
from cards.math.drawing.operands import is_factor, is_product
from cards.math.drawing.ratios import bracketed
from cards.math.drawing.rows import draw_row, draws, glyph
from cards.math.drawing.setting import Setting, inner_of, style_of
from cards.math.tree import Fraction

_RULE = "─"


@draws(Fraction)
def _fraction(node: Fraction, setting: Setting) -> Box:
    if node.style and not setting.script:
        setting = style_of(setting, node.style)
    inner = inner_of(setting)
    above, below = draw_row(node.above, inner), draw_row(node.below, inner)
    if not node.rule:
        return _unruled(node, above, below, setting)
    stacked = setting.stack and node.style != "text"
    if stacked or len(above.rows) > 1 or len(below.rows) > 1:
        return fenced(node.left, _ruled(above, below), node.right)
    slash = hcat(
        (
            above if is_product(node.above) else bracketed(above),
            glyph("/", ""),
            below if is_factor(node.below) else bracketed(below),
        )
    )
    return fenced(node.left, slash, node.right)


def _ruled(above: Box, below: Box) -> Box:
    width = max(above.width, below.width, 1)
    # A fraction in a fraction: the outer rule is the longer one.
    rule = _RULE * width
    if rule in above.rows or rule in below.rows:
        width += 2
    return vcat((above, Box((_RULE * width,), width, 0), below), 1)


def _unruled(node: Fraction, above: Box, below: Box, setting: Setting) -> Box:
    r"""\binom, \atop: two rows; in display style with the axis between them."""
    if setting.flat:
        body = hcat((above, text_box("; "), below))
        return fenced(node.left or "(", body, node.right or ")")
    if setting.stack:
        return fenced(node.left, vcat((above, blank(0), below), 1), node.right)
    stack = vcat((above, below), 0)
    middle = Box(stack.rows, stack.width, (len(stack.rows) - 1) // 2, stack.marks)
    return fenced(node.left, middle, node.right)
