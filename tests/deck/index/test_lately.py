"""Home's few figures are those of the statistics; what test_sight.py does not come by."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deck.collection import Collection
from deck.events import Event, Interval, LearningStep, Reset, Reviewed, Undone
from deck.fsrs import Rating
from deck.stats import YEAR, Share
from tests.deck.given import NOON, append_events, event, later, review, write_card
from tests.deck.index.test_sight import says_the_same

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


@settings(max_examples=25)
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
    untallied, stats = collection.lately(NOON), collection.statistics(NOON, days=999)
    says_the_same(untallied, stats)
    says_the_same(collection.lately(NOON), stats)
    assert collection.lately(NOON).pace == pytest.approx(untallied.pace)
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
