"""The index may be damaged under the app: it goes on, and what is answered is recorded."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

import pytest

from deck.index.store import index_path
from tests.deck.damaging import DAMAGES, clear
from tests.tui.driving import basic, journal, running, write

#: Keys from home, through a screen and back, with the screen that they are pressed on.
WAYS = {
    "home": ["j", "k", "r", "ctrl+p", "escape", "question_mark", "escape"],
    "browse": ["b", "j", "enter", "escape", "slash", *"is:due", "enter", "escape", "escape"],
    "statistics": ["s", "j", "G", "slash", *"what", "enter", "escape", "escape"],
    "search": ["slash", *"what", "enter", "escape", "escape"],
    "exam": ["x", "escape"],
    "problems": ["p", "escape"],
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", range(2))
async def test_no_key_ends_the_app_after_the_index_was_damaged(
    folder: Path, way: str, seed: int
) -> None:
    for number in range(4):
        write(folder, f"card{number}", basic(f"card{number}"))
    chance, path = random.Random(f"{way} {seed}"), index_path(folder)
    async with running(folder) as app:
        for key in WAYS[way]:
            with contextlib.suppress(OSError, ValueError):  # it is damaged already
                DAMAGES[chance.choice(list(DAMAGES))](path, chance)
            await app.press(key)
            assert app.app.is_running
    clear(path)


@pytest.mark.parametrize("damage", DAMAGES)
async def test_answers_are_recorded_after_the_index_was_damaged(folder: Path, damage: str) -> None:
    for number in range(4):
        write(folder, f"card{number}", basic(f"card{number}"))
    chance, path = random.Random(damage), index_path(folder)
    async with running(folder) as app:
        for number, key in enumerate(["enter", "space", "3", "space", "4", "u", "escape"]):
            with contextlib.suppress(OSError, ValueError):
                DAMAGES[damage](path, chance)
            await app.press(key)
            assert app.app.is_running, number
        assert app.screen == "HomeScreen"
        assert len(journal(folder, "review")) == 2
        assert len(journal(folder, "undo")) == 1
    clear(path)
