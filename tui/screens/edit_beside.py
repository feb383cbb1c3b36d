"""The card as it will be seen, beside its source while there is room for both."""

from __future__ import annotations

from textual.binding import Binding, BindingType
from textual.events import Resize

from tui.screens.edit_choosing import ChoosingScreen
from tui.widgets.card_page import CardPage

#: From so many columns on, the card stands beside its source.
BESIDE = 100

BESIDE_KEYS: list[BindingType] = [
    Binding("f2", "preview", "Card", id="edit.preview", tooltip="The card beside its source"),
]


class BesideScreen(ChoosingScreen):
    _preview = True
    """Whether the card is wanted."""

    @property
    def page(self) -> CardPage:
        return self.query_one("#beside", CardPage)

    def on_resize(self, event: Resize) -> None:
        self.lay(event.size.width)
        self.refresh_bindings()

    def lay(self, width: int) -> None:
        """Show what there is room for, the card as its source says now."""
        seen, page = self.page.display, self.page
        page.display = self._preview and width >= BESIDE
        if page.display and not seen:
            self.set_card()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        return action != "preview" or self.size.width >= BESIDE

    def action_preview(self) -> None:
        self._preview = not self._preview
        self.lay(self.size.width)

    def set_card(self) -> None:
        page = self.page
        if not page.display:
            return
        from cards.parse import analyse

        card, _ = analyse(self.editor.text, self._path)
        if card is None:
            return  # the last card that could be read stays
        top = page.scroll_y
        reading = self.library.reading(card)
        page.show(card, card.question, card.solution, reading, focus=False)
        page.mark(frozenset(), card.correct_letters or None)
        page.reveal(bool(card.solution))
        page.scroll_to(y=top, animate=False, force=True)
