"""Shows a card's Markdown, wrapped to its width; its mathematics as LaTeX source."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from tui.widgets.markdown_text import Block, blocks


class CardView(Widget):
    """As high as its text; put it into something that scrolls."""

    DEFAULT_CSS = """
    CardView { height: auto; width: 1fr; }
    """

    def __init__(self, markdown: str = "", *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._blocks: list[Block] = []
        self._wrapped: tuple[int, Content] | None = None
        if markdown:
            self.show(markdown)

    def show(self, markdown: str) -> None:
        """Replace what is shown."""
        self._blocks = blocks(markdown) if markdown.strip() else []
        self._wrapped = None
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return self._at(width).plain.count("\n") + 1 if self._blocks else 0

    def render(self) -> Content:
        return self._at(self.size.width)

    def _at(self, width: int) -> Content:
        if self._wrapped is None or self._wrapped[0] != width:
            self._wrapped = (width, laid_out(self._blocks, max(width, 10)))
        return self._wrapped[1]


def laid_out(found: list[Block], width: int) -> Content:
    """The blocks as lines of at most `width` cells."""
    lines: list[Content] = []
    for number, block in enumerate(found):
        if number and block.gap:
            lines.append(Content(""))
        indent = min(block.indent, width // 2)
        mark = block.mark.rjust(indent - 1) + " " if block.mark else " " * indent
        for row, line in enumerate(block.content.wrap(width - indent)):
            lines.append(Content(mark if row == 0 else " " * indent) + line)
    return Content("\n").join(lines)
