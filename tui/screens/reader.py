"""What every screen does with the card that is read on it."""

from __future__ import annotations

from typing import TypeVar

from textual import on

from tui.screens.base import DeckScreen
from tui.widgets.card_page import CardPage
from tui.widgets.card_view import CardView

Result = TypeVar("Result")


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
        from tui.screens.card import follow

        follow(self.deltadeck, message)
