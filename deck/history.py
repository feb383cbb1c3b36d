"""All events of a collection, folded, and kept folded as events come in.

Adding an event folds only the item it concerns again; the outcome is `fold.replay` of all of them,
whatever the order of arrival.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Container, Iterable
from datetime import date

from deck.config import Config
from deck.event import Event, Raised, Reviewed, Undone
from deck.fold import Answer, Folded, answers_of, replay_item, undone_ids, unique
from deck.state import ItemState, New, Review

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
        return self._folded[item_id].state if item_id in self._folded else New()

    def is_suspended(self, item_id: str) -> bool:
        return item_id in self._folded and self._folded[item_id].suspended

    def load(self, day: date) -> int:
        """How many items fall due on a study day."""
        return self._due[day]

    def is_buried(self, item_id: str, day: date) -> bool:
        """Whether the item was put off until after the study day `day`."""
        until = self._folded[item_id].buried if item_id in self._folded else None
        return until is not None and day < until

    def answers(self, item_id: str) -> list[Answer]:
        """The item's reviews that were not undone."""
        events = self._by_item.get(item_id, ())
        return list(answers_of(item_id, events, self._undone, self.config))

    def answers_on(self, day: date) -> list[Answer]:
        """The reviews of a study day that were not undone."""
        items = sorted(self._days.get(day, ()))
        return [a for item in items for a in self.answers(item) if a.event.day == day]

    def raised_on(self, day: date) -> list[Raised]:
        """What was added to the limits of a study day."""
        return [
            event.what
            for event in self._raises
            if isinstance(event.what, Raised) and event.day == day and event.id not in self._undone
        ]

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
        match event.what:
            case Reviewed():
                insort(self._reviews, event.id)
                self._days.setdefault(event.day, set()).add(event.item)
            case Raised():
                self._raises.append(event)
            case Undone(target):
                self._undone.add(target)
                if target in self._events:
                    self._fold_all(self._events[target].items)
        for item_id in event.items:
            known = self._by_item.setdefault(item_id, [])
            insort(known, event, key=lambda known: known.id)
        self._fold_all(event.items)

    def _replace(self, events: Iterable[Event]) -> None:
        ordered = list(unique(events))
        self._events = {event.id: event for event in ordered}
        self.last_id = ordered[-1].id if ordered else ""
        self._undone = undone_ids(ordered)
        self._reviews = [event.id for event in ordered if isinstance(event.what, Reviewed)]
        self._raises = [event for event in ordered if isinstance(event.what, Raised)]
        self._by_item: dict[str, list[Event]] = {}
        self._folded: dict[str, Folded] = {}
        self._due: Counter[date] = Counter()
        self._days: dict[date, set[str]] = {}
        for event in ordered:
            for item_id in event.items:
                self._by_item.setdefault(item_id, []).append(event)
            if isinstance(event.what, Reviewed):
                # An undone answer leaves its item here; `answers_on` looks at the answers.
                self._days.setdefault(event.day, set()).add(event.item)
        self._fold_all(self._by_item)

    def _fold_all(self, items: Iterable[str]) -> None:
        for item_id in items:
            events = self._by_item.get(item_id, ())
            before = self._folded.get(item_id)
            after = replay_item(item_id, events, self._undone, self.config)
            self._folded[item_id] = after
            if before is not None and isinstance(before.state, Review):
                self._due[before.state.due_day] -= 1
            if isinstance(after.state, Review):
                self._due[after.state.due_day] += 1
