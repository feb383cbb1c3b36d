"""What the study screen is about, for whatever else asks: its sitting, and the card in front."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tui.key_names import key_for
from tui.screens.reader import ReaderScreen

if TYPE_CHECKING:
    from cards.model import Card
    from deck.queue import Session as Asked
    from tui.study_session import Session


class SittingScreen(ReaderScreen[None]):
    """`asked` is what to study; `chosen` are its items, where these are known already."""

    def __init__(self, asked: Asked, chosen: Sequence[str] = ()) -> None:
        super().__init__()
        self._asked, self._chosen = asked, chosen
        self._session: Session | None = None

    @property
    def session(self) -> Session:
        """The sitting, once its cards are gathered."""
        assert self._session is not None
        return self._session

    @property
    def _card(self) -> Card | None:
        """The one in front."""
        return self._session.card if self._session else None

    def _key(self, *actions: str) -> str:
        return key_for(self.app, *actions)

    def place(self) -> Card | str | None:
        return self._card or self._asked.deck

    @property
    def picks_letters(self) -> bool:
        return self._card is not None and self._card.is_choice
