"""The index may be damaged while a program runs: whatever is asked or done next, it is healed, and
nothing is lost."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from deck.collection import Collection
from deck.index.lines import read_journal
from deck.index.store import index_path
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
    *("rate", "rate_each", "record", "record_check", "record_each", "record_foreign", "suspend"),
    "undo",
}


def test_every_public_method_is_tried() -> None:
    public = {name for name in dir(Collection) if not name.startswith("_")}
    assert public == {*QUESTIONS, *DEEDS, *LAST}


@pytest.mark.parametrize("damage", DAMAGES)
def test_every_question_has_the_same_answer_after_the_index_was_damaged(
    root: Path, damage: str
) -> None:
    collection, path, chance = made(root), index_path(root), random.Random(damage)
    for name, ask in QUESTIONS.items():
        answer = ask(collection)
        DAMAGES[damage](path, chance)
        assert ask(collection) == answer, name
        if not path.is_file():
            clear(path)
            collection.close()
            collection = Collection.open(root)
    agrees(collection)


@pytest.mark.parametrize("damage", DAMAGES)
def test_everything_that_is_done_after_the_index_was_damaged_is_recorded(
    root: Path, damage: str
) -> None:
    collection, path, chance = made(root), index_path(root), random.Random(damage)
    for name, do in DEEDS.items():
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
    again = Collection.open(root)
    agrees(again)
    again.close()


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_collection_whose_index_was_damaged_can_be_closed(root: Path, damage: str) -> None:
    collection, path = made(root), index_path(root)
    DAMAGES[damage](path, random.Random(damage))
    collection.close()
    again = Collection.open(root)
    agrees(again)
    again.close()


@pytest.mark.parametrize("seed", range(2))
def test_an_index_that_is_damaged_at_random_moments_costs_nothing(root: Path, seed: int) -> None:
    toll = damage_at_random(root, seed, 10)
    assert set(toll) == {"damaged", "answered"}
