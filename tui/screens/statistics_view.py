"""One figure on the screen: its title, and rows that are drawn for the size it has."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from tui.plots.figure import compose
from tui.plots.ink import ink_of
from tui.plots.rows import Row, Span, fitted
from tui.screens.statistics_styles import content_of

if TYPE_CHECKING:
    from tui.plots.figure import Figure


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
        size = self.content_size
        figure = self._figure
        if figure is None:
            return Content.styled(self._waiting, "$text-muted")
        rows: list[Row] = [self._title(figure.title, size)]
        rows += compose(figure, size.width, max(size.height - 1, 1), self._ink, self._explain)
        return content_of(rows)

    def _title(self, title: str, size: Size) -> Row:
        right = self._waiting or self._right
        room = max(size.width - cell_len(right), 0)
        return fitted((*fitted([Span(title, "title")], room), Span(right, "dim")), size.width)
