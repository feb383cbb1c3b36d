"""The editor of a card: what is shown beside it, what a save does, asks and refuses."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.events import Paste

from deck.collection import Collection
from deck.sync.conflicts import conflicts
from tests.tui.driving import Driver, basic, running, write
from tui.drafts import taken_by
from tui.screens.dialogs import difference
from tui.screens.edit import EditScreen
from tui.widgets.editors import CardEditor

HALF = "---\nid: [first\n---\n# Question\nWhy?\n"
SMALL = (80, 24)
LONG = "\n\n".join(f"Line {number} of it." for number in range(40))


@asynccontextmanager
async def editing(
    folder: Path, size: tuple[int, int] = (100, 30), name: str = "first"
) -> AsyncIterator[tuple[Driver, CardEditor]]:
    """The editor of a card, over home."""
    async with running(folder, size=size) as app:
        app.app.push_screen(EditScreen(folder / f"{name}.md"))
        await app.settle()
        yield app, app.app.screen.query_one(CardEditor)


def footer(app: Driver) -> str:
    return app.shown().splitlines()[-1]


# Problems, and what is shown of the text.


async def test_problems_are_shown_with_their_line_before_saving(two: Path) -> None:
    async with editing(two) as (app, editor):
        await app.do("", "this card can be read")
        editor.load_text(editor.text.replace("difficulty: 1", "difficulty: 9"))
        assert await app.sees("line 4")
        assert "4●" in app.shown()
        assert "difficulty: 1" in (two / "first.md").read_text()
        editor.load_text(
            basic("first").replace("type: basic", "type: derivation\nexercise: {layer: max-poll}")
        )
        assert await app.sees("line 6")
        await app.do("ctrl+s", "max-poll")  # a warning of an exercise is no reason not to save
        assert "max-poll" in (two / "first.md").read_text()


async def test_a_problem_that_no_editor_can_mend_says_what_to_do(folder: Path) -> None:
    (folder / "link.md").symlink_to("nowhere.md")
    async with running(folder) as app:
        way = "link.md was not opened. This link leads nowhere"
        await app.do("p enter", way, "Remove the link", on="ProblemsScreen")


async def test_escape_sequences_in_a_card_are_shown_and_kept(two: Path) -> None:
    path = write(two, "first", basic("first", "Why\x1b[2J?"))
    async with editing(two) as (app, editor):
        await app.do("", "␛[2J", gone=("\x1b",))
        assert editor.text == path.read_text()


async def test_what_would_make_a_card_far_too_long_is_not_pasted(two: Path) -> None:
    async with editing(two) as (app, editor):
        before = editor.text
        for piece, times, taken in (
            *(("x\n", 4_500, True), ("x\n", 6_000, False)),
            *(("word " * 16, 1_000, True), ("x", 99_990, False)),
        ):
            app.app.clear_notifications()
            editor.load_text(before)
            app.app.post_message(Paste(piece * times))
            await app.settle()
            assert len(editor.text) == len(before) + len(piece) * times * taken
            assert any("Nothing was pasted" in said for said in app.said()) != taken
        editor.load_text("a\n" * 4_500)
        app.app.copy_to_clipboard("x" * 1_000_000)
        await app.press("ctrl+v")
        assert editor.text == "a\n" * 4_500
        editor.select_all()  # what is pasted over other text needs no room beside it
        app.app.post_message(Paste("b\n" * 4_500))
        await app.settle()
        assert editor.text == "b\n" * 4_500


# Saving: exactly the text, or nothing, and nothing is lost when it is refused.


async def test_saving_writes_exactly_the_text_and_what_is_refused_changes_nothing(
    two: Path,
) -> None:
    path = two / "first.md"
    before = path.read_bytes().replace(b"\n", b"\r\n", 5)
    path.write_bytes(before)
    async with editing(two) as (app, editor):
        await app.do("ctrl+s")
        assert path.read_bytes() == before, "an unchanged card keeps its bytes"
        changed = editor.text.replace("Pooling", "Max pooling")
        editor.load_text(changed)
        await app.do("ctrl+s")
        assert path.read_bytes().decode() == changed
        assert app.app.open_collection.cards["first"].course == "Max pooling"
        write(two, "third", basic("third"))  # by another program, just now
        for text, said in (
            (HALF, "Not saved: line 2"),
            (basic("second", "mine"), "Not saved: the id second is taken by second.md"),
            (basic("third", "mine"), "taken by third.md"),
        ):
            editor.load_text(text)
            await app.do("ctrl+s", said)
            assert path.read_bytes().decode() == changed
            assert editor.text == text
        editor.load_text(basic("other"))  # there are no reviews that it would leave behind
        await app.do("ctrl+s")
        assert "id: other" in path.read_text()
        assert "other" in app.app.open_collection.cards
        editor.load_text(basic("other", "mine"))
        shutil.rmtree(two)
        await app.do("ctrl+s", "Not saved")
        assert "mine" in editor.text
        two.mkdir()


async def test_a_new_id_that_leaves_reviews_behind_is_a_question(two: Path) -> None:
    async with running(two) as app:
        await app.do("enter space 3 escape")
        app.app.push_screen(EditScreen(two / "first.md"))
        await app.settle()
        app.app.screen.query_one(CardEditor).load_text(basic("other"))
        for key, card_id in (("escape", "first"), ("n", "other")):
            await app.do("ctrl+s", "the reviews stay with first")
            await app.do(key, on="EditScreen")
            assert f"id: {card_id}" in (two / "first.md").read_text()


@pytest.mark.parametrize(("key", "on_disk"), [("m", "mine"), ("d", "theirs"), ("escape", "theirs")])
async def test_a_change_on_the_disk_is_a_question_with_the_difference(
    two: Path, key: str, on_disk: str
) -> None:
    path = two / "first.md"
    async with editing(two) as (app, editor):
        editor.load_text(HALF)
        path.write_text(basic("first", "theirs"))
        await app.do("ctrl+s", "Not saved: line 2")  # before any conflict
        editor.load_text(basic("first", "mine"))
        await app.do("ctrl+s", "was changed by another program", "-theirs", "+mine")
        assert app.screen == "DifferenceScreen"
        assert not app.said()  # what was said before does not lie over the answers
        await app.do(key)
        assert on_disk in path.read_text()
        assert ("theirs" if key == "d" else "mine") in editor.text


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_difference_has_every_changed_line(theirs: str, mine: str) -> None:
    rows = difference(theirs, mine).plain.split("\n")
    assert sum(row.startswith("+") for row in rows) >= 1
    if theirs == mine:
        assert len(rows) == 2


async def test_leaving_with_changes_asks_and_so_does_a_file_that_was_removed(two: Path) -> None:
    path, unsaved = two / "first.md", "has changes that are not saved"
    async with editing(two) as (app, editor):
        editor.load_text(basic("first", "mine"))
        for keys in ("escape", "ctrl+c"):
            await app.do(keys, unsaved)
            await app.do("escape", on="EditScreen")
        path.unlink()
        # Saving on the way out.
        await app.do("escape s", "first.md was removed by another program", "Write it again")
        await app.do("escape", on="EditScreen")
        assert not path.exists()
        await app.do("escape s w", on="HomeScreen")
        assert path.read_text() == basic("first", "mine")
        app.app.push_screen(EditScreen(path))
        await app.do("x escape", unsaved)
        await app.do("d", on="HomeScreen")
        assert path.read_text() == basic("first", "mine")


def test_a_card_is_itself_however_its_file_is_named(
    two: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(two)
    collection = Collection.open(".")
    assert taken_by("first", collection, two / "first.md") is None
    assert taken_by("first", collection, two / "second.md") == Path("first.md")


# A version of the card that a sync left to be chosen.


def left_to_be_chosen(root: Path, *texts: str) -> None:
    folder = root / ".deltadeck" / "conflicts"
    folder.mkdir(parents=True)
    for number, text in enumerate(texts):
        (folder / f"first.0000000{number}.md").write_text(basic("first").replace("Why?", text))


async def test_one_version_after_the_other_is_asked_about(two: Path) -> None:
    before = (two / "first.md").read_text()
    left_to_be_chosen(two, "Other?", "Third?")
    async with running(two) as app:
        problems = app.app.open_collection.problems
        assert [problem.path for problem in problems] == [two / "first.md"] * 2
        await app.do("enter e", "the same lines", "Other?", on="DifferenceScreen")
        await app.do("escape", on="EditScreen")  # later it is asked again
        await app.do("escape e k", "Third?")  # this one counts
        assert (two / "first.md").read_text() == before
        await app.do("t", on="EditScreen")
        assert len(conflicts(two)) == 1, "nothing is written yet"
        await app.do("ctrl+s", "tells the other computers")
        assert conflicts(two) == []
        assert "Third?" in (two / "first.md").read_text()
        assert not app.app.open_collection.problems


# The card beside its source, or in its place where there is no room.


def seen(app: Driver) -> bool:
    """The card, typeset, and not its source."""
    return "It is x" in app.shown() and "$x" not in app.shown()


async def test_the_card_stands_beside_its_source_and_follows(two: Path) -> None:
    async with editing(two, size=SMALL) as (app, editor):
        editor.load_text(editor.text.replace("It is", "Now $\\alpha$ is"))
        assert not await app.sees("Now α is")
        await app.pilot.resize_terminal(120, 40)
        assert await app.sees("Now α is")
        editor.load_text(editor.text.replace("Now", "Then"))
        assert await app.sees("Then α is")
        await app.do("f2", gone=("Then α is",))


@pytest.mark.parametrize("size", [SMALL, (60, 20)])
async def test_one_key_leads_to_the_card_and_back(two: Path, size: tuple[int, int]) -> None:
    async with editing(two, size=size) as (app, editor):
        for back in ("f2", "escape"):
            assert "f2 Card" in footer(app)
            await app.press("f2")
            assert seen(app)
            assert "f2 Source" in footer(app)
            await app.do(back, on="EditScreen")
            assert not seen(app)
            assert editor.has_focus
        await app.press("f2")
        await app.pilot.resize_terminal(120, 40)  # which has room for both
        await app.do("", "It is x", "$x")
        assert editor.has_focus


async def test_who_types_writes_at_once_and_it_is_the_card_as_its_source_is_now(
    two: Path,
) -> None:
    async with editing(two, size=SMALL) as (app, editor):
        text = editor.text
        editor.move_cursor(editor.document.end)
        for letter in "xajF1 ":
            await app.press("f2")
            assert seen(app)
            await app.press("space" if letter == " " else letter, "y")
            assert not seen(app)
            assert editor.text.endswith(f"{letter}y")
        text = text.replace("It is", "One\ntwo $\\alpha$ is")
        editor.load_text(text)
        await app.do("f2", "One two α is")
        await app.press("f2")
        editor.load_text(text.replace("---\n", "---\nline_breaks: true\n", 1))
        await app.press("f2")
        assert "One two" not in app.shown()
        assert "One" in app.shown()
        editor.load_text(editor.text.replace("difficulty: 1", "difficulty: 9"))
        assert await app.sees("line 5")
        await app.press("f8")  # the next problem is in the source
        assert editor.has_focus
        assert editor.cursor_location[0] == 4
        editor.load_text(HALF)
        app.app.push_screen(EditScreen(write(two, "half", HALF)))
        await app.settle()
        await app.do("f2", "as soon as it can be read")  # it was never read


async def test_it_is_scrolled_to_where_one_writes_and_by_keys_that_the_help_names(
    folder: Path,
) -> None:
    write(folder, "first", basic("first", LONG, LONG.replace("Line", "Answer")))
    async with editing(folder, size=SMALL) as (app, editor):
        for said in ("Line 20 ", "Answer 30 ", "Answer 39 ", "Line 0 "):
            row = next(n for n, line in enumerate(editor.document.lines) if said in line)
            editor.move_cursor((row, 0))
            await app.do("f2", said)
            await app.press("f2")
        await app.do("f2 pagedown pagedown", "Line 20 of it.", gone=("Line 0 of it.",))
        await app.do("f1", "Back to the card's source", "Card down")
        await app.do("escape f2 f1", gone=("Card down",))


async def test_an_exercise_is_proposed_from_the_text(two: Path) -> None:
    text = basic("first", "Let $y_k = x_k^2$. Derive $\\frac{\\partial L}{\\partial x_k}$.")
    text = text.replace("type: basic", "type: derivation")
    write(two, "first", text)
    async with editing(two) as (app, editor):
        await app.do("f9", "The solution under it")
        assert '  find: "dL/dx[k]"' in editor.text
        assert "exercise" not in (two / "first.md").read_text()
        await app.do("f9", "This card has an exercise")
        editor.load_text(basic("first").replace("type: basic", "type: derivation"))
        await app.do("f9", "has a formula that defines something")
