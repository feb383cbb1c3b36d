"""Which exercise the card that is studied has: asked of the helper process, never waited for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.dom import DOMNode

from engine.exercise import may_ask
from tui.lab_brief import Brief, BriefAsked, Known, known
from tui.lab_work import Task
from tui.newest import NewestOnly

if TYPE_CHECKING:
    from cards.model import Card


class Finding:
    """Of one card at a time.  `changed` is called on the UI thread once more is known."""

    def __init__(self, owner: DOMNode, changed: Callable[[Known], None]) -> None:
        self._changed = changed
        self._open: Callable[[Brief], None] | None = None
        self._newest: NewestOnly[BriefAsked, Known] = NewestOnly(owner, _asked, self._hear)
        self._known: Known | None = None
        self.likely = False
        """Whether the card has an exercise; while that is on its way, whether it looks so."""

    def look_at(self, card: Card | None) -> None:
        """Begin with a card; what is on its way for another is dropped."""
        self._known = self._open = None
        self._newest.forget()
        self.likely = card is not None and may_ask(card.exercise, card.tags, card.type)
        if card is not None and self.likely:
            self._newest.ask(BriefAsked(Task.of(card)))

    def then(self, open_it: Callable[[Brief], None]) -> None:
        """Call `open_it` with the exercise: now, or as soon as it is there."""
        if self._known is None and self.likely:
            self._open = open_it
        elif self._known is not None and self._known.brief is not None:
            open_it(self._known.brief)

    def _hear(self, found: Known) -> None:
        self._known, self.likely = found, found.brief is not None
        self._changed(found)
        if self._open is not None and found.brief is not None:
            self._open(found.brief)
        self._open = None


def _asked(asked: BriefAsked) -> Known:
    from tui.lab_checker import GoneError, TooLongError, shared_checker

    try:
        found: Known = shared_checker().ask(asked)
    except (GoneError, TooLongError):
        # Without a helper the lab can say so; until then the card has its exercise.
        return known(asked)
    return found
