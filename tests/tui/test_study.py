"""Study: question, reveal, rating, undo; sessions of one's own kind; what the last page says."""

from __future__ import annotations

import os
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.events import Key

from cards import parse_card
from deck.collection import Collection
from deck.fsrs import Rating
from tests.tui.driving import CHOICE, Driver, basic, journal, running, write
from tui.collection_service import Changed
from tui.screens.study import StudyScreen
from tui.study.answers import NumericAnswer, WordAnswer, differences
from tui.study.session import SessionAnswer, StudyQueue
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


# A card.


async def test_a_card_is_revealed_rated_and_taken_back(two: Path) -> None:
    async with running(two) as app:
        await app.do("enter question_mark", "Good: I knew it")
        await app.do("escape", "What is [bold]one[/bold]?", gone=("It is", "Again"))
        await app.do("3")
        assert journal(two, "review") == [], "rating needs a reveal"
        await app.do("space", "It is x_* one.", "1 Again 1 m")
        app.clock.move(seconds=42)
        await app.do("4", "second", "2 of 2")
        [review] = journal(two, "review")
        assert (review["item"], review["rating"], review["ms"]) == ("first", 4, 42_000)
        await app.do("space 1", "Nothing is due here now.", "Answered 2 cards", "back in 1 m")
        await later(app, minutes=2)  # what is learned comes back when it is due
        await app.do("", "Pooling › second")
        await app.do("u", "second", "2 of 2")
        await app.do("u", "first", "1 of 2")
        await app.do("u", "There is nothing to undo.")


async def test_options_are_picked_and_marked_after_the_reveal(choice: Path) -> None:
    both = CHOICE.format(id="two").replace("Answer:** B", "Answer:** A, B")
    write(choice, "two", both)
    async with running(choice) as app:
        await app.do("enter", "a b … Pick")
        await app.do("c", "▸ C) two", gone=("D)",), on="StudyScreen")
        await app.do("a space", "▸✗ A) 0", "✓ B) one", "suggested: 1, B was right", gone=("Pick",))
        await app.do("1 a b space", "▸✓ A) 0", "▸✓ B) one", "suggested: 3, the right choice")
        await app.do("3 u a space", "▸✓ A) 0", "suggested: 2, B was right too")


async def test_a_cloze_is_filled_in_where_it_stands(folder: Path) -> None:
    text = basic("gap", "So {{c1::added}}, not {{c2::lost::how?}}.", "The messages add up.")
    write(folder, "gap", text.replace("type: basic", "type: cloze"))
    async with running(folder) as app:
        await app.do("enter", "So [...], not lost.", gone=("add up",))
        [before] = (n for n, row in enumerate(app.shown().splitlines()) if "So" in row)
        await app.do("space", "The messages add up.", gone=("[...]",))
        [after] = (n for n, row in enumerate(app.shown().splitlines()) if "So added, not" in row)
        assert after == before, "in its place, and no second time"
        await app.do("3 u", "So [...], not lost.")


NUMERIC = """---
id: {id}
type: numeric
answer: {answer}
tolerance: {tolerance}
---

# Question
How many?

---
# Solution
Counted.
"""


def numeric(folder: Path, answer: str = "4.5", tolerance: str = "0.001", name: str = "n") -> None:
    write(folder, name, NUMERIC.format(id=name, answer=answer, tolerance=tolerance))


async def test_a_number_is_typed_checked_and_suggests_a_rating(folder: Path) -> None:
    numeric(folder)
    async with running(folder) as app:
        await app.do("enter", "Your number; enter checks it", gone=("Counted.", "Answer"))
        await app.do("4 , 5 e 0", "4,5e0", gone=("Again",))
        assert journal(folder, "review") == [], "digits are the number's"
        await app.do("enter", "✓ Yours 4,5e0", "Answer 4.5 ± 0.001", "Counted.", "suggested: 3")
        await app.do("3 u", "Your number", gone=("4,5e0", "Counted."))
        await app.do("minus 4 . 5 enter", "✗ Yours -4.5", "suggested: 1, off by 9")
        await app.do(
            "3 u 3 4 question_mark", "aside for good"
        )  # what no number has is a key as ever
        await app.do("escape", "34")


async def test_an_empty_field_just_reveals_and_what_is_no_number_does_not(folder: Path) -> None:
    numeric(folder)
    async with running(folder) as app:
        await app.do("enter 4 . . 5 enter", "4..5 is no number", gone=("Counted.",))
        await app.do("backspace backspace backspace backspace space", "Answer 4.5 ± 0.001")
        await app.do("", "Counted.", gone=("Yours", "suggested"))
        await app.do("1")
        assert [review["rating"] for review in journal(folder, "review")] == [1]


async def test_keys_of_a_burst_check_the_number_and_rate_it(folder: Path) -> None:
    numeric(folder)
    async with running(folder) as app:
        await app.do("enter")
        for key, sign in (("4", "4"), ("full_stop", "."), ("5", "5"), ("enter", "\r"), ("3", "3")):
            app.app.post_message(Key(key, sign))
        await app.settle()
        assert [review["rating"] for review in journal(folder, "review")] == [3]


@pytest.mark.parametrize(
    ("answer", "tolerance", "typed", "rating"),
    [
        ("4.5", "0.001", "4.4995", 3),
        ("4.5", "0.001", "9/2", 3),
        ("4.5", "0.001", "4.505", 2),
        ("4.5", "0.001", "4.6", 1),
        ("-200", "5%", "-209", 3),
        ("-200", "5%", "\N{MINUS SIGN}190", 3),
        ("-200", "5%", "209", 1),
        ("0.3333", "", "1/3", 3),
        ("0.33", "", "0.34", 2),
        ("9", "", "9,0", 3),
        ("9", "", "9.4", 1),
        ("12 %", "1", "12.5", 3),
        ("12 %", "1", "12.5%", 3),
        ("3e8 m/s", "1%", "2.99e8", 3),
        ("3 m", "", "3 km", None),
        ("3", "", "1/0", None),
        ("3", "", "1e999", None),
        ("3", "", "3 or 4", None),
    ],
)
def test_a_number_is_right_within_its_tolerance(
    answer: str, tolerance: str, typed: str, rating: int | None
) -> None:
    card = parse_card(NUMERIC.format(id="n", answer=answer, tolerance=tolerance))
    asked = NumericAnswer.of(card)
    assert asked is not None
    judged = asked.judged(typed)
    assert (judged.rating if judged else None) == rating


# Words, where the learner likes to type them.

THEOREM = "The **central limit** theorem.\n\n## Related\n- [[other]]"


async def test_words_are_typed_and_what_differs_is_shown(folder: Path) -> None:
    write(folder, "one", basic("one", solution=THEOREM))
    configured(folder, "type_answers = true\n")
    async with running(folder) as app:
        await app.do("enter", "Your answer; enter checks it", "⏎ Check", gone=("theorem", "Edit"))
        await app.do("=the␣central␣limt␣theo", "the central limt theo", gone=("space Reveal",))
        rows = ("Yours  the central lim-t theo---", "Answer The central limit theorem")
        await app.do("enter", *rows, "suggested: 2, nearly the same")
        await app.do("2 u =what␣3 enter", "✗ Yours what 3", "suggested: 1, other words")
        await app.do("2 u =THE␣␣central␣limit␣theorem enter", "suggested: 3", gone=("Answer",))
        await app.do("2 u space", "The central limit theorem.", "1 Again", gone=("Yours",))
        assert [review["rating"] for review in journal(folder, "review")] == [2, 2, 2]


async def test_a_course_has_its_own_say_on_typing(folder: Path) -> None:
    write(folder, "one", basic("one"))
    configured(folder, '[courses."Pooling"]\ntype_answers = true\n')
    async with running(folder) as app:
        await app.do("enter", "Your answer")
    (folder / ".deltadeck/config.toml").unlink()
    async with running(folder) as app:
        await app.do("enter", "Why?", gone=("Your answer",))


@pytest.mark.parametrize(
    ("solution", "asked"),
    [
        ("Because.", "Because"),
        ("A *smooth*  [function](https://a.b)", "A smooth function"),
        (THEOREM, "The central limit theorem"),
        ("a" * 60, "a" * 60),
        ("a" * 61, None),
        ("One line.\nAnother.", None),
        ("One.\n\nAnother.", None),
        ("- an item", None),
        ("The slope $x$.", None),
        ("The call `f(x)`.", None),
        ("The **`f`**.", None),
        ("![A pool](pool.png)", None),
        ("## Proof\nObvious.", None),
        ("", None),
    ],
)
def test_only_a_short_line_of_words_is_typed(solution: str, asked: str | None) -> None:
    card = parse_card(basic("one", solution=solution))
    words = WordAnswer.of(card, card.solution)
    assert (words.written if words else None) == asked
    other = parse_card(basic("one", solution=solution).replace("type: basic", "type: open"))
    assert WordAnswer.of(other, other.solution) is None


@given(st.text("aAbß é", max_size=12), st.text("aAbß é", max_size=12))
def test_the_pieces_of_a_comparison_are_both_texts(typed: str, written: str) -> None:
    pieces = list(differences(typed, written))
    assert ("".join(one for one, _ in pieces), "".join(other for _, other in pieces)) == (
        typed,
        written,
    )


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
            await app.do("enter space 3", "not taken", "first", "1 of 2")
    finally:
        two.chmod(0o700)


# What is done with a card beside answering it.


async def test_suspending_and_burying_are_taken_back_in_turn(two: Path) -> None:
    async with running(two) as app:
        await app.do("enter s", "Pooling › second")
        await app.do("minus", "Nothing is due here now.")
        await app.do("u", "Pooling › second")
        await app.do("u", "Pooling › first", "1 of 2")
        assert [line["on"] for line in journal(two, "suspend")] == [True, False]
        await app.do("minus space 4 escape")
        app.clock.move(days=1)
        await app.do("r enter", "Pooling › first")  # a buried card comes back tomorrow


async def test_a_reset_is_asked_about_and_can_be_taken_back(two: Path) -> None:
    async with running(two) as app:
        await app.do("enter R", on="StudyScreen")  # a new card has nothing to reset
        await app.do("space 3 space 4")
        await later(app, minutes=11)
        await app.do("R", "Make first new again?")
        await app.do("escape")
        assert journal(two, "reset") == []
        await app.do("R r", "first is new again")
        assert len(journal(two, "reset")) == 1
        collection = app.app.open_collection
        assert type(collection.state("first")).__name__ == "New"
        await app.do("u")
        assert type(collection.state("first")).__name__ == "Learning"


async def test_a_leech_is_said_and_flagged(two: Path) -> None:
    configured(two, "leech_lapses = 1\nfuzz = false\n")
    (two / "second.md").unlink()
    async with running(two) as app:
        await app.do("enter space 4", gone=("leech",))
        await later(app, days=10)
        await app.do(
            "space 1", "first was forgotten 1 time: rewrite it", "Leech What is [bold]one[/bold]?"
        )
        await later(app, minutes=11)
        await app.do("", "⚑ leech")


# Sessions by a search, ahead, crammed, timed, of so many cards.


async def test_a_search_is_counted_while_it_is_written_and_begins_the_session(two: Path) -> None:
    configured(two, '[searches]\nhard = "id:second"\n')
    async with running(two, size=(60, 20)) as app:
        await app.do("o", "Saved: @hard")
        await app.do("=is:ne", "Unknown state `ne`. Did you mean new?")
        await app.do("enter", on="OwnSessionScreen")
        await app.do("w", "2 cards, about 2 min.")
        nothing = "There is nothing to study here."
        await app.do("=␣nowhere enter", nothing, on="OwnSessionScreen")
        await app.do("escape", on="HomeScreen")
        await app.do("o =@hard enter", "Pooling › second", "1 of 1")


async def test_cramming_changes_no_schedule_and_brings_back_what_was_not_known(two: Path) -> None:
    async with running(two) as app:
        await app.do("c enter", "cram · 1 of 2")
        await app.do("space", "practice: the schedule does not change")
        await app.do("1 space 3", "cram · 3 of 3", "first")
        said = (
            "That was the last card.",
            "To watch What is [bold]one[/bold]?",
            "unchanged: this was practice",
        )
        await app.do("space 4", *said)
        assert journal(two, "review") == []
        assert [line["item"] for line in journal(two, "cram")] == ["first", "second", "first"]
        await app.do("u", "cram · 3 of 3")
        assert len(journal(two, "undo")) == 1
        await app.do("u u u", "There is nothing to undo.")


async def test_reviews_are_studied_ahead_of_their_day_and_count(two: Path) -> None:
    async with running(two) as app:
        await app.do("enter space 4 space 4 escape", "Nothing is left.")
        await app.do("f", "There is nothing to study here.")
        await app.do("3 0", "2 cards")
        await app.do("enter", "ahead · 1 of 2")
        await app.do("space 3")
        assert len(journal(two, "review")) == 3


async def test_a_session_ends_after_its_minutes_or_its_cards(two: Path) -> None:
    async with running(two) as app:
        await app.do("t x", "Minutes takes a whole number from 1 to 1440.")
        await app.do("enter", on="OwnSessionScreen")
        await app.do("backspace 5 enter", "5 m left")
        await later(app, minutes=6)
        await app.do("", "last card", "first")
        await app.do("space 4", "Time is up, with 1 card left.")
        await app.do("space", "Pooling › second")
        assert "left" not in app.shown().splitlines()[0]
        await app.do("escape t tab 1 enter", "1 of 1")
        await app.do("space 3", "comes back in 10 m")
        await later(app, minutes=11)
        await app.do("", "second")
        await app.do("space 3", "That was the last card.", "1 card learned")


async def test_the_form_knows_its_kinds_and_the_deck_under_the_cursor(two: Path) -> None:
    write(two, "other", basic("other").replace("Pooling", "Control"))
    async with running(two) as app:
        await app.do("o up right", "Days")
        await app.do("escape c", "Study all decks", "3 cards")
        await app.do("escape down c", "Study Control", "1 card,")


async def test_a_day_takes_more_where_the_limits_hold_back(two: Path) -> None:
    configured(two, "new_per_day = 0\n")
    async with running(two) as app:
        await app.do("", "Cards wait: + takes more")
        await app.do("plus backspace backspace x enter", "New cards takes a whole number")
        said = ("1 new card more and 50 reviews more", "1 card, about 1 min")
        await app.do("backspace 1 enter", *said)
        [raised] = journal(two, "raise")
        assert raised["new"] == 1
        (two / ".deltadeck" / "config.toml").write_text("", encoding="utf-8")
        await app.do("r plus", "No limit holds cards back here", on="HomeScreen")


async def test_more_of_a_course_that_its_own_limit_holds_back_is_taken_on_its_row(
    two: Path,
) -> None:
    write(two, "other", basic("other").replace("Pooling", "Control"))
    configured(two, '[courses."Pooling"]\nnew_per_day = 0\n')
    async with running(two) as app:
        await app.do("plus", "press + on a course", on="HomeScreen")
        await app.do("j plus", "No limit holds cards back here", on="HomeScreen")
        await app.do("j plus", "More today, of Pooling")
        await app.do("enter", "10 new cards more", "3 cards")
        await app.do("plus", "No limit holds cards back here", on="HomeScreen")


# Files that change meanwhile.


async def test_a_card_that_changed_is_shown_anew_and_one_that_is_gone_is_left(two: Path) -> None:
    async with running(two) as app:
        await app.do("enter e", on="EditScreen")
        editor: Any = app.app.screen.query_one("#source")
        editor.load_text((two / "first.md").read_text().replace("What is", "Say what is"))
        await app.do("ctrl+s escape", "Say what is", on="StudyScreen")
        await app.do("space")
        write(two, "first", basic("first", "What is one?", "It is the first."))
        app.app.post_message(Changed())
        await app.settle()
        await app.do("", "It is the first.", "1 Again")
        (two / "first.md").unlink()
        app.app.open_collection.reload(app.clock())
        await app.do("3", "This rating was not taken.", "Pooling › second")
        assert journal(two, "review") == []


@pytest.mark.parametrize("keys", ["enter", "o =id:* enter"])
async def test_cards_that_went_a_moment_ago_are_passed_over(folder: Path, keys: str) -> None:
    """Nobody was told yet: of what was never read, only its file can say that it is gone."""
    for name in ("a", "b", "c", "d", "e"):
        write(folder, name, basic(name))
    async with running(folder) as app:
        await app.do(keys, "Pooling › a")
        for name in ("c", "d"):  # b is being read already
            (folder / f"{name}.md").unlink()
        await app.do("space 4", "Pooling › b")
        assert list(studying(app)._ahead._pieces()), "it prepares the next card"
        await app.do("space 4", "Pooling › e")
        await app.do("space 4")
        assert studying(app).session.item is None


# The queue of what is due: the collection's own, asked as seldom as can be.


def collection_of(folder: Path, count: int) -> Collection:
    folder.mkdir()
    for number in range(count):
        write(folder, f"card{number}", basic(f"card{number}"))
    return Collection.open(folder, now=NOW, device="desk")


@given(
    st.lists(st.tuples(st.sampled_from(list(Rating)), st.integers(0, 700)), max_size=12),
    st.integers(1, 4),
)
def test_it_asks_what_the_collections_queue_would_ask(
    answers: list[tuple[Rating, int]], count: int
) -> None:
    with tempfile.TemporaryDirectory() as home:
        collection, now = collection_of(Path(home) / "cards", count), NOW
        waiting = StudyQueue(collection)
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
    waiting = StudyQueue(collection)
    assert waiting.current(NOW) == "card0"
    collection.suspend("card0", NOW)
    waiting.invalidate()
    assert waiting.current(NOW) == "card1"
    assert waiting.left == 1


# The last page.


async def test_the_last_page_says_when_to_come_back_and_what_is_due_elsewhere(two: Path) -> None:
    write(two, "other", CHOICE.format(id="other"))
    async with running(two, size=(60, 24)) as app:
        await app.do("G enter")
        for _ in range(2):
            await app.do("space")
            app.clock.move(minutes=1)
            await app.do("4")
        said = ("Answered 2 cards in 2 min New 2 cards learned", "The next card is due in")
        await app.do("", "Well done. ", "Known 2 of 2 at the first try")
        await app.do("", *said, "Now 1 card, about 1 min, in other decks")
        app.clock.move(days=6)
        await app.do("escape", "All decks")


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
        ((answer("a", 3),), "Answered", "1 card in 30 s"),
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
        (
            (answer("a", 1), answer("b", 1), answer("b", 1), answer("c", 3)),
            "To watch",
            "b (2×) · a",
        ),
        ([answer(name, 1) for name in "abcdef"], "To watch", "a · b · c · d and 2 more"),
        (
            (answer("a", 1, lapses=8, leech=True),),
            "Leech",
            "a, forgotten 8 times: rewrite it, or suspend it",
        ),
        # Derivations by their verdicts, named where they were not correct in the end.
        (DERIVED, "Derived", "1 of 3 derivations correct"),
        (DERIVED, "To derive", "b (correct except ties) · c (wrong)"),
        (DERIVED[2:3], "To derive", None),
        # Mistakes that a check named, the most frequent first.
        (
            (answer("a", 1, mistake="x"), answer("b", 1, mistake="y"), answer("c", 1, mistake="y")),
            "Mistakes",
            "y (2×) · x",
        ),
        # Where no review was asked, how many were known at once.
        ((answer("a", 1, "new"), answer("a", 3, "learning")), "Known", "0 of 1 at the first try"),
        ((answer("a", 3),), "Known", None),
        ((), "Answered", None),
    ],
)
def test_the_last_page_says_what_was_learned_and_what_to_watch(
    answers: Any, about: str, said: str | None
) -> None:
    assert dict(summary(answers, 0.9)).get(about) == said


async def test_the_last_page_says_what_comes_tomorrow(two: Path) -> None:
    for name in ("third", "fourth", "fifth"):
        write(two, name, basic(name))
    configured(two, "new_per_day = 2\nlearning_steps = []\nfuzz = false\n")
    async with running(two, size=(60, 20)) as app:
        for rating in "21":  # in two days at the earliest; tomorrow
            await app.do(f"enter space {rating} escape")
        await app.do("enter")
        await app.do("", "Tomorrow 3 cards, 2 of them new, about 2 min, in all decks", "+ there")
    (two / ".deltadeck/config.toml").write_text("new_per_day = 0\n")
    async with running(two) as app:
        await app.do("enter", "Tomorrow 1 card, about 1 min, in all decks")


async def test_steps_of_today_are_nothing_that_comes_tomorrow(folder: Path) -> None:
    write(folder, "one", basic("one"))
    async with running(folder) as app:
        await app.do("enter space 1", "comes back in 1 m", "Tomorrow nothing is due yet")


async def test_the_last_page_offers_more_only_where_more_would_come(two: Path) -> None:
    configured(two, "new_per_day = 1\n")
    async with running(two) as app:
        await app.do("enter space 4", "+ there takes more today")
    settings = two / ".deltadeck/config.toml"
    settings.write_text("new_per_day = 9\n")
    async with running(two) as app:
        await app.do("enter space 4", "Well done.", gone=("takes more",))


async def test_a_key_that_cannot_work_says_why(two: Path) -> None:
    async with running(two) as app:
        await app.do("enter c", "This card has no exercise to check")
        await app.do("1", "Reveal the answer first: space.")
