"""One item's way through its answers: the cursor that the fold moves, and that previews try out.

Memory follows from the answers alone.  What an answer promised (a learning step, or days) stands
in the journal and holds, so that a change of settings moves no due day by itself; where a line
promises nothing (an import, an older program), the settings decide.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

from deck.config import Config
from deck.event import Days, Event, Promise, Step
from deck.fsrs import Memory, Rating
from deck.fuzz import fuzzed
from deck.models import Model, model_of
from deck.state import ItemState, Learning, New, Review

#: In place of a step: the item is in review.
_REVIEW = -1


class Track:
    """Where one item stands; `answer` moves it on, `state` says it as a value."""

    __slots__ = (
        "at",
        "buried",
        "config",
        "day",
        "item_id",
        "lapses",
        "memory",
        "model",
        "promise",
        "rating",
        "relearning",
        "repetitions",
        "step",
        "suspended",
    )

    memory: Memory | None
    """None where it was never answered."""
    at: datetime
    day: date
    rating: int
    promise: Promise | None

    def __init__(self, item_id: str, config: Config, state: ItemState | None = None) -> None:
        self.item_id, self.config = item_id, config
        self.model: Model = model_of(config)
        self.suspended = False
        self.buried: date | None = None
        self.reset()
        if state is not None and not isinstance(state, New):
            self._take(state)

    def reset(self) -> None:
        """As if it had never been answered."""
        self.memory, self.promise = None, None
        self.step = self.repetitions = self.lapses = 0
        self.relearning = False

    def _take(self, state: Learning | Review) -> None:
        self.memory, self.at, self.day = state.memory, state.reviewed, state.day
        self.repetitions, self.lapses, self.rating = state.repetitions, state.lapses, 0
        if isinstance(state, Learning):
            self.step, self.relearning = state.step, state.relearning
            self.promise = Step(state.step, state.due - state.reviewed)
        else:
            self.step, self.promise = _REVIEW, Days(state.interval)

    @property
    def in_review(self) -> bool:
        return self.memory is not None and self.step == _REVIEW

    def elapsed(self, day: date) -> int:
        """Study days since the last answer; a clock that was set back gives no negative time."""
        days = (day - self.day).days
        return days if days > 0 else 0

    def answer(self, rating: int, at: datetime, day: date, promise: Promise | None = None) -> None:
        """Takes an answer at `at` (UTC) on the study day `day`.

        Time is counted in study days: 22:00 to 08:00 is one day, not zero.
        """
        memory, before = self.memory, self.step
        if memory is None:
            self.memory = self.model.initial(rating)
        else:
            days = (day - self.day).days
            self.memory = self.model.after(memory, rating, days if days > 0 else 0)
            if before == _REVIEW:
                self.relearning = rating == 1
                if self.relearning:
                    self._lapse()
        self.repetitions += 1
        self.at, self.day, self.rating, self.promise = at, day, rating, promise
        if type(promise) is Days:  # of most answers: told first, as a replay asks a million times
            self.step = _REVIEW
        elif promise is None:
            self.step = self._next_step(before, rating, memory is None)
        else:
            self.step = promise[0]

    def keep(self, promise: Promise) -> None:
        """Takes a promise for the last answer in place of what the settings make of it."""
        self.promise = promise
        self.step = promise.step if isinstance(promise, Step) else _REVIEW

    def _lapse(self) -> None:
        self.lapses += 1
        if self.config.leech_action == "suspend" and self.config.leeches_at(self.lapses):
            self.suspended = True

    def move(self, due: date, interval: int | None, event: Event) -> None:
        """The item falls due on another study day: an item in review, or with an `interval` any."""
        if interval is None:
            if self.in_review:
                self.promise = Days(max((due - self.day).days, 1))
            return
        if self.memory is None:  # as if it had been answered that many days before
            difficulty = self.model.initial(Rating.GOOD).difficulty
            self.memory = Memory(float(interval), difficulty)
            self.at, self.rating = event.at, 0
            self.day = min(event.day, due - timedelta(days=interval))
        self.step, self.relearning = _REVIEW, False
        self.promise = Days(max((due - self.day).days, 0))

    def steps(self) -> tuple[timedelta, ...]:
        """Those of the settings that it goes through, or went through."""
        return self.config.relearning_steps if self.relearning else self.config.learning_steps

    def _next_step(self, before: int, rating: int, is_new: bool) -> int:
        """The learning step that follows, or where the item goes (or stays) in review."""
        count = len(self.steps())
        if count == 0 or rating == Rating.EASY:
            return _REVIEW
        if rating == Rating.AGAIN:
            return 0
        if before == _REVIEW:
            return _REVIEW
        # Settings may have fewer steps now than when the item took its last one.
        at = 0 if is_new else before
        following = at + 1 if rating == Rating.GOOD else at
        return following if following < count else _REVIEW

    def wait(self) -> timedelta:
        """How long the learning step lasts.

        Hard on the first step waits between it and the next (or half as long again): Anki's rule.
        """
        if isinstance(self.promise, Step):
            return self.promise.wait
        steps = self.steps()
        if self.rating != Rating.HARD or self.step > 0:
            return steps[self.step]
        return (steps[0] + steps[1]) / 2 if len(steps) > 1 else steps[0] * 1.5

    def exact(self) -> float:
        """The model's interval in days for the desired retention, at most the longest one."""
        assert self.memory is not None
        exact = self.model.interval(self.memory, self.config.desired_retention)
        return min(exact, self.config.maximum_interval)

    def days(self) -> int:
        """The interval: what was promised, or what the settings make of it."""
        if isinstance(self.promise, Days):
            return self.promise.days
        days = max(round(self.exact()), 1)
        if not self.config.fuzz:
            return days
        return fuzzed(days, self.config.maximum_interval, self.item_id, self.repetitions)

    def state(self) -> ItemState:
        """Where the item stands now."""
        if self.memory is None:
            return New()
        rest = (self.at, self.day, self.repetitions, self.lapses)
        if self.step != _REVIEW:
            due = self.at + self.wait()
            return Learning(self.memory, self.step, due, *rest, self.relearning)
        days = self.days()
        return Review(self.memory, days, self.day + timedelta(days=days), *rest)
