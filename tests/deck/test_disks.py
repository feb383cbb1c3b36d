"""Disks that are full, read-only or gone: a sentence, nothing recorded, nothing lost."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from cards import CardError, read_card
from deck.collection import Collection
from deck.errors import CollectionError, JournalError
from deck.fsrs import Rating
from deck.index.lines import read_journal
from deck.replay import replay
from tests.deck.children import on_small_disk, ordinary
from tests.deck.given import NOON, journal_of, later, opened, write_card


def answered(root: Path) -> Collection:
    """Two cards, of which one was answered."""
    for item in "ab":
        write_card(root, item)
    collection = opened(root)
    collection.rate("a", Rating.GOOD, NOON, 1000)
    return collection


# Full.


def test_no_room_for_a_byte_more_in_any_file(root: Path) -> None:
    """Journal, index and card files alike: a limit on files' sizes, which needs no rights."""
    answered(root).close()
    size = journal_of(root).stat().st_size
    said = ordinary(
        f"""
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
collection = opened(root)
before = collection.state("a")
resource.setrlimit(resource.RLIMIT_FSIZE, ({size + 20}, resource.RLIM_INFINITY))
print(refused(collection, "a", later(minutes=20)))
assert collection.state("a") == before
print(collection.queue(later(minutes=20)).counts.learning)
again = opened(root)
assert again.state("a") == before
print(refused(again, "b", later(minutes=21)))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
collection.rate("a", Rating.EASY, later(minutes=22), 1000)
assert collection.state("a") != before
""",
        root,
    )
    assert said[1] == "1"
    assert all("Make room on the disk" in said[line] for line in (0, 2))
    assert all("nothing was recorded" in said[line] for line in (0, 2))
    journal = read_journal(root / ".deltadeck")
    assert (len(journal.events), journal.problems) == (2, ())


@pytest.mark.parametrize("index", ["on this disk", "on another disk"])
def test_a_disk_that_is_full_to_the_last_block(tmp_path: Path, index: str) -> None:
    said = on_small_disk(
        f"""
from tests.deck.given import write_card
from deck.repair import examine
if {index == "on this disk"}:
    os.environ["XDG_CACHE_HOME"] = str(root / "own")
root = root / "cards"
for item in "ab":
    write_card(root, item)
collection = opened(root)
collection.rate("a", Rating.GOOD, NOON, 1000)
before, cards = collection.state("a"), [path.read_bytes() for path in root.glob("*.md")]
filler = root.parent / "filler"
with filler.open("wb", buffering=0) as file:
    for size in (4096, 1):
        try:
            while file.write(b"x" * size) == size:
                pass
        except OSError:
            pass
journal = root / ".deltadeck" / "journal" / "desk" / "2026-11.jsonl"
kept = 0
while kept < 100:  # what is left of the file's last block takes some answers more
    try:
        collection.rate("a", Rating.HARD, later(minutes=kept + 1), 1000)
    except JournalError as error:
        print(error)
        break
    kept += 1
state = collection.state("a")
print(refused(collection, "b", later(hours=3)))
assert collection.state("a") == state
assert [path.read_bytes() for path in root.glob("*.md")] == cards
assert journal.read_bytes().endswith(b"\\n")
filler.unlink()
collection.rate("b", Rating.EASY, later(hours=4), 1000)
again = Collection.open(root, NOON, "lab")
assert [again.state(item) for item in "ab"] == [collection.state(item) for item in "ab"]
assert examine(root) == [] and again.problems == ()
print(len(again.events("a")) - kept, len(again.events("b")))
""",
        tmp_path / "disk",
    )
    full = ("No space left on device", "only a part of the line fits on the disk")
    assert all(any(f"{why}. Make room on the disk" in line for why in full) for line in said[:2])
    assert said[2] == "1 1"


# Read-only.


def test_what_is_closed_is_said_and_what_is_open_works(root: Path) -> None:
    """A whole folder, one that never had a journal, a card's file, a folder of the journal."""
    for name in ("all", "card", "journal"):
        answered(root / name).close()
    write_card(root / "new", "a")
    card = root / "card" / "b.md"
    before = card.read_bytes()
    journal = root / "journal" / ".deltadeck" / "journal" / "desk"
    paths = [root / "new", root / "all", *(root / "all").rglob("*")]
    for path in (*paths, card):
        path.chmod(0o555 if path.is_dir() else 0o444)
    journal.chmod(0)
    try:
        said = ordinary(
            """
collection = Collection.open(root / "all", NOON, "phone")
assert collection.problems == () and sorted(collection.cards) == ["a", "b"]
assert str(collection.queue(later(minutes=20)).counts) == "Counts(new=1, learning=1, due=0)"
before = collection.state("a")
print(refused(collection, "a", later(minutes=20)))
assert collection.state("a") == before
print(refused(Collection.open(root / "new", NOON), "a", NOON))
collection = opened(root / "card")
collection.rate("b", Rating.EASY, NOON, 1000)
collection.settle()
print(*(problem.message for problem in collection.problems))
print(*Collection.open(root / "journal", NOON, "phone").problems)
""",
            root,
        )
    finally:
        for path in (*paths, journal):
            path.chmod(0o755 if path.is_dir() else 0o644)
    assert "Permission denied" in said[0]
    assert "or make the collection's folder writable" in said[0]
    assert "the folder cannot be made: Permission denied" in said[1]
    assert all("nothing was recorded" in line for line in said[:2])
    assert "permission denied" in said[2]
    assert card.read_bytes() == before
    assert "may be missing from the schedule" in said[3]
    assert [opened(root / name).queue(NOON).counts.new for name in ("card", "journal")] == [0, 1]


# Without file descriptors.


def test_without_file_descriptors_each_thing_is_done_or_says_why_it_is_not(root: Path) -> None:
    """However few are left.  A journal that cannot be read is never one without answers."""
    answered(root).close()
    said = ordinary(
        """
collection = opened(root)
collection.suspend("b", NOON)
collection.undo(NOON)
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (120, most))
held = []
def left(count):
    try:
        while True:
            held.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        pass
    for _ in range(count):
        os.close(held.pop())
def undo(now):
    undone = collection.undo(now)
    assert undone is not None, "there is an answer"
    return undone
deeds = {
    "rate": lambda now: collection.rate("a", Rating.GOOD, now, 0),
    "undo": undo,
    "suspend": lambda now: collection.suspend("a", now),
    "open": lambda now: Collection.open(root, now, "desk"),
}
outcomes = set()
for number, (name, deed) in enumerate(deeds.items()):
    for count in range(0, 12, 2):
        now = later(hours=20 * number + count)
        collection.rate("a", Rating.GOOD, now, 0)
        before = len(collection.events("a"))
        left(count)
        try:
            made = deed(now)
        except (JournalError, CollectionError) as error:
            made = None
            print(error)
        counts = collection.queue(now).counts
        while held:
            os.close(held.pop())
        collection.reload(now)
        done = len(collection.events("a")) - before
        assert done == (made is not None and name != "open"), (name, count, done)
        outcomes.add((name, made is not None))
assert outcomes >= {(name, True) for name in deeds}, outcomes  # the journal is open already
assert outcomes >= {("undo", False), ("open", False)}, outcomes
""",
        root,
    )
    assert any("Too many open files" in line for line in said)
    assert not any("Make room on the disk" in line for line in said)


# Gone.


def test_a_journal_that_went_away_is_not_begun_anew(root: Path) -> None:
    """A disk that was pulled out leaves an empty folder: what is written there would be hidden."""
    collection = answered(root)
    before, counts = collection.state("a"), collection.queue(NOON).counts
    root.rename(root.with_name("disk"))
    for ask in (lambda: Collection.open(root, NOON), lambda: collection.reload(NOON)):
        with pytest.raises(CollectionError, match="There is no such folder"):
            ask()
    root.mkdir()
    with pytest.raises(JournalError, match="Bring the collection's folder back; nothing was"):
        collection.rate("b", Rating.GOOD, NOON, 1000)
    assert list(root.iterdir()) == []
    assert (collection.state("a"), collection.queue(NOON).counts) == (before, counts)
    (problem,) = collection.problems
    assert "gone" in problem.message
    assert "Bring it back" in problem.hint
    root.rmdir()
    root.with_name("disk").rename(root)
    collection.rate("b", Rating.GOOD, NOON, 1000)
    assert collection.problems == ()
    assert len(read_journal(root / ".deltadeck").events) == 2


def test_a_branch_without_the_journal_and_back_again(root: Path) -> None:
    collection = answered(root)
    private = root / ".deltadeck"
    states = replay(read_journal(private).events, collection.config)
    private.rename(root / "elsewhere")
    collection.reload(NOON)
    assert collection.state("a") == states["a"]
    assert Collection.open(root, NOON).queue(NOON).counts.new == 2
    again = opened(root)
    again.rate("b", Rating.GOOD, later(minutes=1), 1000)
    assert collection.queue(NOON).counts.new == 1, "what is begun anew is seen"
    private.rename(root / "begun")
    (root / "elsewhere").rename(private)
    collection.reload(NOON)
    assert collection.problems == ()
    assert collection.state("a") == Collection.open(root, NOON).state("a") == states["a"]


# Pipes, sockets and devices under the names of our files: a sentence, and no waiting.  Nobody
# writes into these pipes: whoever opens one to read it stays there for good.


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
irregular = pytest.mark.parametrize("make", MAKERS, ids=["pipe", "socket", "zero", "tty"])


@irregular
def test_what_is_no_file_is_said_among_the_cards_the_settings_and_the_journal(
    root: Path, make: Callable[[Path], None]
) -> None:
    write_card(root, "a")
    card, device = root / "odd.md", journal_of(root, "phone", "2027-02.jsonl")
    for path in (card, device):
        make(path)
        collection = opened(root)
        assert list(collection.cards) == ["a"]
        (problem,) = collection.problems
        assert problem.path == path
        assert problem.hint
        leads_out = path == card and path.is_symlink()
        assert ("leads out" if leads_out else "not a regular file") in problem.message
        assert problem.severity == ("warning" if leads_out else "error")
        if path == card:
            with pytest.raises(CardError, match="not a regular file"):
                read_card(path)
        path.unlink()
    settings = root / ".deltadeck" / "config.toml"
    make(settings)
    with pytest.raises(CollectionError, match="not a regular file") as raised:
        Collection.open(root, NOON)
    assert raised.value.problem.path == settings
    assert raised.value.problem.hint


@irregular
def test_an_answer_that_would_be_written_into_what_is_no_file_is_refused(
    root: Path, make: Callable[[Path], None]
) -> None:
    """Nor is a torn line moved there."""
    write_card(root, "a")
    file = journal_of(root)
    for path in (file, file.with_name(file.name + ".torn")):
        make(path)
        if path != file:
            file.write_bytes(b'{"torn')
        collection = opened(root)
        with pytest.raises(JournalError, match="cannot be written"):
            collection.rate("a", Rating.GOOD, NOON, 1000)
        assert collection.queue(NOON).counts.new == 1
        assert path == file or file.read_bytes() == b'{"torn'
        path.unlink()
