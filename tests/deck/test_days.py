"""When study days begin, in zones that change their clocks: by half an hour, an hour, or a day."""

from __future__ import annotations

import time as system_time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cache
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deck.collection import Collection
from deck.fsrs import Rating
from deck.replay import Review
from deck.study_day import Local, day_start, study_day
from tests.deck.given import configure, write_card

#: Apia left out 30 December 2011.  Casablanca's clock goes back for each Ramadan.
ZONES = [
    *("Europe/Prague", "America/New_York", "Australia/Lord_Howe"),
    *("Africa/Casablanca", "Pacific/Apia", "UTC"),
]
ROLLOVERS = [time(hour, minute) for hour in range(24) for minute in (0, 30)]
DAY, MOMENT = timedelta(days=1), timedelta(microseconds=1)
YEARS = (datetime(2008, 1, 1, tzinfo=UTC), datetime(2036, 1, 1, tzinfo=UTC))


@contextmanager
def living_in(zone: str) -> Iterator[None]:
    """This machine's clock shows the time of a zone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", zone)
        system_time.tzset()
        try:
            yield
        finally:
            patch.undo()
            system_time.tzset()


@cache
def changes(zone: str) -> list[datetime]:
    """The hours after which a zone's clock was changed, in UTC."""
    hours = [YEARS[0] + timedelta(hours=n) for n in range((YEARS[1] - YEARS[0]) // DAY * 24)]
    clock = ZoneInfo(zone)
    offsets = [at.astimezone(clock).utcoffset() for at in hours]
    return [at for at, (old, new) in zip(hours, pairwise(offsets), strict=False) if old != new]


@st.composite
def instants(draw: st.DrawFn, zone: str) -> datetime:
    """In UTC; every other one is near a change of the clock."""
    begin, end = YEARS
    if draw(st.booleans()) and changes(zone):
        at = draw(st.sampled_from(changes(zone)))
        begin, end = at - 2 * DAY, at + 2 * DAY
    naive = st.datetimes(begin.replace(tzinfo=None), end.replace(tzinfo=None))
    return draw(naive).replace(tzinfo=UTC)


@given(st.data())
@pytest.mark.parametrize("zone", ZONES)
def test_a_study_day_goes_from_its_roll_over_to_the_next(zone: str, data: st.DataObject) -> None:
    rollover, at = data.draw(st.sampled_from(ROLLOVERS)), data.draw(instants(zone))
    with living_in(zone):
        for clock in (ZoneInfo(zone), Local()):
            now = at.astimezone(clock)
            day = study_day(now, rollover)
            begins, ends = (day_start(d, rollover, now) for d in (day, day + DAY))
            assert begins.astimezone(UTC) <= at < ends.astimezone(UTC)
            assert study_day(begins, rollover) == day
            assert study_day((begins.astimezone(UTC) - MOMENT).astimezone(clock), rollover) < day
            assert begins.replace(tzinfo=None) >= datetime.combine(day, rollover)


@given(st.data())
@pytest.mark.parametrize("zone", ZONES)
def test_the_study_day_never_goes_back(zone: str, data: st.DataObject) -> None:
    rollover = data.draw(st.sampled_from(ROLLOVERS))
    first, second = sorted(data.draw(st.tuples(instants(zone), instants(zone))))
    clock = ZoneInfo(zone)
    assert study_day(first.astimezone(clock), rollover) <= study_day(
        second.astimezone(clock), rollover
    )


@pytest.mark.parametrize("rollover", ROLLOVERS)
@pytest.mark.parametrize("zone", ZONES[:-1])
def test_a_day_begins_when_the_clock_first_shows_its_roll_over_or_later(
    zone: str, rollover: time
) -> None:
    """Beside the furthest that the clock was seen to go, every quarter of an hour."""
    clock = ZoneInfo(zone)
    since_midnight = timedelta(hours=rollover.hour, minutes=rollover.minute)
    known = changes(zone)
    for change in (known[0], known[len(known) // 2], known[-1], *known[6:9]):
        furthest = date.min
        for quarter in range(-192, 192):
            now = (change + quarter * timedelta(minutes=15)).astimezone(clock)
            furthest = max(furthest, (now.replace(tzinfo=None) - since_midnight).date())
            assert study_day(now, rollover) == furthest


def test_a_day_that_a_zone_left_out_is_over_as_it_begins() -> None:
    apia = ZoneInfo("Pacific/Apia")
    evening = datetime(2011, 12, 29, 23, 59, tzinfo=apia)
    jump = datetime(2011, 12, 31, tzinfo=apia)
    assert day_start(date(2011, 12, 30), time(), evening) == jump
    assert (study_day(evening, time()), study_day(jump, time())) == (
        date(2011, 12, 29),
        jump.date(),
    )
    assert study_day(jump, time(4)) == date(2011, 12, 30), "until 04:00 on the clock"


@given(st.data())
@pytest.mark.parametrize("zone", ZONES)
def test_this_computers_clock_shows_each_instant_as_its_zone_does(
    zone: str, data: st.DataObject
) -> None:
    at, now = data.draw(st.tuples(instants(zone), instants(zone)))
    with living_in(zone):
        here = now.astimezone(Local())
        there = at.astimezone(here.tzinfo)
        assert there.isoformat() == at.astimezone(ZoneInfo(zone)).isoformat()
        assert there - here == at - now
        assert (there < here) == (at < now)


@given(st.dates(), st.sampled_from(ROLLOVERS))
@example(date.max, time(23, 30))
@example(date.min, time())
def test_any_day_that_a_journal_can_name_has_a_beginning(day: date, rollover: time) -> None:
    day = max(day, date(1, 1, 3))  # an item is due after it was answered, in 1970 or later
    for zone in ("Pacific/Kiritimati", "Pacific/Honolulu"):
        now = datetime(2026, 11, 20, tzinfo=ZoneInfo(zone))
        assert day_start(day, rollover, now).date() <= day


# What falls due beyond a change.


@pytest.mark.parametrize("clock", [ZoneInfo("Europe/Prague"), Local()])
@pytest.mark.parametrize("rollover", [time(0), time(2, 30), time(4), time(23, 30)])
@pytest.mark.parametrize("evening", [datetime(2026, 3, 27, 19), datetime(2026, 10, 23, 18)])
def test_what_is_due_after_a_change_is_due_at_the_roll_over_of_that_day(
    root: Path, clock: tzinfo, rollover: time, evening: datetime
) -> None:
    write_card(root, "a")
    configure(root, f'rollover = "{rollover:%H:%M}"\n')
    with living_in("Europe/Prague"):
        now = evening.replace(tzinfo=UTC).astimezone(clock)
        collection = Collection.open(root, now, "desk")
        promised = collection.preview("a", now)[Rating.EASY]
        collection.rate("a", Rating.EASY, now, 0)
        state = collection.state("a")
        assert isinstance(state, Review)
        due = promised.due.astimezone(ZoneInfo("Europe/Prague"))
        assert due.replace(tzinfo=None) == datetime.combine(state.due_day, rollover)
        assert due.utcoffset() != now.utcoffset(), "beyond the change"
        assert collection.queue(now, None).next_due == promised.due
        before = (due.astimezone(UTC) - MOMENT).astimezone(clock)
        assert collection.queue(before, None).entries == ()
        (entry,) = collection.queue(due.astimezone(clock), None).entries
        assert entry.due == promised.due
