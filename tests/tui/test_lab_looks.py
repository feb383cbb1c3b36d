"""What the lab looks like.  After a wanted change: pytest tests/tui/test_lab_looks.py
--snapshot-update, and look at each picture.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.paths import SEED
from tests.tui.driving import RIGHT, Clock, Driver
from tests.tui.lab_driving import GIVEN, open_lab, write_answer
from tui.app import DeltadeckApp

SLOPE_FORGOTTEN = "dL/dx[j] = sum(delta[k] * W[k,j] for k)"


@pytest.mark.parametrize(
    ("card", "answer", "keys"),
    [
        pytest.param(SEED.read_text(encoding="utf-8"), RIGHT, (), id="right"),
        pytest.param(GIVEN, SLOPE_FORGOTTEN, ("ctrl+g",), id="usual"),
    ],
)
def test_lab(
    snap_compare: Callable[..., bool], folder: Path, card: str, answer: str, keys: tuple[str, ...]
) -> None:
    (folder / "card.md").write_text(card, encoding="utf-8")
    clock = Clock()
    app = DeltadeckApp(folder, clock=clock, theme="textual-dark")

    async def before(pilot: Pilot[Any]) -> None:
        driver = Driver(app, pilot, clock)
        await driver.settle()
        await open_lab(driver)
        await write_answer(driver, answer)
        await driver.press(*keys)

    assert snap_compare(app, terminal_size=(80, 24), run_before=before)
