"""One row of a page as a strip of the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

from rich.segment import Segment
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style

from tui.page.copying import Place
from tui.page.model import Link, Thing
from tui.page.sheet import Sheet
from tui.page.sideways import Seen


@dataclass(frozen=True, slots=True)
class Pen:
    """How spans are coloured."""

    look: Callable[[str], Style]
    """The style of a span's words."""
    picked: Thing | None
    """What the keys are at."""
    chosen: tuple[int, int] | None
    """The selected characters of the row."""
    selected: Callable[[], Style]


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
