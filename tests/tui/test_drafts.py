"""Unsaved text outlives a signal, a crash and a kill, and is offered at the next start."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.widgets import TextArea

from tests.tui.driving import WRONG, Driver, basic, running
from tui.drafts import Buffer, Draft, keep
from tui.screens.edit import EditScreen

NOW = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
WRITTEN = basic("ID", "Was it lost?")
NEW = "20261120_093000"
Writer = Callable[..., None]


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    return tmp_path / "XDG_DATA_HOME"


def written_by(process: int, *paths: Path) -> None:
    """Texts of these cards as the editors of a process keep them; the first is the newest."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "getpid", lambda: process)
        for number, path in enumerate(paths):
            seen = path.read_text() if path.exists() else None
            at = NOW.replace(minute=30 - number)
            assert Buffer(path).keep(WRITTEN.replace("ID", path.stem), seen, at) == ""


@pytest.fixture
def killed() -> Writer:
    """The same, and the process has ended."""
    process = subprocess.Popen(["true"])
    process.wait()
    return lambda *paths: written_by(process.pid, *paths)


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
        await app.do("", "1 card was being written")
        await app.do("enter e", on="DifferenceScreen")
        await app.press("r")
        assert editor(app).text == "mine"


async def test_a_signal_keeps_a_new_card_and_an_answer_and_nothing_that_is_saved(
    seed: Path, data: Path
) -> None:
    async with running(seed) as app:
        await app.press("enter", "e")
        await signalled(app, signal.SIGTERM)
        assert drafts(data) == {}
    async with running(seed) as app:
        await app.do("a ctrl+s =Why")
        await signalled(app, signal.SIGTERM)
        assert any("# Question\nWhy" in text for text in drafts(data).values())
    async with running(seed) as app:
        await app.press("ctrl+o")
        assert "\nWhy\n" in editor(app).text
        await app.press("escape", "d", "enter", "c")
        editor(app).load_text(WRONG)
        await signalled(app, signal.SIGTERM)
        assert WRONG in drafts(data).values()


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
        # On a new card nothing was written.
        for keys, files in (("a ctrl+s", 0), ("x", 1), ("ctrl+s", 0), ("escape enter e x", 1)):
            await app.do(keys)
            if app.screen == "EditScreen":
                await keep_now(app)
            assert len(kept(data)) == files
        await app.press("ctrl+q", "l")  # who leaves without it is not asked about it
    assert kept(data) == []


async def test_a_new_card_that_was_never_saved_is_the_draft_that_it_was(
    two: Path, tmp_path: Path, data: Path, killed: Writer
) -> None:
    link = tmp_path / "link"
    link.symlink_to(two)
    killed(link / f"{NEW}.md")  # any way to the folder leads to the same cards
    (two / ".deltadeck").mkdir()
    (two / ".deltadeck" / "config.toml").write_text('[keys]\nhome.left = "f9"\n')
    async with running(two) as app:
        assert says_left(app) == ["1 card was being written when the program ended: F9 opens it."]
    async with running(link) as app:
        await app.do("f9", "not saved", on="EditScreen")
        assert editor(app).text == WRITTEN.replace("ID", NEW)
        assert len(kept(data)) == 1, "another kill would lose nothing"
        await app.do("ctrl+s escape", f"Saved {NEW}.md.", on="HomeScreen")
        assert "Was it lost?" in (two / f"{NEW}.md").read_text()
        assert kept(data) == []
        assert "f9" not in app.app.screen.active_bindings


async def test_of_several_each_is_taken_up_dropped_or_asked_about_again(
    two: Path, data: Path, killed: Writer
) -> None:
    killed(two / f"{NEW}.md", two / "first.md", two / "second.md")
    async with running(two) as app:
        assert says_left(app)[0].startswith("3 cards were being written")
        await app.do("ctrl+o escape d", on="HomeScreen")  # the newest: dropped
        assert says_left(app)[-1].startswith("2 cards were being written")
        # A card that is there is asked about as everywhere.
        await app.do("ctrl+o", "never saved", "+Was it lost?", on="DifferenceScreen")
        await app.press("r")
        assert editor(app).has_focus
        await app.press("ctrl+s", "escape")
        assert "Was it lost?" in (two / "first.md").read_text()
        await app.do("ctrl+o escape escape", on="HomeScreen")  # the last one: later
        assert len(kept(data)) == 1
    async with running(two) as app:
        await app.do("ctrl+o d escape", on="HomeScreen")
        assert kept(data) == []
    assert "Was it lost?" not in (two / "second.md").read_text()
    assert not (two / f"{NEW}.md").exists()


async def test_other_windows_and_collections_and_what_was_saved_or_is_broken_are_passed_over(
    two: Path, tmp_path: Path, data: Path, killed: Writer
) -> None:
    written_by(os.getppid(), two / f"{NEW}.md", two / "second.md")  # it runs
    killed(tmp_path / "elsewhere.md", two / "first.md")
    (two / "first.md").write_text(WRITTEN.replace("ID", "first"))
    broken = ("", "[]", "{", '{"process": 1}', json.dumps({"process": 0, "path": 3, "at": "x"}))
    folder = data / "deltadeck" / "editing"
    for number, text in enumerate(broken):
        (folder / f"{number}.json").write_text(text)
    (folder / "9.json").mkdir()
    there = set(kept(data))
    async with running(two) as app:
        assert says_left(app) == []
        assert "ctrl+o" not in app.app.screen.active_bindings
        app.app.push_screen(EditScreen(two / "second.md"))
        await app.settle()
        await app.do("escape", on="HomeScreen")
    assert there == set(kept(data))
