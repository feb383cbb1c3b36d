"""One card to read, and where its links lead."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tui.screens.base import NO_EXERCISE, DeckScreen, Result
from tui.study.prefetch import ExerciseLookup
from tui.widgets.card_page import CardPage
from tui.widgets.card_view import CardView
from tui.widgets.frame import Footer, TopLine, scrolling

if TYPE_CHECKING:
    from cards.model import Card
    from deck.search.match import Highlights


class ReaderScreen(DeckScreen[Result]):
    """A screen with one `CardPage`, whose keys scroll it and whose links are followed."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        return action not in ("lines", "pages") or self.query_one(CardPage).scrolls

    def action_lines(self, lines: int) -> None:
        self.query_one(CardPage).scroll_lines(lines)

    def action_pages(self, pages: int) -> None:
        self.query_one(CardPage).scroll_pages(pages)

    @on(CardView.Followed)
    def _followed(self, message: CardView.Followed) -> None:
        """A card opens above the present screen, an address in the browser."""
        link, app = message.link, self.deltadeck
        card = app.open_collection.cards.get(link.target) if link.kind == "card" else None
        if card is not None:
            app.push_screen(CardScreen(card))
        elif link.kind == "web":
            app.say(f"Opening {link.target}")
            app.open_url(link.target)
        elif link.kind == "file":
            app.say(f"Cards cannot open files: {link.target}.")
        else:
            key = self.key("app.add", "app.add-f3")
            app.say(f"No card is called {link.target} yet. {key} writes one.")


class CardScreen(ReaderScreen[None]):
    """Shows a card with its solution; nothing in it can be changed.  What is `sought` is lit up."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *scrolling("reader", "space,pagedown,ctrl+d", show=True),
        Binding("c", "check", "Check", id="reader.check", tooltip="Check my derivation in the lab"),
        Binding("escape,q", "back", "Back", id="reader.back", key_display="esc"),
    ]

    def __init__(self, card: Card, sought: Highlights | None = None) -> None:
        super().__init__()
        self._card, self._sought = card, sought
        self._lookup = ExerciseLookup(self, lambda _: self.refresh_bindings())

    def place(self) -> Card:
        return self._card

    def compose(self) -> ComposeResult:
        yield TopLine(self._card.id)
        yield CardPage(id="card")
        yield Footer()

    def on_mount(self) -> None:
        reading = self.reading(self._card).lit(self._sought)
        self.query_one(CardPage).show_card(self._card, reading)
        self.query_one(TopLine).middle = self._card.course
        self._lookup.look_at(self._card)

    def why_not(self, action: str) -> str:
        return NO_EXERCISE if action == "check" else ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "check":
            return self._lookup.likely
        return super().check_action(action, parameters)

    async def action_check(self) -> None:
        await self.practise(self._card.items[0].id, self._card, self._lookup)
