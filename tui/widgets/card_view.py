"""CardView: one text of a card.

It shows a card's Markdown as a page (tui/page/); a row becomes a strip when it is seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from rich.segment import Segment
from textual import events
from textual.color import Color, ColorParseError
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.reactive import Reactive
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style
from textual.widget import Widget

from tui.page.model import BLANK, ROLES, Fold, Link, Row, Source, SpanTarget, cells
from tui.page.output import SelectionEnd, copied, lit
from tui.page.page import FocusStop, Page, PageLayout, PlacedImage, window
from tui.painter import Painter

STEP = 8  # cells that one step sideways goes


class CardView(Widget):
    """As high as its text; it stands in a `CardScroll`, which has its styles.

    It has no border, and padding at its right alone: its rows are painted as they are drawn.
    """

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

    # The toolkit's calls for another layout whenever a layout has changed it.
    virtual_size = Reactive(Size(0, 0))

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._page: Page | None = None
        self._painter: Painter | None = None
        self._folded: frozenset[int] = frozenset()
        self._offsets: dict[int, int] = {}
        """How far each part that is too wide is scrolled."""
        self.picked: SpanTarget | None = None
        """The link or heading that the keys are at."""
        self._strips: dict[int, Strip] = {}
        """Those that were seen, kept until a change."""
        self._styles: dict[str, Style] = {}
        self._pressed: Offset | None = None

    def show(self, page: Page | None, painter: Painter | None) -> None:
        """Replace what is shown; `painter` draws its pictures."""
        self._page, self._painter = page, painter
        self._folded, self._offsets, self.picked = frozenset(), {}, None
        self._redraw()

    def become(self, page: Page | None) -> None:
        """Show another state of the same text: what is folded and scrolled stays so."""
        if page is not self._page:
            self._page, self.picked = page, None
            self._redraw()

    @property
    def _sheet(self) -> PageLayout | None:
        return self._page.at(self.size.width, self._folded) if self._page else None

    # Drawing.

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return len(self._page.at(width, self._folded).rows) if self._page else 0

    def render_lines(self, crop: Region) -> list[Strip]:
        """What the toolkit does to each row for borders and the like took as long as to draw it."""
        strips = [self.render_line(y) for y in crop.line_range]
        for each in self.get_line_filters():
            strips = [strip.apply_filter(each, self.background_colors[1]) for strip in strips]
        whole = crop.column_span == (0, self.outer_size.width)
        return strips if whole else [strip.crop(*crop.column_span) for strip in strips]

    def render_line(self, y: int) -> Strip:
        """With the padding."""
        width, whole = self.size.width, self.outer_size.width
        if self._page is None:
            return Strip.blank(whole, self.visual_style.rich_style)
        strip = self._strips.get(y)
        if strip is None or strip.cell_length != whole:
            sheet = self._page.at(width, self._folded)
            strip = self._strips[y] = self._strip(y, sheet, width)
        return strip

    def draw_ahead(self, width: int, rows: int) -> None:
        """Its first rows, before they are to be seen."""
        if self._page is not None:
            sheet = self._page.at(width, self._folded)
            for y in range(min(rows, len(sheet.rows))):
                self._strips[y] = self._strip(y, sheet, width)

    def _strip(self, y: int, sheet: PageLayout, width: int) -> Strip:
        """Its segments know which character of the row they begin with."""
        row = sheet.rows[y] if y < len(sheet.rows) else BLANK
        selection, low, high = self.text_selection, 0, 0
        if selection is not None and y < len(sheet.rows):
            low, high = lit(sheet, *places(selection, sheet), y) or (0, 0)
        segments: list[Segment] = []
        at = 0
        for span, start in window(row, width, self._offset(row)):
            picked = span.thing is not None and span.thing is self.picked
            style = self._style(f"{span.style} picked" if picked else span.style)
            if isinstance(span.thing, Link) and span.thing.kind == "web":
                style += Style(link=span.thing.target)
            at = start + len(span.text)
            # In pieces, the selected one marked.
            cuts = sorted({start, *(cut for cut in (low, high) if start < cut < at), at})
            for begin, end in pairwise(cuts):
                here = style + self._selected() if low <= begin < high else style
                text = span.text[begin - start : end - start]
                segments.append(Segment(text, here.rich_style_with_offset(begin, y)))
        plain = self._style("")
        rest = width - sum(segment.cell_length for segment in segments)
        # The place is on the blanks too: a selection may end there.
        segments.append(Segment(" " * max(0, rest), plain.rich_style_with_offset(at, y)))
        width += self.styles.padding.right
        return Strip(segments).adjust_cell_length(width, plain.rich_style)

    def _selected(self) -> Style:
        return Style.from_styles(self.screen.get_component_styles("screen--selection"))

    def _style(self, words: str) -> Style:
        if words not in self._styles:
            self._styles[words] = style_of(self, words)
        return self._styles[words]

    def _repaint(self) -> None:
        self._strips.clear()
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()
        self._styles.clear()

    def selection_updated(self, selection: Selection | None) -> None:  # noqa: ARG002
        self._repaint()

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

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        sheet = self._sheet
        return (copied(sheet, *places(selection, sheet)), "\n") if sheet else None

    # Links, headings.

    @property
    def stops(self) -> list[FocusStop]:
        """Its links and headings, from top to bottom."""
        return self._sheet.stops if self._sheet else []

    @property
    def hits(self) -> list[int]:
        """The rows where something is lit up."""
        return self._sheet.hits if self._sheet else []

    def unpick(self, instead: SpanTarget | None = None) -> None:
        if self.picked is not instead:
            self.picked = instead
            self._repaint()

    def pick(self, stop: FocusStop) -> None:
        """Go to one of its links or headings."""
        self.unpick(stop.thing)
        if isinstance(self.parent, Widget):
            region = Region(0, stop.row, 1, 1).translate(self.virtual_region.offset)
            self.parent.scroll_to_region(region, animate=False, force=True)

    def follow(self) -> None:
        """Do what the picked link or heading is for."""
        self._act(self.picked)

    def _act(self, thing: SpanTarget | None) -> None:
        if isinstance(thing, Link):
            self.post_message(self.Followed(self, thing))
        elif isinstance(thing, Fold):
            self._refold(self._folded ^ {thing.number})

    # Folding.

    @property
    def has_folds(self) -> bool:
        """Whether there is a heading that folds."""
        return bool(self._page and self._page.document.folds)

    @property
    def all_folded(self) -> bool:
        """Whether every section is folded."""
        return self._page is not None and len(self._folded) == self._page.document.folds

    def is_folded(self, thing: SpanTarget) -> bool:
        return isinstance(thing, Fold) and thing.number in self._folded

    def fold(self, y: int) -> None:
        """Fold or unfold the section of the picked heading, else the one that row `y` stands under,
        else the first."""
        folds = [stop for stop in self.stops if isinstance(stop.thing, Fold)]
        here = [stop for stop in folds if stop.thing is self.picked]
        above = [stop for stop in folds if stop.row <= y]
        if chosen := here or above[-1:] or folds[:1]:
            self._act(chosen[0].thing)

    def fold_all(self, fold: bool) -> None:
        """Fold every section, or unfold them."""
        count = self._page.document.folds if self._page and fold else 0
        self._refold(frozenset(range(count)))

    def _refold(self, folded: frozenset[int]) -> None:
        self._folded = folded
        if all(stop.thing is not self.picked for stop in self.stops):
            self.picked = None
        self._redraw()

    # Sideways.

    @property
    def is_wide(self) -> bool:
        """Whether something here is too wide."""
        return bool(self._sheet and self._sheet.wide)

    def sideways(self, steps: int, part: int | None = None) -> None:
        """Scroll what is too wide, all of it or one part."""
        if (sheet := self._sheet) is not None:
            for number in range(sheet.wide) if part is None else (part,):
                offset = self._offsets.get(number, 0) + steps * STEP
                self._offsets[number] = max(0, min(offset, sheet.hidden(number)))
        self._repaint()

    def _offset(self, row: Row) -> int:
        return self._offsets.get(row.wide, 0)

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
        self._scrolled(event, int(event.shift))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._scrolled(event, -int(event.shift))

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

    def _thing_at(self, at: Offset | None) -> SpanTarget | None:
        if (sheet := self._sheet) is None or at is None or not 0 <= at.y < len(sheet.rows):
            return None
        row, end = sheet.rows[at.y], 0
        for span, _ in window(row, self.size.width, self._offset(row)):
            end += cells(span.text)
            if at.x < end:
                return span.thing
        return None


def hung(picture: Widget, place: PlacedImage) -> Widget:
    """The picture's widget, made to cover its place."""
    picture.styles.position = "absolute"
    picture.styles.offset = (place.left, place.row)
    picture.styles.width, picture.styles.height = place.painting.width, place.painting.height
    return picture


def told(thing: SpanTarget | None) -> str | None:
    """Where a link goes, or what is wrong with a formula, in words."""
    if isinstance(thing, Source):
        return thing.note or None
    if not isinstance(thing, Link):
        return None
    if thing.kind == "missing":
        return f"no card is called {thing.target}"
    return f"the card {thing.target}" if thing.kind == "card" else thing.target


def places(selection: Selection, sheet: PageLayout) -> tuple[SelectionEnd, SelectionEnd]:
    """Where a selection of the toolkit begins and ends."""
    first, last = SelectionEnd(0, 0), SelectionEnd(len(sheet.rows) - 1, 0)
    if sheet.rows:
        last = SelectionEnd(len(sheet.rows) - 1, len(sheet.rows[-1].text))
    start, end = selection
    return (
        first if start is None else SelectionEnd(start.y, start.x),
        last if end is None else SelectionEnd(end.y, end.x),
    )


# What the roles of a page look like on the screen: colours of the theme, nothing else.

#: Of what the views of a card scroll in: for each view by itself, styling a new screen took
#: three times as long.
PAGE_CLASSES = {f"page--{role}" for role in ROLES}
PAGE_CSS = "".join(
    f"CardScroll > .page--{role} {{ {look} }}\n" for role, (_, look) in ROLES.items()
)
# The terminal's own colours have no pale one to lay under words.
PAGE_CSS += """
CardScroll:ansi > .page--lit { background: initial; text-style: reverse; }
CardScroll:ansi > .page--picked { text-style: reverse; }
"""

#: How much of the text's own colour is in a formula's.
_PLAIN = 0.5
_ATTRIBUTES = {
    "bold": Style(bold=True),
    "italic": Style(italic=True),
    "underline": Style(underline=True),
    "strike": Style(strike=True),
    "dim": Style(dim=True),
    "reverse": Style(reverse=True),
}
#: An author's red is the theme's: it can be read on its background.
_THEMED = {
    "red": "error",
    "green": "success",
    "blue": "primary",
    "orange": "warning",
    "yellow": "warning",
    "purple": "secondary",
    "violet": "secondary",
    "magenta": "accent",
    "cyan": "primary",
    "teal": "success",
    "gray": "muted",
    "grey": "muted",
}


def style_of(widget: Widget, words: str) -> Style:
    """The style of a span's words on a widget in a `CardScroll`."""
    found = words.split()
    roles = [f"page--{word}" for word in found if word in ROLES]
    scroll = widget.parent
    assert isinstance(scroll, Widget)
    style = scroll.get_visual_style(*roles) if roles else widget.get_visual_style()
    if any(scroll.get_component_styles(role).text_style.reverse for role in roles):
        style += Style(reverse=True)  # which the toolkit leaves out
    if "math" in found and style.foreground is not None:
        # A hint of the colour: a page may be half formulas, and they are read like its text.
        plain = widget.get_visual_style().foreground or style.foreground
        style += Style(foreground=style.foreground.blend(plain, _PLAIN))
    for word in found:
        if word in _ATTRIBUTES:
            style += _ATTRIBUTES[word]
        kind, _, name = word.partition(":")
        if kind in ("color", "background"):  # that the author of a formula asked for
            front = kind == "color"
            if name in _THEMED:
                key = f"text-{_THEMED[name]}" if front else f"{_THEMED[name]}-muted"
                name = widget.app.theme_variables.get(key, name)
            try:
                color = Color.parse(name)
            except ColorParseError:
                continue
            style += Style(foreground=color) if front else Style(background=color)
    return style
