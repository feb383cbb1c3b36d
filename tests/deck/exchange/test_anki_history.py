"""Schedules and answers of Anki's cards."""

from __future__ import annotations

import json
import os
import subprocess
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deck.collection import Collection
from deck.events import Reset, Reviewed
from deck.fsrs import Rating
from deck.optimize import runs_of
from deck.replay import ItemState, Learning, New, Review, answers_of
from deck.study_day import study_day
from tests.deck.exchange.exporting import exported
from tests.deck.exchange.foreign import read, reviewed, take_in
from tests.deck.exchange.packages import CREATED, NOW, Given, Made, altered, package
from tests.deck.given import configure

TODAY = (NOW.date() - CREATED.date()).days
#: An answer under FSRS has its difficulty here; a card that never had any, its ease.
FSRS, EASE, FORGOTTEN = 100, 2500, 0
_MINUTES = 1 / 1440


def imported(root: Path, path: Path) -> Collection:
    assert take_in(root, path).lost == []
    return Collection.open(root, NOW, "desk")


def in_review(days: int, ivl: int, ago: int = 60) -> dict[str, int]:
    """A card in review that is due in so many days, and was last changed so many seconds ago."""
    changed = int(NOW.timestamp()) - ago
    return {"type": 2, "queue": 2, "due": TODAY + days, "ivl": ivl, "mod": changed}


def standing(root: Path, tmp_path: Path, given: list[Given], days: int, ivl: int) -> Review:
    note = Made("g", ("why", "a"), answers={0: given}, cards={0: in_review(days, ivl)})
    return reviewed(imported(root, package(tmp_path / "a.apkg", [note])))


def by_hand(ivl: int, factor: int = FSRS, ago: float = _MINUTES) -> Given:
    return Given(ago, 0, ivl, 4, factor)


STUDIED = [Given(100, 4, 9, 0, FSRS), Given(91, 3, 40, 1, FSRS), Given(50, 3, 135, 1, FSRS)]
STEP = Given(4, 3, -600, 0, FSRS)
LAPSE = Given(4, 1, -600, 1, FSRS)


def test_set_to_today_is_not_forgotten(root: Path, tmp_path: Path) -> None:
    """Told by the factor of the line."""
    state = standing(root, tmp_path, [*STUDIED, by_hand(0)], 0, 0)
    assert (state.due_day, state.repetitions) == (NOW.date(), 3)
    assert state.memory.stability > 100
    lines = [*STUDIED, by_hand(0, FORGOTTEN, 2 * _MINUTES)]
    state = standing(tmp_path / "set", tmp_path, [*lines, by_hand(0, EASE)], 0, 0)
    assert (state.due_day, state.repetitions) == (NOW.date(), 0)
    path = package(tmp_path / "a.apkg", [Made("g", ("why", "a"), answers={0: lines})])
    assert isinstance(imported(tmp_path / "new", path).events("why")[-1].what, Reset)


BY_HAND = {
    "new, fsrs": [by_hand(0, EASE)],
    "new": [by_hand(20, EASE)],
    "new, without a line": [],
    "learning, fsrs": [STEP, by_hand(0)],
    "learning": [STEP, by_hand(20, EASE)],
    "learning, without a line": [STEP],
    "relearning": [*STUDIED, LAPSE, by_hand(1)],
    "forgotten, fsrs": [*STUDIED, by_hand(0, 0, 9), by_hand(0, EASE)],
    "forgotten": [*STUDIED, by_hand(0, 0, 9), by_hand(20, EASE)],
    "review, twice": [*STUDIED, by_hand(4, EASE, 8), by_hand(4, EASE)],
}


@pytest.mark.parametrize("days", [0, 1, 20, 300])
def test_a_due_day_set_by_hand_holds(root: Path, tmp_path: Path, days: int) -> None:
    card = in_review(days, 0 if days == 20 else max(days, 1))
    notes = [Made(n, (n, "a"), answers={0: lines}, cards={0: card}) for n, lines in BY_HAND.items()]
    deck = imported(root, package(tmp_path / "a.apkg", notes))
    due = {card.question: reviewed(deck, card.id).due_day for card in deck.cards.values()}
    assert due == dict.fromkeys(BY_HAND, NOW.date() + timedelta(days=days))


def test_a_due_day_set_by_hand_is_no_answer(root: Path, tmp_path: Path) -> None:
    for days, lines in ((20, 1), (30, 2)):
        given = [by_hand(0, EASE, 3), by_hand(0, EASE, 1)][:lines]
        card = in_review(days, 0, 100 - lines)
        note = Made("g", ("why", "a"), answers={0: given}, cards={0: card})
        deck = imported(root, package(tmp_path / "a.apkg", [note]))
        assert reviewed(deck).due_day == NOW.date() + timedelta(days=days)
    assert not [each for each in deck.events("why") if isinstance(each.what, Reviewed)]


_LINES = st.one_of(
    st.builds(lambda ease, ivl: (ease, ivl, 1, FSRS), st.integers(1, 4), st.integers(1, 90)),
    st.builds(lambda ease: (ease, -600, 0, FSRS), st.integers(1, 4)),
    st.builds(lambda ivl, factor: (0, ivl, 4, factor), st.integers(0, 40), st.just(EASE)),
    st.just((0, 0, 4, FORGOTTEN)),
    st.builds(lambda ivl: (0, ivl, 5, FSRS), st.integers(1, 40)),
)


@given(st.lists(_LINES, max_size=7), st.integers(-9, 40), st.integers(0, 60))
@settings(max_examples=10)  # each is an import
def test_whatever_the_log_says_it_is_due_as_there(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[tuple[int, int, int, int]],
    days: int,
    ivl: int,
) -> None:
    answers = [Given(20 - n, *line) for n, line in enumerate(lines)]
    root = tmp_path_factory.mktemp("review") / "cards"
    state = standing(root, root.parent, answers, max(days, len(lines) - 20), ivl)
    events = Collection.open(root, NOW).events("why")
    assert state.due_day == NOW.date() + timedelta(days=max(days, len(lines) - 20))
    given_there = sorted(line[0] for line in lines if line[0])
    assert sorted(e.what.rating for e in events if isinstance(e.what, Reviewed)) == given_there


def test_set_by_hand_counts_as_a_review(root: Path, tmp_path: Path) -> None:
    configure(root, "new_per_day = 2\nreviews_per_day = 3\nbury_siblings = false\n")
    card = in_review(0, 1)
    told = [by_hand(0, FORGOTTEN, 2 * _MINUTES), by_hand(0, EASE)]
    notes = [
        Made(f"g{n}", (f"q{n}", "a"), answers={0: [*STUDIED, *told]}, cards={0: card})
        for n in range(5)
    ]
    notes += [
        Made(f"f{n}", (f"f{n}", "a"), answers={0: [*STUDIED, by_hand(0, FORGOTTEN)]})
        for n in range(5)
    ]
    deck = imported(root, package(tmp_path / "a.apkg", notes))
    counts = deck.queue(NOW).counts
    assert (counts.new, counts.learning, counts.due) == (2, 0, 3)
    assert deck.today(NOW).reviewed == 0
    deck.rate("q0", Rating.GOOD, NOW, 900)
    counts = deck.queue(NOW).counts
    assert (counts.new, counts.due) == (2, 2)


def test_what_is_set_by_hand_keeps_its_day_through_json(root: Path, tmp_path: Path) -> None:
    for name, lines in (("new", []), ("step", [STEP])):
        answers = {0: [*lines, by_hand(30, EASE)]}
        note = Made(name, (name, "a"), answers=answers, cards={0: in_review(30, 30)})
        imported(root, package(tmp_path / f"{name}.apkg", [note]))
    exported(Collection.open(root, NOW), tmp_path / "all.json")
    there = imported(tmp_path / "other", tmp_path / "all.json")
    for name, count in (("new", 0), ("step", 1)):
        state = reviewed(there, name)
        assert (state.due_day, state.repetitions) == (NOW.date() + timedelta(days=30), count)


def test_an_answer_behind_a_day_set_by_hand_is_no_first_answer(root: Path, tmp_path: Path) -> None:
    standing(root, tmp_path, [by_hand(9, EASE, 9)], 0, 9)
    deck = Collection.open(root, NOW, "desk")
    deck.rate("why", Rating.GOOD, NOW, 900)
    assert reviewed(deck).memory.stability > 9
    met = list(answers_of("why", deck.events("why"), (), deck.config))
    assert runs_of([met, met]) == []


@pytest.mark.parametrize("said", [False, True])
@pytest.mark.parametrize("rollover", [0, 4, 11, 12, 13, 23])
def test_due_today(root: Path, tmp_path: Path, rollover: int, said: bool) -> None:
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
        assert reviewed(collection, name).due_day == NOW.date() + timedelta(days=days)
        if name != "hand":
            assert len(collection.events(name)) == 1, "its answer says it all"


def test_days_are_counted_where_the_collection_began(tmp_path: Path) -> None:
    """Begun at 04:00 in Tokyo, which is still the day before in New York, where it is now."""
    card = {"type": 2, "queue": 2, "due": 10, "ivl": 1}
    path = package(tmp_path / "a.apkg", [Made("g", ("q", "a"), cards={0: card})])
    began = int(datetime(2026, 10, 31, 19, tzinfo=UTC).timestamp())
    offsets = """'{"creationOffset": -540, "localOffset": 300}'"""
    altered(path, f"UPDATE col SET crt = {began}, conf = {offsets};")
    due = read(path)[0][0].items[0].due
    assert due is not None
    assert due.date().isoformat() == "2026-11-11"


needs_anki = pytest.mark.skipif(
    "ANKI_PYTHON" not in os.environ, reason="ANKI_PYTHON names no Python with anki"
)
_SCRIPT = Path(__file__).parent / "anki_histories.py"
_DAY = time(4)


@needs_anki
@pytest.mark.parametrize("package", ["a.apkg", "legacy.apkg", "all.colpkg"])
@pytest.mark.parametrize(
    ("rollover", "zone", "scheduler"),
    [
        (0, "America/New_York", "fsrs"),
        (4, "Asia/Tokyo", "sm2"),
        (12, "Pacific/Auckland", "fsrs"),
        (12, "UTC", "sm2"),
        (23, "Europe/Prague", "sm2"),
        (23, "Asia/Kolkata", "fsrs"),
    ],
)
def test_every_item_stands_as_in_anki(
    root: Path, tmp_path_factory: pytest.TempPathFactory, package: str, rollover: int, zone: str,
    scheduler: str,
) -> None:  # fmt: skip
    made = tmp_path_factory.mktemp("anki")
    seed = os.environ.get("ANKI_SEED", "1")
    found = _history(made, seed, rollover, zone, scheduler)
    now = datetime.fromtimestamp(found["now"], ZoneInfo(zone))
    summary = take_in(root, made / package, now)
    assert not [lost for lost in summary.lost if "time or a rating" in lost.what]
    collection = Collection.open(root, now)
    ours = {card.extra["source"]: card.items[0].id for card in collection.cards.values()}
    odd = []
    for guid, truth in found["cards"].items():
        item = ours[f"anki:{guid}"]
        state, suspended = collection.state(item), collection.is_suspended(item)
        answers = [e for e in collection.events(item) if isinstance(e.what, Reviewed)]
        same = _same(state, truth, now) and len(answers) == truth["answers"]
        if not same or suspended != truth["suspended"]:
            odd.append((truth, state, collection.events(item)))
    assert odd == []


def _history(folder: Path, seed: str, rollover: int, zone: str, scheduler: str) -> dict[str, Any]:
    command = [os.environ["ANKI_PYTHON"], str(_SCRIPT), str(folder), seed, str(rollover), scheduler]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env=os.environ | {"TZ": zone}
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _same(state: ItemState, truth: dict[str, Any], now: datetime) -> bool:
    today = study_day(now, _DAY)
    if truth["days"] is not None:
        due = today + timedelta(days=truth["days"])
        return isinstance(state, Review) and state.due_day == due
    if truth["seconds"] is not None:
        there = now + timedelta(seconds=truth["seconds"])
        return isinstance(state, Learning) and abs(state.due - there) < timedelta(minutes=5)
    return isinstance(state, New if truth["type"] == 0 else Learning)
