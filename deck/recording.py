"""How answers become events, and what is done behind them."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Self
from weakref import WeakMethod

from deck import replay
from deck.config import Config
from deck.errors import CollectionError
from deck.events import RANDOM_BYTES, Event, EventPayload, Reviewed, next_id
from deck.fsrs import Rating
from deck.history import AppliedReview, History, count_due
from deck.index.cards import CardSummary
from deck.replay import ItemStatus
from deck.study_day import offset_minutes, study_day, to_milliseconds

if TYPE_CHECKING:
    from queue import Queue

#: Milliseconds of a day: no answer takes longer.
_LONGEST: Final = 86_400_000
#: Answers in one write, at most; so many may wait for their turn.
_ANSWERS_A_WRITE: Final = 500
#: Seconds without an answer after which there is time for what follows them.
_PAUSE: Final = 0.25


@dataclass(frozen=True, slots=True)
class AnswerInput:
    """An answer to record."""

    item_id: str
    rating: Rating
    milliseconds: int = 0
    """How long it took."""
    check: Mapping[str, Any] | None = None
    """A verdict that belongs to it."""


class EventBatch:
    """Events of one moment, each with an id behind the last that was seen."""

    def __init__(self, history: History, now: datetime, config: Config) -> None:
        self._history, self._config, self._last_id = history, config, history.last_id
        self._load: dict[int, int] = {}
        self._set(now)

    def _set(self, now: datetime) -> None:
        """What follows happened then."""
        self._now, self._offset = now, offset_minutes(now)
        self._at, self._day = to_milliseconds(now), study_day(now, self._config.rollover)

    def event(self, item_id: str, what: EventPayload) -> Event:
        self._last_id = next_id(self._last_id, self._at, os.urandom(RANDOM_BYTES))
        return Event(self._last_id, item_id, self._at, self._offset, self._day, what)

    def review(self, given: AnswerInput, card: CardSummary, now: datetime) -> AppliedReview:
        """An answer, each to an item of its own: no second one meets what the first led to."""
        if now is not self._now:
            self._set(now)
        before = self._history.folded(given.item_id)
        self._load = self._load or dict(self._history.load)
        rating, config = Rating(given.rating), self._config.of_course(card.course)
        track = replay.answered(rating, before.state, self._now, given.item_id, config, self._load)
        after = ItemStatus(track.state(), before.suspended or track.suspended, before.buried)
        count_due(self._load, before.state, after.state)
        took = min(max(given.milliseconds, 0), _LONGEST)
        model, parameters = self._config.model, self._config.parameters_hash
        what = Reviewed(rating, took, model, parameters, card.status, given.check, track.promise)
        return AppliedReview(self.event(given.item_id, what), before, after)


Answers = Sequence[tuple[AnswerInput, CardSummary, datetime]]
"""Each with its card and its time, all of one month."""


class AnswerStream:
    """Records answers from a thread of its own: with one write as many as have come meanwhile.

    `done` hears from that thread which answers a write has brought to the disk, in their order.
    Used as a context, whose end waits for all answers, and raises what ended them early: the
    disk's error, or that of `done`.  Nothing more is recorded then.
    """

    def __init__(
        self,
        look_up: Callable[[Sequence[str]], None],
        summary: Callable[[str], CardSummary],
        record: Callable[[Answers], list[Event]],
        done: Callable[[Sequence[Event]], None],
    ) -> None:
        self._look_up, self._summary = look_up, summary
        self._record, self._done = record, done
        self._is_open = True

    def __enter__(self) -> Self:
        from concurrent.futures import ThreadPoolExecutor  # 10 ms, and few starts need it
        from queue import Queue

        self._given: Queue[tuple[AnswerInput, datetime] | None] = Queue(_ANSWERS_A_WRITE)
        self._thread = ThreadPoolExecutor(1, "answers")
        self._end = self._thread.submit(self._run)
        return self

    def __exit__(self, *_: object) -> None:
        self._given.put(None)
        self._thread.shutdown()
        self._end.result()

    def give(self, answer: AnswerInput, now: datetime) -> bool:
        """Whether the answer was taken; waits only where hundreds are under way."""
        if self._is_open:
            self._given.put((answer, now))
        return self._is_open

    def _run(self) -> None:
        given = iter(self._given.get, None)
        try:
            for first in given:
                arrived = [first, *islice(given, min(self._given.qsize(), _ANSWERS_A_WRITE))]
                self._look_up([answer.item_id for answer, _ in arrived])
                for together in self._together(arrived):
                    self._done(self._record(together))
        finally:
            self._is_open = False
            for _ in given:  # after an error: nobody waits for room
                pass

    def _together(self, given: Iterable[tuple[AnswerInput, datetime]]) -> Iterator[Answers]:
        """Answers to different cards: the second one to a card meets what the first makes of it."""
        found: dict[str, tuple[AnswerInput, CardSummary, datetime]] = {}
        month: tuple[int, ...] = ()
        for answer, now in given:
            if month != (month := to_milliseconds(now).timetuple()[:2]) and found:
                yield list(found.values())
                found = {}
            try:
                card = self._summary(answer.item_id)
            except CollectionError:  # those before it are recorded
                if found:
                    yield list(found.values())
                raise
            if card.card_id in found:
                yield list(found.values())
                found, card = {}, self._summary(answer.item_id)
            found[card.card_id] = answer, card, now
        yield list(found.values())


class IdleWorker:
    """Does a piece of work from a thread of its own once nothing has happened for a moment.

    The thread lives only while there is something to wait for.
    """

    def __init__(self, work: WeakMethod[Callable[[], None]]) -> None:
        self._work = work
        self._changing = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()
        self._last, self._done = 0.0, -1.0
        """When something happened last; and as of which such moment the work was done."""

    def touch(self) -> None:
        """Something happened."""
        with self._changing:
            self._last = time.monotonic()
            if self._thread is None and not self._stopping.is_set():
                self._thread = threading.Thread(target=self._run, name="behind", daemon=True)
                self._thread.start()

    def goes_on(self) -> bool:
        """For the work: whether nothing has happened since it began."""
        return self._done == self._last and not self._stopping.is_set()

    def stop(self) -> None:
        """No work begins any more; what has begun is waited for."""
        self._stopping.set()
        thread = self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                if (left := self._last + _PAUSE - time.monotonic()) > 0:
                    self._stopping.wait(left)
                    continue
                with self._changing:
                    if self._done == self._last:
                        self._thread = None
                        return
                self._done, work = self._last, self._work()
                if work is not None:
                    work()
        except RuntimeError:  # no thread can be begun once the program ends without `stop`
            if threading.main_thread().is_alive():
                raise
        finally:
            with self._changing:
                if self._thread is threading.current_thread():
                    self._thread = None
