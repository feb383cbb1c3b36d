"""What the lab looks like, in its sizes and both themes.

After a wanted change: pytest tests/tui/test_lab_looks.py --snapshot-update
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from engine.exercise import exercise_for
from tests.paths import SEED
from tests.tui.driving import RIGHT, UNREADABLE, WRONG, Clock, Driver
from tests.tui.lab_driving import GIVEN, write_answer
from tui.app import DeltadeckApp
from tui.lab.server import brief
from tui.screens.lab import LabScreen

Snap = Callable[..., bool]
SMALL, USUAL, LARGE = (60, 20), (80, 24), (120, 40)
DARK, LIGHT = "textual-dark", "textual-light"
SLOPE_FORGOTTEN = "dL/dx[j] = sum(delta[k] * W[k,j] for k)"


@pytest.fixture
def snap(snap_compare: Snap, folder: Path) -> Snap:
    """Compares the lab of a card after an answer and some keys."""

    def compare(answer: str, *keys: str, card: str, size: tuple[int, int], theme: str) -> bool:
        (folder / "card.md").write_text(card, encoding="utf-8")
        clock = Clock()
        app = DeltadeckApp(folder, clock=clock, theme=theme)

        async def before(pilot: Pilot[Any]) -> None:
            driver = Driver(app, pilot, clock)
            await driver.settle()
            [made] = app.open_collection.cards.values()
            exercise = exercise_for(made.exercise, made.tags, made.type)
            assert exercise is not None
            app.push_screen(LabScreen(made.items[0].id, made, brief(exercise), None))
            await driver.settle()
            if answer:
                await write_answer(driver, answer)
            await driver.press(*keys)

        return snap_compare(app, terminal_size=size, run_before=before)

    return compare


@pytest.mark.parametrize(
    ("answer", "keys", "size", "theme"),
    [
        pytest.param("", (), LARGE, DARK, id="nothing"),
        pytest.param("", ("d", "x"), USUAL, LIGHT, id="suggestion"),
        pytest.param(WRONG, ("ctrl+l", "ctrl+l"), LARGE, LIGHT, id="window"),
        pytest.param(WRONG, (), LARGE, DARK, id="wrong-large"),
        pytest.param(WRONG, (), USUAL, LIGHT, id="wrong"),
        pytest.param(WRONG, (), SMALL, DARK, id="wrong-small"),
        pytest.param(RIGHT, (), USUAL, DARK, id="right"),
        pytest.param(UNREADABLE, (), SMALL, LIGHT, id="unreadable"),
        pytest.param("", ("ctrl+o", "1", "enter"), SMALL, LIGHT, id="by-hand"),
    ],
)
def test_max_pooling(
    snap: Snap, answer: str, keys: tuple[str, ...], size: tuple[int, int], theme: str
) -> None:
    card = SEED.read_text(encoding="utf-8")
    assert snap(answer, *keys, card=card, size=size, theme=theme)


@pytest.mark.parametrize(
    ("size", "theme"),
    [pytest.param(USUAL, DARK, id="usual"), pytest.param(LARGE, LIGHT, id="large")],
)
def test_a_forward_message_of_the_card(snap: Snap, size: tuple[int, int], theme: str) -> None:
    assert snap(SLOPE_FORGOTTEN, "ctrl+g", card=GIVEN, size=size, theme=theme)
