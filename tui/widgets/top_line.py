"""The line at the top of a screen: where one is, what is shown, how far along."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from tui.text import one_line


class TopLine(Widget):
    """Three texts on one line; where they do not fit, the left one is cut first."""

    DEFAULT_CSS = """
    TopLine { height: 1; padding: 0 1; background: $panel; color: $foreground; }
    """

    left: reactive[str] = reactive("")
    short: reactive[str] = reactive("")
    """Stands for `left` where that does not fit."""
    middle: reactive[str] = reactive("")
    right: reactive[str] = reactive("")

    def __init__(self, left: str = "", *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.set_reactive(TopLine.left, left)

    def render(self) -> Content:
        width = self.size.width
        middle, right = Content(one_line(self.middle)), Content(one_line(self.right))
        fixed = right.cell_length + (middle.cell_length + 3 if middle else 0)
        whole = one_line(self.left)
        if self.short and Content(whole).cell_length > width - fixed - 3:
            whole = one_line(self.short)
        left = Content.styled(whole, "bold")
        left = left.truncate(max(8, width - fixed - 3), ellipsis=True)
        # Centred where it can be, but never over its neighbours.
        free = width - left.cell_length - middle.cell_length - right.cell_length
        before = max(2, min(free - 2, (width - middle.cell_length) // 2 - left.cell_length))
        after = max(1, free - before)
        return Content.assemble(
            left,
            " " * before,
            (middle.plain, "$foreground-muted"),
            " " * after,
            (right.plain, "dim"),
        )
