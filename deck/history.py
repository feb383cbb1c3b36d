"""All events of a collection, folded, and kept folded as events come in.

Adding an event folds only the item it concerns again; the outcome is `fold.replay` of all of them,
whatever the order of arrival.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Container, Iterable
from datetime import date

from deck.config import Config
from deck.event import Event, Reviewed, Suspended, Undone
from deck.fold import Answer, is_suspended, replay_item, undone_ids, unique
from deck.state import ItemState, New

#: From so many new events at once, folding everything is the shorter way.
_MANY = 1000


class History:
    """What was done in a collection, by item and by study day."""

    last_id: str
    """The last event's id in sorting order, or "" where there is none."""

    def __init__(self, config: Config, events: Iterable[Event] = ()) -> None:
        self.config = config
        self._replace(events)

    def state(self, item_id: str) -> ItemState:
        return self._folded[item_id][0] if item_id in self._folded else New()

    def is_suspended(self, item_id: str) -> bool:
        return item_id in self._suspended

    def answers_on(self, day: date) -> list[Answer]:
        """The reviews of a study day that were not undone."""
        items = sorted(self._days.get(day, ()))
        return [a for item in items for a in self._folded[item][1] if a.event.day == day]

    def last_review(self, items: Container[str]) -> Event | None:
        """The last review of one of `items` that was not undone."""
        for event_id in reversed(self._reviews):
            event = self._events[event_id]
            if event_id not in self._undone and event.item in items:
                return event
        return None

    def after(self, day: date) -> list[Event]:
        """The events after the study day `day`."""
        return [event for event in self._events.values() if event.day > day]

    def update(self, events: Iterable[Event]) -> None:
        """Takes up all events as they now stand in the journal."""
        current = {event.id: event for event in unique(events)}
        kept = all(current.get(event_id) == event for event_id, event in self._events.items())
        new = [event for event_id, event in current.items() if event_id not in self._events]
        if not kept or len(new) > _MANY:
            self._replace(current.values())
        else:
            for event in new:
                self.add(event)

    def add(self, event: Event) -> None:
        """Takes up one event that is not in the history yet."""
        self._events[event.id] = event
        self.last_id = max(self.last_id, event.id)
        insort(self._by_item.setdefault(event.item, []), event, key=lambda known: known.id)
        match event.what:
            case Reviewed():
                insort(self._reviews, event.id)
                self._fold(event.item)
            case Undone(target):
                self._undone.add(target)
                if target in self._events:
                    self._fold(self._events[target].item)
            case Suspended():
                self._mark_suspended(event.item)

    def _replace(self, events: Iterable[Event]) -> None:
        ordered = list(unique(events))
        self._events = {event.id: event for event in ordered}
        self.last_id = ordered[-1].id if ordered else ""
        self._undone = undone_ids(ordered)
        self._reviews = [event.id for event in ordered if isinstance(event.what, Reviewed)]
        self._by_item: dict[str, list[Event]] = {}
        self._folded: dict[str, tuple[ItemState, tuple[Answer, ...]]] = {}
        self._days: dict[date, set[str]] = {}
        self._suspended: set[str] = set()
        for event in ordered:
            self._by_item.setdefault(event.item, []).append(event)
        for item_id in self._by_item:
            self._fold(item_id)
            self._mark_suspended(item_id)

    def _fold(self, item_id: str) -> None:
        folded = replay_item(self._by_item[item_id], self._undone, self.config)
        self._folded[item_id] = folded
        for answer in folded[1]:
            # An undone answer leaves its item here; `answers_on` looks at the answers themselves.
            self._days.setdefault(answer.event.day, set()).add(item_id)

    def _mark_suspended(self, item_id: str) -> None:
        if is_suspended(self._by_item[item_id]):
            self._suspended.add(item_id)
        else:
            self._suspended.discard(item_id)
