"""Study: question, reveal, rating, undo."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.tui.driving import CHOICE, journal, running, write


async def test_the_answer_is_hidden_until_it_is_revealed(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter")
        assert "What is" in app.shown()
        assert "It is" not in app.shown()
        assert "Again" not in app.shown()
        await app.press("space")
        assert "It is x  one." in app.shown()
        assert "1 Again 1 m" in app.shown()


async def test_text_in_brackets_is_text(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter")
        assert "What is [bold]one[/bold]?" in app.shown()


async def test_a_rating_is_on_the_disk_before_the_next_card_shows(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "space")
        app.clock.move(seconds=42)
        await app.press("4")
        [review] = journal(two, "review")
        assert (review["item"], review["rating"], review["ms"]) == ("first", 4, 42_000)
        assert "second" in app.shown()
        assert "2 of 2" in app.shown()


async def test_rating_needs_a_reveal(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "3")
        assert journal(two, "review") == []


async def test_the_help_names_the_ratings_before_the_reveal_too(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "question_mark")
        assert "Good: I knew it" in app.shown()


async def test_undo_takes_back_as_often_as_was_rated(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "space", "4", "space", "4")
        assert "Nothing is due here now." in app.shown()
        assert "Answered   2 cards" in app.shown()
        await app.press("u")
        assert "second" in app.shown()
        await app.press("u")
        assert "first" in app.shown()
        assert "1 of 2" in app.shown()
        await app.press("u")
        assert any("no rating left" in said for said in app.said())


async def test_a_learning_card_comes_back_when_it_is_due(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "space", "1", "space", "4")
        assert "comes back in 1 m" in app.shown()
        app.clock.move(minutes=2)
        app.app.screen._tick()  # type: ignore[attr-defined]
        await app.settle()
        assert "first" in app.shown()


async def test_the_last_page_says_when_to_come_back_and_what_is_due_elsewhere(two: Path) -> None:
    write(two, "other", CHOICE.format(id="other"))
    async with running(two, size=(60, 20)) as app:
        await app.press("G", "enter")
        for _ in range(2):
            await app.press("space")
            app.clock.move(minutes=1)
            await app.press("4")
        words = " ".join(app.shown().split())
        assert "Answered 2 cards in 2 min" in words
        assert "New 2 cards learned" in words
        assert "Now 1 card, about 1 min, in other decks" in words
        assert "The next card is due in" in words
        app.clock.move(days=6)
        await app.press("escape")
        assert "All decks" in app.shown()


async def test_options_are_picked_and_marked_after_the_reveal(choice: Path) -> None:
    async with running(choice) as app:
        await app.press("enter", "c")
        assert app.screen == "StudyScreen"
        assert "▸ C) two" in app.shown()
        assert "D)" not in app.shown()
        await app.press("a", "space")
        assert "✗ A) 0" in app.shown()
        assert "✓ B) one" in app.shown()
        assert "suggested: 1, another was right" in app.shown()


async def test_several_right_options_are_picked_together(folder: Path) -> None:
    write(folder, "both", CHOICE.format(id="both").replace("Answer:** B", "Answer:** A, B"))
    async with running(folder) as app:
        await app.press("enter", "a", "b", "space")
        assert "suggested: 3, the right choice" in app.shown()


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes where it may not")
async def test_a_rating_that_cannot_be_written_is_not_taken(two: Path) -> None:
    two.chmod(0o500)
    try:
        async with running(two) as app:
            await app.press("enter", "space", "3")
            assert any("not taken" in said for said in app.said())
            assert "first" in app.shown()
    finally:
        two.chmod(0o700)


async def test_a_journal_that_is_in_the_way_keeps_the_card_and_says_so(two: Path) -> None:
    (two / ".deltadeck").write_text("a file where the folder should be")
    async with running(two) as app:
        await app.press("enter", "space", "3")
        assert any("not taken" in said for said in app.said())
        assert "first" in app.shown()
        assert "1 of 2" in app.shown()


async def test_a_suspended_card_is_set_aside(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "s")
        assert "second" in app.shown()
        assert len(journal(two, "suspend")) == 1
        await app.press("u")
        assert "first" in app.shown()
        assert "1 of 2" in app.shown()


async def test_an_edit_shows_at_once(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "e")
        assert app.screen == "EditScreen"
        editor = app.app.screen.query_one("#source")
        path = two / "first.md"
        editor.load_text(path.read_text().replace("What is", "Say what is"))  # type: ignore[attr-defined]
        await app.press("ctrl+s", "escape")
        assert app.screen == "StudyScreen"
        assert "Say what is" in app.shown()
