"""The card beside the browser's rows, which follows the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widgets import Input

from tui.screens.browse_deeds import BrowseDeeds
from tui.screens.card import CardScreen, follow
from tui.widgets.card_page import CardPage
from tui.widgets.card_view import CardView
from tui.widgets.long_list import LongList

if TYPE_CHECKING:
    from textual.timer import Timer

    from deck.search.sought import Sought

#: From so many columns on, the card stands beside the rows.
_BESIDE = 96
#: Seconds between two cards beside the rows while a key is held.
_REST = 0.12


class BrowseCard(BrowseDeeds):
    """What is sought is lit up in it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "preview", "Preview", id="browse.preview", show=False),
        Binding("n", "hit(1)", "Next found in the card", id="browse.hit", show=False),
        Binding("N", "hit(-1)", "Found before", id="browse.hit-before", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._sought: Sought | None = None
        self._preview = True
        self._resting: Timer | None = None
        self._shown: str | None = None

    def _lay(self, width: int) -> None:
        self.query_one("#preview").display = self._preview and width >= _BESIDE

    @on(LongList.Highlighted)
    def _highlighted(self, event: LongList.Highlighted) -> None:
        """At once behind the row; while a key is held now and then, so that it scrolls freely."""
        if self._resting is None:
            self._resting = self.set_timer(_REST, self._rested)
            self.call_after_refresh(self._show_card, event.item)

    def _rested(self) -> None:
        self._resting = None
        if self._shown != self.rows_list.current:
            self._show_card(self.rows_list.current)

    def _show_card(self, item_id: str | None) -> None:
        page = self.query_one("#preview", CardPage)
        if item_id != self.rows_list.current or not page.display:
            return
        self._shown, card = item_id, self.card_of(item_id)
        question, solution = (card.question, card.solution) if card else ("", "")
        reading = self.library.reading(card).lit(self._sought) if card else None
        if card is None or reading is None:
            page.clear()
        else:
            page.show(card, question, solution, reading, focus=False)
            page.mark(frozenset(), card.correct_letters or None)
            page.reveal(bool(solution))

    @on(CardView.Followed)
    def _followed(self, message: CardView.Followed) -> None:
        follow(self.deltadeck, message)

    @on(LongList.Opened)
    def _open(self, event: LongList.Opened) -> None:
        from deck.errors import CollectionError

        try:
            card = self.deltadeck.open_collection.card_of(event.item)
        except CollectionError as error:
            self.deltadeck.say(str(error), error=True)
        else:
            self.app.push_screen(CardScreen(card, self._sought))

    def action_preview(self) -> None:
        self._preview = not self._preview
        self._lay(self.size.width)
        self._show_card(self.rows_list.current)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "search":
            # The toolkit takes the stroke for a key that no field needs.
            return not isinstance(self.focused, Input)
        if action == "preview":
            return self.size.width >= _BESIDE
        page = self.query_one("#preview", CardPage) if action == "hit" else None
        return page is None or (page.display and page.check_action(action, parameters))

    def action_hit(self, step: int) -> None:
        self.query_one("#preview", CardPage).action_hit(step)
