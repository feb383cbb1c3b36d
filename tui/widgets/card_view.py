"""Shows a card's Markdown as a page (tui/page/); a row becomes a strip when it is seen."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from tui.card_pages import document_of, page_of
from tui.page.blocks import Document
from tui.page.copying import copied
from tui.page.model import Fold, Link, Thing, cells
from tui.page.sheet import Page, Sheet, Stop
from tui.page.sideways import Offsets, window
from tui.page.stops import section, told
from tui.reading import PLAIN, Reading
from tui.widgets.page_strip import Strips, places
from tui.widgets.painter import Painter, hung

STEP = 8  # cells that one step sideways goes


class CardView(Widget):
    """As high as its text; it stands in a `CardScroll`, which has its styles."""

    DEFAULT_CSS = "CardView { height: auto; width: 1fr; }"

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
        self._painter: Painter | None = None
        self._folded: frozenset[int] = frozenset()
        self._offsets = Offsets()
        self._picked: Thing | None = None
        self._strips = Strips(self)
        self._pressed: Offset | None = None
        if markdown:
            self.show(markdown)

    def show(self, markdown: str, reading: Reading = PLAIN) -> None:
        """Replace what is shown; `reading` says what its links and pictures are."""
        self.show_document(document_of(markdown, reading), reading)

    def show_document(self, document: Document | None, reading: Reading = PLAIN) -> None:
        """Replace what is shown by a document that was read already."""
        self.show_page(page_of(document, reading), reading)

    def show_page(self, page: Page | None, reading: Reading) -> None:
        """Replace what is shown by a page that was made already."""
        self._page, self._painter = page, reading.painter
        self._folded, self._offsets, self._picked = frozenset(), Offsets(), None
        self._redraw()

    # Drawing.

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return len(self._page.at(width, self._folded).rows) if self._page else 0

    def render_line(self, y: int) -> Strip:
        if (sheet := self._sheet) is None:
            return Strip.blank(self.size.width, self.visual_style.rich_style)
        return self._strips.at(y, sheet, self._offsets, self._picked)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear(styles=True)

    def selection_updated(self, selection: Selection | None) -> None:  # noqa: ARG002
        self._strips.clear()
        self.refresh()

    @property
    def _sheet(self) -> Sheet | None:
        return self._page.at(self.size.width, self._folded) if self._page else None

    def _redraw(self) -> None:
        self._strips.clear()
        if self._painter or self._nodes:
            self.call_after_refresh(self._hang)
        self.refresh(layout=True)

    async def _hang(self) -> None:
        """Put the pictures over the rows that are free for them."""
        await self.remove_children()
        if (sheet := self._sheet) is not None and self._painter is not None:
            await self.mount_all(
                hung(self._painter.widget(place.painting.path), place) for place in sheet.paintings
            )

    def on_resize(self) -> None:
        if self._painter is not None:
            self.call_after_refresh(self._hang)

    # Copying.

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        sheet = self._sheet
        return (copied(sheet, *places(selection, sheet)), "\n") if sheet else None

    # Links, headings.

    @property
    def picked(self) -> Thing | None:
        """The link or heading that the keys are at."""
        return self._picked

    @property
    def stops(self) -> list[Stop]:
        """Its links and headings, from top to bottom."""
        return self._sheet.stops if self._sheet else []

    @property
    def hits(self) -> list[int]:
        """The rows where something is lit up."""
        return self._sheet.hits if self._sheet else []

    def unpick(self, instead: Thing | None = None) -> None:
        if self._picked is not instead:
            self._picked = instead
            self._strips.clear()
            self.refresh()

    def pick(self, stop: Stop) -> None:
        """Go to one of its links or headings."""
        self.unpick(stop.thing)
        if isinstance(self.parent, Widget):
            region = Region(0, stop.row, 1, 1).translate(self.virtual_region.offset)
            self.parent.scroll_to_region(region, animate=False, force=True)

    def follow(self) -> None:
        """Do what the picked link or heading is for."""
        self._act(self._picked)

    @property
    def has_folds(self) -> bool:
        """Whether there is a heading that folds."""
        return bool(self._page and self._page.document.folds)

    def fold(self, y: int) -> None:
        """Fold or unfold the section of the picked heading, else the one around row `y`."""
        self._act(section(self.stops, self._picked, y))

    @property
    def all_folded(self) -> bool:
        """Whether every section is folded."""
        return self._page is not None and len(self._folded) == self._page.document.folds

    def is_folded(self, thing: Thing) -> bool:
        return isinstance(thing, Fold) and thing.number in self._folded

    def fold_all(self, fold: bool) -> None:
        """Fold every section, or unfold them."""
        count = self._page.document.folds if self._page else 0
        self._refold(frozenset(range(count)) if fold else frozenset())

    def _refold(self, folded: frozenset[int]) -> None:
        self._folded = folded
        if all(stop.thing is not self._picked for stop in self.stops):
            self._picked = None
        self._redraw()

    def _act(self, thing: Thing | None) -> None:
        if isinstance(thing, Link):
            self.post_message(self.Followed(self, thing))
        elif isinstance(thing, Fold):
            self._refold(self._folded ^ {thing.number})

    # Sideways.

    @property
    def is_wide(self) -> bool:
        """Whether something here is too wide."""
        return bool(self._sheet and self._sheet.wide)

    def sideways(self, steps: int, part: int | None = None) -> None:
        """Scroll what is too wide, all of it or one part."""
        if (sheet := self._sheet) is not None:
            self._offsets.move(sheet, steps * STEP, part)
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
        self.tooltip = told(self._thing_at(event.get_content_offset(self)))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._scrolled(event, 1 if event.shift else 0)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._scrolled(event, -1 if event.shift else 0)

    def on_mouse_scroll_right(self, event: events.MouseScrollRight) -> None:
        self._scrolled(event, 1)

    def on_mouse_scroll_left(self, event: events.MouseScrollLeft) -> None:
        self._scrolled(event, -1)

    def _scrolled(self, event: events.MouseEvent, step: int) -> None:
        sheet, at = self._sheet, event.get_content_offset(self)
        if step and sheet and at and at.y < len(sheet.rows) and sheet.rows[at.y].wide >= 0:
            event.stop()
            event.prevent_default()
            self.sideways(step, sheet.rows[at.y].wide)

    def _thing_at(self, at: Offset | None) -> Thing | None:
        if (sheet := self._sheet) is None or at is None or not 0 <= at.y < len(sheet.rows):
            return None
        row, end = sheet.rows[at.y], 0
        for span, _ in window(row, self.size.width, self._offsets.of(row)):
            end += cells(span.text)
            if at.x < end:
                return span.thing
        return None
