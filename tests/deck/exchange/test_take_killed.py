"""An import that is killed: what it wrote is its own, and no edit of the learner's."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from deck.collection import Collection
from deck.exchange.model import ForeignCard
from tests.deck.exchange.foreign import CARD, taken
from tests.deck.given import NOON

COUNT, WRITTEN = 230, 210
"""More than are noted together; and the last, when it is killed."""


def cards(word: str) -> list[ForeignCard]:
    return [replace(CARD, key=f"k{n}", wanted_id=f"c{n}", solution=word) for n in range(COUNT)]


def killed(root: Path, word: str, call: Literal["link", "replace"]) -> None:
    """An import that is killed as it has written so many cards: nothing is done behind it."""
    child = os.fork()
    if not child:
        done, real = [0], getattr(os, call)

        def last(source: str, target: str) -> None:
            real(source, target)
            if str(target).endswith(".md"):
                done[0] += 1
            if done[0] == WRITTEN:
                os._exit(9)

        setattr(os, call, last)
        try:
            taken(root, *cards(word))
        finally:
            os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def solutions(root: Path) -> list[str]:
    return [card.solution for card in Collection.open(root, NOON).cards.values()]


@pytest.mark.parametrize("after", ["Two.", "Three.", "One."])
def test_after_an_update_that_was_killed_the_next_one_takes_every_card(
    root: Path, after: str
) -> None:
    taken(root, *cards("One."))
    killed(root, "Two.", "replace")
    assert solutions(root).count("Two.") == WRITTEN
    done = taken(root, *cards(after))
    assert done.kept == 0
    assert solutions(root) == [after] * COUNT
    assert taken(root, *cards("One.")).kept == 0
    assert solutions(root) == ["One."] * COUNT


def test_after_a_first_import_that_was_killed_a_later_version_takes_every_card(root: Path) -> None:
    killed(root, "One.", "link")
    assert len(solutions(root)) == WRITTEN
    done = taken(root, *cards("Two."))
    assert (done.new, done.changed, done.kept) == (COUNT - WRITTEN, WRITTEN, 0)


def test_an_edit_of_a_card_that_it_was_about_to_write_stays(root: Path) -> None:
    taken(root, *cards("One."))
    path = root / "Networks" / "Pooling" / f"c{COUNT - 1}.md"
    mine = path.read_text().replace("One.", "Mine.")
    path.write_text(mine)
    killed(root, "Two.", "replace")
    assert taken(root, *cards("Three.")).listed["kept"] == [f"c{COUNT - 1}"]
    assert path.read_text() == mine
