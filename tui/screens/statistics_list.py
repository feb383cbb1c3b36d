"""The list of figures: each with its number, so that the list itself says how things stand."""

from __future__ import annotations

from textual.content import Content

from tui.widgets.lists import KeyedList

#: Columns: a gap, a title, its number, and a gap.
_WIDTH = 20


class FigureList(KeyedList):
    """What is highlighted is drawn beside it; enter says what it means."""

    DEFAULT_CSS = f"FigureList {{ width: {_WIDTH}; height: 1fr; margin: 1 0 0 0; }}"

    def __init__(self, *, id: str | None = None) -> None:
        # The screen's own key for it stands in the footer.
        super().__init__("What it means", id=id, show=False)


def row_of(title: str, key: str) -> Content:
    """A title at the left, its number at the right."""
    room = _WIDTH - 2 - len(key)
    return Content.assemble(f"{title:{room}.{room}}", (key, "$text-primary bold"))
