"""What can be completed, below the cursor and over everything else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content
from textual.geometry import Offset
from textual.widget import Widget

from tui.text import one_line

if TYPE_CHECKING:
    from tui.writing.completing import Completion

_WIDEST = 60


class CompletionList(Widget):
    """Never has the focus: the editor passes its keys on."""

    DEFAULT_CSS = """
    CompletionList {
        position: absolute; overlay: screen; constrain: inside inflect; display: none;
        width: auto; height: auto; background: $panel; color: $foreground; padding: 0 1;
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._found: Sequence[Completion] = ()
        self._at = 0
        self.moved = False
        """Whether the learner chose among them."""

    @property
    def chosen(self) -> Completion:
        return self._found[self._at]

    def show(self, found: Sequence[Completion], cursor: Offset) -> None:
        """Open at `cursor`, a place on the screen; nothing found closes it."""
        self._found, self._at, self.moved = found, 0, False
        self.display = bool(found)
        if found:
            self.absolute_offset = cursor + Offset(0, 1)
            self.refresh(layout=True)

    def step(self, step: int) -> None:
        self._at, self.moved = (self._at + step) % len(self._found), True
        self.refresh()

    def render(self) -> Content:
        width = max((len(one.label) for one in self._found), default=0)
        rows = []
        for at, one in enumerate(self._found):
            about = one_line(one.about)
            row = Content.assemble(
                one.label.ljust(width), (f"  {about}" if about else "", "$foreground-muted")
            ).truncate(_WIDEST, ellipsis=True)
            rows.append(row.stylize("reverse") if at == self._at else row)
        return Content("\n").join(rows)
