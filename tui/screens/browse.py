"""Browse: a search, what it finds, and the card under the cursor."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.events import Resize
from textual.widgets import Input, Static
from textual.worker import get_current_worker

from tui.browse.drawing import pieces
from tui.browse.rows import Rows
from tui.newest import stands
from tui.screens.browse_card import BrowseCard
from tui.text import counted, visible
from tui.widgets.card_page import CardPage
from tui.widgets.footer import Footer
from tui.widgets.long_list import LongList, Piece
from tui.widgets.top_line import TopLine

if TYPE_CHECKING:
    from deck.index.arrange import By
    from deck.search.errors import SearchError
    from deck.search.sought import Sought

#: What is due first, the weakest memory, the hardest, the newest card.
_ORDERS: tuple[By, ...] = ("files", "due", "stability", "difficulty", "added")
#: Seconds that a first search waits for the screen at most.
_LONGEST = 1.0


class BrowseScreen(BrowseCard):
    """`search` is what it opens with."""

    CSS_PATH = "browse.tcss"
    AUTO_FOCUS = "#rows"  # at once: the toolkit's choice would be the search
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "Search", id="browse.search", key_display="/"),
        Binding("e", "edit", "Edit", id="browse.edit", tooltip="Edit the card"),
        Binding("o", "order", "Order", id="browse.order", show=False, tooltip="By another column"),
        Binding("escape,q", "back", "Back", id="browse.back", key_display="esc"),
    ]

    def __init__(self, search: str = "") -> None:
        super().__init__()
        self._asked = self._answered_for = search
        """What is asked for, and what the rows are an answer to."""
        self._order: By = "files"
        self._painted = Event()
        """The first search waits for the first paint: two threads at once would delay it."""

    def compose(self) -> ComposeResult:
        yield TopLine("Browse")
        yield Input(
            self._asked,
            id="search",
            placeholder="tag:cnn is:due words",
            compact=True,
            select_on_focus=False,
        )
        yield Static("", id="said", markup=False)
        with Horizontal(id="browse"):
            yield LongList(self._draw, self._knows, id="rows")
            yield CardPage(id="preview")
        yield self.prompt()
        yield Footer()

    def on_mount(self) -> None:
        self._rows = Rows(self.deltadeck.open_collection, self.deltadeck.clock())
        self.query_one("#said").display = False
        self._lay(self.size.width)
        self.call_after_refresh(self._painted.set)

    def on_resize(self, event: Resize) -> None:
        self._lay(event.size.width)
        if (item := self.rows_list.current) is not None and item != self._shown:
            self._show_card(item)

    def on_screen_resume(self) -> None:
        """At the beginning, and back from a card that may have been changed."""
        self.again()

    def _draw(self, item_id: str, width: int) -> Sequence[Piece]:
        return pieces(self._rows(item_id), width, self._sought)

    def _knows(self, item_id: str) -> bool:
        return self._rows.knows(item_id)

    # Searching: while one types, in a thread, and only the newest counts.

    @on(Input.Changed, "#search")
    def _typed(self, event: Input.Changed) -> None:
        self._find(event.value)

    @on(Input.Submitted, "#search")
    def _to_rows(self) -> None:
        self.rows_list.focus()

    def _find(self, text: str) -> None:
        self._asked = text
        self.run_worker(lambda: self._search(text), thread=True, exclusive=True, name="search")

    def _search(self, text: str) -> None:
        from deck.search.errors import SearchError
        from deck.search.sought import sought
        from deck.searching import read_search

        self._painted.wait(_LONGEST)
        collection, worker = self.deltadeck.open_collection, get_current_worker()
        if worker.is_cancelled:
            return
        try:
            query = read_search(text, collection.config.searches)
            found = collection.search(text, self.deltadeck.clock(), self._order)
        except SearchError as error:
            if not worker.is_cancelled:
                self.app.call_from_thread(self._refused, text, error)
            return
        if not worker.is_cancelled:
            self.app.call_from_thread(self._found, text, found, sought(query))

    def _found(self, text: str, found: list[str], sought: Sought) -> None:
        if text != self._asked or not stands(self):
            return
        anew, self._answered_for = text != self._answered_for, text
        self._sought = sought
        self.query_one("#said").display = False
        self._shown = None  # with other words lit up
        self.rows_list.show(found, anew)
        self.show_state()
        if not found:
            self._show_card(None)

    def _refused(self, text: str, error: SearchError) -> None:
        """What was found before stays; the place of the fault is marked below the search."""
        if text == self._asked and stands(self):
            said = self.query_one("#said", Static)
            caret = " " * (error.column - 1) + "^" if not error.text or error.text == text else ""
            rows = [caret, f"{error.message} {error.hint}"]
            said.update(visible("\n".join(filter(None, rows))))
            said.display = True

    @on(LongList.Marked)
    def show_state(self) -> None:
        rows = self.rows_list
        marked = f"{len(rows.marked)} marked of " if rows.marked else ""
        order = "" if self._order == "files" else f", by {self._order}"
        there = marked + counted(len(rows.items), "item") + order
        self.query_one(TopLine).right = self.changing.doing or there

    def action_order(self) -> None:
        """By the next of the orders; the cursor stays on its card."""
        at = _ORDERS.index(self._order)
        self._order = _ORDERS[(at + 1) % len(_ORDERS)]
        self._find(self._asked)

    def action_edit(self) -> None:
        from tui.screens.edit import EditScreen

        if (card := self.place()) is not None and card.path is not None:
            self.app.push_screen(EditScreen(card.path))

    # After a change, and leaving.

    def again(self) -> None:
        """Search again: what is done to items may take them out of what is found."""
        self._rows.forget()
        self._find(self._asked)

    def action_search(self) -> None:
        self.query_one("#search").focus()

    def action_back(self) -> None:
        """Out of a field to the rows; out of the marks; out of the screen."""
        rows = self.rows_list
        if self.focused is not rows:
            self.close_prompt()
            rows.focus()
        elif rows.marked:
            rows.marked = set()
            rows.refresh()
            self.show_state()
        else:
            self.dismiss(None)
