"""Cells to a body of rows and columns, with its rules, and where its rows stand."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from cards.math.box import Box
from cards.math.drawing.boxes import EMPTY, blank, extent, hcat, vcat, widen, with_baseline
from cards.math.drawing.rules import Columns, across, upright_rules
from cards.math.environment import Line

Cells = list[list[Box]]


class Grid(NamedTuple):
    body: Box
    """Without delimiters; its baseline is that of the middle row, or between the middle two."""
    baselines: tuple[int, ...]
    """Of each row, counted in rows of `body`."""


def grid_of(cells: Cells, columns: Columns, lines: Sequence[Line], apart: Sequence[int]) -> Grid:
    """The grid; `apart`: the rows before which a blank one goes where no rule is."""
    widths = widths_of(cells, columns.width)
    rows = [_row(row, widths, columns) for row in cells] or [EMPTY]
    ruled = {line.before for line in lines}
    stack: list[Box] = []
    baselines: list[int] = []
    height = 0
    for index, row in enumerate(rows):
        between = _rules(index, len(rows), widths, columns, lines)
        if index in apart and index not in ruled:
            between.append(upright_rules(widths, columns, 1))
        stack += (*between, row)
        height += len(between)
        baselines.append(height + row.baseline)
        height += len(row.rows)
    stack += _rules(len(rows), len(rows), widths, columns, lines)
    body = vcat(stack, 0, "l")
    centre = (len(body.rows) - 1) // 2
    axis = centre if lines else _axis(rows, baselines, apart)
    # A row much higher than the others would leave delimiters half empty.
    if abs(2 * axis - len(body.rows) + 1) > 1:
        axis = centre
    return Grid(with_baseline(body, axis), tuple(baselines))


def widths_of(cells: Cells, count: int) -> list[int]:
    return [max((row[i].width for row in cells if i < len(row)), default=0) for i in range(count)]


def _axis(rows: Sequence[Box], baselines: Sequence[int], apart: Sequence[int]) -> int:
    middle = len(rows) // 2
    if len(rows) % 2:
        return baselines[middle]
    if middle in apart:
        return baselines[middle] - rows[middle].baseline - 1
    return baselines[middle - 1]


def _rules(
    before: int, count: int, widths: Sequence[int], columns: Columns, lines: Sequence[Line]
) -> list[Box]:
    """The rules across that stand above the row `before`."""
    edge = "top" if before == 0 else "bottom" if before == count else "middle"
    strokes = ["╌" if line.dashed else "─" for line in lines if line.before == before]
    if strokes == ["─", "─"]:
        strokes = ["═"]
    last = len(strokes) - 1 if edge == "bottom" else 0
    return [
        across(widths, columns, stroke, edge if index == last else "middle")
        for index, stroke in enumerate(strokes)
    ]


def _row(row: Sequence[Box], widths: Sequence[int], columns: Columns) -> Box:
    above, below = extent((*row, *columns.boxes))
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


def are_crowded(cells: Cells) -> bool:
    """Whether rows need a blank one between them: fractions in them, or what hangs from one
    row beside what stands on the next."""
    extents = [extent(row) for row in cells]
    if any(above + below > 1 for above, below in extents):
        return True
    return any(low[1] and high[0] for low, high in pairwise(extents))
