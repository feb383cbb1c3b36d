"""What changes on the disk while a program runs is there without being asked for."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from deck.collection import Collection
from deck.fsrs import Rating
from tests.deck.given import NOON, opened, write_card

#: Seconds after which a change that was not seen never will be.
PATIENCE = 20


class Watched:
    """A collection in which each change can be waited for."""

    def __init__(self, root: Path) -> None:
        self.collection = opened(root)
        self._changed = threading.Condition()
        self._watcher = self.collection.watch(self._tell)

    def _tell(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def until(self, there: Callable[[], bool]) -> bool:
        with self._changed:
            return self._changed.wait_for(there, PATIENCE)

    def stop(self) -> None:
        self._watcher.stop()
        self.collection.close()


@pytest.fixture
def watched(root: Path) -> Watched:
    write_card(root / "deck", "a")
    return Watched(root)


def test_files_that_come_change_and_go_are_seen(root: Path, watched: Watched) -> None:
    cards = watched.collection.cards
    write_card(root / "deck", "b")
    assert watched.until(lambda: list(cards) == ["a", "b"])
    write_card(root / "deck", "a", question="Another question?")
    assert watched.until(lambda: cards["a"].question == "Another question?")
    (root / "deck" / "b.md").unlink()
    assert watched.until(lambda: list(cards) == ["a"])
    watched.stop()


def test_folders_that_come_move_and_go_are_seen(root: Path, watched: Watched) -> None:
    collection = watched.collection
    collection.rate("a", Rating.EASY, NOON, 0)
    state = collection.state("a")
    (root / "deck").rename(root / "elsewhere")
    assert watched.until(lambda: [d.name for d in collection.decks(NOON)][-1] == "elsewhere")
    assert collection.state("a") == state, "a card that moved keeps its history"
    shutil.rmtree(root / "elsewhere")
    assert watched.until(lambda: not collection.cards)
    watched.stop()


def test_another_programs_answers_are_told(root: Path, watched: Watched) -> None:
    Collection.open(root, NOON, "phone").rate("a", Rating.EASY, NOON, 0)
    assert watched.until(lambda: watched.collection.today(NOON).reviewed == 1)
    watched.stop()


def test_a_folder_in_the_place_of_the_one_that_was_watched_is_watched(
    root: Path, watched: Watched
) -> None:
    """A disk that was pulled out and came back, a fresh clone."""
    cards = watched.collection.cards
    root.rename(root.with_name("before"))
    write_card(root, "new")
    assert watched.until(lambda: list(cards) == ["new"])
    write_card(root, "newer")
    assert watched.until(lambda: list(cards) == ["new", "newer"])
    watched.stop()
