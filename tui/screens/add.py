"""A new card: its type and its name, then the editor on a template."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, OptionList, Static

from cards.model import TYPES, Card
from tui.screens.base import DeckScreen
from tui.screens.edit import EditScreen
from tui.text import visible
from tui.widgets.footer import Footer
from tui.widgets.lists import KeyedList
from tui.widgets.top_line import TopLine

FIELDS = (("id", "Id"), ("course", "Course"), ("tags", "Tags"))


class AddScreen(DeckScreen[None]):
    """`deck` (a `DeckCount.key`) is where the card goes; None: into the collection's root."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "write", "Write it", id="add.write", tooltip="Open the new card"),
        Binding("escape", "back", "Back", id="add.back", key_display="esc"),
    ]

    def __init__(self, deck: str | None = None) -> None:
        super().__init__()
        self._deck = deck
        self._folder = Path()

    def compose(self) -> ComposeResult:
        yield TopLine("Add a card")
        with Vertical(id="form"):
            types = KeyedList("Choose", id="types")
            types.add_options([name.replace("_", " ") for name in TYPES])
            yield types
            for name, label in FIELDS:
                with Horizontal():
                    yield Static(label, classes="label", markup=False)
                    yield Input(id=name, select_on_focus=False)
            yield Static(id="where", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        collection = self.deltadeck.open_collection
        types = self.query_one("#types", KeyedList)
        types.highlighted = 0
        types.focus()
        self.query_one("#id", Input).value = f"{self.deltadeck.clock():%Y%m%d_%H%M%S}"
        near = self._near()
        self._folder = near.path.parent if near and near.path else collection.root
        self.query_one("#course", Input).value = near.course if near else ""
        self.query_one("#tags", Input).placeholder = "separated by commas"
        self._show_where()

    def _near(self) -> Card | None:
        """A card of the deck: the new one goes beside it, into the same course."""
        collection = self.deltadeck.open_collection
        first = collection.first_card(self._deck) if self._deck else None
        return collection.cards.get(first) if first else None

    @property
    def _file(self) -> Path:
        return self._folder / f"{self._card_id}.md"

    @property
    def _card_id(self) -> str:
        return self.query_one("#id", Input).value.strip()

    @property
    def _trouble(self) -> str:
        """Why this id will not do; empty where it will."""
        from cards.schema import unsafe_id

        if reason := unsafe_id(self._card_id) or ("" if self._card_id else "is empty"):
            return f"The id {reason}: use letters, digits, - and _."
        if self._card_id in self.deltadeck.open_collection.cards or self._file.exists():
            return f"The id {self._card_id} is taken: choose another."
        return ""

    @on(Input.Changed)
    def _show_where(self) -> None:
        root = self.deltadeck.open_collection.root
        words = self._trouble or f"ctrl+s opens {self._file.relative_to(root)} in the editor."
        self.query_one("#where", Static).update(visible(words))

    @on(OptionList.OptionSelected)
    def _typed(self) -> None:
        self.query_one("#id", Input).focus()

    @on(Input.Submitted)
    def _next(self, event: Input.Submitted) -> None:
        names = [name for name, _ in FIELDS]
        at = names.index(event.input.id or names[-1])
        if at + 1 < len(names):
            self.query_one(f"#{names[at + 1]}", Input).focus()
        else:
            self.action_write()

    def action_write(self) -> None:
        from cards.template import new_card

        if trouble := self._trouble:
            self.deltadeck.say(trouble, error=True)
            return
        chosen = TYPES[self.query_one("#types", KeyedList).highlighted or 0]
        tags = self.query_one("#tags", Input).value.split(",")
        course = self.query_one("#course", Input).value.strip()
        text = new_card(chosen, self._card_id, course, tuple(t.strip() for t in tags if t.strip()))
        self.app.push_screen(EditScreen(self._file, text=text), self._written)

    def _written(self, card: Card | None) -> None:
        if card is not None:
            self.dismiss(None)

    def action_back(self) -> None:
        self.dismiss(None)
