"""Several devices, merged by copying files: whatever was copied when, all end in one state."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deck.collection import Collection
from deck.events import Buried, Reset
from deck.fsrs import Rating
from deck.index.lines import read_journal
from deck.repair import examine
from deck.replay import New, replay
from tests.deck.given import CLOZE, NOON, later, write_card

ITEMS = ["a", "b", "c/c1", "c/c2"]
DEVICES = ["desk", "phone", "tablet"]

#: What a device does, or that it copies the files of others.
ACTS = st.tuples(
    st.sampled_from(DEVICES),
    st.sampled_from(["rate", "rate", "rate", "undo", "suspend", "reset", "bury", "copy", "copy"]),
    st.sampled_from(ITEMS),
    st.sampled_from(Rating),
    st.integers(-2, 20),
    st.sampled_from(DEVICES),
)


class Fleet:
    """A folder a device, each with the same cards and its own clock."""

    def __init__(self, folder: Path) -> None:
        self.roots = {device: folder / device for device in DEVICES}
        for root in self.roots.values():
            for item in "ab":
                write_card(root, item)
            write_card(root, "c", CLOZE, type="cloze")
        self.decks = {name: Collection.open(root, NOON, name) for name, root in self.roots.items()}
        self.days = dict.fromkeys(DEVICES, 0)

    def copy(self, to: str, source: str) -> None:
        """The files that another device has: its own, and those that it got from the third."""
        if to == source:
            return
        theirs, ours = (self.roots[name] / ".deltadeck" / "journal" for name in (source, to))
        for path in sorted(theirs.glob("*/*.jsonl")):
            if path.parent.name != to:  # nobody but the device itself writes its files
                target = ours / path.parent.name / path.name
                if not target.exists() or target.stat().st_size < path.stat().st_size:
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path, target)

    def act(self, device: str, what: str, item: str, rating: Rating, days: int, other: str) -> None:
        deck = self.decks[device]
        self.days[device] += days
        now = later(days=self.days[device])
        match what:
            case "rate":
                deck.rate(item, rating, now, 1000)
            case "undo":
                deck.undo(now)
            case "suspend":
                deck.suspend(item, now, on=rating > 2)
            case "reset":
                deck.record(item, Reset(), now)
            case "bury":
                deck.record(item, Buried((now + timedelta(days=3)).date()), now)
            case "copy":
                self.copy(device, other)

    def settle(self, orders: list[tuple[str, str]]) -> None:
        for to, source in [*orders, *((a, b) for a in DEVICES for b in DEVICES)] * 2:
            self.copy(to, source)

    def close(self) -> None:
        for deck in self.decks.values():
            deck.close()


def told(deck: Collection) -> object:
    deck.queue(NOON)
    return [
        (deck.state(item), deck.events(item), deck.answers(item), deck._history.folded(item))
        for item in ITEMS
    ]


@settings(max_examples=25, deadline=None)
@given(st.lists(ACTS, max_size=16), st.permutations([(a, b) for a in DEVICES for b in DEVICES]))
def test_devices_that_copy_each_others_files_end_in_one_state(
    tmp_path_factory: pytest.TempPathFactory,
    acts: list[tuple[str, str, str, Rating, int, str]],
    orders: list[tuple[str, str]],
) -> None:
    fleet = Fleet(tmp_path_factory.mktemp("fleet"))
    for act in acts:
        fleet.act(*act)
    fleet.settle(orders)
    first, *others = (told(deck) for deck in fleet.decks.values())
    assert all(other == first for other in others)
    for device, root in fleet.roots.items():
        journal = read_journal(root / ".deltadeck")
        assert journal.problems == ()
        deck = fleet.decks[device]
        states = replay(journal.events, deck.config)
        assert all(deck.state(item) == states.get(item, New()) for item in ITEMS)
        assert examine(root) == []
    fleet.close()
    fresh = Collection.open(fleet.roots["desk"], NOON, "desk")
    assert told(fresh) == first
    fresh.close()
