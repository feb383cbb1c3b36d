"""Which exercise the card that is studied has: asked of the helper process, never waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from textual.dom import DOMNode

from engine.exercise import may_ask
from tui.lab_brief import Brief, BriefAsked, Known, known
from tui.lab_work import Task
from tui.newest import NewestOnly

if TYPE_CHECKING:
    from cards.model import Card

#: Seconds; the helper process starts in a quarter of one.
_PATIENCE: Final = 5.0


class Finding:
    """Of one card at a time.  `changed` is called on the UI thread once more is known."""

    def __init__(self, owner: DOMNode, changed: Callable[[Known], None]) -> None:
        self._changed = changed
        self._arrived = asyncio.Event()
        self._newest: NewestOnly[BriefAsked, Known] = NewestOnly(owner, _asked, self._hear)
        self._known: Known | None = None
        self._card: Card | None = None
        """The one to ask about, until that is done."""
        self.likely = False
        """Whether the card has an exercise; while that is on its way, whether it looks so."""

    def look_at(self, card: Card | None) -> None:
        """Begin with a card, nothing asked yet; what is on its way for another is dropped."""
        self._known = self._card = None
        self._arrived.clear()
        self._newest.forget()
        self.likely = card is not None and may_ask(card.exercise, card.tags, card.type)
        if self.likely:
            self._card = card

    def ask(self) -> None:
        """Ask what the card's exercise is, where it looks as if it had one."""
        card, self._card = self._card, None
        if card is not None:
            self._newest.ask(BriefAsked(Task.of(card)))

    async def brief(self) -> Brief | None:
        """The exercise; where it is on its way still, once it is there.

        An action that awaits it keeps its place among the keys: what is typed behind it is kept.
        None where there is none, or it does not come within a few seconds.
        """
        self.ask()
        if self._known is None and self.likely:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._arrived.wait(), _PATIENCE)
        return self._known.brief if self._known else None

    def _hear(self, found: Known) -> None:
        self._known, self.likely = found, found.brief is not None
        self._arrived.set()
        self._changed(found)


def _asked(asked: BriefAsked) -> Known:
    from tui.lab_checker import GoneError, TooLongError, shared_checker

    try:
        found: Known = shared_checker().ask(asked)
    except (GoneError, TooLongError):
        # Without a helper the lab can say so; until then the card has its exercise.
        return known(asked)
    return found
