"""Edit and add: problems before saving, and nothing lost when a save is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from textual.events import Paste
from textual.widgets import Input, TextArea

from tests.tui.driving import Driver, basic, running, write


async def open_first(app: Driver) -> TextArea:
    await app.press("enter", "e")
    return app.app.screen.query_one(TextArea)


async def test_problems_are_shown_with_their_line_before_saving(two: Path) -> None:
    async with running(two) as app:
        editor = await open_first(app)
        assert "this card can be read" in app.shown()
        editor.load_text(editor.text.replace("difficulty: 1", "difficulty: 9"))
        await app.settle()
        assert await app.sees("line 4")
        assert "difficulty: 1" in (two / "first.md").read_text()


async def test_saving_writes_exactly_the_text(two: Path) -> None:
    async with running(two) as app:
        editor = await open_first(app)
        changed = editor.text.replace("Pooling", "Max pooling")
        editor.load_text(changed)
        await app.press("ctrl+s")
        assert (two / "first.md").read_text() == changed
        assert app.app.open_collection.cards["first"].course == "Max pooling"
        await app.press("escape")
        assert app.screen == "StudyScreen"


async def test_an_unchanged_card_keeps_its_bytes(two: Path) -> None:
    before = basic("first").replace("\n", "\r\n").replace("Why?\r\n", "Why?\n").encode()
    (two / "first.md").write_bytes(before)
    async with running(two) as app:
        await open_first(app)
        await app.press("ctrl+s", "escape")
        assert (two / "first.md").read_bytes() == before


async def test_a_card_that_would_not_read_is_not_saved(two: Path) -> None:
    before = (two / "first.md").read_text()
    async with running(two) as app:
        editor = await open_first(app)
        editor.load_text("---\nid: [first\n---\n# Question\nWhy?\n")
        await app.press("ctrl+s")
        assert any("Not saved: line 2" in said for said in app.said())
        assert (two / "first.md").read_text() == before
        assert editor.text.startswith("---\nid: [first")


@pytest.mark.parametrize(("key", "on_disk"), [("m", "mine"), ("d", "theirs"), ("escape", "theirs")])
async def test_a_change_on_disk_is_a_question(two: Path, key: str, on_disk: str) -> None:
    path = two / "first.md"
    async with running(two) as app:
        editor = await open_first(app)
        path.write_text(basic("first", "theirs"))
        editor.load_text(basic("first", "mine"))
        await app.press("ctrl+s")
        assert "was changed by another program" in app.shown()
        await app.press(key)
        assert on_disk in path.read_text()
        assert ("theirs" if key == "d" else "mine") in editor.text


async def test_a_folder_that_is_gone_keeps_the_text(two: Path) -> None:
    async with running(two) as app:
        editor = await open_first(app)
        editor.load_text(basic("first", "mine"))
        shutil.rmtree(two)
        await app.press("ctrl+s")
        assert any("Not saved" in said for said in app.said())
        assert "mine" in editor.text
        two.mkdir()


@pytest.mark.parametrize(("key", "screen"), [("d", "StudyScreen"), ("escape", "EditScreen")])
async def test_leaving_with_changes_asks(two: Path, key: str, screen: str) -> None:
    async with running(two) as app:
        editor = await open_first(app)
        editor.load_text(basic("first", "mine"))
        await app.press("escape")
        assert "has changes that are not saved" in app.shown()
        await app.press(key)
        assert app.screen == screen
        assert "mine" not in (two / "first.md").read_text()


async def test_quitting_with_changes_asks(two: Path) -> None:
    async with running(two) as app:
        editor = await open_first(app)
        editor.load_text(basic("first", "mine"))
        await app.press("ctrl+c")
        assert "has changes that are not saved" in app.shown()
        await app.press("escape")
        assert app.screen == "EditScreen"


async def test_escape_sequences_in_a_card_are_shown_and_kept(two: Path) -> None:
    path = write(two, "first", basic("first", "Why\x1b[2J?"))
    async with running(two) as app:
        editor = await open_first(app)
        assert "␛[2J" in app.shown()
        assert "\x1b" not in app.shown()
        assert editor.text == path.read_text()


async def test_a_new_card_is_written_from_a_template_and_can_be_studied(folder: Path) -> None:
    async with running(folder) as app:
        await app.press("a")
        app.app.screen.query_one("#id", Input).value = "mine"
        app.app.screen.query_one("#course", Input).value = "Pooling"
        await app.press("ctrl+s")
        assert app.screen == "EditScreen"
        assert not (folder / "mine.md").exists()
        await app.press("ctrl+s", "escape")
        assert (folder / "mine.md").exists()
        assert app.screen == "HomeScreen"
        assert "Pooling" in app.shown()


async def test_a_new_card_goes_beside_those_of_its_deck(folder: Path) -> None:
    (folder / "week1").mkdir()
    write(folder / "week1", "first", basic("first"))
    async with running(folder) as app:
        await app.press("a")
        assert app.app.screen.query_one("#course", Input).value == "Pooling"
        app.app.screen.query_one("#id", Input).value = "second"
        await app.press("ctrl+s", "ctrl+s", "escape")
        assert (folder / "week1" / "second.md").exists()


@pytest.mark.parametrize(("name", "why"), [("first", "is taken"), ("a/b", "slash"), ("", "empty")])
async def test_an_id_that_will_not_do_is_refused_with_a_reason(
    two: Path, name: str, why: str
) -> None:
    async with running(two) as app:
        await app.press("a")
        app.app.screen.query_one("#id", Input).value = name
        await app.settle()
        assert why in app.shown()
        await app.press("ctrl+s")
        assert app.screen == "AddScreen"


@pytest.mark.parametrize(
    ("piece", "times", "taken"),
    [
        ("x\n", 4_500, True),
        ("x\n", 6_000, False),
        ("word " * 16, 1_000, True),
        ("x", 99_990, False),
    ],
)
async def test_what_would_make_a_card_far_too_long_is_not_pasted(
    two: Path, piece: str, times: int, taken: bool
) -> None:
    async with running(two) as app:
        editor = await open_first(app)
        before = len(editor.text)
        app.app.post_message(Paste(piece * times))
        await app.settle()
        assert len(editor.text) == before + len(piece) * times * taken
        assert any("Nothing was pasted" in said for said in app.said()) != taken


async def test_what_is_pasted_over_other_text_needs_no_room_beside_it(two: Path) -> None:
    async with running(two) as app:
        editor = await open_first(app)
        for piece in ("a\n", "b\n"):
            editor.select_all()
            app.app.post_message(Paste(piece * 4_500))
            await app.settle()
            assert editor.text == piece * 4_500


async def test_nor_with_the_key_for_pasting(two: Path) -> None:
    async with running(two) as app:
        editor = await open_first(app)
        before = editor.text
        app.app.copy_to_clipboard("x" * 1_000_000)
        await app.press("ctrl+v")
        assert editor.text == before
