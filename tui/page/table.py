"""Tables: columns as wide as what they hold, cells wrapped where the page is narrower."""

from __future__ import annotations

from tui.page.blocks import Table, Units
from tui.page.model import PAD, Deco, Row, Span, pad
from tui.page.wrap import aligned, longest_unit, widest, wrapped

_GAP = 3
#: A column is not made narrower than its words, as long as those are not longer than this.
_WORD = 12


def table_rows(table: Table, width: int) -> list[Row]:
    """The rows; wider than `width` only where words and formulas leave no other way."""
    lines = [table.head, *table.body]
    room = width - _GAP * (len(table.aligns) - 1)
    sizes = _sizes(lines, len(table.aligns), room)
    drawn = [_line(cells, sizes, table) for cells in lines]
    total = sum(sizes) + _GAP * (len(sizes) - 1)
    found = [*drawn[0], _rule(sizes, total, "┼", "─")]
    tall = any(len(rows) > 1 for rows in drawn[1:])
    for number, rows in enumerate(drawn[1:]):
        if number and tall:
            found.append(_rule(sizes, total, "┊", "╌"))
        found += rows
    return found


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
            need = max(need, whole, min(longest_unit((unit,)), _WORD))
    return need


def _line(line: tuple[Units, ...], sizes: list[int], table: Table) -> list[Row]:
    """One row of cells, as high as the highest."""
    drawn = [
        wrapped(line[number] if number < len(line) else (), size)
        for number, size in enumerate(sizes)
    ]
    above = max((rows[0].rise for rows in drawn if rows), default=0)
    filled = [[Row((), 0)] * (above - (rows[0].rise if rows else 0)) + rows for rows in drawn]
    height = max(1, *(len(rows) for rows in filled))
    found: list[Row] = []
    for y in range(height):
        spans: list[Span] = []
        for number, (rows, size) in enumerate(zip(filled, sizes, strict=True)):
            if number:
                spans.append(Span(" │ ", "rule", Deco(" | ")))
            row = rows[y] if y < len(rows) else Row((), 0)
            spans += aligned(row, size, table.aligns[number]).spans
        found.append(Row(tuple(spans), sum(sizes) + _GAP * (len(sizes) - 1)))
    single = all(len({row.rise + at for at, row in enumerate(r)}) <= 1 for r in filled)
    if not single:
        return found
    # One line of text, though formulas in it may be tall: it is copied as one.
    return [row._replace(rise=above - number) for number, row in enumerate(found)]


def _rule(sizes: list[int], total: int, cross: str, line: str) -> Row:
    text = f"{line}{cross}{line}".join(line * size for size in sizes)
    return (
        Row((Span(text, "rule", PAD if line != "─" else Deco("---")),), total)
        if text
        else (Row((pad(1),), 1))
    )
