"""BrowseScreen: a search, the items that it finds, the card under the cursor, bulk actions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Event
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.events import Resize
from textual.suggester import Suggester
from textual.widgets import Input, Static
from textual.worker import get_current_worker

from deck.errors import CollectionError
from deck.search.match import read_search, sought
from deck.search.query import And, SearchError
from tui.latest import is_mounted
from tui.screens import bulk
from tui.screens.card import CardScreen, ReaderScreen
from tui.screens.dialogs import Choice, ConfirmScreen
from tui.screens.edit import EditScreen
from tui.search_completion import search_help, search_terms
from tui.study.prefetch import ExerciseLookup
from tui.text import plural, visible
from tui.widgets.card_page import CardPage
from tui.widgets.frame import Footer, TopLine
from tui.widgets.item_list import LEGEND, ItemRows, LongList, heads, pieces

if TYPE_CHECKING:
    from pathlib import Path

    from textual.timer import Timer

    from cards.model import Card
    from deck.collection import Collection
    from deck.index.cards import By
    from deck.search.match import Highlights
    from deck.search.query import Query
    from tui.screens.dialogs import Notes

#: What is due first, the weakest memory, the hardest, the newest card.
_ORDERS: tuple[By, ...] = ("files", "due", "stability", "difficulty", "added")
#: Seconds that a first search waits for the screen at most.
_LONGEST = 1.0
#: The least width at which the card stands beside the rows.
_BESIDE = 96
#: Seconds between two cards beside the rows while a key is held.
_REST = 0.12


_DELETE = "Delete the card; its history stays"
#: Of so many terms of a search that finds nothing, each is left out to see what would be found.
_TERMS = 6
_SURE = (Choice("y", "delete", "Delete"), Choice("escape", "keep", "Keep"))


class _Terms(Suggester):
    """How a search may go on: fields, states, tags, decks, courses, saved searches."""

    def __init__(self, folder: Path) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._folder = folder

    async def get_suggestion(self, value: str) -> str | None:
        if not value or value[-1].isspace():
            return None
        found = await asyncio.to_thread(search_terms, self._folder, value)
        return next((one for one in found.words if one.startswith(value) and one != value), None)


class _Prompt(Input):
    """A line of text that a bulk action asks for."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "submit", "Apply", id="browse.do")]


class BrowseScreen(ReaderScreen[None]):
    """Opens with `search`.  Bulk actions change the marked rows, else the one under the cursor."""

    CSS_PATH = "browse.tcss"
    AUTO_FOCUS = "#rows"  # at once: the toolkit's choice would be the search
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "suspend", "Suspend", id="browse.suspend", tooltip="Suspend or unsuspend"),
        Binding("t", "tag", "Tag", id="browse.tag", tooltip="Add tags; -tag removes one"),
        Binding("m", "move", "Move", id="browse.move", tooltip="Move to another folder"),
        Binding(
            "R", "reset", "Reset", id="browse.reset", tooltip="Make new again; the history stays"
        ),
        Binding("u", "undo", "Undo", id="browse.undo", tooltip="Undo the last change"),
        Binding("p", "preview", "Preview", id="browse.preview", show=False),
        Binding("n", "hit(1)", "Next match in the card", id="browse.hit", show=False),
        Binding("N", "hit(-1)", "Previous match", id="browse.hit-before", show=False),
        Binding("slash", "search", "Search", id="browse.search", key_display="/"),
        Binding("e", "edit", "Edit", id="browse.edit", tooltip="Edit the card"),
        Binding("c", "check", "Check", id="browse.check", tooltip="Check my derivation in the lab"),
        Binding("d,delete", "delete", "Delete", id="browse.delete", tooltip=_DELETE),
        Binding(
            "o", "order", "Order", id="browse.order", show=False, tooltip="Sort by the next column"
        ),
        Binding("escape,q", "back", "Back", id="browse.back", key_display="esc"),
    ]

    def __init__(self, search: str = "", searching: bool = False) -> None:
        """`searching`: the search has the focus."""
        super().__init__()
        self._searching = searching
        self._asked = self._answered_for = search
        """What is asked for, and what the rows are an answer to."""
        self._order: By = "files"
        self._sought: Highlights | None = None
        """What is highlighted in the rows and in the card."""
        self._painted = Event()
        """The first search waits for the first paint: two threads at once would delay it."""
        self._preview = True
        self._resting: Timer | None = None
        self._shown: str | None = None
        """The item whose card is beside the rows."""
        self._lookup = ExerciseLookup(self, lambda _: None)
        self._then: Callable[[str], None] | None = None
        """What the line of text is asked for."""

    def compose(self) -> ComposeResult:
        yield TopLine("Browse")
        more = f"{self.key('app.help-f1')} explains"
        hint = f'"exact words" tag:cnn is:due r<0.8 -not · {more}'
        yield Input(
            self._asked,
            id="search",
            placeholder=hint,
            compact=True,
            select_on_focus=False,
            suggester=_Terms(self.collection.root),
        )
        yield Static("", id="said", markup=False)
        yield Static("", id="heads", markup=False)
        with Horizontal(id="browse"):
            yield LongList(
                lambda item, width: pieces(self._rows(item), width, self._sought),
                lambda item: self._rows.knows(item),
                id="rows",
            )
            yield CardPage(id="preview")
        yield _Prompt(id="prompt", compact=True)
        yield Footer()

    def on_mount(self) -> None:
        self._rows = ItemRows(self.collection, self.deltadeck.clock())
        self.query_one("#said").display = self.query_one("#prompt").display = False
        self._lay(self.size.width)
        if self._searching:
            self.action_search()
        self.call_after_refresh(self._painted.set)

    def on_resize(self, event: Resize) -> None:
        self._lay(event.size.width)
        self.call_after_refresh(self._show_heads)
        if self.rows_list.current not in (None, self._shown):
            self._show_card(self.rows_list.current)

    @property
    def rows_list(self) -> LongList:
        return self.query_one(LongList)

    @property
    def page(self) -> CardPage:
        return self.query_one("#preview", CardPage)

    def place(self) -> Card | None:
        """The card under the cursor; None where there is none, or none any more."""
        item = self.rows_list.current
        try:
            return self.collection.card_of(item) if item else None
        except CollectionError:
            return None

    def notes(self) -> Notes:
        lit = ("words lit up", "what the search asks for")
        parts = [("Rows", (*LEGEND, lit)), ("Search", search_help())]
        return parts[:: -1 if isinstance(self.focused, Input) else 1]

    # Searching: while one types, in a thread, and only the newest counts.

    def on_screen_resume(self) -> None:
        """At the beginning, and back from a card that may have been changed."""
        self.again()

    def again(self) -> None:
        """Search again: what is done to items may take them out of what is found."""
        self._rows.forget()
        self._find(self._asked)

    @on(Input.Changed, "#search")
    def _typed(self, event: Input.Changed) -> None:
        self._find(event.value)

    @on(Input.Submitted, "#search")
    def _to_rows(self) -> None:
        self.rows_list.focus()

    def _find(self, text: str) -> None:
        self._asked = text
        self.run_worker(lambda: self._search(text), thread=True, exclusive=True, group="search")

    def _search(self, text: str) -> None:
        self._painted.wait(_LONGEST)
        collection, worker = self.collection, get_current_worker()
        if worker.is_cancelled:
            return
        found: list[str] | SearchError
        words: Highlights | None = None
        nothing = ""
        try:
            query = read_search(text, collection.config.searches)
            words = sought(query)
            found = collection.search(text, self.deltadeck.clock(), self._order)
            nothing = self._nothing(text, query) if not found else ""
        except SearchError as error:
            found = error
        if not worker.is_cancelled:
            self.app.call_from_thread(self._found, text, found, words, nothing)

    def _nothing(self, text: str, query: Query) -> str:
        """Which term keeps a search from finding anything."""
        said = f"Nothing matches {text}." if text.strip() else "There are no cards yet."
        parts = query.parts if isinstance(query, And) else ()
        now, best, without = self.deltadeck.clock(), 0, ""
        for part in parts[:_TERMS]:
            others = [other for other in parts if other is not part]
            count = len(self.collection.search(" ".join(map(str, others)), now))
            if count > best:
                best, without = count, f" Without {part} there would be {plural(count, 'item')}."
        return said + without

    def _found(
        self,
        text: str,
        found: list[str] | SearchError,
        words: Highlights | None,
        nothing: str,
    ) -> None:
        if text != self._asked or not is_mounted(self):
            return
        if isinstance(found, SearchError):
            # What was found before stays; the place of the fault is marked below the search.
            caret = " " * (found.column - 1) + "^" if found.text in ("", text) else ""
            said = "\n".join(filter(None, [caret, f"{found.message} {found.hint}"]))
            self.put("#said", visible(said))
            return
        is_new, self._answered_for = text != self._answered_for, text
        self._sought = words
        self.put("#said", visible(nothing))
        self._shown = None  # with other words lit up
        self.rows_list.show(found, from_top=is_new)
        self.show_state()
        if not found:
            self._show_card(None)

    @on(LongList.Marked)
    @on(bulk.Progressed)
    def show_state(self) -> None:
        rows = self.rows_list
        marked = f"{len(rows.marked)} marked of " if rows.marked else ""
        order = "" if self._order == "files" else f", by {self._order}"
        there = marked + plural(len(rows.items), "item") + order
        self.query_one(TopLine).right = self.changing.doing or there
        self.call_after_refresh(self._show_heads)  # whether the rows have a scroll bar is known

    def _show_heads(self) -> None:
        rows = self.rows_list
        width = rows.scrollable_content_region.width - 2
        self.put("#heads", heads(width, self._order) if rows.items and width > 0 else "")

    def action_order(self) -> None:
        """By the next of the orders; the cursor stays on its card."""
        self._order = _ORDERS[(_ORDERS.index(self._order) + 1) % len(_ORDERS)]
        self._find(self._asked)

    # The card beside the rows, which follows the cursor.

    def _lay(self, width: int) -> None:
        self.page.display = self._preview and width >= _BESIDE

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
        if item_id != self.rows_list.current or not self.page.display:
            return
        self._shown, card = item_id, self.place()
        if card is None:
            self.page.clear()
        else:
            reading = self.reading(card).lit(self._sought)
            self.page.show_card(card, reading, focus=False)

    @on(LongList.Opened)
    def _open(self, event: LongList.Opened) -> None:
        try:
            card = self.collection.card_of(event.item)
        except CollectionError as error:
            self.deltadeck.say(str(error), error=True)
        else:
            self.app.push_screen(CardScreen(card, self._sought))

    def action_preview(self) -> None:
        self._preview = not self._preview
        self._lay(self.size.width)
        self._show_card(self.rows_list.current)

    def action_hit(self, step: int) -> None:
        self.page.action_hit(step)

    def action_edit(self) -> None:
        if (card := self.place()) is not None and card.path is not None:
            self.app.push_screen(EditScreen(card.path))

    async def action_check(self) -> None:
        item, card = self.rows_list.current, self.place()
        if item is not None and card is not None:
            self._lookup.look_at(card)
            await self.practise(item, card, self._lookup)

    # Bulk actions: many items take their time, and keys go on.

    @property
    def changing(self) -> bulk.Changing:
        """The app's own, which outlives this screen."""
        app = self.deltadeck
        app.changing = app.changing or bulk.Changing(app, self.collection, app.clock)
        return app.changing

    @on(bulk.Ended)
    def _changed(self) -> None:
        self.show_state()
        self.again()

    def action_suspend(self) -> None:
        self._do(bulk.suspend)

    def action_reset(self) -> None:
        self._do(bulk.reset)

    def action_delete(self) -> None:
        """Delete the cards of the marked rows, once that is confirmed."""
        count = len({card.id for card in self.collection.outlines(self.rows_list.chosen)})
        if count:
            keeps = f"{self.key('browse.undo')} undoes it, and the history stays."
            question = f"Delete {plural(count, 'card')}? {keeps}"
            self.app.push_screen(ConfirmScreen(question, _SURE), self._delete)

    def _delete(self, said: str | None) -> None:
        if said == "delete":
            self._do(bulk.delete)

    def action_undo(self) -> None:
        self.changing.undo()

    def _do(self, make: Callable[[Collection, list[str]], bulk.BulkAction]) -> None:
        collection, items = self.collection, self.rows_list.chosen
        self.changing.do(lambda: make(collection, items))

    def action_tag(self) -> None:
        self._ask("tags to add; -tag removes one", bulk.tag)

    def action_move(self) -> None:
        self._ask("the folder to move to, such as batch5; . for the top", bulk.move)

    def _ask(
        self, what: str, make: Callable[[Collection, list[str], str], bulk.BulkAction]
    ) -> None:
        """Ask for a line of text, then do with it what `make` says."""
        collection, items = self.collection, self.rows_list.chosen
        if not items:
            return
        field = self.query_one("#prompt", Input)
        field.value, field.placeholder, field.display = "", what, True
        self._then = lambda text: self.changing.do(lambda: make(collection, items, text))
        field.focus()

    @on(Input.Submitted, "#prompt")
    def _answered(self, event: Input.Submitted) -> None:
        event.stop()
        then = self._then
        self._close_prompt()
        if then is not None and event.value.strip():
            then(event.value.strip())

    def _close_prompt(self) -> None:
        self.query_one("#prompt").display = False
        self._then = None
        self.rows_list.focus()

    # Keys.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "search":
            # The toolkit takes the stroke for a key that no field needs.
            return not isinstance(self.focused, Input)
        if action == "preview":
            return self.size.width >= _BESIDE
        if action == "hit":
            return self.page.display and self.page.check_action(action, parameters)
        return True

    def action_search(self) -> None:
        self.query_one("#search").focus()

    def action_back(self) -> None:
        """Out of a field to the rows; out of the marks; out of the screen."""
        rows = self.rows_list
        if self.focused is not rows:
            self._close_prompt()
        elif rows.marked:
            rows.marked = set()
            rows.refresh()
            self.show_state()
        else:
            self.dismiss(None)
