"""Rows and columns: matrices, cases, aligned equations, arrays with rules, \\substack."""

from __future__ import annotations

from collections.abc import Sequence

from cards.math.box import Box
from cards.math.drawing.boxes import (
    EMPTY,
    Align,
    blank,
    extent,
    hcat,
    pad,
    text_box,
    vcat,
    widen,
    with_baseline,
)
from cards.math.drawing.delimiters import fenced
from cards.math.drawing.diagrams import diagram
from cards.math.drawing.rows import draw_row, draws, set_line
from cards.math.drawing.rules import Columns, across, columns_of, upright_rules
from cards.math.drawing.setting import Setting, script_of, text_of
from cards.math.drawing.spacing import GAPS
from cards.math.tree import Environment, Row

#: A grid of more places than this (rows times columns) is cut.
MOST_PLACES = 10_000
_DISPLAYED = frozenset(
    {
        *("align", "aligned", "alignat", "alignedat", "flalign", "split", "eqnarray"),
        *("gather", "gathered", "multline", "equation", "dcases", "drcases"),
    }
)

Cells = list[list[Box]]


@draws(Environment)
def _environment(node: Environment, setting: Setting) -> Box:
    if setting.flat:
        return _on_one_row(node, setting)
    if node.name == "CD":
        return diagram(node, setting)
    inner = script_of(setting) if node.small else setting
    if node.name not in _DISPLAYED:
        inner = text_of(inner)
    cells = draw_cells(node, inner)
    columns = columns_of(node, max(map(len, cells), default=0), setting)
    body = _body(node, cells, columns, setting)
    padding = 0 if node.small or not setting.stack or columns.outer else 1
    box = fenced(node.left, body, node.right, padding)
    return tagged(box, body, node, cells, setting) if any(node.tags) else box


def draw_cells(node: Environment, setting: Setting) -> Cells:
    """A box a cell; a cell that goes on where the one before it ended knows how that one did."""
    most = max(1, MOST_PLACES // max(1, len(node.rows)))
    cells: Cells = []
    for row in node.rows[:MOST_PLACES]:
        boxes: list[Box] = []
        last = "ord"
        for index, cell in enumerate(row[:most]):
            goes_on = node.joined and index % 2 == 1
            boxes.append(draw_row(cell, setting, last if goes_on else None))
            last = _last_kind(cell, setting) if node.joined and index % 2 == 0 else "ord"
        cells.append(boxes)
    return cells


def _last_kind(cell: Row, setting: Setting) -> str:
    """How the left half of an equation ends, where it ends in "=" (`x =& y`)."""
    if not cell.items or getattr(cell.items[-1], "kind", "ord") not in ("rel", "bin", "punct"):
        return "ord"
    parts = set_line(cell, setting).parts
    last = parts[-1].kind if parts else "ord"
    return last if ("ord", last) in GAPS else "ord"


def _body(node: Environment, cells: Cells, columns: Columns, setting: Setting) -> Box:
    """The grid without its delimiters and tags."""
    widths = [
        max((row[i].width for row in cells if i < len(row)), default=0)
        for i in range(columns.count)
    ]
    rows = [_grid_row(row, widths, columns) for row in cells] or [EMPTY]
    rows_apart = _separated(rows, node, setting)
    lines: list[Box] = []
    ruled = {line.before for line in node.lines}
    for index in range(len(rows) + 1):
        for line in node.lines:
            if line.before == index:
                edge = "top" if index == 0 else "bottom" if index == len(rows) else "middle"
                lines.append(across(widths, columns, line.dashed, edge))
        if index == len(rows):
            break
        if index and rows_apart and index not in ruled:
            lines.append(upright_rules(widths, columns, 1))
        lines.append(rows[index])
    box = vcat(lines, 0, "l")
    return with_baseline(box, (len(box.rows) - 1) // 2)


def _separated(rows: Sequence[Box], node: Environment, setting: Setting) -> bool:
    """Whether a blank row goes between the rows: where one is tall; and between two that have
    delimiters, so that the axis, a brace's point and "=" are on one row."""
    if node.small or setting.script or not setting.stack:
        return False
    if any(len(row.rows) > 1 for row in rows):
        return True
    joined = node.joined or node.name in _DISPLAYED - {"dcases", "drcases"}
    return len(rows) == 2 and not joined and not node.lines


def _grid_row(row: Sequence[Box], widths: Sequence[int], columns: Columns) -> Box:
    above, below = extent(row)
    pieces: list[Box] = []
    for index, width in enumerate(widths):
        if columns.before[index]:
            pieces.append(columns.piece(index, above, below))
        if index < len(row):
            pieces.append(widen(row[index], width, columns.align[index]))
        else:
            pieces.append(blank(width))
    if columns.before[len(widths)]:
        pieces.append(columns.piece(len(widths), above, below))
    return hcat(pieces) if pieces else EMPTY


def tagged(box: Box, body: Box, node: Environment, cells: Cells, setting: Setting) -> Box:
    """The numbers of the equations at the right, each on the baseline of its row."""
    tags = [draw_row(tag, text_of(setting)) if tag is not None else EMPTY for tag in node.tags]
    width = max(tag.width for tag in tags)
    top = box.baseline - body.baseline
    rows = [_grid_row(row, [box.width for box in row], _bare(len(row))) for row in cells]
    apart = _separated(rows, node, setting)
    column: list[Box] = [blank(width, top)] if top else []
    for index, row in enumerate(rows):
        if index and apart:
            column.append(blank(width))
        tag = widen(tags[index] if index < len(tags) else EMPTY, width, "r")
        below = len(row.rows) - 1 - row.baseline
        column.append(pad(tag, above=row.baseline, below=below - (len(tag.rows) - 1)))
    stack = vcat(column, 0, "r")
    return hcat((box, with_baseline(stack, box.baseline)), (0, 4))


def _bare(count: int) -> Columns:
    return Columns((_LEFT,) * count, ("",) * (count + 1), False)


_LEFT: Align = "l"
_ROW_ENDS = {"(": ")", "[": "]", "|": "|", "‖": "‖", "{": "}"}


def _on_one_row(node: Environment, setting: Setting) -> Box:
    """Cells with commas, rows with semicolons, in brackets: [a, b; c, d]."""
    inner = script_of(setting) if node.small else setting
    rows: list[Box] = []
    for cells in draw_cells(node, inner):
        comma = text_box("" if node.joined else " " if node.left == "{" else ", ")
        pieces: list[Box] = []
        for index, cell in enumerate(cells):
            pieces += (comma, cell) if index else (cell,)
        rows.append(hcat(pieces) if pieces else EMPTY)
    between = text_box(", " if node.name == "substack" else "; ")
    pieces = []
    for index, row in enumerate(rows):
        pieces += (between, row) if index else (row,)
        if index < len(node.tags):
            tag = node.tags[index]
            pieces += (blank(2), draw_row(tag, setting)) if tag is not None else ()
    body = hcat(pieces) if pieces else EMPTY
    left, right = node.left, node.right
    if not (left or right or node.joined or node.small or node.name in _DISPLAYED):
        left, right = "[", "]"
    return hcat((text_box(left), body, text_box(right or _ROW_ENDS.get(left, ""))))
