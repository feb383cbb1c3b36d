"""Foreign histories: due here when due there, and one with the learner's own."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from deck import Collection, New, Rating, Review
from deck.events import Suspended
from deck.exchange import apply
from deck.exchange.anki.notes import read
from deck.exchange.apply import take
from deck.exchange.model import ForeignItem, ForeignReview
from deck.exchange.plan import plan
from deck.index.lines import read_journal
from tests.deck.exchange.foreign import CARD, answers, learnt, taken
from tests.deck.given import NOON


def test_an_item_is_due_when_it_is_due_there(root: Path) -> None:
    taken(root, learnt((30, 3, 4), (26, 1, 1), (25, 3, 40)))
    state = Collection.open(root, NOON).state("why")
    assert isinstance(state, Review)
    assert state.due_day == NOON.date() + timedelta(days=15)
    assert (state.repetitions, state.lapses) == (3, 1)


def test_a_due_day_that_no_answer_says_holds(root: Path) -> None:
    due = NOON + timedelta(days=3)
    taken(root, learnt((30, 3, 4), (26, 3, 40), due=due, changed=NOON))
    state = Collection.open(root, NOON).state("why")
    assert isinstance(state, Review)
    assert state.due_day == due.date()


def test_a_due_day_that_is_told_again_takes_no_answer_back(root: Path) -> None:
    """A flag there changes the card, and not its day."""
    due = NOON - timedelta(days=8)
    history = ((60, 3, 4), (56, 3, 90))
    taken(root, learnt(*history, due=due, changed=NOON - timedelta(days=50)))
    collection = Collection.open(root, NOON, "desk")
    collection.rate("why", Rating.GOOD, NOON - timedelta(days=7), 0)
    state = collection.state("why")
    taken(root, learnt(*history, due=due, changed=NOON - timedelta(days=1)))
    assert Collection.open(root, NOON).state("why") == state
    other = NOON + timedelta(days=2)
    taken(root, learnt(*history, due=other, changed=NOON - timedelta(hours=9)))
    taken(root, learnt(*history, due=due, changed=NOON - timedelta(hours=8)))
    taken(root, learnt(*history, due=other, changed=NOON - timedelta(hours=7)))
    moved = Collection.open(root, NOON).state("why")
    assert isinstance(moved, Review)
    assert moved.due_day == other.date(), "set to another, and back"


def test_a_format_without_answers_keeps_its_due_days(root: Path) -> None:
    due = NOON + timedelta(days=30)
    taken(root, learnt(due=due), replace(CARD, key="k2", items=(ForeignItem(due=NOON),)))
    collection = Collection.open(root, NOON)
    states = [collection.state(item) for item in collection.cards]
    assert sorted(s.due_day for s in states if isinstance(s, Review)) == [NOON.date(), due.date()]


def test_forgotten_there_is_new_here(root: Path) -> None:
    reset = ForeignReview(NOON - timedelta(days=2), 0, key="x", what="reset")
    item = ForeignItem(reviews=(*answers((30, 3, 4), (26, 3, 40)), reset))
    taken(root, replace(CARD, items=(item,)))
    assert Collection.open(root, NOON).state("why") == New()


def test_the_status_line_says_what_the_schedule_says(root: Path) -> None:
    taken(root, learnt((30, 3, 4), (26, 3, 40)))
    card = Collection.open(root, NOON).cards["why"]
    assert card.status in ("reviewing", "mastered")
    collection = Collection.open(root, NOON)
    collection.rate("why", Rating.AGAIN, NOON, 0)
    assert collection.cards["why"].status == "learning"
    newer = learnt((30, 3, 4), (26, 3, 40))
    later = ForeignReview(NOON + timedelta(hours=1), 3, days=2, key="later")
    item = replace(newer.items[0], reviews=(*newer.items[0].reviews, later))
    done = taken(root, replace(CARD, items=(item,)))
    assert (done.unchanged, done.reviews) == (1, 1)
    assert Collection.open(root, NOON).cards["why"].status == "reviewing"


def test_an_undo_takes_back_no_imported_answer(root: Path) -> None:
    taken(root, learnt((30, 3, 4)), replace(CARD, key="k2", wanted_id="two"))
    collection = Collection.open(root, NOON, "desk")
    assert collection.undo(NOON) is None
    own = collection.rate("two", Rating.GOOD, NOON - timedelta(days=60), 0)
    undone = collection.undo(NOON)
    assert undone is not None
    assert undone.item == own.item == "two"


def test_suspended_there_is_suspended_here_until_someone_says_otherwise(root: Path) -> None:
    put_aside = learnt((9, 3, 4), suspended=True, changed=NOON - timedelta(days=1))
    assert taken(root, put_aside).suspended == 1
    assert taken(root, put_aside).suspended == 0
    collection = Collection.open(root, NOON, "desk")
    assert collection.is_suspended("why")
    again = taken(root, learnt((9, 3, 4), changed=NOON - timedelta(hours=1)))
    assert (again.suspended, again.resumed) == (0, 1)
    assert not Collection.open(root, NOON).is_suspended("why"), "taken up again there"
    collection.suspend("why", NOON)
    taken(root, learnt((9, 3, 4)))
    assert Collection.open(root, NOON).is_suspended("why"), "put aside here, which stays"
    collection.suspend("why", NOON, on=False)
    taken(root, put_aside)
    assert not Collection.open(root, NOON).is_suspended("why"), "taken up here, which stays"


def test_a_card_is_put_aside_when_all_its_items_are(root: Path) -> None:
    aside, asked = learnt((9, 3, 4), suspended=True), learnt((9, 3, 4))
    both = replace(CARD, key="k2", wanted_id="two", type="reversed")
    items = (aside.items[0], replace(asked.items[0], suffix="/r"))
    taken(root, aside, replace(both, items=items))
    status = {card.id: card.status for card in Collection.open(root, NOON).cards.values()}
    assert status["why"] == "suspended"
    assert status["two"] != "suspended"
    taken(root, aside, replace(both, items=items))
    collection = Collection.open(root, NOON)
    assert collection.is_suspended("why"), "the same once more changes nothing"
    taken(root, learnt((9, 3, 4), changed=NOON))
    collection = Collection.open(root, NOON)
    assert not collection.is_suspended("why"), "taken up there"
    assert collection.cards["why"].status == "reviewing"


def test_answers_of_the_future_are_left_out_and_said(root: Path) -> None:
    done = taken(root, learnt((9, 3, 4), (-400, 3, 9)))
    assert done.reviews == 1
    assert ["cannot be" in lost.what for lost in done.lost] == [True]
    assert done.lost[0].where == "Networks › Pooling: Why?"


def test_an_imported_answer_is_no_answer_of_today_unless_it_is(root: Path) -> None:
    taken(root, learnt((9, 3, 4), (0, 3, 9)))
    assert Collection.open(root, NOON).today(NOON).reviewed == 1


def test_many_answers_are_recorded_in_parts(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apply, "_TOGETHER", 2)
    cards = [replace(learnt((9, 3, 4)), key=f"k{n}", wanted_id=f"c{n}") for n in range(5)]
    taken(root, *cards)
    assert len(read_journal(root / ".deltadeck").events) == 5


def test_the_learners_own_answers_stand_between_the_imported(root: Path) -> None:
    taken(root, learnt((30, 3, 4)))
    collection = Collection.open(root, NOON, "desk")
    collection.rate("why", Rating.GOOD, NOON - timedelta(days=20), 0)
    taken(root, learnt((30, 3, 4), (10, 3, 33)))
    state = Collection.open(root, NOON).state("why")
    assert isinstance(state, Review)
    assert (state.repetitions, state.due_day) == (3, NOON.date() + timedelta(days=23))
    assert not [e for e in collection.events("why") if isinstance(e.what, Suspended)]
    assert all(e.at < datetime(2027, 1, 1, tzinfo=UTC) for e in collection.events("why"))


def test_every_card_of_a_real_package_is_due_as_in_anki(root: Path) -> None:
    path = Path(__file__).parent / "anki" / "current.apkg"
    now = datetime(2026, 11, 22, 12, tzinfo=UTC)
    take(plan(read(path), Collection.open(root, now, "desk"), now))
    collection = Collection.open(root, now)
    ours = {card.extra["source"]: card.items for card in collection.cards.values()}
    seen = 0
    for card in read(path).cards():
        for theirs, item in zip(card.items, ours[f"anki:{card.key}"], strict=True):
            state = collection.state(item.id)
            assert collection.is_suspended(item.id) is theirs.suspended
            if theirs.due is None:
                assert state == New()
                continue
            assert isinstance(state, Review)
            assert state.due_day == theirs.due.date()
            seen += 1
    assert seen == 5


def test_an_implied_answer_is_never_of_a_day_to_come_and_its_due_day_holds(root: Path) -> None:
    """A due day that was moved by hand lies further off than the interval."""
    due = NOON + timedelta(days=32)
    implied = ForeignReview(due - timedelta(days=20), 3, days=20, key="due x", implied=True)
    card = replace(CARD, items=(ForeignItem(reviews=(implied,), due=due),))
    first = taken(root, card)
    assert (first.reviews, first.lost) == (1, [])
    state = Collection.open(root, NOON).state("why")
    assert isinstance(state, Review)
    assert state.due_day == due.date()
    events = Collection.open(root, NOON).events("why")
    for days in (1, 2):
        again = taken(root, card, now=NOON + timedelta(days=days))
        assert (again.reviews, again.lost) == (0, [])
    assert Collection.open(root, NOON).events("why") == events
