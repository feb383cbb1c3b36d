"""A program that is killed: what it acknowledged is there, the rest is whole or absent."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from deck import Collection
from deck.fold import replay
from deck.journal import read_journal
from deck.state import New
from tests.deck.given import NOON, write_card
from tests.paths import ROOT

ITEMS = [f"card{number}" for number in range(6)]
#: Rates, edits and undoes for ever; says each event's id once it is acknowledged.
_SESSION = """
import datetime, itertools, sys
from pathlib import Path
from deck import Collection, Rating
now = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.UTC)
root = Path(sys.argv[1])
collection = Collection.open(root, now, "desk")
print("ready", flush=True)
for n in itertools.count():
    at = now + datetime.timedelta(seconds=n)
    if n % 5 == 4:
        event = collection.undo(at)
    elif n % 7 == 6:
        event = collection.suspend(f"card{n % 6}", at, on=bool(n % 2))
    else:
        event = collection.rate(f"card{n % 6}", Rating(n % 4 + 1), at, 1000)
    if n % 11 == 10:
        path = root / f"card{n % 6}.md"
        path.write_text(path.read_text() + "\\nMore.\\n")
        collection.reload(at)
    print(event.id if event else "", flush=True)
"""


@pytest.mark.parametrize("seed", range(4))
def test_every_acknowledged_event_survives_a_kill(root: Path, seed: int) -> None:
    for item in ITEMS:
        write_card(root, item)
    chance = random.Random(seed)
    acknowledged: list[str] = []
    for _ in range(2):
        command = [sys.executable, "-c", _SESSION, str(root)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as session:
            assert session.stdout is not None
            session.stdout.readline()
            for _ in range(chance.randrange(1, 40)):
                acknowledged.append(session.stdout.readline().strip())
            session.send_signal(signal.SIGKILL)
            acknowledged += session.stdout.read().split("\n")
        journal = read_journal(root / ".deltadeck")
        known = {event.id for event in journal.events}
        assert set(filter(None, acknowledged)) <= known
        assert all("not written to its end" in problem.message for problem in journal.problems)
        collection = Collection.open(root, NOON, "desk")
        assert list(collection.cards) == ITEMS
        states = replay(journal.events, collection.config)
        for item in ITEMS:
            assert collection.state(item) == states.get(item, New())
        collection.close()
