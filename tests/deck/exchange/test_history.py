"""Foreign answers in the journal."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deck.collection import Collection
from deck.events import Practised, Rescheduled, Reset, Reviewed
from deck.exchange import plan as planning
from deck.exchange.model import ExchangeError, ForeignCard, ForeignItem, ForeignReview
from deck.fsrs import Rating
from deck.index.lines import read_journal
from deck.replay import New
from tests.deck.exchange.exporting import exported
from tests.deck.exchange.foreign import (
    CARD,
    answers,
    bundle,
    learnt,
    read,
    reviewed,
    saved,
    standing,
    take_in,
    taken,
    tree,
)
from tests.deck.given import NOON, configure, rated, write_card

TWICE = ((30, 3, 4), (26, 3, 40))
RESET = ForeignReview(NOON + timedelta(hours=2), 0, key="x", what="reset")
IMPLIED = ForeignReview(NOON + timedelta(days=12), 3, days=20, key="due x", implied=True)


def status(root: Path) -> str:
    return Collection.open(root, NOON).cards["why"].status


@pytest.mark.parametrize(
    ("item", "days"),
    [
        (ForeignItem(reviews=answers((30, 3, 4), (26, 1, 1), (25, 3, 40))), 15),
        # A due day that no answer says holds, and so does that of a format without answers.
        (ForeignItem(reviews=answers(*TWICE), due=NOON + timedelta(days=3), changed=NOON), 3),
        (ForeignItem(due=NOON + timedelta(days=30)), 30),
        (ForeignItem(due=NOON), 0),
        # A due day that was moved by hand lies further off than the interval.
        (ForeignItem(reviews=(IMPLIED,), due=NOON + timedelta(days=32)), 32),
    ],
)
def test_an_item_is_due_when_it_is_due_there(root: Path, item: ForeignItem, days: int) -> None:
    card = replace(CARD, items=(item,))
    first = taken(root, card)
    assert (first.reviews, first.lost) == (len(item.reviews) or 1, [])
    assert reviewed(root).due_day == NOON.date() + timedelta(days=days)
    assert reviewed(root).repetitions == (len(item.reviews) or 1)
    events = Collection.open(root, NOON).events("why")
    assert all(event.at <= NOON + timedelta(seconds=1) for event in events)
    for later in (1, 2):
        again = taken(root, card, now=NOON + timedelta(days=later))
        assert (again.reviews, again.lost) == (0, [])
    assert Collection.open(root, NOON).events("why") == events


def test_a_due_day_that_is_told_again_takes_no_answer_back(root: Path) -> None:
    """A flag there changes the card, and not its day."""
    due = NOON - timedelta(days=8)
    history = ((60, 3, 4), (56, 3, 90))
    taken(root, learnt(*history, due=due, changed=NOON - timedelta(days=50)))
    deck = Collection.open(root, NOON, "desk")
    deck.rate("why", Rating.GOOD, NOON - timedelta(days=7), 0)
    state = deck.state("why")
    taken(root, learnt(*history, due=due, changed=NOON - timedelta(days=1)))
    assert reviewed(root) == state
    other = NOON + timedelta(days=2)
    for hours, day in ((9, other), (8, due), (7, other)):  # set to another, and back
        taken(root, learnt(*history, due=day, changed=NOON - timedelta(hours=hours)))
    assert reviewed(root).due_day == other.date()


def test_the_status_line_follows_the_schedule(root: Path) -> None:
    taken(root, learnt(*TWICE))
    assert status(root) in ("reviewing", "mastered")
    rated(Collection.open(root, NOON), "why", Rating.AGAIN)
    assert status(root) == "learning"
    later = ForeignReview(NOON + timedelta(hours=1), 3, days=2, key="later")
    done = taken(root, replace(CARD, items=(ForeignItem(reviews=(*answers(*TWICE), later)),)))
    assert (done.unchanged, done.reviews) == (1, 1)
    assert status(root) == "reviewing"
    items = (ForeignItem(reviews=(*answers(*TWICE), later, RESET)),)
    taken(root, replace(CARD, items=items))
    assert Collection.open(root, NOON).state("why") == New()


def test_an_undo_takes_back_no_imported_answer(root: Path) -> None:
    taken(root, learnt((30, 3, 4)), replace(CARD, key="k2", wanted_id="two"))
    deck = Collection.open(root, NOON, "desk")
    assert deck.undo(NOON) is None
    deck.rate("two", Rating.GOOD, NOON - timedelta(days=60), 0)
    undone = deck.undo(NOON)
    assert undone is not None
    assert undone.item == "two"


def test_suspended_there_is_suspended_here_until_someone_says_otherwise(root: Path) -> None:
    put_aside = learnt((9, 3, 4), suspended=True, changed=NOON - timedelta(days=1))
    assert taken(root, put_aside).suspended == 1
    assert taken(root, put_aside).suspended == 0
    deck = Collection.open(root, NOON, "desk")
    assert deck.is_suspended("why")
    again = taken(root, learnt((9, 3, 4), changed=NOON - timedelta(hours=1)))
    assert (again.suspended, again.resumed) == (0, 1)
    assert not Collection.open(root, NOON).is_suspended("why"), "taken up again there"
    deck.suspend("why", NOON)
    taken(root, learnt((9, 3, 4)))
    assert Collection.open(root, NOON).is_suspended("why"), "put aside here, which stays"
    deck.suspend("why", NOON, on=False)
    taken(root, put_aside)
    assert not Collection.open(root, NOON).is_suspended("why"), "taken up here, which stays"


def test_a_card_is_put_aside_when_all_its_items_are(root: Path) -> None:
    aside, asked = learnt((9, 3, 4), suspended=True), learnt((9, 3, 4))
    both = replace(CARD, key="k2", wanted_id="two", type="reversed")
    two = replace(both, items=(aside.items[0], replace(asked.items[0], suffix="/r")))
    for _ in range(2):  # the same once more changes nothing
        taken(root, aside, two)
        cards = Collection.open(root, NOON).cards
        assert cards["why"].status == "suspended" != cards["two"].status
    taken(root, learnt((9, 3, 4), changed=NOON))
    assert not Collection.open(root, NOON).is_suspended("why"), "taken up there"
    assert status(root) == "reviewing"


def test_answers_of_today_count_and_those_of_the_future_are_left_out_and_said(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many are recorded in parts."""
    monkeypatch.setattr(planning, "_TOGETHER", 2)
    cards = [replace(learnt((9, 3, 4)), key=f"m{n}", wanted_id=f"c{n}") for n in range(5)]
    (lost,) = taken(root, *cards, learnt((9, 3, 4), (0, 3, 9), (-400, 3, 9))).lost
    assert (lost.where, "cannot be" in lost.what) == ("Networks › Pooling: Why?", True)
    assert len(read_journal(root / ".deltadeck").events) == 7
    assert Collection.open(root, NOON).today(NOON).reviewed == 1


def test_the_learners_own_answers_stand_between_the_imported(root: Path) -> None:
    taken(root, learnt((30, 3, 4)))
    collection = Collection.open(root, NOON, "desk")
    collection.rate("why", Rating.GOOD, NOON - timedelta(days=20), 0)
    taken(root, learnt((30, 3, 4), (10, 3, 33)))
    state = reviewed(root)
    assert (state.repetitions, state.due_day) == (3, NOON.date() + timedelta(days=23))
    events = Collection.open(root, NOON).events("why")
    assert [type(event.what) for event in events] == [Reviewed] * 3


def test_every_card_of_a_real_package_is_due_as_in_anki(root: Path) -> None:
    path = Path(__file__).parent / "anki" / "current.apkg"
    now = datetime(2026, 11, 22, 12, tzinfo=UTC)
    cards, found = read(path)
    take_in(root, found, now)
    deck = Collection.open(root, now)
    ours = {card.extra["source"]: card.items for card in deck.cards.values()}
    seen = 0
    for card in cards:
        for theirs, item in zip(card.items, ours[f"anki:{card.key}"], strict=True):
            assert deck.is_suspended(item.id) is theirs.suspended
            if theirs.due is None:
                assert deck.state(item.id) == New()
            else:
                assert reviewed(deck, item.id).due_day == theirs.due.date()
                seen += 1
    assert seen == 5


ITEMS = st.lists(
    st.tuples(st.integers(1, 400), st.integers(1, 4), st.integers(1, 300)), max_size=4, unique=True
)


@st.composite
def packages(draw: st.DrawFn) -> tuple[ForeignCard, ...]:
    cards = []
    for number in range(draw(st.integers(0, 3))):
        days = sorted({day[0]: day for day in draw(ITEMS)}.values(), reverse=True)
        item = ForeignItem(
            reviews=answers(*days),
            suspended=draw(st.booleans()),
            due=draw(st.none() | st.just(NOON + timedelta(days=7))),
            buried=draw(st.none() | st.just(date(2026, 11, 25))),
            changed=draw(st.none() | st.just(NOON - timedelta(hours=3))),
        )
        solution = draw(st.sampled_from(["One.", "Two.", "# Solution", ""]))
        cards.append(replace(CARD, key=f"k{number}", solution=solution, items=(item,)))
    return tuple(cards)


@settings(max_examples=10)
@given(packages())
def test_to_import_twice_is_to_import_once_and_two_devices_have_one_history(
    tmp_path_factory: pytest.TempPathFactory, cards: Sequence[ForeignCard]
) -> None:
    root, other = (tmp_path_factory.mktemp(name) for name in ("desk", "phone"))
    taken(root, *cards)
    once, stands = tree(root), standing(root)
    again = taken(root, *cards)
    assert (tree(root), standing(root)) == (once, stands)
    assert (again.new, again.changed, again.kept, again.reviews) == (0, 0, 0, 0)
    taken(other, *cards, device="phone")
    count = len(read_journal(root / ".deltadeck").events)
    for path in (other / ".deltadeck").rglob("*.*l*"):
        target = root / path.relative_to(other)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    assert standing(root) == stands
    events = read_journal(root / ".deltadeck").events
    assert len({event.id for event in events}) == count
    assert taken(root, *cards).reviews == 0


def test_a_second_import_finishes(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each system call that makes a name fails once, as on a disk that is full just then."""
    cards = [replace(learnt((9, 3, 4)), key=f"k{n}", wanted_id=f"c{n}") for n in range(3)]
    whole = tmp_path / "whole"
    taken(whole, *cards)
    link, left = os.link, [0]

    def failing(source: str, target: str) -> None:
        left[0] -= 1
        if not left[0]:
            raise OSError(28, "No space left on device")
        link(source, target)

    for call in range(1, 4):
        shutil.rmtree(root)
        root.mkdir()
        left[0] = call
        monkeypatch.setattr(os, "link", failing)
        with pytest.raises(ExchangeError, match="disk is full"):
            taken(root, *cards)
        monkeypatch.setattr(os, "link", link)
        assert all(path.read_text().endswith("Because.\n") for path in root.rglob("*.md"))
        assert not list(root.rglob("*.deltadeck-tmp"))
        taken(root, *cards)
        texts = [
            {name: data for name, data in tree(each).items() if name.endswith(".md")}
            for each in (root, whole)
        ]
        assert texts[0] == texts[1]
        assert standing(root) == standing(whole)


def test_a_package_that_breaks_off_leaves_what_it_gave(root: Path) -> None:
    def broken() -> object:
        yield learnt((9, 3, 4))
        raise ExchangeError("it is damaged")

    found = replace(bundle(), cards=broken)  # type: ignore[arg-type]
    with pytest.raises(ExchangeError, match="damaged"):
        take_in(root, found)
    assert reviewed(root).repetitions == 1


ZONES = ["America/Los_Angeles", "Asia/Kolkata", "Asia/Tokyo", "Europe/London", "Pacific/Auckland"]
#: Roll-overs of other collections than the one into which the file comes.
NIGHTS = [("Asia/Tokyo", "12:00"), ("Europe/London", "23:00")]
#: When a card is answered, on the clock of each zone: a night belongs to the day before.
TIMES = {"c0": (1, 30), "c1": (10, 0), "c2": (22, 12)}


@pytest.fixture
def here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[ZoneInfo]:
    """The zone of this machine's clock for a test."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield ZoneInfo(request.param)
    monkeypatch.undo()
    time.tzset()


def answered(root: Path, zone: ZoneInfo) -> Collection:
    """Answers at every hour of the day, one practised and one made new, and a day set by hand."""
    deck = Collection.open(root, datetime(2026, 10, 1, 12, tzinfo=zone), "desk")
    for month, day, rating in ((10, 3, 3), (10, 9, 4), (11, 2, 2)):
        for card, (hour, minute) in TIMES.items():
            at = datetime(2026, month, day, hour, minute, tzinfo=zone)
            deck.rate(card, Rating(rating), at, 2000)
        deck.record("c1", Practised(Rating.GOOD, 700), at + timedelta(hours=1))
        if day == 9:
            deck.record("c2", Reset(), at + timedelta(hours=1))
    at = datetime(2026, 11, 3, 22, 12, tzinfo=zone)
    deck.record("c0", Rescheduled({"c0": date(2026, 12, 24)}), at)
    return deck


def history(deck: Collection) -> list[tuple[object, ...]]:
    events = [event for card in TIMES for event in deck.events(card)]
    return [
        (event.id, event.at, event.offset, event.day, event.kind, event.rating)
        for event in events
        if isinstance(event.what, Reviewed | Practised | Reset)
    ]


@pytest.mark.parametrize(
    ("zone", "rollover"), [*((zone, "04:00") for zone in ZONES), (ZONES[0], "00:00"), *NIGHTS]
)
def test_json_brings_the_history_back(root: Path, tmp_path: Path, zone: str, rollover: str) -> None:
    """Also into a collection whose days end at another hour, and where the machine that reads it
    is on another clock, as the one of the tests is.
    """
    for card in TIMES:
        write_card(root, card)
    configure(root, f'write_status = false\nrollover = "{rollover}"\n')
    deck = answered(root, ZoneInfo(zone))
    now = datetime(2026, 11, 4, 23, 0, tzinfo=ZoneInfo(zone))
    exported(deck, tmp_path / "all.json")
    take_in(tmp_path / "other", tmp_path / "all.json", now, "phone")
    back = Collection.open(tmp_path / "other", now)
    assert history(back) == history(deck)
    for card in TIMES:
        assert back.state(card) == deck.state(card), card


def only_item(root: Path, **record: object) -> ForeignItem:
    text = json.dumps([{"question": "a", "answer": "b", **record}])
    (card,), found = read(saved(root, "json", text))
    assert not found.lost
    (item,) = card.items
    return item


@pytest.mark.parametrize("here", ZONES[:3], indirect=True)
def test_an_instant_without_a_clock_was_on_this_machines(root: Path, here: ZoneInfo) -> None:
    there = datetime(2026, 11, 21, 18, 30, tzinfo=UTC)
    for said in (
        *("2026-11-21T18:30:00Z", "2026-11-21T18:30:00-00:00"),
        *(1_795_285_800, 1_795_285_800_000),
    ):
        (review,) = only_item(root, reviews=[{"at": said, "rating": 3}]).reviews
        assert review.at == there
        assert review.at.utcoffset() == there.astimezone(here).utcoffset()
        assert review.key == "2026-11-21T18:30:00+00:00", "the same answer on every machine"
    for offset, hours in (("+00:00", 0), ("-08:00", -8)):
        item = only_item(root, reviews=[{"at": f"2026-11-21T18:30:00{offset}", "rating": 3}])
        assert item.reviews[0].at.utcoffset() == timedelta(hours=hours)


@pytest.mark.parametrize("here", ZONES[:3], indirect=True)
@pytest.mark.parametrize("rollover", ["00:00", "04:00", "23:00"])
def test_a_day_without_a_time_is_that_study_day(root: Path, here: ZoneInfo, rollover: str) -> None:
    reviews = [{"at": "2026-11-02", "rating": 3, "days": 4}]
    cards = [
        {"id": "a", "question": "a", "answer": "b", "due": "2026-12-24", "reviews": reviews},
        {"id": "b", "question": "c", "answer": "d", "due": "2026-12-24"},
    ]
    now = datetime(2026, 11, 21, 12, tzinfo=here)
    configure(root, f'rollover = "{rollover}"\n')
    take_in(root, saved(root, "json", json.dumps(cards)), now)
    deck = Collection.open(root, now)
    for card in deck.cards:
        assert getattr(deck.state(card), "due_day", None) == date(2026, 12, 24)
    assert deck.events("a")[0].day == date(2026, 11, 2)
