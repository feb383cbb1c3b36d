"""A list of any length: only the rows that are seen are ever asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

#: A piece of a row: its text, and the names of its styles (component classes without "row--").
Piece = tuple[str, tuple[str, ...]]
#: A row's pieces, by its id, for a width in cells.
Draw = Callable[[str, int], Sequence[Piece]]
STYLES = ("dim", "found", "marked", "late", "new", "bold")


class LongList(ScrollView, can_focus=True):
    """`draw` gives the pieces of a row for a width in cells; ids name the rows."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"row--{name}" for name in (*STYLES, "cursor")}
    DEFAULT_CSS = """
    LongList { background: $background; scrollbar-size-vertical: 1; overflow-x: hidden; }
    LongList .row--cursor { background: $primary-muted; }
    LongList .row--dim { color: $text-muted; }
    LongList .row--found { color: $text-warning; text-style: bold underline; }
    LongList .row--marked { color: $text-accent; text-style: bold; }
    LongList .row--late { color: $text-error; }
    LongList .row--new { color: $text-primary; }
    LongList .row--bold { text-style: bold; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "go(1)", "Down", show=False, id="rows.down"),
        Binding("k,up", "go(-1)", "Up", show=False, id="rows.up"),
        Binding("pagedown,ctrl+d", "page(1)", "Page down", show=False, id="rows.page-down"),
        Binding("pageup,ctrl+u", "page(-1)", "Page up", show=False, id="rows.page-up"),
        Binding("g,home", "edge(0)", "First", show=False, id="rows.first"),
        Binding("G,end", "edge(-1)", "Last", show=False, id="rows.last"),
        Binding("space", "mark", "Mark", id="rows.mark", key_display="space"),
        Binding("asterisk", "mark_all", "Mark all", show=False, id="rows.mark-all"),
        Binding("enter", "open", "Open", id="rows.open", key_display="enter"),
    ]

    @dataclass
    class Highlighted(Message):
        """The cursor stands on another row; None where there is none."""

        item: str | None

    @dataclass
    class Opened(Message):
        item: str

    @dataclass
    class Marked(Message):
        """What is marked changed."""

    def __init__(
        self, draw: Callable[[str, int], Sequence[Piece]], *, id: str | None = None
    ) -> None:
        super().__init__(id=id)
        self._draw = draw
        self._items: Sequence[str] = ()
        self.cursor = 0
        self.marked: set[str] = set()

    # What it holds.

    @property
    def items(self) -> Sequence[str]:
        return self._items

    @property
    def current(self) -> str | None:
        """The row under the cursor."""
        return self._items[self.cursor] if self._items else None

    @property
    def chosen(self) -> list[str]:
        """The marked rows in their order, else the one under the cursor."""
        if self.marked:
            return [item for item in self._items if item in self.marked]
        return [self.current] if self.current is not None else []

    def show(self, items: Sequence[str]) -> None:
        """Other rows; the cursor stays on its row where that is still there."""
        before = self.current
        self._items = items
        self.marked &= set(items) if self.marked else set()
        place = items.index(before) if before in items else 0
        self.virtual_size = Size(0, len(items))
        self.cursor = -1
        self._move(place)
        self.refresh()

    # Drawing.

    def render_line(self, y: int) -> Strip:
        width, at = self.scrollable_content_region.width, y + self.scroll_offset.y
        base = self.rich_style
        if at >= len(self._items):
            return Strip.blank(width, base)
        item = self._items[at]
        mark: Piece = ("● ", ("marked",)) if item in self.marked else ("  ", ())
        if at == self.cursor:
            base += self.get_component_rich_style("row--cursor")
        segments = [
            Segment(text, base + self._style(names))
            for text, names in (mark, *self._draw(item, width - 2))
        ]
        return Strip(segments).adjust_cell_length(width, base)

    def _style(self, names: tuple[str, ...]) -> Style:
        """The colours of letters: the ground is the row's."""
        found = (self.get_component_rich_style(f"row--{name}") for name in names)
        letters = (Style(color=s.color, bold=s.bold, underline=s.underline) for s in found)
        return sum(letters, start=Style.null())

    # Moving.

    def _move(self, place: int) -> None:
        place = max(0, min(place, len(self._items) - 1))
        if place == self.cursor:
            return
        self.cursor = place
        self.scroll_to_region(Region(0, place, 1, 1), animate=False, force=True)
        self.refresh()
        self.post_message(self.Highlighted(self.current))

    def action_go(self, rows: int) -> None:
        self._move(self.cursor + rows)

    def action_page(self, pages: int) -> None:
        self._move(self.cursor + pages * max(1, self.size.height - 2))

    def action_edge(self, side: int) -> None:
        self._move(0 if side == 0 else len(self._items) - 1)

    def on_click(self, event: Click) -> None:
        place = event.y + self.scroll_offset.y
        if place < len(self._items):
            again = place == self.cursor
            self._move(place)
            if again and event.chain > 1:
                self.action_open()

    # Marking and opening.

    def action_mark(self) -> None:
        if (item := self.current) is not None:
            self.marked ^= {item}
            self.post_message(self.Marked())
            self.refresh()
            self._move(self.cursor + 1)

    def action_mark_all(self) -> None:
        """All; where all are marked, none."""
        self.marked = set() if len(self.marked) == len(self._items) else set(self._items)
        self.post_message(self.Marked())
        self.refresh()

    def action_open(self) -> None:
        if (item := self.current) is not None:
            self.post_message(self.Opened(item))
