"""What was being written when the program ended is offered at the next start, on home."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.tui.driving import Driver, basic, running
from tui.screens.edit import EditScreen
from tui.screens.home import HomeScreen
from tui.widgets.editors import CardEditor

#: Keeps a text of the cards that are named, as editors do, and then waits until it is killed.
WRITES = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from tui.drafts import Buffer
for path in map(Path, sys.argv[2:]):
    seen = path.read_text() if path.exists() else None
    text = sys.argv[1].replace("ID", path.stem)
    assert Buffer(path).keep(text, seen, datetime.now(UTC)) == ""
print("kept", flush=True)
sys.stdin.read()
"""
WRITTEN = basic("ID", "Was it lost?")
NEW = "20261120_093000"


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def writers() -> Iterator[list[subprocess.Popen[str]]]:
    running: list[subprocess.Popen[str]] = []
    yield running
    for each in running:
        each.kill()
        each.communicate()


def writing(writers: list[subprocess.Popen[str]], *paths: Path) -> subprocess.Popen[str]:
    """Another program that has these cards in its editors."""
    command = [sys.executable, "-c", WRITES, WRITTEN, *map(str, paths)]
    pipe = subprocess.PIPE
    made = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)
    writers.append(made)
    assert made.stdout is not None
    assert made.stdout.readline() == "kept\n"
    return made


def killed(writers: list[subprocess.Popen[str]], *paths: Path) -> None:
    each = writing(writers, *paths)
    each.kill()
    each.wait()


def editor(driver: Driver) -> CardEditor:
    return driver.app.screen.query_one(CardEditor)


def says_left(driver: Driver) -> list[str]:
    return [said for said in driver.said() if "when the program ended" in said]


def kept(data: Path) -> list[Path]:
    return list(data.glob("deltadeck/editing/*"))


async def test_a_new_card_that_was_never_saved_is_offered_and_is_the_draft_that_it_was(
    two: Path, data: Path, writers: list[subprocess.Popen[str]]
) -> None:
    killed(writers, two / f"{NEW}.md")
    async with running(two) as driver:
        assert says_left(driver) == [
            "1 card was being written when the program ended: ctrl+o opens it."
        ]
        await driver.press("ctrl+o")
        assert driver.screen == "EditScreen"
        assert editor(driver).text == WRITTEN.replace("ID", NEW)
        assert "not saved" in driver.shown()
        assert len(kept(data)) == 1, "another kill would lose nothing"
        await driver.press("ctrl+s")
        assert driver.screen == "HomeScreen"
        assert "Was it lost?" in (two / f"{NEW}.md").read_text()
        assert kept(data) == []
        assert "ctrl+o" not in driver.app.screen.active_bindings
    async with running(two) as driver:
        assert says_left(driver) == []


async def test_a_card_that_is_there_is_asked_about_as_everywhere(
    two: Path, data: Path, writers: list[subprocess.Popen[str]]
) -> None:
    killed(writers, two / "first.md")
    async with running(two) as driver:
        assert len(says_left(driver)) == 1
        await driver.press("ctrl+o")
        assert driver.screen == "DifferenceScreen"
        assert "+Was it lost?" in driver.shown()
        await driver.press("r", "ctrl+s", "escape")
        assert "Was it lost?" in (two / "first.md").read_text()
        assert kept(data) == []


async def test_what_was_put_off_is_offered_again_and_what_was_dropped_is_not(
    two: Path, data: Path, writers: list[subprocess.Popen[str]]
) -> None:
    killed(writers, two / "first.md", two / f"{NEW}.md")
    async with running(two) as driver:
        assert says_left(driver)[0].startswith("2 cards were being written")
        await driver.press("ctrl+o", "escape", "d")  # the newest: dropped
        assert driver.screen == "HomeScreen"
        assert says_left(driver)[-1].startswith("1 card was being written")
        await driver.press("ctrl+o", "escape", "escape")  # the other one: later
        assert driver.screen == "HomeScreen"
        assert len(kept(data)) == 1
    async with running(two) as driver:
        await driver.press("ctrl+o", "d", "escape")
        assert driver.screen == "HomeScreen"
        assert kept(data) == []
    assert "Was it lost?" not in (two / "first.md").read_text()
    assert not (two / f"{NEW}.md").exists()


async def test_what_another_window_is_still_writing_is_not_offered_nor_taken_away(
    two: Path, data: Path, writers: list[subprocess.Popen[str]]
) -> None:
    writing(writers, two / f"{NEW}.md", two / "first.md")
    async with running(two) as driver:
        assert says_left(driver) == []
        assert "ctrl+o" not in driver.app.screen.active_bindings
        driver.app.push_screen(EditScreen(two / "first.md"))
        await driver.settle()
        await driver.press("escape")
        assert driver.screen == "HomeScreen"
    assert len(kept(data)) == 2


async def test_cards_of_other_collections_and_what_was_saved_are_not_offered(
    two: Path, tmp_path: Path, writers: list[subprocess.Popen[str]]
) -> None:
    killed(writers, tmp_path / "elsewhere.md", two / "first.md")
    (two / "first.md").write_text(WRITTEN.replace("ID", "first"))
    async with running(two) as driver:
        assert says_left(driver) == []


async def test_a_way_through_a_link_leads_to_the_same_cards(
    two: Path, tmp_path: Path, writers: list[subprocess.Popen[str]]
) -> None:
    link = tmp_path / "link"
    link.symlink_to(two)
    killed(writers, link / f"{NEW}.md")
    async with running(two) as driver:
        assert len(says_left(driver)) == 1
    async with running(link) as driver:
        await driver.press("ctrl+o", "ctrl+s")
        assert f"Saved {NEW}.md." in driver.said()


async def test_what_cannot_be_read_there_is_passed_over(two: Path, data: Path) -> None:
    folder = data / "deltadeck" / "editing"
    folder.mkdir(parents=True)
    broken = ("", "[]", "{", '{"process": 1}', json.dumps({"process": 0, "path": 3, "at": "x"}))
    for number, text in enumerate(broken):
        (folder / f"{number}.json").write_text(text)
    (folder / "9.json").mkdir()
    async with running(two) as driver:
        assert says_left(driver) == []


async def test_a_new_card_on_which_nothing_was_written_is_not_kept(two: Path, data: Path) -> None:
    async with running(two) as driver:
        await driver.press("a", "ctrl+s")
        screen = driver.app.screen
        assert isinstance(screen, EditScreen)
        screen.keep()
        await driver.settle()
        assert kept(data) == []
        await driver.press("x")
        screen.keep()
        await driver.settle()
        assert len(kept(data)) == 1


async def test_who_leaves_without_it_is_not_asked_about_it(two: Path, data: Path) -> None:
    async with running(two) as driver:
        await driver.press("enter", "e", "x")
        screen = driver.app.screen
        assert isinstance(screen, EditScreen)
        screen.keep()
        await driver.settle()
        assert len(kept(data)) == 1
        await driver.press("ctrl+q", "l")
    assert kept(data) == []


async def test_the_key_is_the_learner_s_to_choose(
    two: Path, writers: list[subprocess.Popen[str]]
) -> None:
    killed(writers, two / f"{NEW}.md")
    (two / ".deltadeck").mkdir()
    (two / ".deltadeck" / "config.toml").write_text('[keys]\nhome.left = "f9"\n')
    async with running(two) as driver:
        assert isinstance(driver.app.screen, HomeScreen)
        assert says_left(driver)[0].endswith("F9 opens it.")
        await driver.press("f9")
        assert driver.screen == "EditScreen"
