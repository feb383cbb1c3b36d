"""The app around its screens: size, help, leaving; clicks, lists, and scrolling."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.events import Key
from textual.widgets import OptionList, Static, TextArea

from tests.paths import SEED
from tests.tui.driving import Driver, basic, journal, running, write
from tui.app import DeltadeckApp
from tui.screens.dialogs import Choice, ConfirmScreen
from tui.study.text import rating_at
from tui.widgets.frame import KeyedScroll
from tui.widgets.item_list import LongList


async def test_a_small_terminal_says_what_it_needs_and_comes_back(two: Path) -> None:
    async with running(two, size=(20, 5)) as app:
        assert "deltadeck needs" in app.shown()
        await app.pilot.resize_terminal(80, 24)
        await app.do("", "Pooling")
        await app.press("enter", "space")
        for size in ((59, 24), (80, 19)):
            await app.pilot.resize_terminal(*size)
            await app.do("3", "deltadeck needs 60 by 20", f"{size[0]} by {size[1]}")
            await app.pilot.resize_terminal(60, 20)
            await app.do("", "1 Again", "first", on="StudyScreen")


async def test_help_lists_the_keys_of_the_screen_beneath(two: Path) -> None:
    async with running(two) as app:
        await app.do("", "? Help")
        await app.do("question_mark", "Copy the selection; without one, quit")
        await app.do("escape enter question_mark", "Undo the last action")
        await app.do("escape", on="StudyScreen")
        await app.do("e", "F1 Help", gone=("? Help",))
        await app.do("f1", on="HelpScreen")
        await app.do("escape ctrl+c", "again to leave")  # where one writes, the second one leaves
        assert app.app.return_code is None
        await app.press("ctrl+c")
        assert app.app.return_code == 0


@pytest.mark.parametrize("key", ["ctrl+c", "ctrl+q", "q"])
async def test_leaving(two: Path, key: str) -> None:
    async with running(two) as app:
        await app.press(key)
        assert app.app.return_code == 0
        assert not app.app.is_running or app.app._exit


async def burst(app: Driver, typed: str, *seen: str, on: str = "") -> None:
    """The keys come all at once, as when they are typed while the program is busy."""
    for sign in typed:
        named = {"\r": "enter", "\x1b": "escape", "/": "slash", ":": "colon", " ": "space"}
        app.app.post_message(Key(named.get(sign, sign), sign if sign.isprintable() else None))
    await app.settle()
    await app.do("", *seen, on=on)


async def test_keys_of_a_burst_arrive_in_order_wherever_each_leads(two: Path) -> None:
    shutil.copy(SEED, two)
    async with running(two) as app:
        await burst(app, "/id:first", "id:first", "1 item", on="BrowseScreen")
        await burst(app, "\x1b/x", "id:firstx", "0 items", on="BrowseScreen")
        await burst(app, "\x1b\x1bb/beta\rj", "beta", "0 items", on="BrowseScreen")
        assert app.app.screen.query_one(LongList).has_focus
        await app.home()
        await burst(app, "b/ssu\r", "1 item", on="BrowseScreen")  # a thread finds it
        await burst(app, "cdx", "Lab", on="LabScreen")
        assert app.app.screen.query_one(TextArea).text == "dx"
        await app.home()
        await burst(app, "\r 3 4", on="StudyScreen")
        assert [review["rating"] for review in journal(two, "review")] == [3, 4]


async def draw(app: Driver, start: tuple[int, int], end: tuple[int, int]) -> None:
    """Draw over the screen with the mouse."""
    await app.pilot.mouse_down(offset=start)
    await app.pilot.hover(offset=end)
    await app.pilot.mouse_up(offset=end)
    await app.settle()


async def test_ctrl_c_copies_as_often_as_it_is_pressed_and_leaves_where_nothing_is_selected(
    two: Path,
) -> None:
    async with running(two) as app:
        await app.press("enter")
        await draw(app, (3, 2), (9, 2))
        await app.do("ctrl+c ctrl+c ctrl+c", "Copied")
        assert app.app.return_code is None
        assert app.app.clipboard.strip()
        await app.press("space")
        app.app.screen.clear_selection()
        await draw(app, (60, 15), (80, 17))  # which may have been meant to select something
        await app.do("ctrl+c", "again to leave")
        app.clock.move(seconds=3)
        await app.press("ctrl+c")
        assert app.app.return_code is None
        app.clock.move(seconds=1)
        await app.press("ctrl+c")
        assert app.app.return_code == 0


def test_a_theme_that_is_not_known_is_the_dark_one(two: Path) -> None:
    assert DeltadeckApp(two, theme="none-such").theme == "textual-dark"
    assert DeltadeckApp(two, theme="none-such, nord").theme == "nord"


async def test_a_question_is_whole_in_a_narrow_terminal_and_is_said_once(two: Path) -> None:
    choices = (
        Choice("m", "mine", "Save mine over it"),
        Choice("d", "disk", "Take the file's"),
        Choice("escape", "stay", "Go on editing"),
    )
    question = "a_card_with_a_long_name.md was changed by another program since it was opened here."
    async with running(two, size=(60, 20)) as app:
        app.app.push_screen(ConfirmScreen(question, choices))
        await app.settle()
        await app.do("", question, *(f"{choice.key} {choice.label}" for choice in choices))
        for sentence in ("Nothing to do.", "Nothing to do.", "Something else."):
            app.app.say(sentence)
            await app.settle()
        assert app.said() == ["Nothing to do.", "Something else."]


async def test_a_folder_named_from_where_one_stands_is_one_like_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `make study` names it."""
    monkeypatch.chdir(tmp_path)
    folder = Path("cards", "here")
    folder.mkdir(parents=True)
    write(folder, "one", basic("one", "![a plot](plot.png)"))
    write(folder, "broken", "---\nid: [x\n---\nhello\n")
    (folder / "plot.png").touch()
    async with running(folder) as app:
        await app.do("p enter", on="EditScreen")
        await app.do("escape escape enter", gone=("missing",))
        await app.press("e")
        assert await app.sees("# Question")
        await app.press("escape", "a", "ctrl+s", "ctrl+s", "escape")
        assert (folder / "20261120_100000.md").exists()
        await app.do("escape b slash =id:one enter e", on="EditScreen")
        await app.do("escape t =new enter")
        assert "tags: [new]" in (folder / "one.md").read_text("utf-8")
        await app.do("m =sub enter")
    assert (folder / "sub" / "one.md").exists()


# Clicks, and lists that know vim's keys beside the arrows.


async def click(app: Driver, words: str, beside: int = 0) -> None:
    """On the first place where these words stand."""
    rows = app.shown().replace("\xa0", " ").split("\n")
    y = next(number for number, row in enumerate(rows) if words in row)
    await app.pilot.click(offset=(rows[y].index(words) + beside, y))
    await app.settle()


async def test_a_click_opens_picks_rates_and_answers(cards: Path) -> None:
    ratings = {"1 Again": 1, "Hard": 2, "3 Good": 3}
    async with running(cards) as app:
        await click(app, "Agenda  ")
        for words in ratings:
            await app.press("space")
            await click(app, words)
        assert [line["rating"] for line in journal(cards, "review")] == list(ratings.values())
        await app.do("e x escape", on="ConfirmScreen")
        await click(app, "Go on editing")
        await app.do("escape", on="ConfirmScreen")
        await click(app, "Drop the changes")
        await app.do("escape", on="HomeScreen")
        await click(app, "Choices  ")
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


async def test_the_palette_finds_cards_by_their_words(two: Path) -> None:
    async with running(two) as app:
        await app.do("ctrl+p =id:first", "What is [bold]one[/bold]?")
        await app.do("enter", "It is", on="CardScreen")
