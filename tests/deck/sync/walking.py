"""A random walk of computers that are offline most of the time, and sync in any order."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from cards import CardError
from deck.collection import Collection
from deck.events import Buried, Event, Reset
from deck.fsrs import Rating
from deck.index.lines import read_journal
from deck.replay import New, replay
from tests.deck.given import later
from tests.deck.sync.given import ITEMS, Fleet, events, synced
from tests.deck.sync.shuffling import Shuffle

NAMES = ("desk", "phone", "tablet")


@dataclass
class Toll:
    rounds: int = 0
    syncs: int = 0
    acknowledged: int = 0
    """Events."""
    conflicts: int = 0
    beside: int = 0
    """Cards that met another one of their file's name."""
    kept: int = 0
    """Cards that were deleted on one side and changed on another."""
    edits: int = 0


class Walk:
    """Three computers, each with its own clock, its collection open all the time as in the app."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.fleet, self.chance, self.toll = Fleet(folder, NAMES), random.Random(seed), Toll()
        self.decks = {name: self.fleet.open(name) for name in NAMES}
        self.shuffle = Shuffle(self.chance)
        self.hours = dict.fromkeys(NAMES, 0.0)
        self.known: set[str] = set()
        """The ids of all events that were acknowledged, on any computer."""

    def rounds(self, number: int, every: int) -> Toll:
        """So many rounds; all is compared after each `every` of them, and at the end."""
        for at in range(1, number + 1):
            for name in self.chance.sample(NAMES, self.chance.randint(1, 3)):
                for _ in range(self.chance.randint(0, 4)):
                    self._act(name)
            for name in self.chance.sample(NAMES, self.chance.randint(0, 3)):
                self._sync(name)
            self.toll.rounds += 1
            if at % every == 0 or at == number:
                self._compare()
        for deck in self.decks.values():
            deck.close()
        return self.toll

    def _act(self, name: str) -> None:
        chance, deck = self.chance, self.decks[name]
        self.hours[name] += chance.uniform(-1, 20)
        now, item, what = later(hours=self.hours[name]), chance.choice(ITEMS), chance.random()
        made: Event | None = None
        if what < 0.6:
            made = deck.rate(item, Rating(chance.randint(1, 4)), now, 1000)
        elif what < 0.7:
            made = deck.undo(now)
        elif what < 0.76:
            made = deck.suspend(item, now, on=chance.random() < 0.5)
        elif what < 0.8:
            made = deck.record(item, Reset(), now)
        elif what < 0.84:
            made = deck.record(item, Buried((now + timedelta(days=3)).date()), now)
        else:
            self._edit(name)
        if made is not None:
            self.known.add(made.id)
            self.toll.acknowledged += 1

    def _edit(self, name: str) -> None:
        try:
            for _ in range(self.chance.randint(1, 4)):
                self.toll.edits += 1
                self.shuffle.act(self.fleet[name])
        except CardError as error:
            raise AssertionError(f"a card was broken: {error}") from error

    def _sync(self, name: str) -> None:
        report = synced(self.fleet[name])
        self.toll.syncs += 1
        for each in report.repositories:
            self.toll.conflicts += len(each.merged.conflicts)
            self.toll.beside += len(each.merged.beside)
            self.toll.kept += len(each.merged.kept)

    def _compare(self) -> None:
        for name in 2 * NAMES:
            self._sync(name)
        self.fleet.agree()
        now = later(hours=max(self.hours.values()))
        states = []
        for name, deck in self.decks.items():
            root = self.fleet[name]
            self.shuffle.check(root)
            assert self.known <= events(root), "an acknowledged event is gone"
            deck.reload(now)
            states.append({item: self._told(deck, item) for item in ITEMS})
            journal = read_journal(root / ".deltadeck")
            assert journal.problems == ()
            folded = replay(journal.events, deck.config)
            assert all(deck.state(item) == folded.get(item, New()) for item in ITEMS)
        assert states[0] == states[1] == states[2]

    def _told(self, deck: Collection, item: str) -> object:
        return deck.state(item), deck.events(item), deck.is_suspended(item), deck.card_of(item).id
