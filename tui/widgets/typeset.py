"""A typeset formula's box as text with its styles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content, Span

from tui.widgets.steady import Steady

if TYPE_CHECKING:
    from cards.math.typesetter.box import Box


class Typeset(Steady):
    """A formula as it was read, typeset."""

    _last: Box | None = None

    def show(self, box: Box | None, keep: bool) -> None:
        """With no box, the last one stays if it may, faint: half of a formula cannot be read."""
        if box is None and not keep:
            self._last = None
        self._last = box or self._last
        self.set_class(self._last is None, "-empty")
        if self._last is None:
            self.put("")
        else:
            self.put(formula(self._last, "" if box else "dim"))


_STYLES = {"bold": "bold", "italic": "italic", "warning": "$text-warning"}


def formula(box: Box, style: str = "") -> Content:
    """The rows of a box; `style` is for all of it."""
    lines = []
    for number, row in enumerate(box.rows):
        spans = [Span(0, len(row), style)] if style else []
        if len(row) == box.width:  # else some sign is two cells wide, and marks are in cells
            spans += [
                Span(mark.start, mark.end, _STYLES[mark.style])
                for mark in box.marks
                if mark.row == number and mark.style in _STYLES
            ]
        lines.append(Content(row, spans).rstrip())
    return Content("\n").join(lines)
