"""When cards were added, and what an exam is about: the index says what the cards would."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path
from statistics import median

from deck.collection import Collection
from deck.events import Reviewed
from deck.exam import Stake
from deck.fsrs import Rating
from deck.queue import ENOUGH, PACE
from deck.replay import Answer, Learning, New
from tests.deck.given import NOON, later, write_card

TODAY = NOON.date()
NOBODY = "desk"


def aged(path: Path, days: int) -> None:
    """As if the file had changed so many days ago."""
    then = (NOON - timedelta(days=days)).timestamp()
    os.utime(path, (then, then))


def test_a_card_was_added_on_the_day_it_names(root: Path) -> None:
    write_card(root, "one", created="2026-03-01")
    write_card(root, "20260405_two")
    assert Collection.open(root, NOON, NOBODY).added(NOON) == {
        date(2026, 3, 1): 1,
        date(2026, 4, 5): 1,
    }


def test_a_card_without_a_day_was_there_when_its_file_changed_and_when_it_was_answered(
    root: Path,
) -> None:
    aged(write_card(root, "one"), 10)
    aged(write_card(root, "two"), 10)
    collection = Collection.open(root, NOON, NOBODY)
    assert collection.added(NOON) == {TODAY - timedelta(days=10): 2}
    collection.rate("two", Rating.GOOD, later(days=-20), 1000)
    assert collection.added(NOON)[TODAY - timedelta(days=20)] == 1


def test_a_card_with_several_items_is_added_once_and_a_search_narrows(root: Path) -> None:
    cloze = "{{c1::Backward}} and {{c2::forward}}."
    write_card(root, "one", cloze, type="cloze", created="2026-03-01", tags="[x]")
    write_card(root, "two", created="2026-03-01")
    collection = Collection.open(root, NOON, NOBODY)
    assert collection.added(NOON) == {date(2026, 3, 1): 2}
    assert collection.added(NOON, "tag:x") == {date(2026, 3, 1): 1}


def pace_of(answers: Iterable[Answer]) -> dict[str, float]:
    """Median seconds of an answer by kind; `PACE` where there are few."""
    took: dict[str, list[float]] = {kind: [] for kind in PACE}
    for answer in answers:
        kind = "new" if isinstance(answer.before, New) else "review"
        kind = "learning" if isinstance(answer.before, Learning) else kind
        if isinstance(answer.event.what, Reviewed):
            took[kind].append(answer.event.what.milliseconds / 1000)
    return {kind: median(t) if len(t) >= ENOUGH else PACE[kind] for kind, t in took.items()}


def test_stakes_are_those_of_the_cards(root: Path) -> None:
    write_card(root, "one", "(3p) Why?")
    write_card(root, "two", "{{c1::a}} {{c2::b}}", type="cloze")
    write_card(root, "aside", status="suspended")
    write_card(root, "other", course="Control")
    collection = Collection.open(root, NOON, NOBODY)
    for number in range(30):
        seconds = 1000 * (number + 1)
        collection.rate("one", Rating.GOOD, later(days=3 * number, seconds=number), seconds)
    collection.rate("two/c1", Rating.AGAIN, later(days=90), 9000)
    found, pace = collection.stakes("Networks")
    cards = [collection.cards["one"], collection.cards["two"]]
    assert sorted(found, key=lambda stake: stake.item_id) == [
        Stake.of(item.id, card, collection.state(item.id)) for card in cards for item in card.items
    ]
    answers = [a for stake in found for a in collection.answers(stake.item_id)]
    assert pace == pace_of(answers)
    assert collection.stakes("Nothing") == ([], pace_of([]))
