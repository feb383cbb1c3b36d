"""Folders of cards for the screens' tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.paths import SEED
from tests.tui.driving import CHOICE, basic, write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Empty, and named so that it looks the same in every run."""
    made = tmp_path / "study"
    made.mkdir()
    return made


@pytest.fixture
def seed(folder: Path) -> Path:
    """The one card with a derivation."""
    shutil.copy(SEED, folder)
    return folder


@pytest.fixture
def two(folder: Path) -> Path:
    """Two plain cards."""
    write(folder, "first", basic("first", "What is [bold]one[/bold]?", "It is $x_*$ *one*."))
    write(folder, "second", basic("second"))
    return folder


@pytest.fixture
def choice(folder: Path) -> Path:
    write(folder, "pick", CHOICE.format(id="pick"))
    return folder


@pytest.fixture(autouse=True)
def quick_to_see_idleness(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pilot looks in steps of 20 ms whether the app is idle, several times for each key.

    Workers are awaited by name (see Driver.settle), so that 10 ms do here.
    """
    monkeypatch.setattr("textual._wait.SLEEP_GRANULARITY", 1 / 100)
    monkeypatch.setattr("textual._wait.SLEEP_IDLE", 1 / 2000)
