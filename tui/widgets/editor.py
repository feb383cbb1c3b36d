"""A text area that shows control characters instead of sending them to the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rich.text import Text
from textual.events import Key, Paste
from textual.widgets import TextArea

from tui.text import visible

if TYPE_CHECKING:
    from tui.app import DeltadeckApp


#: What an editor takes: in a longer text each key would wait for more than 100 ms.
LONGEST, MOST_LINES = 100_000, 5_000


def excess(text: str, longest: int = LONGEST) -> str:
    """What is too much about a text; "" where it can be edited here."""
    if len(text) > longest:
        return f"it has {len(text):,} characters, and {longest:,} fit here"
    lines = text.count("\n") + 1
    return f"it has {lines:,} lines, and {MOST_LINES:,} fit here" if lines > MOST_LINES else ""


class Editor(TextArea):
    """Plain text, edited; what is shown of a line is `visible`, what is kept is the line."""

    longest = LONGEST
    """Characters that pasting may make of the text."""

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
        kept = self.text.replace(self.selected_text, "", 1)
        too_much = excess(kept + text, self.longest)
        if not too_much:
            return False
        app = cast("DeltadeckApp", self.app)
        app.say(f"Nothing was pasted, for the text would be too large: {too_much}.", error=True)
        return True
