"""The base of every screen, and the screen of a terminal that is too small."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar, cast, runtime_checkable

from textual.app import ComposeResult
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from tui.keymap import key_for

if TYPE_CHECKING:
    from pathlib import Path

    from cards.model import Card
    from tui.app import DeltadeckApp
    from tui.page.page import RenderContext

Result = TypeVar("Result")


@runtime_checkable
class CollectionListener(Protocol):
    """A screen that shows what is in the files."""

    def collection_changed(self) -> None:
        """Another program changed a card or the journal."""


class DeckScreen(Screen[Result]):
    """A screen of the app, returning a `Result` when it is dismissed."""

    MAY_ADD: ClassVar[bool] = True
    """Whether a new card can be written from here."""

    @property
    def picks_letters(self) -> bool:
        """Whether letters answer what is shown: `a` writes no card then."""
        return False

    def adds(self, anywhere: bool) -> bool:
        """Whether a new card can be written now; `anywhere`: by a key that is no letter."""
        return self.MAY_ADD and (anywhere or not self.picks_letters)

    def place(self) -> Card | Path | str | None:
        """Where a new card belongs: beside a card or a file, or in a deck (`DeckCount.key`)."""
        return None

    def action_back(self) -> None:
        self.dismiss(None)

    @property
    def deltadeck(self) -> DeltadeckApp:
        return cast("DeltadeckApp", self.app)

    def key(self, *actions: str) -> str:
        """The key of an action, as a sentence says it."""
        return key_for(self.app, *actions)

    def put(self, selector: str, text: Content | str) -> None:
        """Show a text in one of the screen's `Static`s; where it is empty, hide that."""
        shown = self.query_one(selector, Static)
        shown.display = bool(text)
        shown.update(text)

    def reading(self, card: Card) -> RenderContext:
        """What a card's texts mean, as the collection is now."""
        from tui.page.page import render_context  # home is painted before it is loaded

        app = self.deltadeck
        return render_context(card, app.open_collection, painter=app.painter)


#: Columns and rows of the smallest terminal that is of use.
WIDTH, HEIGHT = 60, 20


class TooSmallScreen(Screen[None]):
    """In front of everything while the terminal is smaller."""

    DEFAULT_CSS = """
    TooSmallScreen { background: $background; align: center middle; }
    TooSmallScreen Static { width: auto; max-width: 100%; height: auto; text-align: center; }
    """

    def compose(self) -> ComposeResult:
        yield Static(markup=False)

    def on_mount(self) -> None:
        # The learner's own keys are known once the collection is open.
        self.bindings_updated_signal.subscribe(self, lambda _: self.on_resize())

    def on_resize(self) -> None:
        width, height = self.app.size
        self.query_one(Static).update(
            f"deltadeck needs {WIDTH} by {HEIGHT}; here it has {width} by {height}. "
            f"Enlarge the terminal, or leave with {key_for(self.app, 'app.leave')}."
        )
