"""What home, and the end of a sitting, look like after half a year.

After a wanted change: pytest tests/tui --snapshot-update.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.driving import Clock, Driver, basic, write
from tests.tui.studied import make
from tui.app import DeltadeckApp

Snap = Callable[..., bool]


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home") / "study"
    folder.mkdir()
    make(folder)
    return folder


@pytest.fixture
def snap(snap_compare: Snap, monkeypatch: pytest.MonkeyPatch) -> Snap:
    """Compares the app on a folder after some keys, each a minute after the one before."""
    monkeypatch.setenv("LC_ALL", "C.UTF-8")

    def compare(folder: Path, size: tuple[int, int], theme: str, *keys: str) -> bool:
        clock = Clock()
        app = DeltadeckApp(folder, clock=clock, theme=theme)

        async def before(pilot: Pilot[Any]) -> None:
            driver = Driver(app, pilot, clock)
            await driver.settle()
            for key in keys:
                clock.move(minutes=1)
                await driver.press(key)

        return snap_compare(app, terminal_size=size, run_before=before)

    return compare


every_look = pytest.mark.parametrize(
    ("size", "theme"),
    [
        pytest.param(size, f"textual-{theme}", id=f"{size[0]}-{theme}")
        for size in ((120, 40), (80, 24), (60, 20))
        for theme in ("dark", "light")
    ],
)


@every_look
def test_home(studied: Path, snap: Snap, size: tuple[int, int], theme: str) -> None:
    assert snap(studied, size, theme)


@every_look
def test_the_end_of_a_sitting(folder: Path, snap: Snap, size: tuple[int, int], theme: str) -> None:
    for name in ("chain", "pooling", "softmax"):
        write(folder, name, basic(name))
    write(folder, "other", basic("other").replace("Pooling", "Control"))
    rated = (key for rating in "4133" for key in ("space", rating))
    assert snap(folder, size, theme, "G", "enter", *rated)
