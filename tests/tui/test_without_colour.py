"""Under NO_COLOR nothing is coloured, and all that is chosen, marked, right or wrong is seen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.widgets import TextArea

from tests.tui.driving import CHOICE, WRONG, Clock, Driver, basic, running, write
from tests.tui.lab_driving import write_answer
from tui.app import DeltadeckApp
from tui.lab.grids import heat
from tui.theme import Themes

Drawn = list[list[tuple[str, frozenset[str]]]]
_ATTRIBUTES = ("bold", "dim", "reverse", "underline")


@pytest.fixture(autouse=True)
def no_colour(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@asynccontextmanager
async def colourless(folder: Path, *keys: str) -> AsyncIterator[Driver]:
    themes, clock = Themes({"NO_COLOR": "1"}), Clock()
    app = DeltadeckApp(folder, clock, themes.first(), themes=themes)
    async with app.run_test(size=(80, 24)) as pilot:
        driver = Driver(app, pilot, clock)
        await driver.settle()
        for key in keys:
            await driver.press(key)
        yield driver
        assert colours(driver) == set()


def colours(driver: Driver) -> set[str]:
    """The colours on the screen that are not the terminal's own ink and paper."""
    styles = [style for line in driver.pieces() for _, style in line]
    used = [colour for style in styles for colour in (style.color, style.bgcolor) if colour]
    return {colour.name for colour in used if not colour.is_default}


def drawn(driver: Driver) -> Drawn:
    """The pieces of each line with what stands out of them."""
    return [
        [
            (text, frozenset(name for name in _ATTRIBUTES if getattr(style, name)))
            for text, style in line
        ]
        for line in driver.pieces()
    ]


def of(driver: Driver, words: str) -> frozenset[str]:
    """How the first piece with these words stands out."""
    return next(look for line in drawn(driver) for text, look in line if words in text)


def line(driver: Driver, words: str) -> str:
    return next(line for line in driver.shown().splitlines() if words in line)


#: Keys from home; what they choose, and another piece beside it.
CHOSEN = (
    ("", "All decks", "Decks"),
    ("comma", "New items a day", "Reviews a day"),
    ("s", "Due", "Calendar"),
    ("a", "derivation", "reversed"),
    ("b down", "What is", "A third?"),
    ("o", "what is due", "ahead of time"),
)


async def test_what_is_chosen_marked_written_in_or_would_be_done_stands_out(two: Path) -> None:
    write(two, "third", basic("third", "A third?"))
    write(two, "elsewhere", basic("elsewhere").replace("Pooling", "Other"))
    async with colourless(two) as driver:
        for keys, chosen, other in CHOSEN:
            await driver.home()
            await driver.do(keys)
            assert "reverse" in of(driver, chosen)
            assert "reverse" not in of(driver, other)
            assert colours(driver) == set()
        await driver.do("escape b home down space")
        assert "● What is" in line(driver, "What is")
        assert "●" not in line(driver, "A third?")
        await driver.do("escape escape o")
        assert "underline" in of(driver, "tag:cnn")
        assert "underline" not in of(driver, "as long as it takes")
        await driver.do("escape ctrl+p down")
        looks = [look for pieces in drawn(driver)[6:] for _, look in pieces]
        assert any("underline" in look for look in looks)


async def test_options_bear_a_tick_or_a_cross(folder: Path) -> None:
    write(folder, "pick", CHOICE.format(id="pick"))
    async with colourless(folder, "enter", "a", "space") as driver:
        assert "✗ A)" in line(driver, "A)")
        assert "✓ B)" in line(driver, "B)")
        assert {"✗", "✓"}.isdisjoint(line(driver, "C)"))


async def test_where_typed_words_differ_is_underlined(folder: Path) -> None:
    write(folder, "one", basic("one", solution="A smooth function."))
    (folder / ".deltadeck").mkdir()
    (folder / ".deltadeck/config.toml").write_text("type_answers = true\n")
    async with colourless(folder, "enter", *"a smoth graph", "enter") as driver:
        assert "A smooth function" in line(driver, "Answer")
        assert "a smo-th graph" in line(driver, "Yours")
        assert "underline" in of(driver, "graph")
        [answer] = (pieces for pieces in drawn(driver) if any("Answer" in t for t, _ in pieces))
        assert "underline" in dict(answer)["function"]
        assert "underline" not in dict(answer)["A "]


async def test_a_selection_and_a_line_with_a_problem_are_seen(two: Path) -> None:
    async with colourless(two, "enter", "e") as driver:
        await driver.press("shift+down", "shift+down")
        assert "reverse" in of(driver, "id: first")
        assert "reverse" not in of(driver, "difficulty: 1")
        driver.app.screen.query_one(TextArea).load_text("---\nid: [half\n---\n")
        assert await driver.sees("●")
        assert "●" in line(driver, "id: [half")
        driver.app.screen.query_one(TextArea).load_text(basic("first", "Mine?"))
        write(two, "first", basic("first", "Theirs?"))
        await driver.press("ctrl+s")  # a conflict is told by signs
        assert "-Theirs?" in driver.shown()
        assert "+Mine?" in driver.shown()


async def test_the_lab_is_read_without_colours(seed: Path) -> None:
    async with colourless(seed, "enter", "c") as driver:
        await write_answer(driver, WRONG)
        assert "reverse" in of(driver, "7")
        assert "▐ 7▌" in driver.shown() or "▐7▌" in driver.shown()
        assert line(driver, "✗ wrong")
        assert any(text.startswith("✗") for pieces in drawn(driver) for text, _ in pieces)
        looks = {look for pieces in drawn(driver)[3:8] for _, look in pieces}
        # Small numbers, others, and the maxima of the windows.
        assert {frozenset(), frozenset({"dim"}), frozenset({"bold"})} <= looks
        await driver.press("shift+tab")
        await driver.press("shift+tab")
        assert any("reverse" in look for _, look in drawn(driver)[2])
        await driver.press("ctrl+o", "1", "enter")  # the cell that is filled in has brackets
        assert "reverse" in of(driver, "[")


@pytest.mark.parametrize("values", [[[1.0, 2.0], [3.0, 4.0]], [[-1.0, 0.5]]])
def test_shades_are_styles_of_every_theme(values: list[list[float]]) -> None:
    from textual.theme import BUILTIN_THEMES

    from tui.theme import shades, sixteen

    asked = {each.removeprefix("$") for each in heat(values).values()}
    known = [shades(theme) for theme in BUILTIN_THEMES.values()]
    for styles in [*known, *(theme.variables for theme in sixteen())]:
        assert asked <= set(styles)


async def test_the_sheet_for_few_colours_holds_as_soon_as_its_theme_is_chosen(
    two: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR")
    write(two, "elsewhere", basic("elsewhere").replace("Pooling", "Other"))
    async with running(two) as driver:
        assert "reverse" not in of(driver, "All decks")
        driver.app.theme = "sixteen-light"
        await driver.settle()
        assert "reverse" in of(driver, "All decks")
        driver.app.theme = "nord"
        await driver.settle()
        assert "reverse" not in of(driver, "All decks")
