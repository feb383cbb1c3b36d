"""Two programs on one collection at once: each answer is kept, and both see all."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from deck.collection import Collection
from deck.events import StatusLines
from deck.index import journal
from deck.index.lines import read_journal
from deck.repair import examine
from deck.replay import New, replay
from tests.deck.given import NOON, append_events, opened, review, write_card
from tests.paths import ROOT

ITEMS = [f"card{number}" for number in range(8)]
EACH = 110
#: Answers, looks and undoes as fast as it can; then waits, and says what it sees.
_PROGRAM = """
import random, sys
from deck import Collection, Rating
from tests.deck.given import NOON, later

root, device, seed, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
chance, made = random.Random(seed), []
collection = Collection.open(root, NOON, device)
first = collection._store.generation
print("ready", flush=True)
sys.stdin.readline()
for number in range(count):
    item, at = f"card{chance.randrange(8)}", later(seconds=number)
    event = collection.rate(item, Rating(chance.randint(1, 4)), at, 1000)
    assert event in collection.events(item)
    made.append(event.id)
    if number % 10 == 3:
        collection.queue(at)
    if number % 10 == 7:
        event = collection.undo(at)
        made += [event.id] if event else []
print(*made, flush=True)
sys.stdin.readline()
print(*(event.id for n in range(8) for event in collection.events(f"card{n}")), flush=True)
print([collection.state(f"card{n}") for n in range(8)], flush=True)
print(collection._store.generation - first, collection._store.trouble, flush=True)
"""


@pytest.mark.parametrize("devices", [("desk", "desk"), ("desk", "phone")])
def test_hundreds_of_answers_of_two_programs_at_once(root: Path, devices: tuple[str, str]) -> None:
    for item in ITEMS:
        write_card(root, item)
    opened(root).close()
    with ExitStack() as stack:
        programs = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", _PROGRAM, str(root), device, str(seed), str(EACH)],
                    cwd=ROOT,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            for seed, device in enumerate(devices)
        ]

        def said() -> list[str]:
            return [program.stdout.readline().strip() for program in programs if program.stdout]

        def go() -> None:
            for program in programs:
                assert program.stdin is not None
                program.stdin.write("\n")
                program.stdin.flush()

        assert said() == ["ready", "ready"]
        go()
        made = [line.split() for line in said()]
        go()
        seen, states, trouble = ([line.split() for line in said()], said(), said())
    acknowledged = {event for of_one in made for event in of_one}
    assert len(acknowledged) == sum(map(len, made)) >= 2 * EACH
    known = read_journal(root / ".deltadeck")
    # A status line that the other program wrote meanwhile is kept for an undo.
    kept = {event.id for event in known.events if isinstance(event.what, StatusLines)}
    assert {event.id for event in known.events} == acknowledged | kept
    assert known.problems == ()
    assert examine(root) == []
    assert [set(ids) | kept for ids in seen] == [acknowledged | kept] * 2
    folded = replay(known.events, Collection.open(root, NOON).config)
    assert states == [str([folded.get(item, New()) for item in ITEMS])] * 2
    assert trouble == ["0", "0"], "neither threw the index away"


def test_two_programs_that_see_the_same_new_file_at_once_take_it_up_once(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both read its lines, and one is first to write them into the index."""
    write_card(root, "a")
    one, two = (opened(root) for _ in range(2))
    generations = one._store.generation, two._store.generation
    look_into, turns = journal._look_into, list[Collection]()

    def look(*given: object) -> object:
        """`two` takes up everything between the reading and the writing of `one`."""
        found = look_into(*given)  # type: ignore[arg-type]
        if not turns:
            turns.append(two)
            two.queue(NOON)
        return found

    monkeypatch.setattr(journal, "_look_into", look)
    for number in range(5):
        append_events(root / ".deltadeck", [review(random=number)], f"device{number}")
        turns.clear()
        one.queue(NOON)
        assert turns
    assert len(one.events("a")) == len(two.events("a")) == 5
    assert (one._store.generation, two._store.generation) == generations
    count = one._store.db.execute("SELECT count(*), count(DISTINCT id) FROM event").fetchone()
    assert count == (5, 5)
