"""Sessions of one's own kind: by a search, ahead, crammed, timed, of so many cards."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.driving import Driver, basic, journal, running, write
from tui.collection_service import Changed
from tui.screens.study import StudyScreen


def studying(app: Driver) -> StudyScreen:
    screen = app.app.screen
    assert isinstance(screen, StudyScreen)
    return screen


async def test_a_search_is_counted_while_it_is_written_and_begins_the_session(two: Path) -> None:
    async with running(two) as app:
        await app.press("slash", *"is:ne")
        assert "There is no is:ne. Did you mean new?" in app.shown()
        await app.press("enter")
        assert app.screen == "OwnSessionScreen"
        await app.press("w")
        assert "2 cards, about 2 min." in app.shown()
        await app.press(*" id:*")
        await app.press("enter")
        assert app.screen == "StudyScreen"
        assert "1 of 2" in app.shown()


async def test_a_search_that_finds_nothing_begins_nothing(two: Path) -> None:
    async with running(two) as app:
        await app.press("slash", *"nowhere", "enter")
        assert app.screen == "OwnSessionScreen"
        assert "Nothing is found that could be studied." in app.shown()
        await app.press("escape")
        assert app.screen == "HomeScreen"


async def test_saved_searches_are_named(two: Path) -> None:
    (two / ".deltadeck").mkdir()
    (two / ".deltadeck/config.toml").write_text('[searches]\nhard = "id:second"\n')
    async with running(two, size=(60, 20)) as app:
        await app.press("slash")
        assert "Saved: @hard" in app.shown()
        await app.press(*"@hard", "enter")
        assert "Pooling › second" in app.shown()
        assert "1 of 1" in app.shown()


async def test_cramming_changes_no_schedule_and_brings_back_what_was_not_known(two: Path) -> None:
    async with running(two) as app:
        await app.press("c", "enter")
        assert "cram · 1 of 2" in app.shown()
        await app.press("space")
        assert "practice: the schedule stays as it is" in app.shown()
        await app.press("1", "space", "3")
        assert "cram · 3 of 3" in app.shown()
        assert "first" in app.shown()
        await app.press("space", "4")
        assert "That was all of it." in app.shown()
        assert "To watch   first" in app.shown()
        assert "is as it was: this was practice" in app.shown()
        assert journal(two, "review") == []
        assert [line["item"] for line in journal(two, "cram")] == ["first", "second", "first"]
        await app.press("u")
        assert "cram · 3 of 3" in app.shown()
        assert len(journal(two, "undo")) == 1
        await app.press("u", "u", "u")
        assert any("no rating left" in said for said in app.said())


async def test_reviews_are_studied_ahead_of_their_day_and_count(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "space", "4", "space", "4", "escape")
        assert "Nothing is left." in app.shown()
        await app.press("f")
        assert "Nothing is found" in app.shown()
        await app.press(*"30")
        assert "2 cards" in app.shown()
        await app.press("enter")
        assert "ahead · 1 of 2" in app.shown()
        await app.press("space", "3")
        assert len(journal(two, "review")) == 3


async def test_a_timed_session_ends_between_two_cards(two: Path) -> None:
    async with running(two) as app:
        await app.press("t", "5", "enter")
        assert "5 m left" in app.shown()
        app.clock.move(minutes=6)
        studying(app)._tick()
        await app.settle()
        assert "last card" in app.shown()
        assert "first" in app.shown()
        await app.press("space", "4")
        assert "Time is up; 1 card would be left." in app.shown()
        await app.press("space")
        assert "Pooling › second" in app.shown()
        assert "left" not in app.shown().splitlines()[0]


async def test_a_session_of_so_many_cards_has_no_more(two: Path) -> None:
    async with running(two) as app:
        await app.press("t", "tab", "1", "enter")
        assert "1 of 1" in app.shown()
        await app.press("space", "3")
        assert "comes back in 10 m" in app.shown()
        app.clock.move(minutes=11)
        studying(app)._tick()
        await app.settle()
        assert "first" in app.shown()
        await app.press("space", "3")
        assert "That was all of it." in app.shown()
        assert "1 card learned" in app.shown()


async def test_a_number_that_is_none_is_a_sentence(two: Path) -> None:
    async with running(two) as app:
        await app.press("t", "x")
        assert "Minutes takes a whole number from 1 to 1440." in app.shown()
        await app.press("enter")
        assert app.screen == "OwnSessionScreen"


async def test_the_kind_is_chosen_with_the_arrows(two: Path) -> None:
    async with running(two) as app:
        await app.press("slash", "up", "right")
        assert "Days" in app.shown()
        await app.press("right", "enter")
        assert "cram" in app.shown()


async def test_a_deck_under_the_cursor_is_what_is_studied(two: Path) -> None:
    write(two, "other", basic("other").replace("Pooling", "Control"))
    async with running(two) as app:
        await app.press("c")
        assert "Study all decks" in app.shown()
        assert "3 cards" in app.shown()
        await app.press("escape", "down", "c")
        assert "Study Control" in app.shown()
        assert "1 card," in app.shown()


# The limits of a day.


async def test_a_day_takes_more_where_the_limits_hold_back(two: Path) -> None:
    (two / ".deltadeck").mkdir()
    (two / ".deltadeck/config.toml").write_text("new_per_day = 0\n")
    async with running(two) as app:
        assert "New cards wait: + takes more" in " ".join(app.shown().split())
        await app.press("plus", "backspace", "backspace", *"x", "enter")
        assert any("New cards takes a whole number" in said for said in app.said())
        await app.press("backspace", "1", "enter")
        assert any("1 new card more and 50 reviews more" in said for said in app.said())
        assert "1 card, about 1 min" in app.shown()
        [raised] = journal(two, "raise")
        assert raised["new"] == 1


# What is done with a card beside answering it.


async def test_a_buried_card_comes_back_tomorrow(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "minus")
        assert "Pooling › second" in app.shown()
        await app.press("u")
        assert "Pooling › first" in app.shown()
        await app.press("minus", "space", "4")
        assert "Nothing is due here now." in app.shown()
        await app.press("escape")
        app.clock.move(days=1)
        await app.press("r", "enter")
        assert "Pooling › first" in app.shown()


async def test_suspending_and_burying_are_taken_back_in_turn(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "at", "minus")
        assert "Nothing is due here now." in app.shown()
        await app.press("u")
        assert "Pooling › second" in app.shown()
        await app.press("u")
        assert "Pooling › first" in app.shown()
        assert [line["on"] for line in journal(two, "suspend")] == [True, False]


async def test_a_reset_is_asked_about_and_can_be_taken_back(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "R")
        assert app.screen == "StudyScreen"
        await app.press("space", "3", "space", "4")
        app.clock.move(minutes=11)
        studying(app)._tick()
        await app.settle()
        await app.press("R")
        assert "Make first new again?" in app.shown()
        await app.press("escape")
        assert journal(two, "reset") == []
        await app.press("R", "r")
        assert len(journal(two, "reset")) == 1
        assert any("first is new again" in said for said in app.said())
        collection = app.app.open_collection
        assert type(collection.state("first")).__name__ == "New"
        await app.press("u")
        assert type(collection.state("first")).__name__ == "Learning"


async def test_a_leech_is_said_and_flagged(two: Path) -> None:
    (two / ".deltadeck").mkdir()
    (two / ".deltadeck/config.toml").write_text("leech_lapses = 1\nfuzz = false\n")
    (two / "second.md").unlink()
    async with running(two) as app:
        await app.press("enter", "space", "4")
        assert "leech" not in app.shown()
        app.clock.move(days=10)
        studying(app)._tick()
        await app.settle()
        await app.press("space", "1")
        assert any("first was forgotten 1 time: rewrite it" in said for said in app.said())
        assert "Leech" in app.shown()
        app.clock.move(minutes=11)
        studying(app)._tick()
        await app.settle()
        assert "⚑ leech" in app.shown()


# Files that change meanwhile.


async def test_a_card_that_changed_is_shown_anew_and_stays_revealed(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "space")
        write(two, "first", basic("first", "What is one?", "It is the first."))
        app.app.post_message(Changed())
        await app.settle()
        assert "It is the first." in app.shown()
        assert "1 Again" in app.shown()


async def test_a_card_that_is_gone_makes_room_for_the_next(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "space")
        (two / "first.md").unlink()
        app.app.open_collection.reload(app.clock())
        await app.press("3")
        assert any("This rating was not taken." in said for said in app.said())
        assert "Pooling › second" in app.shown()
        assert journal(two, "review") == []


@pytest.mark.parametrize("kind", ["due", "gathered"])
async def test_cards_that_went_a_moment_ago_are_passed_over(folder: Path, kind: str) -> None:
    """Nobody was told yet: of what was never read, only its file can say that it is gone."""
    for name in ("a", "b", "c", "d"):
        write(folder, name, basic(name))
    async with running(folder) as app:
        await app.press(*(["enter"] if kind == "due" else ["slash", *"id:*", "enter"]))
        assert "Pooling › a" in app.shown()
        for name in ("b", "c"):
            (folder / f"{name}.md").unlink()
        assert list(studying(app)._ahead._pieces()), "it prepares the next card"
        await app.press("space", "4")
        assert "Pooling › d" in app.shown()
        await app.press("space", "4")
        session = studying(app)._session
        assert session is not None
        assert session.item is None
