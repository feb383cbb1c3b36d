"""A foreign item's history as events of the journal, the same whoever imports it."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, timezone

from deck.config import Config
from deck.events import (
    IMPORTED,
    Buried,
    Crammed,
    Days,
    Event,
    Moved,
    Promise,
    Reset,
    Reviewed,
    Step,
    Suspended,
    What,
    fixed_id,
)
from deck.exchange.bundle import ForeignItem, ForeignReview
from deck.fsrs import Rating
from deck.study_day import offset_minutes, study_day, to_milliseconds

_MILLISECOND = timedelta(milliseconds=1)
#: Other programs round times, and give two answers of one millisecond two.
_SAME = timedelta(seconds=1)
_FIRST = datetime(1970, 1, 2, tzinfo=UTC)
#: For what a format gives no time.
_SOMETIME = datetime(2000, 1, 1, tzinfo=UTC)
_DAY_MS = 86_400_000
_LONGEST, _MOST_STEPS = 36_500, 98
_RATINGS = tuple(Rating)


@dataclass(slots=True)
class Maker:
    """Makes the events of one import."""

    program: str
    config: Config
    now: datetime
    refused: int = 0
    """Answers at times that cannot be, or with a rating that is none."""
    _offsets: dict[timezone, int] = field(default_factory=dict)

    def events(self, item_id: str, item: ForeignItem) -> list[Event]:
        """What was done with the item there, in the order of time."""
        made = _Line(self, item_id)
        for review in item.reviews:
            made.take(review)
        if item.due is not None:
            made.due(study_day(item.due, self.config.rollover), item)
        if item.buried is not None and item.buried > study_day(self.now, self.config.rollover):
            made.add("bury", item.changed, Buried(item.buried), str(item.buried))
        if item.suspended:
            made.add("suspend", item.changed, Suspended(True))
        return made.events

    def taken_up(self, item_id: str, item: ForeignItem, known: list[Event]) -> list[Event]:
        """The item is not suspended there (any more): the event that follows, where it was an
        import that put it aside here."""
        last = next((e for e in reversed(known) if isinstance(e.what, Suspended)), None)
        if last is None or last.id != fixed_id(last.at, self.program, item_id, "suspend"):
            return []
        made = _Line(self, item_id)
        made.last = last.at
        made.add("resume", item.changed, Suspended(False))
        return made.events

    def clock(self, at: datetime) -> tuple[int, date]:
        """Minutes east of UTC, and the study day: as `deck.study_day` says, with one look at a zone
        that knows no summer time."""
        if type(at.tzinfo) is not timezone:
            return offset_minutes(at), study_day(at, self.config.rollover)
        offset = self._offsets.get(at.tzinfo)
        if offset is None:
            offset = self._offsets[at.tzinfo] = offset_minutes(at)
        day = at.toordinal() - (at.time() < self.config.rollover)
        return offset, date.fromordinal(day)

    def day_of(self, review: ForeignReview) -> date:
        """The study day, as another roll-over had it too."""
        said = review.day
        if said is not None and 0 <= review.at.toordinal() - said.toordinal() <= 1:
            return said
        return self.clock(review.at)[1]

    def is_possible(self, at: datetime) -> bool:
        return at.tzinfo is not None and _FIRST <= at <= self.now + timedelta(days=1)


class _Line:
    """One item's events, one after the other."""

    def __init__(self, maker: Maker, item_id: str) -> None:
        self.maker, self.item_id = maker, item_id
        self.events: list[Event] = []
        self.last: datetime | None = None
        self._model = IMPORTED + maker.program
        self._step = 0
        self._due: date | None = None
        self._answered = False
        self._id = ""
        self._day: date | None = None

    def take(self, review: ForeignReview) -> None:
        at, maker = review.at, self.maker
        answered = review.what in ("answer", "cram")
        if not maker.is_possible(at) or (answered and not 1 <= review.rating <= 4):
            maker.refused += 1
            return
        key = review.key or f"{review.what} {at.timestamp():.3f}"
        took = min(max(review.milliseconds, 0), _DAY_MS)
        self._id, self._day = review.event_id, review.day and maker.day_of(review)
        if review.what == "answer":
            rating = _RATINGS[review.rating - 1]
            promise = self._promise(review)
            what = Reviewed(rating, took, self._model, "", "", None, promise)
            event = self._put(at, what, key)
            self._due = event.day + timedelta(promise.days) if isinstance(promise, Days) else None
            self._answered = True
        elif review.what == "cram":
            self._put(at, Crammed(_RATINGS[review.rating - 1], took), key)
        elif review.what == "reset":
            self._put(at, Reset(), key)
            self._step, self._due, self._answered = 0, None, False
        elif review.days is not None and (review.what == "set" or self._due is not None):
            day = study_day(at, maker.config.rollover)
            self._due = day + timedelta(days=min(review.days, _LONGEST))
            interval = min(max(review.days, 1), _LONGEST) if review.what == "set" else None
            self._put(at, Moved({self.item_id: self._due}, interval), key)
        self._id, self._day = "", None

    def _promise(self, review: ForeignReview) -> Promise | None:
        left = (review.due - self.maker.day_of(review)).days if review.due else 0
        days = left if left > 0 else review.days
        if days is not None:
            self._step = 0
            return Days(min(max(days, 1), _LONGEST))
        if review.wait is None:
            return None
        forward = {1: -self._step, 3: 1}.get(review.rating, 0) if self.events else 0
        self._step = min(self._step + forward, _MOST_STEPS)
        seconds = min(max(int(review.wait.total_seconds()), 1), 9_999_999)
        return Step(self._step, timedelta(seconds=seconds))

    def due(self, day: date, item: ForeignItem) -> None:
        """It is due on `day` there, whatever the answers say."""
        changed, due, interval = item.changed, item.due, item.interval
        assert due is not None
        if interval is not None:
            if self._due != day:
                interval = min(max(interval, 1), _LONGEST)
                since = changed or due - timedelta(days=interval)
                self.add("due", since, Moved({self.item_id: day}, interval), str(day))
            return
        if self._answered:
            if self._due is not None and self._due != day:
                self.add("due", changed, Moved({self.item_id: day}), str(day))
            return
        # A format that keeps no answers: one that led there, or the due day would be lost.
        rollover = self.maker.config.rollover
        after = self.last + _MILLISECOND if self.last else None
        for at in (changed, due - timedelta(days=1), _SOMETIME, after):
            if at is None or not self.maker.is_possible(at):
                continue
            at = max(at, after or at)  # what is before a reset counts no more
            days = (day - study_day(at, rollover)).days
            if days > 0 or at == after:
                self.take(ForeignReview(at, 3, days=max(days, 1), key=f"due {day}"))
                return

    def add(self, name: str, at: datetime | None, what: What, *more: str) -> None:
        """An event that has no line of its own there, behind all that has one."""
        after = self.last + _MILLISECOND if self.last else _SOMETIME
        if at is None or not self.maker.is_possible(at) or at < after:
            at = after
        self._put(at, what, name, *more)

    def _put(self, at: datetime, what: What, *key: str) -> Event:
        maker = self.maker
        utc = to_milliseconds(at)
        event_id = self._id or fixed_id(utc, maker.program, self.item_id, *key)
        offset, day = maker.clock(at)
        event = Event(event_id, self.item_id, utc, offset, self._day or day, what)
        self.events.append(event)
        self.last = max(self.last, utc) if self.last else utc
        return event


def fresh(made: list[Event], known: list[Event], own: bool) -> list[Event]:
    """Those of an item's events that its journal has not under another id either.

    An answer that was exported from here and comes back through another program has another id, and
    the same time and rating.  Of an item of our `own` export, what is no answer follows from what
    the journal has, unless there are new answers.
    """
    new = [e for e in made if not any(_is_twin(e, k) for k in known)]
    new = [e for e in new if not _is_said_again(e, made, known)]
    if not own or any(isinstance(event.what, Reviewed | Crammed) for event in new):
        return new
    if any(isinstance(event.what, Suspended) for event in known):
        return []
    return [event for event in new if isinstance(event.what, Suspended)]


def _is_twin(one: Event, other: Event) -> bool:
    if type(one.what) is not type(other.what) or abs(one.at - other.at) > _SAME:
        return False
    if isinstance(one.what, Reviewed | Crammed):
        return one.rating == other.rating
    return isinstance(one.what, Reset)


def _is_said_again(event: Event, made: list[Event], known: list[Event]) -> bool:
    """Whether it is the due day that an earlier import told, with no answer there since: a card is
    changed by a flag as well, and what was answered here meanwhile counts."""
    if not isinstance(event.what, Moved):
        return False
    there = (e.at for e in (*made, *known) if e.at <= event.at and _is_imported(e))
    since = max(there, default=_FIRST)
    moved = [k for k in known if isinstance(k.what, Moved) and since <= k.at <= event.at]
    last = max(moved, key=lambda k: (k.at, k.id), default=None)
    return last is not None and isinstance(last.what, Moved) and last.what.due == event.what.due


def _is_imported(event: Event) -> bool:
    """Whether it is an answer that was given elsewhere."""
    return isinstance(event.what, Reviewed) and event.what.model.startswith(IMPORTED)


def reviews_in(events: Iterable[Event]) -> int:
    """How many of them are answers."""
    return sum(isinstance(event.what, Reviewed) for event in events)


def is_aside(items: Iterable[str], suspended: Container[str], events: Iterable[Event]) -> bool:
    """Whether all of a card's items are suspended, were `suspended` before the events."""
    after = {event.item: event.what.on for event in events if isinstance(event.what, Suspended)}
    return all(after.get(item, item in suspended) for item in items)


def is_taken_up(events: Iterable[Event]) -> bool:
    """Whether an item that was suspended is not, after the events."""
    return any(isinstance(event.what, Suspended) and not event.what.on for event in events)
