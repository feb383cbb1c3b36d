"""The app around its screens: size, help, leaving, and a folder named from where one stands."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest
from textual.binding import Binding
from textual.screen import Screen

import tui.screens
from tests.tui.driving import Driver, basic, running, write
from tui.app import DeltadeckApp
from tui.screens.dialogs import Choice, ConfirmScreen


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
        await app.do("question_mark", "Copy what the mouse was drawn over")
        await app.do("escape enter question_mark", "Take back what was done last")
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


def test_every_key_of_a_screen_can_be_rebound_and_leads_somewhere() -> None:
    modules = [
        import_module(f"tui.screens.{found.name}") for found in iter_modules(tui.screens.__path__)
    ]
    every = {each for module in modules for each in vars(module).values() if isinstance(each, type)}
    ours = [each for each in every if issubclass(each, Screen) and "BINDINGS" in vars(each)]
    assert len(ours) > 12
    for screen in ours:
        for binding in screen.BINDINGS:
            assert isinstance(binding, Binding)
            if screen.__module__.startswith("tui."):
                assert binding.id
                action = binding.action.partition("(")[0]
                if not action.startswith("app."):
                    assert hasattr(screen, f"action_{action}"), action


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
        await app.press("escape", "a", "ctrl+s", "ctrl+s")
        assert (folder / "20261120_100000.md").exists()
        await app.do("escape b slash =id:one enter e", on="EditScreen")
        await app.do("escape t =new enter")
        assert "tags: [new]" in (folder / "one.md").read_text("utf-8")
        await app.do("m =sub enter")
    assert (folder / "sub" / "one.md").exists()
