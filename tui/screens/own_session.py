"""A session of its own kind: by a search, ahead of time, crammed, of so many minutes or cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from tui.asking import KINDS, Form, FormError, Holds, holds, read_form
from tui.newest import NewestOnly
from tui.text import counted, one_line, shortened, visible
from tui.widgets.footer import Footer
from tui.widgets.pick_one import PickOne

if TYPE_CHECKING:
    from deck.queue import Session as Asked
    from tui.app import DeltadeckApp

FIELDS = (
    ("search", "Search", "all cards; or tag:cnn r<0.8, @saved, …"),
    ("days", "Days", "how many days ahead: 1"),
    ("minutes", "Minutes", "as long as it takes"),
    ("most", "Cards", "as many as there are"),
)
_SAVED = 44


class OwnSessionScreen(ModalScreen["Asked | None"]):
    """Returns what to study, None where the learner thought better of it.

    `deck` is a `DeckCount.key`, None for all; `first` a field, or a kind.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "begin", "Begin", id="own.begin", priority=True),
        Binding("escape", "back", "Back", id="own.back", key_display="esc"),
        Binding("f1", "app.help", "Help", id="own.help", key_display="F1"),
        Binding("tab", "app.focus_next", "Next field", id="own.next"),
        Binding("down", "app.focus_next", "Next field", id="own.down", show=False),
        Binding("up", "app.focus_previous", "Field before", id="own.up", show=False),
    ]

    def __init__(self, deck: str | None, first: str = "search") -> None:
        super().__init__()
        self._deck = deck
        self._kind = first if first in dict(KINDS) else "study"
        self._first = first
        self._found: Holds | None = None
        self._asking: NewestOnly[Asked, Holds] = NewestOnly(self, self._look, self._show)

    @property
    def deltadeck(self) -> DeltadeckApp:
        return cast("DeltadeckApp", self.app)

    def compose(self) -> ComposeResult:
        with Vertical(classes="box asking"):
            where = one_line(self._deck) if self._deck else "all decks"
            yield Static(f"Study {shortened(where, 46)}", classes="title", markup=False)
            with Horizontal():
                yield Static("Kind", classes="label", markup=False)
                yield PickOne(KINDS, self._kind, id="kind")
            for name, label, hint in FIELDS:
                with Horizontal(id=f"row-{name}"):
                    yield Static(label, classes="label", markup=False)
                    yield Input(id=name, placeholder=hint)
            yield Static(id="holds", classes="said", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        chosen = {"ahead": "days", "cram": "search"}.get(self._first, self._first)
        self._look_again()
        self.query_one(f"#{chosen}").focus()

    @on(Input.Changed)
    @on(PickOne.Picked)
    def _look_again(self) -> None:
        self.query_one("#row-days").display = self.query_one(PickOne).value == "ahead"
        self._found = None
        try:
            asked = self._asked()
        except FormError as error:
            self._asking.forget()
            self._show(Holds(trouble=str(error)))
            return
        self._asking.ask(asked)

    def _asked(self) -> Asked:
        """Raises FormError."""
        written = {name: self.query_one(f"#{name}", Input).value for name, _, _ in FIELDS}
        return read_form(Form(self.query_one(PickOne).value, **written), self._deck)

    def _look(self, asked: Asked) -> Holds:
        app = self.deltadeck
        return holds(app.open_collection, asked, app.clock())

    def _show(self, found: Holds) -> None:
        self._found = found
        said = self.query_one("#holds", Static)
        said.set_class(bool(found.trouble), "-trouble")
        if found.trouble:
            said.update(visible(found.trouble))
            return
        some = f"{counted(found.items, 'card')}, about {found.minutes} min."
        names = " ".join(f"@{name}" for name in self.deltadeck.open_collection.config.searches)
        saved = f"\nSaved: {shortened(visible(names), _SAVED)}" if names else ""
        said.update((some if found.items else "Nothing is found that could be studied.") + saved)

    def action_begin(self) -> None:
        try:
            asked = self._asked()
        except FormError as error:
            self.deltadeck.say(str(error), error=True)
            return
        found = self._look(asked) if self._found is None else self._found
        if found.trouble or not found.items:
            self.deltadeck.say(
                found.trouble or "Nothing is found that could be studied.", error=True
            )
            return
        self.dismiss(asked)

    def action_back(self) -> None:
        self.dismiss(None)
