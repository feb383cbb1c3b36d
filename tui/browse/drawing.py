"""A row of the browser in pieces, for any width."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len, set_cell_size

from tui.browse.rows import Row
from tui.browse.words import lit
from tui.text import initials
from tui.widgets.long_list import Piece

_DUE, _TYPE, _COURSE = 8, 16, 22
#: Widths from which a row has the course's initials, the type, the course's whole name.
_INITIALS, _TYPES, _NAMES = 48, 72, 96


def pieces(row: Row, width: int, patterns: tuple[re.Pattern[str], ...]) -> list[Piece]:
    """Title and due day always; the type where there is room, and the course."""
    columns: list[Piece] = []
    if width >= _NAMES:
        columns.append((_cell(row.course, _COURSE), ("dim",)))
    elif width >= _INITIALS:
        columns.append((_cell(initials(row.course), 9), ("dim",)))
    if width >= _TYPES:
        columns.append((_cell(row.type, _TYPE), ("dim",)))
    columns.append((row.due.rjust(_DUE - 1) + " ", _urgency(row)))
    room = width - sum(cell_len(text) for text, _ in columns)
    style = ("dim",) if row.suspended or row.missing else ()
    shown = f"‖ {row.title}" if row.suspended else row.title
    return [*_title(_cell(shown, room), style, patterns), *columns]


def _cell(text: str, width: int) -> str:
    """Exactly so many cells, the last of them blank."""
    if cell_len(text) >= width:
        text = set_cell_size(text, max(0, width - 2)).rstrip() + "…"
    return set_cell_size(text, width)


def _title(
    text: str, style: tuple[str, ...], patterns: tuple[re.Pattern[str], ...]
) -> Iterator[Piece]:
    at = 0
    for start, end in lit(text, patterns):
        yield text[at:start], style
        yield text[start:end], ("found",)
        at = end
    yield text[at:], style


def _urgency(row: Row) -> tuple[str, ...]:
    if row.suspended:
        return ("dim",)
    if row.due.startswith("-"):
        return ("late",)
    return {"new": ("new",), "now": ("bold",), "today": ("bold",)}.get(row.due, ("dim",))
