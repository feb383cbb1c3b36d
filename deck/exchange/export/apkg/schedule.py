"""An item's history and schedule as rows of Anki's `cards` and `revlog`."""

from __future__ import annotations

import json
from datetime import datetime
from typing import NamedTuple

from deck.config import Config
from deck.events import Crammed, Reset, Reviewed
from deck.exchange.export.source import Done, Past
from deck.fsrs import Memory
from deck.replay import ItemState, Learning, New, Review
from deck.study_day import study_day

_NEW, _LEARNING, _REVIEW, _RELEARNING = range(4)
_SUSPENDED = -1
_DAY_LEARNING = 3
#: Of `revlog.type`: learnt, reviewed, learnt again, practised, and set by hand.
_LEARN, _REVIEWED, _RELEARN, _PRACTISED, _MANUAL = range(5)
_LONGEST = 2**31 - 1


class Standing(NamedTuple):
    """type, queue, due, ivl, factor, reps, lapses, left, data.  A day as `due` is an ordinal."""

    type: int
    queue: int
    due: int
    ivl: int
    factor: int
    reps: int
    lapses: int
    left: int
    data: str


class Entry(NamedTuple):
    """id (when, in ms), ease, ivl, lastIvl, factor, time, type: of `revlog`, without the card."""

    id: int
    ease: int
    ivl: int
    last: int
    factor: int
    time: int
    type: int


def standing(past: Past, position: int, config: Config, now: datetime) -> Standing:
    """Where an item stands; `position`: its place among new cards; `config`: its course's."""
    state = past.state
    if isinstance(state, New):
        queue = _SUSPENDED if past.suspended else _NEW
        return Standing(_NEW, queue, position, 0, 0, 0, 0, 0, "{}")
    kind, queue, due, left = _place(state, config, now)
    interval = state.interval if isinstance(state, Review) else _interval_before(past)
    return Standing(
        kind,
        _SUSPENDED if past.suspended else queue,
        due,
        interval,
        _ease(state.memory),
        state.repetitions,
        state.lapses,
        left,
        _data(state, config),
    )


def _place(state: Learning | Review, config: Config, now: datetime) -> tuple[int, int, int, int]:
    """type, queue, due and what is left of the steps."""
    if isinstance(state, Review):
        return _REVIEW, _REVIEW, state.due_day.toordinal(), 0
    kind = _RELEARNING if state.relearning else _LEARNING
    steps = config.relearning_steps if state.relearning else config.learning_steps
    remain = max(len(steps) - state.step, 1)
    day = study_day(state.due.astimezone(now.tzinfo), config.rollover)
    if day > state.day:
        return kind, _DAY_LEARNING, day.toordinal(), remain * 1001
    return kind, _LEARNING, int(state.due.timestamp()), remain * 1001


def _interval_before(past: Past) -> int:
    """Of what is learnt again, the days that come behind its steps."""
    state = past.state
    if isinstance(state, Learning) and state.relearning:
        return max(round(state.memory.stability), 1)
    return 0


def _ease(memory: Memory) -> int:
    """For whom turns FSRS off: D 5 is the usual 250 %, D 10 the least, 130 %."""
    return round(max(1.3, 2.5 + 0.24 * (5 - memory.difficulty)) * 1000)


def _data(state: Learning | Review, config: Config) -> str:
    """FSRS' memory, in the words and digits that Anki keeps it in."""
    memory = {"s": round(state.memory.stability, 4), "d": round(state.memory.difficulty, 3)}
    rest = {"dr": round(config.desired_retention, 2), "decay": round(config.parameters[-1], 3)}
    return json.dumps(memory | rest | {"lrt": int(state.reviewed.timestamp())})


def entries(past: Past) -> list[Entry]:
    """What was done with an item, each at another millisecond."""
    found: list[Entry] = []
    for done in past.done:
        at = round(done.event.at.timestamp() * 1000)
        entry = _entry(done, max(at, found[-1].id + 1) if found else at)
        if entry is not None:
            found.append(entry)
    return found


def _entry(done: Done, at: int) -> Entry | None:
    before, after = done.before, done.after
    match done.event.what:
        case Reviewed(rating=rating, milliseconds=taken):
            factor = 0 if isinstance(after, New) else _shifted(after.memory)
            time = min(taken, _LONGEST)
            return Entry(
                at, int(rating), _interval(after), _interval(before), factor, time, _kind(before)
            )
        case Crammed(rating=rating, milliseconds=taken):
            interval, time = _interval(before), min(taken, _LONGEST)
            return Entry(at, int(rating), interval, interval, 0, time, _PRACTISED)
        case Reset():
            return Entry(at, 0, 0, _interval(before), 0, 0, _MANUAL)
    return None


def _kind(before: ItemState) -> int:
    match before:
        case Review():
            return _REVIEWED
        case Learning(relearning=True):
            return _RELEARN
    return _LEARN


def _interval(state: ItemState) -> int:
    """Days, or seconds below 0 for a step."""
    match state:
        case Review():
            return state.interval
        case Learning():
            return -max(min(round((state.due - state.reviewed).total_seconds()), _LONGEST), 1)
    return 0


def _shifted(memory: Memory) -> int:
    """Difficulty 1 to 10 as 100 to 1100, which is how Anki's log has it under FSRS."""
    return round(((memory.difficulty - 1) / 9 + 0.1) * 1000)
