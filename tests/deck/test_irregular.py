"""Pipes, sockets and devices under the names of our files: a sentence, and no waiting.

Nobody writes into these pipes: whoever opens one to read it stays there for good.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from cards import CardError, Problem, read_card
from deck.collection import Collection
from deck.errors import CollectionError, JournalError
from deck.fsrs import Rating
from tests.deck.given import NOON, opened, write_card


def make_socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # a socket's address is short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


MAKERS: list[Callable[[Path], None]] = [
    lambda path: os.mkfifo(path),
    make_socket,
    lambda path: path.symlink_to("/dev/zero"),
    lambda path: path.symlink_to("/dev/tty"),
]
pytestmark = pytest.mark.parametrize("make", MAKERS, ids=["pipe", "socket", "zero", "tty"])


def placed(path: Path, make: Callable[[Path], None]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    make(path)
    return path


def only_problem(root: Path) -> Problem:
    collection = opened(root)
    assert list(collection.cards) == ["a"]
    (problem,) = collection.problems
    assert problem.hint
    return problem


def test_among_the_cards(root: Path, make: Callable[[Path], None]) -> None:
    write_card(root, "a")
    path = placed(root / "odd.md", make)
    problem = only_problem(root)
    assert problem.path == path
    why = "leads out of the collection" if path.is_symlink() else "not a regular file"
    assert why in problem.message
    with pytest.raises(CardError, match="not a regular file"):
        read_card(path)


def test_in_place_of_the_settings(root: Path, make: Callable[[Path], None]) -> None:
    path = placed(root / ".deltadeck" / "config.toml", make)
    with pytest.raises(CollectionError, match="not a regular file") as raised:
        Collection.open(root, NOON)
    assert raised.value.problem.path == path
    assert raised.value.problem.hint


def test_in_the_journal(root: Path, make: Callable[[Path], None]) -> None:
    write_card(root, "a")
    path = placed(root / ".deltadeck" / "journal" / "phone" / "2027-02.jsonl", make)
    problem = only_problem(root)
    assert (problem.path, problem.severity) == (path, "error")
    assert "not a regular file" in problem.message


def test_where_an_answer_is_written(root: Path, make: Callable[[Path], None]) -> None:
    write_card(root, "a")
    placed(root / ".deltadeck" / "journal" / "desk" / f"{NOON:%Y-%m}.jsonl", make)
    collection = opened(root)
    with pytest.raises(JournalError, match="cannot be written"):
        collection.rate("a", Rating.GOOD, NOON, 1000)
    assert collection.queue(NOON).counts.new == 1


def test_where_a_torn_line_is_kept(root: Path, make: Callable[[Path], None]) -> None:
    write_card(root, "a")
    file = root / ".deltadeck" / "journal" / "desk" / f"{NOON:%Y-%m}.jsonl"
    placed(file.with_name(file.name + ".torn"), make)
    file.write_bytes(b'{"torn')
    collection = opened(root)
    with pytest.raises(JournalError, match="cannot be written"):
        collection.rate("a", Rating.GOOD, NOON, 1000)
    assert file.read_bytes() == b'{"torn'
