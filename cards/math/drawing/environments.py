"""Environments: matrices, cases, aligned equations, arrays with rules, \\substack."""

from __future__ import annotations

from cards.math.box import Box, Mark
from cards.math.drawing.boxes import EMPTY, hcat, pad
from cards.math.drawing.delimiters import fenced
from cards.math.drawing.diagrams import diagram
from cards.math.drawing.grid import Cells, Grid, are_crowded, grid_of, widths_of
from cards.math.drawing.one_row import cells_on_one_row, equations_on_one_row, on_one_row
from cards.math.drawing.rows import draw_row, draws, set_line
from cards.math.drawing.rules import TOUCHING, columns_of
from cards.math.drawing.setting import LINE, Setting, alone_of, script_of, text_of
from cards.math.drawing.spacing import GAPS
from cards.math.drawing.wrap import wrapped
from cards.math.tree import Environment, Row

#: A grid of more places than this (rows times columns) is cut.
MOST_PLACES = 10_000
_TAG_GAP = 4
_EQUATIONS = frozenset(
    {
        *("align", "aligned", "alignat", "alignedat", "flalign", "split", "eqnarray"),
        *("gather", "gathered", "multline", "equation"),
    }
)
_DISPLAYED = _EQUATIONS | {"dcases", "drcases"}


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
    apart = not node.small and _are_apart(node, cells, setting)
    grid = grid_of(cells, columns, node.lines, apart)
    padding = 0 if node.small or not setting.stack or columns.outer else 1
    box = fenced(node.left, grid.body, node.right, padding)
    return _tagged(box, grid, tags, tag_width, width) if tag_width else box


def draw_cells(node: Environment, setting: Setting) -> Cells:
    """A box a cell.  The right half of an equation knows how its left half ended."""
    most = max(1, MOST_PLACES // max(1, len(node.rows)))
    cells: Cells = []
    for row in node.rows[:MOST_PLACES]:
        cells.append(
            [
                draw_row(row[i], setting, _before(node, row, i, setting))
                for i in range(len(row[:most]))
            ]
        )
    return cells


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


def _are_apart(node: Environment, cells: Cells, setting: Setting) -> bool:
    """Whether a blank row goes between the rows: where they would be crowded, and between two,
    so that the axis, a brace's point and "=" are on one row."""
    if setting.script:
        return False
    if not setting.stack:
        # A brace has a row for its point in any case.
        return len(cells) == 2 and "{" in (node.left, node.right) and not are_crowded(cells)
    alone = setting.alone and not (node.left or node.right)
    on_axis = len(cells) == 2 and not (node.name in _EQUATIONS or node.lines or alone)
    return on_axis or are_crowded(cells)


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
        rows = [cells_on_one_row(node, boxes) for boxes in draw_cells(node, inner)]
    return on_one_row(node, rows, setting)
