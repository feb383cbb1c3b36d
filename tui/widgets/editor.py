"""A text area that shows control characters instead of sending them to the terminal."""

from __future__ import annotations

from rich.text import Text
from textual.widgets import TextArea

from tui.text import visible


class Editor(TextArea):
    """Plain text, edited; what is shown of a line is `visible`, what is kept is the line."""

    def get_line(self, line_index: int) -> Text:
        return Text(visible(self.document.get_line(line_index)), end="", no_wrap=True)
