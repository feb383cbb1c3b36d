r"""Arrows as long as their labels: \xrightarrow, and those of a commutative diagram."""

from __future__ import annotations

from cards.math.box import Box
from cards.math.drawing.boxes import EMPTY, blank, hcat, text_box, vcat, widen
from cards.math.drawing.rows import draw_row, draws
from cards.math.drawing.scripts import attach, pair
from cards.math.drawing.setting import Setting, script_of
from cards.math.tree import Arrow

#: Left end, line and right end of each arrow.
_PIECES = {
    "→": "──→", "←": "←──", "↔": "←─→", "⇒": "══⇒", "⇐": "⇐══", "⇔": "⇐═⇒",
    "⟶": "──→", "⟵": "←──", "⟷": "←─→", "⟹": "══⇒", "⟸": "⇐══", "⟺": "⇐═⇒",
    "↦": "├─→", "⟼": "├─→", "↤": "←─┤", "↪": "╰─→", "↩": "←─╯", "↠": "──↠", "↞": "↞──",
    "⇀": "──⇀", "⇁": "──⇁", "↼": "↼──", "↽": "↽──", "=": "═══", "⤳": "~~→", "⇝": "~~→",
    "↣": "╰─→", "⇢": "╌╌→", "⇠": "←╌╌",
}  # fmt: skip
#: Arrows of two lines: the upper and the lower one.
_PAIRS = {
    "⇌": ("──⇀", "↽──"), "⇋": ("↼──", "──⇁"), "⇄": ("──→", "←──"), "⇆": ("←──", "──→"),
    "⇉": ("──→", "──→"), "⇇": ("←──", "←──"),
}  # fmt: skip
_UPRIGHT = {
    "↑": "↑│", "↓": "│↓", "⇑": "⇑║", "⇓": "║⇓", "‖": "║║", "∥": "║║", "|": "││", "↕": "↑↓",
    "║": "║║",
}  # fmt: skip


@draws(Arrow)
def _arrow(node: Arrow, setting: Setting) -> Box:
    small = script_of(setting)
    over = draw_row(node.over, small) if node.over is not None else None
    under = draw_row(node.under, small) if node.under is not None else None
    if setting.flat:
        return attach(text_box(node.char), pair(under, over), setting)
    return lying(node.char, over, under)


def lying(char: str, over: Box | None, under: Box | None, shortest: int = 3) -> Box:
    """A horizontal arrow under and over its labels, at least `shortest` cells long."""
    labels = [box for box in (over, under) if box is not None and box.width]
    width = max([shortest, *(box.width + 2 for box in labels)])
    pieces = _PAIRS.get(char) or (_PIECES.get(char),)
    strokes = [_stroke(one, width) if one else widen(text_box(char), width, "c") for one in pieces]
    stack = [box for box in (over, *strokes, under) if box is not None]
    return vcat(stack, 0 if over is None else 1)


def _stroke(pieces: str, width: int) -> Box:
    left, line, right = tuple(pieces)
    return Box((left + line * (width - 2) + right,), width, 0)


def is_upright(node: Arrow) -> bool:
    return node.char in _UPRIGHT


def upright(node: Arrow, setting: Setting) -> tuple[Box, Box, Box]:
    """The label left of a vertical arrow, the arrow on three rows, and the label right of it."""
    small = script_of(setting)
    left = draw_row(node.over, small) if node.over is not None else EMPTY
    right = draw_row(node.under, small) if node.under is not None else EMPTY
    top, bottom = tuple(_UPRIGHT[node.char])
    middle = "║" if "║" in (top, bottom) else "│"
    return left, Box((top, middle, bottom), 1, 1), right


def placed_upright(node: Arrow, setting: Setting, left_width: int, right_width: int) -> Box:
    """A vertical arrow in the middle of a column, its labels beside it."""
    left, arrow, right = upright(node, setting)
    return hcat(
        (blank(left_width - left.width), left, arrow, right, blank(right_width - right.width))
    )
