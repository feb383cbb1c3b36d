"""Three cards, and the browser over them."""

from __future__ import annotations

from pathlib import Path

from tests.tui.driving import Driver, basic, write
from tui.screens.browse import BrowseScreen
from tui.widgets.item_list import LongList


def three_cards(folder: Path) -> Path:
    write(folder, "alpha", basic("alpha", "What is a **Jacobian** of $\\frac{a}{b}$?"))
    write(folder, "beta", basic("beta", "Why is [[alpha]] square?"))
    write(folder, "gamma", basic("gamma", "Où?"))
    return folder


async def opened(driver: Driver, search: str = "") -> LongList:
    driver.app.push_screen(BrowseScreen(search))
    await driver.settle()
    return driver.app.screen.query_one(LongList)
