"""Programs that are killed: sessions of answers, edits and undos at random moments, and single acts
after so many calls of functions, counted by Python.

Each runs in a child of a server that has the program loaded already, so that one costs its work and
not its start.  A session says what it has acknowledged; whoever kills it compares that with the
disk.  An act runs first to its end, to count its calls, then again and again on a fresh copy of the
folder, killed after some of them.
"""

from __future__ import annotations

import itertools
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

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
from tests.paths import ROOT

ITEMS = [f"card{number}" for number in range(6)]
#: Acknowledged acts of a session, at most.
_ACTS = 8
#: So many sessions share a folder: its journal stays short enough to be read after each.
_SHARED = 20
_NEVER = 10**9

ACTS: dict[str, Callable[[Path], object]] = {
    "restore": lambda root: restore(root, backups(root)[-1].path, later(days=1)),
    "bring back": lambda root: bring_back(root, backups(root)[-1].path),
    "repair": repair,
    "back up": lambda root: back_up(root, later(days=2)),
    "first answer": lambda root: Collection.open(root, NOON).rate("a", Rating.GOOD, NOON, 0),
    "make": lambda root: Collection.init(root, NOON),
    "set": lambda root: write_setting(root / ".deltadeck" / "config.toml", "new_per_day", 7),
}


class Host:
    """The server, as its client sees it."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out, self._said = process.stdin, process.stdout.fileno(), b""

    def begin(self, *words: object) -> int:
        """Begins a session or an act; its process."""
        self._said = b""
        self._in.write("\t".join(map(str, words)).encode() + b"\n")
        self._in.flush()
        return int(self.until(1)[0])

    def until(self, lines: int) -> list[str]:
        """What was said, once that is so many lines."""
        while self._said.count(b"\n") < lines:
            assert b"end\n" not in self._said, self._said.decode()
            self._said += os.read(self._out, 65536)
        return self._said.decode().split("\n")

    def end(self) -> list[str]:
        """All that was said behind the process's number."""
        while not self._said.endswith(b"end\n"):
            self._said += os.read(self._out, 65536)
        said = self._said.decode().split("\n")[1:-2]
        assert "failed" not in said
        return said


@contextmanager
def hosting() -> Iterator[Host]:
    command = [sys.executable, "-m", "tests.deck.killing"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as made:
        yield Host(made)
        assert made.stdin is not None
        made.stdin.close()


# Acts that are stopped.


@dataclass
class Stopper:
    """Does acts in a copy of a `folder` with `cards` and `own` (the user's data and cache), and
    stops them."""

    host: Host
    folder: Path

    def moments(self, act: str, count: int, after: float = 0.0) -> Iterator[Path]:
        """The folder as it is after the act was killed at each of `count` moments, and (the last
        one) after the act.  They are spread over its calls, the first share `after` left out."""
        calls = self._run(act, _NEVER)
        for number in range(count):
            self._run(act, 1 + int(calls * (after + (1 - after) * number / count)))
            yield self.folder / "copy"
        self._run(act, _NEVER)
        yield self.folder / "copy"

    def _run(self, act: str, stop: int) -> int:
        """How many calls it took, 0 where it was stopped; the given folder stays, and the act's is
        `copy`.

        Both names are for the same collection: the user's data goes by the folder's path.
        """
        copy = self.folder / "copy"
        for name in ("cards", "own"):
            shutil.rmtree(copy / name, ignore_errors=True)
            shutil.copytree(self.folder / name, copy / name, symlinks=True)
        self.host.begin("act", stop, act, copy)
        return sum(map(int, self.host.end()))


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
    with hosting() as host:
        for first in range(0, kills, _SHARED):
            deck = _Deck(folder / f"deck{first}")
            for item in ITEMS:
                write_card(deck.root, item, question="Version 0")
            for number in range(first, min(first + _SHARED, kills)):
                _judge(deck, _killed(host, deck.root, chance), toll, thorough=number % 4 == 0)
            _mend(deck, toll)
    return toll


def _killed(host: Host, root: Path, chance: random.Random) -> list[str]:
    """What one session acknowledged before it was killed."""
    pid, acts = host.begin("session", chance.getrandbits(32), root), chance.randrange(_ACTS)
    began, took = time.monotonic(), 0.03  # about what opening takes
    for act in range(acts):
        host.until(act + 2)
        took, began = time.monotonic() - began, time.monotonic()
    # Somewhere in the act that follows, which takes about as long as the last one.
    select.select([], [], [], chance.uniform(0, 1.5 * took))
    os.kill(pid, signal.SIGKILL)
    return host.end()


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
    found = examine(deck.root)
    assert {finding.kind for finding in found} <= {"torn"}
    toll.drafts += sum("A card was being saved" in finding.problem.message for finding in found)
    repair(deck.root)
    assert examine(deck.root) == []
    assert {event.id for event in read_journal(deck.root / ".deltadeck").events} == deck.events
    _compare(deck)


# The other side.


def serve() -> None:
    """Starts a session or an act for each line of the input; says `end` when one is over."""
    for line in sys.stdin:
        kind, *words = line.rstrip("\n").split("\t")
        child = os.fork()
        if child == 0:
            _say(str(os.getpid()))
            if kind == "session":
                _study(Path(words[1]), random.Random(int(words[0])))
            stop, act, folder = words
            os.environ["XDG_CACHE_HOME"] = os.environ["XDG_DATA_HOME"] = f"{folder}/own"
            _say(str(_counted(ACTS[act], Path(folder) / "cards", int(stop))))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        _say("end" if status in (0, signal.SIGKILL) else "failed\nend")


def _say(text: str) -> None:
    os.write(1, f"{text}\n".encode())


def _counted(act: Callable[[Path], object], root: Path, stop: int) -> int:
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1
        if calls == stop:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(count)
    act(root)
    sys.setprofile(None)
    return calls


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
