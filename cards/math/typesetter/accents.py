r"""What is drawn on, over and around a row: accents, braces, frames, long arrows."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from cards.math.tree import Accent, Arrow, Boxed, Brace, Operator, Styled, Text
from cards.math.typesetter.box import (
    EMPTY,
    Box,
    blank,
    bracketed,
    char_width,
    hcat,
    pad,
    text_box,
    vcat,
    widen,
)
from cards.math.typesetter.rows import RowStyle, draw_row, draw_script, draws
from cards.math.typesetter.scripts import attach, labelled, pair

#: The combining mark of each accent, for one letter.
_MARKS = {
    "hat": "\u0302", "widehat": "\u0302", "check": "\u030c", "widecheck": "\u030c",
    "tilde": "\u0303", "widetilde": "\u0303", "utilde": "\u0330", "acute": "\u0301",
    "grave": "\u0300", "dot": "\u0307", "ddot": "\u0308", "dddot": "\u20db", "ddddot": "\u20dc",
    "breve": "\u0306", "bar": "\u0304", "overline": "\u0304", "vec": "\u20d7",
    "overrightarrow": "\u20d7", "overleftarrow": "\u20d6", "overleftrightarrow": "\u20e1",
    "mathring": "\u030a", "underline": "\u0332", "overrightharpoon": "\u20d1",
    "overleftharpoon": "\u20d0",
}  # fmt: skip
#: Over several letters: left end, filling, right end.
_DRAWN = {
    "hat": "╱‾╲", "widehat": "╱‾╲", "check": "╲_╱", "widecheck": "╲_╱",
    "tilde": "~~~", "widetilde": "~~~", "utilde": "~~~",
    "bar": "___", "overline": "___", "underline": "‾‾‾", "breve": "╰─╯",
    "vec": "──→", "overrightarrow": "──→", "underrightarrow": "──→", "Overrightarrow": "══⇒",
    "overleftarrow": "←──", "underleftarrow": "←──",
    "overleftrightarrow": "←─→", "underleftrightarrow": "←─→",
    "overrightharpoon": "──⇀", "overleftharpoon": "↼──",
}  # fmt: skip
#: Of those marks, on nothing.
_ALONE = {"\u0302": "^", "\u0303": "~", "\u0304": "¯"}
#: What says on one row which way an arrow without a combining form goes.
_ARROWS = {
    "underrightarrow": "→", "underleftarrow": "←", "underleftrightarrow": "↔",
    "underleftharpoon": "↽", "Overrightarrow": "⇒",
}  # fmt: skip
#: Lines that can be put on each letter, so that the whole stays on one row.
_ON_EACH = {"bar": "\u0305", "overline": "\u0305", "underline": "\u0332"}


@draws(Accent)
def _accent(node: Accent, setting: RowStyle) -> Box:
    box = draw_row(node.base, setting)
    mark = _MARKS.get(node.name, "")
    if box.width == 0:  # an accent on nothing
        return text_box(_ALONE.get(mark, " " + mark)) if mark else box
    if len(box.rows) == 1:
        row = box.rows[0]
        if mark and sum(map(bool, map(char_width, row))) == 1:
            return Box((_composed(row, mark),), box.width, 0, box.marks)
        inline = setting.flat or setting.script or not setting.stack
        if inline and node.name in _ON_EACH:
            return _on_each(box, _ON_EACH[node.name])
        if setting.flat:
            return _beside(node, box, mark)
    pieces = _DRAWN.get(node.name)
    line = _stroke(pieces, box.width) if pieces else text_box(" " + mark if mark else node.name)
    return vcat((line, box), 1) if node.over else vcat((box, line), 0)


@lru_cache(maxsize=1024)
def _composed(row: str, mark: str) -> str:
    """One letter with a mark: one character where Unicode has it."""
    return unicodedata.normalize("NFC", row + mark)


def _on_each(box: Box, mark: str) -> Box:
    """A combining mark on each character that is not blank, behind the marks that it has."""
    rows = []
    for row in box.rows:
        pieces = [
            char + mark if wide and not char.isspace() else char
            for char, wide in zip(row, [*map(char_width, row[1:]), 1], strict=False)
        ]
        rows.append("".join(pieces))
    return Box(tuple(rows), box.width, box.baseline, box.marks)


def _beside(node: Accent, box: Box, mark: str) -> Box:
    """An accent on more than a letter, on one row: on the bracket that closes it; an arrow that
    no letter bears stands after it (lim→)."""
    if arrow := _ARROWS.get(node.name):
        only = node.base.items[0] if len(node.base.items) == 1 else None
        # A function's name is one word.
        word = (
            only.style == "roman" if isinstance(only, Styled) else isinstance(only, Operator | Text)
        )
        return hcat((box if word else bracketed(box), text_box(arrow)))
    if not mark:
        return box
    box = bracketed(box)
    return Box((box.rows[0] + mark,), box.width, 0, box.marks)


def _stroke(pieces: str, width: int) -> Box:
    """A line of `width` cells with its ends; of one cell, the end that says what it is."""
    left, filling, right = tuple(pieces)
    if width == 1:
        end = left if filling in "─═" and left not in "─═" else right
        return Box((end,), 1, 0)
    return Box((left + filling * (width - 2) + right,), width, 0)


#: Left end, line, point, right end; over, then under.
_BRACES = {
    "brace": ("╭─┴╮", "╰─┬╯"),
    "bracket": ("┌──┐", "└──┘"),
    "paren": ("╭──╮", "╰──╯"),
    "line": ("├──┤", "├──┤"),
}


@draws(Brace)
def _brace(node: Brace, setting: RowStyle) -> Box:
    if setting.flat:
        return labelled(node, None, None, setting)
    box = draw_row(node.base, setting)
    width = max(box.width, 3)
    left, line, point, right = tuple(_BRACES[node.shape][0 if node.over else 1])
    middle = (width - 1) // 2
    row = text_box(left + line * (middle - 1) + point + line * (width - middle - 2) + right)
    box = widen(box, width, "c")
    return vcat((row, box), 1) if node.over else vcat((box, row), 0)


# Frames: \boxed, \cancel, \phantom and their like

#: Combining strokes through each character.
_STROKES = {
    "cancel": "\u0338",
    "bcancel": "\u20e5",
    "xcancel": "\u0338",
    "strike": "\u0336",
}


@draws(Boxed)
def _boxed(node: Boxed, setting: RowStyle) -> Box:
    box = draw_row(node.body, setting)
    if node.how in _STROKES:
        return _on_each(box, _STROKES[node.how])
    match node.how:
        case "box":
            return _framed(box, setting)
        case "phantom":
            return blank(box.width, len(box.rows), box.baseline)
        case "hphantom":
            return blank(box.width)
        case "vphantom":
            return blank(0, len(box.rows), box.baseline)
        case "angle" if len(box.rows) == 1:
            return hcat((box, text_box("⌉")))
        case "angle":  # a line over and at the right
            return hcat((box, Box(("⎤", *("⎥",) * (len(box.rows) - 1)), 1, box.baseline)))
        case "phase":
            return hcat((text_box("∠"), box))
    return box


def _framed(box: Box, setting: RowStyle) -> Box:
    if setting.flat or setting.script:
        return hcat((text_box("["), box, text_box("]"))) if len(box.rows) == 1 else box
    inside = pad(box, 1, 1)
    line = "─" * inside.width
    sides = Box(("│",) * len(box.rows), 1, box.baseline)
    return vcat((text_box(f"┌{line}┐"), hcat((sides, inside, sides)), text_box(f"└{line}┘")), 1)


# Arrows as long as their labels: \xrightarrow, and those of a commutative diagram

#: Left end, line and right end of each arrow.
_PIECES = {
    "→": "──→", "←": "←──", "↔": "←─→", "⇒": "══⇒", "⇐": "⇐══", "⇔": "⇐═⇒",
    "↦": "├─→", "↤": "←─┤", "↪": "╰─→", "↩": "←─╯", "↠": "──↠", "↞": "↞──",
    "⇀": "──⇀", "⇁": "──⇁", "↼": "↼──", "↽": "↽──", "=": "═══", "⇝": "~~→",
}  # fmt: skip
#: Arrows of two lines: the upper and the lower one.
_PAIRS = {
    "⇌": ("──⇀", "↽──"), "⇋": ("↼──", "──⇁"), "⇄": ("──→", "←──"), "⇆": ("←──", "──→"),
}  # fmt: skip
_UPRIGHT = {"↑": "↑│", "↓": "│↓", "‖": "║║"}


@draws(Arrow)
def _arrow(node: Arrow, setting: RowStyle) -> Box:
    over, under = draw_script(node.over, setting), draw_script(node.under, setting)
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


def is_upright(node: Arrow) -> bool:
    return node.char in _UPRIGHT


def upright(node: Arrow, setting: RowStyle) -> tuple[Box, Box, Box]:
    """The label left of a vertical arrow, the arrow on three rows, and the label right of it."""
    left = draw_script(node.over, setting) or EMPTY
    right = draw_script(node.under, setting) or EMPTY
    top, bottom = tuple(_UPRIGHT[node.char])
    middle = "║" if node.char == "‖" else "│"
    return left, Box((top, middle, bottom), 1, 1), right
