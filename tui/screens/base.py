"""What every screen of ours knows: the app it belongs to, by its own type."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar, cast, runtime_checkable

from textual.screen import Screen

if TYPE_CHECKING:
    from pathlib import Path

    from cards.model import Card
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

    @property
    def deltadeck(self) -> DeltadeckApp:
        return cast("DeltadeckApp", self.app)

    @property
    def library(self) -> Library:
        """What the cards' texts mean, as the collection is now."""
        from tui.reading import Library

        return Library(self.deltadeck.open_collection, painter=self.deltadeck.painter)
