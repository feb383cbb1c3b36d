"""Review history: folded states and pending events."""

from __future__ import annotations

import os
import threading
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import NamedTuple

from cards.model import Problem
from deck.config import Config
from deck.events import Event, LimitsRaised, Reviewed
from deck.files import NO_STAMP, FileStamp
from deck.index import schedule as past
from deck.index.codec import id_bytes
from deck.index.journal import Own, Stamps, known_stamps, problems_of, take_up
from deck.index.schedule import fold_all, fold_changed, fold_key, unfolded
from deck.index.store import Progress, Store, asking, silent
from deck.journal import Written, gone
from deck.replay import (
    Answer,
    ItemState,
    ItemStatus,
    New,
    ReplayCursor,
    Review,
    answers_of,
    dedupe_events,
    replay_item,
    undone_ids,
)
from deck.scheduler import Load

# == What this program has written and the index has not read, and what it remembers of the rest.


class Taken(NamedTuple):
    """A review, and where its item stood before and stands after it."""

    event: Event
    before: ItemStatus
    after: ItemStatus


def folded_on(event: Event, before: ItemStatus, config: Config) -> ItemStatus:
    """Where the item of a review stands after it: one step of `fold.replay_item`."""
    assert isinstance(event.what, Reviewed)
    track = ReplayCursor(event.item, config, before.state)
    track.suspended, track.buried = before.suspended, before.buried
    track.answer(event.what.rating, event.at, event.day, event.what.promise)
    return ItemStatus(track.state(), track.suspended, track.buried)


class Recent:
    """Not safe for threads by itself: `History` has the lock."""

    def __init__(self) -> None:
        self.waiting: list[Event] = []
        """Written, and not read by the index yet."""
        self.folded: dict[str, ItemStatus] = {}
        """Where the items of those stand."""
        self.days: dict[date, dict[str, list[Answer] | None]] = {}
        """Of a study day: its answers by item; None where they must be looked up again."""
        self.due: dict[int, int] | None = None
        """Study day (as an ordinal) to items that fall due, where it is known."""
        self._alone: dict[str, FileStamp] = {}

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

    def left(self, written: Written, known: FileStamp | None) -> None:
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


# == All events of a collection, folded, and kept folded as events come in.
#
# The index holds them; it learns of them from the journal's files alone.  An answer that this
# program has just written is folded here at once, and the index reads its line with the next
# ones:
# so an answer costs one append, and the outcome is `fold.replay` of all events whatever the
# order.


_NOTHING = ItemStatus(New(), False, None)
#: So many answers wait for the index at most.
_WAITING = 1000
#: From so many items on, folding everything is the shorter way.
_MANY = 3000


@dataclass(frozen=True, slots=True)
class Deleted:
    """An item with a history and without a card: the card was deleted, or got another id."""

    item_id: str
    answers: int
    last: date
    """The study day of the last answer."""


class History:
    """What was done in a collection, by item and by study day."""

    last_id: str
    """The last event's id in sorting order, or "" where there is none."""
    unread: tuple[Problem, ...] = ()
    """The journal's folders and files that could not be read when they were last looked at."""

    def __init__(self, store: Store, private: Path, config: Config) -> None:
        self.config = config
        self._store = store
        self._private = private
        self._lock = threading.RLock()
        self._stamps = Stamps(private)
        self._recent = Recent()
        self._forget()

    # What there is.

    def folded(self, item_id: str) -> ItemStatus:
        known = self._recent.folded.get(item_id)
        found = known or self._store.ask(lambda: past.folded(self._store.db, item_id))
        return found or _NOTHING

    def state(self, item_id: str) -> ItemState:
        return self.folded(item_id).state

    def is_suspended(self, item_id: str) -> bool:
        return self.folded(item_id).suspended

    def is_buried(self, item_id: str, day: date) -> bool:
        """Whether the item was put off until after the study day `day`."""
        until = self.folded(item_id).buried
        return until is not None and day < until

    @property
    @asking
    def load(self) -> Load:
        """How many items fall due on each study day; changes with the next answer."""
        with self._lock:
            if self._recent.due is None:
                self.flush()
                self._recent.due = past.due_days(self._store.db)
            return self._recent.due

    @asking
    def events(self, item_id: str) -> list[Event]:
        """The events that concern an item, as they were folded: by id, each once."""
        with self._lock:
            known = past.events(self._store.db, item_id)
            return list(dedupe_events([*known, *self._recent.events(item_id)]))

    @asking
    def event_ids(self, item_id: str) -> set[str]:
        """The ids of the item's own events; quick where there is none."""
        with self._lock:
            waiting = {event.id for event in self._recent.events(item_id)}
            return past.event_ids(self._store.db, item_id) | waiting

    @asking
    def known(self) -> set[str]:
        """Every item with which something was done."""
        self.flush()
        return past.known(self._store.db)

    @asking
    def suspended(self) -> set[str]:
        """Every item that the journal puts aside."""
        self.flush()
        return past.suspended(self._store.db)

    @asking
    def folded_with(self, item_id: str, events: Iterable[Event]) -> ItemStatus:
        """Where the item would stand, had these events been there as well; keeps nothing."""
        with self._lock:
            known = [*self.events(item_id), *events]
            gone = past.undone(self._store.db, item_id) | undone_ids(self._recent.waiting)
            return replay_item(item_id, dedupe_events(known), gone | undone_ids(known), self.config)

    @asking
    def answers(self, item_id: str) -> list[Answer]:
        """The item's reviews that were not undone."""
        with self._lock:
            undone = past.undone(self._store.db, item_id) | undone_ids(self._recent.waiting)
            return list(answers_of(item_id, self.events(item_id), undone, self.config))

    @asking
    def answers_on(self, day: date) -> list[Answer]:
        """The reviews of a study day that were not undone, item by item."""
        with self._lock:
            days = self._recent.days
            if day not in days:
                self.flush()
                items = past.answered_on(self._store.db, day)
                items += [event.item for event in self._recent.waiting if event.day == day]
                days.clear()
                days[day] = dict.fromkeys(items)
            found = days[day]
            for item, answers in found.items():
                if answers is None:
                    found[item] = [a for a in self.answers(item) if a.event.day == day]
            return [answer for item in sorted(found) for answer in found[item] or ()]

    @asking
    def raised_on(self, day: date) -> list[LimitsRaised]:
        """What was added to the limits of a study day."""
        with self._lock:
            undone = past.undone(self._store.db, "") | undone_ids(self._recent.waiting)
            events = [e for e in self.events("") if e.day == day and e.id not in undone]
            return [event.what for event in events if isinstance(event.what, LimitsRaised)]

    @asking
    def last_review(self, items: Container[str] | None = None) -> Event | None:
        """The last review, of an item that has a card, that was not undone."""
        self.flush()
        found = past.last_reviews(self._store.db)
        return next((event for event in found if items is None or event.item in items), None)

    @property
    def is_behind(self) -> bool:
        """Whether answers that this program wrote could not be read back yet."""
        return bool(self._recent.waiting)

    @asking
    def after(self, day: date) -> tuple[int, date]:
        """How many events there are after the study day `day`, and the day of the last."""
        self.flush()
        return past.after(self._store.db, day)

    @asking
    def deleted(self) -> list[Deleted]:
        """What has a history and no card, by id."""
        self.flush()
        return [Deleted(*row) for row in past.deleted(self._store.db)]

    @property
    @asking
    def problems(self) -> tuple[Problem, ...]:
        """What was wrong with the journal's folders, then with its lines, file by file."""
        found = problems_of(self._store, self._private)
        return (*found, gone(self._private)) if self._is_gone() else found

    # What comes in.

    @asking
    def set_config(self, config: Config, progress: Progress) -> None:
        """Folds by these settings from now on."""
        with self._lock:
            self.config = config
            if self._store.noted("fold") != fold_key(config):
                fold_all(self._store, config, progress)
                self._forget()

    def is_current(self) -> bool:
        """Whether the journal's files are as they were last seen; looks, and reads nothing."""
        return self._stamps.are_same()

    def seems_current(self) -> bool:
        """The same, looking only where programs write."""
        return self._stamps.seem_same()

    @asking
    def refresh(self, progress: Progress = silent) -> None:
        """Takes up what changed in the journal.

        While the journal itself is gone (a disk that was pulled out), all stays as it was read.
        """
        with self._lock:
            if self._is_gone():
                return
            self.unread = take_up(self._store, self._private, self._recent.own(), progress)
            many = unfolded(self._store)
            stale = self._store.noted("fold") != fold_key(self.config)
            if stale or many > _MANY:
                fold_all(self._store, self.config, progress)
            elif many:
                fold_changed(self._store, self.config)
            if self.unread and self._recent.waiting:
                return  # what was written stays as it was folded, until it can be read
            self._recent.settle()
            stamps = known_stamps(self._store)
            if stale or many or stamps != self._stamps.known:
                self._forget()
            self._stamps.known = stamps

    def _is_gone(self) -> bool:
        return bool(self._stamps.known) and not os.path.lexists(self._private)

    def flush(self) -> None:
        """Lets the index read what this program wrote."""
        if self._recent.waiting:
            self.refresh()

    def add(self, events: Sequence[Event], written: Written) -> None:
        """Takes up what this program has written: a review, or events of other kinds."""
        event = events[0]
        if isinstance(event.what, Reviewed):
            before = self.folded(event.item)
            self.take([Taken(event, before, folded_on(event, before, self.config))], written)
            return
        with self._lock:
            self._recent.folded.clear()  # what it changes is for the fold to say
            self._recent.waiting += events
        self.refresh()

    def take(self, taken: Iterable[Taken], written: Written) -> None:
        """Takes up reviews that this program has worked out from `folded`, and written."""
        with self._lock:
            for each in taken:
                self._recent.take(each)
                self.last_id = max(self.last_id, each.event.id)
            self._recent.left(written, self._stamps.known.get(written.name))
            self._stamps.put(written.name, written.stamp)
            many = len(self._recent.waiting) >= _WAITING
        if many:
            self.refresh()

    @asking
    def _forget(self) -> None:
        """What is remembered here of what others may have changed."""
        self._recent.forget()
        self.last_id = past.last_id(self._store.db)
