"""What the screens look like.  After a wanted change: pytest tests/tui --snapshot-update."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import TextArea

from tests.paths import SEED, STARTER
from tests.tui.driving import Clock, Driver
from tui.app import DeltadeckApp

Snap = Callable[..., bool]


@pytest.fixture
def snap(snap_compare: Snap, folder: Path) -> Snap:
    """Compares the app after some steps: keys, or "write:…" for an answer."""
    clock = Clock()

    def compare(*steps: str, theme: str = "textual-dark", size: tuple[int, int] = (80, 24)) -> bool:
        app = DeltadeckApp(folder, clock=clock, theme=theme)

        async def before(pilot: Pilot[Any]) -> None:
            driver = Driver(app, pilot, clock)
            await driver.settle()
            for step in steps:
                await take(driver, step)

        return snap_compare(app, terminal_size=size, run_before=before)

    return compare


async def take(driver: Driver, step: str) -> None:
    kind, _, text = step.partition(":")
    if kind == "write":
        driver.app.screen.query_one(TextArea).load_text(text)
        await driver.settle()
    else:
        await driver.press(step)


@pytest.fixture
def starter(folder: Path) -> None:
    shutil.copytree(STARTER, folder / "batch4")
    (folder / "half.md").write_text("---\nid: [half\n---\n# Question\n", encoding="utf-8")


@pytest.fixture
def one(folder: Path) -> None:
    shutil.copy(SEED, folder)


@pytest.mark.parametrize("theme", ["textual-dark", "textual-light"])
@pytest.mark.usefixtures("starter")
def test_home(snap: Snap, theme: str) -> None:
    assert snap(theme=theme)


@pytest.mark.usefixtures("one")
def test_study_question(snap: Snap) -> None:
    assert snap("enter")


@pytest.mark.usefixtures("one")
def test_study_revealed(snap: Snap) -> None:
    assert snap("enter", "space")


@pytest.mark.usefixtures("one")
def test_study_finished(snap: Snap) -> None:
    assert snap("enter", "space", "4")


@pytest.mark.usefixtures("one")
def test_edit_with_a_problem(snap: Snap) -> None:
    assert snap("enter", "e", "write:---\nid: [half\n---\n# Question\nWhy?\n")
