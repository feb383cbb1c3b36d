"""Work in a thread of which only the newest counts, and none once its screen is being left."""

from __future__ import annotations

import asyncio
from threading import Event

from textual.app import App, ComposeResult
from textual.screen import Screen
from textual.widgets import Static

from tui.collection_service import LatestOnly


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
