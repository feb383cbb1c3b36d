"""What every screen of ours knows: the app it belongs to, by its own type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar, cast, runtime_checkable

from textual.screen import Screen

if TYPE_CHECKING:
    from tui.app import DeltadeckApp
    from tui.reading import Library

Result = TypeVar("Result")


@runtime_checkable
class Showing(Protocol):
    """A screen that shows what is in the files."""

    def collection_changed(self) -> None:
        """Another program changed a card or the journal."""


class DeckScreen(Screen[Result]):
    """A screen of the app, returning a `Result` when it is dismissed."""

    @property
    def deltadeck(self) -> DeltadeckApp:
        return cast("DeltadeckApp", self.app)

    @property
    def library(self) -> Library:
        """What the cards' texts mean, as the collection is now."""
        from tui.reading import Library

        return Library(self.deltadeck.open_collection, painter=self.deltadeck.painter)
