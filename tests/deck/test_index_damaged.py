"""The index is derived.  Lost, of another version or damaged, between two starts or while a program
runs: it is made anew, and nothing is lost."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest

from deck.collection import Collection
from deck.index.lines import read_journal
from deck.index.store import APPLICATION, VERSION, index_path
from tests.deck.damaging import (
    DAMAGES,
    DEEDS,
    LAST,
    QUESTIONS,
    agrees,
    clear,
    damage_at_random,
    made,
)

#: Deeds that write a line.
RECORDED = {
    *("rate", "stream", "record", "record_check", "record_each", "record_foreign", "suspend"),
    "undo",
}


def opens_well(root: Path) -> None:
    """Twice: the first start may have to make the index, the second one uses it."""
    for _ in range(2):
        collection = Collection.open(root, device="desk")
        assert collection.problems == ()
        agrees(collection)
        collection.close()


def test_every_public_method_is_tried() -> None:
    public = {name for name in dir(Collection) if not name.startswith("_")}
    assert public == {*QUESTIONS, *DEEDS, *LAST}


#: Of questions and deeds a third each: five damages have all of them between them.
SHARES = pytest.mark.parametrize(
    ("damage", "first"), [(name, number % 3) for number, name in enumerate(DAMAGES)]
)


@SHARES
def test_every_question_has_the_same_answer_after_the_index_was_damaged(
    root: Path, damage: str, first: int
) -> None:
    collection, path, chance = made(root), index_path(root), random.Random(damage)
    for name, ask in list(QUESTIONS.items())[first::3]:
        answer = ask(collection)
        DAMAGES[damage](path, chance)
        assert ask(collection) == answer, name
        if not path.is_file():
            clear(path)
            collection.close()
            collection = Collection.open(root)
    agrees(collection)


@SHARES
def test_everything_that_is_done_after_the_index_was_damaged_is_recorded(
    root: Path, damage: str, first: int
) -> None:
    collection, path, chance = made(root), index_path(root), random.Random(damage)
    for name, do in list(DEEDS.items())[first::3]:
        do(collection)
        before = read_journal(root / ".deltadeck").events
        DAMAGES[damage](path, chance)
        do(collection)
        after = read_journal(root / ".deltadeck").events
        assert {event.id for event in before} <= {event.id for event in after}, name
        assert (len(after) > len(before)) == (name in RECORDED), name
        agrees(collection)
        if not path.is_file():
            clear(path)
            collection.close()
            collection = Collection.open(root, device="desk")
    collection.close()
    opens_well(root)


@pytest.mark.parametrize("damage", DAMAGES)
def test_an_index_that_was_damaged_before_the_program_ended_or_since(
    root: Path, damage: str
) -> None:
    path, chance = index_path(root), random.Random(damage)
    collection = made(root)
    DAMAGES[damage](path, chance)
    collection.close()
    opens_well(root)
    clear(path)
    opens_well(root)
    if damage not in ("its log deleted", "its log cut", "its log's index deleted"):
        DAMAGES[damage](path, chance)
        opens_well(root)


@pytest.mark.parametrize("version", [0, VERSION - 1, VERSION + 1])
def test_an_index_of_another_version_is_made_anew(root: Path, version: int) -> None:
    made(root).close()
    db = sqlite3.connect(index_path(root))
    assert db.execute("PRAGMA application_id").fetchone() == (APPLICATION,)
    assert db.execute("PRAGMA user_version").fetchone() == (VERSION,)
    db.execute(f"PRAGMA user_version = {version}")
    db.execute("DROP TABLE held")
    db.commit()
    db.close()
    opens_well(root)


def test_an_index_that_is_damaged_at_random_moments_costs_nothing(root: Path) -> None:
    toll = damage_at_random(root, seed=0, moments=10)
    assert set(toll) == {"damaged", "answered"}
