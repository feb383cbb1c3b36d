"""What the text of a card means where it is shown: its macros, its links, its pictures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from tui.page.model import Light
from tui.page.pictures import Finder, finder
from tui.page.units import Context

if TYPE_CHECKING:
    from cards.model import Card
    from deck.collection import Collection
    from deck.search.sought import Sought
    from tui.page.blocks import Document
    from tui.widgets.painter import Painter


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read one card."""

    context: Context
    find: Finder | None
    painter: Painter | None = None
    light: Light | None = None
    """Finds what to light up."""
    light_after: Light | None = None
    """The same for what comes behind the question."""

    def lit(self, sought: Sought | None) -> Reading:
        """The same, with what a search asks for lit up."""
        if not sought:
            return self
        solution = partial(sought.spans, part="solution")
        return replace(self, light=partial(sought.spans, part="question"), light_after=solution)

    def after(self, document: Document | None) -> Reading:
        """How to read on behind a document of the card: its formulas may define macros."""
        context, light = self.context.after(document), self.light_after
        return replace(self, context=context, light=light)


PLAIN = Reading(Context(), None)


class Library:
    """Reads the cards of a collection as it is now; made anew when the collection changed."""

    def __init__(
        self, collection: Collection, addresses: bool = False, painter: Painter | None = None
    ) -> None:
        self._collection = collection
        self._addresses = addresses
        self._painter = painter

    def reading(self, card: Card) -> Reading:
        """`addresses` of the library: whether links are written out behind their labels."""
        config = self._collection.config
        macros = {**config.macros, **card.macros}
        root = self._collection.root
        context = Context(
            macros or None, self._collection.called, self._addresses, config.breaks_lines(card)
        )
        find = finder(card.path, root)
        return Reading(context, find, self._painter)
