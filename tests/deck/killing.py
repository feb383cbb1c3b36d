"""Programs that are killed: sessions of answers, edits and undos at random moments, and single acts
after so many calls of functions, counted by Python.

Each is forked from a server that has the program loaded already, so that one costs its work and not
its start.  A session says what it has acknowledged; whoever kills it compares that with the disk.
An act runs first to its end, to count its calls, then again and again on a fresh copy of the
folder, killed after some of them.
"""

from __future__ import annotations

import itertools
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from cards import read_card
from cards.edit import replace_section
from deck.backup import back_up, backups, bring_back, restore
from deck.collection import Collection
from deck.fsrs import Rating
from deck.index.lines import read_journal
from deck.repair import examine, repair
from deck.replay import dedupe_events, replay_item, undone_ids
from deck.settings import write_setting
from tests.deck.given import NOON, later, write_card

ITEMS = [f"card{number}" for number in range(6)]
#: Acknowledged acts of a session, at most.
_ACTS = 8
#: So many sessions share a folder: its journal stays short enough to be read after each.
_SHARED = 20
_NEVER = 10**9
#: What processes are forked from.
SERVER = get_context("forkserver")
SERVER.set_forkserver_preload([__name__])

ACTS: dict[str, Callable[[Path], object]] = {
    "restore": lambda root: restore(root, backups(root)[-1].path, later(days=1)),
    "bring back": lambda root: bring_back(root, backups(root)[-1].path),
    "repair": repair,
    "back up": lambda root: back_up(root, later(days=2)),
    "first answer": lambda root: Collection.open(root, NOON).rate("a", Rating.GOOD, NOON, 0),
    "make": lambda root: Collection.init(root, NOON),
    "set": lambda root: write_setting(root / ".deltadeck" / "config.toml", "new_per_day", 7),
}


def begun(work: Callable[..., None], *given: object) -> tuple[Any, Connection]:
    """A process that does `work` in this environment, and what it says."""
    hears, says = SERVER.Pipe(duplex=False)
    process = SERVER.Process(target=_working, args=(work, says, dict(os.environ), given))
    process.start()
    says.close()
    return process, hears


def _working(
    work: Callable[..., None], says: Connection, own: dict[str, str], given: tuple[object, ...]
) -> None:
    os.environ.update(own)
    work(says, *given)


def _said(hears: Connection) -> Iterator[Any]:
    """All that the process said, and has not been heard, until its end."""
    with suppress(EOFError):
        while True:
            yield hears.recv()


# Acts that are stopped.


@dataclass
class Stopper:
    """Does acts in a copy of a `folder` with `cards` and `own` (the user's data and cache), and
    stops them."""

    folder: Path

    def moments(self, act: str, count: int, after: float = 0.0) -> Iterator[None]:
        """After the act was killed at each of `count` moments, and last after the whole act.  They
        are spread over its calls, the first share `after` left out."""
        calls = self._run(act, _NEVER)
        for number in range(count):
            self._run(act, 1 + int(calls * (after + (1 - after) * number / count)))
            yield
        self._run(act, _NEVER)
        yield

    def _run(self, act: str, stop: int) -> int:
        """How many calls it took, 0 where it was stopped; the given folder stays, and the act's is
        `copy`.

        Both names are for the same collection: the user's data goes by the folder's path.
        """
        copy = self.folder / "copy"
        for name in ("cards", "own"):
            shutil.rmtree(copy / name, ignore_errors=True)
            shutil.copytree(self.folder / name, copy / name, symlinks=True)
        process, hears = begun(_counted, act, copy / "cards", stop)
        process.join()
        assert process.exitcode in (0, -signal.SIGKILL)
        return sum(_said(hears))


def _counted(says: Connection, act: str, root: Path, stop: int) -> None:
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1
        if calls == stop:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(count)
    ACTS[act](root)
    sys.setprofile(None)
    says.send(calls)


# Sessions that are killed.


@dataclass
class Toll:
    """What many kills came to."""

    kills: int = 0
    acknowledged: int = 0
    """Events and edits."""
    in_flight: int = 0
    """Events that were on the disk, whole, and not acknowledged yet."""
    torn: int = 0
    drafts: int = 0
    """Edits that were left beside the card, which was as before."""


@dataclass
class _Deck:
    """What is known of a folder."""

    root: Path
    events: set[str] = field(default_factory=set)
    edits: dict[str, int] = field(default_factory=dict)


def kill_sessions(folder: Path, seed: int, kills: int) -> Toll:
    """Kills so many sessions; AssertionError where anything that was acknowledged is not there."""
    chance, toll = random.Random(seed), Toll()
    for first in range(0, kills, _SHARED):
        deck = _Deck(folder / f"deck{first}")
        for item in ITEMS:
            write_card(deck.root, item, question="Version 0")
        for number in range(first, min(first + _SHARED, kills)):
            _judge(deck, _killed(deck.root, chance), toll, thorough=number % 4 == 0)
        _mend(deck, toll)
    return toll


def _killed(root: Path, chance: random.Random) -> list[tuple[str, ...]]:
    """What one session acknowledged before it was killed."""
    acts = chance.randrange(_ACTS)
    process, hears = begun(_study, root, chance.getrandbits(32))
    began, took = time.monotonic(), 0.03  # about what opening takes
    said = []
    for _ in range(acts):
        said.append(hears.recv())
        took, began = time.monotonic() - began, time.monotonic()
    # Somewhere in the act that follows, which takes about as long as the last one.
    time.sleep(chance.uniform(0, 1.5 * took))
    process.kill()
    process.join()
    return [*said, *_said(hears)]


def _study(says: Connection, root: Path, seed: int) -> None:
    chance, collection = random.Random(seed), Collection.open(root, NOON, "desk")
    collection.finish_status()
    for number in itertools.count():
        at, item = later(seconds=number), chance.choice(ITEMS)
        act = chance.random()
        if act < 0.25:
            card = collection.cards[item]
            version = int(card.question.split()[1]) + 1
            replace_section(root / f"{item}.md", "Question", f"Version {version}", card.source)
            says.send(("edit", item, version))
            continue
        if act < 0.4:
            event = collection.undo(at)
        elif act < 0.5:
            event = collection.suspend(item, at, on=chance.random() < 0.5)
        elif act < 0.55:
            answer = "x" * chance.randrange(20_000)
            event = collection.record_check(item, {"answer": answer}, at)
        else:
            event = collection.rate(item, Rating(chance.randint(1, 4)), at, 1000)
        if event is not None:
            says.send(("event", event.id))
        if chance.random() < 0.1:
            collection.queue(at)


def _judge(deck: _Deck, acts: list[tuple[str, ...]], toll: Toll, thorough: bool) -> None:
    acknowledged = {words[1] for words in acts if words[0] == "event"}
    deck.edits |= {words[1]: int(words[2]) for words in acts if words[0] == "edit"}
    journal = read_journal(deck.root / ".deltadeck")
    known = {event.id for event in journal.events}
    assert deck.events | acknowledged <= known, "an acknowledged event is gone"
    in_flight = known - deck.events - acknowledged
    assert len(in_flight) <= 1
    assert all("not written to its end" in problem.message for problem in journal.problems)
    for item in ITEMS:
        number = int(read_card(deck.root / f"{item}.md").question.split()[1])
        assert number - deck.edits.get(item, 0) in (0, 1), "an acknowledged edit is gone"
        deck.edits[item] = number
    deck.events = known
    toll.kills += 1
    toll.acknowledged += len(acts)
    toll.in_flight += len(in_flight)
    toll.torn += len(journal.problems)
    if thorough:
        _compare(deck)


def _compare(deck: _Deck) -> None:
    """The collection, with its index as the kill left it, against a fresh fold."""
    collection = Collection.open(deck.root, NOON, "desk")
    assert list(collection.cards) == ITEMS
    history = list(dedupe_events(read_journal(deck.root / ".deltadeck").events))
    undone = undone_ids(history)
    for item in ITEMS:
        own = [event for event in history if item in event.items]
        state, suspended, _ = replay_item(item, own, undone, collection.config)
        assert collection.state(item) == state
        assert collection.events(item) == own
        aside = collection.card_of(item).status == "suspended"
        assert collection.is_suspended(item) == (suspended or aside)
    collection.close()


def _mend(deck: _Deck, toll: Toll) -> None:
    """The doctor clears away what the kills left, and nothing else."""
    found = examine(deck.root)
    assert {finding.kind for finding in found} <= {"torn"}
    toll.drafts += sum("A card was being saved" in finding.problem.message for finding in found)
    repair(deck.root)
    assert examine(deck.root) == []
    assert {event.id for event in read_journal(deck.root / ".deltadeck").events} == deck.events
    _compare(deck)
