"""A collection: a folder of cards, its journal, and everything that follows from the two."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from cards.model import Card, Item, Problem
from deck import scheduler
from deck.clock import future_problems
from deck.config import Config
from deck.days import offset_minutes, study_day, to_milliseconds
from deck.decks import DeckCount, TodayCount, count_decks, deck_path, is_inside
from deck.event import Checked, Event, Raised, Reviewed, Suspended, Undone, What
from deck.follow import Follower
from deck.fsrs import Rating
from deck.history import History
from deck.ids import RANDOM_BYTES, next_id
from deck.journal import Journal
from deck.library import Library
from deck.limits import Done, done
from deck.place import CONFIG, PRIVATE, make_collection
from deck.queue import Candidate, Queue, build_queue, session_queue
from deck.session import Session
from deck.settings import read_config
from deck.state import ItemState, Schedule
from deck.status import SUSPENDED

#: Milliseconds of a day: nobody answers for longer.
_LONGEST = 86_400_000


class Collection:
    """Made by `Collection.open`, which writes nothing.  Every `now` is an aware datetime."""

    def __init__(self, folder: Path, now: datetime, device: str | None = None) -> None:
        self.root = folder
        self.config = Config()
        self._library = Library(folder)
        self._journal = Journal(folder / PRIVATE, device)
        self._history = History(self.config)
        self._config_problems: tuple[Problem, ...] = ()
        self._clock_problems: tuple[Problem, ...] = ()
        self._follower = Follower(self._library)
        self.reload(now)

    @classmethod
    def open(
        cls, folder: Path | str, now: datetime | None = None, device: str | None = None
    ) -> Collection:
        """The collection in `folder`; `device` names this device in the journal.

        Raises:
            CollectionError: the folder or its settings cannot be used.
        """
        return cls(Path(folder), now or datetime.now().astimezone(), device)

    @classmethod
    def init(cls, folder: Path | str, now: datetime | None = None) -> Collection:
        """Makes `folder` a collection, its settings as comments; what is there already stays.

        Raises:
            CollectionError: it cannot be made.
        """
        make_collection(Path(folder))
        return cls.open(folder, now)

    # What there is.

    @property
    def cards(self) -> Mapping[str, Card]:
        """The cards by id, in the order of their paths."""
        return MappingProxyType(self._library.cards)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with settings, card files and journal; the rest works."""
        ours = (*self._config_problems, *self._clock_problems, *self._follower.problems)
        return (*ours, *self._library.problems, *self._journal.problems)

    def item(self, item_id: str) -> Item:
        """Raises CollectionError where there is none of that id, as all below do."""
        return self._library.find(item_id)[0]

    def card_of(self, item_id: str) -> Card:
        return self._library.find(item_id)[1]

    def state(self, item_id: str) -> ItemState:
        self._library.find(item_id)
        return self._history.state(item_id)

    def is_suspended(self, item_id: str) -> bool:
        """Whether the journal, or the card's own `status:`, puts the item aside."""
        card = self.card_of(item_id)
        return card.status == SUSPENDED or self._history.is_suspended(item_id)

    def search(self, text: str, now: datetime) -> list[str]:
        """The items that a search means (docs/search.md), in the order of their cards.

        Raises:
            SearchError: it cannot be read.
        """
        from deck.search import Moment
        from deck.searching import FoundItem, read_search, search

        query, at = read_search(text, self.config.searches), Moment(now, self.config)
        self._pick_up()
        items = self._library.items.values()
        found = (FoundItem(i.id, card, self._history, self.root, at.day) for i, card in items)
        return search(query, found, at)

    # What to study.

    def decks(self, now: datetime) -> list[DeckCount]:
        """The tree of courses and folders, parents before their children."""
        self._pick_up()
        everything = [
            (deck_path(card, self.root), self._candidate(item, card), self._is_aside(item.id, now))
            for item, card in self._library.items.values()
        ]
        return count_decks(everything, self._done(now), now, self.config, self._raised(now))

    def queue(self, now: datetime, deck: str | None = None) -> Queue:
        """What to study at `now`, of everything or of one deck (a `DeckCount.key`)."""
        self._pick_up()
        found = self._candidates(now, deck)
        return build_queue(found, self._done(now), now, self.config, self._raised(now))

    def session(self, session: Session, now: datetime) -> Queue:
        """What to study in a session of its own kind.

        Raises:
            SearchError: its search cannot be read.
        """
        chosen = set(self.search(session.search, now))
        found = [c for c in self._candidates(now, session.deck) if c.item_id in chosen]
        done, raised = self._done(now), self._raised(now)
        return session_queue(found, done, now, self.config, session, raised)

    def preview(self, item_id: str, now: datetime) -> dict[Rating, Schedule]:
        """What each rating would lead to, exactly as `rate` would set it."""
        config = self.config.of_course(self.card_of(item_id).course)
        state, load = self._history.state(item_id), self._history.load
        return scheduler.preview(state, now, item_id, config, load)

    def today(self, now: datetime) -> TodayCount:
        """What was done on the study day of `now`."""
        answers = self._history.answers_on(study_day(now, self.config.rollover))
        reviews = [a.event.what for a in answers if isinstance(a.event.what, Reviewed)]
        return TodayCount(len(answers), sum(r.milliseconds for r in reviews) / 60_000)

    # What is done.  Each raises JournalError, with everything as before, where the disk refuses.

    def rate(
        self,
        item_id: str,
        rating: Rating,
        now: datetime,
        milliseconds: int,
        check: Mapping[str, Any] | None = None,
    ) -> Event:
        """Records an answer; it is on the disk when this returns.

        A card file whose `status:` cannot follow is a problem, not an error: the answer stands.
        """
        card = self.card_of(item_id)
        took = min(max(milliseconds, 0), _LONGEST)
        model, parameters = self.config.model, self.config.parameters_hash
        with self._writing():
            promise = scheduler.promise_of(self.preview(item_id, now)[Rating(rating)])
            what = Reviewed(Rating(rating), took, model, parameters, card.status, check, promise)
            event = self._append(item_id, now, what)
        if self.config.write_status:
            self._follower.follow(card.id, self._history)
        return event

    def finish_status(self) -> None:
        """Writes the `status:` line that a crash right after the last answer kept from its card."""
        review = self._last_review()
        if review is not None and self.config.write_status:
            self._follower.finish(self.card_of(review.item), review, self._history)

    def undo(self, now: datetime) -> Event | None:
        """Takes the last review back, on whichever device it was given; None where there is none.

        The event names the item; its `what.target` is the review's id.
        """
        self._pick_up()
        if self._last_review() is None:
            return None
        with self._writing():
            review = self._last_review()
            if review is None or not isinstance(review.what, Reviewed):
                return None
            card_id = self.card_of(review.item).id
            made = self._follower.scheduled(card_id, self._history)
            event = self._append(review.item, now, Undone(review.id))
        if self.config.write_status:
            self._follower.put_back(card_id, made, review.what.status, self._history)
        return event

    def record_check(self, item_id: str, data: Mapping[str, Any], now: datetime) -> Event:
        """Records a checked derivation: verdict and answer, as plain data for JSON."""
        return self.record(item_id, Checked(data), now)

    def record(self, item_id: str, what: What, now: datetime) -> Event:
        """Records what needs no more than its line: Reset, Buried, Crammed; with the item "" also
        Moved, Raised and Adopted."""
        if item_id:
            self._library.find(item_id)
        with self._writing():
            return self._append(item_id, now, what)

    def suspend(self, item_id: str, now: datetime, on: bool = True) -> Event:
        """Puts an item aside, or takes it up again (and a `status: suspended` of its card away)."""
        card = self.card_of(item_id)
        with self._writing():
            event = self._append(item_id, now, Suspended(on))
        # A file that says "suspended" must be changed even where files else are left alone.
        if self.config.write_status or (not on and card.status == SUSPENDED):
            self._follower.suspend(card.id, self._history)
        return event

    def reload(self, now: datetime) -> None:
        """Reads again what changed on the disk.

        Raises:
            CollectionError: folder or settings cannot be used; every schedule stays as it was.
        """
        self._library.scan()
        config, problems = read_config(self.root / PRIVATE / CONFIG)
        self._follower.forget()
        self._config_problems = problems
        if config != self.config:
            self.config = config
            self._history = History(config, self._journal.events)
        self._pick_up()
        today = study_day(now, self.config.rollover)
        self._clock_problems = future_problems(self._history, today, self.root / PRIVATE)

    # Inside.

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._journal.locked():
            self._pick_up()
            yield

    def _append(self, item_id: str, now: datetime, what: What) -> Event:
        """Journal first, memory second: a failure between them loses nothing."""
        at, day = to_milliseconds(now), study_day(now, self.config.rollover)
        event_id = next_id(self._history.last_id, at, os.urandom(RANDOM_BYTES))
        event = Event(event_id, item_id, at, offset_minutes(now), day, what)
        self._journal.append(event)
        self._history.add(event)
        return event

    def _pick_up(self) -> None:
        """Takes up what other programs and devices wrote."""
        if self._journal.refresh():
            self._history.update(self._journal.events)

    def _last_review(self) -> Event | None:
        return self._history.last_review(self._library.items)

    def _candidate(self, item: Item, card: Card) -> Candidate:
        return Candidate.of(item.id, card, self._history.state(item.id))

    def _is_aside(self, item_id: str, now: datetime) -> bool:
        day = study_day(now, self.config.rollover)
        return self.is_suspended(item_id) or self._history.is_buried(item_id, day)

    def _candidates(self, now: datetime, deck: str | None) -> list[Candidate]:
        return [
            self._candidate(item, card)
            for item, card in self._library.items.values()
            if not self._is_aside(item.id, now)
            and (deck is None or is_inside(deck_path(card, self.root), deck))
        ]

    def _done(self, now: datetime) -> list[Done]:
        answers = self._history.answers_on(study_day(now, self.config.rollover))
        items = self._library.items
        cards = {item_id: card for item_id, (_, card) in items.items()}
        return [done(answer, cards.get(answer.event.item)) for answer in answers]

    def _raised(self, now: datetime) -> list[Raised]:
        return self._history.raised_on(study_day(now, self.config.rollover))
