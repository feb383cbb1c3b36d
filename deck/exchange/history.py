"""Foreign reviews as events of the journal."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta, timezone
from typing import TYPE_CHECKING

from cards.cloze import items_of
from deck.config import Config
from deck.events import (
    IMPORTED,
    Buried,
    Checked,
    Event,
    EventPayload,
    Interval,
    LearningStep,
    Outcome,
    Practised,
    Rescheduled,
    Reset,
    Reviewed,
    Suspended,
    fixed_id,
)
from deck.exchange.log import Found
from deck.exchange.model import Bundle, ForeignCard, ForeignItem, ForeignReview, Lost, where_of
from deck.fsrs import Rating
from deck.replay import SUSPENDED, ItemState, replay_item, status_of, undone_ids
from deck.study_day import offset_minutes, on_clock, study_day, to_milliseconds

if TYPE_CHECKING:
    from deck.collection import Collection


# == A foreign item's history as events of the journal, the same whoever imports it.


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
            self._due = (
                event.day + timedelta(promise.days) if isinstance(promise, Interval) else None
            )
            self._answered = True
        elif review.what == "cram":
            self._put(at, Practised(_RATINGS[review.rating - 1], took), key)
        elif review.what == "reset":
            self._put(at, Reset(), key)
            self._step, self._due, self._answered = 0, None, False
        elif review.days is not None and (review.what == "set" or self._due is not None):
            day = study_day(at, maker.config.rollover)
            self._due = day + timedelta(days=min(review.days, _LONGEST))
            interval = min(max(review.days, 1), _LONGEST) if review.what == "set" else None
            self._put(at, Rescheduled({self.item_id: self._due}, interval), key)
        self._id, self._day = "", None

    def _promise(self, review: ForeignReview) -> Outcome | None:
        left = (review.due - self.maker.day_of(review)).days if review.due else 0
        days = left if left > 0 else review.days
        if days is not None:
            self._step = 0
            return Interval(min(max(days, 1), _LONGEST))
        if review.wait is None:
            return None
        forward = {1: -self._step, 3: 1}.get(review.rating, 0) if self.events else 0
        self._step = min(self._step + forward, _MOST_STEPS)
        seconds = min(max(int(review.wait.total_seconds()), 1), 9_999_999)
        return LearningStep(self._step, timedelta(seconds=seconds))

    def due(self, day: date, item: ForeignItem) -> None:
        """It is due on `day` there, whatever the answers say."""
        changed, due, interval = item.changed, item.due, item.interval
        assert due is not None
        if interval is not None:
            if self._due != day:
                interval = min(max(interval, 1), _LONGEST)
                since = changed or due - timedelta(days=interval)
                self.add("due", since, Rescheduled({self.item_id: day}, interval), str(day))
            return
        if self._answered:
            if self._due is not None and self._due != day:
                self.add("due", changed, Rescheduled({self.item_id: day}), str(day))
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

    def add(self, name: str, at: datetime | None, what: EventPayload, *more: str) -> None:
        """An event that has no line of its own there, behind all that has one."""
        after = self.last + _MILLISECOND if self.last else _SOMETIME
        if at is None or not self.maker.is_possible(at) or at < after:
            at = after
        self._put(at, what, name, *more)

    def _put(self, at: datetime, what: EventPayload, *key: str) -> Event:
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
    if not own or any(isinstance(event.what, Reviewed | Practised) for event in new):
        return new
    if any(isinstance(event.what, Suspended) for event in known):
        return []
    return [event for event in new if isinstance(event.what, Suspended)]


def _is_twin(one: Event, other: Event) -> bool:
    if type(one.what) is not type(other.what) or abs(one.at - other.at) > _SAME:
        return False
    if isinstance(one.what, Reviewed | Practised):
        return one.rating == other.rating
    return isinstance(one.what, Reset)


def _is_said_again(event: Event, made: list[Event], known: list[Event]) -> bool:
    """Whether it is the due day that an earlier import told, with no answer there since: a card is
    changed by a flag as well, and what was answered here meanwhile counts."""
    if not isinstance(event.what, Rescheduled):
        return False
    there = (e.at for e in (*made, *known) if e.at <= event.at and _is_imported(e))
    since = max(there, default=_FIRST)
    moved = [k for k in known if isinstance(k.what, Rescheduled) and since <= k.at <= event.at]
    last = max(moved, key=lambda k: (k.at, k.id), default=None)
    return (
        last is not None and isinstance(last.what, Rescheduled) and last.what.due == event.what.due
    )


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


# == Notes of two cards: one card that asks both ways here, while each is the other's mirror image,
# else two.  A note may begin to be one, or cease; what the collection has then decides, so that
# nothing is asked twice and no answer is lost.


_DONE = Reviewed | Practised | Checked | Reset | Rescheduled | Buried | Suspended


def as_here(card: ForeignCard, program: str, known: Mapping[str, Found]) -> tuple[ForeignCard, ...]:
    """The card, or the two cards that the collection has in its place (by their sources)."""
    others = [half.key for half in card.apart if half.key != card.key]
    return card.apart if any(f"{program}:{key}" in known for key in others) else (card,)


def inherited(events: Sequence[Event], item: str, heir: str, program: str) -> list[Event]:
    """What was done with an item, as done with the one that takes its place: the same events on
    every device.  What was undone is left out, and so is whether an import put it aside, which the
    heir's own import says."""
    gone = undone_ids(events)
    found = []
    for event in events:
        what = event.what
        if (
            event.id in gone
            or not isinstance(what, _DONE)
            or _pairs_is_imported(event, item, program)
        ):
            continue
        if isinstance(what, Rescheduled):
            what = replace(what, due={heir: what.due[item]})
        found.append(replace(event, id=fixed_id(event.at, heir, event.id), item=heir, what=what))
    return found


def _pairs_is_imported(event: Event, item: str, program: str) -> bool:
    names = (program, item, "suspend" if event.what == Suspended(True) else "resume")
    return isinstance(event.what, Suspended) and event.id == fixed_id(event.at, *names)


# == What an import adds to the journal, card by card: the answers that it has not yet.


#: An answer may be of a later hour, on a computer in another zone.
_TODAY = timedelta(days=1)


class Histories:
    """The histories of a bundle's items, beside those that a collection has."""

    def __init__(self, bundle: Bundle, collection: Collection, now: datetime) -> None:
        self._deck, self._lost = collection, bundle.lost
        self._maker = Maker(bundle.program, collection.config, now)
        self._touched, self._suspended = collection.touched(), collection.suspended()

    def events(self, card: ForeignCard, card_id: str, follows: str = "") -> tuple[Event, ...]:
        """What was done with the card's items there, and the journal has not; of a card that takes
        the place of the item `follows`, also what was done with that here."""
        new: list[Event] = []
        refused = self._maker.refused
        for item in card.items:
            item_id = card_id + item.suffix
            if card.own is not None and card.own.card_id != card_id:  # its twin keeps their ids
                reviews = tuple(replace(review, event_id="") for review in item.reviews)
                item = replace(item, reviews=reviews)
            if any(review.implied for review in item.reviews):
                item = self._timed(item_id, item)
            new += self._unknown(item_id, self._made(item_id, item), card.own is not None)
        if self.knows(follows):
            known, program = self._deck.events(follows), self._maker.program
            done = fresh(inherited(known, follows, card_id, program), new, own=False)
            new += self._unknown(card_id, done, own=False)
        if left := self._maker.refused - refused:
            what = f"{left:,} of its answers were left out: their time or their rating cannot be."
            self._lost.append(Lost(where_of(card), what))
        return tuple(new)

    def _unknown(self, item_id: str, made: list[Event], own: bool) -> list[Event]:
        if item_id not in self._touched:
            return made
        ids = self._deck.event_ids(item_id)
        if made := [event for event in made if event.id not in ids]:
            return fresh(made, self._deck.events(item_id), own)
        return made

    def _timed(self, item_id: str, item: ForeignItem) -> ForeignItem:
        """The item with times for its implied answers: those that an earlier import gave them, so
        that they are the same answers, else what follows from the due day, or now where that is
        still to come."""
        known = self._deck.events(item_id) if item_id in self._touched else []
        reviews = []
        for review in item.reviews:
            if review.implied:
                names = (self._maker.program, item_id, review.key)
                earlier = (e for e in known if e.id == fixed_id(e.at, *names))
                now = self._maker.now
                at = now if review.at > now + _TODAY else review.at
                at = next(map(_on_its_clock, earlier), at)
                review = replace(review, at=at)
            reviews.append(review)
        return replace(item, reviews=tuple(reviews))

    def _made(self, item_id: str, item: ForeignItem) -> list[Event]:
        if item_id not in self._suspended:
            return self._maker.events(item_id, item)
        if item.suspended:  # it is already, whenever that was
            return self._maker.events(item_id, replace(item, suspended=False))
        known = self._deck.events(item_id)
        return self._maker.events(item_id, item) + self._maker.taken_up(item_id, item, known)

    def knows(self, item_id: str) -> bool:
        """Whether something was done with an item, whether there is a card or not."""
        return item_id in self._touched

    def is_suspended(self, item_id: str) -> bool:
        """Whether the journal puts an item aside."""
        return item_id in self._suspended

    def status(self, card: ForeignCard, card_id: str, events: tuple[Event, ...]) -> str:
        """What the card's line `status:` says with these events."""
        if not events or not self._deck.config.write_status:
            return status_of(())
        every = items_of(card_id, card.type, card.question, card.solution)
        by_item: dict[str, list[Event]] = {item.id: [] for item in every}
        if is_aside(by_item, self._suspended, events):
            return SUSPENDED
        for event in events:
            by_item.setdefault(event.item, []).append(event)
        return status_of(self._state(item, of) for item, of in by_item.items())

    def _state(self, item_id: str, events: list[Event]) -> ItemState:
        if item_id in self._touched:
            return self._deck.folded_with(item_id, events).state
        in_order = sorted(events, key=lambda event: event.id)
        return replay_item(item_id, in_order, (), self._deck.config).state


def _on_its_clock(event: Event) -> datetime:
    return on_clock(event.at, event.offset)
