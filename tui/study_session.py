"""A sitting: which item is shown, since when, and what was done.  Knows no widgets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from tui.clock import Clock
from tui.sitting import Given, given_of, lapses_of, stage_of, verdict_in
from tui.study_deeds import Deed, bury, reset, suspend, take_back
from tui.study_queue import Gathered, Waiting

if TYPE_CHECKING:
    from collections.abc import Callable

    from cards.model import Card, Item
    from deck.collection import Collection
    from deck.queue import Session as Asked
    from deck.replay import Schedule

#: Nobody thinks longer about one card: beyond it, they have left the desk.
LONGEST_SECONDS = 20 * 60


class Session:
    """The items that `waiting` names, one after the other, until none is left or time is up."""

    def __init__(
        self, collection: Collection, asked: Asked, clock: Clock, waiting: Waiting
    ) -> None:
        from deck.queue import TimeBox

        self.collection, self.asked = collection, asked
        self.item: Item | None = None
        self.card: Card | None = None
        self.revealed = False
        self.picked: frozenset[str] = frozenset()
        self.seconds_at_check = 0.0
        self.given: list[Given] = []
        """The answers of this sitting that stand, in their order."""
        self.box = TimeBox(clock(), asked.minutes) if asked.minutes is not None else None
        self._deeds: list[Deed] = []
        """What `undo` takes back, the last first."""
        self._clock = clock
        self._since = clock()
        self._waiting = waiting

    # Which item.

    @property
    def practice(self) -> bool:
        """Whether ratings leave the schedule as it is."""
        return self.asked.kind == "cram"

    @property
    def is_gathered(self) -> bool:
        """Whether its cards were chosen when it began."""
        return isinstance(self._waiting, Gathered)

    @property
    def time_is_up(self) -> bool:
        return self.box is not None and self.box.over(self._clock())

    def advance(self) -> None:
        """Go to what is to be asked now; to nothing where time is up."""
        item_id = self._waiting.look(self._clock())
        self._begin(None if self.time_is_up else item_id)

    def go_on(self) -> None:
        """Time was up; go on without a clock."""
        self.box = None
        self.advance()

    def refresh(self) -> None:
        """The same item again, as the disk has it now; the next one if it is gone."""
        revealed, since, picked = self.revealed, self._since, self.picked
        item_id = self.item.id if self.item else None
        self._waiting.forget()
        self._waiting.look(self._clock())
        if item_id is None or not self.collection.can_read(item_id):
            self.advance()
            return
        self._begin(item_id)
        self.revealed, self._since, self.picked = revealed, since, picked

    def came_due(self) -> bool:
        """Whether something waits now that nothing is shown."""
        due = self.next_due
        return due is not None and due <= self._clock() and not self.time_is_up

    @property
    def next_due(self) -> datetime | None:
        return self._waiting.next_due

    @property
    def left(self) -> int:
        """Items that could be asked now."""
        return self._waiting.left

    @property
    def likely_next(self) -> str | None:
        """The item that most likely comes after the present one."""
        return self._waiting.after(self.item.id) if self.item else None

    @property
    def done(self) -> int:
        return len(self.given)

    @property
    def number(self) -> int:
        """1-based place of the present item in this sitting."""
        return self.done + 1

    @property
    def total(self) -> int:
        return self.done + max(1, self._waiting.left)

    @property
    def seconds(self) -> float:
        """Since the question was shown."""
        return min(LONGEST_SECONDS, max(0.0, (self._clock() - self._since).total_seconds()))

    @property
    def time_left(self) -> timedelta | None:
        """Of a sitting that ends on time."""
        return self.box.left(self._clock()) if self.box else None

    @property
    def letters(self) -> frozenset[str]:
        """What can be picked now."""
        if self.card is None or self.revealed:
            return frozenset()
        return frozenset(o.letter for o in self.card.options if not o.placeholder)

    @property
    def is_begun(self) -> bool:
        """Whether the present item was ever answered."""
        item = self.item
        return item is not None and stage_of(self.collection.state(item.id)) != "new"

    @property
    def is_leech(self) -> bool:
        """Whether the present item was forgotten as often as makes a leech."""
        most = self.collection.config.leech_lapses
        return self.item is not None and 0 < most <= lapses_of(self.collection.state(self.item.id))

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

    def rate(self, rating: int, check: Mapping[str, Any] | None = None) -> Given | None:
        """`check` is a verdict that belongs to the answer.

        Raises JournalError or (the card is gone) CollectionError, and then nothing has changed.
        """
        if self.item is None:
            return None
        item_id, took, collection = self.item.id, self.seconds, self.collection
        before = collection.state(item_id)
        event = self._record(item_id, rating, round(took * 1000), check)
        after, config = collection.state(item_id), collection.config
        leech = lapses_of(after) > lapses_of(before) and config.leeches_at(lapses_of(after))
        given = given_of(item_id, rating, (before, after), took, leech)
        given = replace(given, practice=self.practice, verdict=verdict_in(check))
        self.given.append(given)
        self._deeds.append(Deed("cram" if self.practice else "rate", item_id, event))
        self._waiting.answered(item_id, rating)
        return given

    def _record(self, item_id: str, rating: int, took: int, check: Mapping[str, Any] | None) -> str:
        """Writes the answer down; the id of its event."""
        from deck.events import Crammed
        from deck.replay import Rating

        now = self._clock()
        if not self.practice:
            return self.collection.rate(item_id, Rating(rating), now, took, check, settle=False).id
        if check is not None:
            self.collection.record_check(item_id, check, now)
        return self.collection.record(item_id, Crammed(Rating(rating), took), now).id

    def undo(self) -> bool:
        """Take back what was done last and show its item; False where there is nothing.

        Beyond this sitting it is the last answer, whenever and wherever it was given.
        """
        if self._deeds:
            deed = self._deeds[-1]
            item_id = take_back(self.collection, deed, self._clock())
            self._deeds.pop()
            if deed.kind in ("rate", "cram"):
                self.given.pop()
            self._show_again(item_id)
            return True
        event = None if self.practice else self.collection.undo(self._clock())
        if event is None:
            return False
        self._show_again(event.item)
        return True

    def suspend(self) -> str:
        """Set the present item aside for good; its id.  Raises as `rate`."""
        return self._put_away(suspend)

    def bury(self) -> str:
        """Set the present item aside until the next study day; its id.  Raises as `rate`."""
        return self._put_away(bury)

    def reset(self) -> str:
        """Make the present item new again; its id.  Raises as `rate`."""
        if self.item is None:
            return ""
        self._deeds.append(reset(self.collection, self.item.id, self._clock()))
        return self.item.id

    def _put_away(self, deed: Callable[[Collection, str, datetime], Deed]) -> str:
        if self.item is None:
            return ""
        self._deeds.append(deed(self.collection, self.item.id, self._clock()))
        self._waiting.put_away(self.item.id)
        return self.item.id

    def note_check(self) -> None:
        """A check was made: the time up to here is what the derivation took."""
        self.seconds_at_check = self.seconds

    def _show_again(self, item_id: str) -> None:
        self._waiting.put_back(item_id)
        self._waiting.look(self._clock())
        if self.collection.can_read(item_id):
            self._begin(item_id)

    def _begin(self, item_id: str | None) -> None:
        self.item = self.collection.item(item_id) if item_id else None
        self.card = self.collection.card_of(item_id) if item_id else None
        self.revealed, self.picked = False, frozenset()
        self._since = self._clock()
