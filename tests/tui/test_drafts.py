"""Unsaved text outlives a signal, a crash and a kill, and is offered at the next start."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.widgets import TextArea

from tests.paths import ROOT
from tests.tui.driving import WRONG, Driver, basic, running
from tui.drafts import Buffer, Draft, keep
from tui.screens.edit import EditScreen

NOW = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
#: Keeps a text of the cards that are named, as editors do, and then waits until it is killed.
WRITES = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from tui.drafts import Buffer
for path in map(Path, sys.argv[2:]):
    seen = path.read_text() if path.exists() else None
    text = sys.argv[1].replace("ID", path.stem)
    assert Buffer(path).keep(text, seen, datetime.now(UTC)) == ""
print("kept", flush=True)
sys.stdin.read()
"""
WRITTEN = basic("ID", "Was it lost?")
NEW = "20261120_093000"
Writer = Callable[..., subprocess.Popen[str]]


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    return tmp_path / "XDG_DATA_HOME"


@pytest.fixture
def writing() -> Iterator[Writer]:
    """Begins another program that has these cards in its editors."""
    every: list[subprocess.Popen[str]] = []

    def begin(*paths: Path) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", WRITES, WRITTEN, *map(str, paths)]
        pipe = subprocess.PIPE
        every.append(subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True))
        output = every[-1].stdout
        assert output is not None
        assert output.readline() == "kept\n"
        return every[-1]

    yield begin
    for each in every:
        each.kill()
        each.communicate()


@pytest.fixture
def killed(writing: Writer) -> Writer:
    """The same, and it is killed."""

    def kill(*paths: Path) -> subprocess.Popen[str]:
        writer = writing(*paths)
        writer.kill()
        writer.wait()
        return writer

    return kill


def drafts(data: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in data.glob("deltadeck/drafts/*")}


def kept(data: Path) -> list[Path]:
    return list(data.glob("deltadeck/editing/*"))


def editor(app: Driver) -> TextArea:
    return app.app.screen.query_one(TextArea)


def says_left(app: Driver) -> list[str]:
    return [said for said in app.said() if "when the program ended" in said]


async def keep_now(app: Driver) -> None:
    """What the editor does after a rest."""
    screen = app.app.screen
    assert isinstance(screen, EditScreen)
    screen.keep()
    await app.settle()


async def signalled(app: Driver, number: signal.Signals) -> None:
    os.kill(os.getpid(), number)
    while app.app.kept is None:
        await asyncio.sleep(0)


# Where the program has to stop.


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
async def test_what_a_signal_stopped_is_kept_and_offered_by_the_next_editor(
    two: Path, data: Path, number: signal.Signals
) -> None:
    async with running(two) as app:
        await app.press("enter", "e")
        editor(app).load_text("mine")
        await signalled(app, number)
        [(name, text)] = drafts(data).items()
        assert text == "mine"
        assert any(name in sentence for sentence in app.app.kept or ())
        assert app.app.return_code == 128 + number
    async with running(two) as app:
        assert any("1 card was being written" in said for said in app.said())
        await app.press("enter", "e")
        assert app.screen == "DifferenceScreen"
        await app.press("r")
        assert editor(app).text == "mine"


async def test_a_signal_keeps_a_new_card_and_an_answer_that_is_being_written(
    seed: Path, data: Path
) -> None:
    async with running(seed) as app:
        await app.press("a", "ctrl+s", *"Why")
        await signalled(app, signal.SIGTERM)
        assert any("# Question\nWhy" in text for text in drafts(data).values())
    async with running(seed) as app:
        await app.press("ctrl+o")
        assert "\nWhy\n" in editor(app).text
        await app.press("escape", "d", "enter", "c")
        editor(app).load_text(WRONG)
        await signalled(app, signal.SIGTERM)
        assert WRONG in drafts(data).values()


async def test_a_signal_keeps_nothing_where_all_is_saved(two: Path, data: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "e")
        await signalled(app, signal.SIGTERM)
        assert drafts(data) == {}


def fault() -> None:
    raise ZeroDivisionError


async def test_a_crash_keeps_the_text(two: Path, data: Path) -> None:
    async def write_and_crash() -> None:
        async with running(two) as app:
            await app.press("enter", "e")
            editor(app).load_text(basic("first", "mine"))
            app.app.call_later(fault)
            await app.pilot.pause()

    with pytest.raises(ZeroDivisionError):
        await write_and_crash()
    assert list(drafts(data).values()) == [basic("first", "mine")]


def test_two_drafts_of_one_second_are_both_kept_or_a_sentence_says_why_not(data: Path) -> None:
    for text in ("one", "two"):
        assert "is kept in" in keep(Draft("card.md", text), NOW)
    assert sorted(drafts(data).values()) == ["one", "two"]
    folder = data / "deltadeck" / "drafts"
    folder.rename(data / "away")
    folder.write_text("in the way")
    assert "could not be kept" in keep(Draft("card.md", "text"), NOW)


# What is kept while one writes.


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


async def test_it_is_kept_while_it_is_not_saved_and_no_longer(two: Path, data: Path) -> None:
    async with running(two) as app:
        await app.press("a", "ctrl+s")
        await keep_now(app)
        assert kept(data) == []  # on a new card nothing was written
        await app.press("x")
        await keep_now(app)
        assert len(kept(data)) == 1
        await app.press("ctrl+s")
        assert kept(data) == []
        await app.press("enter", "e", "x")
        await keep_now(app)
        assert len(kept(data)) == 1
        await app.press("ctrl+q", "l")  # who leaves without it is not asked about it
    assert kept(data) == []


async def test_a_new_card_that_was_never_saved_is_the_draft_that_it_was(
    two: Path, data: Path, killed: Writer
) -> None:
    killed(two / f"{NEW}.md")
    (two / ".deltadeck").mkdir()
    (two / ".deltadeck" / "config.toml").write_text('[keys]\nhome.left = "f9"\n')
    async with running(two) as app:
        assert says_left(app) == ["1 card was being written when the program ended: F9 opens it."]
        await app.press("f9")
        assert app.screen == "EditScreen"
        assert editor(app).text == WRITTEN.replace("ID", NEW)
        assert "not saved" in app.shown()
        assert len(kept(data)) == 1, "another kill would lose nothing"
        await app.press("ctrl+s")
        assert app.screen == "HomeScreen"
        assert "Was it lost?" in (two / f"{NEW}.md").read_text()
        assert kept(data) == []
        assert "f9" not in app.app.screen.active_bindings
    async with running(two) as app:
        assert says_left(app) == []


async def test_a_card_that_is_there_is_asked_about_as_everywhere(
    two: Path, data: Path, killed: Writer
) -> None:
    killed(two / "first.md")
    async with running(two) as app:
        await app.press("ctrl+o")
        assert app.screen == "DifferenceScreen"
        assert "never saved" in app.shown()
        assert "+Was it lost?" in app.shown()
        await app.press("r")
        assert editor(app).has_focus
        await app.press("ctrl+s", "escape")
        assert "Was it lost?" in (two / "first.md").read_text()
        assert kept(data) == []


async def test_what_was_put_off_is_offered_again_and_what_was_dropped_is_not(
    two: Path, data: Path, killed: Writer
) -> None:
    killed(two / "first.md", two / f"{NEW}.md")
    async with running(two) as app:
        assert says_left(app)[0].startswith("2 cards were being written")
        await app.press("ctrl+o", "escape", "d")  # the newest: dropped
        assert app.screen == "HomeScreen"
        assert says_left(app)[-1].startswith("1 card was being written")
        await app.press("ctrl+o", "escape", "escape")  # the other one: later
        assert app.screen == "HomeScreen"
        assert len(kept(data)) == 1
    async with running(two) as app:
        await app.press("ctrl+o", "d", "escape")
        assert app.screen == "HomeScreen"
        assert kept(data) == []
    assert "Was it lost?" not in (two / "first.md").read_text()
    assert not (two / f"{NEW}.md").exists()


async def test_what_another_window_is_still_writing_is_not_offered_nor_taken_away(
    two: Path, data: Path, writing: Writer
) -> None:
    writing(two / f"{NEW}.md", two / "first.md")
    async with running(two) as app:
        assert says_left(app) == []
        assert "ctrl+o" not in app.app.screen.active_bindings
        await app.press("enter", "e", "escape")
        assert app.screen == "StudyScreen"
    assert len(kept(data)) == 2


async def test_other_collections_and_what_was_saved_or_cannot_be_read_are_passed_over(
    two: Path, tmp_path: Path, data: Path, killed: Writer
) -> None:
    killed(tmp_path / "elsewhere.md", two / "first.md")
    (two / "first.md").write_text(WRITTEN.replace("ID", "first"))
    broken = ("", "[]", "{", '{"process": 1}', json.dumps({"process": 0, "path": 3, "at": "x"}))
    folder = data / "deltadeck" / "editing"
    for number, text in enumerate(broken):
        (folder / f"{number}.json").write_text(text)
    (folder / "9.json").mkdir()
    async with running(two) as app:
        assert says_left(app) == []


async def test_a_way_through_a_link_leads_to_the_same_cards(
    two: Path, tmp_path: Path, killed: Writer
) -> None:
    link = tmp_path / "link"
    link.symlink_to(two)
    killed(link / f"{NEW}.md")
    async with running(two) as app:
        assert len(says_left(app)) == 1
    async with running(link) as app:
        await app.press("ctrl+o", "ctrl+s")
        assert f"Saved {NEW}.md." in app.said()
