"""Pages: a document laid out for each width; a card's question, solution and options as such."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from tui.page.layout import Layout, PageOptions, finder
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
    Listing,
    ListItem,
    Row,
    Source,
    Span,
    SpanTarget,
    cells,
    slice_cells,
)
from tui.page.read import CELLS, MACROS, OPTION, Context, cut, read, shares

if TYPE_CHECKING:
    from cards.model import Card, Option
    from deck.collection import Collection
    from deck.search.match import Highlights
    from tui.painter import Painter

Key = TypeVar("Key")

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
        return _ranges((n, row.piece) for n, row in enumerate(self.rows) if row.piece is not None)

    @cached_property
    def parts(self) -> list[range]:
        """The rows of each part that is too wide."""
        found = _ranges((n, row.wide) for n, row in enumerate(self.rows) if row.wide >= 0)
        return [found[part] for part in sorted(found)]

    def hidden(self, part: int) -> int:
        """How many cells of a part do not fit: its greatest offset."""
        return max(0, max(self.rows[y].width for y in self.parts[part]) - self.width)


def _ranges(rows: Iterable[tuple[int, Key]]) -> dict[Key, range]:
    """From the first row of each key to its last."""
    found: dict[Key, range] = {}
    for number, key in rows:
        found[key] = range(found[key].start if key in found else number, number + 1)
    return found


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


# What the text of a card means where it is shown: its macros, its links, its pictures.


_LOOK = PageOptions(folds=True, cells=CELLS)


@dataclass(frozen=True, slots=True)
class RenderContext:
    """How to read one card."""

    context: Context
    look: PageOptions = _LOOK
    painter: Painter | None = None
    light_after: Light | None = None
    """Finds what to light up behind the question."""

    def lit(self, sought: Highlights | None) -> RenderContext:
        """The same, with what a search asks for lit up."""
        if not sought:
            return self
        look = replace(self.look, light=partial(sought.spans, part="question"))
        return replace(self, look=look, light_after=partial(sought.spans, part="solution"))

    def after(self, document: Document | None) -> RenderContext:
        """How to read on behind a document of the card: its formulas may define macros."""
        look = replace(self.look, light=self.light_after)
        return replace(self, context=self.context.after(document), look=look)


PLAIN = RenderContext(Context())


def render_context(
    card: Card, collection: Collection, addresses: bool = False, painter: Painter | None = None
) -> RenderContext:
    """What a card's texts mean in its collection; `addresses`: those of links are written out."""
    config = collection.config
    macros = {**config.macros, **card.macros}
    context = Context(macros or None, collection.called, addresses, config.breaks_lines(card))
    find, measure = finder(card.path, collection.root), painter.cells if painter else None
    return RenderContext(context, replace(_LOOK, find=find, measure=measure), painter)


# A card's pages: made when a card is shown, or before, while there is time.


class CardPages(NamedTuple):
    """What a `CardPage` shows of a card."""

    card: Card | None
    question: Page | None
    solution: Page | None
    reading: RenderContext
    """How to read on behind the question, whose formulas may define macros."""
    filled: Page | None = None
    """What the question becomes with the reveal; None where it stays as it is."""

    def lay(self, width: int) -> None:
        """Lay all out for a width, so that to show them costs nothing."""
        for page in (self.question, self.solution, self.filled):
            if page is not None:
                page.at(width)


def pages_of(
    card: Card | None, prompt: str, answer: str, reading: RenderContext, filled: str = ""
) -> CardPages:
    """Reads the texts, as much of them as is drawn; nothing is laid out yet.

    `filled` is what the prompt becomes with the reveal.
    """
    reading = replace(reading, context=replace(reading.context, most=MACROS))
    begun, told = shares(prompt, answer)
    asked = _read(begun, reading, whole=len(begun) == len(prompt))
    after = reading.after(asked)
    behind = _read(told, after, whole=len(told) == len(answer))
    question = Page(asked, reading.look) if asked else None
    told_page = Page(behind, after.look) if behind else None
    pages = CardPages(card, question, told_page, after)
    if filled in ("", prompt):
        return pages
    begun, _ = shares(filled, answer)
    whole = _read(begun, reading, whole=len(begun) == len(filled))
    return pages._replace(filled=Page(whole, reading.look) if whole else None)


def _read(markdown: str, reading: RenderContext, whole: bool) -> Document | None:
    return read(markdown, reading.context, whole) if not whole or markdown.strip() else None


# The options of a choice card as a page: picked with their letters, marked after the reveal.


def options_page(
    options: Iterable[Option],
    picked: frozenset[str] = frozenset(),
    correct: tuple[str, ...] | None = None,
    context: Context | None = None,
    most: int = sys.maxsize,
) -> Document:
    """An item an option, placeholders left out; `correct` is None before the reveal.

    Of options that cost more than `most` (tui/page/read.py) only the beginning.
    """
    items: list[ListItem] = []
    whole = True
    for option in options:
        if not option.placeholder and whole:
            chosen = option.letter in picked
            sign, style = _mark(chosen, correct, option.letter)
            begun, spent = cut(option.text, most - OPTION)
            most, whole = most - OPTION - spent, begun == option.text and most > OPTION
            text = read(begun, context or Context(), whole)
            mark = f"{'▸' if chosen else ' '}{sign} {option.letter})"
            copy = f"{option.letter}) "
            items.append(ListItem(mark, copy, tuple(text.blocks), style))
    return Document((Listing(tuple(items), tight=True),), 0)


def _mark(picked: bool, correct: tuple[str, ...] | None, letter: str) -> tuple[str, str]:
    if correct is None:
        return " ", "chosen" if picked else "mark"
    if letter in correct:
        return "✓", "right"
    return ("✗", "wrong") if picked else (" ", "rule")


# What of a row is seen when it is wider than its page: a window on it, with signs at its edges.

LEFT, RIGHT = "‹", "›"


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
