"""A random walk of computers that are offline most of the time, and sync in any order.

A learner writes, renames, exchanges, deletes and replaces cards.  Each text that is written holds a
word that no other one holds.  Until somebody writes over it, or deletes it, it must be on every
computer: in a card, or in a version to choose from.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from cards import CardError, read_card
from cards.edit import replace_section
from deck.collection import Collection
from deck.events import Buried, Event, Reset
from deck.fsrs import Rating
from deck.index.lines import read_journal
from deck.replay import New, replay
from tests.deck.given import later, write_card
from tests.deck.sync.given import ITEMS, copied, events

NAMES = ("desk", "phone", "tablet")


#: Few enough that they are in use again and again.
FILES = ("a", "b", "c", "new", "new-2", "sub/a", "sub/new", "sub/deeper/b")
#: Cards with answers, which are never deleted.
STAY = {"a", "b", "c"}
_WORD = re.compile(rb"word\d+z")


def card_files(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*.md") if ".deltadeck" not in path.parts)


class Shuffle:
    def __init__(self, chance: random.Random) -> None:
        self._chance, self._written = chance, 0
        self._over: set[bytes] = set()
        """Words that were written over or deleted somewhere."""

    def act(self, root: Path) -> None:
        chance, files = self._chance, card_files(root)
        path, to = chance.choice(files), root / f"{chance.choice(FILES)}.md"
        deed = chance.choice(("new", *("edit",) * 3, "move", "exchange", "delete", "replace"))
        if deed == "edit":
            self._edit(chance.choice(files[:2]))  # of a few, so that two sides meet
        elif deed == "exchange":
            self._exchange(chance.sample(files, chance.choice((2, 3))))
        elif deed == "delete" and read_card(path).id not in STAY:
            self._delete(path, chance.choice((None, *files)))
        elif deed == "replace" and (read_card(path).id not in STAY or not to.exists()):
            self._replace(path, to)
        elif deed == "move" and not to.exists():
            to.parent.mkdir(parents=True, exist_ok=True)
            path.rename(to)
        elif deed == "new" and not to.exists():
            self._new(to)

    def check(self, root: Path) -> None:
        """What holds on a computer that has all that the others have."""
        files = card_files(root)
        ids = [read_card(path).id for path in files]
        assert len(set(ids)) == len(ids), f"a card is there twice: {sorted(ids)}"
        assert set(ids) >= STAY
        texts = [path.read_bytes() for path in files]
        assert not any(b"<<<<<<<" in text for text in texts)
        others = (root / ".deltadeck/conflicts").rglob("*.md")
        here = {word for text in texts for word in _WORD.findall(text)}
        here |= {word for path in others for word in _WORD.findall(path.read_bytes())}
        every = {b"word%dz" % number for number in range(1, self._written + 1)}
        assert every - self._over <= here, "what somebody wrote is gone"

    def _word(self) -> str:
        self._written += 1
        return f"{{{{c1::x}}}} {{{{c2::word{self._written}z}}}}"

    def _goes(self, text: bytes) -> None:
        self._over.update(_WORD.findall(text))

    def _new(self, path: Path) -> None:
        write_card(path.parent, path.stem, self._word(), id=f"new-{self._written}")

    def _edit(self, path: Path) -> None:
        card, section = read_card(path), self._chance.choice(("Question", "Solution"))
        self._goes((card.question if section == "Question" else card.solution).encode())
        replace_section(path, section, self._word(), card.source)

    def _exchange(self, files: list[Path]) -> None:
        texts = [path.read_bytes() for path in files]
        for path, text in zip(files, texts[1:] + texts[:1], strict=True):
            path.write_bytes(text)

    def _delete(self, path: Path, other: Path | None) -> None:
        """And another card may get the name that is free then."""
        self._goes(path.read_bytes())
        path.unlink()
        if other is not None and other != path:
            other.rename(path)

    def _replace(self, path: Path, to: Path) -> None:
        """A new card in the file of another one, which goes elsewhere or is deleted."""
        if to.exists():
            self._goes(path.read_bytes())
        else:
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(path.read_bytes())
        self._new(path)


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
        self.fleet, self.chance, self.toll = copied(folder, *NAMES), random.Random(seed), Toll()
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
        merged = self.fleet.sync(name).merged
        self.toll.syncs += 1
        self.toll.conflicts += len(merged.conflicts)
        self.toll.beside += len(merged.beside)
        self.toll.kept += len(merged.kept)

    def _compare(self) -> None:
        for name in (*NAMES, *NAMES[:-1]):
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
