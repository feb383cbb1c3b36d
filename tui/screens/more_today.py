"""More cards today than the limits of the settings allow; tomorrow these hold again."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from tui.raising import RaiseError, limits, raised, whole
from tui.text import one_line, shortened
from tui.widgets.footer import Footer

if TYPE_CHECKING:
    from tui.app import DeltadeckApp

FIELDS = (("new", "New cards", "10"), ("reviews", "Reviews", "50"))


class MoreTodayScreen(ModalScreen[bool]):
    """Returns whether the limits were raised.  `deck` is a `DeckCount.key`, None for all."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "take", "Take them", id="more.take", priority=True),
        Binding("escape", "back", "Back", id="more.back", key_display="esc"),
        Binding("f1", "app.help", "Help", id="more.help", key_display="F1"),
        Binding("tab,down", "app.focus_next", "Next field", id="more.next"),
        Binding("up", "app.focus_previous", "Field before", id="more.up", show=False),
    ]

    def __init__(self, deck: str | None) -> None:
        super().__init__()
        self._deck = deck

    @property
    def deltadeck(self) -> DeltadeckApp:
        return cast("DeltadeckApp", self.app)

    def compose(self) -> ComposeResult:
        own = limits(self.deltadeck.open_collection.config, self._deck)
        name = shortened(one_line(own.course), 36) if own.course else "all decks"
        with Vertical(classes="box asking"):
            yield Static(f"More today, of {name}", classes="title", markup=False)
            for field, label, value in FIELDS:
                with Horizontal():
                    yield Static(label, classes="label", markup=False)
                    yield Input(value, id=field)
            said = f"The settings take {own.new} new cards and {own.reviews} reviews a day."
            yield Static(f"{said} This is for today only.", classes="said", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        self.query_one("#new", Input).focus()

    def action_take(self) -> None:
        from deck.errors import JournalError

        app = self.deltadeck
        try:
            new, reviews = (
                whole(label, self.query_one(f"#{field}", Input).value) for field, label, _ in FIELDS
            )
            said = raised(app.open_collection, self._deck, new, reviews, app.clock())
        except RaiseError as error:
            app.say(str(error), error=True)
            return
        except JournalError as error:
            app.say(f"The limits are as they were. {error}", error=True)
            return
        app.say(said)
        self.dismiss(True)

    def action_back(self) -> None:
        self.dismiss(False)
