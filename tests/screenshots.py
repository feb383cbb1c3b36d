"""`make screenshots`: the pictures in README and documentation, taken from the real app.

python -m tests.screenshots [FOLDER] [--all]    SVG files; --all: every size and theme

The decks are the starter deck and one that was studied for half a year, the clock stands still.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape
from pathlib import Path

from tests.paths import ROOT, SEED, STARTER
from tests.tui.driving import Driver, running
from tests.tui.studied import make
from tui.widgets.editors import Editor

#: Of the pictures in the documentation.
SIZE, THEME = (100, 30), "textual-dark"
SIZES = ((80, 24), (120, 40), (60, 20))
THEMES = ("textual-dark", "textual-light")
OVERLAP = "dx[i,j] = delta[k,l] if x[i,j] == max(window(k,l)) else 0"
#: A derivation that goes wrong at its third line: that of docs/derivations.md.
DERIVATION = """a_n = sum_d w_d X_nd
p_n = 1/(1 + exp(-a_n))
dL/dp_n = -t_n/p_n - (1 - t_n)/(1 - p_n)
dL/da_n = dL/dp_n dp_n/da_n = p_n - t_n
dL/dw_d = sum_n dL/da_n da_n/dw_d = sum_n (p_n - t_n) X_nd"""
_TEXT = re.compile(r"<text\b[^>]*>([^<]*)</text>")
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class Tour:
    cards: Callable[[Path], None]
    stops: tuple[tuple[str, tuple[str, ...]], ...]
    """A picture's name, and the keys that lead there from the one before."""


def studied(folder: Path) -> None:
    make(folder)
    shutil.copytree(STARTER, folder / "batch4")


def one(folder: Path) -> None:
    shutil.copy(SEED, folder)


def logistic(folder: Path) -> None:
    """The card of docs/derivations.md."""
    page = (ROOT / "docs" / "derivations.md").read_text(encoding="utf-8")
    rows = page.partition("<<'EOF'\n")[2].partition("\n> EOF")[0].split("\n")
    card = "\n".join(row.removeprefix(">").removeprefix(" ") for row in rows)
    (folder / "logistic.md").write_text(card, encoding="utf-8")


TOURS = (
    Tour(
        studied,
        (
            ("home", ()),
            ("browse", ("b", "slash", *"max", "enter")),
            ("statistics", ("escape", "escape", "s")),
        ),
    ),
    Tour(one, (("study", ("enter", "space")), ("lab", ("c", f"write:{OVERLAP}")))),
    Tour(logistic, (("lab-derivation", ("enter", "c", f"write:{DERIVATION}", "ctrl+g")),)),
)
NAMES = tuple(name for tour in TOURS for name, _ in tour.stops)


async def take(target: Path, size: tuple[int, int], theme: str, prefix: str = "") -> None:
    """Walks through the screens, and saves a picture of each."""
    for tour in TOURS:
        with tempfile.TemporaryDirectory() as home:
            folder = Path(home) / "study"
            folder.mkdir()
            tour.cards(folder)
            async with running(folder, size) as driver:
                driver.app.theme = theme
                for name, keys in tour.stops:
                    for key in keys:
                        await _press(driver, key)
                    picture = await driver.picture()
                    (target / f"{prefix}{name}.svg").write_text(picture, encoding="utf-8")


async def _press(driver: Driver, key: str) -> None:
    kind, _, text = key.partition(":")
    if kind != "write":
        await driver.press(key)
        return
    driver.app.screen.query_one(Editor).text = text
    await driver.settle()


def words(picture: str) -> list[str]:
    """What a picture says, its numbers left out: those of a check's time, for example, differ."""
    return _WORD.findall(" ".join(unescape(text) for text in _TEXT.findall(picture)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "docs")
    parser.add_argument("--all", action="store_true")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    if not args.all:
        asyncio.run(take(args.folder, SIZE, THEME))
        return
    for width, height in SIZES:
        for theme in THEMES:
            prefix = f"{width}x{height}-{theme.removeprefix('textual-')}-"
            asyncio.run(take(args.folder, (width, height), theme, prefix))


if __name__ == "__main__":
    main()
