"""A row of the browser in pieces, for any width."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from tui.browse.rows import Row
from tui.browse.titles import lit
from tui.text import initials
from tui.widgets.long_list import Piece

if TYPE_CHECKING:
    from deck.search.sought import Sought

_DUE, _TYPE, _COURSE = 8, 16, 22
#: Widths from which a row has the course's initials, the type, the course's whole name.
_INITIALS, _TYPES, _NAMES = 48, 72, 96


def pieces(row: Row, width: int, sought: Sought | None = None) -> list[Piece]:
    """Title and due day always; the type where there is room, and the course.  What a search asks
    of the words is lit up."""
    columns: list[Piece] = []
    if width >= _NAMES:
        found = sought.spans(row.course) if sought else []
        columns += _lit(_cell(row.course, _COURSE), ("dim",), found)
    elif width >= _INITIALS:
        columns.append((_cell(initials(row.course), 9), ("dim",)))
    if width >= _TYPES:
        columns.append((_cell(row.type, _TYPE), ("dim",)))
    columns.append((row.due.rjust(_DUE - 1) + " ", _urgency(row)))
    room = width - sum(cell_len(text) for text, _ in columns)
    style = ("dim",) if row.suspended or row.missing else ()
    text, mark = "".join(bit.text for bit in row.title), "‖ " if row.suspended else ""
    found = lit(row.title, sought) if sought else []
    return [(mark, style), *_lit(_cell(text, room - len(mark)), style, found), *columns]


def _cell(text: str, width: int) -> str:
    """Exactly so many cells, the last of them blank."""
    text = text[: 8 * width]  # a sign may be of several letters; counting them all takes its time
    if cell_len(text) >= width:
        text = set_cell_size(text, max(0, width - 2)).rstrip() + "…"
    return set_cell_size(text, width)


def _lit(text: str, style: tuple[str, ...], spans: Sequence[tuple[int, int]]) -> Iterator[Piece]:
    """A text that was cut, in pieces; `spans` are of all of it."""
    at, last = 0, len(text.rstrip(" …"))
    for start, end in spans:
        if start < last:
            yield text[at:start], style
            yield text[start : min(end, last)], ("found",)
            at = min(end, last)
    yield text[at:], style


def _urgency(row: Row) -> tuple[str, ...]:
    if row.suspended:
        return ("dim",)
    if row.due.startswith("-"):
        return ("late",)
    return {"new": ("new",), "now": ("bold",), "today": ("bold",)}.get(row.due, ("dim",))
