"""Sessions of answers, edits and undos that are killed at random moments, and what must hold then.

A session is a child of a server that has the program loaded already, so that one costs its work
and not its start.  It says what it has acknowledged; whoever kills it compares that with the disk.
"""

from __future__ import annotations

import itertools
import os
import random
import select
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from cards import read_card
from cards.edit import replace_section
from deck.collection import Collection
from deck.fsrs import Rating
from deck.index.lines import read_journal
from deck.repair import examine, repair
from deck.replay import dedupe_events, replay_item, undone_ids
from tests.deck.given import NOON, later, write_card
from tests.paths import ROOT

ITEMS = [f"card{number}" for number in range(6)]
#: Acknowledged acts of a session, at most.
_ACTS = 8
#: So many sessions share a folder: its journal stays short enough to be read after each.
_SHARED = 20


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
    command = [sys.executable, "-m", "tests.deck.killing"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as host:
        for first in range(0, kills, _SHARED):
            deck = _Deck(folder / f"deck{first}")
            for item in ITEMS:
                write_card(deck.root, item, question="Version 0")
            for number in range(first, min(first + _SHARED, kills)):
                _judge(deck, _killed(host, deck.root, chance), toll, thorough=number % 4 == 0)
            _mend(deck, toll)
        assert host.stdin is not None
        host.stdin.close()
    return toll


def _killed(host: subprocess.Popen[bytes], root: Path, chance: random.Random) -> list[str]:
    """What one session acknowledged before it was killed."""
    assert host.stdin is not None
    assert host.stdout is not None
    host.stdin.write(f"{chance.getrandbits(32)} {root}\n".encode())
    host.stdin.flush()
    out, said = host.stdout.fileno(), b""
    while b"\n" not in said:
        said += os.read(out, 65536)
    pid, acts = int(said.split(b"\n")[0]), chance.randrange(_ACTS)
    began, took = time.monotonic(), 0.03  # about what opening takes
    while said.count(b"\n") <= acts:
        said += os.read(out, 65536)
        took, began = time.monotonic() - began, time.monotonic()
        assert b"end\n" not in said, said.decode()
    # Somewhere in the act that follows, which takes about as long as the last one.
    select.select([], [], [], chance.uniform(0, 1.5 * took))
    os.kill(pid, signal.SIGKILL)
    while not said.endswith(b"end\n"):
        said += os.read(out, 65536)
    return said.decode().split("\n")[1:-2]


def _judge(deck: _Deck, said: list[str], toll: Toll, thorough: bool) -> None:
    acts = [line.split() for line in said]
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
    found = [finding.kind for finding in examine(deck.root)]
    assert set(found) <= {"torn", "draft"}
    toll.drafts += found.count("draft")
    repair(deck.root)
    assert examine(deck.root) == []
    assert {event.id for event in read_journal(deck.root / ".deltadeck").events} == deck.events
    _compare(deck)


# The other side.


def serve() -> None:
    """Starts a session for each line of the input; says `end` when one is over."""
    for line in sys.stdin:
        seed, root = line.rstrip("\n").split(" ", 1)
        child = os.fork()
        if child == 0:
            _say(str(os.getpid()))
            _study(Path(root), random.Random(int(seed)))
        os.waitpid(child, 0)
        _say("end")


def _say(text: str) -> None:
    os.write(1, f"{text}\n".encode())


def _study(root: Path, chance: random.Random) -> None:
    collection = Collection.open(root, NOON, "desk")
    collection.finish_status()
    for number in itertools.count():
        at, item = later(seconds=number), chance.choice(ITEMS)
        act = chance.random()
        if act < 0.25:
            card = collection.cards[item]
            version = int(card.question.split()[1]) + 1
            replace_section(root / f"{item}.md", "Question", f"Version {version}", card.source)
            _say(f"edit {item} {version}")
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
            _say(f"event {event.id}")
        if chance.random() < 0.1:
            collection.queue(at)


if __name__ == "__main__":
    serve()
