r"""Commutative diagrams: the CD environment, objects and arrows on a grid."""

from __future__ import annotations

from cards.math.box import Box
from cards.math.drawing.arrows import is_upright, lying, placed_upright, upright
from cards.math.drawing.boxes import EMPTY, blank, hcat, vcat, widen, with_baseline
from cards.math.drawing.rows import draw_row
from cards.math.drawing.setting import Setting, script_of, text_of
from cards.math.environment import Environment
from cards.math.tree import Arrow, Row

_SHORTEST = 5


def diagram(node: Environment, setting: Setting) -> Box:
    """Each column as wide as its widest object; lying arrows fill theirs."""
    setting = text_of(setting)
    count = max(map(len, node.rows), default=0)
    if not count:
        return EMPTY
    grid = [_spread(row, count) for row in node.rows]
    count = max(map(len, grid))
    columns = [[row[i] for row in grid if i < len(row)] for i in range(count)]
    sides = [_sides(cells, setting) for cells in columns]
    rows = []
    for row in grid:
        cells = [_placed(cell, sides[i], setting) for i, cell in enumerate(row)]
        cells += [blank(sum(side)) for side in sides[len(row) :]]
        rows.append(hcat(cells, [0] + [1] * (count - 1)))
    box = vcat(rows, 0, "l")
    return with_baseline(box, (len(box.rows) - 1) // 2)


def _spread(row: tuple[Row, ...], count: int) -> tuple[Row, ...]:
    """A row of upright arrows with the places between them, where it has none."""
    arrows = [_arrow(cell) for cell in row]
    if not all(arrow and (is_upright(arrow) or not arrow.char) for arrow in arrows):
        return row
    if len(row) < 2 or 2 * len(row) - 1 > count:
        return row
    between = Row((), row[0].span)
    return tuple(cell for each in row for cell in (each, between))[:-1]


def _arrow(cell: Row) -> Arrow | None:
    found = [item for item in cell.items if isinstance(item, Arrow)]
    return found[0] if len(found) == 1 and len(cell.items) == 1 else None


def _sides(cells: list[Row], setting: Setting) -> tuple[int, int]:
    """The cells of a column left of its middle, and from its middle on."""
    left, right = 0, 1
    for cell in cells:
        arrow = _arrow(cell)
        if arrow is not None and is_upright(arrow):
            low, _, high = upright(arrow, setting)
            left, right = max(left, low.width), max(right, high.width + 1)
            continue
        width = _lying(arrow, setting, 0).width if arrow is not None else _object(cell, setting)
        left, right = max(left, (width - 1) // 2), max(right, width - (width - 1) // 2)
    return left, right


def _object(cell: Row, setting: Setting) -> int:
    return draw_row(cell, setting).width


def _lying(arrow: Arrow, setting: Setting, width: int) -> Box:
    if not arrow.char:
        return EMPTY
    small = script_of(setting)
    over = draw_row(arrow.over, small) if arrow.over is not None else None
    under = draw_row(arrow.under, small) if arrow.under is not None else None
    return lying(arrow.char, over, under, max(width, _SHORTEST))


def _placed(cell: Row, sides: tuple[int, int], setting: Setting) -> Box:
    left, right = sides
    arrow = _arrow(cell)
    if arrow is None:
        box = draw_row(cell, setting)
        before = left - (box.width - 1) // 2
        return hcat((blank(before), box, blank(left + right - before - box.width)))
    if is_upright(arrow):
        return placed_upright(arrow, setting, left, right - 1)
    return widen(_lying(arrow, setting, left + right), left + right, "c")
