"""Tables: columns as wide as what they hold, cells wrapped where the page is narrower."""

from __future__ import annotations

import sys

from tui.page.blocks import Align, Table, Units
from tui.page.limits import REST
from tui.page.markdown import inline
from tui.page.model import PAD, Deco, Piece, Row, Span, cells
from tui.page.units import Builder
from tui.page.wrap import aligned, widest, wrapped

_GAP = 3
#: A column is not made narrower than its words, as long as those are not longer than this.
_WORD = 12


def table_rows(table: Table, width: int, most: int = sys.maxsize) -> list[Row]:
    """The rows, of `most` cells in all; wider than `width` only where words and formulas leave no
    other way."""
    lines = [table.head, *table.body]
    room = width - _GAP * (len(table.aligns) - 1)
    sizes = _sizes(lines, len(table.aligns), room)
    drawn: list[list[Row]] = []
    whole = True
    for each in lines:
        room = max(most // len(sizes), not drawn)
        rows = _line(each, sizes, table, room + 1)
        drawn.append(rows[:room])
        most -= len(rows) * len(sizes)
        if not (whole := len(rows) <= room):
            break
    found = [*drawn[0], _rule(sizes, "┼", "─", Piece(lambda: _delimiters(table), greedy=True))]
    tall = any(len(rows) > 1 for rows in drawn[1:])
    for number, rows in enumerate(drawn[1:]):
        if number and tall:
            found.append(_rule(sizes, "┊", "╌", found[-1].piece))
        found += rows
    if found[0].width > width and sizes[0] + _GAP <= width // 3:
        found = [_led(row, sizes[0] + _GAP) for row in found]
    if not whole:
        found += wrapped(Builder.words(REST, "warning"), width)
    return found


def _delimiters(table: Table) -> str:
    signs: dict[Align, str] = {"left": "---", "center": ":-:", "right": "--:"}
    return f"| {' | '.join(signs[align] for align in table.aligns)} |"


def _led(row: Row, width: int) -> Row:
    """A row whose first column stays where it is scrolled, or cut into pieces."""
    fixed = used = 0
    while used < width:
        used += cells(row.spans[fixed].text)
        fixed += 1
    return row._replace(fixed=fixed)


def _sizes(lines: list[tuple[Units, ...]], count: int, room: int) -> list[int]:
    """The widths of the columns."""
    columns = [[line[column] for line in lines if column < len(line)] for column in range(count)]
    natural = [max((widest(cell) for cell in column), default=1) or 1 for column in columns]
    if sum(natural) <= room:
        return natural
    least = [_least(column) for column in columns]
    if sum(least) >= room:
        return least
    sizes = list(natural)
    # Narrow the widest columns first, none below what it needs.
    limit = max(sizes)
    while sum(sizes) > room and limit > 1:
        limit = _next_limit(sizes, least, room, limit)
        sizes = [max(low, min(full, limit)) for full, low in zip(natural, least, strict=True)]
    return sizes


def _next_limit(sizes: list[int], least: list[int], room: int, limit: int) -> int:
    excess = sum(sizes) - room
    movable = sum(size >= limit > low for size, low in zip(sizes, least, strict=True))
    return min(limit - 1, limit - excess // max(1, movable) // 2)


def _least(column: list[Units]) -> int:
    """What a column needs: its formulas whole, its words as long as they are not too long."""
    need = 1
    for cell in column:
        for unit in cell:
            whole = unit.width if any(not isinstance(p, Span) for p in unit.parts) else 0
            need = max(need, whole, min(unit.width, _WORD))
    return need


def _line(line: tuple[Units, ...], sizes: list[int], table: Table, most: int) -> list[Row]:
    """One row of cells, as high as the highest, and no higher than `most`."""
    drawn = [
        wrapped(line[number] if number < len(line) else (), size, most)
        for number, size in enumerate(sizes)
    ]
    above = max((rows[0].rise for rows in drawn if rows), default=0)
    filled = [[Row((), 0)] * (above - (rows[0].rise if rows else 0)) + rows for rows in drawn]
    height = min(most, max(1, *(len(rows) for rows in filled)))
    piece = Piece(lambda: f"| {' | '.join(_copy(cell) for cell in line)} |", greedy=True)
    found: list[Row] = []
    for y in range(height):
        spans: list[Span] = []
        for number, (rows, size) in enumerate(zip(filled, sizes, strict=True)):
            if number:
                spans.append(Span(" │ ", "rule", Deco(" | ")))
            row = rows[y] if y < len(rows) else Row((), 0)
            spans += aligned(row, size, table.aligns[number]).spans
        found.append(Row(tuple(spans), sum(sizes) + _GAP * (len(sizes) - 1), piece=piece))
    single = all(len({row.rise + at for at, row in enumerate(r)}) <= 1 for r in filled)
    if not single:
        return found
    # One line of text, though formulas in it may be tall: it is copied as one.
    return [row._replace(rise=above - number) for number, row in enumerate(found)]


def _copy(cell: Units) -> str:
    return inline(cell, _in_cell).replace("\n", " ")


def _in_cell(text: str) -> str:
    return text.replace("|", "\\|")


def _rule(sizes: list[int], cross: str, line: str, piece: Piece | None) -> Row:
    spans: list[Span] = []
    for number, size in enumerate(sizes):
        if number:
            spans.append(Span(f"{line}{cross}{line}", "rule", PAD))
        spans.append(Span(line * size, "rule", PAD))
    return Row(tuple(spans), sum(sizes) + _GAP * (len(sizes) - 1), piece=piece)
