"""Edit: what a save must not do, and what it asks before it goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import TextArea

from deck.collection import Collection
from tests.tui.driving import Driver, basic, running, write
from tui.drafts import taken_by
from tui.screens.edit import EditScreen


async def edit(app: Driver, text: str) -> TextArea:
    """The edit screen of the first card, with `text` in it."""
    await app.press("enter", "e")
    editor = app.app.screen.query_one(TextArea)
    editor.load_text(text)
    await app.settle()
    return editor


def words(app: Driver) -> str:
    return " ".join(app.shown().replace("│", " ").split())


async def test_the_id_of_another_card_is_refused(two: Path) -> None:
    before = (two / "first.md").read_text()
    async with running(two) as app:
        editor = await edit(app, basic("second", "mine"))
        await app.press("ctrl+s")
        assert any("Not saved: the id second is taken by second.md" in s for s in app.said())
        assert (two / "first.md").read_text() == before
        assert "mine" in editor.text


async def test_the_id_of_a_card_that_another_program_has_just_written_is_refused(two: Path) -> None:
    async with running(two) as app:
        await edit(app, basic("third"))
        write(two, "third", basic("third"))
        await app.press("ctrl+s")
        assert any("taken by third.md" in said for said in app.said())


async def test_a_new_id_is_saved_at_once_where_there_are_no_reviews(two: Path) -> None:
    async with running(two) as app:
        await edit(app, basic("other"))
        await app.press("ctrl+s")
        assert "id: other" in (two / "first.md").read_text()
        assert "other" in app.app.open_collection.cards


@pytest.mark.parametrize(("key", "card_id"), [("n", "other"), ("escape", "first")])
async def test_a_new_id_that_leaves_reviews_behind_is_a_question(
    two: Path, key: str, card_id: str
) -> None:
    path = two / "first.md"
    async with running(two) as app:
        await app.press("enter", "space", "3", "escape")
        app.app.push_screen(EditScreen(path))
        await app.settle()
        app.app.screen.query_one(TextArea).load_text(basic("other"))
        await app.press("ctrl+s")
        assert "the reviews stay with first" in words(app)
        await app.press(key)
        assert f"id: {card_id}" in path.read_text()
        assert app.screen == "EditScreen"


@pytest.mark.parametrize("key", ["w", "escape"])
async def test_a_file_that_was_removed_is_a_question(two: Path, key: str) -> None:
    path = two / "first.md"
    async with running(two) as app:
        editor = await edit(app, basic("first", "mine"))
        path.unlink()
        await app.press("ctrl+s")
        assert "first.md was removed by another program" in words(app)
        assert "Write it again" in words(app)
        await app.press(key)
        assert path.exists() == (key == "w")
        assert "mine" in editor.text
        if path.exists():
            assert path.read_text() == basic("first", "mine")


async def test_saving_on_the_way_out_leaves_once_the_question_is_answered(two: Path) -> None:
    path = two / "first.md"
    async with running(two) as app:
        await edit(app, basic("first", "mine"))
        path.unlink()
        await app.press("escape", "s")
        assert "Write it again" in words(app)
        await app.press("w")
        assert app.screen == "StudyScreen"
        assert "mine" in path.read_text()


async def test_an_error_of_the_text_is_said_before_any_conflict(two: Path) -> None:
    async with running(two) as app:
        await edit(app, "---\nid: [first\n---\n")
        write(two, "first", basic("first", "theirs"))
        await app.press("ctrl+s")
        assert app.screen == "EditScreen"
        assert any("Not saved: line 2" in said for said in app.said())


async def test_an_exercise_that_cannot_be_read_is_shown_as_lint_shows_it(two: Path) -> None:
    text = basic("first").replace("type: basic", "type: derivation\nexercise: {layer: max-poll}")
    async with running(two) as app:
        editor = await edit(app, text)
        assert await app.sees("line 6")
        assert "max-poll" in words(app).replace(editor.text, "")
        await app.press("ctrl+s")
        assert "max-poll" in (two / "first.md").read_text()


def test_a_card_is_itself_however_its_file_is_named(
    two: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(two)
    collection = Collection.open(".")
    assert taken_by("first", collection, two / "first.md") is None
    assert taken_by("first", collection, two / "second.md") == Path("first.md")


async def test_what_was_said_before_does_not_lie_over_the_answers_to_a_conflict(two: Path) -> None:
    async with running(two) as app:
        editor = await edit(app, "---\nid: [first\n---\n")
        await app.press("ctrl+s")
        assert app.said()
        write(two, "first", basic("first", "theirs"))
        editor.text = basic("first", "mine")
        await app.press("ctrl+s")
        assert app.screen == "DifferenceScreen"
        assert not app.said()
