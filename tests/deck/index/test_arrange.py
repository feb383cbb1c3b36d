"""Found items in another order: sorted by a number, those without one last."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from deck.collection import Collection
from deck.fsrs import Rating
from deck.index.cards import By
from deck.replay import New
from tests.deck.given import write_card

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    root = tmp_path_factory.mktemp("cards")
    for number, name in enumerate("abcdef"):
        write_card(root, name, "Why?", created=f"2026-11-{10 + number:02d}")
    made = Collection.init(root, NOW)
    for days, answers in ((9, "aabd"), (3, "bcd"), (0, "de")):
        for count, name in enumerate(answers):
            at = NOW - timedelta(days=days, minutes=30 - count)
            made.rate(name, Rating((ord(name) + count) % 4 + 1), at, 1000)
    return made


@pytest.mark.parametrize("by", ["due", "stability", "difficulty"])
def test_items_are_sorted_by_where_they_stand(collection: Collection, by: By) -> None:
    found = collection.search("", NOW, by)
    states = [collection.state(item) for item in found]
    known = [state for state in states if not isinstance(state, New)]
    assert [isinstance(state, New) for state in states] == sorted(
        isinstance(state, New) for state in states
    )
    memories = [getattr(state.memory, by, 0.0) for state in known]
    assert memories == sorted(memories, reverse=by == "difficulty")
    assert found[-1] == "f"


def test_the_newest_card_comes_first(collection: Collection) -> None:
    assert collection.search("", NOW, "added") == list("fedcba")
    assert collection.search("a or e", NOW, "added")[0] == "e"


def test_the_files_order_is_the_usual_one(collection: Collection) -> None:
    assert collection.search("", NOW) == collection.search("", NOW, "files") == list("abcdef")
