"""The browser: it finds while one types, shows what it found, and changes many cards at once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from cards import parse_card
from deck import New
from tests.tui.driving import Driver, basic, running, write
from tui.browse.drawing import pieces
from tui.browse.rows import Row, title
from tui.browse.words import lit
from tui.screens.browse import BrowseScreen
from tui.widgets.long_list import LongList


@pytest.fixture
def three(folder: Path) -> Path:
    write(folder, "alpha", basic("alpha", "What is a **Jacobian** of $\\frac{a}{b}$?"))
    write(folder, "beta", basic("beta", "Why is [[alpha]] square?"))
    write(folder, "gamma", basic("gamma", "Où?"))
    return folder


async def opened(driver: Driver, search: str = "") -> LongList:
    driver.app.push_screen(BrowseScreen(search))
    await driver.settle()
    return driver.app.screen.query_one(LongList)


async def test_it_finds_while_one_types(three: Path) -> None:
    async with running(three) as driver:
        rows = await opened(driver)
        assert list(rows.items) == ["alpha", "beta", "gamma"]
        await driver.press("slash", *"jaco")
        assert list(rows.items) == ["alpha"]
        assert "What is a Jacobian of a/b?" in driver.shown()
        await driver.press(*["backspace"] * 4, *"is:new")
        assert len(rows.items) == 3


async def test_a_search_that_cannot_be_read_keeps_the_rows_and_shows_the_place(three: Path) -> None:
    async with running(three) as driver:
        rows = await opened(driver)
        await driver.press("slash", "left_parenthesis")
        said = driver.app.screen.query_one("#said")
        assert said.display
        assert "^" in driver.shown()
        assert len(rows.items) == 3


async def test_the_card_under_the_cursor_is_set_beside_the_rows(three: Path) -> None:
    async with running(three, size=(120, 30)) as driver:
        await opened(driver)
        await driver.press("j", "j")
        await driver.pilot.pause(0.1)
        assert "Because." in driver.shown()


async def test_marked_cards_are_tagged_at_once_and_back_again(three: Path) -> None:
    before = {path.name: path.read_text() for path in three.glob("*.md")}
    async with running(three) as driver:
        await opened(driver)
        await driver.press("space", "space", "t", *"cnn new", "enter")
        tags = [parse_card((three / f"{name}.md").read_text()).tags for name in ("alpha", "gamma")]
        assert tags == [("cnn", "new"), ()]
        await driver.press("u")
        assert {path.name: path.read_text() for path in three.glob("*.md")} == before


async def test_suspending_is_seen_and_taken_back(three: Path) -> None:
    async with running(three) as driver:
        await opened(driver)
        collection = driver.app.open_collection
        await driver.press("s")
        assert collection.is_suspended("alpha")
        assert "‖" in driver.shown()
        await driver.press("u")
        assert not collection.is_suspended("alpha")


async def test_cards_move_with_their_history_and_back(three: Path) -> None:
    async with running(three) as driver:
        await opened(driver)
        collection = driver.app.open_collection
        from deck import Rating

        collection.rate("alpha", Rating.GOOD, driver.clock(), 1000)
        await driver.press("m", *"deep/er", "enter")
        assert (three / "deep" / "er" / "alpha.md").exists()
        assert not isinstance(collection.state("alpha"), New)
        await driver.press("u")
        assert (three / "alpha.md").exists()


async def test_a_move_takes_no_other_files_place_and_never_leaves_the_folder(three: Path) -> None:
    (three / "deep").mkdir()
    (three / "deep" / "alpha.md").write_text("mine")
    async with running(three) as driver:
        await opened(driver)
        await driver.press("m", *"deep", "enter")
        assert (three / "deep" / "alpha.md").read_text() == "mine"
        assert (three / "alpha.md").exists()
        await driver.press("m", *"../out", "enter")
        assert any("not inside" in said for said in driver.said())
        assert not (three.parent / "out").exists()


async def test_reset_makes_new_and_undo_brings_the_schedule_back(three: Path) -> None:
    async with running(three) as driver:
        await opened(driver)
        collection = driver.app.open_collection
        from deck import Rating

        collection.rate("alpha", Rating.EASY, driver.clock(), 1000)
        there = collection.state("alpha")
        await driver.press("R")
        assert isinstance(collection.state("alpha"), New)
        await driver.press("u")
        assert collection.state("alpha") == there


async def test_only_rows_that_are_seen_are_read(folder: Path) -> None:
    for number in range(200):
        write(folder, f"card{number:03}", basic(f"card{number:03}"))
    async with running(folder) as driver:
        rows = await opened(driver)
        screen = driver.app.screen
        assert isinstance(screen, BrowseScreen)
        assert len(rows.items) == 200
        assert len(screen._rows._kept) <= 30
        await driver.press("G")
        assert rows.current == "card199"
        assert len(screen._rows._kept) <= 60


TEXT = st.text(st.characters(codec="utf-8"), max_size=60)


@given(TEXT, TEXT, st.sampled_from(["new", "now", "12 d", "-3 mo"]), st.integers(20, 140))
def test_a_row_fills_its_width(words: str, course: str, due: str, width: int) -> None:
    shown = "".join(each for each in words if each.isprintable())
    named = "".join(each for each in course if each.isprintable())
    row = Row("id", shown, named, "multiple choice", due, suspended=False)
    drawn = pieces(row, width, (re.compile("a"),))
    assert cell_len("".join(text for text, _ in drawn)) == width


@given(TEXT)
def test_what_is_lit_is_what_matches(text: str) -> None:
    for start, end in lit(text, (re.compile("[ae]"),)):
        assert 0 <= start < end <= len(text)


def test_case_and_accents_do_not_count() -> None:
    assert lit("Élan vital", (re.compile(r"\bela"),)) == [(0, 3)]


def test_a_title_is_one_line_of_plain_words() -> None:
    text = basic("x", "# Big\n- *not* a list\n\n[[card|it]] and `code` $x_i^2$")
    assert title(parse_card(text)) == "Big *not* a list card|it and code xᵢ²"
