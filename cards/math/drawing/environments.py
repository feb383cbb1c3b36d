"""Environments: matrices, cases, aligned equations, arrays with rules, \\substack."""

from __future__ import annotations

from collections.abc import Sequence

from cards.math.box import Box, Mark
from cards.math.drawing.boxes import EMPTY, Align, hcat, pad, widen
from cards.math.drawing.delimiters import fenced, is_centred
from cards.math.drawing.diagrams import diagram
from cards.math.drawing.grid import Cells, Grid, are_crowded, grid_of, widths_of
from cards.math.drawing.one_row import cells_on_one_row, equations_on_one_row, on_one_row
from cards.math.drawing.rows import draw_row, draws, set_line
from cards.math.drawing.rules import TOUCHING, columns_of
from cards.math.drawing.setting import LINE, Setting, alone_of, script_of, text_of
from cards.math.drawing.spacing import GAPS
from cards.math.drawing.wrap import wrapped
from cards.math.environment import Environment
from cards.math.tree import Row

#: A grid of more places than this (rows times columns) is cut.
MOST_PLACES = 10_000
_TAG_GAP = 4
#: How far the last row of multline goes beyond the first, at least.
_STAGGER = 4
_SINGLE = frozenset({"gather", "gathered", "multline"})
EQUATIONS = frozenset(
    {
        *("align", "aligned", "alignat", "alignedat", "flalign", "split", "eqnarray"),
        *("gather", "gathered", "multline", "equation"),
    }
)
_DISPLAYED = EQUATIONS | {"dcases", "drcases"}


@draws(Environment)
def _environment(node: Environment, setting: Setting) -> Box:
    return draw_environment(node, setting, None)


def draw_environment(node: Environment, setting: Setting, width: int | None) -> Box:
    """The environment; equations wider than `width` are broken on their right-hand sides."""
    if setting.flat:
        return _on_one_row(node, setting)
    if node.name == "CD":
        return diagram(node, setting)
    inner = script_of(setting) if node.small else alone_of(setting, False)
    if node.name not in _DISPLAYED:
        inner = text_of(inner)
    cells = draw_cells(node, inner)
    columns = columns_of(node, max(map(len, cells), default=0), setting)
    tags = [draw_row(tag, LINE) if tag is not None else EMPTY for tag in node.tags]
    tag_width = max((tag.width for tag in tags), default=0)
    room = width - tag_width - _TAG_GAP if width is not None and tag_width else width
    if room is not None and node.joined and columns.width == 2:
        _break_right_sides(node, cells, inner, room)
    if room is not None and node.name in _SINGLE:
        _break_rows(node, cells, inner, room)
    if node.name == "multline":
        cells = _staggered(cells, room)
    grid = grid_of(cells, columns, node.lines, blank_rows(node, cells, setting))
    padding = 0 if node.small or not setting.stack or columns.outer else 1
    box = fenced(node.left, grid.body, node.right, padding)
    return _tagged(box, grid, tags, tag_width, width) if tag_width else box


def draw_cells(node: Environment, setting: Setting) -> Cells:
    """A box a cell.  The right half of an equation knows how its left half ended."""
    most = max(1, MOST_PLACES // max(1, len(node.rows)))
    cells: Cells = []
    for row in node.rows[:MOST_PLACES]:
        inner = alone_of(setting, True) if _holds_equations_alone(node, row) else setting
        cells.append(
            [
                draw_row(row[i], inner, _before(node, row, i, setting))
                for i in range(len(row[:most]))
            ]
        )
    return cells


def _holds_equations_alone(node: Environment, row: tuple[Row, ...]) -> bool:
    """Whether nothing stands beside the equations that are in a row of others."""
    if node.name not in EQUATIONS or node.left or node.right:
        return False
    filled = [cell.items for cell in row if cell.items]
    return len(filled) == 1 == len(filled[0]) and isinstance(filled[0][0], Environment)


def _before(node: Environment, row: tuple[Row, ...], index: int, setting: Setting) -> str | None:
    """The kind of what precedes a cell: nothing, or the left half of its equation, which may
    end in "=" (`x =& y`)."""
    touching = index % 2 == 1 or (index and node.name in TOUCHING)
    if not (node.joined and touching):
        return None
    left = row[index - 1]
    if not left.items:
        return None if index % 2 == 0 else "ord"
    if getattr(left.items[-1], "kind", "ord") not in ("rel", "bin", "punct"):
        return "ord"
    parts = set_line(left, setting).parts
    last = parts[-1].kind if parts else "ord"
    return last if ("ord", last) in GAPS else "ord"


def _break_right_sides(node: Environment, cells: Cells, setting: Setting, width: int) -> None:
    left = widths_of(cells, 1)[0]
    for row, boxes in zip(node.rows, cells, strict=False):
        if len(boxes) == 2 and left + boxes[1].width > width:
            line = set_line(row[1], setting, _before(node, row, 1, setting))
            boxes[1] = wrapped(line, width - left, setting)


def _break_rows(node: Environment, cells: Cells, setting: Setting, width: int) -> None:
    for row, boxes in zip(node.rows, cells, strict=False):
        if len(boxes) == 1 and boxes[0].width > width:
            boxes[0] = wrapped(set_line(row[0], setting), width, setting)


def _staggered(cells: Cells, room: int | None) -> Cells:
    """The rows of multline: the first at the left, the last at the right, the others centred."""
    rows = [row for row in cells if len(row) == 1]
    if len(rows) != len(cells) or len(cells) < 2:
        return cells
    widest = max(row[0].width for row in rows)
    width = max(widest, rows[0][0].width + _STAGGER, rows[-1][0].width + _STAGGER)
    width = max(widest, min(width, room)) if room is not None else width
    inner: list[Align] = ["c"] * (len(rows) - 2)
    aligns: list[Align] = ["l", *inner, "r"]
    return [[widen(row[0], width, align)] for row, align in zip(rows, aligns, strict=True)]


def blank_rows(node: Environment, cells: Cells, setting: Setting) -> Sequence[int]:
    """The rows before which a blank one goes: each where they would be crowded, else the middle
    of an even number, so that the axis, a brace's point and "=" are on one row."""
    if setting.script or node.small:
        return ()
    middle = (len(cells) // 2,) if len(cells) % 2 == 0 else ()
    braced = any(map(is_centred, (node.left, node.right)))
    crowded = are_crowded(cells)
    if not setting.stack:
        return middle if braced and not crowded else ()
    if crowded:
        return range(1, len(cells))
    if node.lines or (setting.alone and not (node.left or node.right)):
        return ()
    return middle if braced or node.name in EQUATIONS or len(cells) == 2 else ()


def _tagged(box: Box, grid: Grid, tags: list[Box], tag_width: int, width: int | None) -> Box:
    """The numbers of the equations at the right, each on the baseline of its row."""
    gaps = around(box.width, tag_width, width)
    top = box.baseline - grid.body.baseline
    rows = [" " * tag_width] * len(box.rows)
    marks: list[Mark] = []
    for tag, baseline in zip(tags, grid.baselines, strict=False):
        placed = pad(tag, tag_width - tag.width)
        rows[top + baseline] = placed.rows[0]
        marks += [mark._replace(row=top + baseline) for mark in placed.marks]
    return hcat((box, Box(tuple(rows), tag_width, box.baseline, tuple(marks))), gaps)


def around(body: int, tag: int, width: int | None) -> tuple[int, int]:
    """The gaps before an equation and its number: it is centred in `width`, or in what is left."""
    if width is None:
        return 0, _TAG_GAP
    left = max(0, min((width - body) // 2, width - tag - _TAG_GAP - body))
    return left, max(_TAG_GAP, width - left - body - tag)


def _on_one_row(node: Environment, setting: Setting) -> Box:
    inner = script_of(setting) if node.small else setting
    if node.joined or node.name == "eqnarray":
        rows = [equations_on_one_row(node, row, inner) for row in node.rows]
    else:
        rows = [cells_on_one_row(node, boxes, inner) for boxes in draw_cells(node, inner)]
    return on_one_row(node, rows, setting)
