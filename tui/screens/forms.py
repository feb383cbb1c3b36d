"""Forms: a custom session, more cards today, a new card."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static

from cards.edit import new_card
from cards.frontmatter import unsafe_id
from cards.model import TYPES, Card
from deck.errors import JournalError
from tui.latest import LatestOnly
from tui.screens.base import DeckScreen, Result
from tui.screens.edit import EditScreen
from tui.session_form import (
    KINDS,
    FormError,
    Holds,
    holds,
    limits,
    raise_limits,
    read_change,
    read_form,
)
from tui.text import plural, shortened, visible, visible_line
from tui.widgets.frame import Footer, KeyedList, TopLine

if TYPE_CHECKING:
    from deck.queue import SessionRequest

_GAP = 3


class PickOne(Static, can_focus=True):
    """A few words side by side, of which left, right or a click choose one."""

    DEFAULT_CSS = "PickOne { height: 1; } PickOne:focus { background: $panel; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "turn(-1)", "Other", id="pick.left", key_display="← →"),
        Binding("right,l,space", "turn(1)", "Other", show=False, id="pick.right"),
    ]
    at: reactive[int] = reactive(0, init=False)

    class Switched(Message):
        """To another one."""

    def __init__(self, names: Sequence[tuple[str, str]], at: str, *, id: str) -> None:
        """`names`: of each, what it is called in the program and on the screen."""
        super().__init__(id=id, markup=False)
        self._names = list(names)
        self.set_reactive(PickOne.at, [name for name, _ in names].index(at))

    @property
    def value(self) -> str:
        return self._names[self.at][0]

    def render(self) -> Content:
        words = [
            Content.styled(label, "bold reverse" if n == self.at else "$foreground-muted")
            for n, (_, label) in enumerate(self._names)
        ]
        return Content(" " * _GAP).join(words)

    def watch_at(self) -> None:
        self.post_message(self.Switched())

    def action_turn(self, step: int) -> None:
        self.at = (self.at + step) % len(self._names)

    def on_click(self, event: Click) -> None:
        start = 0
        for n, (_, label) in enumerate(self._names):
            if start <= event.x < start + len(label):
                self.at = n
            start += len(label) + _GAP


def _form_keys(screen: str, action: str, name: str) -> list[Binding]:
    """The keys of a form, of which enter does the action."""
    return [
        Binding("enter", action, name, id=f"{screen}.{action}", priority=True),
        Binding("escape", "back", "Back", id=f"{screen}.back", key_display="esc"),
        Binding("f1", "app.help", "Help", id=f"{screen}.help", key_display="F1"),
        Binding("tab", "app.focus_next", "Next field", id=f"{screen}.next"),
        Binding("down", "app.focus_next", "Next field", id=f"{screen}.down", show=False),
        Binding("up", "app.focus_previous", "Previous field", id=f"{screen}.up", show=False),
    ]


class _FormScreen(ModalScreen[Result], DeckScreen[Result]):
    """A box of labelled fields over the decks."""

    MAY_ADD = False

    def _row(self, label: str, field: Input | PickOne) -> Horizontal:
        return Horizontal(Static(label, classes="label", markup=False), field, id=f"row-{field.id}")

    def _written(self, field: str) -> str:
        return self.query_one(f"#{field}", Input).value


# A session of its own kind: by a search, ahead of time, crammed, of so many minutes or cards.

SESSION_FIELDS = (
    ("search", "Search", "all cards; or tag:cnn r<0.8, @saved, …"),
    ("days", "Days", "how many days ahead: 1"),
    ("minutes", "Minutes", "as long as it takes"),
    ("most", "Cards", "as many as there are"),
)
_SAVED = 44
_NOTHING = "There is nothing to study here."


class OwnSessionScreen(_FormScreen["SessionRequest | None"]):
    """Returns what to study, None where the learner thought better of it.

    `deck` is a `DeckCount.key`, None for all; `first` a field, or a kind.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*_form_keys("own", "begin", "Begin")]

    def __init__(self, deck: str | None, first: str = "search") -> None:
        super().__init__()
        self._deck = deck
        self._kind = first if first in dict(KINDS) else "study"
        self._first = first
        self._found: Holds | None = None
        self._asking: LatestOnly[SessionRequest, Holds] = LatestOnly(self, self._look, self._show)

    def compose(self) -> ComposeResult:
        with Vertical(classes="box asking"):
            where = visible_line(self._deck) if self._deck else "all decks"
            yield Static(f"Study {shortened(where, 46)}", classes="title", markup=False)
            yield self._row("Kind", PickOne(KINDS, self._kind, id="kind"))
            for name, label, hint in SESSION_FIELDS:
                yield self._row(label, Input(id=name, placeholder=hint))
            yield Static(id="holds", classes="said", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        chosen = {"ahead": "days", "cram": "search"}.get(self._first, self._first)
        self._look_again()
        self.query_one(f"#{chosen}").focus()

    @on(Input.Changed)
    @on(PickOne.Switched)
    def _look_again(self) -> None:
        self.query_one("#row-days").display = self.query_one(PickOne).value == "ahead"
        self._found = None
        try:
            asked = self._asked()
        except FormError as error:
            self._asking.forget()
            self._show(Holds(trouble=str(error)))
        else:
            self._asking.ask(asked)

    def _asked(self) -> SessionRequest:
        """Raises FormError."""
        written = (self._written(name) for name, _, _ in SESSION_FIELDS)
        return read_form(self.query_one(PickOne).value, self._deck, *written)

    def _look(self, asked: SessionRequest) -> Holds:
        app = self.deltadeck
        return holds(app.open_collection, asked, app.clock())

    def _show(self, found: Holds) -> None:
        self._found = found
        said = self.query_one("#holds", Static)
        said.set_class(bool(found.trouble), "-trouble")
        if found.trouble:
            said.update(visible(found.trouble))
            return
        some = f"{plural(found.items, 'card')}, about {found.minutes} min."
        names = " ".join(f"@{name}" for name in self.collection.config.searches)
        saved = f"\nSaved: {shortened(visible(names), _SAVED)}" if names else ""
        said.update((some if found.items else _NOTHING) + saved)

    def action_begin(self) -> None:
        try:
            asked = self._asked()
        except FormError as error:
            self.deltadeck.say(str(error), error=True)
            return
        found = self._look(asked) if self._found is None else self._found
        if found.trouble or not found.items:
            self.deltadeck.say(found.trouble or _NOTHING, error=True)
        else:
            self.dismiss(asked)


# More cards today than the limits of the settings allow; tomorrow these hold again.

LIMIT_FIELDS = (("new", "New cards", "10"), ("reviews", "Reviews", "50"))


class MoreTodayScreen(_FormScreen[None]):
    """Raises the limits.  `deck` is a `DeckCount.key`, None for all."""

    BINDINGS: ClassVar[list[BindingType]] = [*_form_keys("more", "take", "Take them")]

    def __init__(self, deck: str | None) -> None:
        super().__init__()
        self._deck = deck

    def compose(self) -> ComposeResult:
        own = limits(self.collection.config, self._deck)
        name = shortened(visible_line(own.course), 36) if own.course else "all decks"
        with Vertical(classes="box asking"):
            yield Static(f"More today, of {name}", classes="title", markup=False)
            for field, label, value in LIMIT_FIELDS:
                yield self._row(label, Input(value, id=field))
            said = f"The settings take {own.new} new cards and {own.reviews} reviews a day."
            yield Static(f"{said} This is for today only.", classes="said", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        self.query_one("#new", Input).focus()

    def action_take(self) -> None:
        app = self.deltadeck
        try:
            new, reviews = (
                read_change(label, self._written(field)) for field, label, _ in LIMIT_FIELDS
            )
            said = raise_limits(app.open_collection, self._deck, new, reviews, app.clock())
        except FormError as error:
            app.say(str(error), error=True)
        except JournalError as error:
            app.say(f"The limits were not changed. {error}", error=True)
        else:
            app.say(said)
            self.dismiss(None)


# A new card: its type and its name, then the editor on a template.

NewCardPlace = Card | Path | str | None
CARD_FIELDS = (("id", "Id"), ("course", "Course"), ("tags", "Tags"))


class AddScreen(DeckScreen[None]):
    """`place` is where the card goes: see `DeckScreen.place`; None: the collection's root."""

    MAY_ADD = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "write", "Write it", id="add.write", tooltip="Open the new card"),
        Binding("escape", "back", "Back", id="add.back", key_display="esc"),
    ]

    def __init__(self, place: NewCardPlace = None) -> None:
        super().__init__()
        self._place = place
        self._folder = Path()

    def compose(self) -> ComposeResult:
        yield TopLine("Add a card")
        with Vertical(id="form"):
            types = KeyedList("Choose", id="types")
            types.add_options([name.replace("_", " ") for name in TYPES])
            yield types
            for name, label in CARD_FIELDS:
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
        self._folder = near.path.parent if near and near.path else self._root
        if isinstance(self._place, Path):
            self._folder = self._place.parent
        # The time, which sorts; of several cards within a second the later ones are numbered.
        named = f"{self.deltadeck.clock():%Y%m%d_%H%M%S}"
        ids = chain([named], (f"{named}_{number}" for number in count(2)))
        self._field("id").value = next(each for each in ids if not self._taken(each))
        self._field("course").value = near.course if near else ""
        self._field("tags").placeholder = "separated by commas"
        self._show_where()

    @property
    def _root(self) -> Path:
        return self.collection.root

    def _field(self, name: str) -> Input:
        return self.query_one(f"#{name}", Input)

    def _near(self) -> Card | None:
        """The card that the new one goes beside, into the same course."""
        collection = self.collection
        if isinstance(self._place, Card):
            return self._place
        if isinstance(self._place, Path):
            return collection.card_at(self._place)
        first = collection.first_card(self._place) if self._place else None
        return collection.cards.get(first) if first else None

    def _taken(self, card_id: str) -> bool:
        there = self._folder / f"{card_id}.md"
        return card_id in self.collection.cards or there.exists()

    @property
    def _card_id(self) -> str:
        return self._field("id").value.strip()

    @property
    def _file(self) -> Path:
        return self._folder / f"{self._card_id}.md"

    @property
    def _trouble(self) -> str:
        """Why this id will not do; empty where it will."""
        if reason := unsafe_id(self._card_id) or ("" if self._card_id else "is empty"):
            return f"The id {reason}: use letters, digits, - and _."
        if self._taken(self._card_id):
            return f"The id {self._card_id} is taken: choose another."
        return ""

    @on(Input.Changed)
    def _show_where(self) -> None:
        opens = f"{self.key('add.write')} opens {self._file.relative_to(self._root)} in the editor."
        self.put("#where", visible(self._trouble or opens))

    @on(OptionList.OptionSelected)
    def _typed(self) -> None:
        self._field("id").focus()

    @on(Input.Submitted)
    def _next(self, event: Input.Submitted) -> None:
        names = [name for name, _ in CARD_FIELDS]
        after = names[names.index(event.input.id or names[-1]) + 1 :]
        if after:
            self._field(after[0]).focus()
        else:
            self.action_write()

    def action_write(self) -> None:
        if trouble := self._trouble:
            self.deltadeck.say(trouble, error=True)
            return
        chosen = TYPES[self.query_one("#types", KeyedList).highlighted or 0]
        tags = (tag.strip() for tag in self._field("tags").value.split(","))
        course = self._field("course").value.strip()
        text = new_card(chosen, self._card_id, course, tuple(filter(None, tags)))
        self.app.push_screen(EditScreen(self._file, text=text), self._written)

    def _written(self, card: Card | None) -> None:
        if card is not None:
            self.dismiss(None)
