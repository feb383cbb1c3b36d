"""What goes on beside the app: work of which the newest counts, garbage, a damaged index."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import random
import weakref
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from threading import Event

import pytest
from textual.app import App, ComposeResult
from textual.screen import Screen
from textual.widgets import Static

from deck.index.store import index_path
from tests.deck.damaging import DAMAGES, clear
from tests.tui.driving import basic, journal, running, write
from tui.garbage import begin_collecting, sweep, sweep_all
from tui.latest import LatestOnly


class Lingering(Static):
    """Stays until it is let go, while the others of its screen are gone already."""

    def __init__(self) -> None:
        super().__init__()
        self.going, self.let_go = Event(), asyncio.Event()

    async def on_unmount(self) -> None:
        self.going.set()
        await self.let_go.wait()


class Asking(Screen[None]):
    def __init__(self) -> None:
        super().__init__()
        self.lingering = Lingering()
        self.heard: list[int] = []
        self.begun, self.may_end = Event(), Event()
        self.newest: LatestOnly[int, int] = LatestOnly(self, self.work, self.hear)

    def compose(self) -> ComposeResult:
        yield Static(id="other")
        yield self.lingering

    def work(self, what: int) -> int:
        self.begun.set()
        assert self.may_end.wait(60)
        return what

    def hear(self, found: int) -> None:
        self.query_one("#other")
        self.heard.append(found)


async def test_only_the_newest_is_delivered() -> None:
    app: App[None] = App()
    async with app.run_test() as pilot:
        screen = Asking()
        await app.push_screen(screen)
        screen.newest.ask(1)
        assert await asyncio.to_thread(screen.begun.wait, 60)
        for what in (2, 3, 4):
            screen.newest.ask(what)
        screen.may_end.set()
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert screen.heard == [4]
        screen.lingering.let_go.set()


async def test_nothing_is_delivered_to_a_screen_whose_children_are_going() -> None:
    app: App[None] = App()
    async with app.run_test():
        screen = Asking()
        await app.push_screen(screen)
        screen.newest.ask(1)
        assert await asyncio.to_thread(screen.begun.wait, 60)
        (worker,) = app.workers
        left = screen.dismiss(None)
        try:
            assert await asyncio.to_thread(screen.lingering.going.wait, 60)
            assert not screen.query("#other")
            screen.may_end.set()  # and not one moment before
            await worker.wait()
            assert not worker.is_cancelled, "the thread had to decide for itself"
        finally:
            screen.lingering.let_go.set()
        await left
        assert screen.heard == []


# What nothing needs any more is given back while the learner reads, and after a sitting.


@pytest.fixture
def as_before() -> Iterator[None]:
    """The collector of the tests is the interpreter's own."""
    thresholds = gc.get_threshold()
    sweep_all()
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)


class _Round:
    """Holds itself."""

    def __init__(self) -> None:
        self.me = self


@pytest.mark.usefixtures("as_before")
def test_a_sweep_takes_rounds_that_nothing_holds_and_a_long_one_what_was_taken_to_stay() -> None:
    lost = weakref.ref(_Round())
    sweep()
    assert lost() is None
    held = _Round()
    lost = weakref.ref(held)
    gc.freeze()
    del held
    sweep()
    assert lost() is not None
    sweep_all()
    assert lost() is None
    held = _Round()
    lost = weakref.ref(held)
    begin_collecting()  # the first sweep finds what start-up needed only once
    del held
    sweep()
    assert lost() is None


@pytest.mark.usefixtures("as_before")
async def test_of_a_sitting_that_was_left_nothing_stays(two: Path) -> None:
    async with running(two) as driver:
        await driver.press("enter", "space", "3", "space")
        lost = weakref.ref(driver.app.screen)
        await driver.press("escape")
        await driver.rest()
        assert lost() is None


# The index may be damaged under the app: it goes on, and what is answered is recorded.

#: Keys from home, through every screen and back.
WAYS = (
    "j k r ctrl+p escape question_mark escape",
    "b j enter escape slash i s : d u e enter escape escape",
    "s j G slash w h a t enter escape escape",
    "slash w h a t enter escape escape x escape p escape",
)


@pytest.mark.parametrize("way", WAYS)
async def test_no_key_ends_the_app_after_the_index_was_damaged_and_answers_are_recorded(
    folder: Path, way: str
) -> None:
    for number in range(4):
        write(folder, f"card{number}", basic(f"card{number}"))
    chance, path, every = random.Random(way), index_path(folder), cycle(DAMAGES.values())
    async with running(folder) as app:
        for key, damage in zip(
            f"{way} enter space 3 space 4 u escape".split(), every, strict=False
        ):
            with contextlib.suppress(OSError, ValueError):  # it is damaged already
                damage(path, chance)
            await app.press(key)
            assert app.app.is_running, key
        assert app.screen == "HomeScreen"
        assert len(journal(folder, "review")) == 2
        assert len(journal(folder, "undo")) == 1
    clear(path)
