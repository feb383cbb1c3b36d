"""Plots on the screen: a figure, home's week and calendar.

Home loads this after its first paint.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import timedelta
from math import ceil
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content
from textual.widget import Widget

from tui.plots.draw import BAND, ROLES, PlotRow, PlotSpan, draw_calendar, fitted, ink_of, strip
from tui.plots.figure import compose

if TYPE_CHECKING:
    from tui.home_state import Activity
    from tui.plots.figure import Figure


def content_of(rows: Sequence[PlotRow]) -> Content:
    """The rows as a text of the screen."""
    return Content("\n").join(
        Content.assemble(*((text, style_of(role)) for text, role in row)) for row in rows
    )


def style_of(role: str) -> str:
    """The style of a role's first word; today's cell in a calendar is underlined."""
    first, _, further = role.partition(" ")
    style = ROLES[first][1] if first in ROLES else ""
    return f"{style} underline".strip() if "today" in further.split() else style


class FigureView(Widget):
    """Draws itself anew for each size; a figure that is missing is only announced."""

    DEFAULT_CSS = "FigureView { width: 1fr; height: 1fr; padding: 1 1 0 1; }"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._figure: Figure | None = None
        self._right = ""
        self._waiting = ""
        self._explain = False
        self._ink = ink_of(os.environ)

    def show(self, figure: Figure | None, right: str, waiting: str, explain: bool) -> None:
        """`waiting` says what is being computed; `right` stands beside the title."""
        self._figure, self._right = figure, right
        self._waiting, self._explain = waiting, explain
        self.refresh()

    def render(self) -> Content:
        size, figure = self.content_size, self._figure
        if figure is None:
            return Content.styled(self._waiting, "$text-muted")
        right = self._waiting or self._right
        left = fitted([PlotSpan(figure.title, "title")], max(size.width - cell_len(right), 0))
        title = fitted((*left, PlotSpan(right, "dim")), size.width)
        rows = compose(figure, size.width, max(size.height - 1, 1), self._ink, self._explain)
        return content_of([title, *rows])


_INITIALS = "MTWTFSS"
#: Columns that the shades of a year take, and of half a year, with the names of the weekdays.
_YEAR, _HALF = 53, 26
_EACH_WEEK = 2


def week(around: Activity) -> tuple[Content, Content]:
    """A bar for each of the days ahead, and its initial, today's first."""
    ink, most = ink_of(os.environ), max(around.ahead)
    bars, names = Content(""), Content("")
    for number, count in enumerate(around.ahead):
        day = around.today + timedelta(days=number)
        # Not to the full block: what stands above is a bar, too.
        sign = ink.rises[ceil((ink.levels - ink.braille) * count / most)]
        bars += Content.styled(sign, style_of("bar" if number else "today")) + " "
        names += Content.styled(_INITIALS[day.weekday()], "dim" if number else "bold") + " "
    return bars, names


def calendar(around: Activity, width: int, rows: int) -> Content:
    """In one row, or in as many as a week has days and one more: a year, or as much as fits."""
    ink, counts = ink_of(os.environ), around.counts()
    first = around.today - timedelta(days=len(around.days) - 1)
    if rows == 1:
        drawn = [strip(counts, first, around.today, width, ink)]
    else:
        is_long = any(around.days[: -7 * _HALF]) and width >= 4 + _EACH_WEEK * _YEAR
        monday = around.today - timedelta(days=around.today.weekday())
        begin = monday - timedelta(days=7 * ((_YEAR if is_long else _HALF) - 1))
        drawn = draw_calendar(counts, max(first, begin), around.today, width, BAND + 1, ink)[:BAND]
    return content_of(drawn)
