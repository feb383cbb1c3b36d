"""What this program has written and the index has not read, and what it remembers of the rest."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from deck.config import Config
from deck.event import Event, Reviewed
from deck.fold import Answer, Folded
from deck.index.codec import id_bytes
from deck.index.intake import Own
from deck.journal import Written
from deck.state import Review
from deck.track import Track
from deck.walk import NO_STAMP, Stamp


class Taken(NamedTuple):
    """A review, and where its item stood before and stands after it."""

    event: Event
    before: Folded
    after: Folded


def folded_on(event: Event, before: Folded, config: Config) -> Folded:
    """Where the item of a review stands after it: one step of `fold.replay_item`."""
    assert isinstance(event.what, Reviewed)
    track = Track(event.item, config, before.state)
    track.suspended, track.buried = before.suspended, before.buried
    track.answer(event.what.rating, event.at, event.day, event.what.promise)
    return Folded(track.state(), track.suspended, track.buried)


class Recent:
    """Not safe for threads by itself: `History` has the lock."""

    def __init__(self) -> None:
        self.waiting: list[Event] = []
        """Written, and not read by the index yet."""
        self.folded: dict[str, Folded] = {}
        """Where the items of those stand."""
        self.days: dict[date, dict[str, list[Answer] | None]] = {}
        """Of a study day: its answers by item; None where they must be looked up again."""
        self.due: dict[int, int] | None = None
        """Study day (as an ordinal) to items that fall due, where it is known."""
        self._alone: dict[str, Stamp] = {}

    def events(self, item_id: str) -> list[Event]:
        """Those that wait and concern an item."""
        return [event for event in self.waiting if item_id in event.items]

    def take(self, taken: Taken) -> None:
        event, before, after = taken
        self.waiting.append(event)
        self.folded[event.item] = after
        if event.day in self.days:
            day = self.days[event.day]
            known = day.get(event.item, [])
            day[event.item] = None if known is None else [*known, Answer(event, before.state)]
        if self.due is not None:
            for state, change in ((before.state, -1), (after.state, 1)):
                if isinstance(state, Review):
                    due = state.due_day.toordinal()
                    self.due[due] = self.due.get(due, 0) + change

    def left(self, written: Written, known: Stamp | None) -> None:
        """Notes how this program left a file; `known` is how it was last seen."""
        alone = self._alone.get(written.name, known) == written.before
        self._alone[written.name] = written.stamp if alone else NO_STAMP

    def own(self) -> Own:
        """For the index, before it reads."""
        ids: dict[str, set[bytes]] = {}
        for event in self.waiting:
            ids.setdefault(event.item, set()).add(id_bytes(event.id))
        known = {item: (ids[item], to) for item, to in self.folded.items() if item in ids}
        return Own(dict(self._alone), known)

    def settle(self) -> None:
        """The index has read all of it."""
        self.waiting.clear()
        self.folded.clear()
        self._alone.clear()

    def forget(self) -> None:
        """What others may have changed; what waits stays."""
        self.folded.clear()
        self.days.clear()
        self.due = None
