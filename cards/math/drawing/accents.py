"""Accents: a combining mark on one letter, a row drawn over or under more."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from cards.math.box import Box
from cards.math.drawing.boxes import hcat, text_box, vcat, widen
from cards.math.drawing.cells import char_width
from cards.math.drawing.ratios import bracketed
from cards.math.drawing.rows import draw_row, draws
from cards.math.drawing.scripts import labelled
from cards.math.drawing.setting import Setting
from cards.math.tree import Accent, Brace, Operator, Row, Styled, Text

#: The combining mark of each accent, for one letter.
_MARKS = {
    "hat": "\u0302", "widehat": "\u0302", "check": "\u030c", "widecheck": "\u030c",
    "tilde": "\u0303", "widetilde": "\u0303", "utilde": "\u0330", "acute": "\u0301",
    "grave": "\u0300", "dot": "\u0307", "ddot": "\u0308", "dddot": "\u20db", "ddddot": "\u20dc",
    "breve": "\u0306", "bar": "\u0304", "overline": "\u0304", "vec": "\u20d7",
    "overrightarrow": "\u20d7", "overleftarrow": "\u20d6", "overleftrightarrow": "\u20e1",
    "mathring": "\u030a", "ring": "\u030a", "underline": "\u0332", "underbar": "\u0332",
    "doubleacute": "\u030b", "H": "\u030b", "cedilla": "\u0327", "underdot": "\u0323",
    "overrightharpoon": "\u20d1", "overleftharpoon": "\u20d0", "ogonek": "\u0328",
}  # fmt: skip
#: Over several letters: left end, filling, right end.
_DRAWN = {
    "hat": "╱‾╲", "widehat": "╱‾╲", "check": "╲_╱", "widecheck": "╲_╱",
    "tilde": "~~~", "widetilde": "~~~", "utilde": "~~~",
    "bar": "___", "overline": "___", "underline": "‾‾‾", "underbar": "‾‾‾",
    "vec": "──→", "overrightarrow": "──→", "underrightarrow": "──→", "Overrightarrow": "══⇒",
    "overleftarrow": "←──", "underleftarrow": "←──",
    "overleftrightarrow": "←─→", "underleftrightarrow": "←─→",
    "overrightharpoon": "──⇀", "overleftharpoon": "↼──",
    "overgroup": "╭─╮", "undergroup": "╰─╯", "overlinesegment": "├─┤", "underlinesegment": "├─┤",
    "overbracket": "┌─┐", "underbracket": "└─┘", "overparen": "╭─╮", "underparen": "╰─╯",
    "breve": "╰─╯",
}  # fmt: skip
#: What says on one row which way an arrow without a combining form goes.
_ARROWS = {
    "underrightarrow": "→", "underleftarrow": "←", "underleftrightarrow": "↔",
    "underleftharpoon": "↽", "Overrightarrow": "⇒",
}  # fmt: skip
#: Lines that can be put on each letter, so that the whole stays on one row.
_ON_EACH = {
    "bar": "\u0305", "overline": "\u0305", "underline": "\u0332", "underbar": "\u0332",
}  # fmt: skip


@draws(Accent)
def _accent(node: Accent, setting: Setting) -> Box:
    box = draw_row(node.base, setting)
    mark = _MARKS.get(node.name, "")
    if box.width == 0:
        return text_box(_spacing(mark)) if mark else box
    if len(box.rows) == 1:
        row = box.rows[0]
        letters = [char for char in row if char_width(char)]
        if len(letters) == 1 and mark:
            return Box((_composed(row, mark),), box.width, 0, box.marks)
        inline = setting.flat or setting.script or not setting.stack
        if inline and node.name in _ON_EACH:
            return on_each(box, _ON_EACH[node.name])
        if setting.flat:
            return _beside(node, box, mark)
    return _drawn(node, box)


@lru_cache(maxsize=1024)
def _composed(row: str, mark: str) -> str:
    """One letter with a mark: one character where Unicode has it."""
    return unicodedata.normalize("NFC", row + mark)


def _spacing(mark: str) -> str:
    """An accent on nothing."""
    return {"\u0302": "^", "\u0303": "~", "\u0304": "¯", "\u0305": "¯"}.get(mark, " " + mark)


def on_each(box: Box, mark: str) -> Box:
    """A combining mark on each character that is not blank."""
    rows = []
    for row in box.rows:
        marked = []
        for index, char in enumerate(row):
            marked.append(char)
            ends = index + 1 == len(row) or char_width(row[index + 1]) > 0
            if ends and not char.isspace():
                marked.append(mark)
        rows.append("".join(marked))
    return Box(tuple(rows), box.width, box.baseline, box.marks)


def _beside(node: Accent, box: Box, mark: str) -> Box:
    """An accent on more than a letter, on one row: on the bracket that closes it; an arrow that
    no letter bears stands after it (lim→)."""
    arrow = _ARROWS.get(node.name, "")
    if not mark and not arrow:
        return box
    if arrow:
        return hcat((box if _is_upright(node.base) else bracketed(box), text_box(arrow)))
    box = bracketed(box)
    return Box((box.rows[0] + mark,), box.width, 0, box.marks)


def _is_upright(row: Row) -> bool:
    """Whether a row is one word: a function's name."""
    only = row.items[0] if len(row.items) == 1 else None
    if isinstance(only, Styled):
        return only.style == "roman"
    return isinstance(only, Operator | Text)


def _drawn(node: Accent, box: Box) -> Box:
    pieces = _DRAWN.get(node.name)
    if pieces is None:
        mark = _MARKS.get(node.name, "")
        row = text_box(" " + mark if mark else node.name)
    else:
        row = _stroke(pieces, max(box.width, 1))
    return vcat((row, box), 1) if node.over else vcat((box, row), 0)


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
def _brace(node: Brace, setting: Setting) -> Box:
    if setting.flat:
        return labelled(node, None, None, setting)
    box = draw_row(node.base, setting)
    width = max(box.width, 3)
    left, line, point, right = tuple(_BRACES[node.shape][0 if node.over else 1])
    middle = (width - 1) // 2
    inside = line * (middle - 1) + point + line * (width - middle - 2)
    row = Box((left + inside + right,), width, 0)
    box = widen(box, width, "c")
    return vcat((row, box), 1) if node.over else vcat((box, row), 0)
