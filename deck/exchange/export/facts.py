"""Values of cards and schedules as tables and JSON have them."""

from __future__ import annotations

from datetime import UTC, datetime

from deck.config import Config
from deck.events import Days, Event, Reviewed
from deck.exchange.export.source import Done, Past
from deck.replay import ItemState, Learning, New, Review
from deck.scheduler import recall
from deck.study_day import day_start, on_clock, study_day


def utc(at: datetime) -> str:
    """ "2026-11-21T12:00:00.000Z"."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def on_its_clock(event: Event) -> str:
    """When it was, on the clock that the learner looked at: "2026-11-21T13:00:00.000+01:00"."""
    return on_clock(event.at, event.offset).isoformat(timespec="milliseconds")


def local(at: datetime, now: datetime) -> str:
    """ "2026-11-21T13:00:00+01:00", in the zone of `now`."""
    return at.astimezone(now.tzinfo).isoformat(timespec="seconds")


def state_name(state: ItemState) -> str:
    match state:
        case New():
            return "new"
        case Learning():
            return "relearning" if state.relearning else "learning"
    return "review"


def due_of(state: ItemState, now: datetime, config: Config) -> datetime | None:
    """When an item is due: a learning step to the second, a review when its study day begins."""
    match state:
        case Learning():
            return state.due
        case Review():
            return day_start(state.due_day, config.rollover, now)
    return None


def recall_of(state: ItemState, now: datetime, config: Config) -> float | None:
    """The chance of recall today; None of what was never learnt."""
    if isinstance(state, New):
        return None
    return recall(state, study_day(now, config.rollover), config)


def days_of(done: Done) -> int | None:
    """The study days that an answer led to; None where it led to a learning step."""
    what = done.event.what
    if isinstance(what, Reviewed) and isinstance(what.promise, Days):
        return what.promise.days
    return done.after.interval if isinstance(done.after, Review) else None


def wait_of(done: Done) -> float | None:
    """The seconds of the learning step that an answer led to; None where it led to none."""
    if isinstance(done.after, Learning):
        return (done.after.due - done.after.reviewed).total_seconds()
    return None


def was_moved(past: Past) -> bool:
    """Whether the item is due on another day than its last answer said."""
    if not isinstance(past.state, Review):
        return False
    after = past.answers[-1].after if past.answers else None
    return not isinstance(after, Review) or after.due_day != past.state.due_day
