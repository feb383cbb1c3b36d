"""The keys of the source: enter takes what is offered where that is meant, else it is a new line;
the help names what can be done now."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.driving import Driver, basic, running, write
from tui.app import DeltadeckApp
from tui.screens.edit import EditScreen
from tui.widgets.editors import CardEditor


@pytest.fixture
def cards(folder: Path) -> Path:
    for name, course, tags in (
        ("ssu_1", "Control", "cnn, cnn-pooling"),
        ("ssu_2", "Control Theory", "pooling"),
    ):
        text = basic(name).replace("course: Pooling", f"course: {course}\ntags: [{tags}]")
        write(folder, name, text)
    write(folder, "mine", "---\nid: mine\n\n---\n\n# Question\nWhy?\n\n---\n# Solution\nSo.\n")
    return folder


async def edit(driver: Driver, cards: Path, row: int) -> CardEditor:
    driver.app.push_screen(EditScreen(cards / "mine.md"))
    await driver.settle()
    editor = driver.app.screen.query_one(CardEditor)
    editor.move_cursor((row, len(editor.document.get_line(row))))
    return editor


def footer(driver: Driver) -> str:
    return driver.shown().splitlines()[-1]


async def typed(driver: Driver, text: str) -> None:
    await driver.press(*text)


HEADER, BODY = 2, 6
ENTER = "enter Complete"


@pytest.mark.parametrize(
    ("row", "text", "line"),
    [
        (BODY, " [[ssu", "Why? [[ssu_1]]"),
        (BODY, " [[2", "Why? [[ssu_2]]"),
        (HEADER, "course: con", "course: Control"),
        (HEADER, "type: mul", "type: multiple_choice"),
        (HEADER, "tags: [cnn, poo", "tags: [cnn, pooling"),
        (HEADER, "exercise: softm", "exercise: softmax"),
    ],
)
async def test_enter_takes_what_goes_on_as_it_was_begun(
    cards: Path, row: int, text: str, line: str
) -> None:
    async with running(cards) as driver:
        editor = await edit(driver, cards, row)
        count = editor.document.line_count
        await typed(driver, text)
        assert ENTER in footer(driver)
        await driver.press("enter")
        assert editor.document.get_line(row) == line
        assert editor.document.line_count == count
        assert ENTER not in footer(driver)


async def test_of_several_links_the_first_or_the_one_that_was_gone_to(cards: Path) -> None:
    async with running(cards) as driver:
        editor = await edit(driver, cards, BODY)
        await typed(driver, " [[ssu")
        await driver.press("enter", *" [[ssu", "down", "enter")
        assert editor.document.get_line(BODY) == "Why? [[ssu_1]] [[ssu_2]]"


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (HEADER, "type: open"),
        (HEADER, "course: Control"),  # another course begins so
        (HEADER, "course: Theory"),  # one holds it
        (HEADER, "tags: cnn"),
        (HEADER, "tags: [cnn]"),
        (HEADER, "type: "),
        (HEADER, "cou"),
        (HEADER, "difficulty: 3"),
        (BODY, " plain"),
        (BODY, "\n:tab"),
    ],
)
async def test_else_it_makes_a_new_line(cards: Path, row: int, text: str) -> None:
    async with running(cards) as driver:
        editor = await edit(driver, cards, row)
        before, count = editor.document.get_line(row), editor.document.line_count
        for part in text.partition("\n"):
            await driver.press(*(["enter"] if part == "\n" else part))
        assert ENTER not in footer(driver)
        await driver.press("enter")
        assert editor.text.count("\n") == count + text.count("\n")
        assert f"{before}{text}\n" in editor.text


async def test_who_chose_with_the_arrows_takes_it_with_enter(cards: Path) -> None:
    async with running(cards) as driver:
        editor = await edit(driver, cards, HEADER)
        await typed(driver, "type: ")
        assert "tab Complete" in footer(driver)
        await driver.press("down")
        assert ENTER in footer(driver)
        await driver.press("up", "enter")
        assert editor.document.get_line(HEADER) == "type: derivation"


async def test_tab_takes_it_everywhere(cards: Path) -> None:
    async with running(cards) as driver:
        editor = await edit(driver, cards, HEADER)
        await typed(driver, "tags: cnn")
        await driver.press("tab")
        assert editor.document.get_line(HEADER) == "tags: cnn-pooling"


async def helped(driver: Driver) -> str:
    await driver.press("f1")
    shown = driver.shown()
    await driver.press("escape")
    return shown


async def test_the_help_names_what_can_be_done_now(cards: Path) -> None:
    async with running(cards, size=(100, 40)) as driver:
        editor = await edit(driver, cards, BODY)
        before = editor.text
        shown = await helped(driver)
        assert not any(words in shown for words in ("ompletion", "Take back", "Type again"))
        await typed(driver, " [[")
        shown = await helped(driver)
        assert "Take back what was typed" in shown
        await driver.press("ctrl+z")
        assert editor.text == before
        assert "Type again what was taken back" in await helped(driver)
        await driver.press("ctrl+y")
        assert editor.text != before


async def test_arrows_move_the_cursor_while_no_list_is_open(cards: Path) -> None:
    for keys in ("", '[keys]\nsource.next = "ctrl+n"\nsource.before = "alt+p"\n'):
        (cards / ".deltadeck").mkdir(exist_ok=True)
        (cards / ".deltadeck" / "config.toml").write_text(keys)
        async with running(cards) as driver:
            editor = await edit(driver, cards, BODY)
            await driver.press("down")
            assert editor.cursor_location[0] == BODY + 1
            await driver.press("up", "up")
            assert editor.cursor_location[0] == BODY - 1
            await driver.press("down", *" [[", "ctrl+n" if keys else "down", "enter")
            assert editor.document.get_line(BODY).endswith("[[ssu_1]]")


async def test_to_undo_once_too_often_goes_no_further_than_the_editor(
    cards: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached: list[str] = []
    monkeypatch.setattr(DeltadeckApp, "action_suspend_process", lambda _: reached.append("shell"))
    monkeypatch.setattr("textual.driver.Driver.can_suspend", True)  # as in a terminal
    async with running(cards) as driver:
        editor = await edit(driver, cards, BODY)
        before = editor.text
        await driver.press("x", "ctrl+z", "ctrl+z", "ctrl+y", "ctrl+y", "ctrl+z")
        assert editor.text == before
    assert reached == []
