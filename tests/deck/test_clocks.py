"""Clocks that are set back, zones that change, and nights of 23 and 25 hours."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from deck.collection import Collection
from deck.errors import JournalError
from deck.fsrs import Rating
from deck.index.lines import read_journal
from deck.replay import Learning, Review, replay
from tests.deck.given import NOON, later, write_card
from tests.paths import ROOT

PRAGUE = ZoneInfo("Europe/Prague")


def opened(root: Path, now: datetime = NOON) -> Collection:
    return Collection.open(root, now, "desk")


def agrees(collection: Collection, root: Path) -> bool:
    """Whether every state is a fresh fold's, here and in a collection that opens now."""
    states = replay(read_journal(root / ".deltadeck").events, collection.config)
    fresh = opened(root)
    return all(collection.state(item) == fresh.state(item) == states[item] for item in states)


# A wrong clock.


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


def test_a_clock_that_was_set_back_while_another_device_was_not(root: Path) -> None:
    write_card(root, "a")
    wrong, right = opened(root), Collection.open(root, NOON, "phone")
    given = [
        right.rate("a", Rating.EASY, NOON, 0),
        wrong.rate("a", Rating.AGAIN, later(days=-1), 0),
        right.rate("a", Rating.GOOD, later(minutes=1), 0),
    ]
    assert wrong.events("a") == right.events("a") == given
    assert wrong.state("a") == right.state("a")
    assert agrees(right, root)


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


@pytest.mark.parametrize("year", [1, 1969, 3000, 9998])
def test_a_clock_beyond_all_study_is_refused_not_acknowledged(root: Path, year: int) -> None:
    """A line that could not be read again would be a lost answer."""
    write_card(root, "a")
    collection = opened(root)
    with pytest.raises(JournalError, match="Check this computer's clock; nothing was recorded"):
        collection.rate("a", Rating.GOOD, NOON.replace(year=year, month=6), 0)
    assert read_journal(root / ".deltadeck").events == []
    collection.rate("a", Rating.GOOD, NOON, 0)
    assert agrees(collection, root)


# Another zone.


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


def test_every_machine_reads_the_same_schedule_whatever_its_zone(root: Path) -> None:
    for item in "abc":
        write_card(root, item)
    collection = opened(root)
    for number in range(12):
        at = later(hours=7 * number).astimezone(PRAGUE)
        collection.rate("abc"[number % 3], Rating(number % 4 + 1), at, 0)
    script = (
        "import sys, datetime; from deck import Collection\n"
        "c = Collection.open(sys.argv[1], datetime.datetime(2026, 12, 1, tzinfo=datetime.UTC))\n"
        "print([c.state(item) for item in 'abc'], c.problems)\n"
    )
    expected = f"{[collection.state(item) for item in 'abc']} ()\n"
    for zone in ("Pacific/Auckland", "America/Los_Angeles"):
        cache = str(root.with_name(zone.replace("/", "-")))
        environment = {**os.environ, "TZ": zone, "XDG_CACHE_HOME": cache}
        command = [sys.executable, "-c", script, str(root)]
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        )
        assert done.stdout == expected


# Nights in which the clock is changed.

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


@pytest.mark.parametrize("night", [SPRING, AUTUMN])
def test_both_nights_roll_over_once_at_four(root: Path, night: date) -> None:
    yesterday = night - timedelta(days=1)
    times = [wall(night, h, m, fold) for h in range(6) for m in (0, 30, 59) for fold in (0, 1)]
    times.sort(key=lambda at: at.astimezone(UTC))
    for number in range(len(times)):
        write_card(root, f"card{number:02d}")
    collection = opened(root, times[0])
    days = [
        collection.rate(f"card{number:02d}", Rating.EASY, at, 0).day
        for number, at in enumerate(times)
    ]
    real = [at.astimezone(UTC).astimezone(PRAGUE) for at in times]
    for day, at, shown in zip(days, times, real, strict=True):
        if at.utcoffset() == shown.utcoffset():  # else a time that no clock showed
            assert day == (yesterday if shown.hour < 4 else night)
    assert collection.today(wall(night, 12, 0)).reviewed == days.count(night)
    assert agrees(collection, root)


@pytest.mark.parametrize("night", [SPRING, AUTUMN])
def test_an_item_due_on_the_day_after_the_night_is_due_from_four_o_clock(
    root: Path, night: date
) -> None:
    write_card(root, "a")
    collection = opened(root, wall(night, 1, 0))
    evening = wall(night - timedelta(days=1), 20, 0)
    collection.rate("a", Rating.EASY, evening, 0)
    state = collection.state("a")
    assert isinstance(state, Review)
    due = state.due_day
    assert collection.preview("a", wall(due, 12, 0))[Rating.GOOD].interval >= timedelta(days=1)
    assert collection.queue(wall(due, 3, 59)).entries == ()
    assert [entry.item_id for entry in collection.queue(wall(due, 4, 0)).entries] == ["a"]
