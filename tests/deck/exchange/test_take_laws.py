"""Laws of the import: twice is once, two devices are one, a second one finishes the first."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deck.collection import Collection
from deck.exchange.apply import take
from deck.exchange.model import ExchangeError, ForeignCard, ForeignItem, ImportSource
from deck.exchange.plan import plan
from deck.index.lines import read_journal
from deck.replay import Review
from tests.deck.exchange.foreign import CARD, answers, learnt, standing, taken, tree
from tests.deck.given import NOON

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


@settings(max_examples=15, deadline=None)
@given(packages())
def test_to_import_twice_is_to_import_once(
    tmp_path_factory: pytest.TempPathFactory, cards: Sequence[ForeignCard]
) -> None:
    root = tmp_path_factory.mktemp("cards")
    taken(root, *cards)
    once, stands = tree(root), standing(root)
    again = taken(root, *cards)
    assert tree(root) == once
    assert standing(root) == stands
    assert (again.new, again.changed, again.kept, again.reviews) == (0, 0, 0, 0)


@settings(max_examples=15, deadline=None)
@given(packages())
def test_two_devices_that_import_alone_have_one_history(
    tmp_path_factory: pytest.TempPathFactory, cards: Sequence[ForeignCard]
) -> None:
    roots = [tmp_path_factory.mktemp(name) for name in ("desk", "phone")]
    for root in roots:
        taken(root, *cards, device=root.name[:-1])
    stands = standing(roots[0])
    count = len(read_journal(roots[0] / ".deltadeck").events)
    for path in (roots[1] / ".deltadeck").rglob("*.*l*"):
        target = roots[0] / path.relative_to(roots[1])
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    assert standing(roots[0]) == stands
    events = read_journal(roots[0] / ".deltadeck").events
    assert len({event.id for event in events}) == count
    assert taken(roots[0], *cards).reviews == 0


def test_whatever_stops_it_a_second_import_finishes(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each system call that makes a name fails once, as on a disk that is full just then."""
    cards = [replace(learnt((9, 3, 4)), key=f"k{n}", wanted_id=f"c{n}") for n in range(3)]
    whole = tmp_path / "whole"
    whole.mkdir()
    taken(whole, *cards)
    link, calls = os.link, [0]
    for failing in range(1, 4):

        def failing_link(source: str, target: str, failing: int = failing) -> None:
            calls[0] += 1
            if calls[0] == failing:
                raise OSError(28, "No space left on device")
            link(source, target)

        monkeypatch.setattr(os, "link", failing_link)
        calls[0] = 0
        with pytest.raises(ExchangeError, match="disk is full"):
            taken(root, *cards)
        for path in root.rglob("*.md"):
            assert path.read_text().endswith("Because.\n")
        assert not list(root.rglob("*.deltadeck-tmp"))
        monkeypatch.setattr(os, "link", link)
        shutil.rmtree(root)
        root.mkdir()
    calls[0] = 0
    monkeypatch.setattr(os, "link", failing_link)
    with pytest.raises(ExchangeError):
        taken(root, *cards)
    monkeypatch.setattr(os, "link", link)
    taken(root, *cards)
    cards_of = {name: data for name, data in tree(whole).items() if name.endswith(".md")}
    assert {name: data for name, data in tree(root).items() if name.endswith(".md")} == cards_of
    assert standing(root) == standing(whole)


def test_a_package_that_breaks_off_leaves_what_it_gave(root: Path) -> None:
    def broken() -> object:
        yield learnt((9, 3, 4))
        raise ExchangeError("it is damaged")

    collection = Collection.open(root, NOON, "desk")
    made = plan(ImportSource("anki", "a", 2, broken), collection, NOON)  # type: ignore[arg-type]
    with pytest.raises(ExchangeError, match="damaged"):
        take(made)
    assert isinstance(Collection.open(root, NOON).state("why"), Review)
