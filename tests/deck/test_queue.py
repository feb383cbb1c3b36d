"""What is asked, in which order, how much of it, and the tree of decks."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from deck.collection import Collection
from deck.events import Buried, LimitsRaised, Practised
from deck.fsrs import Rating
from deck.queue import Candidate, Counts, SessionRequest, TimeBox, apart
from tests.deck.given import CLOZE, NOON, configure, later, opened, write_card

HARD, GOOD, EASY = Rating.HARD, Rating.GOOD, Rating.EASY
TOMORROW = NOON.replace(day=22, hour=4)
CANDIDATE = Candidate(b"", 0, "", "", 0, 0.0, "review", 0, 1.0, 1.0, 1, 0, 0, "")


def deck(root: Path, items: Iterable[str], settings: str = "", **fields: object) -> Collection:
    configure(root, settings)
    for item in items:
        write_card(root, item, **fields)  # type: ignore[arg-type]
    return opened(root)


def asked(collection: Collection, now: datetime, deck: str | None = None) -> list[str]:
    return [entry.item_id for entry in collection.queue(now, deck).entries]


def pair(root: Path, settings: str = "") -> Collection:
    return deck(root, ["pair"], settings, question=CLOZE, type="cloze")


def test_an_empty_collection_has_nothing_to_ask(root: Path) -> None:
    queue = opened(root).queue(NOON)
    assert (queue.entries, queue.counts, queue.next_due) == ((), Counts(0, 0, 0), None)
    assert opened(root).decks(NOON) == []


def test_new_cards_alternate_between_courses_easy_ones_first(root: Path) -> None:
    write_card(root, "a1", course="A", difficulty=4)
    write_card(root, "a2", course="A", difficulty=2)
    write_card(root, "a3", course="A")
    write_card(root, "b1", course="B")
    assert asked(opened(root), NOON) == ["a2", "b1", "a3", "a1"]


def test_a_step_waits_until_it_is_due_then_comes_first_and_uses_up_no_limit(root: Path) -> None:
    collection = deck(root, "ab", "new_per_day = 2\n")
    collection.rate("b", GOOD, NOON, 0)
    queue = collection.queue(NOON)
    assert [entry.item_id for entry in queue.entries] == ["a"]
    assert queue.counts == Counts(new=1, learning=1, due=0)
    assert queue.next_due == later(minutes=10)
    assert asked(collection, later(minutes=10)) == ["b", "a"]
    for minute in range(10, 60, 10):
        collection.rate("b", HARD, later(minutes=minute), 0)
    assert collection.queue(later(minutes=60)).counts == Counts(new=1, learning=1, due=0)


def test_reviews_come_least_likely_recalled_first_with_new_ones_spread_between(root: Path) -> None:
    collection = deck(root, "abcd")
    for item, days in (("a", 0), ("b", 10), ("c", -10)):
        collection.rate(item, EASY, later(days=days), 0)
    assert asked(collection, later(days=30)) == ["c", "a", "d", "b"]
    assert collection.queue(later(days=30)) == opened(root).queue(later(days=30))


def test_a_review_is_due_from_the_start_of_its_study_day(root: Path) -> None:
    collection = deck(root, "a")
    due = collection.preview("a", NOON)[EASY].due
    collection.rate("a", EASY, NOON, 0)
    assert due.hour == 4
    assert asked(collection, due - timedelta(seconds=1)) == []
    assert asked(collection, due) == ["a"]
    (entry,) = collection.queue(due + timedelta(hours=5)).entries
    assert entry.due == due


def test_the_days_limits_count_what_was_done_and_return_with_an_undo(root: Path) -> None:
    collection = deck(root, "abcd", "new_per_day = 2\nreviews_per_day = 1\n")
    assert collection.queue(NOON).counts == Counts(2, 0, 0)
    collection.rate("a", EASY, NOON, 0)
    collection.rate("b", EASY, NOON, 0)
    assert collection.queue(NOON).counts == Counts(0, 0, 0)
    assert collection.queue(NOON).next_due == TOMORROW
    assert collection.queue(NOON).more
    collection.undo(NOON)
    assert collection.queue(NOON).counts == Counts(1, 0, 0)
    collection.rate("b", EASY, NOON, 0)

    then = later(days=40)
    assert collection.queue(then).counts == Counts(2, 0, 1)
    collection.rate("a", GOOD, then, 0)
    assert collection.queue(then).counts == Counts(2, 0, 0)
    assert collection.queue(then + timedelta(days=1)).counts.due == 1


def test_of_one_cards_items_a_day_asks_one_unless_the_settings_bury_none(root: Path) -> None:
    collection = pair(root)
    assert asked(collection, NOON) == ["pair/c1"]
    collection.rate("pair/c1", EASY, NOON, 0)
    assert asked(collection, NOON) == []
    assert collection.queue(NOON).next_due == TOMORROW
    assert not collection.queue(NOON).more, "its sibling waits for tomorrow, whatever the limit"
    assert asked(collection, later(days=1)) == ["pair/c2"]
    collection.undo(NOON)
    assert asked(pair(root, "bury_siblings = false\n"), NOON) == ["pair/c1", "pair/c2"]


def test_an_item_with_the_cards_own_id_buries_the_way_back(root: Path) -> None:
    collection = deck(root, ["both"], type="reversed")
    assert asked(collection, NOON) == ["both"]
    collection.rate("both", EASY, NOON, 0)
    assert asked(collection, later(days=1)) == ["both/r"]


def test_what_is_suspended_or_buried_is_not_asked_until_it_is_taken_up(root: Path) -> None:
    write_card(root, "mine", status="suspended")
    collection = pair(root)
    collection.suspend("pair/c1", NOON)
    assert asked(collection, NOON) == asked(opened(root), NOON) == ["pair/c2"]
    collection.suspend("pair/c1", NOON, on=False)
    collection.suspend("mine", NOON, on=False)
    assert asked(collection, NOON) == asked(opened(root), NOON) == ["mine", "pair/c1"]
    for item in ("mine", "pair/c1", "pair/c2"):
        collection.record(item, Buried(later(days=2).date()), NOON)
    assert asked(collection, NOON) == asked(opened(root), later(days=1)) == []
    assert asked(collection, later(days=2)) == ["mine", "pair/c1"]


def test_decks_are_a_tree_of_courses_and_folders(root: Path) -> None:
    write_card(root, "loose", course="")
    write_card(root, "top", course="Learning")
    write_card(root / "batch4", "b4", course="Learning")
    write_card(root / "batch4" / "hard", "b4h", course="Learning")
    write_card(root / "Control", "c", course="Control")
    write_card(root / "batch4", "aside", course="Learning", status="suspended")
    rows = [(d.name, d.depth, d.new, d.total) for d in opened(root).decks(NOON)]
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
    for row in collection.decks(now):
        counts = collection.queue(now, row.key).counts
        assert counts == Counts(row.new, row.learning, row.due)
    courses = [row.key for row in collection.decks(now) if row.depth == 0]
    inside = {item for course in courses for item in asked(collection, now, course)}
    assert set(asked(collection, now)) <= inside


# Orders, limits, sessions.


def reviews_of(root: Path, settings: str = "") -> Collection:
    """Three reviews, due for 30, 20 and 10 days; b was the hardest, c has the most points."""
    configure(root, settings)
    for number, item in enumerate("abc"):
        write_card(root, item, question=f"({number + 1}p) Why?", course="AAB"[number])
    collection = opened(root)
    for item, days, rating in [("a", -40, GOOD), ("b", -30, HARD), ("c", -20, EASY)]:
        for minute, given in ((0, rating), (11, rating), (22, EASY)):
            collection.rate(item, given, later(days=days, minutes=minute), 0)
    return collection


@pytest.mark.parametrize(
    ("order", "first"), [("due", "a"), ("difficulty", "b"), ("points", "c"), ("interval", "b")]
)
def test_reviews_come_in_the_chosen_order(root: Path, order: str, first: str) -> None:
    found = asked(reviews_of(root, f'review_order = "{order}"\n'), later(days=90))
    assert found[0] == first
    assert sorted(found) == ["a", "b", "c"]


def test_courses_alternate_where_they_are_interleaved(root: Path) -> None:
    collection = reviews_of(root, 'review_order = "due"\ninterleave = true\n')
    courses = [collection.card_of(i).course for i in asked(collection, later(days=90))]
    assert courses == ["A", "B", "A"]


@pytest.mark.parametrize("mix", ["before", "after"])
def test_new_items_stand_where_the_settings_say(root: Path, mix: str) -> None:
    for item in ("n1", "n2"):
        write_card(root, item)
    collection = reviews_of(root, f'new_mix = "{mix}"\nnew_order = "random"\n')
    order = asked(collection, later(days=90))
    assert sorted(order[:2] if mix == "before" else order[-2:]) == ["n1", "n2"]
    assert order == asked(collection, later(days=90))


def test_a_course_has_limits_of_its_own_below_the_collections(root: Path) -> None:
    deck(root, (f"a{number}" for number in range(4)), course="A")
    settings = "new_per_day = 3\n[courses.A]\nnew_per_day = 1\n"
    collection = deck(root, (f"b{number}" for number in range(4)), settings, course="B")
    assert asked(collection, NOON) == ["a0", "b0", "b1"]
    collection.rate("a0", EASY, NOON, 0)
    assert asked(collection, NOON) == ["b0", "b1"]


def test_a_limit_is_raised_for_one_day(root: Path) -> None:
    settings = "new_per_day = 1\n[courses.A]\nnew_per_day = 1\n"
    collection = deck(root, (f"a{number}" for number in range(4)), settings, course="A")
    collection.record("", LimitsRaised(2, 0, "A"), NOON)
    assert collection.queue(NOON).counts.new == opened(root).queue(NOON).counts.new == 3
    assert collection.queue(NOON).held
    assert not collection.queue(NOON).more, "the course's own limit holds it back"
    assert collection.queue(later(days=1)).counts.new == 1
    collection.record("", LimitsRaised(5, 0), NOON)
    assert collection.queue(NOON).counts.new == 3


def test_a_session_takes_what_its_search_finds_in_its_order_and_to_its_length(root: Path) -> None:
    collection, then = reviews_of(root), later(days=90)

    def found(session: SessionRequest) -> list[str]:
        return [entry.item_id for entry in collection.session(session, then).entries]

    assert set(found(SessionRequest(search="points>=2"))) == {"b", "c"}
    assert len(found(SessionRequest(most=1))) == 1
    assert found(SessionRequest(order="points")) == ["c", "b", "a"]
    pace = {"review": 40.0, "new": 60.0, "learning": 20.0}
    for minutes, count in [(0.1, 1), (1.4, 2), (9, 3)]:
        assert len(found(SessionRequest(minutes=minutes, pace=pace))) == count
    box = TimeBox(NOON, 25)
    assert (box.over(later(minutes=24)), box.over(later(minutes=25))) == (False, True)


def test_studying_ahead_asks_what_falls_due_and_counts(root: Path) -> None:
    collection = deck(root, ["a", "new"])
    days = collection.preview("a", NOON)[EASY].interval.days
    collection.rate("a", EASY, NOON, 0)
    soon = later(days=days - 2)
    for ahead, ids in [(1, []), (2, ["a"])]:
        session = SessionRequest("ahead", days=ahead)
        assert [entry.item_id for entry in collection.session(session, soon).entries] == ids
    before = collection.state("a")
    collection.rate("a", GOOD, soon, 0)
    assert collection.state("a") != before


@pytest.mark.parametrize(
    ("cards", "asked"),
    [
        ("", ""),
        ("aab", "aba"),
        ("aabbcc", "abacbc"),
        ("abccc", "cacbc"),
        ("aaaab", "abaaa"),
        ("abcabc", "abcabc"),
    ],
)
def test_siblings_stand_apart_where_others_are(cards: str, asked: str) -> None:
    found = [CANDIDATE._replace(card=card, item_id=f"{n}") for n, card in enumerate(cards)]
    made = apart(found)
    assert "".join(each.card for each in made) == asked
    for card in set(cards):
        kept = [int(each.item_id) for each in made if each.card == card]
        assert kept == sorted(kept)


@drawn(st.text("abcd", max_size=12))
def test_no_sibling_follows_where_that_can_be(cards: str) -> None:
    made = apart([CANDIDATE._replace(card=card) for card in cards])
    assert sorted(each.card for each in made) == sorted(cards)
    if 2 * max(map(cards.count, cards), default=0) <= len(cards) + 1:
        assert all(one.card != other.card for one, other in pairwise(made))


def test_cramming_asks_all_items_of_a_card_but_not_in_a_row(root: Path) -> None:
    write_card(root, "other")
    collection = pair(root)
    crammed = collection.session(SessionRequest("cram"), NOON).entries
    assert [each.item_id for each in crammed] == ["pair/c1", "other", "pair/c2"]


def test_cramming_asks_everything_and_changes_no_schedule(root: Path) -> None:
    write_card(root, "new", course="A")
    collection = reviews_of(root)
    items = {
        e.item_id
        for e in collection.session(SessionRequest("cram", search="course:A"), NOON).entries
    }
    assert items == {"a", "b", "new"}
    states = [collection.state(item) for item in items]
    for item in items:
        collection.record(item, Practised(Rating.AGAIN, 900), NOON)
    for known in (collection, opened(root)):
        assert [known.state(item) for item in items] == states
        assert known.queue(NOON) == collection.queue(NOON)
