"""Which theme is shown: the one that was chosen, else what suits the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.driving import Clock, Driver, running
from tui.app import DeltadeckApp
from tui.screens.settings import SettingsScreen
from tui.terminal import CONTRAST, Answers, Background, asks, contrast
from tui.theme import Themes, colours

MANY = {"COLORTERM": "truecolor"}


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "deltadeck"


# What the first one is.


@pytest.mark.parametrize(
    ("environment", "number"),
    [
        *(({"TERM": "linux"}, 16), ({"TERM": "xterm-16color"}, 16)),
        *(({"TERM": "xterm-256color"}, 256), ({"TERM": "xterm-kitty"}, 256)),
        ({"TERM": "linux", "COLORTERM": "truecolor"}, 1 << 24),
        ({"TERM": "linux", "TEXTUAL_COLOR_SYSTEM": "256"}, 256),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, 0),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, 256),
    ],
)
def test_the_colours_of_a_terminal(environment: dict[str, str], number: int) -> None:
    assert colours(environment) == number


def test_the_background_that_is_named_or_was_seen_last_is_suited() -> None:
    for background in ("15;0", "0;default", ""):
        assert Themes({**MANY, "COLORFGBG": background}).first() == "textual-dark"
        assert Themes({"COLORFGBG": background}).first() == "sixteen-dark"
    for background in ("0;15", "0;default;7"):
        assert Themes({**MANY, "COLORFGBG": background}).first() == "textual-light"
        assert Themes({"COLORFGBG": background}).first() == "sixteen-light"
    themes = Themes(MANY)
    assert themes.first() == "textual-dark"
    assert themes.seen(light=True) == "textual-light"
    assert Themes(MANY).first() == "textual-light"
    assert Themes({**MANY, "COLORFGBG": "15;0"}).first() == "textual-dark"


def test_a_choice_holds_until_it_is_taken_back() -> None:
    themes = Themes(MANY)
    assert themes.taken(themes.first()) == ""  # what suits is no choice
    assert Themes({**MANY, "COLORFGBG": "0;15"}).first() == "textual-light"
    assert themes.taken("nord") == ""
    assert themes.seen(light=True) == ""
    again = Themes(MANY)
    assert again.first() == "nord"
    assert again.suited == ""
    assert Themes({**MANY, "TEXTUAL_THEME": "dracula"}).first() == "dracula"
    # For few colours it is none.
    assert Themes({"TERM": "linux"}).first() == "sixteen-dark"
    Themes({"TERM": "linux"}).taken("sixteen-light")
    assert Themes(MANY).first() == "nord"
    themes.taken("textual-dark")  # what suits is one after another
    assert Themes({**MANY, "COLORFGBG": "0;15"}).first() == "textual-dark"
    assert again.forget() == "textual-light"
    assert Themes(MANY).first() == "textual-light"


def test_what_cannot_be_kept_is_said(state: Path) -> None:
    state.parent.mkdir()
    state.write_text("")
    themes = Themes(MANY)
    themes.first()
    assert themes.seen(light=True) == "textual-light"
    assert "could not be kept" in themes.taken("nord")


# What the terminal says.


ANSWERS = (
    ("\x1b]11;rgb:ffff/ffff/ffff\x1b\\", True),
    ("\x1b]11;rgb:1e1e/1e1e/2e2e\x07", False),
    ("\x1b]11;rgb:f/f/f\x07", True),
    ("\x1b]11;rgba:fdfd/f6f6/e3e3/ffff\x1b\\", True),
    ("\x1b[?997;2n", True),
    ("\x1b[?997;1n", False),
)


@pytest.mark.parametrize(("said", "light"), ANSWERS)
@given(
    before=st.text("ab\x1b[]1;O"),
    after=st.text("ab;1"),
    places=st.lists(st.integers(0, 60), max_size=4),
)
def test_an_answer_is_heard_and_not_typed_however_it_is_cut(
    said: str, light: bool, before: str, after: str, places: list[int]
) -> None:
    text = before.rstrip("\x1b[]1;O") + said + after
    cuts = sorted(min(place, len(text)) for place in places)
    answers = Answers()
    left = "".join(
        answers.strip(text[start:end]) for start, end in zip([0, *cuts], [*cuts, None], strict=True)
    )
    assert left + answers.release() == text.replace(said, "")
    assert answers.light is light


@given(st.lists(st.text("ab\x1b[]1;?O97nrgb:/\x07"), max_size=5), st.booleans())
def test_nothing_else_is_taken_away(texts: list[str], early: bool) -> None:
    answers = Answers()
    left = "".join(answers.strip(text, early) for text in texts) + answers.release()
    if answers.light is None:
        assert left == "".join(texts)


def test_an_escape_is_not_held_up_once_nothing_is_awaited() -> None:
    answers = Answers()
    assert answers.strip("\x1b", early=False) == "\x1b"
    assert not answers.holds


@pytest.mark.parametrize(
    ("environment", "asked"),
    [
        ({"TERM": "xterm-256color"}, True), ({"TERM": "linux"}, False), ({"TERM": "dumb"}, False),
        ({"TERM": "screen"}, False), ({"TERM": "screen", "TMUX": "/tmp/x"}, True),
    ],
)  # fmt: skip
def test_who_is_asked(environment: dict[str, str], asked: bool) -> None:
    assert asks(environment) is asked


# In the app.


async def test_the_app_follows_the_terminal_until_a_theme_is_chosen(two: Path) -> None:
    themes = Themes(MANY)
    app = DeltadeckApp(two, Clock(), themes.first(), themes=themes)
    async with app.run_test() as pilot:
        driver = Driver(app, pilot, Clock())
        for light, name in ((True, "textual-light"), (False, "textual-dark")):
            app.post_message(Background(light))
            await driver.settle()
            assert app.theme == name
        app.theme = "nord"
        await driver.settle()
        app.post_message(Background(light=True))
        await driver.settle()
        assert app.theme == "nord"
        assert Themes(MANY).first() == "nord"
        app.push_screen(SettingsScreen())
        await driver.settle()
        await driver.do("end backspace", "as the terminal")
        assert app.theme == "textual-light"
    async with running(two) as driver:  # where nothing is kept, the theme stays
        driver.app.post_message(Background(light=True))
        await driver.settle()
        assert driver.app.theme == "textual-dark"


async def test_every_word_stands_out_from_its_background(cards: Path) -> None:
    async with running(cards) as driver:
        themes = driver.app.available_themes.values()
        for way in ("", "j enter space", "b", "question_mark", "ctrl+p"):
            await driver.home()
            await driver.do(way)
            for theme in [each.name for each in themes if not each.ansi]:
                driver.app.theme = theme
                await driver.settle()
                for text, style in (piece for line in driver.pieces() for piece in line):
                    if style.color and style.bgcolor and any(map(str.isalnum, text)):
                        pair = (style.color.get_truecolor(), style.bgcolor.get_truecolor())
                        assert contrast(*pair) >= CONTRAST, (way, theme, text, pair)


async def test_a_theme_is_shown_under_the_cursor_of_the_palette_and_kept_by_enter(
    cards: Path,
) -> None:
    async with running(cards) as driver:
        before = driver.app.theme
        await driver.do("ctrl+p =Theme:␣nord")
        assert driver.app.theme == "nord"
        await driver.do("escape")
        assert driver.app.theme == before
        await driver.do("ctrl+p =Theme:␣nord enter")
        assert driver.app.theme == "nord"
