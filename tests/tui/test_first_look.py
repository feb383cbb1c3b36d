"""What home shows before anything is read: what it showed last, where that still holds."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from deck import Rating
from tests.tui.driving import Clock, basic, running, write
from tui.app import DeltadeckApp
from tui.first_look import read
from tui.screens.home import HomeScreen


async def seen_once(folder: Path) -> None:
    async with running(folder):
        pass


async def test_the_next_start_shows_it_before_the_collection_is_open(two: Path) -> None:
    await seen_once(two)
    app = DeltadeckApp(two, clock=Clock())
    app.life.begin = lambda *_: None  # type: ignore[method-assign]  # it never gets so far
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        strips = app.screen._compositor.render_strips()
        shown = "\n".join(strip.text for strip in strips)
        assert app.collection is None
        assert "2 cards, about" in shown
        assert "Pooling" in shown


async def test_a_key_that_comes_too_early_waits(two: Path) -> None:
    await seen_once(two)
    app = DeltadeckApp(two, clock=Clock())
    begin = app.life.begin
    app.life.begin = lambda *_: None  # type: ignore[method-assign]
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        await pilot.press("enter")
        assert isinstance(app.screen, HomeScreen)
        app.run_worker(lambda: begin(app, False), thread=True)
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert type(app.screen).__name__ == "StudyScreen"


def _answer(folder: Path, clock: Clock) -> None:
    from deck import Collection

    collection = Collection.open(folder, now=clock())
    collection.rate("first", Rating.GOOD, clock(), 1000)
    collection.close()


def _next_day(_: Path, clock: Clock) -> None:
    clock.move(days=1)


def _back(_: Path, clock: Clock) -> None:
    clock.move(hours=-1)


def _settings(folder: Path, _: Clock) -> None:
    (folder / ".deltadeck").mkdir(exist_ok=True)
    (folder / ".deltadeck" / "config.toml").write_text("new_per_day = 1\n")


@pytest.mark.parametrize("change", [_answer, _next_day, _back, _settings])
async def test_it_is_not_shown_where_it_no_longer_holds(
    two: Path, change: Callable[[Path, Clock], None]
) -> None:
    await seen_once(two)
    clock = Clock()
    assert read(two, clock()) is not None
    change(two, clock)
    assert read(two, clock()) is None


async def test_a_learning_step_that_came_due_ends_it(two: Path) -> None:
    clock = Clock()
    _answer(two, clock)
    await seen_once(two)
    assert read(two, clock()) is not None
    assert read(two, clock() + timedelta(minutes=30)) is None


@pytest.mark.parametrize("text", ["", "{}", "[1]", "null", '{"made": 3, "until": 4}'])
async def test_a_damaged_one_is_none(two: Path, text: str) -> None:
    await seen_once(two)
    import os

    [kept] = Path(os.environ["XDG_CACHE_HOME"]).rglob("home/*.json")
    kept.write_text(text)
    assert read(two, Clock()()) is None


async def test_what_changed_meanwhile_is_shown_as_soon_as_it_is_known(two: Path) -> None:
    await seen_once(two)
    write(two, "third", basic("third"))
    async with running(two) as driver:
        assert "3 cards, about" in driver.shown()
