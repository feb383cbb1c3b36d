"""A grid that is filled in by hand: a cursor, whole numbers, marks once they were checked."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click, Key
from textual.message import Message
from textual.widgets import Static

from tui.lab_input import Cell

#: Digits that a cell takes.
_LONGEST = 6


class HandGrid(Static, can_focus=True):
    """Arrows and tab move, digits and - write; an empty cell is 0."""

    DEFAULT_CSS = "HandGrid { width: auto; height: auto; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1, 0)", "Up", show=False, id="hand.up"),
        Binding("down,j", "move(1, 0)", "Down", show=False, id="hand.down"),
        Binding("left,h", "move(0, -1)", "Left", show=False, id="hand.left"),
        Binding("right,l", "move(0, 1)", "Right", show=False, id="hand.right"),
        Binding("tab", "step(1)", "Next cell", id="hand.next", key_display="tab"),
        Binding("shift+tab", "step(-1)", "Cell before", show=False, id="hand.before"),
        Binding("delete,ctrl+u", "clear", "Empty", show=False, id="hand.clear"),
    ]

    class Moved(Message):
        """The cursor is at another cell."""

    class Filled(Message):
        """A number was changed."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._shape = (1, 1)
        self._texts: dict[Cell, str] = {}
        self._off: frozenset[Cell] | None = None
        self.at: Cell = (0, 0)

    def begin(self, rows: int, columns: int) -> None:
        """An empty grid."""
        self._shape, self._texts, self._off, self.at = (rows, columns), {}, None, (0, 0)
        self._draw()

    @property
    def numbers(self) -> dict[Cell, int]:
        """What is written; a lone "-" is nothing yet."""
        return {cell: int(text) for cell, text in self._texts.items() if text.lstrip("-")}

    def mark(self, off: frozenset[Cell] | None) -> None:
        """Point at the cells that are wrong; None takes all marks away."""
        self._off = off
        self._draw()

    # Keys.

    def on_key(self, event: Key) -> None:
        text = self._texts.get(self.at, "")
        if event.key == "backspace":
            text = text[:-1]
        elif event.character is not None and event.character in "0123456789":
            text = (text + event.character)[:_LONGEST].lstrip("0") or "0"
        elif event.key in ("minus", "kp_minus"):
            text = text.removeprefix("-") if text.startswith("-") else f"-{text}"
        else:
            return
        event.stop()
        event.prevent_default()
        self._write(text)

    def action_clear(self) -> None:
        self._write("")

    def _write(self, text: str) -> None:
        self._texts[self.at] = text
        if not text:
            del self._texts[self.at]
        self._draw()
        self.post_message(self.Filled())

    def action_move(self, down: int, right: int) -> None:
        rows, columns = self._shape
        self._go(((self.at[0] + down) % rows, (self.at[1] + right) % columns))

    def action_step(self, step: int) -> None:
        """To the next cell, row by row."""
        rows, columns = self._shape
        self._go(divmod((self.at[0] * columns + self.at[1] + step) % (rows * columns), columns))

    def _go(self, cell: Cell) -> None:
        self.at = cell
        self._draw()
        self.post_message(self.Moved())

    def on_click(self, event: Click) -> None:
        at = event.get_content_offset(self)
        if at is None:
            return
        cell = (at.y, at.x // (self._width + 2))
        if cell[0] < self._shape[0] and cell[1] < self._shape[1]:
            self._go(cell)

    # Drawing.

    @property
    def _width(self) -> int:
        """Of a number with a cross before it."""
        return max([5, *(1 + len(text) for text in self._texts.values())])

    def _draw(self) -> None:
        rows, columns = self._shape
        lines = [Content("").join(self._cell((i, j)) for j in range(columns)) for i in range(rows)]
        self.update(Content("\n").join(lines))

    def _cell(self, cell: Cell) -> Content:
        off = self._off is not None and cell in self._off
        style = "bold $text-error" if off else "" if cell in self._texts else "dim"
        if self._off is not None and not off and cell in self._texts:
            style = "bold $text-success"
        text = self._texts.get(cell, "·")
        body = f"{'✗' if off else ''}{text}".rjust(self._width)
        left, right = " ", " "
        if cell == self.at:
            # Brackets, so that it is seen without colours.
            left, right, style = "[", "]", f"{style} reverse".strip()
        return Content.styled(f"{left}{body}{right}", style)
