"""The browser: it finds while one types, and shows what it found."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from cards import parse_card
from deck.fsrs import Rating
from deck.search.match import sought
from deck.search.query import parse
from tests.tui.browsing import opened, three_cards
from tests.tui.driving import Driver, basic, running, write
from tui.screens.browse import BrowseScreen
from tui.widgets.item_list import Bit, ItemRow, bits, lit, pieces, title


@pytest.fixture
def three(folder: Path) -> Path:
    return three_cards(folder)


async def test_it_finds_while_one_types(three: Path) -> None:
    async with running(three) as driver:
        rows = await opened(driver)
        assert list(rows.items) == ["alpha", "beta", "gamma"]
        await driver.press("slash", *"jaco")
        assert list(rows.items) == ["alpha"]
        assert "What is a Jacobian of a/b?" in driver.shown()
        await driver.press(*["backspace"] * 4, *"is:new")
        assert len(rows.items) == 3


async def test_rows_come_in_another_order_and_the_cursor_stays(three: Path) -> None:
    async with running(three) as driver:
        collection = driver.app.open_collection
        collection.rate("gamma", Rating.AGAIN, driver.clock(), 1000)
        collection.rate("beta", Rating.EASY, driver.clock(), 1000)
        rows = await opened(driver)
        await driver.press("o")
        assert list(rows.items) == ["gamma", "beta", "alpha"]
        assert rows.current == "alpha"
        assert "by due" in driver.shown()
        await driver.press("o", "o", "o", "o")
        assert list(rows.items) == ["alpha", "beta", "gamma"]


async def test_a_new_search_begins_at_its_first_hit(folder: Path) -> None:
    for number in range(60):
        write(
            folder, f"card{number:02}", basic(f"card{number:02}", "Odd" if number % 2 else "Even")
        )
    async with running(folder, size=(80, 24)) as driver:
        rows = await opened(driver)
        await driver.press("G", "slash", *"odd")
        assert len(rows.items) == 30
        assert rows.current == "card01"
        assert rows.scroll_offset.y == 0
        await driver.press("enter", "G", "o", "s")
        assert rows.current == "card59"


async def test_the_footer_names_keys_as_other_screens_do(three: Path) -> None:
    async with running(three) as driver:
        await opened(driver)
        assert "⏎ Open" in driver.shown()


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
        await driver.rest()
        assert "Because." in driver.shown()


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


@given(
    TEXT,
    TEXT,
    st.sampled_from(["new", "now", "12 d", "-3 mo"]),
    st.integers(20, 140),
    st.booleans(),
)
def test_a_row_fills_its_width(
    words: str, course: str, due: str, width: int, suspended: bool
) -> None:
    shown = "".join(each for each in words if each.isprintable())
    named = "".join(each for each in course if each.isprintable())
    title = (Bit(shown), Bit("aₖ", "a_k"), Bit(shown))
    row = ItemRow("id", title, named, "multiple choice", due, suspended)
    dark, bright = pieces(row, width), pieces(row, width, sought(parse("a or e*")))
    assert cell_len("".join(text for text, _ in bright)) == width
    assert "".join(text for text, _ in bright) == "".join(text for text, _ in dark)


def row_of(question: str, search: str, width: int = 60) -> list[str]:
    """What is lit in a row of the question."""
    found = bits(parse_card(basic("x", question)))
    drawn = pieces(ItemRow("x", found, "", "basic", "new", False), width, sought(parse(search)))
    return [text for text, style in drawn if "found" in style]


def test_a_row_lights_what_the_search_asks_for_and_nothing_else() -> None:
    text = "Why is the **Élan** of the chain\nrule square?"
    assert row_of(text, "elan") == ["Élan"]
    assert row_of(text, '"chain rule" is:new') == ["chain rule"]
    assert row_of(text, "-why tag:chain square") == ["square"]
    assert row_of(text, "solution:why question:why") == ["Why"]
    assert row_of(text, "square", 30) == []


def test_a_formula_of_a_row_is_lit_whole_by_its_source() -> None:
    text = "Of $\\frac{a}{b}$ and $x_i$ x"
    assert row_of(text, "frac") == ["a/b"]
    assert row_of(text, "i") == ["xᵢ"]
    assert row_of(text, "x") == ["xᵢ", "x"]
    assert lit(bits(parse_card(basic("x", text))), sought(parse("of"))) == [(0, 2)]


def drawn(driver: Driver, what: str) -> list[str]:
    """The pieces of the terminal in a style, line by line."""
    return [
        segment.text
        for strip in driver.app.screen._compositor.render_strips()
        for segment in strip
        if segment.style is not None and getattr(segment.style, what)
    ]


@pytest.mark.parametrize("theme", ["textual-dark", "ansi-dark"])
async def test_what_was_found_is_lit_in_the_rows_and_in_the_card(three: Path, theme: str) -> None:
    async with running(three, size=(140, 30)) as driver:
        driver.app.theme = theme
        await opened(driver, "jaco or frac")
        await driver.rest()
        assert drawn(driver, "underline").count("Jaco") == 2
        assert "a/b" in drawn(driver, "underline")
        assert ("a" in "".join(drawn(driver, "reverse"))) is (theme == "ansi-dark")
        await driver.press("enter")
        assert "Jaco" in drawn(driver, "underline")


async def test_n_goes_to_what_was_found_further_down(folder: Path) -> None:
    text = "\n\n".join([*["dark"] * 60, "bright", *["dark"] * 60, "bright", *["dark"] * 60])
    write(folder, "long", basic("long", text))
    async with running(folder, size=(120, 24)) as driver:
        await opened(driver, "bright")
        await driver.rest()
        page = driver.app.screen.query_one("#preview")
        places = []
        for key in ("n", "n", "n", "N"):
            await driver.press(key)
            assert "bright" in drawn(driver, "underline")
            places.append(page.scroll_offset.y)
        assert 0 < places[0] < places[1]
        assert places[2] == places[0]
        assert places[3] == places[1]


def test_a_title_is_one_line_of_plain_words() -> None:
    text = basic("x", "# Big\n- *not* a list\n\n[[card|it]] and `code` $x_i^2$")
    assert title(parse_card(text)) == "Big *not* a list card|it and code xᵢ²"
