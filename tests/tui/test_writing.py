"""The editor helps: completions by their place, marks at problems, text that outlives a crash."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.paths import ROOT
from tests.tui.driving import basic, running, write
from tui.card_completion import CURSOR, KEYS, SNIPPETS, Vocabulary, context_at, inserted, offer
from tui.drafts import Buffer
from tui.screens.dialogs import DifferenceScreen, difference
from tui.screens.edit import EditScreen
from tui.widgets.editors import CardEditor

VOCABULARY = Vocabulary(
    tags=lambda: ["cnn", "max-pooling", "pooling"],
    courses=lambda: ["Statistical Machine Learning", "Control"],
    layers=lambda: ["softmax", "linear"],
    links=lambda written: [(f"{written}_1", "What?")],
)
HEADER = "---\nid: a\n{}\n---\n# Question\n{}"


def labels(text: str) -> list[str]:
    """What is offered where `‸` stands."""
    before, _, after = text.partition(CURSOR)
    lines = (before + after).split("\n")
    row = before.count("\n")
    found = offer(lines, row, len(before.split("\n")[-1]), VOCABULARY)
    return [one.label for one in found.completions] if found else []


@pytest.mark.parametrize(
    ("header", "body", "first"),
    [
        ("cou‸", "", "course"),
        ("course: ‸", "", "Statistical Machine Learning"),
        ("course: con‸", "", "Control"),
        ("type: mu‸", "", "multiple_choice"),
        ("tags: [cnn, po‸]", "", "pooling"),
        ("tags: po‸", "", "pooling"),
        ("tags:\n  - ma‸", "", "max-pooling"),
        ("exercise: soft‸", "", "softmax"),
        ("exercise: {layer: li‸}", "", "linear"),
        ("exercise:\n  layer: so‸", "", "softmax"),
        ("tags: []", "See [[po‸", "po_1"),
        ("tags: []", ":opt‸", ":options"),
    ],
)
def test_what_is_offered_where(header: str, body: str, first: str) -> None:
    assert labels(HEADER.format(header, body))[:1] == [first]


@pytest.mark.parametrize(
    ("header", "body"),
    [
        ("‸", ""),
        ("type: basic‸", ""),
        ("course: x‸ y", ""),
        ("exercise: {‸", ""),
        ("tags: []", "plain wor‸"),
        ("tags: []", "at 10:‸"),
        ("tags: []", "[[done]] ‸"),
    ],
)
def test_nothing_is_offered_where_it_would_be_in_the_way(header: str, body: str) -> None:
    assert labels(HEADER.format(header, body)) == []


@given(st.lists(st.text("ab: -[],{}|#\t", max_size=12), min_size=1, max_size=6), st.data())
def test_every_place_of_every_text_has_an_answer(lines: list[str], data: st.DataObject) -> None:
    row = data.draw(st.integers(0, len(lines) - 1))
    column = data.draw(st.integers(0, len(lines[row])))
    place = context_at(["---", *lines], row + 1, column)
    if place is not None:
        assert lines[row][place.column : column] == place.written


def test_a_snippet_says_where_the_cursor_goes() -> None:
    for _, _, text in (*SNIPPETS, *KEYS):
        put, at = inserted(text)
        assert put[:at] + CURSOR + put[at:] == text


async def test_tab_takes_what_is_offered_and_escape_closes_the_list(two: Path) -> None:
    async with running(two) as driver:
        driver.app.push_screen(EditScreen(two / "first.md"))
        await driver.settle()
        editor = driver.app.screen.query_one(CardEditor)
        editor.move_cursor(editor.document.end)
        await driver.press(*"See [[sec")
        assert "Why?" in driver.shown()
        await driver.press("tab")
        assert editor.text.endswith("See [[second]]")
        await driver.press("enter", *":tab")
        assert ":table" in driver.shown()
        await driver.press("escape")
        assert driver.screen == "EditScreen"
        assert ":table" not in driver.shown()
        await driver.press("tab")
        assert editor.text.endswith(":tab  ")


async def test_a_problem_is_marked_beside_its_line(two: Path) -> None:
    async with running(two) as driver:
        driver.app.push_screen(EditScreen(two / "first.md"))
        await driver.settle()
        editor = driver.app.screen.query_one(CardEditor)
        editor.load_text(editor.text.replace("difficulty: 1", "difficulty: 9"))
        await driver.settle()
        assert await driver.sees("4●")


async def test_the_card_stands_beside_its_source_and_follows(two: Path) -> None:
    async with running(two, size=(120, 30)) as driver:
        driver.app.push_screen(EditScreen(two / "first.md"))
        await driver.settle()
        editor = driver.app.screen.query_one(CardEditor)
        editor.load_text(editor.text.replace("It is", "Now $\\alpha$ is"))
        await driver.rest()
        assert "Now α is" in driver.shown()
        await driver.press("f2")
        assert "Now α is" not in driver.shown()


async def test_a_terminal_that_grows_shows_the_card_as_it_is_now(two: Path) -> None:
    async with running(two, size=(80, 24)) as driver:
        driver.app.push_screen(EditScreen(two / "first.md"))
        await driver.settle()
        editor = driver.app.screen.query_one(CardEditor)
        editor.load_text(editor.text.replace("It is", "Now $\\alpha$ is"))
        await driver.rest()
        assert "Now α is" not in driver.shown()
        await driver.pilot.resize_terminal(120, 40)
        assert await driver.sees("Now α is")


async def test_a_change_on_the_disk_is_shown_as_a_difference(two: Path) -> None:
    async with running(two) as driver:
        driver.app.push_screen(EditScreen(two / "first.md"))
        await driver.settle()
        there = basic("first", "Theirs?")
        write(two, "first", there)
        editor = driver.app.screen.query_one(CardEditor)
        editor.load_text(basic("first", "Mine?"))
        await driver.press("ctrl+s")
        assert isinstance(driver.app.screen, DifferenceScreen)
        shown = driver.shown()
        assert "-Theirs?" in shown
        assert "+Mine?" in shown
        assert (two / "first.md").read_text() == there
        await driver.press("m")
        assert "Mine?" in (two / "first.md").read_text()


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_difference_has_every_changed_line(theirs: str, mine: str) -> None:
    rows = difference(theirs, mine).plain.split("\n")
    assert sum(row.startswith("+") for row in rows) >= 1
    if theirs == mine:
        assert len(rows) == 2


# What outlives a crash.

NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)
CRASH = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from tui.drafts import Buffer
Buffer(Path(sys.argv[1])).keep("what was written\\n", "old", datetime.now(UTC))
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


@given(text=st.text(max_size=200), seen=st.none() | st.text(max_size=20))
def test_a_buffer_gives_back_what_it_kept(
    tmp_path_factory: pytest.TempPathFactory, text: str, seen: str | None
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.getbasetemp() / "buffers"))
        buffer = Buffer(Path("card.md"))
        assert buffer.keep(text, seen, NOW) == ""
        left = Buffer(Path("card.md")).left()
        assert left is not None
        assert (left.text, left.at) == (text, NOW)
        buffer.drop()
        assert Buffer(Path("card.md")).left() is None


@pytest.mark.usefixtures("data")
async def test_what_a_killed_editor_held_is_offered_and_taken_up(two: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CRASH, str(two / "first.md")],
        env=dict(os.environ),
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    async with running(two) as driver:
        driver.app.push_screen(EditScreen(two / "first.md"))
        await driver.settle()
        assert "never saved" in driver.shown()
        await driver.press("r")
        assert driver.app.screen.query_one(CardEditor).text == "what was written\n"
        assert driver.app.screen.query_one(CardEditor).has_focus


@pytest.mark.usefixtures("data")
async def test_saving_leaves_nothing_behind(two: Path, data: Path) -> None:
    async with running(two) as driver:
        driver.app.push_screen(EditScreen(two / "first.md"))
        await driver.settle()
        screen = driver.app.screen
        assert isinstance(screen, EditScreen)
        screen.editor.load_text(screen.editor.text + "More.\n")
        await driver.settle()
        screen.keep()
        await driver.settle()
        assert len(list((data / "deltadeck" / "editing").iterdir())) == 1
        await driver.press("ctrl+s")
        assert list((data / "deltadeck" / "editing").iterdir()) == []
