"""The app around its screens: size, help, keys, leaving."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.binding import Binding
from textual.screen import Screen

from tests.tui.driving import Driver, running
from tui.app import DeltadeckApp
from tui.screens.dialogs import Choice, ConfirmScreen, HelpScreen
from tui.screens.edit import EditScreen, ProblemsScreen
from tui.screens.forms import AddScreen
from tui.screens.home import HomeScreen
from tui.screens.lab import LabScreen
from tui.screens.study import StudyScreen

SCREENS = [AddScreen, EditScreen, HelpScreen, HomeScreen, LabScreen, ProblemsScreen, StudyScreen]


@pytest.mark.parametrize("size", [(20, 5), (59, 24), (80, 19)])
async def test_a_small_terminal_says_what_it_needs_and_comes_back(
    two: Path, size: tuple[int, int]
) -> None:
    async with running(two) as app:
        await app.press("enter", "space")
        await app.pilot.resize_terminal(*size)
        await app.settle()
        words = " ".join(app.shown().split())
        assert "deltadeck needs 60 by 20" in words
        assert f"{size[0]} by {size[1]}" in words
        await app.press("3")
        await app.pilot.resize_terminal(60, 20)
        await app.settle()
        assert app.screen == "StudyScreen"
        assert "1 Again" in app.shown()
        assert "first" in app.shown()


async def test_a_terminal_that_is_small_from_the_start(two: Path) -> None:
    async with running(two, size=(20, 5)) as app:
        assert "deltadeck needs" in app.shown()
        await app.pilot.resize_terminal(80, 24)
        await app.settle()
        assert "Pooling" in app.shown()


async def test_help_lists_the_keys_of_the_screen_beneath(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "question_mark")
        assert "Take back what was done last" in app.shown()
        await app.press("escape")
        assert app.screen == "StudyScreen"


@pytest.mark.parametrize("key", ["ctrl+c", "ctrl+q", "q"])
async def test_leaving(two: Path, key: str) -> None:
    async with running(two) as app:
        await app.press(key)
        assert app.app.return_code == 0
        assert not app.app.is_running or app.app._exit


async def draw(app: Driver, start: tuple[int, int], end: tuple[int, int]) -> None:
    """Draw over the screen with the mouse."""
    await app.pilot.mouse_down(offset=start)
    await app.pilot.hover(offset=end)
    await app.pilot.mouse_up(offset=end)
    await app.settle()


async def test_a_drag_that_selects_nothing_does_not_make_ctrl_c_leave(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter")
        await draw(app, (60, 15), (80, 17))
        await app.press("ctrl+c")
        assert app.app.return_code is None
        assert "again to leave" in app.said()[0]
        app.clock.move(seconds=3)
        await app.press("ctrl+c")
        assert app.app.return_code is None
        app.clock.move(seconds=1)
        await app.press("ctrl+c")
        assert app.app.return_code == 0


async def test_ctrl_c_copies_as_often_as_it_is_pressed(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter")
        await draw(app, (3, 2), (9, 2))
        await app.press("ctrl+c", "ctrl+c", "ctrl+c")
        assert app.app.return_code is None
        assert app.app.clipboard.strip()
        assert any("Copied" in said for said in app.said())


async def test_ctrl_c_asks_where_one_writes(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "e", "ctrl+c")
        assert app.app.return_code is None
        await app.press("ctrl+c")
        assert app.app.return_code == 0


async def test_help_says_how_to_copy(two: Path) -> None:
    async with running(two) as app:
        await app.press("question_mark")
        assert "Copy what the mouse was drawn over" in app.shown()


# The theme.


def test_a_theme_that_is_not_known_is_the_dark_one(two: Path) -> None:
    assert DeltadeckApp(two, theme="none-such").theme == "textual-dark"
    assert DeltadeckApp(two, theme="none-such, nord").theme == "nord"


@pytest.mark.parametrize("screen", SCREENS)
def test_every_key_can_be_rebound_and_leads_somewhere(screen: type[Screen[object]]) -> None:
    for binding in screen.BINDINGS:
        assert isinstance(binding, Binding)
        assert binding.id
        action = binding.action.partition("(")[0]
        if not action.startswith("app."):
            assert hasattr(screen, f"action_{action}"), action


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40)])
async def test_every_screen_fits(seed: Path, size: tuple[int, int]) -> None:
    async with running(seed, size=size) as app:
        for keys in (["enter"], ["space"], ["c"], ["escape", "e"], ["escape", "escape", "a"]):
            await app.press(*keys)
            shown = app.shown().splitlines()
            assert len(shown) == size[1]
            assert "esc Back" in shown[-1]


async def test_the_footer_names_a_key_for_help_that_works(two: Path) -> None:
    async with running(two) as app:
        assert "? Help" in app.shown()
        await app.press("enter", "e")
        assert "F1 Help" in app.shown()
        assert "? Help" not in app.shown()
        await app.press("f1")
        assert app.screen == "HelpScreen"


async def test_a_narrow_footer_keeps_the_ways_out(two: Path) -> None:
    async with running(two, size=(60, 20)) as app:
        await app.press("b")
        last = app.shown().splitlines()[-1]
        assert "space Mark" in last
        assert "esc Back" in last
        assert "? Help" in last


@pytest.mark.parametrize("width", [60, 80])
async def test_a_question_is_whole_in_a_narrow_terminal(two: Path, width: int) -> None:
    choices = (
        Choice("m", "mine", "Save mine over it"),
        Choice("d", "disk", "Take the file's"),
        Choice("escape", "stay", "Go on editing"),
    )
    question = "a_card_with_a_long_name.md was changed by another program since it was opened here."
    async with running(two, size=(width, 20)) as app:
        app.app.push_screen(ConfirmScreen(question, choices))
        await app.settle()
        words = " ".join(app.shown().replace("│", " ").split())
        assert question in words
        for choice in choices:
            assert f"{choice.key} {choice.label}" in words


async def test_what_is_said_again_is_shown_once(two: Path) -> None:
    async with running(two) as app:
        for _ in range(3):
            app.app.say("Nothing to do.")
            await app.settle()
        app.app.say("Something else.")
        await app.settle()
        assert app.said() == ["Nothing to do.", "Something else."]
