"""A new card: its type and its name, then the editor on a template."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static

from cards.model import TYPES, Card
from tui.key_names import key_for
from tui.screens.base import DeckScreen
from tui.screens.edit import EditScreen
from tui.text import visible
from tui.widgets.footer import Footer
from tui.widgets.lists import KeyedList
from tui.widgets.top_line import TopLine

Place = Card | Path | str | None
FIELDS = (("id", "Id"), ("course", "Course"), ("tags", "Tags"))


class AddScreen(DeckScreen[None]):
    """`place` is where the card goes: see `DeckScreen.place`; None: the collection's root."""

    MAY_ADD = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "write", "Write it", id="add.write", tooltip="Open the new card"),
        Binding("escape", "back", "Back", id="add.back", key_display="esc"),
    ]

    def __init__(self, place: Place = None) -> None:
        super().__init__()
        self._place = place
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
        types = self.query_one("#types", KeyedList)
        types.highlighted = 0
        types.focus()
        near = self._near()
        self._folder = self._beside(near)
        self.query_one("#id", Input).value = self._free_id()
        self.query_one("#course", Input).value = near.course if near else ""
        self.query_one("#tags", Input).placeholder = "separated by commas"
        self._show_where()

    def _near(self) -> Card | None:
        """The card that the new one goes beside, into the same course."""
        collection = self.deltadeck.open_collection
        if isinstance(self._place, Card):
            return self._place
        if isinstance(self._place, Path):
            return collection.card_at(self._place)
        first = collection.first_card(self._place) if self._place else None
        return collection.cards.get(first) if first else None

    def _beside(self, near: Card | None) -> Path:
        """The folder that the new one goes into."""
        root = self.deltadeck.open_collection.root
        if isinstance(self._place, Path):
            return self._place.parent
        return near.path.parent if near and near.path else root

    def _free_id(self) -> str:
        """The time, which sorts; of several cards within a second the later ones are numbered."""
        named = f"{self.deltadeck.clock():%Y%m%d_%H%M%S}"
        every = chain([named], (f"{named}_{number}" for number in count(2)))
        return next(each for each in every if not self._taken(each))

    def _taken(self, card_id: str) -> bool:
        there = self._folder / f"{card_id}.md"
        return card_id in self.deltadeck.open_collection.cards or there.exists()

    @property
    def _file(self) -> Path:
        return self._folder / f"{self._card_id}.md"

    @property
    def _card_id(self) -> str:
        return self.query_one("#id", Input).value.strip()

    @property
    def _trouble(self) -> str:
        """Why this id will not do; empty where it will."""
        from cards.frontmatter import unsafe_id

        if reason := unsafe_id(self._card_id) or ("" if self._card_id else "is empty"):
            return f"The id {reason}: use letters, digits, - and _."
        if self._taken(self._card_id):
            return f"The id {self._card_id} is taken: choose another."
        return ""

    @on(Input.Changed)
    def _show_where(self) -> None:
        root = self.deltadeck.open_collection.root
        key = key_for(self.app, "add.write")
        words = self._trouble or f"{key} opens {self._file.relative_to(root)} in the editor."
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
        from cards.edit import new_card

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


def place_for_new(screens: Sequence[Screen[Any]]) -> Place:
    """Where a new card goes: where the topmost screen says that one is."""
    places = (each.place() for each in reversed(screens) if isinstance(each, DeckScreen))
    return next((place for place in places if place is not None), None)
