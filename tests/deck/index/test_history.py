"""The index tells the same history as a fold of the whole journal, however the journal grew."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deck.events import Event, Reviewed
from deck.fsrs import Rating
from deck.history import History
from deck.index.lines import read_journal
from deck.index.store import Store
from deck.journal import Journal
from deck.replay import New, dedupe_events, replay, undone_ids
from tests.deck.given import CONFIG, NOON, append_events, history_of, line_of, review
from tests.deck.test_fold import journals

ITEMS = "abc"


def told(history: History) -> object:
    """All that a history says."""
    return (
        [history.folded(item) for item in ITEMS],
        [history.events(item) for item in ITEMS],
        [history.answers(item) for item in ITEMS],
        history.last_id,
        history.answers_on(NOON.date()),
        history.after(NOON.date()),
        history.deleted(),
    )


def check(history: History, private: Path) -> None:
    """A history is what a fresh one says, and what the fold of the journal says."""
    fresh = private / "fresh.sqlite"
    fresh.unlink(missing_ok=True)
    anew = History(Store(fresh), private, CONFIG)
    anew.refresh()
    assert told(history) == told(anew)
    events = read_journal(private).events
    states = replay(events, CONFIG)
    for item in ITEMS:
        assert history.state(item) == states.get(item, New())
    undone = undone_ids(events)
    reviews = [
        e for e in dedupe_events(events) if isinstance(e.what, Reviewed) and e.id not in undone
    ]
    assert {d.item_id: d.answers for d in history.deleted()} == {
        item: sum(e.item == item for e in reviews) for item in {e.item for e in reviews}
    }


@pytest.fixture
def private(tmp_path: Path) -> Path:
    return tmp_path / ".deltadeck"


PARTS = st.lists(st.tuples(st.sampled_from("xyz"), st.integers(1, 4)), max_size=8)


@settings(max_examples=30, deadline=None)
@given(journals(), PARTS, st.randoms(use_true_random=False))
def test_files_that_arrive_in_any_order_and_pieces_give_one_history(
    tmp_path_factory: pytest.TempPathFactory, events: list[Event], parts: list[tuple[str, int]],
    rng: object,
) -> None:  # fmt: skip
    """Devices' lines come in pieces, some twice (a copied file), between looks at the journal."""
    private = tmp_path_factory.mktemp("arriving")
    history = history_of(private)
    waiting = list(events)
    getattr(rng, "shuffle")(waiting)  # noqa: B009
    for device, count in parts:
        append_events(private, waiting[:count], device)
        history.refresh()
        waiting = waiting[count - 1 :]  # the last one comes again
    append_events(private, waiting, "rest")
    history.refresh()
    check(history, private)


@settings(max_examples=20, deadline=None)
@given(journals(), st.integers(0, 14), st.integers(0, 14))
def test_a_file_that_is_cut_changed_or_gone_takes_its_events_along(
    tmp_path_factory: pytest.TempPathFactory, events: list[Event], cut: int, gone: int
) -> None:
    private = tmp_path_factory.mktemp("cut")
    append_events(private, events[:gone], "phone")
    append_events(private, events[gone:], "desk")
    history = history_of(private)
    files = sorted((private / "journal").rglob("*.jsonl"))
    lines = files[0].read_bytes().splitlines(keepends=True) if files else []
    if files:
        files[0].write_bytes(b"".join(lines[:cut] + lines[cut + 1 :]))
        history.refresh()
        check(history, private)
        files[-1].unlink()
        history.refresh()
    check(history, private)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(ITEMS), st.sampled_from(Rating)), max_size=12), st.data())
def test_what_is_folded_at_once_is_what_the_journal_says(
    tmp_path_factory: pytest.TempPathFactory, answers: list[tuple[str, Rating]], data: st.DataObject
) -> None:
    """Answers of two programs, each with an index of its own or the same one."""
    private = tmp_path_factory.mktemp("at once")
    store = Store(private / "index.sqlite")
    one, two = History(store, private, CONFIG), History(store, private, CONFIG)
    one.refresh()
    two.refresh()
    for number, (item, rating) in enumerate(answers):
        history, device = data.draw(st.sampled_from([(one, "desk"), (two, "desk"), (two, "lab")]))
        if not history.is_current():
            history.refresh()
        new = review(rating, item, seen=history.last_id, random=number)
        history.add([new], Journal(private, device).append(new))
        history.answers_on(NOON.date())
        if data.draw(st.booleans()):
            history.flush()
    for history in (one, two):
        history.refresh()
        check(history, private)


def test_a_last_line_without_its_end_counts_once(private: Path) -> None:
    first, second = review(), review(Rating.EASY, random=2)
    append_events(private, [first])
    path = private / "journal" / "desk" / "2026-11.jsonl"
    with path.open("ab") as file:
        file.write(line_of(second)[:-1])
    history = history_of(private)
    assert [e.id for e in history.events("a")] == [first.id, second.id]
    with path.open("ab") as file:
        file.write(b"\n" + b"half a li")
    history.refresh()
    assert [e.id for e in history.events("a")] == [first.id, second.id]
    assert [p.severity for p in history.problems] == ["warning"]
    check(history, private)


def test_a_history_remembers_cards_that_are_gone(private: Path) -> None:
    append_events(private, [review(item="gone"), review(Rating.EASY, item="gone", random=3)])
    (deleted,) = history_of(private).deleted()
    assert (deleted.item_id, deleted.answers, deleted.last) == ("gone", 2, NOON.date())


def test_the_journal_alone_makes_the_index_again(private: Path) -> None:
    append_events(private, [review(item=item, random=n) for n, item in enumerate(ITEMS)])
    before = told(history_of(private))
    (private / "index.sqlite").unlink()
    assert told(history_of(private)) == before
