"""A list of any length: only the rows that are seen are ever asked for, a few at a time."""

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
#: Whether a row can be drawn without reading anything.
Ready = Callable[[str], bool]
#: So many rows are read before the terminal is painted, the others right behind it.
_AT_ONCE = 4
#: Drawn rows that are kept.
_KEPT = 1000
STYLES = ("dim", "found", "marked", "late", "new", "bold")


class LongList(ScrollView, can_focus=True):
    """`draw` gives the pieces of a row for a width in cells; ids name the rows.

    A row that is not `ready` takes its time: of those only some are drawn with a key, so that a key
    is answered at once wherever it leads.
    """

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
        Binding("enter", "open", "Open", id="rows.open"),
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

    def __init__(self, draw: Draw, ready: Ready, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._draw, self._ready = draw, ready
        self._left = 0
        self._drawn: dict[tuple[str, int, bool, bool], Strip] = {}
        self._styles: dict[tuple[str, ...], Style] = {}
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

    def show(self, items: Sequence[str], anew: bool = False) -> None:
        """Other rows; the cursor stays on its row where that is still there, and stands on the
        first one where they are shown `anew`."""
        before = None if anew else self.current
        self._items = items
        self.marked &= set(items) if self.marked else set()
        try:
            place = items.index(before) if before is not None else 0
        except ValueError:
            place = 0
        self.virtual_size = Size(0, len(items))
        self.cursor = -1
        self._move(place)
        self.redraw()

    def redraw(self) -> None:
        """The same rows may say something else now."""
        self._drawn.clear()
        self.refresh()

    # Drawing.

    def render_lines(self, crop: Region) -> list[Strip]:
        self._left = _AT_ONCE
        strips = super().render_lines(crop)
        if self._left < 0:
            self.call_after_refresh(self.refresh)
        return strips

    def render_line(self, y: int) -> Strip:
        width, at = self.scrollable_content_region.width, y + self.scroll_offset.y
        if at >= len(self._items):
            return Strip.blank(width, self._style(()))
        item = self._items[at]
        key = (item, width, item in self.marked, at == self.cursor)
        if (strip := self._drawn.get(key)) is None:
            strip = self._read(*key)
        return strip

    def _read(self, item: str, width: int, marked: bool, here: bool) -> Strip:
        """A row as it is drawn, or the ground of one that must wait."""
        ground = ("cursor",) if here else ()
        if not self._ready(item):
            self._left -= 1
            if self._left < 0:
                return Strip.blank(width, self._style(ground))
        mark: Piece = ("● ", ("marked",)) if marked else ("  ", ())
        segments = [
            Segment(text, self._style(ground + names))
            for text, names in (mark, *self._draw(item, width - 2))
        ]
        while len(self._drawn) >= _KEPT:
            del self._drawn[next(iter(self._drawn))]
        strip = Strip(segments).adjust_cell_length(width, self._style(ground))
        self._drawn[item, width, marked, here] = strip
        return strip

    def _style(self, names: tuple[str, ...]) -> Style:
        """The row's ground, and the colours of letters on it."""
        if (style := self._styles.get(names)) is None:
            style = self.rich_style
            for name in names:
                s = self.get_component_rich_style(f"row--{name}")
                letters = Style(color=s.color, bold=s.bold, underline=s.underline)
                style += s if name == "cursor" else letters
            self._styles[names] = style
        return style

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._styles.clear()
        self._drawn.clear()

    # Moving.

    def _move(self, place: int) -> None:
        place = max(0, min(place, len(self._items) - 1))
        if place == self.cursor:
            return
        before, self.cursor = self.cursor, place
        for row in (before, place):
            self._refresh_row(row)
        self.scroll_to_region(Region(0, place, 1, 1), animate=False, force=True)
        self.post_message(self.Highlighted(self.current))

    def _refresh_row(self, row: int) -> None:
        """Only this: the rest of the terminal stays as it is."""
        self.refresh(Region(0, row - self.scroll_offset.y, self.outer_size.width, 1))

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
