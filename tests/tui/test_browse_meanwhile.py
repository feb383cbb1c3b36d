"""While the browser changes many cards: how far it is, keys that wait, and leaving."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deck.collection import Collection
from deck.events import EventPayload, Reset, Suspended, Undone
from deck.fsrs import Rating
from deck.journal import locked
from deck.replay import New
from tests.tui.browsing import opened, three_cards
from tests.tui.driving import Clock, Driver, journal, running
from tui.screens.home import HomeScreen


@pytest.fixture
def three(folder: Path) -> Path:
    return three_cards(folder)


@contextmanager
def held(folder: Path, driver: Driver) -> Iterator[None]:
    """Another program keeps the journal: whatever is recorded waits."""
    driver.app.open_collection.rate("gamma", Rating.EASY, driver.clock(), 1000)
    with locked(folder / ".deltadeck" / "lock"):
        yield


async def seen(driver: Driver, text: str) -> bool:
    for _ in range(200):
        if text in driver.shown():
            return True
        await driver.pilot.pause(0.01)
    return False


async def test_the_top_line_says_what_is_done_and_then_what_there_is(three: Path) -> None:
    async with running(three, size=(60, 20)) as driver:
        await opened(driver)
        with held(three, driver):
            await driver.pilot.press("asterisk", "s")
            assert await seen(driver, "suspending 3")
        await driver.settle()
        assert "suspending" not in driver.shown()
        assert "3 marked of 3 items" in driver.shown()


async def test_an_undo_waits_for_what_runs(three: Path) -> None:
    async with running(three) as driver:
        await opened(driver)
        with held(three, driver):
            await driver.pilot.press("asterisk", "s", "u")
            await driver.pilot.pause()
        await driver.settle()
        collection = driver.app.open_collection
        assert not any(collection.is_suspended(item) for item in ("alpha", "beta", "gamma"))
        assert "Taken back: 3 items suspended." in driver.said()
        assert not any("no change" in said for said in driver.said())


async def test_home_shows_the_counts_of_the_end_and_browse_can_take_it_back(three: Path) -> None:
    async with running(three) as driver:
        await opened(driver)
        with held(three, driver):
            await driver.pilot.press("asterisk", "s", "escape", "escape")
            await driver.pilot.pause()
            assert driver.screen == "HomeScreen"
        await driver.settle()
        home = driver.app.screen
        assert isinstance(home, HomeScreen)
        assert home._seen is not None
        assert home._seen.rows[0].counts == (0, 0, 0)
        await opened(driver)
        await driver.press("u")
        assert isinstance(driver.app.open_collection.state("alpha"), New)
        assert "Taken back: 3 items suspended." in driver.said()


def test_many_are_recorded_as_one_by_one(three: Path) -> None:
    """And their files say so."""
    now = Clock()()
    collection = Collection.open(three, now=now)
    collection.rate("alpha", Rating.EASY, now, 1000)
    there = collection.state("alpha")
    deeds: list[tuple[str, EventPayload]] = [("alpha", Reset()), ("beta", Suspended(True))]
    events = list(collection.record_each(deeds, now))
    assert [event.item for event in events] == ["alpha", "beta"]
    assert isinstance(collection.state("alpha"), New)
    assert collection.is_suspended("beta")
    assert [collection.cards[name].status for name in ("alpha", "beta")] == [
        "to_learn",
        "suspended",
    ]
    back: list[tuple[str, EventPayload]] = [
        ("alpha", Undone(events[0].id)),
        ("beta", Suspended(False)),
    ]
    assert len(list(collection.record_each(back, now))) == 2
    assert collection.state("alpha") == there
    assert not collection.is_suspended("beta")
    assert len(journal(three, "reset")) == 1
    collection.close()
