"""Stands in front of everything while the terminal is too small to be of use."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import Static

WIDTH, HEIGHT = 60, 20


class TooSmallScreen(Screen[None]):
    DEFAULT_CSS = """
    TooSmallScreen { background: $background; align: center middle; }
    TooSmallScreen Static { width: auto; max-width: 100%; height: auto; text-align: center; }
    """

    def compose(self) -> ComposeResult:
        yield Static(markup=False)

    def on_resize(self) -> None:
        width, height = self.app.size
        self.query_one(Static).update(
            f"deltadeck needs {WIDTH} by {HEIGHT}; here it has {width} by {height}. "
            "Enlarge the terminal, or leave with ctrl+c."
        )
