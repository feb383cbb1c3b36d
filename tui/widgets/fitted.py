"""Text that is laid out anew for each width."""

from __future__ import annotations

from collections.abc import Callable

from textual.content import Content
from textual.widgets import Static


class Fitted(Static):
    """As wide as its container lets it be; what it shows is a function of that width."""

    DEFAULT_CSS = "Fitted { width: 1fr; }"

    _draw: Callable[[int], Content] | None = None

    def lay(self, draw: Callable[[int], Content]) -> None:
        """Show what `draw` makes of a width, now and after each change of it."""
        self._draw = draw
        self._fit()

    def on_resize(self) -> None:
        # Now, the toolkit may still owe a layout of its own, and would forget ours.
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        if self._draw is not None and self.content_size.width:
            self.update(self._draw(self.content_size.width))
