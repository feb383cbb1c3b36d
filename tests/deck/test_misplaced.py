"""What stands in the place of the journal's folders is said, never taken for an empty journal."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from deck.collection import Collection
from deck.errors import JournalError
from deck.fsrs import Rating
from tests.deck.given import NOON, later, write_card

PLACES = [".deltadeck", ".deltadeck/journal", ".deltadeck/journal/desk"]
WAYS: list[Callable[[Path], object]] = [
    lambda path: path.write_text("no folder"),
    lambda path: path.symlink_to(path.with_name("nowhere")),
]


def answered(root: Path) -> Collection:
    write_card(root, "a")
    collection = Collection.open(root, NOON, "desk")
    collection.rate("a", Rating.GOOD, NOON, 1000)
    return collection


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("make", WAYS, ids=["file", "dangling link"])
def test_a_folder_of_the_journal_that_is_none_is_an_error(
    root: Path, place: str, make: Callable[[Path], object]
) -> None:
    answered(root)
    path = root / place
    path.rename(root / "aside")
    make(path)
    collection = Collection.open(root, NOON, "desk")
    (problem,) = collection.problems
    assert (problem.path, problem.severity) == (path, "error")
    assert "missing" in problem.message
    assert problem.hint
    with pytest.raises(JournalError, match="nothing was recorded") as raised:
        collection.rate("a", Rating.GOOD, later(days=1), 1000)
    assert "where a folder is needed" in str(raised.value)
    path.unlink()
    (root / "aside").rename(path)
    collection.reload(NOON)
    assert collection.problems == ()
    assert collection.queue(NOON).counts.new == 0


def test_a_collection_without_a_journal_and_hidden_files_are_no_problem(root: Path) -> None:
    write_card(root, "a")
    journal = root / ".deltadeck" / "journal"
    assert Collection.open(root, NOON).problems == ()
    journal.mkdir(parents=True)
    (journal / ".gitkeep").touch()
    assert Collection.open(root, NOON).problems == ()


@pytest.mark.parametrize("code", [errno.EROFS, errno.EACCES, errno.ENOSPC, errno.EIO])
@pytest.mark.parametrize("call", ["open", "write", "fsync", "mkdir"])
def test_a_disk_that_refuses_is_a_sentence_and_the_schedule_stays(
    root: Path, monkeypatch: pytest.MonkeyPatch, code: int, call: str
) -> None:
    collection = answered(root)
    before, real = collection.state("a"), getattr(os, call)
    file = root / ".deltadeck" / "journal" / "desk" / f"{NOON:%Y-%m}.jsonl"
    lines = file.read_bytes()
    when = later(days=60) if call == "mkdir" else later(days=1)

    def refuse(*args: object, **options: object) -> object:
        if call == "open" and not str(args[0]).endswith(".jsonl"):
            return real(*args, **options)
        raise OSError(code, os.strerror(code))

    if call == "mkdir":
        collection._journal._device = "phone"  # its folder is not there yet
    with monkeypatch.context() as patch:
        patch.setattr(os, call, refuse)
        with pytest.raises(JournalError) as raised:
            collection.rate("a", Rating.GOOD, when, 1000)
    assert os.strerror(code) in str(raised.value)
    assert "nothing was recorded" in str(raised.value)
    assert (collection.state("a"), file.read_bytes()) == (before, lines)


@pytest.mark.parametrize("code", [errno.EROFS, errno.EACCES, errno.ENOSPC])
def test_a_card_that_cannot_be_saved_is_a_warning_and_the_answer_stands(
    root: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    path = write_card(root, "a")
    collection = Collection.open(root, NOON, "desk")
    text, real = path.read_bytes(), os.open

    def refuse(name: str | Path, flags: int, mode: int = 0o777, dir_fd: int | None = None) -> int:
        if str(name).endswith(".deltadeck-tmp"):
            raise OSError(code, os.strerror(code))
        return real(name, flags, mode, dir_fd=dir_fd)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        collection.rate("a", Rating.GOOD, NOON, 1000)
    (problem,) = collection.problems
    assert problem.severity == "warning"
    assert "was not saved" in problem.message
    assert problem.hint
    assert path.read_bytes() == text
    assert Collection.open(root, NOON).queue(NOON).counts.new == 0
