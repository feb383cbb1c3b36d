"""The rows of a page as strips of the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

from rich.segment import Segment
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style
from textual.widget import Widget

from tui.page.copying import Place, lit
from tui.page.model import BLANK, Link, Thing
from tui.page.sheet import Sheet
from tui.page.sideways import Offsets, Seen, window
from tui.widgets.page_styles import style_of


@dataclass(frozen=True, slots=True)
class Pen:
    """How the spans of a row are coloured."""

    look: Callable[[str], Style]
    """The style of a span's words."""
    picked: Thing | None
    """What the keys are at."""
    chosen: tuple[int, int] | None
    """The selected characters of the row."""
    selected: Callable[[], Style]


class Strips:
    """The strips of a widget that shows a sheet, made when they are seen, kept until a change."""

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._made: dict[int, Strip] = {}
        self._styles: dict[str, Style] = {}

    def clear(self, styles: bool = False) -> None:
        """Forget the strips, and what the words of a style look like."""
        self._made.clear()
        if styles:
            self._styles.clear()

    def at(self, y: int, sheet: Sheet, offsets: Offsets, picked: Thing | None) -> Strip:
        """Row `y` of the sheet, as wide as the widget."""
        width = self._widget.size.width
        strip = self._made.get(y)
        if strip is None or strip.cell_length != width:
            row = sheet.rows[y] if y < len(sheet.rows) else BLANK
            pen = Pen(self._style, picked, self._chosen(sheet, y), self._selected)
            seen = window(row, width, offsets.of(row))
            strip = self._made[y] = strip_of(seen, y, width, pen)
        return strip

    def _chosen(self, sheet: Sheet, y: int) -> tuple[int, int] | None:
        selection = self._widget.text_selection
        if selection is None or y >= len(sheet.rows):
            return None
        return lit(sheet, *places(selection, sheet), y)

    def _selected(self) -> Style:
        screen = self._widget.screen
        return Style.from_styles(screen.get_component_styles("screen--selection"))

    def _style(self, words: str) -> Style:
        if words not in self._styles:
            self._styles[words] = style_of(self._widget, words)
        return self._styles[words]


def strip_of(seen: Iterable[Seen], y: int, width: int, pen: Pen) -> Strip:
    """The strip of row `y`; its segments know which character of the row they begin with."""
    segments: list[Segment] = []
    at = 0
    for span, start in seen:
        picked = span.thing is not None and span.thing is pen.picked
        style = pen.look(f"{span.style} picked" if picked else span.style)
        if isinstance(span.thing, Link) and span.thing.kind == "web":
            style += Style(link=span.thing.target)
        segments += _cut(span.text, start, y, style, pen)
        at = start + len(span.text)
    plain = pen.look("")
    rest = width - sum(segment.cell_length for segment in segments)
    # The place is on the blanks too: a selection may end there.
    segments.append(Segment(" " * max(0, rest), plain.rich_style_with_offset(at, y)))
    return Strip(segments).adjust_cell_length(width, plain.rich_style)


def _cut(text: str, start: int, y: int, style: Style, pen: Pen) -> list[Segment]:
    """A span in segments, the selected part of it marked."""
    low, high = pen.chosen or (0, 0)
    inner = (cut - start for cut in (low, high) if 0 < cut - start < len(text))
    cuts = sorted({0, len(text), *inner})
    found: list[Segment] = []
    for begin, end in pairwise(cuts):
        here = style + pen.selected() if low <= start + begin < high else style
        found.append(Segment(text[begin:end], here.rich_style_with_offset(start + begin, y)))
    return found


def places(selection: Selection, sheet: Sheet) -> tuple[Place, Place]:
    """Where a selection of the toolkit begins and ends."""
    start, end = selection
    last = len(sheet.rows) - 1
    return (
        Place(start.y, start.x) if start is not None else Place(0, 0),
        Place(end.y, end.x)
        if end is not None
        else Place(last, len(sheet.rows[last].text) if sheet.rows else 0),
    )
