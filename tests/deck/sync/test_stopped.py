"""A sync that is killed, before each call of git and each file it writes: the next one finishes."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cards import read_card
from deck.sync import apply
from deck.sync.conflicts import conflicts
from deck.sync.git import Git
from tests.deck.given import append_events, review, write_card
from tests.deck.sync.given import Fleet, copied, events, synced

Places = tuple[tuple[Any, str], ...]
FILES: Places = ((Path, "unlink"), (apply, "_move"))
ALL: Places = ((Git, "run"), (Path, "replace"), *FILES)


def killed_at(root: Path, number: int, places: Places = ALL) -> bool:
    """Whether a sync of `root` was killed, at its call of that number; False where it was over."""
    child = os.fork()
    if child == 0:
        _die_at(number, places)
        synced(root)
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def _die_at(number: int, places: Places) -> None:
    left = [number]

    def counted(work: Callable[..., Any]) -> Callable[..., Any]:
        def call(*words: Any, **more: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return work(*words, **more)

        return call

    for place, name in places:
        setattr(place, name, counted(getattr(place, name)))


@pytest.mark.parametrize("first", range(2))
def test_a_sync_that_is_killed_anywhere_is_finished_by_the_next(fleet: Fleet, first: int) -> None:
    """Each few places of a sync that merges answers, cards, a conflict, a deleted card."""
    number, kills = first * 9, 0
    while True:
        desk, phone = fleet["desk"], fleet["phone"]
        write_card(desk, "a", question=f"Desk {number}?")
        write_card(phone, "a", question=f"Phone {number}?")
        write_card(desk, f"new{number}")
        append_events(desk / ".deltadeck", [review(random=2 * number)], "desk")
        append_events(phone / ".deltadeck", [review(random=2 * number + 1)], "phone")
        before = events(desk) | events(phone)
        fleet.sync("desk")
        if not killed_at(phone, number):
            break
        kills += 1
        assert events(phone) >= before - events(desk)
        fleet.settle()
        fleet.agree()
        assert events(desk) == before
        texts = [(desk / "a.md").read_bytes(), *(c.text() for c in conflicts(desk))]
        for side in ("Desk", "Phone"):
            assert any(f"{side} {number}?".encode() in text for text in texts)
        number += 19
    assert kills > 2


def test_names_that_were_exchanged_by_halves_are_exchanged_by_the_next_sync(tmp_path: Path) -> None:
    number, was_killed = 0, True
    while was_killed:
        fleet = copied(tmp_path / str(number), "desk", "phone")
        desk, phone = fleet["desk"], fleet["phone"]
        for name in "ab":
            write_card(desk, name, question=f"{name} of the desk?")
        (phone / "a.md").rename(phone / "z.md")
        (phone / "b.md").rename(phone / "a.md")
        fleet.sync("phone")
        was_killed = killed_at(desk, number, FILES)
        fleet.settle()
        fleet.agree()
        cards = {path.name: read_card(path) for path in desk.glob("*.md")}
        assert set(cards) == {"a.md", "c.md", "z.md"}
        assert cards["a.md"].question == "b of the desk?"
        assert cards["z.md"].question == "a of the desk?"
        number += 1
    assert number > 2
