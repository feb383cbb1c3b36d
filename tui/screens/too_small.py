"""Stands in front of everything while the terminal is too small to be of use."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import Static

from tui.key_names import key_for

WIDTH, HEIGHT = 60, 20


class TooSmallScreen(Screen[None]):
    DEFAULT_CSS = """
    TooSmallScreen { background: $background; align: center middle; }
    TooSmallScreen Static { width: auto; max-width: 100%; height: auto; text-align: center; }
    """

    def compose(self) -> ComposeResult:
        yield Static(markup=False)

    def on_mount(self) -> None:
        # The learner's own keys are known once the collection is open.
        self.bindings_updated_signal.subscribe(self, lambda _: self._show())

    def on_resize(self) -> None:
        self._show()

    def _show(self) -> None:
        width, height = self.app.size
        self.query_one(Static).update(
            f"deltadeck needs {WIDTH} by {HEIGHT}; here it has {width} by {height}. "
            f"Enlarge the terminal, or leave with {key_for(self.app, 'app.leave')}."
        )
