"""What an import adds to the journal, card by card: the answers that it has not yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from typing import TYPE_CHECKING

from cards.cloze import items_of
from cards.model import STATUSES
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
from deck.exchange.log import KnownCard
from deck.exchange.model import (
    LONGEST_INTERVAL,
    ForeignCard,
    ForeignItem,
    ForeignReview,
    ImportSource,
    where_of,
)
from deck.fsrs import Rating
from deck.replay import SUSPENDED, replay_item, status_of, undone_ids
from deck.study_day import offset_minutes, on_clock, study_day, to_milliseconds

if TYPE_CHECKING:
    from deck.collection import Collection

_MILLISECOND, _DAY = timedelta(milliseconds=1), timedelta(days=1)
#: Other programs round times, and give two answers of one millisecond two.
_SAME = timedelta(seconds=1)
_FIRST = datetime(1970, 1, 2, tzinfo=UTC)
#: For what a format gives no time.
_SOMETIME = datetime(2000, 1, 1, tzinfo=UTC)
_DAY_MS = 86_400_000
_MOST_STEPS = 98
_RATINGS = tuple(Rating)


class ForeignHistories:
    """The histories of a bundle's items, beside those that a collection has."""

    def __init__(self, bundle: ImportSource, collection: Collection, now: datetime) -> None:
        self.program, self.now = bundle.program, now
        self.rollover = collection.config.rollover
        self.refused = 0
        """Answers at times that cannot be, or with a rating that is none."""
        self._deck, self._lost = collection, bundle.lost
        self._touched, self._suspended = collection.touched(), collection.suspended()
        self._offsets: dict[timezone, int] = {}

    def events(
        self, card: ForeignCard, card_id: str, follows: str | None = None
    ) -> tuple[Event, ...]:
        """What was done with the card's items there, and the journal has not; of a card that takes
        the place of the item `follows`, also what was done with that here."""
        new: list[Event] = []
        refused = self.refused
        for item in card.items:
            item_id = card_id + item.suffix
            if card.own is not None and card.own.card_id != card_id:  # its twin keeps their ids
                reviews = tuple(replace(review, event_id="") for review in item.reviews)
                item = replace(item, reviews=reviews)
            if any(review.implied for review in item.reviews):
                item = self._timed(item_id, item)
            made = _ItemEvents(self, item_id).all(item)
            new += self._unknown(item_id, made, card.own is not None)
        if follows is not None and self.knows(follows):
            known = inherited(self._deck.events(follows), follows, card_id, self.program)
            new += self._unknown(card_id, fresh(known, new, is_own=False), is_own=False)
        if left := self.refused - refused:
            what = f"{left:,} of its answers were left out: their time or their rating cannot be."
            self._lost.say(where_of(card), what)
        return tuple(new)

    def _unknown(self, item_id: str, made: list[Event], is_own: bool) -> list[Event]:
        if item_id not in self._touched:
            return made
        ids = self._deck.event_ids(item_id)
        if made := [event for event in made if event.id not in ids]:
            return fresh(made, self._deck.events(item_id), is_own)
        return made

    def _timed(self, item_id: str, item: ForeignItem) -> ForeignItem:
        """The item with times for its implied answers: those that an earlier import gave them, so
        that they are the same answers, else what follows from the due day, or now where that is
        still to come: an answer may be of a later hour, on a computer in another zone."""
        known, reviews = self.known(item_id), []
        for review in item.reviews:
            if review.implied:
                names = (self.program, item_id, review.key)
                earlier = (e for e in known if e.id == fixed_id(e.at, *names))
                at = self.now if review.at > self.now + _DAY else review.at
                at = next((on_clock(e.at, e.offset) for e in earlier), at)
                review = replace(review, at=at)
            reviews.append(review)
        return replace(item, reviews=tuple(reviews))

    def known(self, item_id: str) -> list[Event]:
        """What was done with an item here."""
        return self._deck.events(item_id) if item_id in self._touched else []

    def knows(self, item_id: str) -> bool:
        """Whether something was done with an item, whether there is a card or not."""
        return item_id in self._touched

    def is_suspended(self, item_id: str) -> bool:
        """Whether the journal suspends an item."""
        return item_id in self._suspended

    def status(self, card: ForeignCard, card_id: str, events: tuple[Event, ...]) -> str:
        """What the card's line `status:` says with these events."""
        if not events or not self._deck.config.write_status:
            return STATUSES[0]
        every = items_of(card_id, card.type, card.question, card.solution)
        by_item: dict[str, list[Event]] = {item.id: [] for item in every}
        after = {event.item: event.what.on for event in events if isinstance(event.what, Suspended)}
        if all(after.get(item, item in self._suspended) for item in by_item):
            return SUSPENDED
        for event in events:
            by_item.setdefault(event.item, []).append(event)
        states = []
        for item, of in by_item.items():
            if item in self._touched:
                states.append(self._deck.folded_with(item, of).state)
            else:
                in_order = sorted(of, key=lambda event: event.id)
                states.append(replay_item(item, in_order, (), self._deck.config).state)
        return status_of(states)

    def clock(self, at: datetime) -> tuple[int, date]:
        """Minutes east of UTC, and the study day: as `deck.study_day` says, with one look at a zone
        that knows no summer time."""
        if type(at.tzinfo) is not timezone:
            return offset_minutes(at), study_day(at, self.rollover)
        offset = self._offsets.get(at.tzinfo)
        if offset is None:
            offset = self._offsets[at.tzinfo] = offset_minutes(at)
        return offset, date.fromordinal(at.toordinal() - (at.time() < self.rollover))

    def day_of(self, review: ForeignReview) -> date:
        """The study day, as another roll-over had it too."""
        said = review.day
        if said is not None and 0 <= review.at.toordinal() - said.toordinal() <= 1:
            return said
        return self.clock(review.at)[1]

    def is_possible(self, at: datetime) -> bool:
        return at.tzinfo is not None and _FIRST <= at <= self.now + _DAY


# A foreign item's history as events of the journal, the same whoever imports it.


class _ItemEvents:
    """One item's events, one after the other."""

    def __init__(self, histories: ForeignHistories, item_id: str) -> None:
        self._past, self._item_id = histories, item_id
        self._events: list[Event] = []
        self._last: datetime | None = None
        self._step = 0
        self._due: date | None = None
        self._is_answered = False

    def all(self, item: ForeignItem) -> list[Event]:
        """What was done with the item there, in the order of time."""
        past = self._past
        for review in item.reviews:
            self._take(review)
        if item.due is not None:
            self._take_due(study_day(item.due, past.rollover), item, item.due)
        if item.buried is not None and item.buried > study_day(past.now, past.rollover):
            self._add("bury", item.changed, Buried(item.buried), str(item.buried))
        was_suspended = past.is_suspended(self._item_id)
        if item.suspended and not was_suspended:  # else it is already, whenever that was
            self._add("suspend", item.changed, Suspended(True))
        if was_suspended and not item.suspended:  # any more, where it was an import that did it
            known = reversed(past.known(self._item_id))
            last = next((e for e in known if isinstance(e.what, Suspended)), None)
            names = (past.program, self._item_id, "suspend")
            if last is not None and last.id == fixed_id(last.at, *names):
                self._last = last.at
                self._add("resume", item.changed, Suspended(False))
        return self._events

    def _take(self, review: ForeignReview) -> None:
        at, past = review.at, self._past
        is_answer = review.what in ("answer", "cram")
        if not past.is_possible(at) or (is_answer and not 1 <= review.rating <= 4):
            past.refused += 1
            return
        key = review.key or f"{review.what} {at.timestamp():.3f}"
        took = min(max(review.milliseconds, 0), _DAY_MS)
        what: EventPayload
        if review.what == "answer":
            promise = self._promise(review)
            rating, model = _RATINGS[review.rating - 1], IMPORTED + past.program
            what = Reviewed(rating, took, model, "", "", None, promise)
            event = self._put(at, what, key, review=review)
            days = promise.days if isinstance(promise, Interval) else None
            self._due = event.day + timedelta(days) if days is not None else None
            self._is_answered = True
        elif review.what == "cram":
            self._put(at, Practised(_RATINGS[review.rating - 1], took), key, review=review)
        elif review.what == "reset":
            self._put(at, Reset(), key, review=review)
            self._step, self._due, self._is_answered = 0, None, False
        elif review.days is not None and (review.what == "set" or self._due is not None):
            day = study_day(at, past.rollover)
            self._due = day + timedelta(days=min(review.days, LONGEST_INTERVAL))
            interval = min(max(review.days, 1), LONGEST_INTERVAL) if review.what == "set" else None
            what = Rescheduled({self._item_id: self._due}, interval)
            self._put(at, what, key, review=review)

    def _promise(self, review: ForeignReview) -> Outcome | None:
        left = (review.due - self._past.day_of(review)).days if review.due else 0
        days = left if left > 0 else review.days
        if days is not None:
            self._step = 0
            return Interval(min(max(days, 1), LONGEST_INTERVAL))
        if review.wait is None:
            return None
        forward = {1: -self._step, 3: 1}.get(review.rating, 0) if self._events else 0
        self._step = min(self._step + forward, _MOST_STEPS)
        seconds = min(max(int(review.wait.total_seconds()), 1), 9_999_999)
        return LearningStep(self._step, timedelta(seconds=seconds))

    def _take_due(self, day: date, item: ForeignItem, due: datetime) -> None:
        """It is due on `day` there, whatever the answers say."""
        changed, interval = item.changed, item.interval
        if interval is not None or self._is_answered:
            if self._due == day or (interval is None and self._due is None):
                return
            if interval is not None:
                interval = min(max(interval, 1), LONGEST_INTERVAL)
                changed = changed or due - timedelta(days=interval)
            self._add("due", changed, Rescheduled({self._item_id: day}, interval), str(day))
            return
        # A format that keeps no answers: one that led there, or the due day would be lost.
        after = self._last + _MILLISECOND if self._last else None
        for at in (changed, due - _DAY, _SOMETIME, after):
            if at is None or not self._past.is_possible(at):
                continue
            at = max(at, after or at)  # what is before a reset counts no more
            days = (day - study_day(at, self._past.rollover)).days
            if days > 0 or at == after:
                self._take(ForeignReview(at, 3, days=max(days, 1), key=f"due {day}"))
                return

    def _add(self, name: str, at: datetime | None, what: EventPayload, *more: str) -> None:
        """An event that has no line of its own there, behind all that has one."""
        after = self._last + _MILLISECOND if self._last else _SOMETIME
        if at is None or not self._past.is_possible(at) or at < after:
            at = after
        self._put(at, what, name, *more)

    def _put(
        self, at: datetime, what: EventPayload, *key: str, review: ForeignReview | None = None
    ) -> Event:
        """Of an answer of a journal of ours, `review` says its id and its day."""
        utc = to_milliseconds(at)
        offset, day = self._past.clock(at)
        event_id = review.event_id if review else ""
        event_id = event_id or fixed_id(utc, self._past.program, self._item_id, *key)
        if review and review.day:
            day = self._past.day_of(review)
        event = Event(event_id, self._item_id, utc, offset, day, what)
        self._events.append(event)
        self._last = max(self._last, utc) if self._last else utc
        return event


def fresh(made: list[Event], known: list[Event], is_own: bool) -> list[Event]:
    """Those of an item's events that its journal has not under another id either.

    An answer that was exported from here and comes back through another program has another id, and
    the same time and rating.  Of an item of our own export, what is no answer follows from what
    the journal has, unless there are new answers.
    """
    new = [e for e in made if not any(_is_twin(e, k) for k in known)]
    new = [e for e in new if not _is_said_again(e, made, known)]
    if not is_own or any(isinstance(event.what, Reviewed | Practised) for event in new):
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
    answers = [(e.at, e.what.model) for e in (*made, *known) if isinstance(e.what, Reviewed)]
    there = (at for at, model in answers if at <= event.at and model.startswith(IMPORTED))
    since = max(there, default=_FIRST)
    told = [(k.at, k.id, k.what.due) for k in known if isinstance(k.what, Rescheduled)]
    last = max((each for each in told if since <= each[0] <= event.at), default=None)
    return last is not None and last[2] == event.what.due


# Notes of two cards: one card that asks both ways here, while each is the other's mirror image,
# else two.  A note may begin to be one, or cease; what the collection has then decides, so that
# nothing is asked twice and no answer is lost.

_DONE = Reviewed | Practised | Checked | Reset | Rescheduled | Buried | Suspended


def as_here(
    card: ForeignCard, program: str, known: Mapping[str, KnownCard]
) -> tuple[ForeignCard, ...]:
    """The card, or the two cards that the collection has in its place (by their sources)."""
    others = [half.key for half in card.apart if half.key != card.key]
    return card.apart if any(f"{program}:{key}" in known for key in others) else (card,)


def inherited(events: Sequence[Event], item: str, heir: str, program: str) -> list[Event]:
    """What was done with an item, as done with the one that takes its place: the same events on
    every device.  What was undone is left out, and so is whether an import suspended it, which the
    heir's own import says."""
    gone, found = undone_ids(events), []
    names = {on: (program, item, "suspend" if on else "resume") for on in (True, False)}
    for event in events:
        what = event.what
        if event.id in gone or not isinstance(what, _DONE):
            continue
        if isinstance(what, Suspended) and event.id == fixed_id(event.at, *names[what.on]):
            continue
        if isinstance(what, Rescheduled):
            what = replace(what, due={heir: what.due[item]})
        found.append(replace(event, id=fixed_id(event.at, heir, event.id), item=heir, what=what))
    return found
