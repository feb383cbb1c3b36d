"""A page laid out for each width: focus stops, highlights, sideways scrolling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from tui.page.layout import Layout, PageOptions
from tui.page.model import (
    FOLD,
    PAD,
    CopyUnit,
    Decoration,
    Document,
    Fold,
    ImageSlot,
    Light,
    Link,
    Row,
    Source,
    Span,
    SpanTarget,
    cells,
    slice_cells,
    split_cells,
)

#: A width below this is laid out as if it were this: nobody reads there.
NARROWEST = 4
_KEPT = 4


@dataclass(frozen=True, slots=True)
class FocusStop:
    """Something that a key can go to: a link, or a heading that folds."""

    thing: Link | Fold
    row: int


@dataclass(frozen=True, slots=True)
class PlacedImage:
    """Where a picture's place is."""

    painting: ImageSlot
    row: int
    left: int


class PageLayout:
    """The rows of a document at one width."""

    def __init__(self, rows: list[Row], width: int, wide: int) -> None:
        self.rows = rows
        self.width = width
        self.wide = wide
        """How many parts are too wide and scroll."""

    @cached_property
    def stops(self) -> list[FocusStop]:
        """From top to bottom, each once."""
        found: dict[SpanTarget, FocusStop] = {}
        for number, row in enumerate(self.rows):
            for span in row.spans:
                if isinstance(span.thing, Link | Fold):
                    found.setdefault(span.thing, FocusStop(span.thing, number))
        return list(found.values())

    @cached_property
    def hits(self) -> list[int]:
        """The rows where something is lit up, from top to bottom; of a formula its first."""
        found: list[int] = []
        seen: set[SpanTarget | None] = {None}
        for number, row in enumerate(self.rows):
            lit = {span.thing for span in row.spans if LIT in span.style.split()}
            if lit - seen or any(FOUND in span.style.split() for span in row.spans):
                found.append(number)
            seen |= lit
        return found

    @cached_property
    def paintings(self) -> list[PlacedImage]:
        """The places that are left free for pictures."""
        found: dict[SpanTarget, PlacedImage] = {}
        for number, row in enumerate(self.rows):
            left = 0
            for span in row.spans:
                if isinstance(span.thing, ImageSlot):
                    found.setdefault(span.thing, PlacedImage(span.thing, number, left))
                left += cells(span.text)
        return list(found.values())

    @cached_property
    def pieces(self) -> dict[CopyUnit, range]:
        """The rows of what is copied as one text."""
        found: dict[CopyUnit, range] = {}
        for number, row in enumerate(self.rows):
            if row.piece is not None:
                start = found[row.piece].start if row.piece in found else number
                found[row.piece] = range(start, number + 1)
        return found

    @cached_property
    def parts(self) -> list[range]:
        """The rows of each part that is too wide."""
        found: dict[int, range] = {}
        for number, row in enumerate(self.rows):
            if row.wide >= 0:
                start = found[row.wide].start if row.wide in found else number
                found[row.wide] = range(start, number + 1)
        return [found[part] for part in sorted(found)]

    def hidden(self, part: int) -> int:
        """How many cells of a part do not fit: its greatest offset."""
        return max(0, max(self.rows[y].width for y in self.parts[part]) - self.width)


class Page:
    """One document; keeps the last few layouts, so that only a new width or fold costs."""

    def __init__(self, document: Document, look: PageOptions | None = None) -> None:
        self.document = document
        self.look = look or PageOptions()
        self._sheets: dict[tuple[int, frozenset[int]], PageLayout] = {}

    def at(self, width: int, folded: frozenset[int] = frozenset()) -> PageLayout:
        """The rows for a width, the sections of the folded headings left out."""
        width = max(NARROWEST, width)
        key = (width, folded)
        if key not in self._sheets:
            if len(self._sheets) == _KEPT:
                del self._sheets[next(iter(self._sheets))]
            layout = Layout(replace(self.look, folded=folded))
            rows = layout.rows(self.document.blocks, width)
            if self.look.light is not None:
                rows = highlighted(rows, self.look.light)
            self._sheets[key] = PageLayout(rows, width, layout.wide)
        return self._sheets[key]


# Which link or heading a key goes to.


def ahead(rows: Sequence[int], here: int | None, step: int, seen: range) -> list[int]:
    """The stops at `rows` in the order in which a key goes to them, round to where it began.

    It goes on from stop `here` (backwards: `step` is -1); where that is None, from the rows that
    are seen, with their first stop or their last.
    """
    count = len(rows)
    if here is not None:
        first = here + step
    elif step > 0:
        first = next((n for n, row in enumerate(rows) if row >= seen.start), 0)
    else:
        first = next((n for n in reversed(range(count)) if rows[n] < seen.stop), -1)
    return [(first + step * turn) % count for turn in range(count)]


def section(stops: Sequence[FocusStop], picked: SpanTarget | None, y: int) -> Fold | None:
    """The picked heading, else the one that row `y` stands under, else the first."""
    folds = [(stop.thing, stop.row) for stop in stops if isinstance(stop.thing, Fold)]
    here = [thing for thing, _ in folds if thing is picked]
    above = [thing for thing, row in folds if row <= y]
    chosen = here or above[-1:] or [thing for thing, _ in folds[:1]]
    return chosen[0] if chosen else None


def told(thing: SpanTarget | None) -> str | None:
    """Where a link goes, or what is wrong with a formula, in words."""
    if isinstance(thing, Source):
        return thing.note or None
    if not isinstance(thing, Link):
        return None
    if thing.kind == "missing":
        return f"no card is called {thing.target}"
    return f"the card {thing.target}" if thing.kind == "card" else thing.target


# What of a row is seen when it is wider than its page: a window on it, with signs at its edges.

LEFT, RIGHT = "‹", "›"
#: Between the columns of a table.
_BETWEEN = (" │ ", "─┼─", "╌┊╌")


class Seen(NamedTuple):
    """A span as it is drawn, and where its text begins in the row's."""

    span: Span
    start: int


def window(row: Row, width: int, offset: int = 0) -> list[Seen]:
    """The spans of a row that are in sight, cut where need be, at most `width` cells."""
    every = list(_indexed(row.spans))
    if row.wide < 0 or (row.width <= width and not offset):
        return every
    offset = min(offset, max(0, row.width - width))
    before, after = offset > 0, row.width - offset > width
    seen = [each for each in every[: row.fixed] if each.span.text]
    at = sum(cells(each.span.text) for each in seen)
    start = sum(len(each.span.text) for each in seen)
    first, last = at + offset + before, offset + width - after
    if before:
        seen.append(Seen(Span(LEFT, "edge", PAD), start))
    for span, index in every[row.fixed :]:
        size = cells(span.text)
        text = slice_cells(span.text, max(0, first - at), max(0, min(size, last - at)))
        if text:
            skipped = slice_cells(span.text, 0, max(0, first - at)) if first > at else ""
            seen.append(Seen(span._replace(text=text), index + len(skipped)))
        at += size
    if after:
        used = sum(cells(each.span.text) for each in seen)
        end = seen[-1].start + len(seen[-1].span.text) if seen else start
        seen.append(Seen(Span(" " * (width - used - 1) + RIGHT, "edge", PAD), end))
    return seen


def _indexed(spans: tuple[Span, ...]) -> Iterator[Seen]:
    index = 0
    for span in spans:
        yield Seen(span, index)
        index += len(span.text)


def bands(row: Row, width: int) -> list[Row]:
    """A wide row in pieces under each other, for where nothing scrolls; all of it is there.

    What stays in front stands before each piece; a table is cut between its columns.
    """
    if row.width <= width:
        return [row]
    front = row.spans[: row.fixed]
    room = max(2, width - sum(cells(span.text) for span in front) - 2)
    bodies: list[list[Span]] = [[]]
    used = 0
    for column in _columns(row.spans[row.fixed :]):
        size = sum(cells(span.text) for span in column)
        if bodies[-1] and used + size > room and _parts(column[0]):
            column = column[1:]
            bodies.append([])
            used = 0
        for span in column:
            for piece in split_cells(span.text, max(0, room - used), room):
                if bodies[-1] and used + cells(piece) > room:
                    bodies.append([])
                    used = 0
                bodies[-1].append(span._replace(text=piece))
                used += cells(piece)
    return [_band(front, body, number, len(bodies)) for number, body in enumerate(bodies)]


def _columns(spans: tuple[Span, ...]) -> list[list[Span]]:
    """Each column of a table's row with the line before it; of another row, all there is."""
    found: list[list[Span]] = []
    for span in spans:
        if not found or _parts(span):
            found.append([])
        found[-1].append(span)
    return found


def _parts(span: Span) -> bool:
    return span.style == "rule" and span.text in _BETWEEN


def _band(front: tuple[Span, ...], body: list[Span], number: int, count: int) -> Row:
    blank = not "".join(span.text for span in body).strip()
    left, right = (Span(" " if blank else sign, "edge", PAD) for sign in (LEFT, RIGHT))
    spans = (*front, *[left] * (number > 0), *body, *[right] * (number < count - 1))
    return Row(spans, sum(cells(span.text) for span in spans))


class Offsets:
    """How far each part of a page that is too wide is scrolled."""

    def __init__(self) -> None:
        self._cells: dict[int, int] = {}

    def of(self, row: Row) -> int:
        return self._cells.get(row.wide, 0)

    def move(self, sheet: PageLayout, cells_right: int, part: int | None = None) -> None:
        """Scroll one part, or all of them, as far as there is something to see."""
        for number in range(sheet.wide) if part is None else (part,):
            offset = self._cells.get(number, 0) + cells_right
            self._cells[number] = max(0, min(offset, sheet.hidden(number)))


# Lights up what a search found: letters of the text, and formulas whole, by their LaTeX.
#
# Works on rows that are laid out: no word goes into another row for it, and no formula is torn.

#: Styles of letters, and of formulas: a line under each of a fraction's rows would be read as one.
FOUND, LIT = "found", "lit"


class _Piece(NamedTuple):
    """Where a piece of the text is drawn: as a span, or as all that shows a thing."""

    start: int
    end: int
    row: int
    span: int
    thing: SpanTarget | None


def highlighted(rows: list[Row], light: Light) -> list[Row]:
    """The rows with `FOUND` and `LIT` among the styles of what is found."""
    text, pieces = _text(rows)
    marks: dict[tuple[int, int], list[tuple[int, int]]] = {}
    things: set[SpanTarget | None] = set()
    at = 0
    for start, end in light(text):
        while at < len(pieces) and pieces[at].end <= start:
            at += 1
        for piece in pieces[at:]:
            if piece.start >= end:
                break
            if piece.thing is not None:
                things.add(piece.thing)
            else:
                low, high = max(start, piece.start), min(end, piece.end)
                here = marks.setdefault((piece.row, piece.span), [])
                here.append((low - piece.start, high - piece.start))
    found: list[Row] = []
    for number, row in enumerate(rows):
        spans: list[Span] = []
        fixed = row.fixed
        for place, span in enumerate(row.spans):
            if span.thing in things:
                spans.append(span._replace(style=f"{span.style} {LIT}".strip()))
            elif (number, place) in marks:
                cut = _cut(span, marks[number, place])
                spans += cut
                fixed += (len(cut) - 1) * (place < row.fixed)
            else:
                spans.append(span)
        found.append(row._replace(spans=tuple(spans), fixed=fixed))
    return found


def _text(rows: list[Row]) -> tuple[str, list[_Piece]]:
    """The text as it is read, formulas as their source, and where each piece of it is drawn."""
    parts: list[str] = []
    pieces: list[_Piece] = []
    seen: set[SpanTarget] = set()
    at = 0
    for number, row in enumerate(rows):
        if row.rise:  # above or below a line of text: of its formulas
            continue
        parts.append(row.glue)
        at += len(row.glue)
        for place, span in enumerate(row.spans):
            thing, text = span.thing, span.text
            if isinstance(thing, Source):
                if thing in seen:
                    continue
                seen.add(thing)
                text = thing.copy
            if isinstance(thing, Decoration | ImageSlot) or span.style == FOLD:
                text = " "
            else:
                whole = thing if isinstance(thing, Source) else None
                pieces.append(_Piece(at, at + len(text), number, place, whole))
            parts.append(text)
            at += len(text)
    return "".join(parts), pieces


def _cut(span: Span, marked: list[tuple[int, int]]) -> list[Span]:
    """The span in pieces, those marked with `FOUND` among their styles."""
    found = f"{span.style} {FOUND}".lstrip()
    if "`" in span.text and "code" in span.style.split():
        return [span._replace(style=found)]  # what closes it depends on all of it
    cuts = sorted({0, len(span.text), *(place for mark in marked for place in mark)})
    starts = dict(marked)
    made, until = [], 0
    for begin, end in pairwise(cuts):
        until = max(until, starts.get(begin, 0))
        style = found if begin < until else span.style
        made.append(span._replace(text=span.text[begin:end], style=style))
    return made
