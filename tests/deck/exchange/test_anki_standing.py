"""What was set by hand in Anki, and when its days begin: an item is due here when it is there."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from deck import Collection, Review
from deck.event import Reset, Reviewed
from deck.exchange.anki import read
from deck.exchange.plan import plan
from deck.exchange.take import take
from deck.state import ItemState
from tests.deck.exchange.packages import CREATED, NOW, Given, Made, altered, package

TODAY = (NOW.date() - CREATED.date()).days
#: An answer under FSRS has its difficulty here; a card that never had any, its ease.
FSRS, EASE, FORGOTTEN = 100, 2500, 0
_MINUTES = 1 / 1440


def imported(root: Path, path: Path) -> Collection:
    take(plan(read(path), Collection.open(root, NOW, "desk"), NOW))
    return Collection.open(root, NOW)


def standing(root: Path, tmp_path: Path, given: list[Given], days: int, ivl: int) -> ItemState:
    """Of a card in review that is due in so many days, and was last changed a minute ago."""
    changed = int(NOW.timestamp()) - 60
    card = {"type": 2, "queue": 2, "due": TODAY + days, "ivl": ivl, "mod": changed}
    note = Made("g", ("why", "a"), answers={0: given}, cards={0: card})
    path = package(tmp_path / "a.apkg", [note])
    summary = take(plan(read(path), Collection.open(root, NOW, "desk"), NOW))
    assert summary.lost == []
    return Collection.open(root, NOW).state("why")


def by_hand(ivl: int, factor: int = FSRS, ago: float = _MINUTES) -> Given:
    return Given(ago, 0, ivl, 4, factor)


STUDIED = [Given(100, 4, 9, 0, FSRS), Given(91, 3, 40, 1, FSRS), Given(50, 3, 135, 1, FSRS)]
STEP = Given(4, 3, -600, 0, FSRS)
LAPSE = Given(4, 1, -600, 1, FSRS)


def test_a_card_set_to_today_is_not_forgotten(root: Path, tmp_path: Path) -> None:
    state = standing(root, tmp_path, [*STUDIED, by_hand(0)], 0, 0)
    assert isinstance(state, Review)
    assert (state.due_day, state.repetitions) == (NOW.date(), 3)
    assert state.memory.stability > 100


def test_forgotten_by_hand_is_told_by_the_factor(root: Path, tmp_path: Path) -> None:
    note = Made("g", ("why", "a"), answers={0: [*STUDIED, by_hand(0, FORGOTTEN)]})
    collection = imported(root, package(tmp_path / "a.apkg", [note]))
    assert isinstance(collection.events("why")[-1].what, Reset)


@pytest.mark.parametrize("days", [0, 1, 20, 300])
@pytest.mark.parametrize(
    "given",
    [
        pytest.param([by_hand(0, EASE)], id="new, fsrs"),
        pytest.param([by_hand(20, EASE)], id="new"),
        pytest.param([], id="new, without a line"),
        pytest.param([STEP, by_hand(0)], id="learning, fsrs"),
        pytest.param([STEP, by_hand(20, EASE)], id="learning"),
        pytest.param([STEP], id="learning, without a line"),
        pytest.param([*STUDIED, LAPSE, by_hand(1)], id="relearning"),
        pytest.param([*STUDIED, by_hand(0, 0, 9), by_hand(0, EASE)], id="forgotten, fsrs"),
        pytest.param([*STUDIED, by_hand(0, 0, 9), by_hand(20, EASE)], id="forgotten"),
        pytest.param([*STUDIED, by_hand(4, EASE, 8), by_hand(4, EASE)], id="review, twice"),
    ],
)
def test_a_due_day_set_by_hand_holds(
    root: Path, tmp_path: Path, given: list[Given], days: int
) -> None:
    state = standing(root, tmp_path, given, days, 0 if days == 20 else max(days, 1))
    assert isinstance(state, Review)
    assert state.due_day == NOW.date() + timedelta(days=days)


def test_a_card_that_is_forgotten_and_set_to_the_same_day_is_asked_on_it(
    root: Path, tmp_path: Path
) -> None:
    given = [*STUDIED, by_hand(0, FORGOTTEN, 2 * _MINUTES), by_hand(0, EASE)]
    state = standing(root, tmp_path, given, 0, 0)
    assert not isinstance(state, Review)
    assert getattr(state, "due", NOW + timedelta(days=9)) <= NOW + timedelta(minutes=1)


def test_the_next_package_adds_no_second_answer_for_the_same_line(
    root: Path, tmp_path: Path
) -> None:
    for days, lines in ((20, 1), (30, 2)):
        changed = int(NOW.timestamp()) - 100 + lines
        card = {"type": 2, "queue": 2, "due": TODAY + days, "ivl": 0, "mod": changed}
        given = [by_hand(0, EASE, 3), by_hand(0, EASE, 1)][:lines]
        note = Made("g", ("why", "a"), answers={0: given}, cards={0: card})
        collection = imported(root, package(tmp_path / "a.apkg", [note]))
        state = collection.state("why")
        assert isinstance(state, Review)
        assert state.due_day == NOW.date() + timedelta(days=days)
    assert sum(isinstance(each.what, Reviewed) for each in collection.events("why")) == 1


@pytest.mark.parametrize("said", [False, True])
@pytest.mark.parametrize("rollover", [0, 4, 11, 12, 13, 23])
def test_whenever_ankis_day_begins_what_is_due_today_there_is_due_today_here(
    root: Path, tmp_path: Path, rollover: int, said: bool
) -> None:
    """A learner who always answers at noon; only a whole collection says when its days begin."""
    today = TODAY - (rollover > NOW.hour)
    due = {number: {"type": 2, "queue": 2, "due": today + number, "ivl": 10} for number in range(5)}
    notes = [
        Made(f"g{n}", (f"q{n}", "a"), answers={0: [Given(10 - n, 3, 10)]}, cards={0: card})
        for n, card in due.items()
    ]
    notes.append(Made("hand", ("hand", "a"), answers={0: [by_hand(0, EASE, 1)]}, cards={0: due[2]}))
    path = package(tmp_path / "a.apkg", notes)
    if said:
        altered(path, f"UPDATE col SET conf = json_set(conf, '$.rollover', {rollover});")
    collection = imported(root, path)
    for name, days in [*((f"q{n}", n) for n in due), ("hand", 2)]:
        state = collection.state(name)
        assert isinstance(state, Review)
        assert state.due_day == NOW.date() + timedelta(days=days)
        if name != "hand":
            assert len(collection.events(name)) == 1, "its answer says it all"


def test_days_are_counted_where_the_collection_began(tmp_path: Path) -> None:
    """Begun at 04:00 in Tokyo, which is still the day before in New York, where it is now."""
    card = {"type": 2, "queue": 2, "due": 10, "ivl": 1}
    path = package(tmp_path / "a.apkg", [Made("g", ("q", "a"), cards={0: card})])
    began = int(datetime(2026, 10, 31, 19, tzinfo=UTC).timestamp())
    offsets = """'{"creationOffset": -540, "localOffset": 300}'"""
    (made,) = read(altered(path, f"UPDATE col SET crt = {began}, conf = {offsets};")).cards()
    due = made.items[0].due
    assert due is not None
    assert due.date().isoformat() == "2026-11-11"
