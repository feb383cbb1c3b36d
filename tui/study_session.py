"""A sitting: which item is shown, since when, and what was done.  Knows no widgets."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tui.clock import Clock
from tui.text import dots, initials, points

if TYPE_CHECKING:
    from cards.model import Card, Item
    from deck import Collection, Queue, Schedule

#: Nobody thinks longer about one card: beyond it, they have left the desk.
LONGEST_SECONDS = 20 * 60


class Session:
    """The items of one deck (None: of all), in the order of the collection's queue."""

    def __init__(self, collection: Collection, deck: str | None, clock: Clock) -> None:
        self.collection = collection
        self.deck = deck
        self.done = 0
        self.item: Item | None = None
        self.card: Card | None = None
        self.revealed = False
        self.picked: frozenset[str] = frozenset()
        self.seconds_at_check = 0.0
        self._aside: list[str] = []
        """What was suspended since the last rating, to be taken up again first."""
        self._clock = clock
        self._since = clock()
        self._queue: Queue = collection.queue(clock(), deck)

    # Which item.

    def advance(self) -> None:
        """Go to the front of the queue as it is now."""
        self._queue = self.collection.queue(self._clock(), self.deck)
        entries = self._queue.entries
        self._begin(entries[0].item_id if entries else None)

    def refresh(self) -> None:
        """The same item again, as the disk has it now; the next one if it is gone."""
        revealed, since = self.revealed, self._since
        item_id = self.item.id if self.item else None
        self._queue = self.collection.queue(self._clock(), self.deck)
        if item_id is None or not self._knows(item_id):
            self.advance()
            return
        self._begin(item_id)
        self.revealed, self._since = revealed, since

    def came_due(self) -> bool:
        """Whether something waits now that nothing is shown."""
        return self.next_due is not None and self.next_due <= self._clock()

    @property
    def next_due(self) -> datetime | None:
        return self._queue.next_due

    @property
    def number(self) -> int:
        """1-based place of the present item in this sitting."""
        return self.done + 1

    @property
    def total(self) -> int:
        return self.done + max(1, len(self._queue.entries))

    @property
    def seconds(self) -> float:
        """Since the question was shown."""
        return min(LONGEST_SECONDS, max(0.0, (self._clock() - self._since).total_seconds()))

    @property
    def letters(self) -> frozenset[str]:
        """What can be picked now."""
        if self.card is None or self.revealed:
            return frozenset()
        return frozenset(o.letter for o in self.card.options if not o.placeholder)

    # What the learner does.

    def pick(self, letter: str) -> None:
        """Choose an option; of several right ones, or take it back."""
        several = self.card is not None and len(self.card.correct_letters) > 1
        self.picked = self.picked ^ {letter} if several else frozenset({letter})

    def preview(self) -> dict[int, Schedule]:
        if self.item is None:
            return {}
        found = self.collection.preview(self.item.id, self._clock())
        return {int(rating): schedule for rating, schedule in found.items()}

    def rate(self, rating: int, check: Mapping[str, Any] | None = None) -> None:
        """`check` is a verdict that belongs to the answer.

        Raises JournalError, and then nothing has changed.
        """
        from deck import Rating

        if self.item is None:
            return
        took = round(self.seconds * 1000)
        self.collection.rate(self.item.id, Rating(rating), self._clock(), took, check)
        self.done += 1
        self._aside.clear()

    def undo(self) -> bool:
        """Take the last review or suspension back and show its item; False where there is none."""
        if self._aside:
            item_id = self._aside[-1]
            self.collection.suspend(item_id, self._clock(), on=False)
            self._aside.pop()
            self._show_again(item_id)
            return True
        event = self.collection.undo(self._clock())
        if event is None:
            return False
        self.done = max(0, self.done - 1)
        self._show_again(event.item)
        return True

    def suspend(self) -> str:
        """Set the present item aside; its id."""
        if self.item is None:
            return ""
        self.collection.suspend(self.item.id, self._clock())
        self._aside.append(self.item.id)
        return self.item.id

    def note_check(self) -> None:
        """A check was made: the time up to here is what the derivation took."""
        self.seconds_at_check = self.seconds

    def _show_again(self, item_id: str) -> None:
        self._queue = self.collection.queue(self._clock(), self.deck)
        if self._knows(item_id):
            self._begin(item_id)

    def _knows(self, item_id: str) -> bool:
        return any(i.id == item_id for c in self.collection.cards.values() for i in c.items)

    def _begin(self, item_id: str | None) -> None:
        self.item = self.collection.item(item_id) if item_id else None
        self.card = self.collection.card_of(item_id) if item_id else None
        self.revealed, self.picked = False, frozenset()
        self._since = self._clock()


def heading(session: Session) -> tuple[str, str, str]:
    """Where the item stands ("course › deck › id"), the same with the course's initials, and
    what it is ("derivation · 5 p · ●●○○○")."""
    from deck.decks import SEPARATOR, deck_path

    card, item = session.card, session.item
    if card is None or item is None:
        return "Study", "Study", ""
    first, *rest = deck_path(card, session.collection.root)
    kind = [card.type.replace("_", " ")]
    kind += [points(card.points)] if card.points is not None else []
    kind += [dots(card.difficulty)] if card.difficulty is not None else []
    below = SEPARATOR.join([*rest, item.id])
    return (
        f"{first}{SEPARATOR}{below}",
        f"{initials(first)}{SEPARATOR}{below}",
        " · ".join(kind),
    )
