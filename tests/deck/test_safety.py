"""Clocks that are wrong, and journals that are large and full of garbage."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck.collection import Collection
from deck.events import StatusLines
from deck.fsrs import Rating
from deck.index.lines import read_journal
from deck.repair import examine, repair
from deck.replay import replay
from tests.deck.given import NOON, journal_of, later, line_of, opened, review, write_card

#: Which of two programs, what its clock shows (hours from noon), and whether it undoes.
TURNS = st.lists(
    st.tuples(st.integers(0, 1), st.integers(-10_000, 10_000), st.booleans()), max_size=12
)


@given(TURNS)
def test_whatever_two_clocks_show_answers_keep_the_order_in_which_they_were_given(
    tmp_path_factory: pytest.TempPathFactory, turns: list[tuple[int, int, bool]]
) -> None:
    root = tmp_path_factory.mktemp("cards")
    write_card(root, "a")
    programs = [opened(root, device=name) for name in ("desk", "phone")]
    given, stand = list[str](), list[str]()
    for number, hours, undoes in turns:
        now = later(hours=hours)
        event = programs[number].undo(now) if undoes else None
        if event is not None:
            assert getattr(event.what, "target", "") == stand.pop()
        elif not undoes:
            event = programs[number].rate("a", Rating.GOOD, now, 1000)
            stand.append(event.id)
        given += [event.id] if event is not None else []
    events = read_journal(root / ".deltadeck").events
    for program in (*programs, opened(root)):
        seen = [e.id for e in program.events("a") if not isinstance(e.what, StatusLines)]
        assert seen == given == sorted(given)
        assert program.state("a") == replay(events, program.config).get("a", program.state("a"))
        program.close()


def _garbage(chance: random.Random, event: bytes) -> bytes:
    """A line that counts for nothing."""
    newer = line_of(review(item="later", random=chance.getrandbits(60))).replace(b'"v":1', b'"v":9')
    kinds = (chance.randbytes(200).replace(b"\n", b"x"), b"\0" * 512, b"<<<<<<< HEAD", newer[:-1])
    return chance.choice([*kinds, event[: len(event) // 2], b"x" * chance.choice([9, 300_000])])


@pytest.mark.long
def test_a_journal_of_100_megabytes_with_garbage_lines_counts_every_event(root: Path) -> None:
    chance, names = random.Random(2026), [f"c{number}" for number in range(50)]
    for name in names:
        write_card(root, name)
    known = set[str]()
    with journal_of(root).open("wb") as file:
        while file.tell() < 100_000_000:
            number = len(known)
            event = review(Rating(number % 4 + 1), names[number % 50], later(seconds=number))
            line = line_of(event)
            known.add(event.id)
            file.write(line * (2 if number % 1000 == 7 else 1))
            if number % 100 == 50:
                file.write(_garbage(chance, line) + b"\n")
        file.write(line_of(review(item="c0", random=9))[:-9])
    collection = Collection.open(root, NOON, "desk")
    assert len(collection.problems) < 100
    assert sum(len(collection.event_ids(name)) for name in names) == len(known)
    mine = collection.rate("c0", Rating.GOOD, later(days=9), 1000)
    assert getattr(collection.undo(later(days=9)), "item", "") == "c0"
    collection.close()
    before = {event.id for event in read_journal(root / ".deltadeck").events}
    assert known | {mine.id} < before
    repair(root)
    assert {event.id for event in read_journal(root / ".deltadeck").events} == before
    left = {(each.mends, each.problem.hint[:27]) for each in examine(root)}
    assert left == {(False, "A newer deltadeck wrote it:")}
