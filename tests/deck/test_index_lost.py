"""The index is derived: cut, garbled, of another version or deleted, it costs no answer."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from deck.collection import Collection
from deck.fsrs import Rating
from deck.index.lines import read_journal
from deck.index.store import APPLICATION, VERSION, index_path
from deck.replay import replay
from tests.deck.given import CLOZE, NOON, later, write_card

ITEMS = ["a", "b", "pair/c1", "pair/c2"]


def studied(root: Path) -> Collection:
    for item in "ab":
        write_card(root, item)
    write_card(root, "pair", CLOZE, type="cloze")
    collection = Collection.open(root, NOON, "desk")
    for number, item in enumerate(ITEMS):
        collection.rate(item, Rating(number + 1), later(minutes=number), 1000)
    return collection


def agrees(collection: Collection, count: int) -> bool:
    """Whether it knows so many answers, and stands where a fresh fold does."""
    events = read_journal(collection.root / ".deltadeck").events
    states = replay(events, collection.config)
    known = [event for item in ITEMS for event in collection.events(item)]
    assert collection.problems == ()
    assert collection.today(NOON).reviewed == len(known) == len(events) == count
    assert collection.queue(NOON).counts.new == 0
    return all(collection.state(item) == states[item] for item in ITEMS)


def version(number: int) -> Callable[[Path], object]:
    """The file says that it is of this version, and lacks a table that ours has."""

    def change(path: Path) -> None:
        with sqlite3.connect(path) as db:
            db.execute(f"PRAGMA user_version = {number}")
            db.execute("DROP TABLE held")
        db.close()

    return change


def anothers(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE meta (name, value)")
        db.execute(f"PRAGMA user_version = {VERSION}")
    db.close()


LOSSES: dict[str, Callable[[Path], object]] = {
    "cut in half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "cut by a byte": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "cut to its head": lambda path: path.write_bytes(path.read_bytes()[:100]),
    "empty": lambda path: path.write_bytes(b""),
    "of the version before": version(VERSION - 1),
    "of no version": version(0),
    "of the version after": version(VERSION + 1),
    "of another program": anothers,
    "text": lambda path: path.write_text("not a database\n" * 500),
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "gone": lambda path: path.unlink(),
    "gone with its folder": lambda path: shutil.rmtree(path.parent),
    "a folder": lambda path: path.rename(path.with_suffix(".away")).with_suffix(".sqlite").mkdir(),
}


@pytest.mark.parametrize("loss", LOSSES)
def test_an_index_that_was_lost_between_two_starts(root: Path, loss: str) -> None:
    studied(root).close()
    LOSSES[loss](index_path(root))
    for _ in range(2):
        collection = Collection.open(root, NOON, "desk")
        assert agrees(collection, 4)
        collection.close()


#: What can befall it under a program that has it open.
OPEN = ["cut in half", "text", "zeros", "gone", "gone with its folder"]


@pytest.mark.parametrize("loss", OPEN)
def test_an_index_that_is_lost_while_it_is_open(root: Path, loss: str) -> None:
    collection = studied(root)
    collection.queue(NOON)
    LOSSES[loss](index_path(root))
    collection.rate("a", Rating.GOOD, later(minutes=20), 1000)
    collection.reload(NOON)
    assert agrees(collection, 5)
    other = Collection.open(root, NOON, "phone")
    other.rate("b", Rating.EASY, later(minutes=21), 1000)
    assert agrees(other, 6)
    assert agrees(collection, 6)
    collection.close()
    other.close()
    assert agrees(Collection.open(root, NOON, "desk"), 6)


@pytest.mark.parametrize("part", ["-wal", "-shm"])
def test_the_databases_log_that_is_lost_while_it_is_open(root: Path, part: str) -> None:
    collection = studied(root)
    log = index_path(root).with_name(index_path(root).name + part)
    log.unlink()
    collection.rate("a", Rating.GOOD, later(minutes=20), 1000)
    collection.close()
    assert agrees(Collection.open(root, NOON, "desk"), 5)


def test_what_an_index_of_ours_is_can_be_told(root: Path) -> None:
    studied(root).close()
    db = sqlite3.connect(index_path(root))
    assert db.execute("PRAGMA application_id").fetchone() == (APPLICATION,)
    assert db.execute("PRAGMA user_version").fetchone() == (VERSION,)
    db.close()
