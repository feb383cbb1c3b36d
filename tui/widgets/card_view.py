"""Shows a card's Markdown as a page (tui/page/); a row becomes a strip when it is seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style
from textual.widget import Widget

from tui.page.blocks import Document
from tui.page.copying import copied, lit
from tui.page.lay import Look
from tui.page.model import Fold, Link, Thing, cells
from tui.page.pictures import Finder
from tui.page.read import read
from tui.page.sheet import Page, Sheet, Stop
from tui.page.sideways import window
from tui.page.stops import next_stop, told
from tui.page.units import Context
from tui.widgets.page_strip import Pen, places, strip_of
from tui.widgets.page_styles import PAGE_CSS, ROLES, style_of

#: Cells that one step sideways goes.
STEP = 8


class CardView(Widget):
    """As high as its text; put it into something that scrolls, such as a `CardScroll`."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"page--{role}" for role in ROLES}
    DEFAULT_CSS = "CardView { height: auto; width: 1fr; }\n" + PAGE_CSS

    @dataclass
    class Followed(Message):
        """A link was chosen, by its key or the mouse."""

        view: CardView
        link: Link

        @property
        def control(self) -> CardView:
            return self.view

        @property
        def target(self) -> str:
            """A card's id, a name that no card has, or an address: see `link.kind`."""
            return self.link.target

    def __init__(self, markdown: str = "", *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._page: Page | None = None
        self._folded: frozenset[int] = frozenset()
        self._offsets: dict[int, int] = {}
        """How far each part that is too wide is scrolled, by its number."""
        self._picked: Thing | None = None
        self._strips: dict[int, Strip] = {}
        self._styles: dict[str, Style] = {}
        self._pressed: Offset | None = None
        if markdown:
            self.show(markdown)

    def show(
        self, markdown: str, context: Context | None = None, find: Finder | None = None
    ) -> None:
        """Replace what is shown; `find` finds the files of its pictures."""
        document = read(markdown, context or Context()) if markdown.strip() else None
        self.show_document(document, find)

    def show_document(self, document: Document | None, find: Finder | None = None) -> None:
        """Replace what is shown by a document that was read already."""
        self._page = Page(document, Look(folds=True, find=find)) if document else None
        self._folded, self._offsets, self._picked = frozenset(), {}, None
        self._redraw()

    # Drawing.

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return len(self._page.at(width, self._folded).rows) if self._page else 0

    def render_line(self, y: int) -> Strip:
        strip = self._strips.get(y)
        if strip is None or strip.cell_length != self.size.width:
            strip = self._strips[y] = self._drawn(y)
        return strip

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()
        self._styles.clear()

    def selection_updated(self, selection: Selection | None) -> None:  # noqa: ARG002
        self._strips.clear()
        self.refresh()

    @property
    def _sheet(self) -> Sheet | None:
        return self._page.at(self.size.width, self._folded) if self._page else None

    def _redraw(self) -> None:
        self._strips.clear()
        self.refresh(layout=True)

    def _drawn(self, y: int) -> Strip:
        sheet, width = self._sheet, self.size.width
        plain = self._style("")
        if sheet is None or y >= len(sheet.rows):
            return Strip.blank(width, plain.rich_style)
        row = sheet.rows[y]
        seen = window(row, width, self._offsets.get(row.wide, 0))
        pen = Pen(self._style, self._picked, self._chosen(sheet, y), self._selected)
        return strip_of(seen, y, width, pen)

    def _chosen(self, sheet: Sheet, y: int) -> tuple[int, int] | None:
        selection = self.text_selection
        return lit(sheet, *places(selection, sheet), y) if selection is not None else None

    def _selected(self) -> Style:
        return Style.from_styles(self.screen.get_component_styles("screen--selection"))

    def _style(self, words: str) -> Style:
        if words not in self._styles:
            self._styles[words] = style_of(self, words)
        return self._styles[words]

    # Copying.

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        sheet = self._sheet
        return (copied(sheet, *places(selection, sheet)), "\n") if sheet else None

    # Links and headings.

    @property
    def picked(self) -> Thing | None:
        """The link or heading that the keys are at."""
        return self._picked

    def unpick(self) -> None:
        self._pick(None)

    def pick(self, step: int, links: bool = False) -> bool:
        """Go to the next link or heading (the one before: -1); False where there is none."""
        stop = next_stop(self._stops, self._picked, step, links)
        if stop is not None:
            self._pick(stop)
        return stop is not None

    def follow(self) -> None:
        """Do what the picked link or heading is for."""
        self._act(self._picked)

    def fold(self, y: int) -> None:
        """Fold or unfold the section of the picked heading, else the one around row `y`."""
        folds = [s for s in self._stops if isinstance(s.thing, Fold)]
        above = [s for s in folds if s.row <= y]
        chosen = [s for s in folds if s.thing is self._picked] or above[-1:] or folds[:1]
        if chosen:
            self._act(chosen[0].thing)

    def fold_all(self) -> None:
        """Fold every section; unfold them where all are folded."""
        every = frozenset(range(self._page.document.folds if self._page else 0))
        self._folded = frozenset() if self._folded == every else every
        self._redraw()

    @property
    def _stops(self) -> list[Stop]:
        return self._sheet.stops if self._sheet else []

    def _pick(self, stop: Stop | None) -> None:
        self._picked = stop.thing if stop else None
        self._strips.clear()
        self.refresh()
        if stop is not None and isinstance(self.parent, Widget):
            region = Region(0, stop.row, 1, 1).translate(self.virtual_region.offset)
            self.parent.scroll_to_region(region, animate=False, force=True)

    def _act(self, thing: Thing | None) -> None:
        if isinstance(thing, Link):
            self.post_message(self.Followed(self, thing))
        elif isinstance(thing, Fold):
            self._folded ^= {thing.number}
            self._redraw()

    # Sideways.

    @property
    def is_wide(self) -> bool:
        """Whether something here is too wide."""
        return bool(self._sheet and self._sheet.wide)

    def sideways(self, steps: int, part: int | None = None) -> None:
        """Scroll what is too wide, all of it or one part."""
        sheet = self._sheet
        if sheet is None:
            return
        for number in range(sheet.wide) if part is None else (part,):
            offset = self._offsets.get(number, 0) + steps * STEP
            self._offsets[number] = max(0, min(offset, sheet.hidden(number)))
        self._strips.clear()
        self.refresh()

    # The mouse.

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._pressed = event.screen_offset

    def on_click(self, event: events.Click) -> None:
        """Follow or fold what is under the pointer, unless it was drawn over text to select it."""
        if self._pressed == event.screen_offset and event.button == 1:
            thing = self._thing_at(event.get_content_offset(self))
            if isinstance(thing, Link | Fold):
                event.stop()
                self._act(thing)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        thing = self._thing_at(event.get_content_offset(self))
        self.tooltip = told(thing) if isinstance(thing, Link) else None

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        if event.shift:
            self._scrolled(event, 1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        if event.shift:
            self._scrolled(event, -1)

    def on_mouse_scroll_right(self, event: events.MouseScrollRight) -> None:
        self._scrolled(event, 1)

    def on_mouse_scroll_left(self, event: events.MouseScrollLeft) -> None:
        self._scrolled(event, -1)

    def _scrolled(self, event: events.MouseEvent, step: int) -> None:
        sheet, at = self._sheet, event.get_content_offset(self)
        if sheet and at and at.y < len(sheet.rows) and sheet.rows[at.y].wide >= 0:
            event.stop()
            event.prevent_default()
            self.sideways(step, sheet.rows[at.y].wide)

    def _thing_at(self, at: Offset | None) -> Thing | None:
        sheet = self._sheet
        if sheet is None or at is None or not 0 <= at.y < len(sheet.rows):
            return None
        row = sheet.rows[at.y]
        end = 0
        for span, _ in window(row, self.size.width, self._offsets.get(row.wide, 0)):
            end += cells(span.text)
            if at.x < end:
                return span.thing
        return None
