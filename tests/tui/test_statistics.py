"""The statistics screen: what it says, its keys, and each figure as text.

After a wanted change: pytest tests/tui/test_statistics.py --snapshot-update, and look at the text.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from deck.collection import Collection
from deck.stats import Statistics
from tests.tui.driving import Clock, Driver, running
from tests.tui.studied import make
from tui.plots.catalogue import ENTRIES
from tui.screens.statistics import StatisticsScreen


@pytest.fixture(autouse=True)
def blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")


@pytest.fixture
def studied(folder: Path) -> Path:
    make(folder)
    return folder


@asynccontextmanager
async def showing(
    folder: Path, name: str = "", size: tuple[int, int] = (80, 24), clock: Clock | None = None
) -> AsyncIterator[Driver]:
    """The screen, once everything is counted."""
    async with running(folder, size, clock) as app:
        screen = StatisticsScreen(name)
        await app.app.push_screen(screen)
        while screen.is_waiting:
            await app.settle()
        yield app


def figure(app: Driver) -> list[str]:
    """The rows of the figure alone."""
    x, y, width, height = app.app.screen.query_one("#figure").region
    return [row[x : x + width] for row in app.shown().splitlines()[y : y + height]]


def words(app: Driver) -> str:
    """What the figure says."""
    return " ".join(" ".join(figure(app)).split())


def row_of(app: Driver, title: str) -> list[str]:
    """A row of the list: its title, and its number."""
    [row] = [row for row in app.shown().splitlines() if row[:16].strip().startswith(title)]
    return row[:20].split()


async def test_the_list_and_every_figure(studied: Path, snapshot: SnapshotAssertion) -> None:
    async with showing(studied, size=(80, 24)) as app:
        assert row_of(app, "Stability") == ["Stability", "60", "d"]
        for entry in ENTRIES:
            # An exam's plan and the simulated workload are computed when they are gone to.
            await app.settle()
            rows = [row.rstrip() for row in app.shown().splitlines()]
            assert "\n".join(rows) == snapshot(name=entry.name)
            await app.press("j")
        assert row_of(app, "Exam")[2] == "p"


async def test_every_figure_is_reached_with_j_and_with_the_arrows(studied: Path) -> None:
    async with showing(studied) as app:
        for size, key, alone in (((80, 24), "j", False), ((60, 20), "down", True)):
            await app.pilot.resize_terminal(*size)
            await app.settle()
            assert ("1 of 15" in app.shown()) is alone
            assert ("Stability" in app.shown()) is not alone
            seen = []
            for _ in range(4):
                seen.append(words(app).split()[0])
                await app.press(key)
            assert seen == ["Due", "Calendar", "True", "Reviews"]
            await app.press("k", "up")
            assert words(app).startswith("True")
            await app.do("g", "are due today")
        await app.do("G k", "Machine Learning, exam in 61 days. 70 points are within reach")


async def test_the_span_is_chosen_by_numbers_and_by_arrows(studied: Path) -> None:
    async with showing(studied, "work") as app:
        await app.do("", "‹quarter›")
        await app.do("left", "‹month›", "in the last 4 weeks")
        await app.do("left l right", "‹year›")
        await app.do("4", "‹all›", "since 8 May 2026")
        await app.do("1", "‹month›")


async def test_a_search_and_a_course_narrow_and_are_said(studied: Path) -> None:
    async with showing(studied, "added") as app:
        await app.do("3 slash =tag:t1 enter", "15 cards were added", "/tag:t1")
        await app.do("slash =␣is:du enter", "Did you mean due?", gone=("/ Filter",))
        rows = app.shown().splitlines()
        [line] = [n for n, row in enumerate(rows) if "is:du" in row and "^" in rows[n + 1]]
        assert rows[line].index("du") == rows[line + 1].index("^")
        # What cannot be read changes nothing.
        await app.do("escape", "15 cards were added", "/ Filter", on="StatisticsScreen")
        cleared = " ".join(["backspace"] * 6)
        await app.do(f"slash {cleared} enter", "60 cards were added")
        await app.do("c", "20 cards were added", "Control")
        await app.do("j", "Control has no exam yet", "exam = 2027-01-20")
        await app.do("k c", "40 cards were added")
        await app.do("C C", "60 cards were added")


async def test_what_a_figure_means_is_a_key_away(studied: Path) -> None:
    async with showing(studied, "calibration", (60, 20)) as app:
        await app.do("i", "Log loss is the mean surprise")
        await app.do("enter", gone=("Log loss is the mean surprise",))


async def test_an_empty_collection_says_what_will_be_here_and_the_next_key(folder: Path) -> None:
    async with showing(folder) as app:
        for _ in range(len(ENTRIES) - 1):
            said = words(app)
            assert "will appear here" in said, said
            assert any(
                way in said
                for way in ("Press a to", "Press escape", "Press c on", "Write `[courses")
            )
            await app.press("j")
        assert "Write cards first" in words(app)


async def test_a_span_in_which_nothing_was_done_names_the_longer_one(folder: Path) -> None:
    make(folder, 3)
    clock = Clock()
    clock.move(days=200)
    async with showing(folder, "retention", clock=clock) as app:
        assert "Press 4 for all that was ever done." in words(app)
        await app.do("4", "You recalled")


async def test_the_screen_is_there_before_the_numbers_are(
    studied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, counted = threading.Event(), Collection.statistics

    def slow(self: Collection, *given: Any) -> Statistics:
        held.wait(30)
        return counted(self, *given)

    monkeypatch.setattr(Collection, "statistics", slow)
    async with running(studied, (80, 24)) as app:
        await app.app.push_screen(StatisticsScreen())
        await app.pilot.pause()
        assert "Counting the answers" in words(app)
        assert "Stability" in app.shown()
        await app.pilot.press("3", "j")
        await app.pilot.pause()
        assert "‹year›" in app.shown()
        held.set()
        await app.settle()
        assert "in the last 52 weeks" in words(app)


async def test_without_utf_8_it_is_drawn_in_ascii(
    studied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    async with showing(studied, "work") as app:
        assert all(row.isascii() for row in figure(app))
        assert any("##" in row for row in figure(app))
