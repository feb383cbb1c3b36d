"""No key that a footer shows is dead: each changes what is seen, says something, or leaves."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.paths import SEED
from tests.tui.driving import Driver, basic, running, write

#: Each screen by the keys that lead there from home.
SCREENS = {
    "home": (),
    "question": ("enter",),
    "answer": ("enter", "space"),
    "lab": ("enter", "c"),
    "edit": ("enter", "e"),
    "add": ("a",),
    "browse": ("b",),
    "settings": ("comma",),
    "statistics": ("s",),
    "search": ("slash",),
}


@pytest.fixture
def cards(folder: Path) -> Path:
    shutil.copy(SEED, folder)
    write(folder, "other", basic("other"))
    return folder


async def go(driver: Driver, keys: tuple[str, ...]) -> None:
    for key in keys:
        await driver.press(key)


def shown_keys(driver: Driver) -> list[str]:
    """The keys of the footer, by which the actions are reached."""
    active = driver.app.screen.active_bindings.values()
    return [each.binding.key for each in active if each.binding.show and each.enabled]


@pytest.mark.parametrize("name", SCREENS)
async def test_no_key_of_a_footer_is_dead(cards: Path, name: str) -> None:
    way = SCREENS[name]
    async with running(cards) as driver:
        await go(driver, way)
        keys = shown_keys(driver)
    assert keys
    dead = [key for key in keys if not await works(cards, way, key)]
    assert dead == []


async def works(cards: Path, way: tuple[str, ...], key: str) -> bool:
    async with running(cards) as driver:
        await go(driver, way)
        before = (driver.shown(), driver.said(), driver.screen, driver.app.focused)
        await driver.press(key)
        after = (driver.shown(), driver.said(), driver.screen, driver.app.focused)
        return before != after or driver.app.return_code is not None
