"""The figures that the index keeps up to date are those made anew; home's few are the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck import Collection, Rating
from deck.config import model_of
from deck.events import Event, Interval, LearningStep, Reset, Reviewed, Undone
from deck.stats import WEEK, YEAR, RecentActivity, Share, Statistics
from tests.deck.given import (
    NOON,
    append_events,
    configure,
    event,
    later,
    review,
    write_card,
)

Agree = Callable[..., None]
ITEMS = [f"c{number}" for number in range(8)]


@pytest.fixture
def agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Agree:
    """Holds what the index kept up to date against an index that is made then."""

    def held(collection: Collection, day: float, search: str = "") -> None:
        now = later(days=day)
        collection.queue(now)  # takes up what the other device did
        found = collection.statistics(now, search, 999)
        with monkeypatch.context() as patch:
            patch.setenv("XDG_CACHE_HOME", str(tmp_path / f"cache{next(numbers)}"))
            fresh = Collection.open(collection.root, now, "fresh")
        expected = fresh.statistics(now, search, 999)
        fresh.close()
        for field in fields(Statistics):
            if field.name not in ("memories", "calibration"):
                assert getattr(found, field.name) == getattr(expected, field.name), field.name
        for name in ("stability", "difficulty", "retrievability", "intervals"):
            told, anew = (getattr(each.memories, name) for each in (found, expected))
            assert (told.edges, told.counts) == (anew.edges, anew.counts), name
            assert told.median == pytest.approx(anew.median), name
            assert told.mean == pytest.approx(anew.mean), name
        assert found.memories.remembered == pytest.approx(expected.memories.remembered)
        assert found.calibration.answers == expected.calibration.answers
        assert found.calibration.log_loss == pytest.approx(expected.calibration.log_loss)
        if not search:
            says_the_same(collection.lately(now), found)

    numbers = count()
    return held


def says_the_same(lately: RecentActivity, stats: Statistics) -> None:
    """Home's few figures (deck/index/stats.py) are those of the statistics."""
    first = lately.today - timedelta(days=YEAR - 1)
    assert lately.answers == {each.day: each.count for each in stats.days if each.day >= first}
    assert lately.streak == stats.streak.current
    [month] = [each.all for each in stats.retention if each.name == "month"]
    assert lately.recall == month
    assert lately.ahead == stats.forecast[:WEEK]


def test_the_tally_follows_everything_that_is_done(root: Path, agree: Agree) -> None:
    for item in ITEMS:
        write_card(root, item, tags=f"[t{ITEMS.index(item) % 2}]")
    desk, lab = (Collection.open(root, NOON, device) for device in ("desk", "lab"))
    rng, day = random.Random(1), 0.0
    for step in range(60):
        day += rng.choice((0.001, 0.3, 1, 6))
        one, item = rng.choice((desk, lab)), rng.choice(ITEMS)
        match rng.randint(0, 12):
            case 0:
                one.undo(later(days=day))
            case 1:
                one.record(item, Reset(), later(days=day))
            case 2:
                one.record_check(item, {"verdict": "wrong"}, later(days=day))
            case 3:
                one.suspend(item, later(days=day), on=rng.random() < 0.5)
            case _:
                one.rate(item, Rating(rng.randint(1, 4)), later(days=day), 1000 * step)
        if step % 7 == 0:
            agree(rng.choice((desk, lab)), day, rng.choice(("", "tag:t1", "is:review")))
    for known in (desk, lab, Collection.open(root, later(days=day), "third")):
        agree(known, day)
        agree(known, day, "tag:t0")
    (root / "c3.md").unlink()
    desk.reload(later(days=day))
    assert desk.statistics(later(days=day)).streak == lab.statistics(later(days=day)).streak
    agree(desk, day)


def test_other_parameters_count_everything_again(root: Path, agree: Agree) -> None:
    write_card(root, "c0")
    collection = Collection.open(root, NOON, "desk")
    for days in (0, 4, 9):
        collection.rate("c0", Rating.EASY, later(days=days), 1000)
    before = collection.statistics(later(days=9)).calibration
    configure(root, f"parameters = {[*model_of(collection.config).parameters[:-1], 0.6]}\n")
    collection.reload(later(days=9))
    agree(collection, 9)
    assert collection.statistics(later(days=9)).calibration.log_loss != before.log_loss


PROMISES = (None, Interval(3), LearningStep(0, timedelta(minutes=10)))
DONE = st.tuples(
    st.integers(0, 45), st.sampled_from("abc"), st.integers(0, 5), st.sampled_from(PROMISES)
)
"""Days ago, item, rating (0: a reset; 5: undo what came before), what it led to."""


def told(done: list[tuple[int, str, int, Interval | LearningStep | None]]) -> Iterator[Event]:
    before: Event | None = None
    for number, (ago, item, rating, promise) in enumerate(sorted(done, key=lambda d: -d[0])):
        at = later(days=-ago, seconds=number)
        if rating == 5:
            if before is not None:
                yield event(Undone(before.id), before.item, at, random=number)
            continue
        before = event(Reset(), item, at, random=number)
        if rating:
            before = review(Rating(rating), item, at, random=number)
            assert isinstance(before.what, Reviewed)
            before = replace(before, what=replace(before.what, promise=promise))
        yield before


@given(st.lists(DONE, max_size=14))
def test_they_are_those_of_the_statistics(
    tmp_path_factory: pytest.TempPathFactory,
    done: list[tuple[int, str, int, Interval | LearningStep | None]],
) -> None:
    """Also of lines that promise nothing, of resets and undos, and of a copied file."""
    root = tmp_path_factory.mktemp("cards")
    for item in "abc":
        write_card(root, item)
    events = list(told(done))
    append_events(root / ".deltadeck", events)
    append_events(root / ".deltadeck", events[::2], "copy")
    collection = Collection.open(root, NOON, "desk")
    says_the_same(collection.lately(NOON), collection.statistics(NOON, days=999))
    collection.close()


def test_a_streak_may_be_longer_than_a_year(root: Path) -> None:
    write_card(root, "a")
    days = YEAR + 9
    append_events(root / ".deltadeck", (review(at=later(days=-ago)) for ago in range(1, days)))
    found = Collection.open(root, NOON, "desk").lately(NOON)
    assert found.streak == days - 1
    assert len(found.answers) == YEAR - 1


def test_of_nothing_there_is_nothing(root: Path) -> None:
    write_card(root, "a")
    found = Collection.open(root, NOON, "desk").lately(NOON)
    assert (found.answers, found.streak, found.pace) == ({}, 0, None)
    assert found.recall == Share(0, 0)
    assert found.ahead == (0,) * 7


def test_the_pace_is_that_of_the_last_month(root: Path) -> None:
    write_card(root, "a")
    collection = Collection.open(root, NOON, "desk")
    for days, seconds in ((-40, 500), (-2, 20), (0, 40)):
        collection.rate("a", Rating.GOOD, later(days=days), seconds * 1000)
    assert collection.lately(NOON).pace == pytest.approx(0.5)
