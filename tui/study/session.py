"""A study session: which item is shown, the answers given, undo, and the rating that is suggested.

No Textual here: `deltadeck study --plain` is a session too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Literal

from deck.events import Buried, Practised, Reset, Undone
from deck.fsrs import Rating
from deck.queue import TimeBox
from deck.replay import Learning, New
from deck.study_day import study_day
from tui.study.answers import (
    AGAIN,
    NumericAnswer,
    Suggestion,
    WordAnswer,
    from_check,
    from_choice,
)
from tui.text import Clock

if TYPE_CHECKING:
    from cards.model import Card, Item
    from deck.collection import Collection
    from deck.events import Event
    from deck.queue import SessionRequest
    from deck.replay import ItemState, Schedule
    from tui.lab.visit import LabResult

#: Nobody thinks longer about one card: beyond it, they have left the desk.
LONGEST_SECONDS = 20 * 60
#: After so long the order by retrievability is worth a new look.
_OLD: Final = timedelta(minutes=10)
#: For so long a key leaves it to `freshen` to see what came due.
_PATIENCE: Final = timedelta(seconds=2)

Stage = Literal["new", "learning", "review"]
Kind = Literal["rate", "cram", "suspend", "bury", "reset"]


@dataclass(frozen=True, slots=True)
class SessionAnswer:
    """An answer of this session."""

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
    mistake: str = ""
    """The misconception that its check named."""


@dataclass(frozen=True, slots=True)
class UndoableAction:
    kind: Kind
    item_id: str
    event: str
    """The id of its event in the journal."""


class StudySession:
    """The items of a queue, one after the other, until none is left or time is up."""

    def __init__(
        self, collection: Collection, asked: SessionRequest, clock: Clock, queue: StudyQueue
    ) -> None:
        self.collection, self.asked = collection, asked
        self.item: Item | None = None
        self.card: Card | None = None
        self._state: ItemState | None = None
        """The item's when it was shown: it may be gone meanwhile."""
        self.revealed = False
        self.picked: frozenset[str] = frozenset()
        self.asks_for: NumericAnswer | WordAnswer | None = None
        """What the present item asks to type."""
        self.typed = ""
        """What was typed before the reveal."""
        self.checks: dict[str, LabResult] = {}
        """The last lab visit of each item that was not rated since."""
        self._seconds_at_check = 0.0
        self.answers: list[SessionAnswer] = []
        """Those that stand, in their order."""
        self._box = TimeBox(clock(), asked.minutes) if asked.minutes is not None else None
        self._actions: list[UndoableAction] = []
        """What `undo` takes back, the last first."""
        self._clock = clock
        self._since = clock()
        self._queue = queue

    # Which item.

    def advance(self) -> None:
        """Go to what is to be asked now; to nothing where time is up."""
        item_id = self._queue.current(self._clock())
        self._begin(None if self.time_is_up else item_id)

    def go_on(self) -> None:
        """Time was up; go on without a clock."""
        self._box = None
        self.advance()

    def refresh(self) -> None:
        """The same item again, as the disk has it now; the next one if it is gone."""
        revealed, since, given = self.revealed, self._since, (self.picked, self.typed)
        item_id = self.item.id if self.item else None
        self._queue.invalidate()
        self._queue.current(self._clock())
        if item_id is None or not self.collection.can_read(item_id):
            self.advance()
            return
        self._begin(item_id)
        self.revealed, self._since, (self.picked, self.typed) = revealed, since, given

    def _begin(self, item_id: str | None) -> None:
        self.item = self.collection.item(item_id) if item_id else None
        self.card = self.collection.card_of(item_id) if item_id else None
        self._state = self.collection.state(item_id) if item_id else None
        self.asks_for = self._asked_for()
        self.revealed, self.picked, self.typed = False, frozenset(), ""
        self._since = self._clock()

    def _asked_for(self) -> NumericAnswer | WordAnswer | None:
        card, item = self.card, self.item
        if card is None or item is None:
            return None
        if self.collection.config.of_course(card.course).type_answers:
            return NumericAnswer.of(card) or WordAnswer.of(card, item.answer)
        return NumericAnswer.of(card)

    def freshen(self) -> None:
        """Between keys: see what came due, so that no key waits for it."""
        self._queue.freshen(self._clock())

    def came_due(self) -> bool:
        """Whether something waits now that nothing is shown."""
        due = self.next_due
        return due is not None and due <= self._clock() and not self.time_is_up

    # What there is to say of it.

    @property
    def practice(self) -> bool:
        """Whether ratings leave the schedule as it is."""
        return self.asked.kind == "cram"

    @property
    def is_gathered(self) -> bool:
        """Whether its cards were chosen when it began."""
        return self._queue.is_chosen

    @property
    def time_is_up(self) -> bool:
        return self._box is not None and self._box.over(self._clock())

    @property
    def time_left(self) -> timedelta | None:
        """Of a session that ends on time."""
        return self._box.left(self._clock()) if self._box else None

    @property
    def next_due(self) -> datetime | None:
        return self._queue.next_due

    @property
    def left(self) -> int:
        """Items that could be asked now."""
        return self._queue.left

    @property
    def likely_next(self) -> str | None:
        """The item that most likely comes after the present one."""
        return self._queue.upcoming(self.item.id) if self.item else None

    @property
    def done(self) -> int:
        return len(self.answers)

    @property
    def number(self) -> int:
        """1-based place of the present item in this session."""
        return self.done + 1

    @property
    def total(self) -> int:
        return self.done + max(1, self._queue.left)

    @property
    def seconds(self) -> float:
        """Since the question was shown."""
        return min(LONGEST_SECONDS, max(0.0, (self._clock() - self._since).total_seconds()))

    @property
    def letters(self) -> frozenset[str]:
        """What can be picked now."""
        if self.card is None or self.revealed:
            return frozenset()
        return frozenset(o.letter for o in self.card.options if not o.placeholder)

    @property
    def is_begun(self) -> bool:
        """Whether the present item was ever answered."""
        return self._state is not None and _stage(self._state) != "new"

    @property
    def is_leech(self) -> bool:
        """Whether the present item was forgotten as often as makes a leech."""
        most = self.collection.config.leech_lapses
        return self._state is not None and 0 < most <= _lapses(self._state)

    @property
    def suggestion(self) -> Suggestion | None:
        """What the check of the present item speaks for, or what was picked or typed."""
        if self.item is not None and (check := self.checks.get(self.item.id)):
            how = (check.slips, check.hints, check.by_hand)
            return from_check(check.outcome, self._seconds_at_check, *how)
        if self.asks_for is not None:
            return self.asks_for.judged(self.typed)
        return from_choice(self.picked, self.card.correct_letters) if self.card else None

    def preview(self) -> dict[int, Schedule]:
        if self.item is None:
            return {}
        found = self.collection.preview(self.item.id, self._clock())
        return {int(rating): schedule for rating, schedule in found.items()}

    # What the learner does.

    def pick(self, letter: str) -> None:
        """Choose an option; of several right ones, or take it back."""
        several = self.card is not None and len(self.card.correct_letters) > 1
        self.picked = self.picked ^ {letter} if several else frozenset({letter})

    def note_check(self, item_id: str, result: LabResult | None) -> None:
        """A lab visit is over, None where it checked nothing: the time up to here is what the
        derivation took."""
        self.checks.pop(item_id, None)
        if result is not None:
            self.checks[item_id], self._seconds_at_check = result, self.seconds

    def rate(self, rating: int, check: Mapping[str, Any] | None = None) -> SessionAnswer | None:
        """`check` is a verdict that belongs to the answer, if not that of the last lab visit.

        Raises JournalError or (the card is gone) CollectionError, and then nothing has changed.
        """
        if self.item is None:
            return None
        item_id, took, collection = self.item.id, self.seconds, self.collection
        visit = self.checks.get(item_id)
        if check is None and visit is not None:
            check = visit.as_mark()
        before = collection.state(item_id)
        event = self._record(item_id, rating, round(took * 1000), check)
        after = collection.state(item_id)
        lapses = _lapses(after)
        answer = SessionAnswer(
            item_id,
            rating,
            _stage(before),
            _stage(after),
            took,
            lapses,
            leech=lapses > _lapses(before) and collection.config.leeches_at(lapses),
            practice=self.practice,
            verdict=str(check.get("verdict", "")) if check else "",
            mistake=(visit.verdict.misconception or "") if visit else "",
        )
        self.checks.pop(item_id, None)
        self.answers.append(answer)
        self._actions.append(UndoableAction("cram" if self.practice else "rate", item_id, event.id))
        self._queue.answered(item_id, rating)
        return answer

    def _record(
        self, item_id: str, rating: int, milliseconds: int, check: Mapping[str, Any] | None
    ) -> Event:
        collection, now = self.collection, self._clock()
        if not self.practice:
            return collection.rate(item_id, Rating(rating), now, milliseconds, check)
        if check is not None:
            collection.record_check(item_id, check, now)
        return collection.record(item_id, Practised(Rating(rating), milliseconds), now)

    def suspend(self) -> str:
        """Suspend the present item; its id.  Raises as `rate`."""
        return self._act("suspend", lambda item, now: self.collection.suspend(item, now))

    def bury(self) -> str:
        """Bury the present item until the next study day; its id.  Raises as `rate`."""
        return self._act("bury", lambda item, now: bury(self.collection, item, now))

    def reset(self) -> str:
        """Make the present item new again; its id.  Raises as `rate`."""
        return self._act("reset", lambda item, now: reset(self.collection, item, now))

    def _act(self, kind: Kind, action: Callable[[str, datetime], Event]) -> str:
        if self.item is None:
            return ""
        event = action(self.item.id, self._clock())
        self._actions.append(UndoableAction(kind, self.item.id, event.id))
        if kind != "reset":
            self._queue.remove(self.item.id)
        return self.item.id

    def undo(self) -> bool:
        """Undo the last action and show its item; False where there is nothing.

        Beyond this session it is the last answer, whenever and wherever it was given.
        """
        if self._actions:
            item_id = self._take_back(self._actions[-1], self._clock())
            if self._actions.pop().kind in ("rate", "cram"):
                self.answers.pop()
        else:
            event = None if self.practice else self.collection.undo(self._clock())
            if event is None:
                return False
            item_id = event.item
        self._queue.restore(item_id)
        self._queue.current(self._clock())
        if self.collection.can_read(item_id):
            self._begin(item_id)
        return True

    def _take_back(self, action: UndoableAction, now: datetime) -> str:
        """As if it had not been done; the item to show again."""
        if action.kind == "rate":
            event = self.collection.undo(now)
            return event.item if event else action.item_id
        if action.kind == "suspend":
            self.collection.suspend(action.item_id, now, on=False)
        else:
            self.collection.record(action.item_id, Undone(action.event), now)
        return action.item_id


def _stage(state: ItemState) -> Stage:
    if isinstance(state, New):
        return "new"
    return "learning" if isinstance(state, Learning) else "review"


def _lapses(state: ItemState) -> int:
    """How often the item was forgotten in review."""
    return 0 if isinstance(state, New) else state.lapses


# What can be done with an item beside answering it.  Each raises JournalError, CollectionError.


def bury(collection: Collection, item_id: str, now: datetime, days: int = 1) -> Event:
    """Not asked before the study day after so many days; 0: asked again from today on."""
    until = study_day(now, collection.config.rollover) + timedelta(days=days)
    return collection.record(item_id, Buried(until), now)


def reset(collection: Collection, item_id: str, now: datetime) -> Event:
    """New again; what was answered stays in the history."""
    return collection.record(item_id, Reset(), now)


# The queue: whatever is due, or what was gathered when the session began.


class StudyQueue:
    """What a session still has to ask, in its order; of a deck where `deck` is one.

    What is due is the collection's own queue.  An answer takes its item off, and the step that it
    leads to comes when it is due; so that queue is asked again only where it may be another: when
    all is answered, something else came due or was done, or a while has passed.

    Other sessions have `chosen` items: by a search, ahead of time, crammed.  With `cram`, what was
    not known comes back at the end.
    """

    def __init__(
        self,
        collection: Collection,
        deck: str | None = None,
        chosen: Iterable[str] | None = None,
        cram: bool = False,
    ) -> None:
        self._collection, self._deck, self._cram = collection, deck, cram
        self.is_chosen = chosen is not None
        self._ids = dict.fromkeys(chosen or ())
        self._steps: dict[str, datetime] = {}
        """When the items come that an answer sent into a learning step."""
        self._later: datetime | None = None
        """When the collection's queue has more."""
        self._asked: datetime | None = None
        """When that was asked last; None: what is known of it may be old."""

    @classmethod
    def of(cls, collection: Collection, asked: SessionRequest, now: datetime) -> StudyQueue:
        """What `asked` means now; its minutes are the clock's business, and cut nothing.

        Raises:
            SearchError: its search cannot be read.
        """
        if asked.is_live:
            return cls(collection, asked.deck)
        queue = collection.session(replace(asked, minutes=None), now)
        chosen = (entry.item_id for entry in queue.entries)
        return cls(collection, None, chosen, asked.kind == "cram")

    @property
    def left(self) -> int:
        """How many can be asked now."""
        return len(self._ids)

    @property
    def next_due(self) -> datetime | None:
        """When one comes that cannot be asked yet."""
        known = [*self._steps.values(), *([self._later] if self._later else [])]
        return min(known, default=None)

    def current(self, now: datetime) -> str | None:
        """The item to ask now."""
        came = sorted((due, item) for item, due in self._steps.items() if due <= now)
        if came:
            self._steps = {item: due for item, due in self._steps.items() if due > now}
            self._ids = {**dict.fromkeys(item for _, item in came), **self._ids}
        self.freshen(now, _PATIENCE)
        if not self.is_chosen and not self._ids:
            self._ask(now)
        while (first := next(iter(self._ids), None)) and not self._collection.can_read(first):
            self.remove(first)  # its card went away meanwhile
            if not self._ids and not self.is_chosen:
                self._ask(now)
        return first

    def freshen(self, now: datetime, patience: timedelta = timedelta(0)) -> None:
        """Ask the collection again, where its queue has been another for so long."""
        if self.is_chosen:
            return
        known = self._asked is not None and timedelta(0) <= now - self._asked < _OLD + patience
        if not known or (self._later is not None and self._later + patience <= now):
            self._ask(now)

    def _ask(self, now: datetime) -> None:
        queue = self._collection.queue(now, self._deck)
        self._ids = dict.fromkeys(entry.item_id for entry in queue.entries)
        self._later, self._asked = queue.next_due, now
        self._steps = {}

    def upcoming(self, item_id: str) -> str | None:
        """The item that most likely comes next, asked of nobody."""
        return next((each for each in self._ids if each != item_id), None)

    def answered(self, item_id: str, rating: int) -> None:
        """It was rated."""
        self.remove(item_id)
        state = self._collection.state(item_id)
        if self._cram:
            self._ids |= {item_id: None} if rating == AGAIN else {}
        elif isinstance(state, Learning) and not self._collection.is_suspended(item_id):
            self._steps[item_id] = state.due

    def remove(self, item_id: str) -> None:
        """It is not to be asked again in this session."""
        self._ids.pop(item_id, None)
        self._steps.pop(item_id, None)

    def restore(self, item_id: str) -> None:
        """What was done with it was taken back: it comes first."""
        self.remove(item_id)
        self._ids = {item_id: None, **self._ids}
        self._asked = None

    def invalidate(self) -> None:
        """Another program changed something: what was known may be old."""
        self._asked = None
        known = self._collection.has_item
        self._steps = {item: due for item, due in self._steps.items() if known(item)}
