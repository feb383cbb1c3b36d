"""One card to read, and where its links lead."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tui.keymap import key_for
from tui.screens.base import DeckScreen, Result
from tui.widgets.card_page import CardPage
from tui.widgets.card_view import CardView
from tui.widgets.frame import Footer, TopLine

if TYPE_CHECKING:
    from cards.model import Card
    from deck.search.match import Sought
    from tui.app import DeltadeckApp

# What every screen does with the card that is read on it.


class ReaderScreen(DeckScreen[Result]):
    """A screen with one `CardPage`, whose keys scroll it."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        return action not in ("scroll", "page") or self.query_one(CardPage).scrolls

    def action_scroll(self, lines: int) -> None:
        self.query_one(CardPage).scroll_lines(lines)

    def action_page(self, pages: int) -> None:
        self.query_one(CardPage).scroll_pages(pages)

    @on(CardView.Followed)
    def _followed(self, message: CardView.Followed) -> None:

        follow(self.deltadeck, message)


# One card to read, and where its links lead.


class CardScreen(ReaderScreen[None]):
    """Shows a card with its solution; nothing in it can be changed.  What is `sought` is lit up."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "scroll(1)", "Down", id="reader.down", show=False),
        Binding("k,up", "scroll(-1)", "Up", id="reader.up", show=False),
        Binding("space,pagedown,ctrl+d", "page(1)", "Page down", id="reader.page-down"),
        Binding("pageup,ctrl+u", "page(-1)", "Page up", id="reader.page-up", show=False),
        Binding("escape,q", "back", "Back", id="reader.back", key_display="esc"),
    ]

    def __init__(self, card: Card, sought: Sought | None = None) -> None:
        super().__init__()
        self._card, self._sought = card, sought

    def place(self) -> Card:
        return self._card

    def compose(self) -> ComposeResult:
        card = self._card
        yield TopLine(card.id)
        yield CardPage(id="card")
        yield Footer()

    def on_mount(self) -> None:
        card = self._card
        reading = self.library.reading(card).lit(self._sought)
        page = self.query_one(CardPage)
        page.show(card, card.question, card.solution, reading)
        page.mark(frozenset(), card.correct_letters or None)
        page.reveal(bool(card.solution))
        self.query_one(TopLine).middle = card.course


def follow(app: DeltadeckApp, message: CardView.Followed) -> None:
    """Go where a link leads: a card opens above the present screen, an address in the browser."""
    link = message.link
    if link.kind == "card":
        card = app.open_collection.cards.get(link.target)
        if card is not None:
            app.push_screen(CardScreen(card))
            return
    if link.kind == "web":
        app.say(f"Opening {link.target}")
        app.open_url(link.target)
    elif link.kind == "file":
        app.say(f"{link.target} is a file, and files are not opened from cards.")
    else:
        key = key_for(app, "app.add", "app.add-f3")
        app.say(f"No card is called {link.target} yet. {key} writes one.")
