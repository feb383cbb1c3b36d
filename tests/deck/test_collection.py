"""A collection through its public face: folder, schedule, undo, several programs, failures."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from deck.collection import Collection
from deck.errors import JournalError
from deck.events import Undone
from deck.fsrs import Rating
from deck.replay import Learning, New, Review
from tests.deck.given import NOON, later, write_card


def opened(root: Path, now: datetime = NOON, device: str = "desk") -> Collection:
    return Collection.open(root, now, device)


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
    for card in ("a", "b"):
        write_card(root, card)
    collection = opened(root)
    collection.rate("b", Rating.GOOD, NOON, 1000)
    collection.preview("a", NOON)
    asked: list[str] = []
    collection._store.db.set_trace_callback(asked.append)
    before = collection.state("a")
    collection.rate("a", Rating.GOOD, NOON, 1000, settle=False)
    assert collection.state("a") != before
    assert not [sql for sql in asked if "SELECT" in sql]


def test_undo_goes_back_answer_by_answer_across_restarts(root: Path) -> None:
    write_card(root, "a")
    write_card(root, "b")
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
    for card in ("a", "b"):
        write_card(root, card)
    collection = opened(root)
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


def test_undo_passes_by_the_answers_of_cards_that_are_gone(root: Path) -> None:
    write_card(root, "a")
    gone = write_card(root, "b")
    collection = opened(root)
    collection.rate("a", Rating.GOOD, NOON, 0)
    collection.rate("b", Rating.GOOD, NOON, 0)
    gone.unlink()
    collection.reload(NOON)
    event = collection.undo(NOON)
    assert event is not None
    assert event.item == "a"


def test_two_programs_on_one_collection_agree(root: Path) -> None:
    write_card(root, "a")
    one, two = opened(root), opened(root)
    lab = opened(root, device="lab")
    one.rate("a", Rating.GOOD, NOON, 0)
    two.rate("a", Rating.GOOD, later(minutes=10), 0)
    lab.rate("a", Rating.AGAIN, later(days=3), 0)
    for known in (one, two, lab):
        known.queue(later(days=3))
    state = opened(root).state("a")
    assert isinstance(state, Learning)
    assert state.repetitions == 3
    assert one.state("a") == two.state("a") == lab.state("a") == state


def test_many_programs_at_once_lose_no_answer(root: Path) -> None:
    write_card(root, "a")
    script = (
        "import sys, datetime, deck\n"
        "now = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.UTC)\n"
        "c = deck.Collection.open(sys.argv[1], now, 'desk')\n"
        "for _ in range(15): c.rate('a', deck.Rating.GOOD, now, 1)\n"
    )
    command = [sys.executable, "-c", script, str(root)]
    cwd = Path(__file__).parents[2]
    running = [subprocess.Popen(command, cwd=cwd) for _ in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    state = opened(root).state("a")
    assert not isinstance(state, New)
    assert state.repetitions == 45


def test_a_clock_set_back_keeps_the_order_of_answers(root: Path) -> None:
    write_card(root, "a")
    collection = opened(root)
    collection.rate("a", Rating.EASY, NOON, 0)
    collection.rate("a", Rating.AGAIN, later(days=-40), 0)
    collection.rate("a", Rating.GOOD, later(days=-39), 0)
    assert isinstance(collection.state("a"), Review)
    assert opened(root).state("a") == collection.state("a")
    warned = [problem.message for problem in opened(root, later(days=-39)).problems]
    assert any("future" in message for message in warned)


def test_the_study_day_is_that_of_the_learners_clock(root: Path) -> None:
    write_card(root, "a")
    tokyo = NOON.replace(hour=18, minute=30).astimezone(timezone(timedelta(hours=9)))
    collection = opened(root)
    event = collection.rate("a", Rating.GOOD, tokyo, 0)
    assert (event.day, event.offset) == (NOON.date(), 540)
    assert event.at.utcoffset() == timedelta()


def test_a_disk_that_refuses_an_answer_changes_nothing(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_card(root, "a")
    before = path.read_bytes()
    collection = opened(root)

    def refuse(_: int) -> None:
        raise OSError(28, os.strerror(28))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", refuse)
        with pytest.raises(JournalError, match="nothing was recorded"):
            collection.rate("a", Rating.GOOD, NOON, 0)
    assert collection.state("a") == opened(root).state("a") == New()
    assert path.read_bytes() == before
    collection.rate("a", Rating.GOOD, NOON, 0)
    assert opened(root).state("a") == collection.state("a") != New()


def test_a_checked_derivation_is_kept_and_schedules_nothing(root: Path) -> None:
    write_card(root, "a")
    collection = opened(root)
    event = collection.record_check("a", {"verdict": "wrong", "answer": "dx = 1"}, NOON)
    assert event.kind == "check"
    assert opened(root).state("a") == New()
    assert collection.undo(NOON) is None
    assert b'"answer":"dx = 1"' in next(root.rglob("*.jsonl")).read_bytes()


def test_deleting_nothing_but_the_journal_forgets(root: Path) -> None:
    write_card(root, "a")
    collection = opened(root)
    collection.rate("a", Rating.GOOD, NOON, 0)
    next(root.rglob("*.jsonl")).unlink()
    collection.reload(NOON)
    assert collection.state("a") == New()
