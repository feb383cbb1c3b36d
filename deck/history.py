"""The review history: where each item stands, and what was done with it and on each day.

The index holds all events, folded; it learns of them from the journal's files alone.  What this
program has just written is folded here at once (`apply`, `add`), and the index reads its
line with the next ones.  So an answer costs one append, and the outcome is `replay.replay` of all
events whatever the order.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Container, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from heapq import merge
from itertools import groupby, islice, takewhile
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from cards.model import Problem
from deck.config import Config
from deck.events import (
    Buried,
    Checked,
    Event,
    LimitsRaised,
    Practised,
    Reset,
    Reviewed,
    StatusLines,
    Suspended,
    Undone,
)
from deck.files import NO_STAMP, FileStamp
from deck.index import schedule
from deck.index.cards import key_of_item
from deck.index.codec import id_bytes
from deck.index.journal import Own, known_stamps, problems_of, take_up
from deck.index.schedule import fold_key
from deck.index.store import Progress, Store, asking, silent
from deck.journal import Stamps, Written, gone
from deck.queue import Kind
from deck.replay import (
    Answer,
    ItemState,
    ItemStatus,
    Learning,
    Load,
    New,
    Review,
    answers_of,
    dedupe_events,
    replay_behind,
    replay_item,
    undone_ids,
)

_NOTHING = ItemStatus(New(), False, None)
_ID = attrgetter("id")
#: By the number of what an item was (`deck.replay.NEW` and so on).
_KINDS: tuple[Kind, ...] = ("new", "learning", "learning", "review", "review")
#: Answers that wait for the index, at most; nearly always it takes them up in the next pause.
_WAITING = 5000
#: What concerns the event's own item alone.
_OF_AN_ITEM = (Buried, Checked, Practised, Reset, StatusLines, Suspended, Undone)
#: Items that were looked up and are remembered, at most.
_REMEMBERED = 1000


class AppliedReview(NamedTuple):
    """A review, and where its item stood before and stands after it."""

    event: Event
    before: ItemStatus
    after: ItemStatus


class DayAnswer(NamedTuple):
    """A review of a study day."""

    item_id: str
    was: Kind
    """Where the item stood."""
    milliseconds: int
    """How long it took."""


@dataclass(frozen=True, slots=True)
class Deleted:
    """An item with a history and without a card: the card was deleted, or got another id."""

    item_id: str
    answers: int
    last: date
    """The study day of the last answer."""


class _Waiting:
    """What this program wrote and the index has not read yet."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.of_item: dict[str, list[Event]] = {}
        """Those that concern an item."""
        self.undone: set[str] = set()
        """The ids that undos among them name."""

    def add(self, event: Event) -> None:
        self.events.append(event)
        for item in event.items:
            self.of_item.setdefault(item, []).append(event)
        if isinstance(event.what, Undone):
            self.undone.add(event.what.target)


class History:
    """Every answer is as of the last `catch_up` or `refresh`, and of what this program wrote."""

    last_id: str
    """The last event's id in sorting order, or "" where there is none."""
    unread: tuple[Problem, ...] = ()
    """The journal's folders and files that could not be read when they were last looked at."""
    folds_behind = False
    """Whether `fold_behind` follows a change of the settings, so that nobody waits for it."""

    def __init__(self, store: Store, private: Path, config: Config) -> None:
        self.config = config
        self._store = store
        self._private = private
        self.lock = threading.RLock()
        """Held while something is taken up, and from where events are worked out until they are
        noted here: nothing comes between.  Taken behind the journal's and the index's."""
        self._stamps = Stamps(private)
        self._waiting = _Waiting()
        self._folded: dict[str, ItemStatus] = {}
        """Where the items of those stand."""
        self._left: dict[str, FileStamp] = {}
        """By name, how this program left the files; `NO_STAMP` where others wrote as well."""
        self._looked_up: dict[str, ItemStatus] = {}
        self._days: dict[date, dict[str, list[DayAnswer] | None]] = {}
        """Of a study day: its answers by item; None where they must be looked up again."""
        self._due: dict[int, int] | None = None
        """Study day (as an ordinal) to items that fall due, where it is known."""
        self._settings, self._is_behind = "", False
        """What is remembered rests on these, as `fold_key` names them; whether the index's states
        rested on others when it last took something up."""
        self._forget()

    # Taking up what was written.

    def catch_up(self, quickly: bool = False) -> None:
        """Takes up what other programs and devices wrote; `quickly` looks only where programs
        write."""
        is_current = self._stamps.seem_same if quickly else self._stamps.are_same
        if not is_current():
            self.take_up()

    def flush(self) -> None:
        """Lets the index read what this program wrote."""
        if self._waiting.events:
            self.take_up()

    def refresh(self, quickly: bool = False) -> None:
        """`catch_up` and `flush`: what the index is asked next, it knows."""
        self.catch_up(quickly)
        self.flush()

    def is_current(self) -> bool:
        """Whether the journal's files are as they were last seen; looks, and reads nothing."""
        return self._stamps.are_same()

    @asking
    def take_up(self, progress: Progress = silent) -> None:
        """Takes up what changed in the journal, and folds by `config`.

        While the journal itself is gone (a disk that was pulled out), what was read of it holds.
        """
        with self.lock:
            is_gone = self._is_gone()
            if not is_gone:
                self.unread = take_up(self._store, self._private, self._own(), progress)
            many = schedule.fold(self._store, self.config, progress, self.folds_behind)
            self._is_behind, key = bool(self._store.noted("behind")), fold_key(self.config)
            if key != self._settings:  # another program may have folded by them already
                self._settings = key
                self._forget()
            if is_gone or (self.unread and self._waiting.events):
                return  # what was written stays as it was folded, until it can be read
            stamps, expected = known_stamps(self._store), self._stamps.known | self._left
            self._waiting, self._folded, self._left = _Waiting(), {}, {}
            if stamps != expected or many:
                self._forget()
            self._stamps.known = stamps

    @asking
    def fold_behind(self, goes_on: Callable[[], bool]) -> bool:
        """Folds what is behind the settings, as long as that `goes_on`; whether it came to an end
        now."""
        if not self._is_behind:
            return False
        with closing(schedule.fold_behind(self._store, self.config)) as steps:
            if not all(goes_on() for _ in steps):
                return False
        with self.lock:
            self._is_behind = False
            self._forget()
        return True

    def _own(self) -> Own:
        """What this program wrote, for the index to take as it was folded here."""
        of_item, known = self._waiting.of_item, {}
        for item, to in self._folded.items():
            if item in of_item:
                known[item] = {id_bytes(event.id) for event in of_item[item]}, to
        return Own(dict(self._left), known)

    def _is_gone(self) -> bool:
        return bool(self._stamps.known) and not os.path.lexists(self._private)

    def apply(self, reviews: Sequence[AppliedReview], written: Written) -> None:
        """Takes up reviews that this program has worked out from `folded`, and written."""
        with self.lock:
            for event, before, after in reviews:
                self._waiting.add(event)
                self._folded[event.item] = self._looked_up[event.item] = after
                self.last_id = max(self.last_id, event.id)
                if event.day in self._days:
                    known = self._days[event.day].get(event.item, [])
                    met = [_of_day(Answer(event, before.state))]
                    self._days[event.day][event.item] = None if known is None else known + met
                if self._due is not None:
                    count_due(self._due, before.state, after.state)
            self._left_by_us(written)
            self._stamps.put(written.name, written.stamp)
        if len(self._waiting.events) >= _WAITING:
            self.take_up()

    def add(self, events: Sequence[Event], written: Written) -> None:
        """Takes up events that this program has written, in their order."""
        with self.lock:
            is_ours = all(event.item and isinstance(event.what, _OF_AN_ITEM) for event in events)
            own: dict[str, list[Event]] = {}
            for event in events if is_ours else ():
                own.setdefault(event.item, []).append(event)
            before = self.look_up(list(own))
            for event in events:
                self._waiting.add(event)
            self.last_id = max(self.last_id, *(event.id for event in events))
            self._left_by_us(written)
            folded: dict[str, ItemStatus] = {}
            try:
                for (item, its), was in zip(own.items(), before, strict=True):
                    is_undone = any(isinstance(event.what, Undone) for event in its)
                    folded[item] = (
                        self.folded_with(item, ())
                        if is_undone
                        else replay_behind(item, was, its, self.config)
                    )
            finally:
                for item in {event.item for event in events} - folded.keys():
                    self._folded.pop(item, None)  # what they change is for the index to say
                    self._looked_up.pop(item, None)
            for item, was in zip(own, before, strict=True):
                after = self._folded[item] = self._looked_up[item] = folded[item]
                for known in self._days.values():
                    if item in known:
                        known[item] = None
                if self._due is not None:
                    count_due(self._due, was.state, after.state)
            if is_ours:
                self._stamps.put(written.name, written.stamp)
        if not is_ours or len(self._waiting.events) >= _WAITING:
            self.take_up()

    def _left_by_us(self, written: Written) -> None:
        """Notes how a file was left; what was read of one that nobody else changed is not looked at
        again."""
        known = self._left.get(written.name, self._stamps.known.get(written.name))
        self._left[written.name] = written.stamp if known == written.before else NO_STAMP

    @asking
    def _forget(self) -> None:
        """Forgets what is remembered here of what others may have changed."""
        self._looked_up, self._days, self._due = {}, {}, None
        self.last_id = max(
            [schedule.last_id(self._store.db), *(e.id for e in self._waiting.events)]
        )

    # Where items stand.

    def folded(self, item_id: str) -> ItemStatus:
        known = self._folded.get(item_id) or self._looked_up.get(item_id)
        return known or self.look_up([item_id])[0]

    @asking
    def look_up(self, items: Sequence[str]) -> list[ItemStatus]:
        """`folded` of each, with one question to the index."""
        looked_up = self._looked_up  # another one as soon as others may have changed something
        found = dict(schedule.folded(self._store.db, items, self.config))
        if len(looked_up) >= _REMEMBERED:
            looked_up.clear()
        known = [self._folded.get(item) or found.get(item, _NOTHING) for item in items]
        return list(map(looked_up.setdefault, items, known))

    def state(self, item_id: str) -> ItemState:
        return self.folded(item_id).state

    @asking
    def folded_with(self, item_id: str, events: Iterable[Event]) -> ItemStatus:
        """Where the item would stand, had these events been there as well; keeps nothing."""
        with self.lock:
            known = [*self.events(item_id), *events]
            undone = self._undone(item_id) | undone_ids(known)
            return replay_item(item_id, dedupe_events(known), undone, self.config)

    @property
    def load(self) -> Load:
        """How many items fall due on each study day; changes with the next answer."""
        return self._due if self._due is not None else self._count_due()

    @asking
    def _count_due(self) -> Load:
        with self.lock:
            self.flush()
            self._due = schedule.due_days(self._store.db)
            return self._due

    # What was done.

    @asking
    def events(self, item_id: str) -> list[Event]:
        """The events that concern an item, as they were folded: by id, each once."""
        with self.lock:
            known = schedule.events(self._store.db, item_id)
            return list(dedupe_events([*known, *self._waiting.of_item.get(item_id, ())]))

    @asking
    def event_ids(self, item_id: str) -> set[str]:
        """The ids of the item's own events; quick where there is none."""
        with self.lock:
            waiting = {event.id for event in self._waiting.of_item.get(item_id, ())}
            return schedule.event_ids(self._store.db, item_id) | waiting

    @asking
    def answers(self, item_id: str) -> list[Answer]:
        """The item's reviews that were not undone."""
        with self.lock:
            undone = self._undone(item_id)
            return list(answers_of(item_id, self.events(item_id), undone, self.config))

    @asking
    def answers_on(self, day: date) -> list[DayAnswer]:
        """The reviews of a study day that were not undone, item by item."""
        with self.lock:
            if day not in self._days:
                schedule.count_answers(self._store, self.config)
                counted = schedule.answered_on(self._store.db, day)
                answers = [DayAnswer(item, _KINDS[kind], took) for item, kind, took in counted]
                by_item = groupby(answers, key=attrgetter("item_id"))
                self._days = {day: {item: list(found) for item, found in by_item}}
                self._days[day] |= {event.item: None for event in self._waiting.events}
            known = self._days[day]
            for item, met in known.items():
                if met is None:
                    known[item] = [_of_day(a) for a in self.answers(item) if a.event.day == day]
            return [answer for item in sorted(known) for answer in known[item] or ()]

    @asking
    def raised_on(self, day: date) -> list[LimitsRaised]:
        """What was added to the limits of a study day."""
        with self.lock:
            undone = self._undone("")
            events = [e for e in self.events("") if e.day == day and e.id not in undone]
            return [event.what for event in events if isinstance(event.what, LimitsRaised)]

    @asking
    def last_review(self, items: Container[str] | None = None) -> Event | None:
        """The last review, of an item that has a card, that was not undone."""
        db, undone = self._store.db, self._waiting.undone
        waiting = [event for event in self._waiting.events if isinstance(event.what, Reviewed)]
        ours = (e for e in sorted(waiting, key=_ID, reverse=True) if key_of_item(db, e.item))
        for event in merge(ours, schedule.last_reviews(db), key=_ID, reverse=True):
            if event.id not in undone and (items is None or event.item in items):
                return event
        return None

    @asking
    def taken_back(self, events: Iterable[Event]) -> set[str]:
        """The ids that undos name, of these events at least."""
        ids = [event.id for event in events]
        return schedule.undone_among(self._store.db, ids) | self._waiting.undone

    @asking
    def settle(self, last: str) -> None:
        """Notes that the cards' `status:` lines follow all answers up to this id."""
        self._store.note("settled", last)

    @asking
    def unsettled(self) -> list[Event]:
        """The reviews since `settle`, the last one first; the last one alone where it was never
        called."""
        self.flush()
        last = self._store.noted("settled")
        reviews = schedule.last_reviews(self._store.db)
        return list(
            takewhile(lambda event: event.id > last, reviews if last else islice(reviews, 1))
        )

    @property
    def is_behind(self) -> bool:
        """Whether answers that this program wrote could not be read back yet."""
        return bool(self._waiting.events)

    @asking
    def after(self, day: date) -> tuple[int, date]:
        """How many events there are after the study day `day`, and the day of the last."""
        self.flush()
        return schedule.after(self._store.db, day)

    @asking
    def deleted(self) -> list[Deleted]:
        """The items that have a history and no card, by id."""
        self.flush()
        return [Deleted(*row) for row in schedule.deleted(self._store.db)]

    @property
    @asking
    def problems(self) -> tuple[Problem, ...]:
        """What was wrong with the journal's folders, then with its lines, file by file."""
        found = problems_of(self._store, self._private)
        return (*found, gone(self._private)) if self._is_gone() else found

    def _undone(self, item_id: str) -> set[str]:
        return schedule.undone(self._store.db, item_id) | self._waiting.undone


def _of_day(answer: Answer) -> DayAnswer:
    event, before = answer.event, answer.before
    assert isinstance(event.what, Reviewed)
    was: Kind = "review"
    if isinstance(before, New | Learning):
        was = "new" if isinstance(before, New) else "learning"
    return DayAnswer(event.item, was, event.what.milliseconds)


def count_due(due: dict[int, int], before: ItemState, after: ItemState) -> None:
    """Moves an item in `due` (study day to number of items) from one state to another."""
    for state, change in ((before, -1), (after, 1)):
        if isinstance(state, Review):
            day = state.due_day.toordinal()
            due[day] = due.get(day, 0) + change
