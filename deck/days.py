"""Study days: a local calendar day that ends at the roll-over (04:00), not at midnight.

A night owl's 01:30 still belongs to the evening before.  The day is computed once, on the clock
the learner was looking at, and written into the journal: a journey or a change of the roll-over
does not rewrite history.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone


def aware(now: datetime) -> datetime:
    """`now` itself.

    Raises:
        ValueError: it names no time zone, so no study day can be told.
    """
    if now.utcoffset() is None:
        raise ValueError("A time without its zone was given: pass an aware datetime.")
    return now


def study_day(now: datetime, rollover: time) -> date:
    """The study day at `now`, read off the wall clock of its own time zone.

    Wall-clock reading keeps the roll-over at 04:00 in the nights in which summer time begins or
    ends, which last 23 and 25 hours.
    """
    wall = aware(now).replace(tzinfo=None)
    before = wall.time() < rollover
    return wall.date() - timedelta(days=1) if before else wall.date()


def day_start(day: date, rollover: time, near: datetime) -> datetime:
    """When the study day `day` begins, in the time zone of `near`."""
    return datetime.combine(day, rollover, tzinfo=near.tzinfo)


def to_milliseconds(now: datetime) -> datetime:
    """The same instant in UTC, cut to the millisecond, as the journal writes it."""
    utc = aware(now).astimezone(UTC)
    return utc.replace(microsecond=utc.microsecond // 1000 * 1000)


def offset_minutes(now: datetime) -> int:
    """The UTC offset of `now`'s zone, in minutes east."""
    return round((aware(now).utcoffset() or timedelta()) / timedelta(minutes=1))


def on_clock(at: datetime, offset: int) -> datetime:
    """The same instant on a clock `offset` minutes east of UTC, less than a day as zones are."""
    return at.astimezone(timezone(timedelta(minutes=min(max(offset, -1439), 1439))))
