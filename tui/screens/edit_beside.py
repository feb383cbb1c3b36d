"""The card as it will be seen: beside its source, or in its place where there is room for one."""

from __future__ import annotations

from textual.binding import Binding, BindingType
from textual.events import Key, Resize

from cards.model import Card
from tui.screens.edit_choosing import ChoosingScreen
from tui.widgets.card_page import CardPage

#: From so many columns on, the card stands beside its source.
BESIDE = 100

_CARD = "The card as it will be seen"
BESIDE_KEYS: list[BindingType] = [
    Binding("f2", "preview", "Card", id="edit.preview", tooltip=_CARD),
    Binding("f2", "source", "Source", id="edit.source", tooltip="Back to the card's source"),
    Binding("down", "lines(1)", "Card down", id="edit.down", show=False),
    Binding("up", "lines(-1)", "Card up", id="edit.up", show=False),
    Binding("pagedown", "pages(1)", "Card a page down", id="edit.page-down", show=False),
    Binding("pageup", "pages(-1)", "Card a page up", id="edit.page-up", show=False),
]


class BesideScreen(ChoosingScreen):
    _preview = True
    """Whether the card is wanted beside its source."""
    _instead = False
    """Whether it is in the place of its source now."""
    _card: Card | None = None
    """The last one that could be read."""

    @property
    def page(self) -> CardPage:
        return self.query_one("#beside", CardPage)

    @property
    def picks_letters(self) -> bool:
        return self._instead  # they are typed

    def on_resize(self, event: Resize) -> None:
        if self._instead and event.size.width >= BESIDE:
            self.action_source()
        self.lay(event.size.width)
        self.refresh_bindings()

    def lay(self, width: int) -> None:
        """Show what there is room for, the card as its source says now."""
        seen, page = self.page.display, self.page
        self.editor.display = not self._instead
        page.display = self._instead or (self._preview and width >= BESIDE)
        page.set_class(self._instead, "-instead")
        if page.display and not seen and not self._instead:
            self.set_card()
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        if action in ("lines", "pages"):
            return self._instead and self.page.scrolls
        return action not in ("preview", "source") or self._instead == (action == "source")

    def action_preview(self) -> None:
        if self.size.width >= BESIDE:
            self._preview = not self._preview
            self.lay(self.size.width)
            return
        self._read_card(keep_place=False)
        if self._card is None:
            self.deltadeck.say("The card is shown as soon as it can be read.")
            return
        self._instead = True
        self.set_focus(None)
        self.lay(self.size.width)
        self._show_where_one_writes(self._card)

    def action_source(self) -> None:
        """Go on writing."""
        self._instead = False
        self.lay(self.size.width)
        self.set_focus(self.editor)

    def action_lines(self, lines: int) -> None:
        self.page.scroll_lines(lines)

    def action_pages(self, pages: int) -> None:
        self.page.scroll_pages(pages)

    def on_key(self, event: Key) -> None:
        """Whoever types while the card is in the place of its source writes there."""
        if not self._instead or not (event.is_printable or event.key == "backspace"):
            return
        if event.key not in self.active_bindings:
            event.stop()
            event.prevent_default()
            self.action_source()
            self.editor.post_message(Key(event.key, event.character))

    def set_card(self) -> None:
        if self.page.display:
            self._read_card()

    def _read_card(self, keep_place: bool = True) -> None:
        page = self.page
        from cards.parse import analyse

        card, _ = analyse(self.editor.text, self._path)
        if card is None:
            return  # the last card that could be read stays
        self._card = card
        top = page.scroll_y
        reading = self.library.reading(card)
        page.show(card, card.question, card.solution, reading, focus=False)
        page.mark(frozenset(), card.correct_letters or None)
        page.reveal(bool(card.solution))
        if keep_place:
            page.scroll_to(y=top, animate=False, force=True)

    def _show_where_one_writes(self, card: Card) -> None:
        """Scroll to the part in which the cursor is, as far down as it is in its source."""
        line = self.editor.cursor_location[0] + 1
        tops = [each.line for each in card.sections if each.title == "Solution"]
        solved = min(tops, default=line + 1)
        first = min((each.line for each in card.sections), default=1)
        inside = line >= solved
        begin, end = (solved, self.editor.document.line_count) if inside else (first, solved)
        down = max(0, line - begin) / max(1, end - begin)
        self.page.centre("solution" if inside else "question", min(1.0, down))
