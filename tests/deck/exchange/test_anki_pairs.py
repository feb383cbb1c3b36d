"""Notes of two cards that begin or cease to be each other's mirror image."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from deck.collection import Collection
from deck.exchange.anki.notes import read
from deck.exchange.apply import take
from deck.exchange.plan import Summary, plan
from deck.fsrs import Rating
from deck.replay import Review
from tests.deck.exchange import packages
from tests.deck.exchange.packages import NOW, Given, Made, package

TWO = 7
SIDES = [("a", "{{W}}", "{{M}}{{#E}}<br>{{E}}{{/E}}"), ("b", "{{M}}", "{{W}}")]
LATER = NOW + timedelta(minutes=9)
REVIEW = {"type": 2, "queue": 2, "due": 700, "ivl": 9}


@pytest.fixture(autouse=True)
def _two(monkeypatch: pytest.MonkeyPatch) -> None:
    types = {**packages.TYPES, TWO: ("Two", 0, ["W", "M", "E"], SIDES)}
    monkeypatch.setattr(packages, "TYPES", types)


def took(root: Path, extra: str, answered: bool = True, now: datetime = NOW) -> Summary:
    """The note is a mirror image where it has no extra."""
    given = {0: [Given(20, 3, 9)], 1: [Given(19, 3, 8)]} if answered else {}
    cards = {0: REVIEW, 1: REVIEW} if answered else {0: {}, 1: {}}
    note = Made("g", ("word", "means", extra), TWO, answers=given, cards=cards)
    path = package(root.parent / "a.apkg", [note])
    return take(plan(read(path), Collection.open(root, now, "desk"), now))


def shapes(root: Path) -> dict[str, str]:
    return {card.id: card.type for card in Collection.open(root, NOW).cards.values()}


def test_two_cards_stay_two_when_they_become_mirror_images(root: Path) -> None:
    took(root, "more")
    assert shapes(root) == {"word": "basic", "means": "basic"}
    done = took(root, "")
    assert (done.new, done.changed, done.reviews, done.lost) == (0, 1, 0, [])
    assert shapes(root) == {"word": "basic", "means": "basic"}
    assert Collection.open(root, NOW).cards["word"].solution == "means"
    assert (took(root, "").unchanged, took(root, "more").changed) == (2, 1)


@pytest.mark.parametrize("answered", [True, False])
def test_a_card_that_asked_both_ways_becomes_two_with_its_answers(
    root: Path, answered: bool
) -> None:
    took(root, "", answered)
    deck = Collection.open(root, NOW, "desk")
    deck.rate("word/r", Rating.EASY, LATER, 2000)
    before = deck.state("word/r")
    assert isinstance(before, Review)
    done = took(root, "more", answered)
    assert (done.new, done.changed) == (1, 1)
    assert ["goes on where word/r was" in lost.what for lost in done.lost] == [True]
    assert shapes(root) == {"word": "basic", "means": "basic"}
    deck = Collection.open(root, NOW, "desk")
    after = deck.state("means")
    assert isinstance(after, Review)
    assert after.repetitions == before.repetitions
    assert after.interval == before.interval
    assert len(deck.answers("means")) == len(deck.answers("word/r"))
    again = took(root, "more", answered)
    assert (again.unchanged, again.reviews, again.lost) == (2, 0, [])
    assert (took(root, "", answered).changed, len(shapes(root))) == (1, 2)


def test_what_was_undone_here_stays_undone(root: Path) -> None:
    took(root, "", answered=False)
    deck = Collection.open(root, NOW, "desk")
    deck.rate("word/r", Rating.EASY, LATER, 2000)
    deck.undo(LATER + timedelta(minutes=1))
    took(root, "more", answered=False)
    assert Collection.open(root, NOW).answers("means") == []


def test_a_card_that_was_edited_here_goes_on_asking_both_ways(root: Path) -> None:
    took(root, "")
    path = root / "Networks" / "word.md"
    path.write_text(path.read_text().replace("means", "mine"))
    done = took(root, "more")
    assert (done.new, done.kept, done.listed["kept"]) == (0, 1, ["word"])
    assert shapes(root) == {"word": "reversed"}
    assert Collection.open(root, NOW).cards["word"].solution == "mine"


def test_a_package_without_extra_makes_one_card(root: Path) -> None:
    assert took(root, "").new == 1
    assert shapes(root) == {"word": "reversed"}
    assert (took(root, "").unchanged, took(root, "").reviews) == (1, 0)
