"""What the browser does to all rows that are marked, and how it is taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widgets import Input

from tui.screens.base import DeckScreen
from tui.widgets.long_list import LongList

if TYPE_CHECKING:
    from cards.model import Card
    from deck.collection import Collection
    from tui.browse.changing import Changing


class _Prompt(Input):
    """A line of text that a change asks for."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "submit", "Do it", id="browse.do")]


class BrowseDeeds(DeckScreen[None]):
    """Without marks, the row under the cursor is meant."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "suspend", "Suspend", id="browse.suspend", tooltip="Put aside, or take up"),
        Binding("t", "tag", "Tag", id="browse.tag", tooltip="Give tags, or take -tags away"),
        Binding("m", "move", "Move", id="browse.move", tooltip="Into another folder"),
        Binding("R", "reset", "Reset", id="browse.reset", tooltip="New again; history stays"),
        Binding("u", "undo", "Undo", id="browse.undo", tooltip="Take the last change back"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._then: Callable[[str], None] | None = None

    def again(self) -> None:
        """Show what holds now."""
        raise NotImplementedError

    def show_state(self) -> None:
        """What the top line says: how many rows there are, or what is done to them."""
        raise NotImplementedError

    @property
    def rows_list(self) -> LongList:
        return self.query_one(LongList)

    @property
    def _collection(self) -> Collection:
        return self.deltadeck.open_collection

    def card_of(self, item_id: str | None) -> Card | None:
        """None where there is none, or none any more."""
        from deck.errors import CollectionError

        try:
            return self._collection.card_of(item_id) if item_id else None
        except CollectionError:
            return None

    def place(self) -> Card | None:
        return self.card_of(self.rows_list.current)

    # One line of text that a change asks for.

    def prompt(self) -> Input:
        field = _Prompt(id="prompt", compact=True)
        field.display = False
        return field

    def _ask(self, what: str, then: Callable[[str], None]) -> None:
        if not self.rows_list.chosen:
            return
        field = self.query_one("#prompt", Input)
        field.value, field.placeholder, field.display = "", what, True
        self._then = then
        field.focus()

    @on(Input.Submitted, "#prompt")
    def _answered(self, event: Input.Submitted) -> None:
        event.stop()
        then = self._then
        self.close_prompt()
        self.rows_list.focus()
        if then is not None and event.value.strip():
            then(event.value.strip())

    def close_prompt(self) -> None:
        self.query_one("#prompt").display = False
        self._then = None

    # The changes: many items take their time, and keys go on.

    @property
    def changing(self) -> Changing:
        from tui.browse.changing import changing

        return changing(self.deltadeck)

    def action_suspend(self) -> None:
        from tui.browse.changes import suspend

        items, now = self.rows_list.chosen, self.deltadeck.clock()
        self.changing.do(lambda: suspend(self._collection, items, now))

    def action_reset(self) -> None:
        from tui.browse.changes import reset

        items, now = self.rows_list.chosen, self.deltadeck.clock()
        self.changing.do(lambda: reset(self._collection, items, now))

    def action_tag(self) -> None:
        from tui.browse.filing import tag

        items, now = self.rows_list.chosen, self.deltadeck.clock()
        self._ask(
            "tags to give, -tags to take away",
            lambda text: self.changing.do(lambda: tag(self._collection, items, text, now)),
        )

    def action_move(self) -> None:
        from tui.browse.filing import move

        items, now = self.rows_list.chosen, self.deltadeck.clock()
        self._ask(
            "the folder to move to, such as batch5; . for the top",
            lambda text: self.changing.do(lambda: move(self._collection, items, text, now)),
        )

    def action_undo(self) -> None:
        self.changing.undo()

    def is_changing(self) -> None:
        """One of them is further than before."""
        self.show_state()

    def changed(self) -> None:
        """One of them has ended."""
        self.show_state()
        self.again()
