"""A text area that shows control characters instead of sending them to the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rich.text import Text
from textual.events import Key, Paste
from textual.widgets import TextArea

from tui.text import visible

if TYPE_CHECKING:
    from tui.app import DeltadeckApp


class Editor(TextArea):
    """Plain text, edited; what is shown of a line is `visible`, what is kept is the line."""

    longest = 100_000
    """Characters that can be pasted at once: laying out a megabyte takes seconds at each key."""

    def get_line(self, line_index: int) -> Text:
        return Text(visible(self.document.get_line(line_index)), end="", no_wrap=True)

    async def _on_key(self, event: Key) -> None:
        # As a rule a bound key goes up to the app before its action is run, and of a fast burst
        # the letters behind it are in the text by then.
        if not event.is_printable:
            for binding in self._bindings.key_to_bindings.get(event.key, ()):
                if await self.app.run_action(binding.action, self):
                    event.stop()
                    event.prevent_default()
                    return
        await super()._on_key(event)

    def on_paste(self, event: Paste) -> None:
        if self._is_too_long(event.text):
            event.stop()
            event.prevent_default()

    def action_paste(self) -> None:
        if not self._is_too_long(self.app.clipboard):
            super().action_paste()

    def _is_too_long(self, text: str) -> bool:
        if len(text) <= self.longest:
            return False
        cast("DeltadeckApp", self.app).say(
            f"Nothing was pasted: it has {len(text):,} characters, and {self.longest:,} "
            "fit here at once.",
            error=True,
        )
        return True
