"""A card's texts as pages: made when it is shown, or before, while there is time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from tui.page.lay import Look
from tui.page.limits import CELLS, MACROS, MOST, cut, shares
from tui.page.read import read
from tui.page.sheet import Page

if TYPE_CHECKING:
    from cards.model import Card
    from tui.page.blocks import Document
    from tui.reading import Reading


class CardPages(NamedTuple):
    """What a `CardPage` shows of a card."""

    card: Card | None
    question: Page | None
    solution: Page | None
    reading: Reading
    """How to read on behind the question, whose formulas may define macros."""

    def lay(self, width: int) -> None:
        """Lay both out for a width, so that to show them costs nothing."""
        for page in (self.question, self.solution):
            if page is not None:
                page.at(width)


def pages_of(card: Card | None, prompt: str, answer: str, reading: Reading) -> CardPages:
    """Reads both texts; nothing is laid out yet."""
    reading = _limited(reading)
    begun, told = shares(prompt, answer)
    asked = _read(begun, reading, whole=len(begun) == len(prompt))
    after = reading.after(asked)
    question = page_of(asked, reading)
    solution = _read(told, after, whole=len(told) == len(answer))
    return CardPages(card, question, page_of(solution, after), after)


def document_of(markdown: str, reading: Reading) -> Document | None:
    """What the text says, as much as a page draws of it; None where it says nothing."""
    begun, _ = cut(markdown, MOST)
    return _read(begun, _limited(reading), whole=len(begun) == len(markdown))


def _limited(reading: Reading) -> Reading:
    return replace(reading, context=replace(reading.context, most=MACROS))


def _read(markdown: str, reading: Reading, whole: bool) -> Document | None:
    return read(markdown, reading.context, whole) if not whole or markdown.strip() else None


def page_of(document: Document | None, reading: Reading) -> Page | None:
    """A page whose headings fold and whose pictures are found."""
    measure = reading.painter.cells if reading.painter else None
    return (
        Page(
            document,
            Look(folds=True, find=reading.find, measure=measure, light=reading.light, cells=CELLS),
        )
        if document
        else None
    )
