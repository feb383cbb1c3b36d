"""Collection: open, ask, schedule, record, close."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, timezone
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from cards.model import Card, Item, Problem
from deck import scheduler
from deck.cards import Library
from deck.config import TEMPLATE, Config, read_config
from deck.decks import DeckCount, TodayCount, count_decks
from deck.errors import CollectionError, JournalError, counted, odd, reason, refusal
from deck.events import (
    RANDOM_BYTES,
    Checked,
    Event,
    EventPayload,
    LimitsRaised,
    Practised,
    Reset,
    Reviewed,
    StatusLines,
    Suspended,
    Undone,
    next_id,
)
from deck.files import CONFIG, DATA_DIR, Watcher, make_private
from deck.fsrs import Rating
from deck.history import Deleted, History, Taken
from deck.index import candidates as select
from deck.index.candidates import Deck, all_decks, inside, totals, whereabouts
from deck.index.cards import Brief
from deck.index.store import Progress, Store, index_path, silent
from deck.journal import Journal, Written
from deck.queue import Queue, Session, TodaysAnswer, build_queue, done, session_queue
from deck.replay import SUSPENDED, Answer, ItemState, ItemStatus, Review, Schedule
from deck.status_line import Follower
from deck.study_day import Local, offset_minutes, study_day, to_milliseconds

if TYPE_CHECKING:
    from deck.exam import Stake
    from deck.index.cards import By, Chosen
    from deck.search.query import Query
    from deck.stats import Lately, Statistics


# == Answers that are worked out, one on top of the other, before any of them is written.


#: Milliseconds of a day: nobody answers for longer.
_LONGEST = 86_400_000
#: Answers that one write takes at most.
_ANSWERS_TOGETHER = 500


@dataclass(frozen=True, slots=True)
class AnswerInput:
    """An answer as it is given."""

    item_id: str
    rating: Rating
    milliseconds: int = 0
    """How long it took."""
    check: Mapping[str, Any] | None = None
    """A verdict that belongs to it."""


def of_different_cards(
    answers: Iterable[AnswerInput], brief: Callable[[str], Brief]
) -> Iterator[list[tuple[AnswerInput, Brief]]]:
    """The answers with their cards, in their order, cut where a card comes again: its second
    answer must meet what the first made of it, the file's `status:` included."""
    together: list[tuple[AnswerInput, Brief]] = []
    seen: set[str] = set()
    for given in answers:
        card = brief(given.item_id)
        if card.card_id in seen or len(together) == _ANSWERS_TOGETHER:
            yield together
            together, seen, card = [], set(), brief(given.item_id)
        together.append((given, card))
        seen.add(card.card_id)
    if together:
        yield together


class Draft:
    """Events of one moment, each with an id behind the last that was seen.

    What they lead to is `taken`; the history hears of it when they are written.
    """

    def __init__(self, history: History, now: datetime, config: Config) -> None:
        self.taken: list[Taken] = []
        self._history, self._config, self._now = history, config, now
        self._at, self._day = to_milliseconds(now), study_day(now, config.rollover)
        self._offset, self._last_id = offset_minutes(now), history.last_id
        self._load: dict[int, int] = {}

    @property
    def events(self) -> list[Event]:
        return [each.event for each in self.taken]

    def event(self, item_id: str, what: EventPayload) -> Event:
        """An event of any kind."""
        self._last_id = next_id(self._last_id, self._at, os.urandom(RANDOM_BYTES))
        return Event(self._last_id, item_id, self._at, self._offset, self._day, what)

    def answer(self, given: AnswerInput, card: Brief) -> None:
        """Adds an answer, each to an item of its own: no second one meets what the first led to."""
        before = self._history.folded(given.item_id)
        self._load = self._load or dict(self._history.load)
        rating, config = Rating(given.rating), self._config.of_course(card.course)
        known = before.state, self._now, given.item_id, config, self._load
        track = scheduler.answered(rating, *known)
        suspended = before.suspended or track.suspended
        after = ItemStatus(track.state(), suspended, before.buried)
        took = min(max(given.milliseconds, 0), _LONGEST)
        model, parameters = self._config.model, self._config.parameters_hash
        what = Reviewed(rating, took, model, parameters, card.status, given.check, track.promise)
        self.taken.append(Taken(self.event(given.item_id, what), before, after))
        for state, change in ((before.state, -1), (after.state, 1)):
            if isinstance(state, Review):
                due = state.due_day.toordinal()
                self._load[due] = self._load.get(due, 0) + change


# == A computer's clock can be wrong: what the journal shows of that.


def future_problems(history: History, today: date, folder: Path) -> tuple[Problem, ...]:
    """A warning about events after tomorrow (another time zone may be a day ahead)."""
    later, last = history.after(today + timedelta(days=1))
    if not later:
        return ()
    message = f"The journal holds {later} events from the future, up to {last}."
    hint = "Check this computer's clock, and those of the devices that share these cards."
    return (odd(folder, message, hint),)


# == The parts of a collection, and what holds them together: index, cards, journal, settings.


class Parts:
    """Call `pick_up` first, and wrap questions to the index in `store.ask`."""

    def __init__(self, folder: Path, device: str | None) -> None:
        self.root = folder
        self.config = Config()
        self.store = Store(index_path(folder))
        self.library = Library(folder, self.store)
        self.journal = Journal(folder / DATA_DIR, device)
        self.history = History(self.store, folder / DATA_DIR, self.config)
        self.follower = Follower(self.library)
        self.store.refill = self._refill
        self._config_problems: tuple[Problem, ...] = ()
        self._clock_problems: tuple[Problem, ...] = ()
        self._open_choices: tuple[Problem, ...] = ()

    @property
    def problems(self) -> tuple[Problem, ...]:
        ours = (
            *self._config_problems,
            *self._clock_problems,
            *self._open_choices,
            *self.follower.problems,
        )
        return (*ours, *self.library.problems, *self.history.problems)

    def start(self, now: datetime, at_once: bool, progress: Progress) -> None:
        known = self.store.ask(lambda: self.store.noted("scanned")) and self.root.is_dir()
        if at_once and known:
            self._read_rest(now, progress)
        else:
            self.reload(now, progress)

    def reload(self, now: datetime, progress: Progress) -> bool:
        """Reads again what changed on the disk; whether a card did.

        Raises:
            CollectionError: folder or settings cannot be used; every schedule stays as it was.
        """
        with self.store.workers:
            changed = self.library.scan(progress)
            self.store.ask(lambda: self.store.note("scanned", "1"))
            self.follower.forget()
            self._read_rest(now, progress)
        return changed

    def _read_rest(self, now: datetime, progress: Progress) -> None:
        """Settings and journal."""
        config, self._config_problems = read_config(self.root / DATA_DIR / CONFIG)
        self.config = config
        self._open_choices = _open_choices(self.root)
        self.history.set_config(config, progress)
        self.history.refresh(progress)
        today = study_day(now, config.rollover)
        self._clock_problems = future_problems(self.history, today, self.root / DATA_DIR)

    def _refill(self) -> None:
        self.library.scan()
        self.history.refresh()

    def look(self, paths: Iterable[Path] | None) -> bool:
        """Takes up a change of these card files (None: of all); whether anything is news."""
        news = self.library.scan() if paths is None else self.library.scan_files(paths)
        before, self._open_choices = self._open_choices, _open_choices(self.root)
        return news or before != self._open_choices or not self.history.is_current()

    def telling(self, changed: Callable[[], None]) -> Callable[[Iterable[Path] | None], None]:
        """`look`, for who calls `changed` where there is news."""

        def seen(paths: Iterable[Path] | None) -> None:
            if self.look(paths):
                changed()

        return seen

    def pick_up(self) -> None:
        """Takes up what other programs and devices wrote."""
        if not self.history.is_current():
            self.history.refresh()

    def glance(self) -> None:
        """`pick_up`, looking only where programs write."""
        if not self.history.seems_current():
            self.history.refresh()

    def bring_up(self) -> None:
        """Lets the index know all that was done, and the tally of answers with it."""
        from deck.index.stats import bring_up

        self.pick_up()
        self.history.flush()
        self.store.ask(lambda: bring_up(self.store, self.config))

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Nobody else writes into the journal meanwhile, and all that is there is known."""
        with self.journal.locked():
            self.glance()
            yield

    def known(self, take: Callable[[], None]) -> None:
        """Lets the index know of what is in the journal: where it cannot, it hears of it later."""
        with suppress(CollectionError):
            take()

    def flush(self) -> None:
        """Lets the index learn what is new, where it can."""
        with suppress(CollectionError):
            self.history.flush()


def _open_choices(root: Path) -> tuple[Problem, ...]:
    """What a sync left to be chosen, card by card; most collections have no such folder."""
    if not (root / DATA_DIR / "conflicts").is_dir():
        return ()
    from deck.sync.conflicts import problems

    return tuple(problems(root))


# == Questions about everything: searches and figures.


def asking_search(parts: Parts, text: str, now: datetime, by: By = "files") -> list[str]:
    """The items that a search means, in their files' order or another.  Raises SearchError."""
    from deck.index.cards import arranged

    if by != "files":
        parts.glance()
        parts.history.flush()

    def found() -> list[str]:
        items = chosen(parts, text, now) if text.strip() else None
        return arranged(parts.store.db, parts.library.in_order(items), by)

    return parts.store.ask(found)


def chosen(parts: Parts, text: str, now: datetime) -> Chosen:
    """The same as the index names them, in no order."""
    from deck.search.match import in_card, read_search
    from deck.search.sql import Moment, find

    query, at = read_search(text, parts.config.searches), Moment(now, parts.config)
    parts.glance()
    parts.history.flush()

    def slow(part: Query) -> list[str]:
        return [item.id for item, card in parts.library.items.values() if in_card(part, card)]

    return parts.store.ask(lambda: find(parts.store.db, parts.root, query, at, slow))


def asking_statistics(
    parts: Parts, now: datetime, text: str, days: int, progress: Progress
) -> Statistics:
    """All figures: of everything, or of the items that a search means.  Raises SearchError."""
    from deck.index.stats import figures

    ids = asking_search(parts, text, now) if text.strip() else None
    parts.pick_up()
    parts.history.flush()
    config = parts.config
    return parts.store.ask(lambda: figures(parts.store, ids, now, config, days, progress))


def asking_lately(parts: Parts, now: datetime) -> Lately:
    """Recall and pace of the last month, answers of the last year, what falls due in a week."""
    from deck.index.stats import lately as lately_of

    parts.pick_up()
    parts.history.flush()
    replay = parts.history.answers
    return parts.store.ask(lambda: lately_of(parts.store, now, parts.config, replay))


def asking_added(parts: Parts, now: datetime, text: str) -> Mapping[date, int]:
    """Cards by the day they were added.  Raises SearchError."""
    from deck.index.cards import added as added_of

    ids = asking_search(parts, text, now) if text.strip() else None

    def found() -> Mapping[date, int]:
        parts.bring_up()
        return added_of(parts.store.db, parts.root, ids)

    return parts.store.ask(found)


def asking_stakes(parts: Parts, course: str, answers: int) -> tuple[list[Stake], dict[str, float]]:
    """What an exam of the course is about, and the pace of its last answers."""
    from deck.exam import pace
    from deck.exam import stakes as stakes_of

    def found() -> tuple[list[Stake], dict[str, float]]:
        parts.bring_up()
        db = parts.store.db
        return list(stakes_of(db, course)), pace(db, course, answers)

    return parts.store.ask(found)


# == What a collection holds: its settings, its cards, and what was done with them.


class Contents:
    """The part of `Collection` that only asks."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._library, self._history = parts.library, parts.history

    @property
    def config(self) -> Config:
        """The settings, as they were last read."""
        return self._parts.config

    @property
    def cards(self) -> Mapping[str, Card]:
        """The cards by id, in the order of their paths; each is parsed when it is asked for."""
        return self._library.cards

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with settings, card files and journal; the rest works."""
        return self._parts.problems

    def has_item(self, item_id: str) -> bool:
        return self._library.has_item(item_id)

    def can_read(self, item_id: str) -> bool:
        """Whether `item` and `card_of` find it: its file is looked at, which may be gone since."""
        return self._library.items.get(item_id) is not None

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
        self._parts.pick_up()
        return self._history.events(item_id)

    @property
    def device(self) -> str:
        """This device's name in the journal.  Raises JournalError where it cannot be kept."""
        return self._parts.journal.device

    def ids(self) -> set[str]:
        """The ids of all cards and items."""
        return {*self._library.cards, *self._library.items}

    def touched(self) -> set[str]:
        """Every item with which something was done, whether there is a card or not."""
        return self._history.known()

    def suspended(self) -> set[str]:
        """Every item that the journal puts aside, whether there is a card or not."""
        return self._history.suspended()

    def event_ids(self, item_id: str) -> set[str]:
        """The ids of what was done with an item, as it was when the files were last looked at."""
        return self._history.event_ids(item_id)

    def folded_with(self, item_id: str, events: Iterable[Event]) -> ItemStatus:
        """Where an item would stand, had these events been there as well."""
        return self._history.folded_with(item_id, events)

    def answers(self, item_id: str) -> list[Answer]:
        """The reviews of an item that were not undone, each with the state that it met."""
        self._parts.pick_up()
        return self._history.answers(item_id)

    def deleted(self) -> list[Deleted]:
        """What has a history and no card any more."""
        self._parts.pick_up()
        return self._history.deleted()

    def item(self, item_id: str) -> Item:
        """Raises CollectionError where there is none of that id, as all below do."""
        return self._library.find(item_id)[0]

    def card_of(self, item_id: str) -> Card:
        return self._library.find(item_id)[1]

    def outlines(self, items: Sequence[str]) -> list[Card]:
        """The cards of items, each once, all but their texts; no file is read."""
        return self._library.outlines(items)

    def state(self, item_id: str) -> ItemState:
        self._library.brief(item_id)
        return self._history.state(item_id)

    def is_suspended(self, item_id: str) -> bool:
        """Whether the journal, or the card's own `status:`, puts the item aside."""
        card = self._library.brief(item_id)
        return card.status == SUSPENDED or self._history.is_suspended(item_id)

    def search(self, text: str, now: datetime, by: By = "files") -> list[str]:
        """The items that a search (docs/search.md) means, in their files' order or another.  Raises
        SearchError where it cannot be read, as whatever takes a search does."""
        return asking_search(self._parts, text, now, by)


# == What to study: the tree of decks, queues, sessions, and what an answer would lead to.


_Result = TypeVar("_Result")


class Planner:
    """`Collection` says what each method promises."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def decks(self, now: datetime) -> list[DeckCount]:
        return self._asked(lambda: self._decks(now))

    def _decks(self, now: datetime) -> list[DeckCount]:
        db, config = self._parts.store.db, self._parts.config
        held = totals(db)
        found = [deck for deck in all_decks(db) if deck.number in held]
        paths = {deck.number: deck.path for deck in found}
        done = self._done(now)
        chosen = self._selected(now, found, done, each_deck=True)
        studied = [(paths[each.deck], each.candidate) for each in chosen]
        sizes = [(deck.path, held[deck.number]) for deck in found]
        return count_decks(studied, sizes, done, now, config, self._raised(now))

    def queue(self, now: datetime, deck: str | None) -> Queue:
        return self._asked(lambda: self._queue(now, deck))

    def _queue(self, now: datetime, deck: str | None) -> Queue:
        found = inside(all_decks(self._parts.store.db), deck)
        done, config = self._done(now), self._parts.config
        studied = [each.candidate for each in self._selected(now, found, done)]
        return build_queue(studied, done, now, config, self._raised(now))

    def session(self, session: Session, now: datetime) -> Queue:
        return self._asked(lambda: self._session(session, now))

    def _session(self, session: Session, now: datetime) -> Queue:
        """Of what its search means, all that is neither suspended nor buried."""
        config, db = self._parts.config, self._parts.store.db
        self._parts.history.flush()
        day, decks = study_day(now, config.rollover), inside(all_decks(db), session.deck)
        items = None
        if session.search.strip():
            items = chosen(self._parts, session.search, now).items(db)
        found = [each.candidate for each in select.everything(db, decks, day, items)]
        return session_queue(found, self._done(now), now, config, session, self._raised(now))

    def preview(self, item_id: str, now: datetime) -> dict[Rating, Schedule]:
        config = self._parts.config.of_course(self._parts.library.brief(item_id).course)
        state, load = self._parts.history.state(item_id), self._parts.history.load
        return scheduler.preview(state, now, item_id, config, load)

    def today(self, now: datetime) -> TodayCount:
        self._parts.pick_up()
        answers = self._answers(now)
        reviews = [a.event.what for a in answers if isinstance(a.event.what, Reviewed)]
        return TodayCount(len(answers), sum(r.milliseconds for r in reviews) / 60_000)

    # Inside.

    def _asked(self, work: Callable[[], _Result]) -> _Result:
        self._parts.pick_up()
        return self._parts.store.ask(work)

    def _selected(
        self, now: datetime, found: list[Deck], done: list[TodaysAnswer], each_deck: bool = False
    ) -> list[select.Selected]:
        """Those that a queue of these decks (or of each) needs."""
        self._parts.history.flush()
        config, db = self._parts.config, self._parts.store.db
        day, raised = study_day(now, config.rollover), self._raised(now)
        return select.select(db, found, day, config, done, raised, each_deck)

    def _answers(self, now: datetime) -> list[Answer]:
        """Of the study day."""
        return self._parts.history.answers_on(study_day(now, self._parts.config.rollover))

    def _done(self, now: datetime) -> list[TodaysAnswer]:
        return [self._done_of(answer) for answer in self._answers(now)]

    def _done_of(self, answer: Answer) -> TodaysAnswer:
        where = whereabouts(self._parts.store.db, answer.event.item)
        found = done(answer, None)
        return replace(found, card_id=where[0], course=where[1]) if where else found

    def _raised(self, now: datetime) -> list[LimitsRaised]:
        return self._parts.history.raised_on(study_day(now, self._parts.config.rollover))


# == What is done, into the journal: answers, their undoing, and every other event.
#
# Each method raises JournalError where the disk refuses.  Nearly always everything is as before
# then;
# an event that may be recorded all the same is written again, under its own id, when it is
# repeated:
# of equal ids one counts.


#: Of other events so many are one write: their cards' `status:` lines, which take longer, follow.
_TOGETHER: Final = 100


class Recorder:
    """`Collection` says what each method promises."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        parts.follower.keep = self._keep
        self._owed: tuple[str, Event] | None = None
        """The card whose status line is still to follow its answer."""
        self._unsure: dict[str, Event] = {}
        """By item, what may be recorded although its write failed, until something else is."""

    def rate(self, given: AnswerInput, now: datetime, settle: bool = True) -> Event:
        self.settle()
        card = self._parts.library.brief(given.item_id)
        event = self._rate([(given, card)], now)[0]
        self._owed = (card.card_id, event)
        if settle:
            self.settle()
        return event

    def settle(self) -> None:
        owed, self._owed = self._owed, None
        parts = self._parts
        if owed is not None and parts.config.write_status and owed[0] in parts.library.cards:
            parts.follower.follow(dict([owed]), parts.history)

    def rate_each(self, answers: Iterable[AnswerInput], now: datetime) -> Iterator[Event]:
        self.settle()
        parts = self._parts
        for together in of_different_cards(answers, parts.library.brief):
            events = self._rate(together, now)
            if parts.config.write_status:
                cards = (card.card_id for _, card in together)
                parts.follower.follow(dict(zip(cards, events, strict=True)), parts.history)
            yield from events

    def _rate(self, answers: Sequence[tuple[AnswerInput, Brief]], now: datetime) -> list[Event]:
        """Records answers to different cards: all, or none."""
        parts = self._parts
        with parts.writing():
            again = self._repeated(answers, now)
            draft = Draft(parts.history, now, parts.config)
            for given, card in answers:
                if given.item_id not in again:
                    draft.answer(given, card)
            if draft.taken:
                written = self._write(*draft.events)
                parts.known(lambda: parts.history.take(draft.taken, written))
            self._unsure.clear()
        new = iter(draft.events)
        return [again.get(given.item_id) or next(new) for given, _ in answers]

    def _repeated(
        self, answers: Sequence[tuple[AnswerInput, Brief]], now: datetime
    ) -> dict[str, Event]:
        """Writes again what may be recorded, by item; takes it back where the answer is another."""
        parts, again = self._parts, {}
        for given, _ in answers:
            known = self._unsure.get(given.item_id)
            if known is None or not isinstance(known.what, Reviewed):
                continue
            if known.rating == given.rating:
                event = again[given.item_id] = known
            else:
                event = Draft(parts.history, now, parts.config).event(known.item, Undone(known.id))
            self._write(event)
            parts.known(parts.history.refresh)
        return again

    def _write(self, *events: Event) -> Written:
        """Appends events.  What may be there although that failed is remembered and taken up."""
        parts = self._parts
        try:
            return parts.journal.append(*events)
        except JournalError as error:
            if error.recorded != 0:
                self._unsure.update((event.item, event) for event in events)
                parts.known(parts.history.refresh)
            raise

    def finish_status(self) -> None:
        self.settle()
        parts = self._parts
        review = parts.history.last_review()
        if review is not None and parts.config.write_status:
            parts.follower.finish(parts.library.outline(review.item), review, parts.history)

    def undo(self, now: datetime, items: Container[str] | None = None) -> Event | None:
        self.settle()
        parts = self._parts
        parts.pick_up()
        if self._to_undo(items) is None:
            return None
        with parts.writing():
            review = self._to_undo(items)
            if review is None or not isinstance(review.what, Reviewed):
                return None
            card_id = parts.library.outline(review.item).id
            made = parts.follower.scheduled(card_id, parts.history)
            event = self._append(now, (review.item, Undone(review.id)))[0]
        if parts.config.write_status and not self._put_lines_back(card_id, [review]):
            parts.follower.put_back(card_id, made, review.what.status, parts.history)
        return event

    def _to_undo(self, items: Container[str] | None) -> Event | None:
        """The last review; once more the one whose undoing may be recorded.

        Raises:
            JournalError: it cannot be known.
        """
        history = self._parts.history
        targets = {e.what.target for e in self._unsure.values() if isinstance(e.what, Undone)}
        tried = (e for item in self._unsure for e in history.events(item) if e.id in targets)
        found = next((event for event in tried if items is None or event.item in items), None)
        found = found or history.last_review(items)
        if history.unread and (found is None or history.is_behind):
            said = f"The last answer cannot be looked up: {history.unread[0]}".removesuffix(".")
            raise JournalError(said, "nothing was undone")
        return found

    def record(self, item_id: str, what: EventPayload, now: datetime) -> Event:
        return next(self.record_each([(item_id, what)], now))

    def record_each(
        self, deeds: Iterable[tuple[str, EventPayload]], now: datetime
    ) -> Iterator[Event]:
        self.settle()
        parts, rest = self._parts, iter(deeds)
        while together := list(islice(rest, _TOGETHER)):
            cards = [parts.library.outline(item) if item else None for item, _ in together]
            with parts.writing():
                events = self._append(now, *together)
            self._follow(zip(events, cards, strict=True))
            yield from events

    def _follow(self, recorded: Iterable[tuple[Event, Card | None]]) -> None:
        parts = self._parts
        aside: dict[str, Event] = {}
        moved: dict[str, Event] = {}
        for event, card in recorded:
            if card is None:
                continue
            if isinstance(event.what, Suspended):
                # A file that says "suspended" must be changed even where files else are left alone.
                lifted = not event.what.on and card.status == SUSPENDED
                if not parts.config.write_status and not lifted:
                    continue
                if event.what.on or not self._put_lines_back(card.id, self._suspensions(card)):
                    aside[card.id] = event
                continue
            if parts.config.write_status and isinstance(event.what, Reset):
                moved[card.id] = event
            elif parts.config.write_status and isinstance(event.what, Undone):
                target, events = event.what.target, parts.history.events(event.item)
                self._put_lines_back(card.id, [each for each in events if each.id == target])
        parts.follower.suspend_each(aside, parts.history)
        parts.follower.follow(moved, parts.history)

    def record_foreign(self, events: Iterable[Event]) -> None:
        """Writes events of other times: those of each month behind that month's others."""
        self.settle()
        months: dict[str, list[Event]] = {}
        for event in events:
            months.setdefault(f"{event.at:%Y-%m}", []).append(event)
        journal, done = self._parts.journal, 0
        with journal.locked():
            for month in sorted(months):
                try:
                    journal.append(*months[month])
                except JournalError as error:
                    total = sum(map(len, months.values()))
                    raise counted(error, done, total, "entries") from error
                done += len(months[month])

    def _suspensions(self, card: Card) -> list[Event]:
        """The last suspension of each of a card's items."""
        found = []
        for item in card.items:
            events = self._parts.history.events(item.id)
            put = [e for e in events if isinstance(e.what, Suspended) and e.what.on]
            found += put[-1:]
        return found

    def _keep(self, event: Event, kept: StatusLines) -> None:
        now = event.at.astimezone(timezone(timedelta(minutes=event.offset)))
        with self._parts.writing():
            self._append(now, (event.item, kept))

    def _put_lines_back(self, card_id: str, done: Iterable[Event]) -> bool:
        """Gives a card the lines that it had before what is taken back; whether any were kept."""
        for event in done:
            for known in self._parts.history.events(event.item):
                if isinstance(known.what, StatusLines) and known.what.target == event.id:
                    self._parts.follower.put_lines_back(card_id, known.what)
                    return True
        return False

    def suspend(self, item_id: str, now: datetime, on: bool) -> Event:
        self._parts.library.brief(item_id)  # none: there is nothing to put aside
        return self.record(item_id, Suspended(on), now)

    def _append(self, now: datetime, *deeds: tuple[str, EventPayload]) -> list[Event]:
        parts = self._parts
        draft = Draft(parts.history, now, parts.config)
        events = [self._again(*deed) or draft.event(*deed) for deed in deeds]
        written = self._write(*events)
        parts.known(lambda: parts.history.add(events, written))
        if not all(isinstance(event.what, Checked) for event in events):  # a part of an answer
            self._unsure.clear()
        return events

    def _again(self, item: str, what: EventPayload) -> Event | None:
        """The event that may be recorded, where this is the same deed once more."""
        known = self._unsure.get(item)
        if known is None:
            return None
        if isinstance(what, Practised) and isinstance(known.what, Practised):
            return known if what.rating == known.what.rating else None  # it takes another time
        return known if what == known.what else None


# == A collection: a folder of cards, its journal, and all that follows: the face of this room.
#
# Behind it: parts.Parts (index, cards, history, settings), contents.Contents (what there is),
# planner.Planner (what to study), recorder.Recorder (what is done), asking (searches and
# figures).


class Collection(Contents):
    """Made by `Collection.open`, which writes nothing.  Every `now` is an aware datetime."""

    def __init__(self, folder: Path, device: str | None = None) -> None:
        self.root = folder
        parts = Parts(folder, device)
        super().__init__(parts)
        self._planner, self._recorder = Planner(parts), Recorder(parts)

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
        """The collection in `folder`; `device` names this device in the journal.  With `at_once`
        the cards are those of the last time: call `reload` next, from another thread if need be.
        `progress` hears what a first start reads.  Raises CollectionError where the folder or its
        settings cannot be used."""
        made = cls(Path(folder), device)
        made._parts.start(now or datetime.now(Local()), at_once, progress)
        return made

    @classmethod
    def init(cls, folder: Path | str, now: datetime | None = None) -> Collection:
        """Makes `folder` a collection; what is there already stays.  Raises CollectionError."""
        make_collection(Path(folder))
        return cls.open(folder, now)

    # What to study.

    def decks(self, now: datetime) -> list[DeckCount]:
        """The tree of courses and folders, parents before their children."""
        return self._planner.decks(now)

    def queue(self, now: datetime, deck: str | None = None) -> Queue:
        """What to study at `now`, of everything or of one deck (a `DeckCount.key`)."""
        return self._planner.queue(now, deck)

    def session(self, session: Session, now: datetime) -> Queue:
        """What to study in a session of its own kind."""
        return self._planner.session(session, now)

    def preview(self, item_id: str, now: datetime) -> dict[Rating, Schedule]:
        """What each rating would lead to, exactly as `rate` would set it."""
        return self._planner.preview(item_id, now)

    def today(self, now: datetime) -> TodayCount:
        """What was done on the study day of `now`."""
        return self._planner.today(now)

    def statistics(
        self, now: datetime, search: str = "", days: int = 365, progress: Progress = silent
    ) -> Statistics:
        """All figures: of everything, or of the items that a search means."""
        return asking_statistics(self._parts, now, search, days, progress)

    def lately(self, now: datetime) -> Lately:
        """The days around today in a few figures; quick, and it holds nobody up."""
        return asking_lately(self._parts, now)

    def added(self, now: datetime, search: str = "") -> Mapping[date, int]:
        """Cards by the day they were added, as far as that can be told."""
        return asking_added(self._parts, now, search)

    def stakes(self, course: str, answers: int = 2000) -> tuple[list[Stake], dict[str, float]]:
        """What an exam of the course is about, and the pace of its last `answers`."""
        return asking_stakes(self._parts, course, answers)

    # What is done.  Each raises JournalError, with everything as before, where the disk refuses.

    def rate(
        self,
        item_id: str,
        rating: Rating,
        now: datetime,
        milliseconds: int,
        check: Mapping[str, Any] | None = None,
        settle: bool = True,
    ) -> Event:
        """Records an answer; it is on the disk when this returns.  Its card's `status:` line
        follows (where it cannot, that is a problem, no error); without `settle`, later."""
        return self._recorder.rate(AnswerInput(item_id, rating, milliseconds, check), now, settle)

    def settle(self) -> None:
        """Writes the `status:` line that the last answer owes, as whatever is done next would."""
        self._recorder.settle()

    def rate_each(self, answers: Iterable[AnswerInput], now: datetime) -> Iterator[Event]:
        """Records answers, many with one write; each is on the disk when it is yielded, and where
        an error ends it, no more was recorded."""
        return self._recorder.rate_each(answers, now)

    def finish_status(self) -> None:
        """Writes the `status:` line that a crash right after the last answer kept from its card."""
        self._recorder.finish_status()

    def undo(self, now: datetime, items: Container[str] | None = None) -> Event | None:
        """Takes the last review (of one of `items`, where they are given) back, on whichever device
        it was given; None where there is none.  The event names the item; its `what.target` is the
        review's id."""
        return self._recorder.undo(now, items)

    def record_check(self, item_id: str, data: Mapping[str, Any], now: datetime) -> Event:
        """Records a checked derivation: verdict and answer, as plain data for JSON."""
        return self.record(item_id, Checked(data), now)

    def record(self, item_id: str, what: EventPayload, now: datetime) -> Event:
        """Records what needs no more than its line: Reset, Buried, Crammed, and an Undone of one of
        them; with the item "" also Moved, Raised and Adopted."""
        return self._recorder.record(item_id, what, now)

    def record_each(
        self, deeds: Iterable[tuple[str, EventPayload]], now: datetime
    ) -> Iterator[Event]:
        """`record`, and `suspend` by a Suspended, of many items, each once: many with one write.
        Each is on the disk when it is yielded, and where an error ends it, no more was recorded."""
        return self._recorder.record_each(deeds, now)

    def suspend(self, item_id: str, now: datetime, on: bool = True) -> Event:
        """Puts an item aside, or takes it up again, and its card's `status: suspended` away."""
        return self._recorder.suspend(item_id, now, on)

    def record_foreign(self, events: Iterable[Event]) -> None:
        """Writes what was done in another program, with ids of `deck.ids.fixed_id`; whatever is
        asked next knows of it.  Where an error ends it, a second time completes it."""
        self._recorder.record_foreign(events)

    # What changes on the disk.

    def reload(self, now: datetime, progress: Progress = silent) -> bool:
        """Reads again what changed on the disk; whether a card did.  Raises CollectionError where
        folder or settings cannot be used; every schedule stays."""
        return self._parts.reload(now, progress)

    def watch(self, changed: Callable[[], None]) -> Watcher:
        """Takes up changes of the files from now on; calls `changed` after each that tells, from a
        thread of its own, until the watcher's `stop`; at first everything is looked at.  The same
        collection may be used meanwhile, and sees the change from then on."""
        return Watcher(self.root, self._parts.telling(changed))

    def close(self) -> None:
        """Lets the index learn what is new, and closes it.  Leaving without it loses nothing."""
        self.settle()
        self._parts.flush()
        self._parts.store.close()


def make_collection(root: Path) -> None:
    """Makes `root` where it is missing, and its settings where it has none.

    Raises:
        CollectionError: it cannot be made.
    """
    try:
        root.mkdir(parents=True, exist_ok=True)
        make_private(root / DATA_DIR)
        with (root / DATA_DIR / CONFIG).open("x", encoding="utf-8") as file:
            file.write(TEMPLATE)
    except (OSError, ValueError) as error:
        if not isinstance(error, FileExistsError) or not (root / DATA_DIR / CONFIG).is_file():
            raise _refused(root, error) from error


def _refused(root: Path, error: OSError | ValueError) -> CollectionError:
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
