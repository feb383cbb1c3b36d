"""Whatever happens to the index: it is made again, and nothing is lost."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deck.collection import Collection
from deck.fsrs import Rating
from deck.index.store import Store, index_path
from tests.deck.given import CLOZE, NOON, later, write_card


def made(root: Path) -> Collection:
    for number in range(30):
        write_card(root / f"f{number % 3}", f"card{number:02d}", f"Why {number}? " * 20)
    write_card(root, "cloze", CLOZE, type="cloze")
    collection = Collection.open(root, NOON, "desk")
    for number in range(10):
        collection.rate(f"card{number:02d}", Rating(number % 4 + 1), later(minutes=number), 1000)
    return collection


def told(root: Path) -> object:
    collection = Collection.open(root, NOON, "desk")
    try:
        items = {item: collection.state(item) for item in collection._library.items}
        return (
            list(collection.cards.values()),
            items,
            collection.queue(NOON),
            collection.decks(NOON),
            collection.problems,
            collection.today(NOON),
        )
    finally:
        collection.close()


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, object, bytes]]:
    """A folder, what is told of it, and its index as it lies on the disk."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        root = tmp_path_factory.mktemp("sound")
        made(root).close()
        whole = told(root)
        yield root, whole, index_path(root).read_bytes()


@settings(max_examples=40, deadline=None)
@given(
    st.floats(0, 1), st.binary(min_size=1, max_size=5000),
    st.sampled_from(["overwrite", "cut", "insert", "zeros", "replace"]),
)  # fmt: skip
def test_a_garbled_index_is_made_again(
    sound: tuple[Path, object, bytes], place: float, noise: bytes, how: str
) -> None:
    root, whole, data = sound
    at = int(place * len(data))
    garbled = {
        "overwrite": data[:at] + noise + data[at + len(noise) :],
        "cut": data[:at],
        "insert": data[:at] + noise + data[at:],
        "zeros": data[:at] + bytes(len(noise)) + data[at + len(noise) :],
        "replace": noise,
    }[how]
    with pytest.MonkeyPatch.context() as patch:
        folder = root.parent / "again"
        patch.setenv("XDG_CACHE_HOME", str(folder))
        told(root)
        index_path(root).write_bytes(garbled)
        assert told(root) == whole
        assert told(root) == whole, "and stays sound"


def test_an_index_that_is_deleted_is_made_again(root: Path) -> None:
    made(root).close()
    whole = told(root)
    index_path(root).unlink()
    assert told(root) == whole
    for path in index_path(root).parent.iterdir():
        path.unlink()
    assert told(root) == whole


def test_an_index_of_another_version_is_made_again(root: Path) -> None:
    made(root).close()
    whole = told(root)
    store = Store(index_path(root))
    store.db.execute("PRAGMA user_version = 9999")
    store.db.execute("DROP TABLE item")
    store.close()
    assert told(root) == whole


@pytest.mark.parametrize("kind", ["file", "folder", "read-only"])
def test_where_no_index_can_be_kept_everything_works_all_the_same(root: Path, kind: str) -> None:
    made(root).close()
    whole = told(root)
    folder = index_path(root).parent
    folder.rename(folder.with_name("aside"))
    if kind == "file":
        folder.write_text("in the way")
    else:
        folder.mkdir()
        index_path(root).mkdir()
        if kind == "read-only":
            index_path(root).rmdir()
            folder.chmod(0o500)
    try:
        assert told(root) == whole
        collection = Collection.open(root, NOON, "desk")
        collection.rate("card20", Rating.EASY, NOON, 0)
        assert collection.today(NOON).reviewed == 11
        collection.close()
    finally:
        folder.chmod(0o700)


def test_an_index_that_is_damaged_while_it_is_open_costs_no_answer(root: Path) -> None:
    collection = made(root)
    collection.rate("card20", Rating.EASY, NOON, 0)
    path = index_path(root)
    with path.open("r+b") as file:
        file.write(os.urandom(path.stat().st_size))
    for log in path.parent.glob("*-wal"):
        log.write_bytes(b"")
    collection.rate("card21", Rating.EASY, NOON, 0)
    collection.reload(NOON)
    assert collection.today(NOON).reviewed == 12
    collection.close()
    assert Collection.open(root, NOON).today(NOON).reviewed == 12
