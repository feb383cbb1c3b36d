"""The app around its screens: size, help, keys, leaving."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.binding import Binding
from textual.screen import Screen

from tests.tui.driving import running
from tui.screens.add import AddScreen
from tui.screens.confirm import Choice, ConfirmScreen
from tui.screens.edit import EditScreen
from tui.screens.help import HelpScreen
from tui.screens.home import HomeScreen
from tui.screens.lab import LabScreen
from tui.screens.problems import ProblemsScreen
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
        assert "Take the last rating back" in app.shown()
        await app.press("escape")
        assert app.screen == "StudyScreen"


@pytest.mark.parametrize("key", ["ctrl+c", "ctrl+q", "q"])
async def test_leaving(two: Path, key: str) -> None:
    async with running(two) as app:
        await app.press(key)
        assert app.app.return_code == 0
        assert not app.app.is_running or app.app._exit


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
