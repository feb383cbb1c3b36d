"""Where there is no room beside its source, the card stands in its place while it is looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.driving import Driver, basic, running, write
from tui.screens.edit import EditScreen
from tui.widgets.editors import CardEditor

_SMALL = (80, 24)
_LONG = "\n\n".join(f"Line {number} of it." for number in range(40))


async def edit(driver: Driver, path: Path) -> CardEditor:
    driver.app.push_screen(EditScreen(path))
    await driver.settle()
    return driver.app.screen.query_one(CardEditor)


def seen(driver: Driver) -> bool:
    """The card, typeset, and not its source."""
    return "It is x" in driver.shown() and "$x" not in driver.shown()


def footer(driver: Driver) -> str:
    return driver.shown().splitlines()[-1]


@pytest.mark.parametrize("size", [_SMALL, (60, 20)])
async def test_one_key_leads_to_the_card_and_back(two: Path, size: tuple[int, int]) -> None:
    async with running(two, size=size) as driver:
        editor = await edit(driver, two / "first.md")
        assert "f2 Card" in footer(driver)
        await driver.press("f2")
        assert seen(driver)
        assert "f2 Source" in footer(driver)
        await driver.press("f2")
        assert not seen(driver)
        assert editor.has_focus
        await driver.press("f2", "escape")
        assert not seen(driver)
        assert driver.screen == "EditScreen"
        assert editor.has_focus


@pytest.mark.parametrize("letter", ["x", "a", "j", "F", "1", " "])
async def test_who_types_writes_at_once(two: Path, letter: str) -> None:
    async with running(two, size=_SMALL) as driver:
        editor = await edit(driver, two / "first.md")
        editor.move_cursor(editor.document.end)
        await driver.press("f2", "space" if letter == " " else letter, "y")
        assert not seen(driver)
        assert editor.text.endswith(f"{letter}y")


async def test_it_is_the_card_as_its_source_is_now(two: Path) -> None:
    async with running(two, size=_SMALL) as driver:
        editor = await edit(driver, two / "first.md")
        editor.load_text(editor.text.replace("It is", "Now $\\alpha$ is"))
        await driver.press("f2")
        assert "Now α is" in driver.shown()


async def test_the_help_names_the_way_back_and_the_keys_that_scroll(folder: Path) -> None:
    path = write(folder, "long", basic("long", "Why?", _LONG))
    async with running(folder, size=_SMALL) as driver:
        await edit(driver, path)
        await driver.press("f2")
        assert "Line 0 of it." in driver.shown()
        await driver.press("pagedown", "pagedown")
        assert "Line 0 of it." not in driver.shown()
        assert "Line 20 of it." in driver.shown()
        await driver.press("f1")
        assert "Back to the card's source" in driver.shown()
        assert "Card down" in driver.shown()
        await driver.press("escape", "f2", "f1")
        assert "Card down" not in driver.shown()


async def test_it_is_scrolled_to_where_one_writes(folder: Path) -> None:
    path = write(folder, "long", basic("long", _LONG, _LONG.replace("Line", "Answer")))
    async with running(folder, size=_SMALL) as driver:
        editor = await edit(driver, path)
        for words in ("Line 20 ", "Answer 30 ", "Answer 39 ", "Line 0 "):
            row = next(n for n, line in enumerate(editor.document.lines) if words in line)
            editor.move_cursor((row, 0))
            await driver.press("f2")
            assert words in driver.shown()
            await driver.press("f2")


async def test_a_card_that_cannot_be_read_yet_has_nothing_to_be_seen(two: Path) -> None:
    (two / "half.md").write_text("---\nid: [half\n---\n")
    async with running(two, size=_SMALL) as driver:
        editor = await edit(driver, two / "half.md")
        await driver.press("f2")
        assert any("as soon as it can be read" in said for said in driver.said())
        assert editor.has_focus


async def test_a_terminal_that_grows_has_both(two: Path) -> None:
    async with running(two, size=_SMALL) as driver:
        editor = await edit(driver, two / "first.md")
        await driver.press("f2")
        await driver.pilot.resize_terminal(120, 40)
        await driver.settle()
        assert "It is x" in driver.shown()
        assert "$x" in driver.shown()
        assert editor.has_focus


async def test_the_next_problem_is_in_the_source(two: Path) -> None:
    async with running(two, size=_SMALL) as driver:
        editor = await edit(driver, two / "first.md")
        await driver.press("f2")
        editor.load_text(editor.text.replace("difficulty: 1", "difficulty: 9"))
        assert await driver.sees("line 4")
        await driver.press("f8")
        assert editor.has_focus
        assert editor.cursor_location[0] == 3


async def test_it_keeps_the_line_breaks_that_its_source_asks_for(two: Path) -> None:
    async with running(two, size=_SMALL) as driver:
        editor = await edit(driver, two / "first.md")
        text = editor.text.replace("It is", "One\ntwo")
        editor.load_text(text)
        await driver.press("f2")
        assert "One two" in driver.shown()
        await driver.press("f2")
        editor.load_text(text.replace("---\n", "---\nline_breaks: true\n", 1))
        await driver.press("f2")
        assert "One two" not in driver.shown()
        assert "One" in driver.shown()
