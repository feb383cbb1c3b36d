"""A study session: its queue, its answers, undo, and the rating that is suggested."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from tui.text import Clock, counted, one_line, percent, stopwatch

if TYPE_CHECKING:
    from collections.abc import Callable

    from cards.model import Card, Item
    from deck.collection import Collection
    from deck.queue import Session as Asked
    from deck.replay import ItemState, Schedule
    from tui.lab.visit import LabResult


# == What a sitting asks next: whatever is due, or what was gathered when it began.  No widgets.


AGAIN = 1
#: After so long the order by retrievability is worth a new look.
_OLD: Final = timedelta(minutes=10)


class Waiting(Protocol):
    """The items that a sitting has before it."""

    @property
    def left(self) -> int:
        """How many can be asked now."""

    @property
    def next_due(self) -> datetime | None:
        """When one comes that cannot be asked yet."""

    def look(self, now: datetime) -> str | None:
        """The item to ask now."""

    def after(self, item_id: str) -> str | None:
        """The item that most likely comes next, asked of nobody."""

    def answered(self, item_id: str, rating: int) -> None:
        """It was rated."""

    def put_away(self, item_id: str) -> None:
        """It is not to be asked again in this sitting."""

    def put_back(self, item_id: str) -> None:
        """What was done with it was taken back: it comes first."""

    def forget(self) -> None:
        """Another program changed something: what was known may be old."""


def is_live(asked: Asked) -> bool:
    """Whether a sitting is what is due now, and not gathered when it begins."""
    return asked.kind == "study" and not asked.search and asked.most is None and not asked.order


class DueNow:
    """The collection's queue of a deck (None: of all).

    An answer takes its item off, and the step that it leads to comes when it is due; so the queue
    is asked again only where it may be another: when all is answered, something else came due or
    was done, or a while has passed.
    """

    def __init__(self, collection: Collection, deck: str | None) -> None:
        self._collection, self._deck = collection, deck
        self._ids: dict[str, None] = {}
        self._steps: dict[str, datetime] = {}
        self._later: datetime | None = None
        self._asked: datetime | None = None

    @property
    def left(self) -> int:
        return len(self._ids)

    @property
    def next_due(self) -> datetime | None:
        known = [*self._steps.values(), *([self._later] if self._later else [])]
        return min(known, default=None)

    def look(self, now: datetime) -> str | None:
        came = [item for item, due in self._steps.items() if due <= now]
        if self._is_old(now) or (not self._ids and not came):
            self._ask(now)
        elif came:
            for item in came:
                del self._steps[item]
            self._ids = {**dict.fromkeys(came), **self._ids}
        first = next(iter(self._ids), None)
        while first is not None and not self._collection.can_read(first):
            self.put_away(first)  # its card went away meanwhile
            if not self._ids:
                self._ask(now)
            first = next(iter(self._ids), None)
        return first

    def _is_old(self, now: datetime) -> bool:
        if self._asked is None or not timedelta(0) <= now - self._asked < _OLD:
            return True
        return self._later is not None and self._later <= now

    def _ask(self, now: datetime) -> None:
        queue = self._collection.queue(now, self._deck)
        self._ids = dict.fromkeys(entry.item_id for entry in queue.entries)
        self._later, self._asked = queue.next_due, now
        self._steps = {}

    def after(self, item_id: str) -> str | None:
        return next((each for each in self._ids if each != item_id), None)

    def answered(self, item_id: str, rating: int) -> None:  # noqa: ARG002
        from deck.replay import Learning

        self._ids.pop(item_id, None)
        state = self._collection.state(item_id)
        if isinstance(state, Learning) and not self._collection.is_suspended(item_id):
            self._steps[item_id] = state.due

    def put_away(self, item_id: str) -> None:
        self._ids.pop(item_id, None)
        self._steps.pop(item_id, None)

    def put_back(self, item_id: str) -> None:  # noqa: ARG002
        self.forget()

    def forget(self) -> None:
        self._asked = None


class Gathered:
    """Items that were chosen once: by a search, ahead of time, to be crammed.

    What a rating sends into a learning step comes back when that is due; crammed, what was not
    known comes back at the end.
    """

    def __init__(self, collection: Collection, ids: list[str], cram: bool) -> None:
        self._collection, self._cram = collection, cram
        self._ids = dict.fromkeys(ids)
        self._steps: dict[str, datetime] = {}
        self._due: list[str] = []

    @classmethod
    def of(cls, collection: Collection, asked: Asked, now: datetime) -> Gathered:
        """What `asked` means now; its minutes are the clock's business, and cut nothing.

        Raises:
            SearchError: its search cannot be read.
        """
        from dataclasses import replace

        queue = collection.session(replace(asked, minutes=None), now)
        return cls(collection, [entry.item_id for entry in queue.entries], asked.kind == "cram")

    @property
    def left(self) -> int:
        return len(self._ids) + len(self._due)

    @property
    def next_due(self) -> datetime | None:
        return min(self._steps.values(), default=None)

    def look(self, now: datetime) -> str | None:
        known = self._collection.has_item
        self._steps = {item: at for item, at in self._steps.items() if known(item)}
        while (first := self._first(now)) is not None and not self._collection.can_read(first):
            self.put_away(first)
        return first

    def _first(self, now: datetime) -> str | None:
        due = sorted((at, item) for item, at in self._steps.items() if at <= now)
        self._due = [item for _, item in due]
        return next(iter(self._due or self._ids), None)

    def after(self, item_id: str) -> str | None:
        return next((each for each in (*self._due, *islice(self._ids, 2)) if each != item_id), None)

    def answered(self, item_id: str, rating: int) -> None:
        from deck.replay import Learning

        self.put_away(item_id)
        state = self._collection.state(item_id)
        if self._cram:
            self._ids |= {item_id: None} if rating == AGAIN else {}
        elif isinstance(state, Learning):
            self._steps[item_id] = state.due

    def put_away(self, item_id: str) -> None:
        self._steps.pop(item_id, None)
        self._ids.pop(item_id, None)

    def put_back(self, item_id: str) -> None:
        self.put_away(item_id)
        self._ids = {item_id: None, **self._ids}

    def forget(self) -> None:
        """What was gathered stays."""


# == What can be done with an item beside answering it, and how each is taken back.


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that was recorded, and can be taken back."""

    kind: Literal["rate", "cram", "suspend", "bury", "reset"]
    item_id: str
    event: str
    """The id of its event in the journal."""


def suspend(collection: Collection, item_id: str, now: datetime) -> Deed:
    """Set aside until it is taken up again.  Each raises JournalError, CollectionError."""
    return Deed("suspend", item_id, collection.suspend(item_id, now).id)


def bury(collection: Collection, item_id: str, now: datetime, days: int = 1) -> Deed:
    """Not asked before the study day after so many days."""
    from deck.events import Buried
    from deck.study_day import study_day

    until = study_day(now, collection.config.rollover) + timedelta(days=days)
    return Deed("bury", item_id, collection.record(item_id, Buried(until), now).id)


def unbury(collection: Collection, item_id: str, now: datetime) -> None:
    """Asked again from today on."""
    bury(collection, item_id, now, days=0)


def reset(collection: Collection, item_id: str, now: datetime) -> Deed:
    """New again; what was answered stays in the history."""
    from deck.events import Reset

    return Deed("reset", item_id, collection.record(item_id, Reset(), now).id)


def take_back(collection: Collection, deed: Deed, now: datetime) -> str:
    """As if it had not been done; the item to show again."""
    from deck.events import Undone

    if deed.kind == "rate":
        event = collection.undo(now)
        return event.item if event else deed.item_id
    if deed.kind == "suspend":
        collection.suspend(deed.item_id, now, on=False)
    else:
        collection.record(deed.item_id, Undone(deed.event), now)
    return deed.item_id


# == Which rating does a check, or a chosen option, speak for?  Only ever a suggestion.


SUGGEST_AGAIN, HARD, GOOD, EASY = 1, 2, 3, 4

#: A correct derivation at the first try within this many seconds is called easy.
QUICK_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Suggestion:
    rating: int
    """1..4, as the keys."""
    reason: str
    """Short, for the line under the ratings: "correct in 1:50"."""


def from_check(
    outcome: str,
    seconds: float,
    slips: int,
    clock: str,
    hints: int = 0,
    by_hand: bool = False,
) -> Suggestion | None:
    """From the last verdict of a lab visit.

    `slips` counts the wrong answers that the learner stayed with before the last one; `seconds`
    is the time since the question was shown, `clock` the same for reading.  `hints` is how many
    were asked for; `by_hand` says that one input was filled in, and nothing derived.  None where
    nothing was graded.
    """
    if outcome == "correct" and by_hand:
        return Suggestion(HARD, "right by hand, on one input")
    if outcome == "correct":
        if slips or hints:
            wrong = f"{slips} wrong" if slips else ""
            helped = counted(hints, "hint") if hints else ""
            return Suggestion(HARD, f"correct after {' and '.join(filter(None, (wrong, helped)))}")
        return Suggestion(EASY if seconds <= QUICK_SECONDS else GOOD, f"correct in {clock}")
    if outcome in ("correct-except-ties", "only-without-overlap", "wrong-step"):
        return Suggestion(HARD, outcome.replace("-", " "))
    if outcome == "incomplete":
        return Suggestion(SUGGEST_AGAIN, "parts are missing")
    return Suggestion(SUGGEST_AGAIN, "the derivation failed") if outcome == "wrong" else None


def from_choice(picked: frozenset[str], correct: tuple[str, ...]) -> Suggestion | None:
    """From the options picked before the reveal; None where nothing was picked or is known."""
    if not picked or not correct:
        return None
    if picked == frozenset(correct):
        return Suggestion(GOOD, "the right choice")
    return Suggestion(SUGGEST_AGAIN, "another was right")


# == What the lab found of the cards of a sitting, and the ratings that this speaks for.


class Results:
    """The last lab visit of each item that was not rated since."""

    def __init__(self) -> None:
        self._by_item: dict[str, LabResult] = {}

    def of(self, item_id: str) -> LabResult | None:
        return self._by_item.get(item_id)

    def put(self, item_id: str, result: LabResult | None) -> None:
        """None: the last visit checked nothing."""
        self._by_item.pop(item_id, None)
        if result is not None:
            self._by_item[item_id] = result

    def mark(self, item_id: str) -> Mapping[str, Any] | None:
        """The verdict that goes into the journal with a rating."""
        result = self._by_item.get(item_id)
        return result.as_mark() if result else None

    def suggestion(self, session: Session) -> Suggestion | None:
        """For the present item: of its check, or of the option that was picked."""
        result = self._by_item.get(session.item.id) if session.item else None
        if result is not None:
            seconds = session.seconds_at_check
            how = (result.hints, result.by_hand)
            return from_check(result.outcome, seconds, result.slips, stopwatch(seconds), *how)
        if session.card is None:
            return None
        return from_choice(session.picked, session.card.correct_letters)


# == What came of a sitting, for its last page: what was learned, what to watch.


Stage = Literal["new", "learning", "review"]
CORRECT = "correct"
#: So many ids are named; of more, how many there are.
_NAMED = 4


@dataclass(frozen=True, slots=True)
class Given:
    """An answer of this sitting."""

    item_id: str
    rating: int
    """1..4."""
    before: Stage
    after: Stage
    seconds: float
    lapses: int = 0
    """How often it was forgotten in review, this time included."""
    leech: bool = False
    """Whether this answer made it a leech, or should remind of it."""
    practice: bool = False
    """Whether the schedule stayed as it was."""
    verdict: str = ""
    """Of a derivation that was checked before the answer."""


Row = tuple[str, str]
"""What it is about, and what is said."""


def summary(given: Sequence[Given], asked_for: float) -> list[Row]:
    """A row for each thing worth saying; `asked_for` is the desired retention, 0..1."""
    return [*came_of(given, asked_for), *to_watch(given)]


def came_of(given: Sequence[Given], asked_for: float) -> Iterator[Row]:
    """What was done and learned."""
    if not given:
        return
    cards = len({each.item_id for each in given})
    minutes = sum(each.seconds for each in given) / 60
    took = f" in {minutes:.0f} min" if minutes >= 1 else ""
    yield "Answered", f"{counted(cards, 'card')}{took}"
    yield from _learned(given)
    yield from _recalled(given, asked_for)
    yield from _derived(given)


def to_watch(given: Sequence[Given]) -> Iterator[Row]:
    """What was not known, what is forgotten again and again, and what was not derived."""
    yield from _watched(given)
    last = {each.item_id: each.verdict for each in given if each.verdict}
    open_ = [
        f"{one_line(item)} ({verdict.replace('-', ' ')})"
        for item, verdict in last.items()
        if verdict != CORRECT
    ]
    if open_:
        yield "To derive", _some(open_)


def _learned(given: Sequence[Given]) -> Iterator[Row]:
    first = {each.item_id: each for each in reversed(given)}
    last = {each.item_id: each for each in given}
    counts = [item for item, each in first.items() if not each.practice]
    taken = [item for item in counts if first[item].before != "review"]
    learned = sum(last[item].after == "review" for item in taken)
    begun = sum(first[item].before == "new" and last[item].after != "review" for item in taken)
    parts = [f"{counted(learned, 'card')} learned"] if learned else []
    parts += [f"{begun} more begun" if learned else f"{counted(begun, 'card')} begun"] * bool(begun)
    if parts:
        yield "New", ", ".join(parts)


def _recalled(given: Sequence[Given], asked_for: float) -> Iterator[Row]:
    """The first answer to each review: what a later one says, was just read."""
    first = {each.item_id: each for each in reversed(given)}
    reviews = [each for each in first.values() if each.before == "review"]
    if reviews:
        known = sum(each.rating > AGAIN for each in reviews)
        share, wanted = percent(known / len(reviews)), percent(asked_for)
        yield "Recalled", f"{known} of {len(reviews)}, {share} (asked for {wanted})"


def _derived(given: Sequence[Given]) -> Iterator[Row]:
    verdicts = [each.verdict for each in given if each.verdict]
    if verdicts:
        correct = sum(verdict == CORRECT for verdict in verdicts)
        yield "Derived", f"{correct} of {counted(len(verdicts), 'derivation')} correct"


def _watched(given: Sequence[Given]) -> Iterator[Row]:
    again = Counter(each.item_id for each in given if each.rating == AGAIN)
    if again:
        said = [
            f"{one_line(item)}{f' ({count}×)' if count > 1 else ''}"
            for item, count in again.most_common()
        ]
        yield "To watch", _some(said)
    leeches = {each.item_id: each.lapses for each in given if each.leech}
    for item, lapses in list(leeches.items())[:_NAMED]:
        often = counted(lapses, "time")
        yield "Leech", f"{one_line(item)}, forgotten {often}: rewrite it, or set it aside"


def _some(said: Sequence[str]) -> str:
    """The first ones, and how many more there are."""
    more = len(said) - _NAMED
    return ", ".join(said[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def given_of(
    item_id: str, rating: int, states: tuple[ItemState, ItemState], seconds: float, leech: bool
) -> Given:
    """An answer that led from the first of the two states to the second."""
    before, after = states
    lapses = lapses_of(after)
    return Given(item_id, rating, stage_of(before), stage_of(after), seconds, lapses, leech)


def verdict_in(check: Mapping[str, Any] | None) -> str:
    """What a check said; empty where there was none."""
    return str(check.get("verdict", "")) if check else ""


def stage_of(state: ItemState) -> Stage:
    from deck.replay import Learning, New

    if isinstance(state, New):
        return "new"
    return "learning" if isinstance(state, Learning) else "review"


def lapses_of(state: ItemState) -> int:
    """How often the item was forgotten in review."""
    from deck.replay import New

    return 0 if isinstance(state, New) else state.lapses


# == A sitting: which item is shown, since when, and what was done.  Knows no widgets.


#: Nobody thinks longer about one card: beyond it, they have left the desk.
LONGEST_SECONDS = 20 * 60


class Session:
    """The items that `waiting` names, one after the other, until none is left or time is up."""

    def __init__(
        self, collection: Collection, asked: Asked, clock: Clock, waiting: Waiting
    ) -> None:
        from deck.queue import TimeBox

        self.collection, self.asked = collection, asked
        self.item: Item | None = None
        self.card: Card | None = None
        self.revealed = False
        self.picked: frozenset[str] = frozenset()
        self.seconds_at_check = 0.0
        self.given: list[Given] = []
        """The answers of this sitting that stand, in their order."""
        self.box = TimeBox(clock(), asked.minutes) if asked.minutes is not None else None
        self._deeds: list[Deed] = []
        """What `undo` takes back, the last first."""
        self._clock = clock
        self._since = clock()
        self._waiting = waiting

    # Which item.

    @property
    def practice(self) -> bool:
        """Whether ratings leave the schedule as it is."""
        return self.asked.kind == "cram"

    @property
    def is_gathered(self) -> bool:
        """Whether its cards were chosen when it began."""
        return isinstance(self._waiting, Gathered)

    @property
    def time_is_up(self) -> bool:
        return self.box is not None and self.box.over(self._clock())

    def advance(self) -> None:
        """Go to what is to be asked now; to nothing where time is up."""
        item_id = self._waiting.look(self._clock())
        self._begin(None if self.time_is_up else item_id)

    def go_on(self) -> None:
        """Time was up; go on without a clock."""
        self.box = None
        self.advance()

    def refresh(self) -> None:
        """The same item again, as the disk has it now; the next one if it is gone."""
        revealed, since, picked = self.revealed, self._since, self.picked
        item_id = self.item.id if self.item else None
        self._waiting.forget()
        self._waiting.look(self._clock())
        if item_id is None or not self.collection.can_read(item_id):
            self.advance()
            return
        self._begin(item_id)
        self.revealed, self._since, self.picked = revealed, since, picked

    def came_due(self) -> bool:
        """Whether something waits now that nothing is shown."""
        due = self.next_due
        return due is not None and due <= self._clock() and not self.time_is_up

    @property
    def next_due(self) -> datetime | None:
        return self._waiting.next_due

    @property
    def left(self) -> int:
        """Items that could be asked now."""
        return self._waiting.left

    @property
    def likely_next(self) -> str | None:
        """The item that most likely comes after the present one."""
        return self._waiting.after(self.item.id) if self.item else None

    @property
    def done(self) -> int:
        return len(self.given)

    @property
    def number(self) -> int:
        """1-based place of the present item in this sitting."""
        return self.done + 1

    @property
    def total(self) -> int:
        return self.done + max(1, self._waiting.left)

    @property
    def seconds(self) -> float:
        """Since the question was shown."""
        return min(LONGEST_SECONDS, max(0.0, (self._clock() - self._since).total_seconds()))

    @property
    def time_left(self) -> timedelta | None:
        """Of a sitting that ends on time."""
        return self.box.left(self._clock()) if self.box else None

    @property
    def letters(self) -> frozenset[str]:
        """What can be picked now."""
        if self.card is None or self.revealed:
            return frozenset()
        return frozenset(o.letter for o in self.card.options if not o.placeholder)

    @property
    def is_begun(self) -> bool:
        """Whether the present item was ever answered."""
        item = self.item
        return item is not None and stage_of(self.collection.state(item.id)) != "new"

    @property
    def is_leech(self) -> bool:
        """Whether the present item was forgotten as often as makes a leech."""
        most = self.collection.config.leech_lapses
        return self.item is not None and 0 < most <= lapses_of(self.collection.state(self.item.id))

    # What the learner does.

    def pick(self, letter: str) -> None:
        """Choose an option; of several right ones, or take it back."""
        several = self.card is not None and len(self.card.correct_letters) > 1
        self.picked = self.picked ^ {letter} if several else frozenset({letter})

    def preview(self) -> dict[int, Schedule]:
        if self.item is None:
            return {}
        found = self.collection.preview(self.item.id, self._clock())
        return {int(rating): schedule for rating, schedule in found.items()}

    def rate(self, rating: int, check: Mapping[str, Any] | None = None) -> Given | None:
        """`check` is a verdict that belongs to the answer.

        Raises JournalError or (the card is gone) CollectionError, and then nothing has changed.
        """
        if self.item is None:
            return None
        item_id, took, collection = self.item.id, self.seconds, self.collection
        before = collection.state(item_id)
        event = self._record(item_id, rating, round(took * 1000), check)
        after, config = collection.state(item_id), collection.config
        leech = lapses_of(after) > lapses_of(before) and config.leeches_at(lapses_of(after))
        given = given_of(item_id, rating, (before, after), took, leech)
        given = replace(given, practice=self.practice, verdict=verdict_in(check))
        self.given.append(given)
        self._deeds.append(Deed("cram" if self.practice else "rate", item_id, event))
        self._waiting.answered(item_id, rating)
        return given

    def _record(self, item_id: str, rating: int, took: int, check: Mapping[str, Any] | None) -> str:
        """Writes the answer down; the id of its event."""
        from deck.events import Practised
        from deck.fsrs import Rating

        now = self._clock()
        if not self.practice:
            return self.collection.rate(item_id, Rating(rating), now, took, check, settle=False).id
        if check is not None:
            self.collection.record_check(item_id, check, now)
        return self.collection.record(item_id, Practised(Rating(rating), took), now).id

    def undo(self) -> bool:
        """Take back what was done last and show its item; False where there is nothing.

        Beyond this sitting it is the last answer, whenever and wherever it was given.
        """
        if self._deeds:
            deed = self._deeds[-1]
            item_id = take_back(self.collection, deed, self._clock())
            self._deeds.pop()
            if deed.kind in ("rate", "cram"):
                self.given.pop()
            self._show_again(item_id)
            return True
        event = None if self.practice else self.collection.undo(self._clock())
        if event is None:
            return False
        self._show_again(event.item)
        return True

    def suspend(self) -> str:
        """Set the present item aside for good; its id.  Raises as `rate`."""
        return self._put_away(suspend)

    def bury(self) -> str:
        """Set the present item aside until the next study day; its id.  Raises as `rate`."""
        return self._put_away(bury)

    def reset(self) -> str:
        """Make the present item new again; its id.  Raises as `rate`."""
        if self.item is None:
            return ""
        self._deeds.append(reset(self.collection, self.item.id, self._clock()))
        return self.item.id

    def _put_away(self, deed: Callable[[Collection, str, datetime], Deed]) -> str:
        if self.item is None:
            return ""
        self._deeds.append(deed(self.collection, self.item.id, self._clock()))
        self._waiting.put_away(self.item.id)
        return self.item.id

    def note_check(self) -> None:
        """A check was made: the time up to here is what the derivation took."""
        self.seconds_at_check = self.seconds

    def _show_again(self, item_id: str) -> None:
        self._waiting.put_back(item_id)
        self._waiting.look(self._clock())
        if self.collection.can_read(item_id):
            self._begin(item_id)

    def _begin(self, item_id: str | None) -> None:
        self.item = self.collection.item(item_id) if item_id else None
        self.card = self.collection.card_of(item_id) if item_id else None
        self.revealed, self.picked = False, frozenset()
        self._since = self._clock()
