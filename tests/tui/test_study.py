"""Study: question, reveal, rating, undo; sessions of one's own kind; what the last page says."""

from __future__ import annotations

import os
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deck.collection import Collection
from deck.fsrs import Rating
from tests.tui.driving import CHOICE, Driver, basic, journal, running, write
from tui.collection_service import Changed
from tui.screens.study import StudyScreen
from tui.study.session import LiveQueue, SessionAnswer
from tui.study.text import summary

NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)


def studying(app: Driver) -> StudyScreen:
    screen = app.app.screen
    assert isinstance(screen, StudyScreen)
    return screen


async def later(app: Driver, **span: float) -> None:
    """So long after, as the screen's clock sees it."""
    app.clock.move(**span)
    studying(app)._tick()
    await app.settle()


def configured(folder: Path, text: str) -> None:
    (folder / ".deltadeck").mkdir()
    (folder / ".deltadeck/config.toml").write_text(text)


def lacks(app: Driver, *texts: str) -> list[str]:
    """Those of the texts that are not on the screen."""
    return [text for text in texts if text not in app.shown()]


# A card.


async def test_a_card_is_revealed_rated_and_taken_back(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "question_mark")
        assert not lacks(app, "Good: I knew it")
        await app.press("escape")
        assert not lacks(app, "What is [bold]one[/bold]?")
        assert lacks(app, "It is") == ["It is"]
        assert lacks(app, "Again")
        await app.press("3")
        assert journal(two, "review") == [], "rating needs a reveal"
        await app.press("space")
        assert not lacks(app, "It is x  one.", "1 Again 1 m")
        app.clock.move(seconds=42)
        await app.press("4")
        [review] = journal(two, "review")
        assert (review["item"], review["rating"], review["ms"]) == ("first", 4, 42_000)
        assert not lacks(app, "second", "2 of 2")
        await app.press("space", "4")
        assert not lacks(app, "Nothing is due here now.", "Answered   2 cards")
        await app.press("u")
        assert not lacks(app, "second")
        await app.press("u")
        assert not lacks(app, "first", "1 of 2")
        await app.press("u")
        assert any("no rating left" in said for said in app.said())


async def test_a_learning_card_comes_back_when_it_is_due(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "space", "1", "space", "4")
        assert not lacks(app, "comes back in 1 m")
        await later(app, minutes=2)
        assert not lacks(app, "first")


async def test_options_are_picked_and_marked_after_the_reveal(choice: Path) -> None:
    both = CHOICE.format(id="two").replace("Answer:** B", "Answer:** A, B")
    write(choice, "two", both)
    async with running(choice) as app:
        await app.press("enter", "c")
        assert app.screen == "StudyScreen"
        assert not lacks(app, "▸ C) two")
        assert lacks(app, "D)")
        await app.press("a", "space")
        assert not lacks(app, "✗ A) 0", "✓ B) one", "suggested: 1, another was right")
        await app.press("1", "a", "b", "space")
        assert not lacks(app, "suggested: 3, the right choice")


@pytest.mark.parametrize("how", ["in the way", "read-only"])
async def test_a_rating_that_cannot_be_written_is_not_taken(two: Path, how: str) -> None:
    if how == "in the way":
        (two / ".deltadeck").write_text("a file where the folder should be")
    elif os.geteuid() == 0:
        pytest.skip("root writes where it may not")
    else:
        two.chmod(0o500)
    try:
        async with running(two) as app:
            await app.press("enter", "space", "3")
            assert any("not taken" in said for said in app.said())
            assert not lacks(app, "first", "1 of 2")
    finally:
        two.chmod(0o700)


async def test_an_edit_shows_at_once(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "e")
        assert app.screen == "EditScreen"
        editor: Any = app.app.screen.query_one("#source")
        editor.load_text((two / "first.md").read_text().replace("What is", "Say what is"))
        await app.press("ctrl+s", "escape")
        assert app.screen == "StudyScreen"
        assert not lacks(app, "Say what is")


# What is done with a card beside answering it.


async def test_suspending_and_burying_are_taken_back_in_turn(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "s")
        assert not lacks(app, "Pooling › second")
        await app.press("minus")
        assert not lacks(app, "Nothing is due here now.")
        await app.press("u")
        assert not lacks(app, "Pooling › second")
        await app.press("u")
        assert not lacks(app, "Pooling › first", "1 of 2")
        assert [line["on"] for line in journal(two, "suspend")] == [True, False]
        await app.press("minus", "space", "4", "escape")
        app.clock.move(days=1)
        await app.press("r", "enter")
        assert not lacks(app, "Pooling › first"), "a buried card comes back tomorrow"


async def test_a_reset_is_asked_about_and_can_be_taken_back(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "R")
        assert app.screen == "StudyScreen"
        await app.press("space", "3", "space", "4")
        await later(app, minutes=11)
        await app.press("R")
        assert not lacks(app, "Make first new again?")
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
    configured(two, "leech_lapses = 1\nfuzz = false\n")
    (two / "second.md").unlink()
    async with running(two) as app:
        await app.press("enter", "space", "4")
        assert lacks(app, "leech")
        await later(app, days=10)
        await app.press("space", "1")
        assert any("first was forgotten 1 time: rewrite it" in said for said in app.said())
        assert not lacks(app, "Leech")
        await later(app, minutes=11)
        assert not lacks(app, "⚑ leech")


# Sessions by a search, ahead, crammed, timed, of so many cards.


async def test_a_search_is_counted_while_it_is_written_and_begins_the_session(two: Path) -> None:
    configured(two, '[searches]\nhard = "id:second"\n')
    async with running(two, size=(60, 20)) as app:
        await app.press("slash")
        assert not lacks(app, "Saved: @hard")
        await app.press(*"is:ne")
        assert not lacks(app, "There is no is:ne. Did you mean new?")
        await app.press("enter")
        assert app.screen == "OwnSessionScreen"
        await app.press("w")
        assert not lacks(app, "2 cards, about 2 min.")
        await app.press(*" nowhere", "enter")
        assert app.screen == "OwnSessionScreen"
        assert not lacks(app, "Nothing is found that could be studied.")
        await app.press("escape")
        assert app.screen == "HomeScreen"
        await app.press("slash", *"@hard", "enter")
        assert not lacks(app, "Pooling › second", "1 of 1")


async def test_cramming_changes_no_schedule_and_brings_back_what_was_not_known(two: Path) -> None:
    async with running(two) as app:
        await app.press("c", "enter")
        assert not lacks(app, "cram · 1 of 2")
        await app.press("space")
        assert not lacks(app, "practice: the schedule stays as it is")
        await app.press("1", "space", "3")
        assert not lacks(app, "cram · 3 of 3", "first")
        await app.press("space", "4")
        assert not lacks(app, "That was all of it.", "To watch   first")
        assert not lacks(app, "is as it was: this was practice")
        assert journal(two, "review") == []
        assert [line["item"] for line in journal(two, "cram")] == ["first", "second", "first"]
        await app.press("u")
        assert not lacks(app, "cram · 3 of 3")
        assert len(journal(two, "undo")) == 1
        await app.press("u", "u", "u")
        assert any("no rating left" in said for said in app.said())


async def test_reviews_are_studied_ahead_of_their_day_and_count(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "space", "4", "space", "4", "escape")
        assert not lacks(app, "Nothing is left.")
        await app.press("f")
        assert not lacks(app, "Nothing is found")
        await app.press(*"30")
        assert not lacks(app, "2 cards")
        await app.press("enter")
        assert not lacks(app, "ahead · 1 of 2")
        await app.press("space", "3")
        assert len(journal(two, "review")) == 3


async def test_a_timed_session_ends_between_two_cards(two: Path) -> None:
    async with running(two) as app:
        await app.press("t", "x")
        assert not lacks(app, "Minutes takes a whole number from 1 to 1440.")
        await app.press("enter")
        assert app.screen == "OwnSessionScreen"
        await app.press("backspace", "5", "enter")
        assert not lacks(app, "5 m left")
        await later(app, minutes=6)
        assert not lacks(app, "last card", "first")
        await app.press("space", "4")
        assert not lacks(app, "Time is up; 1 card would be left.")
        await app.press("space")
        assert not lacks(app, "Pooling › second")
        assert "left" not in app.shown().splitlines()[0]


async def test_a_session_of_so_many_cards_has_no_more(two: Path) -> None:
    async with running(two) as app:
        await app.press("t", "tab", "1", "enter")
        assert not lacks(app, "1 of 1")
        await app.press("space", "3")
        assert not lacks(app, "comes back in 10 m")
        await later(app, minutes=11)
        assert not lacks(app, "first")
        await app.press("space", "3")
        assert not lacks(app, "That was all of it.", "1 card learned")


async def test_the_form_knows_its_kinds_and_the_deck_under_the_cursor(two: Path) -> None:
    write(two, "other", basic("other").replace("Pooling", "Control"))
    async with running(two) as app:
        await app.press("slash", "up", "right")
        assert not lacks(app, "Days")
        await app.press("escape", "c")
        assert not lacks(app, "Study all decks", "3 cards")
        await app.press("escape", "down", "c")
        assert not lacks(app, "Study Control", "1 card,")


async def test_a_day_takes_more_where_the_limits_hold_back(two: Path) -> None:
    configured(two, "new_per_day = 0\n")
    async with running(two) as app:
        assert "New cards wait: + takes more" in " ".join(app.shown().split())
        await app.press("plus", "backspace", "backspace", *"x", "enter")
        assert any("New cards takes a whole number" in said for said in app.said())
        await app.press("backspace", "1", "enter")
        assert any("1 new card more and 50 reviews more" in said for said in app.said())
        assert not lacks(app, "1 card, about 1 min")
        [raised] = journal(two, "raise")
        assert raised["new"] == 1


# Files that change meanwhile.


async def test_a_card_that_changed_is_shown_anew_and_one_that_is_gone_is_left(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "space")
        write(two, "first", basic("first", "What is one?", "It is the first."))
        app.app.post_message(Changed())
        await app.settle()
        assert not lacks(app, "It is the first.", "1 Again")
        (two / "first.md").unlink()
        app.app.open_collection.reload(app.clock())
        await app.press("3")
        assert any("This rating was not taken." in said for said in app.said())
        assert not lacks(app, "Pooling › second")
        assert journal(two, "review") == []


@pytest.mark.parametrize("kind", ["due", "gathered"])
async def test_cards_that_went_a_moment_ago_are_passed_over(folder: Path, kind: str) -> None:
    """Nobody was told yet: of what was never read, only its file can say that it is gone."""
    for name in ("a", "b", "c", "d"):
        write(folder, name, basic(name))
    async with running(folder) as app:
        await app.press(*(["enter"] if kind == "due" else ["slash", *"id:*", "enter"]))
        assert not lacks(app, "Pooling › a")
        for name in ("b", "c"):
            (folder / f"{name}.md").unlink()
        assert list(studying(app)._ahead._pieces()), "it prepares the next card"
        await app.press("space", "4")
        assert not lacks(app, "Pooling › d")
        await app.press("space", "4")
        session = studying(app)._session
        assert session is not None
        assert session.item is None


# The queue of what is due: the collection's own, asked as seldom as can be.


def collection_of(folder: Path, count: int) -> Collection:
    folder.mkdir()
    for number in range(count):
        write(folder, f"card{number}", basic(f"card{number}"))
    return Collection.open(folder, now=NOW, device="desk")


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(list(Rating)), st.integers(0, 700)), max_size=12),
    st.integers(1, 4),
)
def test_it_asks_what_the_collections_queue_would_ask(
    answers: list[tuple[Rating, int]], count: int
) -> None:
    with tempfile.TemporaryDirectory() as home:
        collection, now = collection_of(Path(home) / "cards", count), NOW
        waiting = LiveQueue(collection, None)
        for rating, seconds in answers:
            asked, queue = waiting.current(now), collection.queue(now)
            known = {entry.item_id for entry in queue.entries}
            assert (asked is None) == (not known)
            assert waiting.left == len(known)
            if asked is None:
                assert waiting.next_due == queue.next_due
            else:
                assert asked in known
                collection.rate(asked, rating, now, 1000)
                waiting.answered(asked, int(rating))
            now += timedelta(seconds=seconds)
        collection.close()


def test_what_another_program_did_is_seen_once_it_is_told(tmp_path: Path) -> None:
    collection = collection_of(tmp_path / "cards", 2)
    waiting = LiveQueue(collection, None)
    assert waiting.current(NOW) == "card0"
    collection.suspend("card0", NOW)
    waiting.invalidate()
    assert waiting.current(NOW) == "card1"
    assert waiting.left == 1


# The last page.


async def test_the_last_page_says_when_to_come_back_and_what_is_due_elsewhere(two: Path) -> None:
    write(two, "other", CHOICE.format(id="other"))
    async with running(two, size=(60, 20)) as app:
        await app.press("G", "enter")
        for _ in range(2):
            await app.press("space")
            app.clock.move(minutes=1)
            await app.press("4")
        words = " ".join(app.shown().split())
        assert "Answered 2 cards in 2 min New 2 cards learned" in words
        assert "Now 1 card, about 1 min, in other decks" in words
        assert "The next card is due in" in words
        app.clock.move(days=6)
        await app.press("escape")
        assert not lacks(app, "All decks")


def answer(
    item: str, rating: int, before: Any = "review", after: Any = "review", **more: Any
) -> Any:
    return SessionAnswer(item, rating, before, after, 30.0, **more)


LEARNED = (
    answer("a", 3, "new", "learning"),
    answer("b", 4, "new", "review"),
    answer("c", 3, "new", "learning"),
    answer("a", 3, "learning", "review"),
)
DERIVED = (
    answer("a", 1, verdict="wrong"),
    answer("b", 2, verdict="correct-except-ties"),
    answer("a", 3, "learning", verdict="correct"),
    answer("c", 1, verdict="wrong"),
)


@pytest.mark.parametrize(
    ("answers", "about", "said"),
    [
        # Cards are counted once, and the time of all answers.
        ((answer("a", 1), answer("a", 3), answer("b", 3)), "Answered", "2 cards in 2 min"),
        ((answer("a", 3),), "Answered", "1 card"),
        # Learned is what its last answer took into review.
        (LEARNED, "New", "2 cards learned, 1 more begun"),
        (LEARNED[2:3], "New", "1 card begun"),
        ((answer("a", 3, "new", "new", practice=True),), "New", None),
        # Recall is that of the first answers to reviews.
        (
            (answer("a", 1), answer("a", 3, "learning"), answer("b", 3), answer("c", 3, "new")),
            "Recalled",
            "1 of 2, 50 % (asked for 90 %)",
        ),
        # What was not known, the worst first.
        ((answer("a", 1), answer("b", 1), answer("b", 1), answer("c", 3)), "To watch", "b (2×), a"),
        ([answer(name, 1) for name in "abcdef"], "To watch", "a, b, c, d and 2 more"),
        (
            (answer("a", 1, lapses=8, leech=True),),
            "Leech",
            "a, forgotten 8 times: rewrite it, or set it aside",
        ),
        # Derivations by their verdicts, named where they were not correct in the end.
        (DERIVED, "Derived", "1 of 4 derivations correct"),
        (DERIVED, "To derive", "b (correct except ties), c (wrong)"),
        (DERIVED[2:3], "To derive", None),
        ((), "Answered", None),
    ],
)
def test_the_last_page_says_what_was_learned_and_what_to_watch(
    answers: Any, about: str, said: str | None
) -> None:
    assert dict(summary(answers, 0.9)).get(about) == said
