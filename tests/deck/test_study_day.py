"""Study days, zones and clocks."""

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
from deck.errors import JournalError
from deck.fsrs import Rating
from deck.index.lines import read_journal
from deck.replay import Learning, Review, replay
from deck.study_day import Local, day_start, study_day
from tests.deck.given import NOON, configure, later, opened, write_card

# When study days begin, in zones that change their clocks: by half an hour, an hour, or a day.


#: Apia left out 30 December 2011.  Casablanca's clock goes back for each Ramadan.
ZONES = [
    *("Europe/Prague", "America/New_York", "Australia/Lord_Howe"),
    *("Africa/Casablanca", "Pacific/Apia", "UTC"),
]
ROLLOVERS = [time(hour, minute) for hour in range(24) for minute in (0, 30)]
DAY, MOMENT = timedelta(days=1), timedelta(microseconds=1)
PRAGUE = ZoneInfo("Europe/Prague")
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
    clock, hour = ZoneInfo(zone), timedelta(hours=1)

    def offset(at: datetime) -> timedelta | None:
        return at.astimezone(clock).utcoffset()

    days = [YEARS[0] + n * DAY for n in range((YEARS[1] - YEARS[0]) // DAY)]
    changed = [day for day, following in pairwise(days) if offset(day) != offset(following)]
    hours = [day + n * hour for day in changed for n in range(24)]
    return [at for at in hours if offset(at) != offset(at + hour)]


@st.composite
def instants(draw: st.DrawFn, zone: str) -> datetime:
    """In UTC; every other one is near a change of the clock."""
    begin, end = YEARS
    if draw(st.booleans()) and changes(zone):
        at = draw(st.sampled_from(changes(zone)))
        begin, end = at - 2 * DAY, at + 2 * DAY
    naive = st.datetimes(begin.replace(tzinfo=None), end.replace(tzinfo=None))
    return draw(naive).replace(tzinfo=UTC)


@given(st.sampled_from(ZONES), st.sampled_from(ROLLOVERS), st.data())
def test_a_study_day_goes_from_its_roll_over_to_the_next(
    zone: str, rollover: time, data: st.DataObject
) -> None:
    """So it never goes back, and this computer's clock shows each instant as its zone does."""
    at, now = data.draw(st.tuples(instants(zone), instants(zone)))
    with living_in(zone):
        here, there = now.astimezone(Local()), at.astimezone(now.astimezone(Local()).tzinfo)
        assert there.isoformat() == at.astimezone(ZoneInfo(zone)).isoformat()
        assert (there - here, there < here) == (at - now, at < now)
        for clock in (ZoneInfo(zone), Local()):
            now = at.astimezone(clock)
            day = study_day(now, rollover)
            begins, ends = (day_start(d, rollover, now) for d in (day, day + DAY))
            assert begins.astimezone(UTC) <= at < ends.astimezone(UTC)
            assert study_day(begins, rollover) == day
            assert study_day((begins.astimezone(UTC) - MOMENT).astimezone(clock), rollover) < day
            assert begins.replace(tzinfo=None) >= datetime.combine(day, rollover)


@pytest.mark.parametrize("rollover", [time(), time(2), time(2, 30), time(4), time(23, 30)])
@pytest.mark.parametrize("zone", ZONES[:-1])
def test_a_day_begins_when_the_clock_first_shows_its_roll_over_or_later(
    zone: str, rollover: time
) -> None:
    """Beside the furthest that the clock was seen to go, every quarter of an hour."""
    clock = ZoneInfo(zone)
    since_midnight = timedelta(hours=rollover.hour, minutes=rollover.minute)
    known = changes(zone)
    for change in (known[0], known[len(known) // 2], *known[6:8]):
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


@given(st.dates(), st.sampled_from(ROLLOVERS))
@example(date.max, time(23, 30))
@example(date.min, time())
def test_any_day_that_a_journal_can_name_has_a_beginning(day: date, rollover: time) -> None:
    day = max(day, date(1, 1, 3))  # an item is due after it was answered, in 1970 or later
    for zone in ("Pacific/Kiritimati", "Pacific/Honolulu"):
        now = datetime(2026, 11, 20, tzinfo=ZoneInfo(zone))
        assert day_start(day, rollover, now).date() <= day


# What falls due beyond a change.


@pytest.mark.parametrize("clock", [PRAGUE, Local()])
@pytest.mark.parametrize("rollover", [time(2, 30), time(23, 30)])
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
        due = promised.due.astimezone(PRAGUE)
        assert due.replace(tzinfo=None) == datetime.combine(state.due_day, rollover)
        assert due.utcoffset() != now.utcoffset(), "beyond the change"
        assert collection.queue(now, None).next_due == promised.due
        before = (due.astimezone(UTC) - MOMENT).astimezone(clock)
        assert collection.queue(before, None).entries == ()
        (entry,) = collection.queue(due.astimezone(clock), None).entries
        assert entry.due == promised.due


# Clocks that are set back, zones that change, and nights of 23 and 25 hours.


def agrees(collection: Collection, root: Path) -> bool:
    """Whether every state is a fresh fold's, here and in a collection that opens now."""
    states = replay(read_journal(root / ".deltadeck").events, collection.config)
    fresh = opened(root)
    return all(collection.state(item) == fresh.state(item) == states[item] for item in states)


def test_answers_after_the_clock_was_set_back_a_day_come_after_those_before(root: Path) -> None:
    write_card(root, "a")
    write_card(root, "b")
    collection = opened(root)
    days = [NOON, later(minutes=10), later(days=-1), later(days=-1, minutes=3), later(days=1)]
    given = [collection.rate("a", Rating.GOOD, at, 1000) for at in days]
    assert collection.events("a") == given == sorted(given, key=lambda event: event.id)
    assert [event.at for event in given] == days
    assert agrees(collection, root)
    state = collection.state("a")
    assert isinstance(state, Review)
    assert state.reviewed == days[-1]
    collection.queue(later(days=-1))
    collection.statistics(later(days=-1))
    assert collection.today(later(days=-1)).reviewed == 2
    undone = collection.undo(later(days=-2))
    assert undone is not None
    assert getattr(undone.what, "target", "") == given[-1].id, "the last one given, not the latest"
    assert agrees(collection, root)


def test_answers_from_the_future_are_said_until_the_clock_gets_there(root: Path) -> None:
    write_card(root, "a")
    opened(root).rate("a", Rating.GOOD, later(days=400), 0)
    (problem,) = opened(root).problems
    assert "from the future" in problem.message
    assert "Check this computer's clock" in problem.hint
    collection = opened(root)
    collection.rate("a", Rating.EASY, NOON, 0)
    assert agrees(collection, root)
    assert opened(root, later(days=401)).problems == ()


@pytest.mark.parametrize("year", [1, 1969, 3000])
def test_a_clock_beyond_all_study_is_refused_not_acknowledged(root: Path, year: int) -> None:
    """A line that could not be read again would be a lost answer."""
    write_card(root, "a")
    collection = opened(root)
    with pytest.raises(JournalError, match="Check this computer's clock; nothing was recorded"):
        collection.rate("a", Rating.GOOD, NOON.replace(year=year, month=6), 0)
    assert read_journal(root / ".deltadeck").events == []
    collection.rate("a", Rating.GOOD, NOON, 0)
    assert agrees(collection, root)


def test_a_journey_rewrites_no_study_day(root: Path) -> None:
    write_card(root, "a")
    collection = opened(root)
    auckland, honolulu = ZoneInfo("Pacific/Auckland"), ZoneInfo("Pacific/Honolulu")
    start = datetime(2026, 11, 22, 9, tzinfo=auckland)
    events = [
        collection.rate("a", Rating.EASY, start, 0),
        collection.rate("a", Rating.GOOD, (start + timedelta(hours=9)).astimezone(honolulu), 0),
    ]
    assert [event.day for event in events] == [date(2026, 11, 22), date(2026, 11, 21)]
    assert [event.offset for event in events] == [13 * 60, -10 * 60]
    assert collection.events("a") == events
    state = collection.state("a")
    assert isinstance(state, Review)
    assert state.day == date(2026, 11, 21)
    assert agrees(collection, root)


def test_every_machine_reads_the_same_schedule_whatever_its_zone(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for item in "abc":
        write_card(root, item)
    collection = opened(root)
    for number in range(12):
        at = later(hours=7 * number).astimezone(PRAGUE)
        collection.rate("abc"[number % 3], Rating(number % 4 + 1), at, 0)
    states = [collection.state(item) for item in "abc"]
    for zone in ("Pacific/Auckland", "America/Los_Angeles"):
        monkeypatch.setenv("XDG_CACHE_HOME", str(root.with_name(zone.replace("/", "-"))))
        with living_in(zone):
            there = Collection.open(root, datetime(2026, 12, 1, tzinfo=UTC))
            assert [there.state(item) for item in "abc"] == states
            assert there.problems == ()


#: 02:00 becomes 03:00, and 03:00 becomes 02:00.
SPRING, AUTUMN = date(2026, 3, 29), date(2026, 10, 25)


def wall(day: date, hour: int, minute: int, fold: int = 0) -> datetime:
    return datetime(day.year, day.month, day.day, hour, minute, tzinfo=PRAGUE, fold=fold)


@pytest.mark.parametrize(("night", "hours"), [(SPRING, 2), (AUTUMN, 4)])
def test_a_learning_step_lasts_as_long_as_it_says_in_either_night(
    root: Path, night: date, hours: int
) -> None:
    """From 01:30 to 04:30 on the wall: 2 hours in spring, 4 in autumn."""
    write_card(root, "a")
    before = wall(night, 1, 30)
    collection = opened(root, before)
    collection.rate("a", Rating.GOOD, before, 0)
    state = collection.state("a")
    assert isinstance(state, Learning)
    assert state.due - before.astimezone(UTC) == timedelta(minutes=10)
    assert wall(night, 4, 30).astimezone(UTC) - before.astimezone(UTC) == timedelta(hours=hours)
    second = collection.rate("a", Rating.GOOD, wall(night, 4, 30), 0)
    assert second.day == night
    assert collection.events("a")[0].day == night - timedelta(days=1)
    assert agrees(collection, root)
