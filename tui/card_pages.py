"""A card's texts as pages: macros, links and pictures; question, solution and options."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from cards.model import Option
from tui.page.layout import Finder, PageOptions, finder
from tui.page.model import Document, Light, Listing, ListItem
from tui.page.page import Page
from tui.page.read import CELLS, MACROS, MOST, OPTION, Context, cut, read, shares

if TYPE_CHECKING:
    from cards.model import Card
    from deck.collection import Collection
    from deck.search.match import Highlights
    from tui.widgets.painter import Painter


# Pages: made when a card is shown, or before, while there is time.


class CardPages(NamedTuple):
    """What a `CardPage` shows of a card."""

    card: Card | None
    question: Page | None
    solution: Page | None
    reading: RenderContext
    """How to read on behind the question, whose formulas may define macros."""

    def lay(self, width: int) -> None:
        """Lay both out for a width, so that to show them costs nothing."""
        for page in (self.question, self.solution):
            if page is not None:
                page.at(width)


def pages_of(card: Card | None, prompt: str, answer: str, reading: RenderContext) -> CardPages:
    """Reads both texts; nothing is laid out yet."""
    reading = _limited(reading)
    begun, told = shares(prompt, answer)
    asked = _read(begun, reading, whole=len(begun) == len(prompt))
    after = reading.after(asked)
    question = page_of(asked, reading)
    solution = _read(told, after, whole=len(told) == len(answer))
    return CardPages(card, question, page_of(solution, after), after)


def document_of(markdown: str, reading: RenderContext) -> Document | None:
    """What the text says, as much as a page draws of it; None where it says nothing."""
    begun, _ = cut(markdown, MOST)
    return _read(begun, _limited(reading), whole=len(begun) == len(markdown))


def _limited(reading: RenderContext) -> RenderContext:
    return replace(reading, context=replace(reading.context, most=MACROS))


def _read(markdown: str, reading: RenderContext, whole: bool) -> Document | None:
    return read(markdown, reading.context, whole) if not whole or markdown.strip() else None


def page_of(document: Document | None, reading: RenderContext) -> Page | None:
    """A page whose headings fold and whose pictures are found."""
    measure = reading.painter.cells if reading.painter else None
    return (
        Page(
            document,
            PageOptions(
                folds=True, find=reading.find, measure=measure, light=reading.light, cells=CELLS
            ),
        )
        if document
        else None
    )


# What the text of a card means where it is shown: its macros, its links, its pictures.


@dataclass(frozen=True, slots=True)
class RenderContext:
    """How to read one card."""

    context: Context
    find: Finder | None
    painter: Painter | None = None
    light: Light | None = None
    """Finds what to light up."""
    light_after: Light | None = None
    """The same for what comes behind the question."""

    def lit(self, sought: Highlights | None) -> RenderContext:
        """The same, with what a search asks for lit up."""
        if not sought:
            return self
        solution = partial(sought.spans, part="solution")
        return replace(self, light=partial(sought.spans, part="question"), light_after=solution)

    def after(self, document: Document | None) -> RenderContext:
        """How to read on behind a document of the card: its formulas may define macros."""
        context, light = self.context.after(document), self.light_after
        return replace(self, context=context, light=light)


PLAIN = RenderContext(Context(), None)


def reading_of(
    card: Card, collection: Collection, addresses: bool = False, painter: Painter | None = None
) -> RenderContext:
    """How to read a card of the collection as that is now; `addresses` of links are written out
    behind their labels."""
    config = collection.config
    macros = {**config.macros, **card.macros} or None
    context = Context(macros, collection.called, addresses, config.breaks_lines(card))
    return RenderContext(context, finder(card.path, collection.root), painter)


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
            sign, style = _mark(option.letter in picked, correct, option.letter)
            begun, spent = cut(option.text, most - OPTION)
            most, whole = most - OPTION - spent, begun == option.text and most > OPTION
            text = read(begun, context or Context(), whole)
            mark, copy = f" {sign} {option.letter})", f"{option.letter}) "
            items.append(ListItem(mark, copy, tuple(text.blocks), style))
    return Document((Listing(tuple(items), tight=True),), 0)


def _mark(picked: bool, correct: tuple[str, ...] | None, letter: str) -> tuple[str, str]:
    if correct is None:
        return ("▸", "chosen") if picked else (" ", "mark")
    if letter in correct:
        return "✓", "right"
    return ("✗", "wrong") if picked else (" ", "rule")
