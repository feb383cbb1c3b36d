"""What of a row is seen when it is wider than its page: a window on it, with signs at its edges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tui.page.model import PAD, Row, Span, cells, chop, crop
from tui.page.sheet import Sheet

LEFT, RIGHT = "‹", "›"
#: Between the columns of a table.
_BETWEEN = (" │ ", "─┼─", "╌┊╌")


class Seen(NamedTuple):
    """A span as it is drawn, and where its text begins in the row's."""

    span: Span
    start: int


def window(row: Row, width: int, offset: int = 0) -> list[Seen]:
    """The spans of a row that are in sight, cut where need be, at most `width` cells."""
    if row.wide < 0 or (row.width <= width and not offset):
        return list(_indexed(row.spans))
    offset = min(offset, max(0, row.width - width))
    fixed = sum(cells(span.text) for span in row.spans[: row.fixed])
    before, after = offset > 0, row.width - offset > width
    seen = [each for each in _indexed(row.spans[: row.fixed]) if each.span.text]
    start = sum(len(span.text) for span in row.spans[: row.fixed])
    first, last = fixed + offset + before, offset + width - after
    if before:
        seen.append(Seen(Span(LEFT, "edge", PAD), start))
    at = fixed
    for span, index in _indexed(row.spans[row.fixed :], start):
        size = cells(span.text)
        text = crop(span.text, max(0, first - at), max(0, min(size, last - at)))
        if text:
            skipped = crop(span.text, 0, max(0, first - at)) if first > at else ""
            seen.append(Seen(span._replace(text=text), index + len(skipped)))
        at += size
    if after:
        used = sum(cells(each.span.text) for each in seen)
        end = seen[-1].start + len(seen[-1].span.text) if seen else start
        seen.append(Seen(Span(" " * (width - used - 1) + RIGHT, "edge", PAD), end))
    return seen


def bands(row: Row, width: int) -> list[Row]:
    """A wide row in pieces under each other, for where nothing scrolls; all of it is there.

    What stays in front stands before each piece; a table is cut between its columns.
    """
    if row.width <= width:
        return [row]
    front = row.spans[: row.fixed]
    room = max(2, width - sum(cells(span.text) for span in front) - 2)
    bodies: list[list[Span]] = [[]]
    used = 0
    for column in _columns(row.spans[row.fixed :]):
        size = sum(cells(span.text) for span in column)
        if bodies[-1] and used + size > room and _parted(column):
            column = column[1:]
            bodies.append([])
            used = 0
        for span in column:
            for piece in chop(span.text, max(0, room - used), room):
                if bodies[-1] and used + cells(piece) > room:
                    bodies.append([])
                    used = 0
                bodies[-1].append(span._replace(text=piece))
                used += cells(piece)
    return [_band(front, bodies, number) for number in range(len(bodies))]


def _columns(spans: tuple[Span, ...]) -> list[list[Span]]:
    """Each column of a table's row with the line before it; of another row, all there is."""
    found: list[list[Span]] = [[]]
    for span in spans:
        if span.style == "rule" and span.text in _BETWEEN:
            found.append([])
        found[-1].append(span)
    return [column for column in found if column]


def _parted(column: list[Span]) -> bool:
    return column[0].style == "rule" and column[0].text in _BETWEEN


def _band(front: tuple[Span, ...], bodies: list[list[Span]], number: int) -> Row:
    body = bodies[number]
    blank = not "".join(span.text for span in body).strip()
    left, right = (Span(" " if blank else sign, "edge", PAD) for sign in (LEFT, RIGHT))
    spans = (*front, *[left] * (number > 0), *body, *[right] * (number < len(bodies) - 1))
    return Row(spans, sum(cells(span.text) for span in spans))


def _indexed(spans: tuple[Span, ...], index: int = 0) -> Iterator[Seen]:
    for span in spans:
        yield Seen(span, index)
        index += len(span.text)


class Offsets:
    """How far each part of a page that is too wide is scrolled."""

    def __init__(self) -> None:
        self._cells: dict[int, int] = {}

    def of(self, row: Row) -> int:
        return self._cells.get(row.wide, 0)

    def move(self, sheet: Sheet, cells_right: int, part: int | None = None) -> None:
        """Scroll one part, or all of them, as far as there is something to see."""
        for number in range(sheet.wide) if part is None else (part,):
            offset = self._cells.get(number, 0) + cells_right
            self._cells[number] = max(0, min(offset, sheet.hidden(number)))
