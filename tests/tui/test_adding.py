"""A new card from anywhere: beside what one looks at, written with few keys, and back again."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from cards import parse_card
from tests.paths import SEED
from tests.tui.driving import CHOICE, Driver, basic, running, write

SAVED = "20261120_100000"


@pytest.fixture
def courses(folder: Path) -> Path:
    """Two courses in folders of their own, and an exercise."""
    for name in ("first", "second"):
        (folder / name).mkdir()
        text = basic(f"{name}_1").replace("Pooling", name.capitalize())
        write(folder / name, f"{name}_1", text)
    (folder / "third").mkdir()
    (folder / "third" / "seed.md").write_text(SEED.read_text(encoding="utf-8"), encoding="utf-8")
    return folder


COURSES = {"first": "First", "second": "Second", "third": "Statistical Machine Learning", "": ""}
#: The way to a screen from home, the key that adds a card there, and where it goes.
PLACES = {
    "home": (("j",), "a", "first"),
    "study": (("j", "j", "enter"), "a", "second"),
    "an answer": (("j", "j", "enter", "space"), "a", "second"),
    "the end of a sitting": (("j", "j", "enter", "space", "4"), "a", "second"),
    "lab": (("G", "enter", "c"), "f3", "third"),
    "the lab's board": (("G", "enter", "c", "tab"), "a", "third"),
    "by hand": (("G", "enter", "c", "ctrl+o"), "a", "third"),
    "browse": (("b", "j"), "a", "second"),
    "browse, its search": (("b", "j", "slash"), "f3", "second"),
    "reader": (("b", "j", "enter"), "a", "second"),
    "edit": (("b", "j", "e"), "f3", "second"),
    "statistics": (("s",), "a", ""),
    "settings": (("comma",), "a", ""),
}


async def test_a_card_is_written_from_everywhere_and_one_is_back(courses: Path) -> None:
    async with running(courses) as app:
        for place, (way, key, folder) in PLACES.items():
            await app.press(*way)
            before = app.app.screen
            await app.press(key)
            assert app.screen == "AddScreen", place
            await app.press("ctrl+s", "ctrl+s")
            assert app.app.screen is before, place
            assert f"Saved {SAVED}.md." in app.said()
            path = courses / folder / f"{SAVED}.md"
            assert parse_card(path.read_text(encoding="utf-8"), path).course == COURSES[folder]
            path.unlink()
            await app.home()
            await app.press("r")


async def test_a_course_of_the_statistics_and_a_file_that_cannot_be_read_are_places_too(
    courses: Path,
) -> None:
    (courses / "second" / "half.md").write_text("---\nid: [half\n---\n", encoding="utf-8")
    async with running(courses) as app:
        await app.press("s", "c", "a")
        assert app.app.screen.query_one("#course", Input).value == "First"
        await app.press("escape", "escape", "p", "a", "ctrl+s", "ctrl+s")
        assert app.screen == "ProblemsScreen"
    assert (courses / "second" / f"{SAVED}.md").exists()


async def test_few_keys_make_a_card(courses: Path) -> None:
    async with running(courses) as app:
        await app.press("j", "a", "j", "ctrl+s", *"Why?", "tab", *"So.", "ctrl+s")
        assert app.screen == "HomeScreen"
        card = app.app.open_collection.cards[SAVED]
    assert (card.question, card.solution.split("\n")[0]) == ("Why?", "So.")
    assert (card.type, card.course) == ("open", "First")


async def test_the_key_goes_round_the_blanks_and_is_an_indent_where_none_is_left(
    courses: Path,
) -> None:
    async with running(courses) as app:
        await app.press("a", "ctrl+s", "tab", *"b", "tab", *"a", "tab")
        text = app.app.screen.query_one("#source").text  # type: ignore[attr-defined]
    assert "\na  \n" in text
    assert "\nb\n" in text
    assert "Write" not in text


async def test_letters_that_answer_stay_answers(folder: Path) -> None:
    write(folder, "pick", CHOICE.format(id="pick"))
    async with running(folder) as app:
        await app.press("enter", "a")
        assert "▸ A)" in app.shown()
        await app.press("space", "a")
        assert app.screen == "StudyScreen"
        await app.press("f3")
        assert app.screen == "AddScreen"
        assert app.app.screen.query_one("#course", Input).value == "Choices"


@pytest.mark.parametrize("keys", [("a",), ("question_mark",), ("t",), ("ctrl+p",)])
async def test_not_over_a_form_and_not_twice(courses: Path, keys: tuple[str, ...]) -> None:
    async with running(courses) as app:
        await app.press(*keys)
        before = app.app.screen
        await app.press("f3")
        assert app.app.screen is before


async def test_a_second_card_within_the_second_has_a_number(courses: Path) -> None:
    async with running(courses) as app:
        for _ in range(2):
            await app.press("a", "ctrl+s", "ctrl+s")
        names = {path.stem for path in courses.rglob(f"{SAVED}*.md")}
    assert names == {SAVED, f"{SAVED}_2"}


async def test_a_refused_card_stays_in_the_editor(courses: Path) -> None:
    async with running(courses) as app:
        await app.press("a", "ctrl+s")
        editor = app.app.screen.query_one("#source")
        editor.load_text("---\nid: [\n---\n")  # type: ignore[attr-defined]
        await app.press("ctrl+s")
        assert app.screen == "EditScreen"
        await leave(app)
        assert app.screen == "AddScreen"
        await app.press("escape")
        assert app.screen == "HomeScreen"


async def leave(app: Driver) -> None:
    await app.press("escape", "d")


async def test_a_new_card_of_an_empty_collection_can_be_studied(folder: Path) -> None:
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


async def test_an_id_that_will_not_do_is_refused_with_a_reason(two: Path) -> None:
    async with running(two) as app:
        await app.press("a")
        for name, why in (("first", "is taken"), ("a/b", "slash"), ("", "empty")):
            app.app.screen.query_one("#id", Input).value = name
            await app.settle()
            assert why in app.shown()
            await app.press("ctrl+s")
            assert app.screen == "AddScreen"
