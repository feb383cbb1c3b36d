"""Folders of cards for the screens' tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.paths import SEED
from tests.tui.driving import CHOICE, basic, write
from tests.tui.quiet import quiet


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
def quiet_is_no_guess(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pilot guesses by the processor's time whether the app is idle, and is wrong at times."""
    for module in ("textual.app", "textual.pilot"):
        monkeypatch.setattr(f"{module}.wait_for_idle", quiet)
