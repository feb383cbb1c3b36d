"""What home looks like after half a year.  After a wanted change: pytest --snapshot-update."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.driving import Clock, Driver
from tests.tui.studied import make
from tui.app import DeltadeckApp

Snap = Callable[..., bool]


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home") / "study"
    folder.mkdir()
    make(folder)
    return folder


@pytest.mark.parametrize("theme", ["textual-dark", "textual-light"])
@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20)], ids=lambda size: f"{size[0]}")
def test_after_half_a_year(
    studied: Path,
    snap_compare: Snap,
    monkeypatch: pytest.MonkeyPatch,
    size: tuple[int, int],
    theme: str,
) -> None:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    clock = Clock()
    app = DeltadeckApp(studied, clock=clock, theme=theme)

    async def before(pilot: Pilot[Any]) -> None:
        await Driver(app, pilot, clock).settle()

    assert snap_compare(app, terminal_size=size, run_before=before)
