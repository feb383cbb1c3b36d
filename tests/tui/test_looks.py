"""What every screen looks like: a picture at 80x24 in the dark theme, the text at other sizes.

More of the lab is in test_lab.py, each figure of the statistics in test_statistics.py.  After
a wanted change: pytest tests/tui --snapshot-update, and look at the pictures.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from pytest_textual_snapshot import SVGImageExtension
from syrupy.assertion import SnapshotAssertion
from textual.widgets import Input, TextArea

from tests.paths import SEED, STARTER
from tests.tui.driving import CHOICE, WRONG, Driver, basic, running, write
from tests.tui.studied import make

#: Of the picture; and of the screens whose text is kept alone.
SIZE, OTHERS = (80, 24), [(60, 20), (120, 40)]
MINE, THEIRS = basic("first", "Mine?"), basic("first", "Theirs?")
BROKEN = "---\nid: [half\n---\n# Question\nWhy?\n"


def one(folder: Path) -> None:
    shutil.copy(SEED, folder)


def starter(folder: Path) -> None:
    shutil.copytree(STARTER, folder / "batch4")
    (folder / "half.md").write_text("---\nid: [half\n---\n# Question\n", encoding="utf-8")


def empty(folder: Path) -> None:
    assert folder.is_dir()


def choice(folder: Path) -> None:
    write(folder, "pick", CHOICE.format(id="pick"))


def typing(folder: Path) -> None:
    write(folder, "first", basic("first", solution="The central limit theorem."))
    (folder / ".deltadeck").mkdir()
    (folder / ".deltadeck/config.toml").write_text("type_answers = true\n")


def plain(folder: Path) -> None:
    write(folder, "first", basic("first"))


def four(folder: Path) -> None:
    for name in ("chain", "pooling", "softmax"):
        write(folder, name, basic(name))
    write(folder, "other", basic("other").replace("Pooling", "Control"))


@dataclass(frozen=True, slots=True)
class Look:
    cards: Callable[[Path], None]
    steps: tuple[str, ...]
    """Keys, "write:…" in the editor, "see:…" to wait, or "disk:…" for another program's change."""


def limited(folder: Path) -> None:
    make(folder)
    settings = folder / ".deltadeck" / "config.toml"
    settings.write_text(f"new_per_day = 5\n{settings.read_text('utf-8')}", encoding="utf-8")


#: A minute passes before each.
RATED = ("G", "enter", *(key for rating in "4133" for key in ("space", rating)))
LOOKS = {
    "home": Look(make, ()),
    "study-summary": Look(four, tuple(step for key in RATED for step in ("minute:", key))),
    "first-run": Look(empty, ()),
    "study-question": Look(one, ("enter",)),
    "study-revealed": Look(one, ("enter", "space")),
    "study-choice": Look(choice, ("enter", "a", "space")),
    "study-typed": Look(typing, ("enter", *"the limt", "enter")),
    "study-finished": Look(one, ("enter", "space", "4")),
    "lab": Look(one, ("enter", "c", f"write:{WRONG}")),
    "lab-by-hand": Look(one, ("enter", "c", "ctrl+o", "1", "enter", "0")),
    "browse": Look(make, ("b", "space", "down")),
    "browse-found": Look(starter, ("b", "slash", *"max")),
    "edit": Look(starter, ("enter", "e", f"write:{BROKEN}", "see:line 2")),
    "edit-conflict": Look(
        plain,
        ("enter", "e", f"write:{MINE}", "see:✓", f"disk:{THEIRS}", "ctrl+s"),
    ),
    "add": Look(starter, ("a",)),
    "statistics": Look(make, ("s",)),
    "settings": Look(make, ("comma",)),
    "help": Look(one, ("enter", "question_mark")),
    "problems": Look(starter, ("p",)),
    "own-session": Look(make, ("o",)),
    "more-today": Look(limited, ("plus",)),
    "exam": Look(make, ("x",)),
    "leaving": Look(one, ("enter", "e", "x", "see:line 1", "ctrl+q")),
    "too-small": Look(one, ()),
}  # fmt: skip


@pytest.fixture(autouse=True)
def utf_8(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")


@pytest.mark.parametrize("name", LOOKS)
async def test_looks(name: str, folder: Path, snapshot: SnapshotAssertion) -> None:
    look, pictures = LOOKS[name], snapshot.use_extension(SVGImageExtension)
    look.cards(folder)
    async with running(folder, SIZE) as driver:
        for step in look.steps:
            await take(driver, step, folder)
        if name == "too-small":
            assert await drawn(driver, (50, 12)) == pictures(name="50x12-dark")
            return
        assert await drawn(driver, SIZE) == pictures(name="80x24-dark")
        for size in OTHERS:
            await drawn(driver, size)
            rows = [row.rstrip() for row in driver.shown().splitlines()]
            assert "\n".join(rows) == snapshot(name=f"{size[0]}x{size[1]}")


async def take(driver: Driver, step: str, folder: Path) -> None:
    kind, _, text = step.partition(":")
    if kind == "write":
        driver.app.screen.query_one(TextArea).load_text(text)
        await driver.settle()
    elif kind == "see":
        assert await driver.sees(text)
    elif kind == "minute":
        driver.clock.move(minutes=1)
    elif kind == "disk":
        write(folder, "first", text)
    else:
        await driver.press(step)


async def drawn(driver: Driver, size: tuple[int, int]) -> str:
    """A picture of the screen at that size, with a cursor that does not blink."""
    for field in driver.app.screen.query("*"):
        if isinstance(field, Input | TextArea):
            field.cursor_blink = False
    await driver.pilot.resize_terminal(*size)
    return await driver.picture()
