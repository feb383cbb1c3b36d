"""A collection through its public face."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck.collection import Collection
from deck.errors import CollectionError
from deck.events import Event, Undone
from deck.fsrs import Rating
from deck.index.lines import read_journal
from deck.recording import AnswerInput
from deck.replay import New
from tests.deck.given import CLOZE, NOON, later, opened, streamed, write_card

ITEMS = ("a", "b", "pair/c1", "pair/c2")


def cards(root: Path, below: str = "") -> Path:
    for name in "ab":
        write_card(root / below, name)
    write_card(root, "pair", question=CLOZE, type="cloze")
    return root


def test_an_answer_is_there_after_a_restart(root: Path) -> None:
    write_card(root, "a")
    collection = opened(root)
    promised = collection.preview("a", NOON)[Rating.EASY]
    event = collection.rate("a", Rating.EASY, NOON, 61_000, {"verdict": "correct"})
    assert (event.kind, event.item, event.rating) == ("review", "a", Rating.EASY)
    for known in (collection, opened(root), opened(root, device="lab")):
        assert known.state("a") == promised.state
        assert known.today(NOON).reviewed == 1
        assert known.today(NOON).minutes == pytest.approx(61 / 60)
        assert known.queue(NOON).next_due == promised.due


def test_what_was_asked_before_an_answer_is_not_asked_again(root: Path) -> None:
    collection = opened(cards(root))
    collection.rate("b", Rating.GOOD, NOON, 1000)
    collection.preview("a", NOON)
    asked: list[str] = []
    collection._store.db.set_trace_callback(asked.append)
    before = collection.state("a")
    collection.rate("a", Rating.GOOD, NOON, 1000)
    assert collection.state("a") != before
    assert not [sql for sql in asked if "SELECT" in sql]


def test_undo_goes_back_answer_by_answer_across_restarts(root: Path) -> None:
    cards(root)
    states = []
    for number, item in enumerate("abab"):
        collection = opened(root)
        states.append((item, collection.state(item)))
        collection.rate(item, Rating.GOOD, later(minutes=15 * number), 1000)
    for number, (item, state) in enumerate(reversed(states)):
        collection = opened(root, device="lab" if number % 2 else "desk")
        event = collection.undo(later(hours=2))
        assert event is not None
        assert event.item == item
        assert isinstance(event.what, Undone)
        assert collection.state(item) == opened(root).state(item) == state
    assert opened(root).undo(later(hours=3)) is None
    assert opened(root).today(NOON).reviewed == 0


def test_undo_takes_back_the_last_answer_to_what_is_named(root: Path) -> None:
    collection = opened(cards(root))
    for item, hours in (("a", 0), ("a", 1), ("b", 2)):
        collection.rate(item, Rating.GOOD, later(hours=hours), 1000)
    before = collection.state("b")
    assert collection.undo(later(hours=3), ["nothing"]) is None
    for _ in range(2):
        event = collection.undo(later(hours=3), ["a"])
        assert event is not None
        assert event.item == "a"
    assert collection.undo(later(hours=3), ["a"]) is None
    for each in (collection, opened(root)):
        assert isinstance(each.state("a"), New)
        assert each.state("b") == before


def test_a_checked_derivation_is_kept_and_schedules_nothing(root: Path) -> None:
    write_card(root, "a")
    collection = opened(root)
    event = collection.record_check("a", {"verdict": "wrong", "answer": "dx = 1"}, NOON)
    assert event.kind == "check"
    assert opened(root).state("a") == New()
    assert collection.undo(NOON) is None
    assert b'"answer":"dx = 1"' in next(root.rglob("*.jsonl")).read_bytes()


# Answers with one write are what they are one by one, and all of a write or none is recorded.


def promises(collection: Collection) -> list[object]:
    events = read_journal(collection.root / ".deltadeck").events
    return [(e.item, e.rating, e.at, e.what) for e in events]


@given(st.lists(st.tuples(st.sampled_from(ITEMS), st.sampled_from(Rating)), max_size=8))
def test_answers_together_are_the_answers_one_by_one(
    tmp_path_factory: pytest.TempPathFactory, given_: list[tuple[str, Rating]]
) -> None:
    one, all_ = (opened(cards(tmp_path_factory.mktemp("cards"))) for _ in range(2))
    for item, rating in given_:
        one.rate(item, rating, NOON, 7)
    events = streamed(all_, [AnswerInput(item, rating, 7) for item, rating in given_], NOON)
    assert [event.item for event in events] == [item for item, _ in given_]
    assert [e.id for e in events] == sorted(e.id for e in events)
    assert promises(all_) == promises(one)
    for each in (one, all_):
        each.settle()
    for item in ITEMS:
        assert all_.state(item) == one.state(item) == opened(all_.root).state(item)
        assert all_.item(item) == one.item(item)
    assert [c.status for c in all_.cards.values()] == [c.status for c in one.cards.values()]
    assert all_.queue(later(days=1)) == one.queue(later(days=1))


def test_each_of_the_answers_given_together_has_its_own_time(root: Path) -> None:
    collection, recorded = opened(cards(root)), list[Event]()
    times = [NOON, later(days=1), later(days=40)]  # the last one in a file of another month
    with collection.stream(recorded.extend) as stream:
        for item, now in zip(ITEMS, times, strict=False):
            stream.give(AnswerInput(item, Rating.GOOD), now)
    assert [event.at for event in recorded] == times
    assert list(read_journal(root / ".deltadeck").events) == recorded


def test_an_unknown_item_ends_it_behind_what_was_recorded(root: Path) -> None:
    collection = opened(cards(root))
    answers = [AnswerInput(item, Rating.GOOD) for item in ("a", "a", "elephant")]
    with pytest.raises(CollectionError, match="elephant"):
        streamed(collection, answers, NOON)
    assert len(promises(collection)) == 2
    assert collection.state("b") == New()


# A card is its id: moves, renames and other ids, and what becomes of the history.


def answered(root: Path) -> Collection:
    collection = opened(cards(root, "first"))
    for item in ("a", "pair/c1", "pair/c2"):
        collection.rate(item, Rating.EASY, NOON, 1000)
    return collection


@pytest.mark.parametrize("fresh", [False, True], ids=["while open", "at the next start"])
@pytest.mark.parametrize(
    "way", ["another name", "another folder", "its folder", "copied, then gone"]
)
def test_a_card_that_moves_keeps_its_history(root: Path, way: str, fresh: bool) -> None:
    collection = answered(root)
    before = collection.state("a"), collection.events("a")
    match way:
        case "another name":
            (root / "first" / "a.md").rename(root / "first" / "renamed.md")
        case "another folder":
            (root / "second" / "deeper").mkdir(parents=True)
            (root / "first" / "a.md").rename(root / "second" / "deeper" / "a.md")
        case "its folder":
            (root / "first").rename(root / "another")
        case _:
            shutil.copy(root / "first" / "a.md", root / "copy.md")
            collection.reload(NOON)
            assert len(collection.problems) == 1
            (root / "first" / "a.md").unlink()
    if fresh:
        collection.close()
        collection = opened(root)
    else:
        collection.reload(NOON)
    assert (collection.state("a"), collection.events("a")) == before
    assert collection.deleted() == []
    assert collection.problems == ()
    collection.rate("a", Rating.AGAIN, later(days=9), 0)
    assert len(collection.events("a")) == 2


@pytest.mark.parametrize(
    ("name", "old", "new", "gone"),
    [
        ("first/a.md", "id: a\n", "id: renamed\n", ["a"]),
        ("pair.md", "{{c2::forward}}", "forward", ["pair/c2"]),
        ("pair.md", "", "", ["pair/c1", "pair/c2"]),
    ],
    ids=["another id", "a gap less", "deleted"],
)
def test_what_loses_its_card_is_listed_with_its_history_and_comes_back_with_it(
    root: Path, name: str, old: str, new: str, gone: list[str]
) -> None:
    collection = answered(root)
    path, before = root / name, [collection.state(item) for item in gone]
    text = path.read_text()
    path.unlink()
    if old:
        path.write_text(text.replace(old, new))
    collection.reload(NOON)
    for known in (collection, opened(root)):
        assert [each.item_id for each in known.deleted()] == gone
        assert {(each.answers, each.last) for each in known.deleted()} == {(1, NOON.date())}
        assert len(known.events(gone[0])) == 1
    undone = collection.undo(NOON)
    assert undone is not None
    assert undone.item not in gone, "of another card: no review of a card that is gone"
    path.unlink(missing_ok=True)
    again = root / "elsewhere" / "again.md"
    again.parent.mkdir()
    again.write_text(text)
    collection.reload(NOON)
    assert collection.deleted() == []
    assert [collection.state(item) for item in gone] == before


def test_of_two_files_with_one_id_one_is_studied_both_are_named_and_none_is_touched(
    root: Path,
) -> None:
    collection = answered(root)
    twin = write_card(root / "second", "a", question="Another?")
    text = twin.read_bytes()
    collection.reload(NOON)
    (problem,) = collection.problems
    assert (problem.path, problem.line) == (twin, 2)
    assert str(root / "first" / "a.md") in problem.message
    collection.rate("a", Rating.GOOD, later(days=9), 0)
    assert twin.read_bytes() == text
    (root / "first" / "a.md").unlink()
    collection.reload(later(days=9))
    assert collection.problems == ()
    assert collection.cards["a"].path == twin
    assert len(collection.events("a")) == 2
