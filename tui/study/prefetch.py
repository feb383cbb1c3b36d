"""Between two keys: the next card is prepared, and the present card's exercise looked up.

One piece of work after the other, so that no key waits for more than one of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from textual.dom import DOMNode

from cards import told
from engine.registry import may_ask
from tui.garbage import sweep
from tui.lab.client import GoneError, TooLongError, shared_process
from tui.lab.requests import ExerciseInfo, ExerciseLookupResult, ExerciseRequest, ExerciseSpec
from tui.latest import LatestOnly
from tui.page.page import PLAIN, CardPages, RenderContext, pages_of

if TYPE_CHECKING:
    from textual.screen import Screen

    from cards.model import Card, Item
    from tui.study.session import StudySession
    from tui.widgets.card_page import CardPage

#: Seconds between two pieces: a key that came meanwhile goes first.
_BETWEEN: Final = 0.001
#: Cards that one may rush through before the garbage of them is looked for all the same.
_RUSHED: Final = 200
#: Seconds for which a key waits for a card's exercise; the helper process starts in a quarter.
_PATIENCE: Final = 10.0


class Prefetcher:
    """Of one session.  `reading` says what a card's texts mean, `page` shows them; `ask` is what
    else a new card needs."""

    def __init__(
        self,
        screen: Screen[None],
        reading: Callable[[Card], RenderContext],
        session: StudySession,
        ask: Callable[[], None],
        page: CardPage,
    ) -> None:
        self._screen, self._reading, self._session = screen, reading, session
        self._ask, self._page = ask, page
        self._made: dict[str, CardPages] = {}
        """The present item's and the next one's."""
        self._waiting: Iterator[None] = iter(())
        """Of the work for the present card, what is still to be done."""
        self._unswept = 0
        """Cards since the last sweep."""

    def pages(self, item: Item, card: Card | None) -> CardPages:
        """The item's pages: those that were made ahead, where they are of this very card."""
        made = self._made.get(item.id)
        if made is None or made.card is not card:
            made = self._made[item.id] = self._read(item, card)
        return made

    def _read(self, item: Item, card: Card | None) -> CardPages:
        reading = self._reading(card) if card else PLAIN
        filled, answer = told(card, item) if card else (item.prompt, item.answer)
        return pages_of(card, item.prompt, answer, reading, filled)

    def forget(self) -> None:
        """The collection changed: links may lead elsewhere now."""
        self._made.clear()

    def begin(self) -> None:
        """A card is shown: behind its paint, all that can wait."""
        self._unswept += 1
        if self._unswept > _RUSHED:
            self._sweep()
        self._waiting = self._pieces()
        self._screen.call_after_refresh(self._go_on, self._waiting)

    def _go_on(self, pieces: Iterator[None]) -> None:
        def one() -> None:
            if pieces is self._waiting and self._screen.is_attached and next(pieces, self) is None:
                self._go_on(pieces)

        self._screen.set_timer(_BETWEEN, one)

    def _pieces(self) -> Iterator[None]:
        """Each step of it is a piece of work."""
        session, collection = self._session, self._session.collection
        self._ask()
        session.freshen()
        yield
        item = session.item
        if item is None:
            return
        present = self._made.get(item.id)
        self._made = {item.id: present} if present else {}
        if present is not None:
            present.lay(self._page.text_width)
            yield
            self._page.draw_ahead()
            yield
        following = session.likely_next
        if following is not None and collection.can_read(following):
            made = self.pages(collection.item(following), collection.card_of(following))
            yield
            made.lay(self._page.text_width)
        yield
        self._sweep()

    def _sweep(self) -> None:
        self._unswept = 0
        sweep()


class ExerciseLookup:
    """Which exercise the present card has: asked of the helper process.

    `changed` is called on the UI thread once more is known.
    """

    def __init__(self, owner: DOMNode, changed: Callable[[ExerciseLookupResult], None]) -> None:
        self._changed = changed
        self._arrived = asyncio.Event()
        self._newest: LatestOnly[ExerciseRequest, ExerciseLookupResult] = LatestOnly(
            owner, _looked_up, self._hear
        )
        self._known: ExerciseLookupResult | None = None
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
            self._newest.ask(ExerciseRequest(ExerciseSpec.of(card)))

    async def brief(self) -> ExerciseInfo | None:
        """The exercise; where it is on its way still, once it is there.

        An action that awaits it keeps its place among the keys: what is typed behind it is kept.
        None where there is none, or it does not come within a few seconds.
        """
        self.ask()
        if self._known is None and self.likely:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._arrived.wait(), _PATIENCE)
        return self._known.brief if self._known else None

    def _hear(self, found: ExerciseLookupResult) -> None:
        self._known, self.likely = found, found.brief is not None
        self._arrived.set()
        self._changed(found)


def _looked_up(asked: ExerciseRequest) -> ExerciseLookupResult:
    try:
        return shared_process().ask(asked)
    except (GoneError, TooLongError):
        # Without a helper the lab can say so; until then the card has its exercise.
        from tui.lab.server import lookup  # and NumPy

        return lookup(asked.task)
