"""What is asked, in which order, how much of it, and the tree of decks."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from deck import Collection, Counts, Rating
from tests.deck.given import CLOZE, NOON, configure, later, write_card

HARD, GOOD, EASY = Rating.HARD, Rating.GOOD, Rating.EASY


def opened(root: Path, now: datetime = NOON) -> Collection:
    return Collection.open(root, now, "desk")


def asked(collection: Collection, now: datetime, deck: str | None = None) -> list[str]:
    return [entry.item_id for entry in collection.queue(now, deck).entries]


def test_an_empty_collection_has_nothing_to_ask(root: Path) -> None:
    queue = opened(root).queue(NOON)
    assert (queue.entries, queue.counts, queue.next_due) == ((), Counts(0, 0, 0), None)
    assert opened(root).decks(NOON) == []


def test_new_cards_alternate_between_courses_easy_ones_first(root: Path) -> None:
    write_card(root, "a1", course="A", difficulty=5)
    write_card(root, "a2", course="A", difficulty=1)
    write_card(root, "a3", course="A")
    write_card(root, "b1", course="B")
    assert asked(opened(root), NOON) == ["a2", "b1", "a3", "a1"]


def test_a_step_waits_until_it_is_due_and_then_comes_first(root: Path) -> None:
    write_card(root, "a")
    write_card(root, "b")
    collection = opened(root)
    collection.rate("b", GOOD, NOON, 0)
    queue = collection.queue(NOON)
    assert [entry.item_id for entry in queue.entries] == ["a"]
    assert queue.counts == Counts(new=1, learning=1, due=0)
    assert queue.next_due == later(minutes=10)
    assert asked(collection, later(minutes=10)) == ["b", "a"]


def test_reviews_come_least_likely_recalled_first_with_new_ones_spread_between(root: Path) -> None:
    for item in "abcd":
        write_card(root, item)
    collection = opened(root)
    collection.rate("a", EASY, NOON, 0)
    collection.rate("b", EASY, later(days=10), 0)
    collection.rate("c", EASY, later(days=-10), 0)
    assert asked(collection, later(days=30)) == ["c", "a", "d", "b"]


def test_a_review_is_due_from_the_start_of_its_study_day(root: Path) -> None:
    write_card(root, "a")
    collection = opened(root)
    schedule = collection.preview("a", NOON)[EASY]
    collection.rate("a", EASY, NOON, 0)
    assert schedule.due.hour == 4
    assert asked(collection, schedule.due - timedelta(seconds=1)) == []
    assert asked(collection, schedule.due) == ["a"]
    (entry,) = collection.queue(schedule.due + timedelta(hours=5)).entries
    assert entry.due == schedule.due


def test_the_days_limits_count_what_was_done_and_return_with_an_undo(root: Path) -> None:
    configure(root, "new_per_day = 2\nreviews_per_day = 1\n")
    for item in "abcd":
        write_card(root, item)
    collection = opened(root)
    assert collection.queue(NOON).counts == Counts(2, 0, 0)
    collection.rate("a", EASY, NOON, 0)
    collection.rate("b", EASY, NOON, 0)
    assert collection.queue(NOON).counts == Counts(0, 0, 0)
    assert collection.queue(NOON).next_due == NOON.replace(day=22, hour=4)
    collection.undo(NOON)
    assert collection.queue(NOON).counts == Counts(1, 0, 0)
    collection.rate("b", EASY, NOON, 0)

    then = later(days=40)
    assert collection.queue(then).counts == Counts(2, 0, 1)
    collection.rate("a", GOOD, then, 0)
    assert collection.queue(then).counts == Counts(2, 0, 0)
    assert collection.queue(then + timedelta(days=1)).counts.due == 1


def test_learning_steps_use_up_no_limit(root: Path) -> None:
    configure(root, "new_per_day = 2\n")
    write_card(root, "a")
    write_card(root, "b")
    collection = opened(root)
    for minute in range(0, 50, 10):
        collection.rate("a", HARD, later(minutes=minute), 0)
    assert collection.queue(later(minutes=50)).counts == Counts(new=1, learning=1, due=0)


def test_of_one_cards_items_a_day_asks_one(root: Path) -> None:
    write_card(root, "pair", question=CLOZE, type="cloze")
    collection = opened(root)
    assert asked(collection, NOON) == ["pair/c1"]
    collection.rate("pair/c1", EASY, NOON, 0)
    assert asked(collection, NOON) == []
    assert collection.queue(NOON).next_due == NOON.replace(day=22, hour=4)
    assert asked(collection, later(days=1)) == ["pair/c2"]


def test_a_suspended_item_is_not_asked_until_it_is_taken_up(root: Path) -> None:
    write_card(root, "pair", question=CLOZE, type="cloze")
    write_card(root, "mine", status="suspended")
    collection = opened(root)
    collection.suspend("pair/c1", NOON)
    assert asked(collection, NOON) == asked(opened(root), NOON) == ["pair/c2"]
    collection.suspend("pair/c1", NOON, on=False)
    collection.suspend("mine", NOON, on=False)
    assert asked(collection, NOON) == asked(opened(root), NOON) == ["mine", "pair/c1"]


def test_decks_are_a_tree_of_courses_and_folders(root: Path) -> None:
    write_card(root, "loose", course="")
    write_card(root, "top", course="Learning")
    write_card(root / "batch4", "b4", course="Learning")
    write_card(root / "batch4" / "hard", "b4h", course="Learning")
    write_card(root / "Control", "c", course="Control")
    write_card(root / "batch4", "aside", course="Learning", status="suspended")
    collection = opened(root)
    rows = [(d.name, d.depth, d.new, d.total) for d in collection.decks(NOON)]
    assert rows == [
        ("cards", 0, 1, 1),
        ("Control", 0, 1, 1),
        ("Learning", 0, 3, 4),
        ("batch4", 1, 2, 3),
        ("hard", 2, 1, 1),
    ]


@pytest.mark.parametrize("now", [NOON, later(minutes=10), later(days=20)])
def test_a_decks_counts_are_those_of_its_queue(root: Path, now: datetime) -> None:
    configure(root, "new_per_day = 3\n")
    for number in range(6):
        write_card(root / f"batch{number % 2}", f"card{number}", course=f"C{number % 3}")
    collection = opened(root)
    collection.rate("card0", GOOD, NOON, 0)
    collection.rate("card1", EASY, NOON, 0)
    for deck in collection.decks(now):
        counts = collection.queue(now, deck.key).counts
        assert counts == Counts(deck.new, deck.learning, deck.due)
    everything = collection.queue(now).entries
    courses = [deck.key for deck in collection.decks(now) if deck.depth == 0]
    assert {e.item_id for e in everything} <= {
        i for c in courses for i in asked(collection, now, c)
    }


def test_the_same_moment_gives_the_same_queue(root: Path) -> None:
    for number in range(9):
        write_card(root, f"card{number}", course=f"C{number % 2}")
    collection = opened(root)
    for number in range(5):
        collection.rate(f"card{number}", EASY, NOON, 0)
    assert collection.queue(later(days=9)) == opened(root).queue(later(days=9))
