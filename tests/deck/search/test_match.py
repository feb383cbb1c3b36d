"""What each term of a search means."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from deck.collection import Collection
from deck.fsrs import Rating
from tests.deck.given import CLOZE, NOON, configure, later, write_card


@pytest.fixture
def collection(root: Path) -> Collection:
    configure(root, '[searches]\nhard = "difficulty>=4"\n')
    write_card(root, "20261120_pool", "(5p) Max-Pooling, Kávé → x?", difficulty=2, tags="[nn::cnn]")
    write_card(root, "norm", "What is batch normalisation?", difficulty=5, course="Control")
    write_card(root / "batch4", "pair", CLOZE, type="cloze", created="2026-11-01")
    write_card(root, "aside", status="suspended", created="2020-01-01")
    made = Collection.open(root, NOON, "desk")
    made.rate("norm", Rating.EASY, later(days=-30), 1000)
    made.rate("pair/c1", Rating.AGAIN, later(days=-2), 1000)
    made.rate("pair/c2", Rating.EASY, NOON, 1000)
    return made


def found(collection: Collection, text: str, now: datetime = NOON) -> set[str]:
    return set(collection.search(text, now))


EVERYTHING = {"20261120_pool", "norm", "pair/c1", "pair/c2", "aside"}


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", EVERYTHING),
        ("normal", {"norm"}),
        ("normalisation batch", {"norm"}),
        ("*isation", {"norm"}),
        ("isation", set()),
        ("max-pool", {"20261120_pool"}),
        ("kave", {"20261120_pool"}),
        ("→", {"20261120_pool"}),
        ('"batch normalisation"', {"norm"}),
        ('"normalisation batch"', set()),
        ('"batch normal"', set()),
        ("tag:nn", {"20261120_pool"}),
        ("tag:cnn", set()),
        ("tag:*cnn", {"20261120_pool"}),
        ("course:CON*", {"norm"}),
        ("deck:batch4", {"pair/c1", "pair/c2"}),
        ("deck:networks", EVERYTHING - {"norm"}),
        ("type:cloze", {"pair/c1", "pair/c2"}),
        ("id:pair/c1", {"pair/c1"}),
        ("path:batch4/*", {"pair/c1", "pair/c2"}),
        ("has:points", {"20261120_pool"}),
        ("question:normal -solution:normal", {"norm"}),
        ("is:new", {"20261120_pool", "aside"}),
        ("is:learning", {"pair/c1"}),
        ("is:review", {"norm", "pair/c2"}),
        ("is:due", {"norm", "pair/c1"}),
        ("is:overdue", {"norm"}),
        ("is:suspended", {"aside"}),
        ("is:young", {"norm", "pair/c2"}),
        ("is:leech", set()),
        ("difficulty>=3", {"norm"}),
        ("points:5", {"20261120_pool"}),
        ("r<0.9", {"norm", "pair/c1"}),
        ("r=1", {"pair/c2"}),
        ("s>1 d<5", {"norm", "pair/c2"}),
        ("reps=0", {"20261120_pool", "aside"}),
        ("due<0", {"norm", "pair/c1"}),
        ("rated:1", {"pair/c2"}),
        ("rated:3:1", {"pair/c1"}),
        ("introduced:3", {"pair/c1", "pair/c2"}),
        ("added:7 -id:norm", {"20261120_pool"}),
        ("added:30 -id:norm", {"20261120_pool", "pair/c1", "pair/c2"}),
        ("@hard or tag:nn", {"norm", "20261120_pool"}),
    ],
)
def test_a_term_means_these_items(collection: Collection, text: str, ids: set[str]) -> None:
    assert found(collection, text) == ids


@pytest.mark.parametrize("text", ["batch", "is:due", "r<0.9", "tag:nn or points>3"])
def test_not_is_the_rest_and_twice_not_is_the_same(collection: Collection, text: str) -> None:
    assert found(collection, f"-({text})") == EVERYTHING - found(collection, text)
    assert found(collection, f"--({text})") == found(collection, text)


def test_a_buried_or_suspended_item_is_not_due(collection: Collection) -> None:
    collection.suspend("norm", NOON)
    assert found(collection, "is:due") == {"pair/c1"}
    assert found(collection, "is:suspended") == {"aside", "norm"}
