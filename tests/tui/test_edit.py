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


def words(app: Driver) -> str:
    return " ".join(app.shown().replace("│", " ").split())


def footer(app: Driver) -> str:
    return app.shown().splitlines()[-1]


# Problems, and what is shown of the text.


async def test_problems_are_shown_with_their_line_before_saving(two: Path) -> None:
    async with editing(two) as (app, editor):
        assert "this card can be read" in app.shown()
        editor.load_text(editor.text.replace("difficulty: 1", "difficulty: 9"))
        assert await app.sees("line 4")
        assert "4●" in app.shown()
        assert "difficulty: 1" in (two / "first.md").read_text()
        editor.load_text(
            basic("first").replace("type: basic", "type: derivation\nexercise: {layer: max-poll}")
        )
        assert await app.sees("line 6")
        assert "max-poll" in words(app).replace(editor.text, "")
        await app.press("ctrl+s")  # a warning of an exercise is no reason not to save
        assert "max-poll" in (two / "first.md").read_text()


async def test_escape_sequences_in_a_card_are_shown_and_kept(two: Path) -> None:
    path = write(two, "first", basic("first", "Why\x1b[2J?"))
    async with editing(two) as (app, editor):
        assert "␛[2J" in app.shown()
        assert "\x1b" not in app.shown()
        assert editor.text == path.read_text()


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
    async with editing(two) as (app, editor):
        before = len(editor.text)
        app.app.post_message(Paste(piece * times))
        await app.settle()
        assert len(editor.text) == before + len(piece) * times * taken
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


async def test_saving_writes_exactly_the_text(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "e")
        editor = app.app.screen.query_one(CardEditor)
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
    async with editing(two) as (app, _):
        await app.press("ctrl+s", "escape")
        assert (two / "first.md").read_bytes() == before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HALF, "Not saved: line 2"),
        (basic("second", "mine"), "Not saved: the id second is taken by second.md"),
        (basic("third", "mine"), "taken by third.md"),
    ],
)
async def test_what_is_refused_changes_nothing(two: Path, text: str, said: str) -> None:
    before = (two / "first.md").read_text()
    async with editing(two) as (app, editor):
        write(two, "third", basic("third"))  # by another program, just now
        editor.load_text(text)
        await app.press("ctrl+s")
        assert any(said in each for each in app.said())
        assert (two / "first.md").read_text() == before
        assert editor.text == text


async def test_a_folder_that_is_gone_keeps_the_text(two: Path) -> None:
    async with editing(two) as (app, editor):
        editor.load_text(basic("first", "mine"))
        shutil.rmtree(two)
        await app.press("ctrl+s")
        assert any("Not saved" in said for said in app.said())
        assert "mine" in editor.text
        two.mkdir()


async def test_a_new_id_is_saved_at_once_where_there_are_no_reviews(two: Path) -> None:
    async with editing(two) as (app, editor):
        editor.load_text(basic("other"))
        await app.press("ctrl+s")
        assert "id: other" in (two / "first.md").read_text()
        assert "other" in app.app.open_collection.cards


@pytest.mark.parametrize(("key", "card_id"), [("n", "other"), ("escape", "first")])
async def test_a_new_id_that_leaves_reviews_behind_is_a_question(
    two: Path, key: str, card_id: str
) -> None:
    async with running(two) as app:
        await app.press("enter", "space", "3", "escape")
        app.app.push_screen(EditScreen(two / "first.md"))
        await app.settle()
        app.app.screen.query_one(CardEditor).load_text(basic("other"))
        await app.press("ctrl+s")
        assert "the reviews stay with first" in words(app)
        await app.press(key)
        assert f"id: {card_id}" in (two / "first.md").read_text()
        assert app.screen == "EditScreen"


@pytest.mark.parametrize(("key", "on_disk"), [("m", "mine"), ("d", "theirs"), ("escape", "theirs")])
async def test_a_change_on_the_disk_is_a_question_with_the_difference(
    two: Path, key: str, on_disk: str
) -> None:
    path = two / "first.md"
    async with editing(two) as (app, editor):
        editor.load_text(HALF)
        path.write_text(basic("first", "theirs"))
        await app.press("ctrl+s")
        assert any("Not saved: line 2" in said for said in app.said())  # before any conflict
        editor.load_text(basic("first", "mine"))
        await app.press("ctrl+s")
        assert app.screen == "DifferenceScreen"
        assert not app.said()  # what was said before does not lie over the answers
        for shown in ("was changed by another program", "-theirs", "+mine"):
            assert shown in words(app)
        await app.press(key)
        assert on_disk in path.read_text()
        assert ("theirs" if key == "d" else "mine") in editor.text


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_difference_has_every_changed_line(theirs: str, mine: str) -> None:
    rows = difference(theirs, mine).plain.split("\n")
    assert sum(row.startswith("+") for row in rows) >= 1
    if theirs == mine:
        assert len(rows) == 2


@pytest.mark.parametrize("key", ["w", "escape"])
async def test_a_file_that_was_removed_is_a_question(two: Path, key: str) -> None:
    path = two / "first.md"
    async with editing(two) as (app, editor):
        editor.load_text(basic("first", "mine"))
        path.unlink()
        await app.press("escape", "s")  # saving on the way out
        assert "first.md was removed by another program" in words(app)
        assert "Write it again" in words(app)
        await app.press(key)
        assert path.exists() == (key == "w")
        assert app.screen == ("HomeScreen" if key == "w" else "EditScreen")
        if path.exists():
            assert path.read_text() == basic("first", "mine")
        else:
            assert "mine" in editor.text


@pytest.mark.parametrize(
    ("keys", "screen"),
    [(("escape", "d"), "HomeScreen"), (("escape",) * 2, "EditScreen"), (("ctrl+c",), None)],
)
async def test_leaving_with_changes_asks(
    two: Path, keys: tuple[str, ...], screen: str | None
) -> None:
    async with editing(two) as (app, editor):
        editor.load_text(basic("first", "mine"))
        await app.press(keys[0])
        assert "has changes that are not saved" in app.shown()
        await app.press(*keys[1:], *(() if screen else ("escape",)))
        assert app.screen == (screen or "EditScreen")
        assert "mine" not in (two / "first.md").read_text()


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


async def test_one_version_after_the_other_is_asked_about_and_this_one_kept(two: Path) -> None:
    before = (two / "first.md").read_text()
    left_to_be_chosen(two, "Other?", "Third?")
    async with running(two) as app:
        problems = app.app.open_collection.problems
        assert [problem.path for problem in problems] == [two / "first.md"] * 2
        await app.press("enter", "e")
        assert app.screen == "DifferenceScreen"
        assert "the same lines" in app.shown()
        assert "Other?" in app.shown()
        await app.press("k")
        assert "Third?" in app.shown()
        await app.press("k")
        assert app.screen == "EditScreen"
        assert conflicts(two) == []
        assert (two / "first.md").read_text() == before
        assert not app.app.open_collection.problems
        assert any("tells the other computers" in said for said in app.said())


async def test_the_other_one_counts_once_it_is_saved_and_later_it_is_asked_again(two: Path) -> None:
    left_to_be_chosen(two, "Other?")
    async with running(two) as app:
        await app.press("enter", "e", "escape")
        assert app.screen == "EditScreen"
        await app.press("escape", "e")
        assert app.screen == "DifferenceScreen"
        await app.press("t")
        assert app.screen == "EditScreen"
        assert len(conflicts(two)) == 1, "nothing is written yet"
        await app.press("ctrl+s")
        assert conflicts(two) == []
        assert "Other?" in (two / "first.md").read_text()


# The card beside its source, or in its place where there is no room.


def seen(app: Driver) -> bool:
    """The card, typeset, and not its source."""
    return "It is x" in app.shown() and "$x" not in app.shown()


async def test_the_card_stands_beside_its_source_and_follows(two: Path) -> None:
    async with editing(two, size=SMALL) as (app, editor):
        editor.load_text(editor.text.replace("It is", "Now $\\alpha$ is"))
        await app.rest()
        assert "Now α is" not in app.shown()
        await app.pilot.resize_terminal(120, 40)
        assert await app.sees("Now α is")
        editor.load_text(editor.text.replace("Now", "Then"))
        assert await app.sees("Then α is")
        await app.press("f2")
        assert "Then α is" not in app.shown()


@pytest.mark.parametrize("size", [SMALL, (60, 20)])
async def test_one_key_leads_to_the_card_and_back(two: Path, size: tuple[int, int]) -> None:
    async with editing(two, size=size) as (app, editor):
        for back in ("f2", "escape"):
            assert "f2 Card" in footer(app)
            await app.press("f2")
            assert seen(app)
            assert "f2 Source" in footer(app)
            await app.press(back)
            assert not seen(app)
            assert app.screen == "EditScreen"
            assert editor.has_focus
        await app.press("f2")
        await app.pilot.resize_terminal(120, 40)  # which has room for both
        await app.settle()
        assert "It is x" in app.shown()
        assert "$x" in app.shown()
        assert editor.has_focus


async def test_who_types_writes_at_once(two: Path) -> None:
    async with editing(two, size=SMALL) as (app, editor):
        editor.move_cursor(editor.document.end)
        for letter in "xajF1 ":
            await app.press("f2")
            assert seen(app)
            await app.press("space" if letter == " " else letter, "y")
            assert not seen(app)
            assert editor.text.endswith(f"{letter}y")


async def test_it_is_the_card_as_its_source_is_now(two: Path) -> None:
    async with editing(two, size=SMALL) as (app, editor):
        text = editor.text.replace("It is", "One\ntwo $\\alpha$ is")
        editor.load_text(text)
        await app.press("f2")
        assert "One two α is" in app.shown()
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


async def test_it_is_scrolled_to_where_one_writes_and_by_keys_that_the_help_names(
    folder: Path,
) -> None:
    write(folder, "first", basic("first", LONG, LONG.replace("Line", "Answer")))
    async with editing(folder, size=SMALL) as (app, editor):
        for said in ("Line 20 ", "Answer 30 ", "Answer 39 ", "Line 0 "):
            row = next(n for n, line in enumerate(editor.document.lines) if said in line)
            editor.move_cursor((row, 0))
            await app.press("f2")
            assert said in app.shown()
            await app.press("f2")
        await app.press("f2", "pagedown", "pagedown")
        assert "Line 0 of it." not in app.shown()
        assert "Line 20 of it." in app.shown()
        await app.press("f1")
        assert "Back to the card's source" in app.shown()
        assert "Card down" in app.shown()
        await app.press("escape", "f2", "f1")
        assert "Card down" not in app.shown()


async def test_a_card_that_cannot_be_read_yet_has_nothing_to_be_seen(folder: Path) -> None:
    write(folder, "first", HALF)
    async with editing(folder, size=SMALL) as (app, editor):
        await app.press("f2")
        assert any("as soon as it can be read" in said for said in app.said())
        assert editor.has_focus
