"""What home shows before anything is read: what it showed last, where that still holds."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from textual.geometry import Size

from deck.fsrs import Rating
from tests.tui.driving import Clock, basic, running, write
from tests.tui.studied import make
from tui.app import DeltadeckApp
from tui.home_state import (
    Activity,
    DeckRow,
    ExamLine,
    HomeSnapshot,
    HomeState,
    Trouble,
    keep,
    read,
    stamp,
)
from tui.screens.home import HomeScreen
from tui.screens.home_panel import panel
from tui.widgets.figure import calendar


async def seen_once(folder: Path) -> None:
    async with running(folder):
        pass


def kept() -> Path:
    [file] = Path(os.environ["XDG_CACHE_HOME"]).rglob("home/*.json")
    return file


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
    from deck.collection import Collection

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


async def test_week_recall_calendar_and_exam_are_there_before_the_collection(folder: Path) -> None:
    make(folder)
    async with running(folder) as driver:
        before = driver.shown()
    app = DeltadeckApp(folder, clock=Clock())
    app.life.begin = lambda *_: None  # type: ignore[method-assign]
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        await pilot.pause()
        strips = app.screen._compositor.render_strips()
        assert "\n".join(strip.text for strip in strips) == before
        await pilot.press("x")
        assert isinstance(app.screen, HomeScreen)
    for words in ("15 due in 7 days", "88 % of 42", "Sun", "Machine Learning in 61 days"):
        assert words in before


def test_what_is_kept_is_what_is_read(folder: Path) -> None:
    for look in (look_of(folder), HomeSnapshot(look_of(folder).seen)):
        keep(folder, look)
        assert read(folder, Clock()()) == look


@pytest.mark.parametrize("text", ["", "{}", "[1]", "null", '{"made": 3, "until": 4}', "[" * 9999])
async def test_a_damaged_one_is_none(two: Path, text: str) -> None:
    await seen_once(two)
    kept().write_text(text)
    assert read(two, Clock()()) is None


ODD: st.SearchStrategy[Any] = st.sampled_from(
    (None, -1, 10**12, 0.5, "a", "", [], {}, True, float("inf"))
)


def _places(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside: Any = enumerate(value) if isinstance(value, list) else ()
    inside = value.items() if isinstance(value, dict) else inside
    return [way, *(place for key, each in inside for place in _places(each, (*way, key)))]


def look_of(folder: Path) -> HomeSnapshot:
    now = Clock()()
    ends = now + timedelta(hours=18)
    rows = (DeckRow("Pooling", "Pooling", 0, (2, 0, 1)), DeckRow("a", "Pooling › a", 1, (0, 0, 1)))
    trouble = (Trouble("error"),)
    seen = HomeState(rows, 3, ends, True, 9, 4.5, trouble, False, now, ends, stamp(folder))
    around = Activity(now.date(), (1,) * 7, 8, 9, 0.9, 3, 0.5, (0, 4, 2))
    exam = ExamLine("Pooling", now.date(), 0, 2.5, 1.0, 3.0, 2.0, True)
    return HomeSnapshot(seen, around, (exam,))


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_stands_in_it_is_none_or_can_be_drawn(folder: Path, data: st.DataObject) -> None:
    keep(folder, look_of(folder))
    whole = json.loads(kept().read_text())
    *way, last = data.draw(st.sampled_from([place for place in _places(whole) if place]))
    inner = whole
    for key in way:
        inner = inner[key]
    inner[last] = data.draw(ODD)
    kept().write_text(json.dumps(whole))
    look = read(folder, Clock()())
    if look is not None:
        panel(look.seen, look.around, look.exams, Size(80, 24), Clock()(), str)
        if look.around is not None:
            calendar(look.around, 70, 8)
            calendar(look.around, 70, 1)


async def test_what_changed_meanwhile_is_shown_as_soon_as_it_is_known(two: Path) -> None:
    await seen_once(two)
    write(two, "third", basic("third"))
    async with running(two) as driver:
        assert "3 cards, about" in driver.shown()
