"""Answers and due days that come back belong to the study days that they belonged to, anywhere."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from deck.collection import Collection
from deck.events import Practised, Rescheduled, Reset, Reviewed
from deck.exchange import json as json_cards
from deck.exchange.apply import take
from deck.exchange.export.formats import export, format_of
from deck.exchange.export.source import Source
from deck.exchange.model import ForeignItem
from deck.exchange.plan import plan
from deck.exchange.readers import reader_of
from deck.fsrs import Rating
from tests.deck.given import configure, write_card

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
def test_an_export_as_json_brings_the_schedule_back(
    root: Path, tmp_path: Path, zone: str, rollover: str
) -> None:
    """Also into a collection whose days end at another hour, and where the machine that reads it
    is on another clock, as the one of the tests is.
    """
    for card in TIMES:
        write_card(root, card)
    configure(root, f'write_status = false\nrollover = "{rollover}"\n')
    deck = answered(root, ZoneInfo(zone))
    now = datetime(2026, 11, 4, 23, 0, tzinfo=ZoneInfo(zone))
    path = tmp_path / "all.json"
    export(Source(deck, now, None), path, format_of(path, None), lambda *_: None, True)
    other = tmp_path / "other"
    other.mkdir()
    back = Collection.open(other, now, "phone")
    take(plan(reader_of(path).load().read(path), back, now))
    back.reload(now)
    assert history(back) == history(deck)
    for card in TIMES:
        assert back.state(card) == deck.state(card), card


def read(root: Path, **record: object) -> ForeignItem:
    path = root / "cards.json"
    path.write_text(json.dumps([{"question": "a", "answer": "b", **record}]))
    bundle = json_cards.read(path)
    ((item,),) = (card.items for card in bundle.cards())
    assert not bundle.lost
    return item


@pytest.mark.parametrize("here", ZONES[:3], indirect=True)
@pytest.mark.parametrize(
    "said", ["2026-11-21T18:30:00Z", "2026-11-21T18:30:00-00:00", 1_795_285_800, 1_795_285_800_000]
)
def test_an_instant_without_a_clock_was_on_this_machines(
    root: Path, here: ZoneInfo, said: object
) -> None:
    (review,) = read(root, reviews=[{"at": said, "rating": 3}]).reviews
    there = datetime(2026, 11, 21, 18, 30, tzinfo=ZoneInfo("UTC"))
    assert review.at == there
    assert review.at.utcoffset() == there.astimezone(here).utcoffset()
    assert review.key == "2026-11-21T18:30:00+00:00", "the same answer on every machine"


@pytest.mark.parametrize("here", ["Asia/Tokyo"], indirect=True)
@pytest.mark.usefixtures("here")
def test_an_offset_is_the_clock_of_the_answer(root: Path) -> None:
    for said, hours in (("+00:00", 0), ("-08:00", -8)):
        item = read(root, reviews=[{"at": f"2026-11-21T18:30:00{said}", "rating": 3}])
        assert item.reviews[0].at.utcoffset() == timedelta(hours=hours)


@pytest.mark.parametrize("here", ZONES[:3], indirect=True)
@pytest.mark.parametrize("rollover", ["00:00", "04:00", "23:00"])
def test_a_day_without_a_time_is_that_study_day(root: Path, here: ZoneInfo, rollover: str) -> None:
    path = root / "cards.json"
    reviews = [{"at": "2026-11-02", "rating": 3, "days": 4}]
    cards = [
        {"id": "a", "question": "a", "answer": "b", "due": "2026-12-24", "reviews": reviews},
        {"id": "b", "question": "c", "answer": "d", "due": "2026-12-24"},
    ]
    path.write_text(json.dumps(cards))
    now = datetime(2026, 11, 21, 12, tzinfo=here)
    configure(root, f'rollover = "{rollover}"\n')
    deck = Collection.open(root, now, "desk")
    take(plan(json_cards.read(path), deck, now))
    deck.reload(now)
    for card in deck.cards:
        state = deck.state(card)
        assert getattr(state, "due_day", None) == date(2026, 12, 24)
    assert deck.events("a")[0].day == date(2026, 11, 2)
