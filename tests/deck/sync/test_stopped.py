"""A sync that is killed, before each call of git and each file it writes: the next one finishes."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from cards import read_card
from deck.sync import apply
from deck.sync.conflicts import conflicts
from deck.sync.git import Git
from tests.deck.given import append_events, review, write_card
from tests.deck.sync.given import Fleet, Step, copied, events, synced

Places = tuple[tuple[Any, str], ...]
FILES: Places = ((Path, "unlink"), (apply, "_move"))
ALL: Places = ((Git, "run"), (Path, "replace"), *FILES)


def killed_at(root: Path, number: int, places: Places) -> bool:
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


def walk(
    folder: Path, given: Step, name: str, numbers: Iterable[int], places: Places = ALL
) -> Iterable[Fleet]:
    """What the next sync of each computer makes of one by `name` that was killed at each number."""
    for number in numbers:
        fleet = copied(folder / str(number), "desk", "phone", after=given)
        if not killed_at(fleet[name], number, places):
            return
        fleet.sync(name, *(other for other in fleet.names if other != name))
        fleet.agree()
        yield fleet


def changed(fleet: Fleet) -> None:
    """The phone is to merge answers, cards, a conflict and a deleted card."""
    for number, name in enumerate(fleet.names):
        write_card(fleet[name], "a", question=f"{name}?")
        append_events(fleet[name] / ".deltadeck", [review(random=number)], name)
    write_card(fleet["desk"], "new")
    (fleet["desk"] / "b.md").unlink()
    fleet.sync("desk")


@pytest.mark.parametrize(
    "places", [range(9, 99, 23), pytest.param(range(999), marks=pytest.mark.long)]
)
def test_a_sync_that_is_killed_anywhere_is_finished_by_the_next(
    tmp_path: Path, places: range
) -> None:
    kills = 0
    for fleet in walk(tmp_path, changed, "phone", places):
        kills += 1
        desk = fleet["desk"]
        assert events(desk) == {review(random=number).id for number in range(2)}
        assert {path.name for path in desk.glob("*.md")} == {"a.md", "c.md", "new.md"}
        texts = [(desk / "a.md").read_bytes(), *(c.text() for c in conflicts(desk))]
        for name in fleet.names:
            assert any(f"{name}?".encode() in text for text in texts)
    assert kills > (50 if places.step == 1 else 2)


def exchanged(fleet: Fleet) -> None:
    """The phone moved a, and gave b its name; the desk wrote into both."""
    for name in "ab":
        write_card(fleet["desk"], name, question=f"{name} of the desk?")
    (fleet["phone"] / "a.md").rename(fleet["phone"] / "z.md")
    (fleet["phone"] / "b.md").rename(fleet["phone"] / "a.md")
    fleet.sync("phone")


def test_names_that_were_exchanged_by_halves_are_exchanged_by_the_next_sync(tmp_path: Path) -> None:
    kills = 0
    for fleet in walk(tmp_path, exchanged, "desk", range(1, 99, 2), FILES):
        kills += 1
        cards = {path.name: read_card(path) for path in fleet["desk"].glob("*.md")}
        assert set(cards) == {"a.md", "c.md", "z.md"}
        assert cards["a.md"].question == "b of the desk?"
        assert cards["z.md"].question == "a of the desk?"
    assert kills > 1
