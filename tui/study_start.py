"""How a sitting gets its cards: at once what is due, from a thread what must be gathered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tui.newest import stands
from tui.study_queue import DueNow, Gathered, Waiting, is_live

if TYPE_CHECKING:
    from deck.queue import Session as Asked
    from tui.screens.base import DeckScreen


def start(
    screen: DeckScreen[None],
    asked: Asked,
    chosen: Sequence[str],
    begin: Callable[[Waiting], None],
) -> bool:
    """Calls `begin` on the UI thread; whether it has already.

    A search that cannot be read is said, and the screen dismissed.
    """
    app = screen.deltadeck
    collection = app.open_collection
    if chosen:
        begin(Gathered(collection, list(chosen), asked.kind == "cram"))
        return True
    if is_live(asked):
        begin(DueNow(collection, asked.deck))
        return True

    def refused(why: str) -> None:
        if stands(screen):
            app.say(why, error=True)
            screen.dismiss(None)

    def gathered(found: Gathered) -> None:
        if stands(screen):
            begin(found)

    def gather() -> None:
        from deck.search.errors import SearchError

        try:
            found = Gathered.of(collection, asked, app.clock())
        except SearchError as error:
            app.call_from_thread(refused, str(error))
            return
        app.call_from_thread(gathered, found)

    screen.run_worker(gather, thread=True)
    return False
