"""The columns of an environment, and its rules: upright, across, and where they meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cards.math.box import Box
from cards.math.drawing.boxes import Align, blank, hcat, pad
from cards.math.drawing.rows import draw_row
from cards.math.drawing.setting import Setting
from cards.math.environment import Environment, Insert
from cards.math.tree import Symbol

#: Environments whose pairs of columns touch too.
TOUCHING = frozenset({"alignat", "alignedat"})
_UPRIGHT = {"|": "│", ":": "┆", "||": "║"}
#: Where a rule across meets an upright one: (single, double upright, double across, both), by the
#: edge of the grid, then by the side: left, inside, right.
_MEETINGS = {
    "top": ("┌┬┐", "╓╥╖", "╒╤╕", "╔╦╗"),
    "middle": ("├┼┤", "╟╫╢", "╞╪╡", "╠╬╣"),
    "bottom": ("└┴┘", "╙╨╜", "╘╧╛", "╚╩╝"),
}


class Columns(NamedTuple):
    align: tuple[Align, ...]
    """Of each column."""
    before: tuple[str, ...]
    """What stands before each column, and after the last: blanks and rules, e.g. " │ "."""
    outer: bool
    """Whether a rule stands at the left or right edge."""
    inserts: dict[int, tuple[int, Box]]
    """Of a place between columns, what each row has there, and how far in `before` it starts."""

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.align)

    @property
    def boxes(self) -> list[Box]:
        return [box for _, box in self.inserts.values()]

    def blank_piece(self, index: int, above: int, below: int) -> Box:
        """What stands before a column where no row of cells is: its rules."""
        return _column(self.before[index], above, below)

    def piece(self, index: int, above: int, below: int) -> Box:
        """What stands before a column beside a row of cells."""
        text = self.before[index]
        if index not in self.inserts:
            return _column(text, above, below)
        start, box = self.inserts[index]
        after = text[start + box.width :]
        return hcat((_column(text[:start], above, below), box, _column(after, above, below)))


def _column(text: str, above: int, below: int) -> Box:
    return Box((text,) * (above + 1 + below), len(text), above)


def columns_of(node: Environment, count: int, setting: Setting) -> Columns:
    """The columns of `node`, of which `count` are in use."""
    aligns: list[Align] = []
    rules = [""]
    for char in node.columns:
        if char == "|" and rules[-1] == "|":
            rules[-1] = "||"
        elif char in "|:":
            rules[-1] = char
        elif char in "lcr":
            aligns.append(char)  # type: ignore[arg-type]
            rules.append("")
    while len(aligns) < count:
        repeated: Align = aligns[-1] if aligns else "c"
        pair: Align = "l" if len(aligns) % 2 else "r"
        aligns.append(pair if node.joined else repeated)
        rules.append("")
    used = len(aligns) if any(rules) else count
    ends = _ends(rules, used)
    inside = [_between(node, index, rules[index], setting) for index in range(1, used)]
    before = [ends[0], *inside, ends[1]] if used else [""]
    inserts = _inserted(node, before, setting) if node.inserts else {}
    outer = bool(rules[0] or rules[used])
    return Columns(tuple(aligns[:used]), tuple(before), outer, inserts)


def _inserted(node: Environment, before: list[str], setting: Setting) -> dict[int, tuple[int, Box]]:
    """Makes place in `before` for what the specification puts between columns."""
    found: dict[int, tuple[int, Box]] = {}
    for index in range(len(before)):
        here = [insert for insert in node.inserts if insert.before == index]
        if not here:
            continue
        box = hcat([draw_insert(insert, setting) for insert in here])
        text = before[index]
        ruled, inside = bool(text.strip()), 0 < index < len(before) - 1
        if inside and not ruled:
            text = "" if here[0].tight else "  "
        start = len(text) // 2 if inside and not ruled else 0 if index else len(text)
        start = len(text) if inside and ruled else start
        before[index] = text[:start] + " " * box.width + text[start:]
        found[index] = (start, box)
    return found


def draw_insert(insert: Insert, setting: Setting) -> Box:
    """What stands between two columns; a relation or what is tall with gaps."""
    box = draw_row(insert.body, setting)
    if not insert.tight:
        return box
    items = insert.body.items
    ends = [isinstance(i, Symbol) and i.kind in ("rel", "bin") for i in (*items[:1], *items[-1:])]
    tall = len(box.rows) > 1
    return pad(box, int(tall or ends[0]), int(tall or ends[1])) if ends else box


def _ends(rules: Sequence[str], used: int) -> tuple[str, str]:
    left = _UPRIGHT[rules[0]] + " " if rules[0] else ""
    right = " " + _UPRIGHT[rules[used]] if rules[used] else ""
    return left, right


def _between(node: Environment, index: int, rule: str, setting: Setting) -> str:
    """What stands between a column and the one before it."""
    if rule:
        return f" {_UPRIGHT[rule]} "
    if node.joined:
        if index % 2 or node.name in TOUCHING:
            return ""
        return "    "
    if node.small:
        return " "
    if node.left == "{" or node.right == "}":
        return "   "
    return "  " if setting.stack else " "


def across(widths: Sequence[int], columns: Columns, line: str, edge: str) -> Box:
    """A rule across made of `line`, with the right sign where it meets an upright one."""
    row = []
    for index in range(columns.width + 1):
        side = 0 if index == 0 else 2 if index == columns.width else 1
        row += [_meeting(char, line, edge, side) for char in columns.before[index]]
        if index < columns.width:
            row.append(line * widths[index])
    text = "".join(row)
    return Box((text,), len(text), 0)


def _meeting(char: str, line: str, edge: str, side: int) -> str:
    if char == " ":
        return line
    return _MEETINGS[edge][2 * (line == "═") + (char == "║")][side]


def upright_rules(widths: Sequence[int], columns: Columns, height: int) -> Box:
    """Blank rows through which the upright rules go."""
    pieces = []
    for index in range(columns.width + 1):
        pieces.append(columns.blank_piece(index, 0, height - 1))
        if index < columns.width:
            pieces.append(blank(widths[index]))
    return hcat(pieces)
