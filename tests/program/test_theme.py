"""The real program asks its terminal for the background, and never takes the answer for keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program.terminal import Terminal, environment
from tests.tui.driving import basic, write

WHITE, BLACK = "\x1b]11;rgb:ffff/ffff/ffff\x1b\\", "\x1b]11;rgb:0000/0000/0000\x07"
QUESTION = b"\x1b]11;?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "deck"
    folder.mkdir()
    write(folder, "first", basic("first"))
    return folder


def is_light(app: Terminal) -> bool:
    """By the background of the middle of the screen."""
    colour = app.screen.buffer[12][70].bg
    return colour != "default" and int(colour[:2], 16) > 127


def test_it_turns_light_with_its_terminal_and_remembers_it(folder: Path, tmp_path: Path) -> None:
    env = environment(tmp_path) | {"XDG_STATE_HOME": str(tmp_path / "state")}
    with Terminal(str(folder), env=env) as app:
        app.see("1 card, about")
        assert not is_light(app)
        app.until(lambda _: QUESTION in app.raw, "asked")
        app.press(WHITE)
        app.until(lambda _: is_light(app), "light")
        app.press("e")  # whatever is typed next to it is a key; the answer is none
        app.press("\x1b[?997;1n")
        app.until(lambda _: not is_light(app), "told that it is dark now")
        app.press("\x1b[?997;2n")
        app.until(lambda _: is_light(app), "light again")
        app.press("q")
        assert app.wait() == 0
        assert b"\x1b[?2031l" in app.raw
    with Terminal(str(folder), env=env) as app:
        app.until(lambda _: is_light(app), "light from the start")


def test_an_answer_is_not_typed_where_one_writes(folder: Path, tmp_path: Path) -> None:
    with Terminal(str(folder), env=environment(tmp_path)) as app:
        app.see("1 card, about")
        app.press("\r")
        app.see("Reveal")
        app.press("e")
        app.see("this card can be read")
        app.press("ab" + WHITE[:9])
        app.press(WHITE[9:] + "cd")
        app.see("abcd---")
        app.until(lambda _: is_light(app), "light")
        app.press("\x13")
        app.see("Not saved")


def test_sixteen_colours_are_the_terminals_own(folder: Path, tmp_path: Path) -> None:
    env = environment(tmp_path) | {"TERM": "linux", "COLORTERM": ""}
    with Terminal(str(folder), env=env) as app:
        app.see("1 card, about")
        assert QUESTION not in app.raw
        assert app.screen.buffer[12][70].bg == "default"
        assert b"[38;" not in app.raw
        assert b";38;" not in app.raw


def test_no_color_leaves_no_colour(folder: Path, tmp_path: Path) -> None:
    with Terminal(str(folder), env=environment(tmp_path) | {"NO_COLOR": "1"}) as app:
        app.see("1 card, about")
        cells = [cell for row in app.screen.buffer.values() for cell in row.values()]
        assert {(cell.fg, cell.bg) for cell in cells} == {("default", "default")}
        assert any(cell.reverse for cell in cells)
