"""Clicks, lists that know vim's keys beside the arrows, and scrolling faster than the paint."""

from __future__ import annotations

from pathlib import Path

from textual.app import App, ComposeResult
from textual.widgets import OptionList, Static

from tests.tui.driving import Driver, journal, running
from tui.study.text import rating_at
from tui.widgets.frame import KeyedScroll
from tui.widgets.item_list import LongList


async def click(app: Driver, words: str, beside: int = 0) -> None:
    """On the first place where these words stand."""
    rows = app.shown().replace("\xa0", " ").split("\n")
    y = next(number for number, row in enumerate(rows) if words in row)
    await app.pilot.click(offset=(rows[y].index(words) + beside, y))
    await app.settle()


async def test_a_click_opens_picks_rates_and_answers(cards: Path) -> None:
    ratings = {"1 Again": 1, "Hard": 2, "3 Good": 3}
    async with running(cards) as app:
        await click(app, "Agenda")
        for words in ratings:
            await app.press("space")
            await click(app, words)
        assert [line["rating"] for line in journal(cards, "review")] == list(ratings.values())
        await app.do("e x escape", on="ConfirmScreen")
        await click(app, "Go on editing")
        await app.do("escape", on="ConfirmScreen")
        await click(app, "Drop the changes")
        await app.do("escape", on="HomeScreen")
        await click(app, "Choices")
        await click(app, "B) one", 4)
        await app.do("", "▸ B)")
        await click(app, "C) two")
        await app.do("", "▸ C)")
        await app.press("escape", "p")
        await click(app, "half0.md")
        await app.do("", on="EditScreen")
        await app.press("escape", "escape", "comma")
        await click(app, "Reviews a day")
        assert app.app.screen.query_one("#value").display


def test_a_rating_is_its_key_its_name_and_its_interval() -> None:
    line = "1 Again 10 m    ctrl+t Hard 2 d    3 Good 5 d    4 Easy 12 d    "
    for words, rating in (("1 Again 10", 1), ("ctrl+t Hard 2 d", 2), ("3 Good", 3), ("4 Ea", 4)):
        start = line.index(words)
        assert {rating_at(line, x) for x in range(start, start + len(words))} == {rating}
    assert rating_at(line, len(line)) is None
    assert rating_at("", 3) is None


#: Lists, by the keys that lead there from home.
LISTS = {"home": (), "add": ("a",), "problems": ("p",), "settings": ("comma",), "browse": ("b",)}


async def test_every_list_knows_vim_s_keys_and_the_arrows(cards: Path) -> None:
    async with running(cards, (100, 20)) as app:
        for name, way in LISTS.items():
            await app.home()
            await app.press(*way, "home")
            first = at(app)
            moved = [first]
            for key in ("j", "k", "down", "up", "G", "g", "end", "home"):
                await app.press(key)
                moved.append(at(app))
            second, last = moved[1], moved[5]
            assert moved == [first, second, first, second, first, last, first, last, first], name
            assert first < second < last
            for down, up in (("ctrl+d", "ctrl+u"), ("pagedown", "pageup")):
                await app.press(down)
                assert at(app) > second or last <= second + 1
                await app.press(up)
                assert at(app) == first


def at(app: Driver) -> int:
    """Where the cursor of the list is."""
    found = app.app.screen.query(LongList)
    return found.first().cursor if found else app.app.screen.query(OptionList)[0].highlighted or 0


# Keys that scroll.


class Long(App[None]):
    def compose(self) -> ComposeResult:
        with KeyedScroll():
            yield Static("\n".join(f"line {number}" for number in range(200)), id="text")

    @property
    def scroll(self) -> KeyedScroll:
        return self.query_one(KeyedScroll)


async def test_each_of_many_keys_between_two_paints_counts() -> None:
    app = Long()
    async with app.run_test(size=(40, 20)) as pilot:
        await pilot.press("j")
        assert app.scroll.scroll_y == 1
        for _ in range(3):
            app.scroll.action_lines(1)
        app.scroll.action_pages(2)
        app.scroll.action_lines(-1)
        await pilot.pause()
        assert app.scroll.scroll_y == 1 + 3 + 2 * 18 - 1
        await pilot.press("k", "pageup")
        assert app.scroll.scroll_y == 20
        # No further than there is, and back at once.
        app.scroll.action_pages(100)
        await pilot.pause()
        assert app.scroll.scroll_y == app.scroll.max_scroll_y == 180
        await pilot.press("k")
        assert app.scroll.scroll_y == 179
        # Into what is longer only at the next paint.
        app.query_one("#text", Static).update("\n".join(map(str, range(400))))
        app.scroll.action_lines(121)
        await pilot.pause()
        assert app.scroll.scroll_y == 300
