"""Answers with one write are what they are one by one, and all of a write or none is recorded."""

from __future__ import annotations

import errno
import os
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deck.collection import AnswerInput, Collection
from deck.errors import CollectionError, JournalError
from deck.events import Reviewed
from deck.fsrs import Rating
from deck.index.lines import read_journal
from deck.replay import New
from tests.deck.given import CLOZE, NOON, later, write_card

ITEMS = ("a", "b", "pair/c1", "pair/c2")


def cards(root: Path) -> Path:
    for name in "ab":
        write_card(root, name)
    write_card(root, "pair", question=CLOZE, type="cloze")
    return root


def opened(root: Path) -> Collection:
    return Collection.open(root, NOON, "desk")


def promises(collection: Collection) -> list[object]:
    events = read_journal(collection.root / ".deltadeck").events
    return [(e.item, e.rating, e.at, e.what) for e in events]


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(ITEMS), st.sampled_from(Rating)), max_size=8))
def test_answers_together_are_the_answers_one_by_one(
    tmp_path_factory: pytest.TempPathFactory, given_: list[tuple[str, Rating]]
) -> None:
    one, all_ = (opened(cards(tmp_path_factory.mktemp("cards"))) for _ in range(2))
    for item, rating in given_:
        one.rate(item, rating, NOON, 7)
    events = list(all_.rate_each([AnswerInput(item, rating, 7) for item, rating in given_], NOON))
    assert [event.item for event in events] == [item for item, _ in given_]
    assert [e.id for e in events] == sorted(e.id for e in events)
    assert promises(all_) == promises(one)
    for item in ITEMS:
        assert all_.state(item) == one.state(item) == opened(all_.root).state(item)
        assert all_.item(item) == one.item(item)
    assert [c.status for c in all_.cards.values()] == [c.status for c in one.cards.values()]
    assert all_.queue(later(days=1)) == one.queue(later(days=1))


def test_the_days_fill_evenly_within_one_write(root: Path) -> None:
    for number in range(60):
        write_card(root, f"card{number:02d}")
    collection = opened(root)
    given_ = [AnswerInput(f"card{number:02d}", Rating.EASY) for number in range(60)]
    days = [e.what.promise for e in collection.rate_each(given_, NOON)]  # type: ignore[union-attr]
    assert max(map(days.count, set(days))) <= 60 // len(set(days)) + 4


@pytest.mark.parametrize("call", ["write", "fsync"])
def test_on_a_full_disk_none_of_a_write_is_recorded_and_what_was_stays(
    root: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    collection = opened(cards(root))
    answers = [AnswerInput(item, Rating.GOOD) for item in ("a", "b", "a", "b")]
    arriving = collection.rate_each(answers, NOON)
    assert [next(arriving).item, next(arriving).item] == ["a", "b"]
    before = [collection.state(item) for item in "ab"]

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, call, full)
        with pytest.raises(JournalError, match="nothing was recorded"):
            next(arriving)
    assert [collection.state(item) for item in "ab"] == before
    assert len(promises(collection)) == 2
    collection.rate("a", Rating.GOOD, later(minutes=10), 0)
    assert collection.state("a") == opened(root).state("a") != before[0]


def test_an_unknown_item_ends_it_behind_what_was_recorded(root: Path) -> None:
    collection = opened(cards(root))
    answers = [
        AnswerInput("a", Rating.GOOD),
        AnswerInput("a", Rating.EASY),
        AnswerInput("elephant", Rating.GOOD),
    ]
    arriving = collection.rate_each(answers, NOON)
    assert next(arriving).item == "a"
    with pytest.raises(CollectionError, match="elephant"):
        list(arriving)
    assert len(promises(collection)) == 1
    assert collection.state("b") == New()


def test_the_second_answer_to_a_card_remembers_the_status_that_the_first_made(root: Path) -> None:
    collection = opened(cards(root))
    answers = [AnswerInput("a", Rating.GOOD), AnswerInput("a", Rating.EASY)]
    events = list(collection.rate_each(answers, NOON))
    met = [e.what.status for e in events if isinstance(e.what, Reviewed)]
    assert met == ["to_learn", "learning"]
    collection.undo(NOON + timedelta(seconds=1))
    assert collection.cards["a"].status == "learning"
