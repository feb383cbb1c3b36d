"""What the browser does to all rows that are marked, and how it is taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widgets import Input

from tui.screens.base import DeckScreen
from tui.text import counted
from tui.widgets.long_list import LongList

if TYPE_CHECKING:
    from cards.model import Card
    from deck import Collection
    from tui.browse.changes import Change


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
        self._changes: list[Change] = []
        self._then: Callable[[str], None] | None = None

    def again(self) -> None:
        """Show what holds now."""
        raise NotImplementedError

    @property
    def rows_list(self) -> LongList:
        return self.query_one(LongList)

    @property
    def _collection(self) -> Collection:
        return self.deltadeck.open_collection

    def card_of(self, item_id: str | None) -> Card | None:
        """None where there is none, or none any more."""
        from deck import CollectionError

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

    # The changes.

    def action_suspend(self) -> None:
        from tui.browse.changes import suspend

        items, now = self.rows_list.chosen, self.deltadeck.clock()
        self._in_background(lambda: suspend(self._collection, items, now))

    def action_reset(self) -> None:
        from tui.browse.changes import reset

        items, now = self.rows_list.chosen, self.deltadeck.clock()
        self._in_background(lambda: reset(self._collection, items, now))

    def action_tag(self) -> None:
        from tui.browse.changes import tag

        items = self.rows_list.chosen
        self._ask(
            "tags to give, -tags to take away",
            lambda text: self._in_background(lambda: tag(self._collection, items, text)),
        )

    def action_move(self) -> None:
        from tui.browse.changes import move

        items = self.rows_list.chosen
        self._ask(
            "the folder to move to, such as batch5; . for the top",
            lambda text: self._in_background(lambda: move(self._collection, items, text)),
        )

    def action_undo(self) -> None:
        from tui.browse.changes import take_all_back

        if not self._changes:
            self.deltadeck.say("There is no change to take back: none was made since this opened.")
            return
        change, now = self._changes.pop(), self.deltadeck.clock()

        def work() -> None:
            troubles = take_all_back(change, now)
            self._collection.reload(now)
            self.app.call_from_thread(self._done, f"Taken back: {change.said}", troubles)

        self.run_worker(work, thread=True, group="changes", name="undo")

    def _in_background(self, make: Callable[[], Change]) -> None:
        """Many items take their time: keys go on."""

        def work() -> None:
            try:
                change = make()
            except ValueError as error:
                self.app.call_from_thread(self._done, "", [str(error)])
                return
            self._collection.reload(self.deltadeck.clock())
            if change.undo:
                self._changes.append(change)
            self.app.call_from_thread(self._done, change.said, change.troubles)

        self.run_worker(work, thread=True, group="changes", name="change")

    def _done(self, said: str, troubles: list[str] | tuple[str, ...]) -> None:
        if said:
            self.deltadeck.say(said)
        if troubles:
            more = f" ({counted(len(troubles) - 1, 'more')})" if len(troubles) > 1 else ""
            self.deltadeck.say(f"{troubles[0]}{more}", error=True)
        self.again()
