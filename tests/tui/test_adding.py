"""A new card from anywhere: beside what one looks at, written with few keys, and back again."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from cards import parse_card
from tests.paths import SEED
from tests.tui.driving import basic, running, write

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
    "home": ("j", "a", "first"),
    "study": ("j j enter", "a", "second"),
    "the end of a sitting": ("j j enter space 4", "a", "second"),
    "lab": ("G enter c", "f3", "third"),
    "by hand": ("G enter c ctrl+o", "a", "third"),
    "browse": ("b j", "a", "second"),
    "browse, its search": ("b j slash", "f3", "second"),
    "reader": ("b j enter", "a", "second"),
    "edit": ("b j e", "f3", "second"),
    "statistics": ("s", "a", ""),
    "settings": ("comma", "a", ""),
}


async def test_a_card_is_written_from_everywhere_and_one_is_back(courses: Path) -> None:
    async with running(courses) as app:
        for place, (way, key, folder) in PLACES.items():
            await app.do(way)
            before = app.app.screen
            await app.do(key, on="AddScreen")
            await app.do("ctrl+s ctrl+s escape", f"Saved {SAVED}.md.")
            assert app.app.screen is before, place
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
        await app.do("escape escape p a ctrl+s ctrl+s escape", on="ProblemsScreen")
    assert (courses / "second" / f"{SAVED}.md").exists()


async def test_few_keys_make_a_card_and_one_is_back(courses: Path) -> None:
    async with running(courses) as app:
        await app.do("j a j ctrl+s =Why? tab =So. ctrl+s escape", on="HomeScreen")
        card = app.app.open_collection.cards[SAVED]
        assert (card.question, card.solution.split("\n")[0]) == ("Why?", "So.")
        assert (card.type, card.course) == ("open", "First")
        # The key goes round the blanks, those of the header last.
        await app.do("a ctrl+s =Derive␣it. tab b tab c tab =elu")
        text = app.app.screen.query_one("#source").text  # type: ignore[attr-defined]
        for line in ("Derive it.", "b", "1. c", "exercise: {layer: elu}"):
            assert f"\n{line}\n" in text
        await app.press("ctrl+s")
        await app.home()
        # Cards of one second have a number.
        assert {path.stem for path in courses.rglob(f"{SAVED}*.md")} == {SAVED, f"{SAVED}_2"}
        await app.press("a", "ctrl+s")
        editor = app.app.screen.query_one("#source")
        editor.load_text("---\nid: [\n---\n")  # type: ignore[attr-defined]
        await app.do("ctrl+s", on="EditScreen")
        await app.do("escape d", on="AddScreen")
        await app.do("escape", on="HomeScreen")


async def test_letters_that_answer_stay_answers(choice: Path) -> None:
    async with running(choice) as app:
        await app.do("enter a", "▸ A)")
        await app.do("space a", on="StudyScreen")
        await app.do("f3", on="AddScreen")
        assert app.app.screen.query_one("#course", Input).value == "Choices"


async def test_not_over_a_form_and_not_twice(courses: Path) -> None:
    async with running(courses) as app:
        for key in ("a", "question_mark", "t", "ctrl+p"):
            await app.press(key)
            before = app.app.screen
            await app.press("f3")
            assert app.app.screen is before
            await app.home()


async def test_an_id_that_will_not_do_is_refused_with_a_reason(folder: Path) -> None:
    async with running(folder) as app:
        await app.press("a")
        app.app.screen.query_one("#id", Input).value = "mine"
        app.app.screen.query_one("#course", Input).value = "Pooling"
        await app.do("ctrl+s", on="EditScreen")
        assert not (folder / "mine.md").exists()
        await app.do("ctrl+s escape", "Pooling", on="HomeScreen")
        assert (folder / "mine.md").exists()
        await app.press("a")
        for name, why in (("mine", "is taken"), ("a/b", "slash"), ("", "empty")):
            app.app.screen.query_one("#id", Input).value = name
            await app.settle()
            await app.do("ctrl+s", why, on="AddScreen")
