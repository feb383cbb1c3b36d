"""Two programs on one collection at once: each answer is kept, and both see all."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from deck.collection import Collection
from deck.events import StatusLines
from deck.index.lines import read_journal
from deck.repair import examine
from deck.replay import New, replay
from tests.deck.given import NOON, append_events, review, write_card
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
first = collection._parts.store.generation
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
print(collection._parts.store.generation - first, collection._parts.store.trouble, flush=True)
"""


@pytest.mark.parametrize("devices", [("desk", "desk"), ("desk", "phone")])
def test_hundreds_of_answers_of_two_programs_at_once(root: Path, devices: tuple[str, str]) -> None:
    for item in ITEMS:
        write_card(root, item)
    Collection.open(root, NOON, "desk").close()
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
    journal = read_journal(root / ".deltadeck")
    # A status line that the other program wrote meanwhile is kept for an undo.
    kept = {event.id for event in journal.events if isinstance(event.what, StatusLines)}
    assert {event.id for event in journal.events} == acknowledged | kept
    assert journal.problems == ()
    assert examine(root) == []
    assert [set(ids) | kept for ids in seen] == [acknowledged | kept] * 2
    folded = replay(journal.events, Collection.open(root, NOON).config)
    assert states == [str([folded.get(item, New()) for item in ITEMS])] * 2
    assert trouble == ["0", "0"], "neither threw the index away"


def test_two_programs_that_see_the_same_new_file_at_once_take_it_up_once(root: Path) -> None:
    """Both read its lines, and one is first to write them into the index."""
    write_card(root, "a")
    one, two = (Collection.open(root, NOON, "desk") for _ in range(2))
    generations = one._parts.store.generation, two._parts.store.generation
    for number in range(5):
        append_events(root / ".deltadeck", [review(random=number)], f"device{number}")
        take_turns(one, two)
    assert len(one.events("a")) == len(two.events("a")) == 5
    assert (one._parts.store.generation, two._parts.store.generation) == generations
    count = one._parts.store.db.execute("SELECT count(*), count(DISTINCT id) FROM event").fetchone()
    assert count == (5, 5)


def take_turns(one: Collection, two: Collection) -> None:
    """`two` takes up everything between the reading and the writing of `one`."""
    from deck.index.journal import _look_into

    planned = _look_into

    def look(*args: object) -> object:
        found = planned(*args)  # type: ignore[arg-type]
        _look_into = planned
        two.queue(NOON)
        return found

    _look_into = look  # type: ignore[assignment]
    try:
        one.queue(NOON)
    finally:
        _look_into = planned
