"""Unsaved text outlives the program."""

from __future__ import annotations

import asyncio
import os
import signal
from datetime import UTC, datetime
from pathlib import Path

import pytest
from textual.widgets import TextArea

from tests.tui.driving import WRONG, Driver, basic, running
from tui.drafts import Draft, keep

NOW = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "data"


def drafts(data: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in data.glob("deltadeck/drafts/*")}


async def signalled(app: Driver, number: signal.Signals) -> None:
    os.kill(os.getpid(), number)
    while app.app.kept is None:
        await asyncio.sleep(0)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_keeps_the_text_of_the_edit_screen(
    two: Path, data: Path, number: signal.Signals
) -> None:
    async with running(two) as app:
        await app.press("enter", "e")
        app.app.screen.query_one(TextArea).load_text("mine")
        await signalled(app, number)
        [(name, text)] = drafts(data).items()
        assert text == "mine"
        assert any(name in sentence for sentence in app.app.kept or ())
        assert app.app.return_code == 128 + number


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
async def test_what_a_signal_stopped_is_offered_by_the_next_editor(
    two: Path, number: signal.Signals
) -> None:
    async with running(two) as app:
        await app.press("enter", "e")
        app.app.screen.query_one(TextArea).load_text("mine")
        await signalled(app, number)
    async with running(two) as app:
        assert any("1 card was being written" in said for said in app.said())
        await app.press("enter", "e")
        assert app.screen == "DifferenceScreen"
        await app.press("r")
        assert app.app.screen.query_one(TextArea).text == "mine"


async def test_a_new_card_that_a_signal_stopped_is_offered_on_home(two: Path) -> None:
    async with running(two) as app:
        await app.press("a", "ctrl+s", *"Why")
        await signalled(app, signal.SIGTERM)
    async with running(two) as app:
        await app.press("ctrl+o")
        assert "\nWhy\n" in app.app.screen.query_one(TextArea).text


async def test_a_signal_keeps_a_new_card_and_an_answer_that_is_being_written(
    seed: Path, data: Path
) -> None:
    async with running(seed) as app:
        await app.press("a", "ctrl+s")
        assert app.screen == "EditScreen"
        await signalled(app, signal.SIGTERM)
        assert any("# Question" in text for text in drafts(data).values())
    async with running(seed) as app:
        await app.press("enter", "c")
        app.app.screen.query_one(TextArea).load_text(WRONG)
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
            app.app.screen.query_one(TextArea).load_text(basic("first", "mine"))
            app.app.call_later(fault)
            await app.pilot.pause()

    with pytest.raises(ZeroDivisionError):
        await write_and_crash()
    assert list(drafts(data).values()) == [basic("first", "mine")]


def test_two_drafts_of_one_second_are_both_kept(data: Path) -> None:
    for text in ("one", "two"):
        assert "is kept in" in keep(Draft("card.md", text), NOW)
    assert sorted(drafts(data).values()) == ["one", "two"]


def test_a_draft_that_cannot_be_kept_is_a_sentence(data: Path) -> None:
    data.write_text("in the way")
    assert "could not be kept" in keep(Draft("card.md", "text"), NOW)
