"""A card is its id: moves, renames and other ids, and what becomes of the history."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from deck.collection import Collection
from deck.fsrs import Rating
from deck.index.lines import read_journal
from deck.replay import New
from tests.deck.given import CLOZE, NOON, later, write_card


def answered(root: Path) -> Collection:
    write_card(root / "first", "a")
    write_card(root / "first", "b")
    write_card(root, "pair", CLOZE, type="cloze")
    collection = Collection.open(root, NOON, "desk")
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
        collection = Collection.open(root, NOON, "desk")
    else:
        collection.reload(NOON)
    assert (collection.state("a"), collection.events("a")) == before
    assert collection.deleted() == []
    assert collection.problems == ()
    collection.rate("a", Rating.AGAIN, later(days=9), 0)
    assert len(collection.events("a")) == 2


def test_an_id_that_is_changed_by_hand_lists_the_old_one_and_changed_back_has_it_all(
    root: Path,
) -> None:
    collection = answered(root)
    path, before = root / "first" / "a.md", collection.state("a")
    text = path.read_text()
    path.write_text(text.replace("id: a\n", "id: renamed\n"))
    collection.reload(NOON)
    assert collection.state("renamed") == New()
    (gone,) = collection.deleted()
    assert (gone.item_id, gone.answers, gone.last) == ("a", 1, NOON.date())
    assert len(collection.events("a")) == 1
    assert collection.undo(NOON) is not None, "of another card: no review of a card that is gone"
    assert len(collection.deleted()) == 1
    path.write_text(text)
    collection.reload(NOON)
    assert collection.deleted() == []
    assert collection.state("a") == before


def test_the_history_of_a_deleted_card_is_listed_and_comes_back_with_it(root: Path) -> None:
    collection = answered(root)
    path, before = root / "pair.md", collection.state("pair/c2")
    text = path.read_text()
    path.unlink()
    collection.reload(NOON)
    assert [each.item_id for each in collection.deleted()] == ["pair/c1", "pair/c2"]
    collection.close()
    collection = Collection.open(root, NOON, "desk")
    assert [each.item_id for each in collection.deleted()] == ["pair/c1", "pair/c2"]
    assert len(read_journal(root / ".deltadeck").events) == 3
    (root / "elsewhere").mkdir()
    (root / "elsewhere" / "again.md").write_text(text)
    collection.reload(NOON)
    assert collection.deleted() == []
    assert collection.state("pair/c2") == before


def test_a_gap_that_a_card_loses_is_listed_and_the_other_stays(root: Path) -> None:
    collection = answered(root)
    path = root / "pair.md"
    path.write_text(path.read_text().replace("{{c2::forward}}", "forward"))
    collection.reload(NOON)
    assert [each.item_id for each in collection.deleted()] == ["pair/c2"]
    assert collection.has_item("pair/c1") or collection.has_item("pair")


def test_of_two_files_with_one_id_one_is_studied_both_are_named_and_none_is_touched(
    root: Path,
) -> None:
    collection = answered(root)
    twin = write_card(root / "second", "a", question="Another?")
    text = twin.read_bytes()
    collection.reload(NOON)
    (problem,) = collection.problems
    assert problem.path == twin
    assert str(root / "first" / "a.md") in problem.message
    collection.rate("a", Rating.GOOD, later(days=9), 0)
    assert twin.read_bytes() == text
    (root / "first" / "a.md").unlink()
    collection.reload(later(days=9))
    assert collection.problems == ()
    assert collection.cards["a"].path == twin
    assert len(collection.events("a")) == 2
