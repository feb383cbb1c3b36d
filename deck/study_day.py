"""Study days."""

from __future__ import annotations

from bisect import bisect_left
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import lru_cache

#: A due day that somebody wrote into the journal may be the last of all: its neighbours are needed.
_LAST = date.max - timedelta(days=3)
_DAY, _SECOND, _MILLISECOND = timedelta(1), timedelta(seconds=1), timedelta(milliseconds=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Local(tzinfo):
    """This computer's zone, at an offset that it has at some instant.

    A datetime keeps its offset, so differences are true times even where the clock is changed
    between the two (of one ordinary zone they would be those of the wall clock).  What is
    converted to this zone gets the offset of its own instant.
    """

    def __init__(self, offset: timedelta = timedelta()) -> None:
        self._offset = offset

    def utcoffset(self, _: datetime | None) -> timedelta:
        return self._offset

    def dst(self, _: datetime | None) -> None:
        return None

    def tzname(self, _: datetime | None) -> None:
        return None

    def fromutc(self, at: datetime) -> datetime:
        there = at.replace(tzinfo=UTC).astimezone()
        return there.replace(tzinfo=Local(there.utcoffset() or timedelta()))


def aware(now: datetime) -> datetime:
    """`now` itself.

    Raises:
        ValueError: it names no time zone, so no study day can be told.
    """
    if now.utcoffset() is None:
        raise ValueError("A time without its zone was given: pass an aware datetime.")
    return now


def iso_day(text: str) -> date | None:
    """The day that is written so, "2026-11-21"; None where none is."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def study_day(now: datetime, rollover: time) -> date:
    """The study day at `now`, in its own time zone: the last that has begun.

    So the day never goes back where the clock does, also with a roll-over in the hour that the
    clock shows twice.
    """
    return _day_at(aware(now).astimezone(UTC), now.tzinfo, rollover)


@lru_cache(8)
def _day_at(at: datetime, zone: tzinfo | None, rollover: time) -> date:
    """Remembered, as an answer asks several times about its moment."""
    wall = _wall(at, zone)
    day = wall.date() - timedelta(days=wall.time() < rollover)
    if _wall(at - _DAY, zone) + _DAY > wall:  # the clock was set back since then
        following = day + _DAY
        return following if _begins(following, rollover, zone) <= at else day
    return day


def day_start(day: date, rollover: time, near: datetime) -> datetime:
    """When the study day `day` begins, in the time zone of `near`."""
    return _begins(day, rollover, near.tzinfo).astimezone(near.tzinfo)


def _wall(at: datetime, zone: tzinfo | None) -> datetime:
    """What the clock shows, as if it were UTC: so the two can be subtracted."""
    return at.astimezone(zone).replace(tzinfo=UTC)


@lru_cache(64)
def _begins(day: date, rollover: time, zone: tzinfo | None) -> datetime:
    """The first instant (in UTC) at which the clock shows the roll-over of that date, or later."""
    wall = datetime.combine(min(day, _LAST), rollover, UTC)
    first, second = sorted(wall - (_wall(at, zone) - at) for at in (wall - _DAY, wall + _DAY))
    for at in (first, second):
        if _wall(at, zone) == wall:
            return at
    # The clock passes over the roll-over: the day begins with the change.
    seconds = range(round((second - first).total_seconds()))
    passed = bisect_left(seconds, True, key=lambda n: _wall(first + n * _SECOND, zone) >= wall)
    return first + passed * _SECOND


def to_milliseconds(now: datetime) -> datetime:
    """The same instant in UTC, cut to the millisecond, as the journal writes it."""
    utc = aware(now).astimezone(UTC)
    return utc.replace(microsecond=utc.microsecond // 1000 * 1000)


def moment(passed: int) -> datetime:
    """So many milliseconds after the beginning of 1970, UTC."""
    return _EPOCH + timedelta(milliseconds=passed)


def milliseconds(at: datetime) -> int:
    """How long after the beginning of 1970: `moment`, the other way round."""
    return (at - _EPOCH) // _MILLISECOND


def offset_minutes(now: datetime) -> int:
    """The UTC offset of `now`'s zone, in minutes east."""
    return round((aware(now).utcoffset() or timedelta()) / timedelta(minutes=1))


def on_clock(at: datetime, offset: int) -> datetime:
    """The same instant on a clock `offset` minutes east of UTC, less than a day as zones are."""
    return at.astimezone(timezone(timedelta(minutes=min(max(offset, -1439), 1439))))
