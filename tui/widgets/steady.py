"""Text that is replaced at every key: a new layout of the screen only where its size changes."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content
from textual.widgets import Static


class Steady(Static):
    """`put` is `update`, and cheap while the text keeps its number of rows."""

    _rows = -1
    _put = Content("")

    def put(self, text: Content | str) -> None:
        content = Content(text) if isinstance(text, str) else text
        self._put = content
        rows = self._height(content)
        self.update(content, layout=rows < 0 or rows != self._rows)
        self._rows = rows

    def rows_in(self, width: int) -> int:
        """How many rows it would have, also while it is hidden."""
        return rows_of(self._put, width) if self._put else 0

    def _height(self, content: Content) -> int:
        width = self.content_size.width
        if not width:  # hidden, or not laid out yet
            return -1
        if not content:
            return 0
        return rows_of(content, width)


def rows_of(content: Content, width: int) -> int:
    """As many as it has when it is wrapped; to wrap it takes a millisecond, to look does not."""
    lines = content.plain.split("\n")
    if all(cell_len(line) <= width for line in lines):
        return len(lines)
    return len(content.wrap(width))
