"""A collection: a folder of cards, its journal, and everything that follows from the two."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import finalize

from cards.model import Card, Item, Problem
from deck import scheduler
from deck.answering import Brief, Draft, Given, of_different_cards
from deck.clock import future_problems
from deck.config import Config
from deck.days import study_day
from deck.decks import DeckCount, TodayCount, count_decks
from deck.event import Checked, Event, Raised, Reset, Reviewed, Suspended, Undone, What
from deck.fold import Answer
from deck.follow import Follower
from deck.fsrs import Rating
from deck.history import Deleted, History
from deck.index import select
from deck.index.decks import Deck, all_decks, inside, totals, whereabouts
from deck.index.place import index_path
from deck.index.progress import Progress, silent
from deck.index.store import Store
from deck.journal import Journal
from deck.library import Library
from deck.limits import Done, done
from deck.place import CONFIG, PRIVATE, make_collection
from deck.queue import Candidate, Queue, build_queue, session_queue
from deck.session import Session
from deck.settings import read_config
from deck.state import ItemState, Schedule
from deck.status import SUSPENDED
from deck.watch import Watcher

if TYPE_CHECKING:
    from deck.exam import Stake
    from deck.search import Query
    from deck.stats import Statistics

_Result = TypeVar("_Result")


class Collection:
    """Made by `Collection.open`, which writes nothing.  Every `now` is an aware datetime."""

    def __init__(self, folder: Path, device: str | None = None) -> None:
        self.root = folder
        self.config = Config()
        self._store = Store(index_path(folder))
        self._library = Library(folder, self._store)
        self._journal = Journal(folder / PRIVATE, device)
        self._history = History(self._store, folder / PRIVATE, self.config)
        self._config_problems: tuple[Problem, ...] = ()
        self._clock_problems: tuple[Problem, ...] = ()
        self._follower = Follower(self._library)
        self._closing = finalize(self, self._store.close)

    @classmethod
    def open(
        cls,
        folder: Path | str,
        now: datetime | None = None,
        device: str | None = None,
        *,
        at_once: bool = False,
        progress: Progress = silent,
    ) -> Collection:
        """The collection in `folder`; `device` names this device in the journal.

        With `at_once` the cards are those of the last time, where there was one: call `reload`
        next, from another thread if need be.  `progress` hears what a first start reads.

        Raises:
            CollectionError: the folder or its settings cannot be used.
        """
        made = cls(Path(folder), device)
        made._start(now or datetime.now().astimezone(), at_once, progress)
        return made

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
        """The cards by id, in the order of their paths; each is parsed when it is asked for."""
        return self._library.cards

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with settings, card files and journal; the rest works."""
        ours = (*self._config_problems, *self._clock_problems, *self._follower.problems)
        return (*ours, *self._library.problems, *self._history.problems)

    def has_item(self, item_id: str) -> bool:
        return self._library.has_item(item_id)

    def card_at(self, path: Path) -> Card | None:
        """The card in a file; None where it holds none that is studied."""
        return self._library.card_at(path)

    def called(self, name: str) -> str | None:
        """The id of the card that a [[link]] means: by its id, its file's name or its title."""
        return self._library.called(name)

    def tags(self) -> list[str]:
        """Every tag that a card has, sorted."""
        return self._library.tags()

    def first_card(self, deck: str) -> str | None:
        """The id of the first card of a deck (a `DeckCount.key`); None where it holds none."""
        return self._library.first_card(deck)

    def events(self, item_id: str) -> list[Event]:
        """All that was done with an item, also with one whose card is gone."""
        self._pick_up()
        return self._history.events(item_id)

    def answers(self, item_id: str) -> list[Answer]:
        """The reviews of an item that were not undone, each with the state that it met."""
        self._pick_up()
        return self._history.answers(item_id)

    def deleted(self) -> list[Deleted]:
        """What has a history and no card any more."""
        self._pick_up()
        return self._history.deleted()

    def item(self, item_id: str) -> Item:
        """Raises CollectionError where there is none of that id, as all below do."""
        return self._library.find(item_id)[0]

    def card_of(self, item_id: str) -> Card:
        return self._library.find(item_id)[1]

    def state(self, item_id: str) -> ItemState:
        self._library.outline(item_id)
        return self._history.state(item_id)

    def is_suspended(self, item_id: str) -> bool:
        """Whether the journal, or the card's own `status:`, puts the item aside."""
        card = self._library.outline(item_id)
        return card.status == SUSPENDED or self._history.is_suspended(item_id)

    def search(self, text: str, now: datetime) -> list[str]:
        """The items that a search means (docs/search.md), in the order of their cards.

        Raises:
            SearchError: it cannot be read.
        """
        from deck.index.find import find
        from deck.search import Moment
        from deck.searching import FoundItem, read_search, search

        query, at = read_search(text, self.config.searches), Moment(now, self.config)
        if not self._history.seems_current():
            self._soundly(self._history.refresh)
        self._history.flush()

        def slow(part: Query) -> list[str]:
            items = self._library.items.values()
            found = (FoundItem(i.id, card, self._history, self.root, at.day) for i, card in items)
            return search(part, found, at)

        return self._soundly(
            lambda: self._library.in_order(find(self._store.db, self.root, query, at, slow))
        )

    # What to study.

    def decks(self, now: datetime) -> list[DeckCount]:
        """The tree of courses and folders, parents before their children."""
        self._pick_up()
        return self._soundly(lambda: self._decks(now))

    def _decks(self, now: datetime) -> list[DeckCount]:
        held = totals(self._store.db)
        found = [deck for deck in all_decks(self._store.db) if deck.number in held]
        paths = {deck.number: deck.path for deck in found}
        chosen = self._selected(now, found, each_deck=True)
        studied = [(paths[each.deck], each.candidate) for each in chosen]
        sizes = [(deck.path, held[deck.number]) for deck in found]
        return count_decks(studied, sizes, self._done(now), now, self.config, self._raised(now))

    def queue(self, now: datetime, deck: str | None = None) -> Queue:
        """What to study at `now`, of everything or of one deck (a `DeckCount.key`)."""
        self._pick_up()
        return self._soundly(lambda: self._queue(now, deck))

    def _queue(self, now: datetime, deck: str | None) -> Queue:
        found = inside(all_decks(self._store.db), deck)
        studied = [each.candidate for each in self._selected(now, found)]
        return build_queue(studied, self._done(now), now, self.config, self._raised(now))

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
        config = self.config.of_course(self._library.brief(item_id).course)
        state, load = self._history.state(item_id), self._history.load
        return scheduler.preview(state, now, item_id, config, load)

    def today(self, now: datetime) -> TodayCount:
        """What was done on the study day of `now`."""
        self._pick_up()
        answers = self._history.answers_on(study_day(now, self.config.rollover))
        reviews = [a.event.what for a in answers if isinstance(a.event.what, Reviewed)]
        return TodayCount(len(answers), sum(r.milliseconds for r in reviews) / 60_000)

    def statistics(
        self, now: datetime, search: str = "", days: int = 365, progress: Progress = silent
    ) -> Statistics:
        """All figures: of everything, or of the items that a search means.

        Raises:
            SearchError: the search cannot be read.
        """
        from deck.index.figures import figures

        chosen = self.search(search, now) if search.strip() else None
        self._pick_up()
        self._history.flush()
        config = self.config
        return self._soundly(lambda: figures(self._store, chosen, now, config, days, progress))

    def added(self, now: datetime, search: str = "") -> Mapping[date, int]:
        """Cards by the day they were added, as far as that can be told.  Raises SearchError."""
        from deck.index.added import added

        chosen = self.search(search, now) if search.strip() else None
        self._bring_up()
        return self._soundly(lambda: added(self._store.db, self.root, chosen))

    def stakes(self, course: str, answers: int = 2000) -> tuple[list[Stake], dict[str, float]]:
        """What an exam of the course is about, and the pace of its last `answers` (`pace_of`)."""
        from deck.index.stakes import pace, stakes

        self._bring_up()
        db = self._store.db
        return self._soundly(lambda: (list(stakes(db, course)), pace(db, course, answers)))

    def _bring_up(self) -> None:
        """The tally of answers, up to the last one."""
        from deck.index.sight import bring_up

        self._pick_up()
        self._history.flush()
        self._soundly(lambda: bring_up(self._store, self.config))

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
        given = Given(item_id, rating, milliseconds, check)
        return self._rate([(given, self._library.brief(item_id))], now)[0]

    def rate_each(self, answers: Iterable[Given], now: datetime) -> Iterator[Event]:
        """Records answers, many with one write; each is on the disk when it is yielded.

        Where an error ends it, what was yielded stands, and no more was recorded.
        """
        for together in of_different_cards(answers, self._library.brief):
            yield from self._rate(together, now)

    def _rate(self, answers: Sequence[tuple[Given, Brief]], now: datetime) -> list[Event]:
        """Records answers to different cards: all, or none."""
        with self._writing():
            draft = Draft(self._history, now, self.config)
            for given, card in answers:
                draft.answer(given, card)
            written = self._journal.append(*draft.events)
            self._known(lambda: self._history.take(draft.taken, written))
        if self.config.write_status:
            for _, card in answers:
                self._follower.follow(card.card_id, self._history)
        return draft.events

    def finish_status(self) -> None:
        """Writes the `status:` line that a crash right after the last answer kept from its card."""
        review = self._last_review()
        if review is not None and self.config.write_status:
            self._follower.finish(self._library.outline(review.item), review, self._history)

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
            card_id = self._library.outline(review.item).id
            made = self._follower.scheduled(card_id, self._history)
            event = self._append(review.item, now, Undone(review.id))
        if self.config.write_status:
            self._follower.put_back(card_id, made, review.what.status, self._history)
        return event

    def record_check(self, item_id: str, data: Mapping[str, Any], now: datetime) -> Event:
        """Records a checked derivation: verdict and answer, as plain data for JSON."""
        return self.record(item_id, Checked(data), now)

    def record(self, item_id: str, what: What, now: datetime) -> Event:
        """Records what needs no more than its line: Reset, Buried, Crammed, and an Undone of one of
        them; with the item "" also Moved, Raised and Adopted."""
        card = self._library.outline(item_id) if item_id else None
        with self._writing():
            event = self._append(item_id, now, what)
        if card is not None and self.config.write_status and self._moves_status(event):
            self._follower.follow(card.id, self._history)
        return event

    def _moves_status(self, event: Event) -> bool:
        """Whether the event made an item new again, or takes that back."""
        if not isinstance(event.what, Undone):
            return isinstance(event.what, Reset)
        events = self._history.events(event.item)
        return any(e.id == event.what.target and isinstance(e.what, Reset) for e in events)

    def suspend(self, item_id: str, now: datetime, on: bool = True) -> Event:
        """Puts an item aside, or takes it up again (and a `status: suspended` of its card away)."""
        card = self._library.outline(item_id)
        with self._writing():
            event = self._append(item_id, now, Suspended(on))
        # A file that says "suspended" must be changed even where files else are left alone.
        if self.config.write_status or (not on and card.status == SUSPENDED):
            self._follower.suspend(card.id, self._history)
        return event

    def reload(self, now: datetime, progress: Progress = silent) -> bool:
        """Reads again what changed on the disk; whether a card did.

        Raises:
            CollectionError: folder or settings cannot be used; every schedule stays as it was.
        """
        with self._store.workers:
            changed = self._soundly(lambda: self._library.scan(progress))
            self._store.note("scanned", "1")
            self._follower.forget()
            self._read_rest(now, progress)
        return changed

    def watch(self, changed: Callable[[], None]) -> Watcher:
        """Takes up changes of the files from now on; calls `changed` after each that tells.

        From a thread of its own, which ends with the watcher's `stop`; at first everything is
        looked at.  The same collection may be used meanwhile, and sees the change from then on.
        """

        def seen(paths: Iterable[Path] | None) -> None:
            if paths is None:
                news = self._soundly(self._library.scan)
            else:
                news = self._soundly(lambda: self._library.scan_files(paths))
            if news or not self._history.is_current():
                changed()

        return Watcher(self.root, seen)

    def close(self) -> None:
        """Lets the index learn what is new, and closes it.  Leaving without it loses nothing."""
        with suppress(sqlite3.Error):
            self._history.flush()
        self._closing()

    # Inside.

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._journal.locked():
            if not self._history.seems_current():
                self._soundly(self._history.refresh)
            yield

    def _append(self, item_id: str, now: datetime, what: What) -> Event:
        event = Draft(self._history, now, self.config).event(item_id, what)
        written = self._journal.append(event)
        self._known(lambda: self._history.add(event, written))
        return event

    def _known(self, take: Callable[[], None]) -> None:
        """Journal first, index second: a failure between them loses nothing."""
        try:
            take()
        except sqlite3.Error as error:
            self._recover(error)

    def _start(self, now: datetime, at_once: bool, progress: Progress) -> None:
        known = self._store.noted("scanned") and self.root.is_dir()
        if at_once and known:
            self._read_rest(now, progress)
        else:
            self.reload(now, progress)

    def _read_rest(self, now: datetime, progress: Progress) -> None:
        """Settings and journal."""
        config, self._config_problems = read_config(self.root / PRIVATE / CONFIG)
        self.config = config
        self._soundly(lambda: self._history.set_config(config, progress))
        self._soundly(lambda: self._history.refresh(progress))
        today = study_day(now, config.rollover)
        self._clock_problems = self._soundly(
            lambda: future_problems(self._history, today, self.root / PRIVATE)
        )

    def _soundly(self, work: Callable[[], _Result]) -> _Result:
        """`work` with the index; where that is damaged, once more with a new one."""
        try:
            return work()
        except sqlite3.Error as error:
            self._recover(error)
            return work()

    def _recover(self, error: sqlite3.Error) -> None:
        self._store.recover(error)
        self._library.scan()
        self._history.refresh()

    def _pick_up(self) -> None:
        """Takes up what other programs and devices wrote."""
        if not self._history.is_current():
            self._soundly(self._history.refresh)

    def _last_review(self) -> Event | None:
        return self._history.last_review()

    def _candidates(self, now: datetime, deck: str | None) -> list[Candidate]:
        """All that are neither suspended nor buried, in the order of their files."""
        self._history.flush()
        db, day = self._store.db, study_day(now, self.config.rollover)
        found = select.everything(db, inside(all_decks(db), deck), day)
        return [each.candidate for each in found]

    def _selected(
        self, now: datetime, found: list[Deck], each_deck: bool = False
    ) -> list[select.Selected]:
        """Those that a queue of these decks (or of each) needs."""
        self._history.flush()
        db, day = self._store.db, study_day(now, self.config.rollover)
        done, raised = self._done(now), self._raised(now)
        return select.select(db, found, day, self.config, done, raised, each_deck)

    def _done(self, now: datetime) -> list[Done]:
        answers = self._history.answers_on(study_day(now, self.config.rollover))
        return [self._done_of(answer) for answer in answers]

    def _done_of(self, answer: Answer) -> Done:
        where = whereabouts(self._store.db, answer.event.item)
        found = done(answer, None)
        return replace(found, card_id=where[0], course=where[1]) if where else found

    def _raised(self, now: datetime) -> list[Raised]:
        return self._history.raised_on(study_day(now, self.config.rollover))
