"""Environments on one row: [a, b; c, d], {1, if x > 0; 0, otherwise}."""

from __future__ import annotations

from collections.abc import Sequence

from cards.math.box import Box
from cards.math.drawing.boxes import blank, hcat, pad, text_box
from cards.math.drawing.kinds import core
from cards.math.drawing.rows import draw_row
from cards.math.drawing.rules import TOUCHING, draw_insert
from cards.math.drawing.setting import Setting
from cards.math.environment import Environment
from cards.math.tree import Node, Row, Scripts

#: What closes a row of an array that opens with a lone delimiter.
_PARTNERS = {"(": ")", "[": "]", "|": "|", "‖": "‖", "{": "}"}
#: Environments of formulas, which stand without brackets.
_LINES = frozenset({"gathered", "multline", "eqnarray", "equation"})


def on_one_row(node: Environment, rows: list[Box], setting: Setting) -> Box:
    """The rows of an environment with semicolons between, in brackets."""
    for index, tag in enumerate(node.tags[: len(rows)]):
        if tag is not None:
            rows[index] = hcat((rows[index], draw_row(tag, setting)), (0, 2))
    body = _joined(rows, ", " if node.name == "substack" else "; ")
    left, right = node.left, node.right
    bare = node.small or node.name == "CD" or _is_equations(node)
    if not (left or right or bare):
        left, right = "[", "]"
    return hcat((text_box(left), body, text_box(right or _PARTNERS.get(left, ""))))


def _is_equations(node: Environment) -> bool:
    """Whether the rows are formulas of their own."""
    return node.joined or node.name in _LINES


def cells_on_one_row(node: Environment, boxes: Sequence[Box], setting: Setting) -> Box:
    """The cells of a row with commas between; of a pair such as a value and its case too."""
    if node.name == "CD":
        return _joined([box for box in boxes if box.width], " ")
    pieces: list[Box] = []
    for index, box in enumerate(boxes):
        if node.columns == "ll" and pieces and not box.width:
            continue
        between = _inserted(node, index, setting)
        pieces += between
        if pieces and not between:
            pieces.append(text_box(" " if pieces[-1].rows[0].endswith(",") else ", "))
        pieces.append(box)
    pieces += _inserted(node, len(boxes), setting)
    return hcat(pieces) if pieces else blank(0)


def _inserted(node: Environment, index: int, setting: Setting) -> list[Box]:
    """What the specification puts before a column; a blank for what has no width."""
    boxes = []
    for insert in node.inserts:
        if insert.before == index:
            box = draw_insert(insert, setting)
            apart = not insert.tight or (not box.width and 0 < index < len(node.rows[0]))
            boxes.append(pad(box, int(apart), int(apart and box.width > 0)))
    return boxes


def equations_on_one_row(node: Environment, row: Sequence[Row], setting: Setting) -> Box:
    """The equations of an aligned row, each from two cells (eqnarray: three), two blanks apart;
    with a comma between those that are whole.  alignat may spread one over many cells."""
    size = 3 if node.name == "eqnarray" else 2
    groups: list[list[Node]] = []
    commas: list[bool] = []
    for start in range(0, len(row), size):
        items = [item for cell in row[start : start + size] for item in cell.items]
        whole = bool(groups) and _relates(groups[-1]) and _relates(items)
        if groups and node.name in TOUCHING and not whole:
            groups[-1] += items
        elif items:
            groups.append(items)
            commas.append(whole)
    pieces: list[Box] = []
    for group, comma in zip(groups, commas, strict=True):
        box = draw_row(Row(tuple(group), node.span), setting)
        if pieces:
            ended = pieces[-1].rows[0].rstrip().endswith((",", ";", "."))
            spaced = box.rows[0].startswith("  ") or pieces[-1].rows[0].endswith("  ")
            pieces.append(text_box(("," if comma and not ended else "") + ("" if spaced else "  ")))
        pieces.append(box)
    return hcat(pieces) if pieces else blank(0)


def _relates(items: Sequence[Node]) -> bool:
    """Whether a relation is among the nodes of an equation."""
    for item in items:
        node = core(item)
        while isinstance(node, Scripts):
            node = core(node.base)
        if getattr(node, "kind", "") == "rel":
            return True
    return False


def _joined(boxes: Sequence[Box], between: str) -> Box:
    pieces: list[Box] = []
    for index, box in enumerate(boxes):
        pieces += (text_box(between), box) if index else (box,)
    return hcat(pieces) if pieces else blank(0)
