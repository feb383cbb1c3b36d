"""`make screenshots`: the README's pictures, taken from the real app on the starter deck.

python -m tests.screenshots [FOLDER] [--all]    SVG files; --all: every screen, size and theme
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import tempfile
from pathlib import Path

from tests.paths import ROOT, SEED, STARTER
from tests.tui.driving import RIGHT, WRONG, Clock, Driver
from tui.app import DeltadeckApp

SIZES = ((80, 24), (120, 40), (60, 20))
THEMES = ("textual-dark", "textual-light")
OVERLAP = "dx[i,j] = delta[k,l] if x[i,j] == max(window(k,l)) else 0"


async def tour(target: Path, size: tuple[int, int], theme: str, prefix: str) -> None:
    """Walk through the screens and save each."""
    with tempfile.TemporaryDirectory() as home:
        deck = Path(home) / "study"
        shutil.copytree(STARTER, deck)
        for other in deck.glob("*.md"):
            other.chmod(0o644)
        await _home(deck, target / f"{prefix}home.svg", size, theme)
        for other in deck.glob("*.md"):
            if other.name != SEED.name:
                other.unlink()
        await _card(deck, target, size, theme, prefix)


async def _home(deck: Path, target: Path, size: tuple[int, int], theme: str) -> None:
    clock = Clock()
    app = DeltadeckApp(deck, clock=clock, theme=theme)
    async with app.run_test(size=size) as pilot:
        await Driver(app, pilot, clock).settle()
        target.write_text(app.export_screenshot(), encoding="utf-8")


async def _card(deck: Path, target: Path, size: tuple[int, int], theme: str, prefix: str) -> None:
    clock = Clock()
    app = DeltadeckApp(deck, clock=clock, theme=theme)
    async with app.run_test(size=size) as pilot:
        driver = Driver(app, pilot, clock)

        def save(name: str) -> None:
            (target / f"{prefix}{name}.svg").write_text(app.export_screenshot(), encoding="utf-8")

        await driver.settle()
        await driver.press("enter")
        save("question")
        await driver.press("c")
        await _answer(driver, WRONG)
        save("lab-wrong")
        await _answer(driver, OVERLAP)
        save("lab")
        await _answer(driver, WRONG[:-3])
        save("lab-unreadable")
        await _answer(driver, RIGHT)
        save("lab-right")
        await driver.press("escape", "space")
        save("revealed")
        await driver.press("e")
        save("edit")
        await driver.press("escape", "question_mark")
        save("help")
        await driver.press("escape", "3")
        save("rated")
        await driver.press("escape", "a")
        save("add")


async def _answer(driver: Driver, text: str) -> None:
    from tui.widgets.editor import Editor

    driver.app.screen.query_one(Editor).text = text
    await driver.settle()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "docs")
    parser.add_argument("--all", action="store_true")
    args = parser.parse_args()
    if not args.all:
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(tour(Path(folder), (100, 30), THEMES[0], ""))
            for name in ("home", "lab"):
                shutil.copy(Path(folder) / f"{name}.svg", args.folder / f"{name}.svg")
        return
    args.folder.mkdir(parents=True, exist_ok=True)
    for width, height in SIZES:
        for theme in THEMES:
            prefix = f"{width}x{height}-{theme.removeprefix('textual-')}-"
            asyncio.run(tour(args.folder, (width, height), theme, prefix))


if __name__ == "__main__":
    main()
