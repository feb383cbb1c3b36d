"""Items are put in the order of their files, however many there are and whoever asks again."""

from __future__ import annotations

from threading import Thread

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deck.cards import CardStore
from deck.index import cards as order
from deck.index.cards import Chosen, Order
from deck.index.store import Store
from tests.deck.given import CLOZE, write_card


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> CardStore:
    root = tmp_path_factory.mktemp("order")
    for number in (5, 3, 9, 1, 7):
        kind = "cloze" if number == 3 else "basic"
        write_card(root / f"{9 - number}", f"card{number}", CLOZE, type=kind)
    made = CardStore(root, Store(root / "index.sqlite"))
    made.scan()
    return made


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.sets(st.integers(1, 6)), st.sampled_from([1, 1000]), st.integers(1, 3))
def test_chosen_items_stand_in_the_order_of_all(
    library: CardStore, chosen: set[int], share: int, asked: int
) -> None:
    db = library._store.db
    numbers = dict(db.execute("SELECT id, item FROM thing"))
    expected = [name for name in library.items if numbers[name] in chosen]
    known = Order()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(order, "_SHARE", share)
        for _ in range(asked):
            assert known.ids(db, Chosen("item", list(chosen)), "as it is") == expected


def test_all_items_stand_in_the_order_of_their_files(library: CardStore) -> None:
    known, db = Order(), library._store.db
    assert known.ids(db, None, 1) == known.ids(db, None, 1) == list(library.items)


def test_another_thread_hears_of_what_was_written_since(library: CardStore) -> None:
    heard: list[list[str]] = []

    def ask() -> None:
        heard.append(library.in_order(None))

    for _ in range(2):
        thread = Thread(target=ask)
        thread.start()
        thread.join()
    write_card(library.root, "later", "x")
    CardStore(library.root, Store(library.root / "index.sqlite")).scan()
    ask()
    assert heard[0] == heard[1] == [name for name in heard[2] if name != "later"]
    (library.root / "later.md").unlink()
    library.scan()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.sets(st.integers(1, 5)), st.sampled_from([1, 1000]), st.integers(1, 3))
def test_cards_chosen_by_their_words_give_all_their_items(
    library: CardStore, chosen: set[int], share: int, asked: int
) -> None:
    db = library._store.db
    sql = "SELECT t.id, c.words FROM item i JOIN card c USING (card) JOIN thing t USING (item)"
    rows = dict(db.execute(sql))
    expected = [name for name in library.items if rows[name] in chosen]
    known, found = Order(), Chosen("words", list(chosen))
    numbers = dict(db.execute("SELECT id, item FROM thing"))
    assert sorted(found.items(db)) == sorted(numbers[name] for name in expected)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(order, "_SHARE", share)
        for _ in range(asked):
            assert known.ids(db, found, "as it is") == expected


def test_words_that_a_card_had_before_stand_for_nothing(library: CardStore) -> None:
    db, known = library._store.db, Order()
    path = write_card(library.root / "new", "changing", "Old words?")
    library.scan()
    write_card(library.root / "new", "changing", "Entirely other words?")
    library.scan_files([path])
    last = db.execute("SELECT max(rowid) FROM words").fetchone()[0]
    for _ in range(2):
        assert known.ids(db, Chosen("words", [last - 1]), 0) == []
        assert known.ids(db, Chosen("words", [last - 1, last]), 0) == ["changing"]
    path.unlink()
    library.scan_files([path])


def test_other_cards_are_another_order(library: CardStore) -> None:
    db, known = library._store.db, Order()
    numbers = [row[0] for row in db.execute("SELECT item FROM item")]
    for _ in range(2):
        before = known.ids(db, Chosen("item", numbers), 1)
    write_card(library.root / "0", "a0")
    library.scan()
    numbers = [row[0] for row in db.execute("SELECT item FROM item")]
    assert known.ids(db, Chosen("item", numbers), 2) == ["a0", *before]
