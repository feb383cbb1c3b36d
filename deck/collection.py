"""A collection: a folder of cards, the journal of what was done with them, and all that follows.

`Collection` joins the cards (deck/cards.py), their history (deck/history.py), the journal
(deck/journal.py) and the index (deck/index/).  What it asks of the index comes after `refresh`, so
that the index knows what this program and others wrote; what it records is on the disk when the
method returns.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import date, datetime, timedelta
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, TypeVar

from cards.model import Card, Item, Problem
from deck import replay
from deck.cards import CardStore
from deck.config import TEMPLATE, Config, read_config
from deck.decks import DeckCount, TodayCount, count_decks
from deck.errors import CollectionError, JournalError, odd, reason, refusal, with_count
from deck.events import (
    Checked,
    Event,
    EventPayload,
    LimitsRaised,
    Practised,
    Reviewed,
    StatusLines,
    Suspended,
    Undone,
)
from deck.files import CONFIG, DATA_DIR, NO_STAMP, Watcher, make_private, stamp_of, write_whole
from deck.fsrs import Rating
from deck.history import Deleted, History
from deck.index import schedule
from deck.index.candidates import all_decks, available, everything, inside, select
from deck.index.cards import (
    By,
    CardSummary,
    ItemSet,
    added,
    arranged,
    called,
    first_card,
    tags,
)
from deck.index.store import Progress, Store, asking, index_path, silent
from deck.journal import Journal, Written, why_unwritable
from deck.queue import Queue, SessionRequest, TodaysAnswer, build_queue, room, session_queue
from deck.recording import AnswerInput, Answers, AnswerStream, EventBatch, IdleWorker
from deck.replay import SUSPENDED, Answer, ItemState, ItemStatus, Schedule
from deck.status_line import StatusLineWriter
from deck.study_day import Local, day_start, on_clock, study_day

if TYPE_CHECKING:
    from deck.exam import Exam
    from deck.stats import RecentActivity, Statistics

_Result = TypeVar("_Result")
#: Items of a queue that are looked up together.
_LOOKED_UP: Final = 64
#: Other events in one write, at most: the `status:` lines of their cards take longer, and follow.
_EVENTS_A_WRITE: Final = 100


class Collection:
    """Made by `Collection.open`, which writes nothing.

    Every `now` is an aware datetime.  Methods that take an item's id raise CollectionError where no
    card has it; methods that take a search (docs/search.md) raise SearchError where it cannot be
    read.
    """

    def __init__(self, folder: Path, device: str | None = None) -> None:
        self.root = folder
        self.config = Config()
        """The settings as they were last read."""
        private = folder / DATA_DIR
        self._store = Store(index_path(folder))
        self._library = CardStore(folder, self._store)
        self._journal = Journal(private, device)
        self._history = History(self._store, private, self.config)
        self._status = StatusLineWriter(self._library, self._history, self._record_lines)
        self._behind = IdleWorker(weakref.WeakMethod(self._catch_up_behind))
        self._store.refill = self._refill
        self._tell: Callable[[], None] = lambda: None
        """Says to who watches that something changed."""
        self._config_problems: tuple[Problem, ...] = ()
        self._config_stamp = NO_STAMP
        """Of config.toml when it was last read."""
        self._clock_problems: tuple[Problem, ...] = ()
        self._conflicts: tuple[Problem, ...] = ()
        self._ahead: list[str] = []
        """The items that will be answered next, as far as the last queue tells."""
        self._changing = Lock()
        """Held while card files are changed past the collection."""
        self._unsure: dict[str, Event] = {}
        """By item, the events that may be recorded although their write failed.  Repeating one
        writes it again under its own id: of equal ids one counts."""

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

        With `at_once` the cards are those that the index knows: call `reload` next, from another
        thread if need be.  A change of the settings is folded behind then: until that is done,
        lists and figures are as of those before.  `progress` is told what a first start reads.

        Raises:
            CollectionError: the folder or its settings cannot be used.
        """
        made = cls(Path(folder), device)
        now = now or datetime.now(Local())
        is_known = made._store.ask(lambda: made._store.noted("scanned")) and made.root.is_dir()
        made._history.folds_behind = at_once
        if at_once and is_known:
            made._reload_history(now, progress)
        else:
            made.reload(now, progress)
        return made

    @classmethod
    def init(cls, folder: Path | str, now: datetime | None = None) -> Collection:
        """Makes `folder` a collection; what is there already stays.  Raises CollectionError."""
        make_collection(Path(folder))
        return cls.open(folder, now)

    def close(self) -> None:
        """Lets the index learn what is new, and closes it.  Leaving without it loses nothing."""
        self._behind.stop()
        self._catch_up_behind()
        self._store.close()

    # Files.

    def reload(self, now: datetime, progress: Progress = silent) -> bool:
        """Reads again what changed on the disk; whether a card did.

        Raises:
            CollectionError: the folder or its settings cannot be used; every schedule stays.
        """
        with self._store.workers:
            changed = self._library.scan(progress)
            self._store.ask(lambda: self._store.note("scanned", "1"))
            self._status.failed.clear()
            self._reload_history(now, progress)
        return changed

    def _reload_history(self, now: datetime, progress: Progress) -> None:
        self._read_settings()
        self._conflicts = _conflicts(self.root)
        self._take_up(progress)
        self._clock_problems = self._of_the_future(now)

    def _read_settings(self) -> None:
        """Raises CollectionError where they cannot be read: those read before stay in force."""
        path = self.root / DATA_DIR / CONFIG
        self._config_stamp = stamp_of(path)
        self.config, self._config_problems = read_config(path)
        self._history.config = self.config

    def _follow_settings(self) -> bool:
        """Reads the settings if their file changed since; whether it did.  What cannot be read is
        among the problems."""
        if stamp_of(self.root / DATA_DIR / CONFIG) == self._config_stamp:
            return False
        try:
            self._read_settings()
        except CollectionError as error:
            self._config_problems = (error.problem,)
        else:
            self._take_up(silent)
        return True

    def _take_up(self, progress: Progress) -> None:
        """Takes up what changed in the journal, and the settings that were read."""
        self._history.take_up(progress)
        if self._history.folds_behind:
            self._behind.touch()

    def _of_the_future(self, now: datetime) -> tuple[Problem, ...]:
        """A warning about events after tomorrow (another time zone may be a day ahead)."""
        later, last = self._history.after(self._day(now) + timedelta(days=1))
        if not later:
            return ()
        message = f"The journal holds {later} events from the future, up to {last}."
        hint = "Check this computer's clock, and those of the devices that share these cards."
        return (odd(self.root / DATA_DIR, message, hint),)

    def _refill(self) -> None:
        """After the index was made anew."""
        self._library.scan()
        self._history.take_up()

    def watch(self, changed: Callable[[], None]) -> Watcher:
        """Watches the files from now on, from a thread of its own, until the watcher's `stop`.

        Calls `changed` after each change that matters.  The collection may be used meanwhile, and
        sees the change from then on; it is also called behind a change of the settings.
        """

        def seen(paths: Iterable[Path] | None) -> None:
            with self._changing:
                news = self._library.scan() if paths is None else self._library.scan_files(paths)
            news |= self._follow_settings()
            before, self._conflicts = self._conflicts, _conflicts(self.root)
            if news or before != self._conflicts or not self._history.is_current():
                changed()

        self._tell = changed
        return Watcher(self.root, seen)

    @contextmanager
    def changing_files(self, now: datetime) -> Iterator[None]:
        """Many card files are changed meanwhile: they are read at the end, and not by the watcher.

        Raises CollectionError as `reload` does.
        """
        with self._changing:
            yield
            self.reload(now)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with settings, card files and journal; the rest works."""
        return (
            *self._config_problems,
            *self._clock_problems,
            *self._conflicts,
            *self._status.failed.values(),
            *self._library.problems,
            *self._history.problems,
        )

    @property
    def device(self) -> str:
        """This device's name in the journal.  Raises JournalError where it cannot be kept."""
        return self._journal.device

    def why_unwritable(self, now: datetime) -> str:
        """Why no answer can be recorded at `now`; "" where one can.  Nothing is written."""
        return why_unwritable(self.root / DATA_DIR, now)

    def as_one(self, question: Callable[[], _Result]) -> _Result:
        """The answer to many small questions, for the price of one: the index is looked at once."""
        return self._store.ask(question)

    # Cards.

    @property
    def cards(self) -> Mapping[str, Card]:
        """The cards by id, in the order of their paths; each is parsed when it is asked for."""
        return self._library.cards

    def ids(self) -> set[str]:
        """The ids of all cards and items."""
        return {*self._library.cards, *self._library.items}

    def has_item(self, item_id: str) -> bool:
        return self._library.has_item(item_id)

    def can_read(self, item_id: str) -> bool:
        """Whether `item` and `card_of` find it: looks at the file, which may be gone since."""
        return self._library.items.get(item_id) is not None

    def item(self, item_id: str) -> Item:
        return self._library.find(item_id)[0]

    def card_of(self, item_id: str) -> Card:
        return self._library.find(item_id)[1]

    def card_at(self, path: Path) -> Card | None:
        """The card in a file; None where it holds none that is studied."""
        return self._library.card_at(path)

    @asking
    def called(self, name: str) -> str | None:
        """The id of the card that a [[link]] means: by its id, its file's name or its title.

        Case, spaces, `-` and `_` are alike.
        """
        return name if name in self._library.cards else called(self._store.db, name)

    @asking
    def outlines(self, items: Sequence[str]) -> list[Card]:
        """The cards of items, each once, all but their texts; no file is read."""
        cards = self._library.outlines(items)
        return list({cards[item].id: cards[item] for item in items if item in cards}.values())

    @asking
    def tags(self) -> list[str]:
        """Every tag that a card has, sorted."""
        return tags(self._store.db)

    @asking
    def first_card(self, deck: str) -> str | None:
        """The id of the first card of a deck (a `DeckCount.key`); None where it holds none."""
        return first_card(self._store.db, deck)

    # History.

    def state(self, item_id: str) -> ItemState:
        self._library.summary(item_id)  # raises where no card has the item
        return self._history.state(item_id)

    def is_suspended(self, item_id: str) -> bool:
        """Whether the journal or the card's own `status:` suspends the item."""
        card = self._library.summary(item_id)
        return card.status == SUSPENDED or self._history.folded(item_id).suspended

    def events(self, item_id: str) -> list[Event]:
        """All that was done with an item, also with one whose card is gone."""
        self._history.catch_up()
        return self._history.events(item_id)

    def event_ids(self, item_id: str) -> set[str]:
        """The ids of an item's events, as of the last look at the files."""
        return self._history.event_ids(item_id)

    def answers(self, item_id: str) -> list[Answer]:
        """The reviews of an item that were not undone, each with the state that it met."""
        self._history.catch_up()
        return self._history.answers(item_id)

    def folded_with(self, item_id: str, events: Iterable[Event]) -> ItemStatus:
        """Where an item would stand, had these events happened as well."""
        return self._history.folded_with(item_id, events)

    @asking
    def touched(self) -> set[str]:
        """Every item that has events, whether there is a card or not."""
        self._history.refresh()
        return schedule.known(self._store.db)

    @asking
    def suspended(self) -> set[str]:
        """Every item that the journal suspends, whether there is a card or not."""
        self._history.refresh()
        return schedule.suspended(self._store.db)

    def deleted(self) -> list[Deleted]:
        """The items that have a history and no card any more."""
        self._history.catch_up()
        return self._history.deleted()

    # What to study.

    @asking
    def decks(self, now: datetime) -> list[DeckCount]:
        """The tree of courses and folders, parents before their children."""
        self._history.refresh()
        day, config, answered = self._day(now), self.config, self._done(now)
        new, reviews = (
            room(kind, answered, config, self._raised(now)) for kind in ("new", "review")
        )
        ends = day_start(day + timedelta(days=1), config.rollover, now)
        most = max(new.overall, 0) + 1  # one more tells whether some are held back
        folders = available(self._store.db, day, ends, config, answered, most)
        return count_decks(folders, new, reviews)

    @asking
    def queue(self, now: datetime, deck: str | None = None) -> Queue:
        """What to study at `now`, of everything or of one deck (a `DeckCount.key`)."""
        self._history.refresh()
        db, config, day = self._store.db, self.config, self._day(now)
        answered, raised = self._done(now), self._raised(now)
        found = select(db, inside(all_decks(db), deck), day, config, answered, raised)
        queue = build_queue(found, answered, now, config, raised)
        self._ahead = [entry.item_id for entry in queue.entries]
        return queue

    @asking
    def session(self, session: SessionRequest, now: datetime) -> Queue:
        """What to study in a session of its own kind: all that it asks for, but for what is
        suspended or buried."""
        self._history.refresh()
        db, items = self._store.db, None
        if session.search.strip():
            items = self._chosen(session.search, now).items(db)
        found = everything(db, inside(all_decks(db), session.deck), self._day(now), items)
        answered, raised = self._done(now), self._raised(now)
        return session_queue(found, answered, now, self.config, session, raised)

    def preview(self, item_id: str, now: datetime) -> dict[Rating, Schedule]:
        """What each rating would lead to, exactly as `rate` would set it."""
        config = self.config.of_course(self._library.summary(item_id).course)
        state = self._history.state(item_id)
        return replay.preview(state, now, item_id, config, self._history.load)

    def today(self, now: datetime) -> TodayCount:
        """What was done on the study day of `now`."""
        self._history.catch_up()
        answers = self._history.answers_on(self._day(now))
        return TodayCount(len(answers), sum(each.milliseconds for each in answers) / 60_000)

    def _day(self, now: datetime) -> date:
        return study_day(now, self.config.rollover)

    def _done(self, now: datetime) -> list[TodaysAnswer]:
        answers = self._history.answers_on(self._day(now))
        cards = self._library.summaries([answer.item_id for answer in answers])
        return [
            TodaysAnswer(item, *(card[:2] if card else (item, "")), was)
            for (item, was, _), card in zip(answers, cards, strict=True)
        ]

    def _raised(self, now: datetime) -> list[LimitsRaised]:
        return self._history.raised_on(self._day(now))

    # Searches and figures.

    @asking
    def search(self, text: str, now: datetime, by: By = "files") -> list[str]:
        """The items that a search means, in the order of their files or another."""
        if by != "files":
            self._history.refresh(quickly=True)
        items = self._chosen(text, now) if text.strip() else None
        return arranged(self._store.db, self._library.in_order(items), by)

    def _chosen(self, text: str, now: datetime) -> ItemSet:
        """What a search means, as the index names it and in no order."""
        from deck.search.match import read_search
        from deck.search.sql import SearchContext, find

        query, at = read_search(text, self.config.searches), SearchContext(now, self.config)
        self._history.refresh(quickly=True)

        def slow(holds: Callable[[Card], bool]) -> list[str]:
            return [item.id for item, card in self._library.items.values() if holds(card)]

        return find(self._store.db, self.root, query, at, slow)

    @asking
    def statistics(self, now: datetime, search: str = "", days: int = 365) -> Statistics:
        """All figures: of everything, or of the items that a search means."""
        from deck.index.stats import figures

        ids = self.search(search, now) if search.strip() else None
        self._history.refresh()
        return figures(self._store, ids, now, self.config, days)

    @asking
    def lately(self, now: datetime) -> RecentActivity:
        """The days around today in a few figures, quickly."""
        from deck.index.stats import lately

        self._history.refresh()
        return lately(self._store, now, self.config)

    @asking
    def unrated(self, now: datetime, most: int) -> list[str]:
        """At most so many items whose derivation was checked in the last month and that were not
        answered since, the latest first."""
        from deck.index.stats import unrated

        self._history.refresh(quickly=True)
        return unrated(self._store, self._day(now), most)

    @asking
    def added(self, now: datetime, search: str = "") -> Mapping[date, int]:
        """Cards by the day they were added, as far as that can be told."""
        ids = self.search(search, now) if search.strip() else None
        self._history.refresh()
        schedule.count_answers(self._store, self.config)
        return added(self._store.db, self.root, ids)

    @asking
    def exam(self, course: str, now: datetime) -> Exam:
        """The exam of a course.  Raises CollectionError where the settings name none."""
        from deck.exam import Exam, pace, stakes

        settings = self.config  # a change of the file may replace them meanwhile
        days = {name: day for day, name in settings.exams()}
        if course not in days:
            message = f"The settings name no exam of the course {course!a}."
            hint = f'Write `[courses."{course}"]` and below it `exam = 2027-01-20`.'
            raise refusal(self.root / DATA_DIR / CONFIG, message, hint)
        self._history.refresh()
        schedule.count_answers(self._store, settings)
        db, config = self._store.db, settings.of_course(course)
        known = list(stakes(db, course)), config, pace(db, course)
        target = settings.courses[course].target
        return Exam(course, days[course], study_day(now, settings.rollover), *known, target)

    # What is done.  Each raises JournalError, nearly always with everything as before, where the
    # disk refuses.

    def rate(
        self,
        item_id: str,
        rating: Rating,
        now: datetime,
        milliseconds: int = 0,
        check: Mapping[str, Any] | None = None,
    ) -> Event:
        """Records an answer; it is on the disk when this returns.

        The `status:` line of its card follows once no more answers come for a moment, or with
        `settle` (where it cannot be written, that is a problem, no error).
        """
        given = AnswerInput(item_id, rating, milliseconds, check)
        return self._rate([(given, self._summary(item_id), now)])[0]

    def stream(self, done: Callable[[Sequence[Event]], None]) -> AnswerStream:
        """Takes answers that need not wait for one another: see `AnswerStream`."""
        return AnswerStream(self._look_up, self._summary, self._rate, done)

    def settle(self) -> None:
        """Writes the `status:` lines that answers owe."""
        self._history.catch_up(quickly=True)  # another program may have taken an answer back
        if last := self._status.settle(self.config.write_status):
            self._history.settle(last)

    def finish_status(self) -> None:
        """Writes the `status:` lines that answers owed when the program was killed."""
        self.settle()
        if not self.config.write_status:
            self._history.settle(self._history.last_id)
            return
        owed: dict[str, Event] = {}
        reviews = self._history.unsettled()
        cards = self._library.outlines([review.item for review in reviews])
        for review in reviews:
            card = cards[review.item]
            # An answer remembers the status that it met: another line is the learner's, and stays.
            if isinstance(review.what, Reviewed) and card.status == review.what.status:
                owed.setdefault(card.id, review)
        self._status.owe(owed)
        self.settle()

    def undo(self, now: datetime, items: Container[str] | None = None) -> Event | None:
        """Takes back the last review (of one of `items`, where they are given), whichever device it
        was given on; None where there is none.

        The event names the item; its `what.target` is the review's id.
        """
        self._history.catch_up()
        if self._to_undo(items) is None:
            return None
        with self._writing():
            review = self._to_undo(items)
            if review is None or not isinstance(review.what, Reviewed):
                return None
            card = self._library.outline(review.item)
            status = self._status.scheduled(card)
            event = self._append(now, (review.item, Undone(review.id)))[0]
        if not self._status.cancel(card.id, review) and self.config.write_status:
            with suppress(CollectionError):  # it is recorded
                self.settle()
                self._status.take_back(review, status, review.what.status)
        return event

    def record(self, item_id: str, what: EventPayload, now: datetime) -> Event:
        """Records what needs no more than its line: Reset, Buried, Practised, and an Undone of one
        of them; with the item "" also Rescheduled, LimitsRaised and ParametersChanged."""
        return next(self.record_each([(item_id, what)], now))

    def record_check(self, item_id: str, data: Mapping[str, Any], now: datetime) -> Event:
        """Records a checked derivation: verdict and answer, as plain data for JSON."""
        return self.record(item_id, Checked(data), now)

    def suspend(self, item_id: str, now: datetime, on: bool = True) -> Event:
        """Suspends an item, or (`on` False) lifts that, its card's `status: suspended` included."""
        self._library.summary(item_id)  # raises where no card has the item
        return self.record(item_id, Suspended(on), now)

    def record_each(
        self, deeds: Iterable[tuple[str, EventPayload]], now: datetime
    ) -> Iterator[Event]:
        """`record` and `suspend` for many items, each once: many with one write.

        Each is on the disk when it is yielded; where an error ends it, no more was recorded.
        """
        self.settle()
        rest = iter(deeds)
        while together := list(islice(rest, _EVENTS_A_WRITE)):
            cards = self._library.outlines([item for item, _ in together])
            if missing := next((item for item, _ in together if item and item not in cards), ""):
                raise self._library.unknown(missing)
            with self._writing():
                events = self._append(now, *together)
            with suppress(CollectionError):  # they are recorded
                recorded = [(event, cards[event.item]) for event in events if event.item]
                self._status.follow_others(recorded, self.config.write_status)
            yield from events

    def record_foreign(self, events: Iterable[Event]) -> None:
        """Writes what was done in another program, with ids of `fixed_id`: the events of each month
        behind what the journal has of it.

        Where an error ends it, a second time completes it.
        """
        self.settle()
        months: dict[str, list[Event]] = {}
        for event in events:
            months.setdefault(f"{event.at:%Y-%m}", []).append(event)
        written = 0
        with self._journal.locked():
            for month in sorted(months):
                try:
                    self._journal.append(*months[month])
                except JournalError as error:
                    total = sum(map(len, months.values()))
                    raise with_count(error, written, total, "entries") from error
                written += len(months[month])

    # Recording: the journal first, then the history, then the cards' `status:` lines.

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Nobody else writes into the journal meanwhile, or takes it up; all that is there is
        known."""
        with self._journal.locked(), self._store.healing, self._history.lock:
            self._history.catch_up(quickly=True)
            yield

    def _summary(self, item_id: str) -> CardSummary:
        """What an answer must know of the item's card.

        Where items are answered as they were queued, several are looked up at once.
        """
        if self._ahead[:1] == [item_id]:
            items, self._ahead = self._ahead[:_LOOKED_UP], self._ahead[_LOOKED_UP:]
            self._look_up(items)
        card = self._library.summary(item_id, newest=False)
        if self._status.owes(card.card_id):  # the next answer meets what the last made of the file
            self.settle()
            card = self._library.summary(item_id)
        return card

    def _look_up(self, items: Sequence[str]) -> None:
        """Learns with few questions what answers to these items must know."""
        self._library.summaries(items)
        self._history.look_up(items)

    def _rate(self, answers: Answers) -> list[Event]:
        """Records answers to different cards: all, or none."""
        with self._writing():
            events = self._repeated(answers) if self._unsure else {}
            batch = EventBatch(self._history, answers[0][-1], self.config)
            new = [answer for answer in answers if answer[0].item_id not in events]
            if reviews := [batch.review(*answer) for answer in new]:
                written = self._write(*(review.event for review in reviews))
                with suppress(CollectionError):  # it is recorded: the index hears of it later
                    self._history.apply(reviews, written)
            self._unsure.clear()
        events |= {review.event.item: review.event for review in reviews}
        if self.config.write_status:
            self._status.owe({card.card_id: events[given.item_id] for given, card, _ in answers})
        self._behind.touch()
        return [events[given.item_id] for given, *_ in answers]

    def _catch_up_behind(self) -> None:
        """What can wait until no more answers come."""
        with suppress(CollectionError):  # whoever asks the index next hears of it
            self.settle()
            self._history.flush()
        self._journal.release()
        with suppress(CollectionError):
            if self._behind.goes_on() and self._history.fold_behind(self._behind.goes_on):
                self._tell()

    def _repeated(self, answers: Answers) -> dict[str, Event]:
        """Writes again the reviews that may be recorded, by item; takes those back whose answer is
        another now."""
        again: dict[str, Event] = {}
        for given, _, now in answers:
            known = self._unsure.get(given.item_id)
            if known is None or not isinstance(known.what, Reviewed):
                continue
            if known.rating == given.rating:
                event = again[given.item_id] = known
            else:
                batch = EventBatch(self._history, now, self.config)
                event = batch.event(known.item, Undone(known.id))
            self._write(event)
            with suppress(CollectionError):
                self._history.take_up()
        return again

    def _append(self, now: datetime, *deeds: tuple[str, EventPayload]) -> list[Event]:
        """Records events that are no answers."""
        batch = EventBatch(self._history, now, self.config)
        events = [self._unsure_of(*deed) or batch.event(*deed) for deed in deeds]
        written = self._write(*events)
        with suppress(CollectionError):  # they are recorded: the index hears of them later
            self._history.add(events, written)
        if not all(isinstance(event.what, Checked) for event in events):  # a part of an answer
            self._unsure.clear()
        self._behind.touch()
        return events

    def _unsure_of(self, item: str, what: EventPayload) -> Event | None:
        """The event that may be recorded, where this is the same once more."""
        known = self._unsure.get(item)
        if known is None:
            return None
        if isinstance(what, Practised) and isinstance(known.what, Practised):
            what = replace(what, milliseconds=known.what.milliseconds)  # it takes another time
        return known if what == known.what else None

    def _write(self, *events: Event) -> Written:
        """Appends events.  Those that may be there although that failed are remembered."""
        try:
            return self._journal.append(*events)
        except JournalError as error:
            if error.recorded != 0:
                self._unsure.update((event.item, event) for event in events)
                with suppress(CollectionError):
                    self._history.take_up()
            raise

    def _to_undo(self, items: Container[str] | None) -> Event | None:
        """The last review; once more the one whose undoing may be recorded.

        Raises:
            JournalError: it cannot be known.
        """
        history = self._history
        if history.unread:
            history.flush()  # it may be readable again
        targets = {e.what.target for e in self._unsure.values() if isinstance(e.what, Undone)}
        tried = (e for item in self._unsure for e in history.events(item) if e.id in targets)
        found = next((event for event in tried if items is None or event.item in items), None)
        found = found or history.last_review(items)
        if history.unread and (found is None or history.is_behind):
            said = f"The last answer cannot be looked up: {history.unread[0]}".removesuffix(".")
            raise JournalError(said, "nothing was undone")
        return found

    def _record_lines(self, lines: Sequence[tuple[Event, StatusLines]]) -> None:
        """Records the `status:` lines that cards have before they follow events."""
        last = max((event for event, _ in lines), key=lambda event: event.at)
        with self._writing():
            self._append(
                on_clock(last.at, last.offset), *((event.item, kept) for event, kept in lines)
            )


def make_collection(root: Path) -> None:
    """Makes `root` where it is missing, and its settings where it has none.

    Raises:
        CollectionError: it cannot be made.
    """
    settings = root / DATA_DIR / CONFIG
    try:
        root.mkdir(parents=True, exist_ok=True)
        make_private(root / DATA_DIR)
        if not os.path.lexists(settings):
            write_whole(settings, TEMPLATE.encode("utf-8"))
        elif not settings.is_file():
            raise FileExistsError
    except (OSError, ValueError) as error:
        raise _not_made(root, error) from error


def _not_made(root: Path, error: OSError | ValueError) -> CollectionError:
    """Why no collection can be made at `root`, with the very place that is in the way."""
    way = [*reversed(root.parents), root, root / DATA_DIR]
    for place in way if isinstance(error, FileExistsError | NotADirectoryError) else ():
        if os.path.lexists(place) and not place.is_dir():
            what = "link that leads nowhere" if place.is_symlink() else "file"
            message = f"A {what} stands where a folder is needed."
            return refusal(place, message, "Move it away, or name another folder.")
    if isinstance(error, FileExistsError):
        message = "The settings are a folder, or a link that leads nowhere."
        return refusal(root / DATA_DIR / CONFIG, message, "Move it away; a new file is made then.")
    why = reason(error) if isinstance(error, OSError) else str(error)
    message = f"No collection can be made here: {why}."
    return refusal(root, message, "Choose a folder that you can write to.")


def _conflicts(root: Path) -> tuple[Problem, ...]:
    """What a sync left to be chosen, card by card; most collections have no such folder."""
    if not (root / DATA_DIR / "conflicts").is_dir():
        return ()
    from deck.sync.conflicts import problems

    return tuple(problems(root))
