"""The copies that sync tools, file managers and git leave: each has its sentence, none a price."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from deck.backup import back_up, read_backup
from deck.collection import Collection
from deck.fsrs import Rating
from deck.index.lines import read_journal
from deck.repair import examine, repair
from tests.deck.given import NOON, append_events, later, line_of, review, write_card

FIRST = review()
SECOND = review(Rating.EASY, at=later(minutes=1), random=2)
THIRD = review(Rating.HARD, at=later(minutes=2), random=3)

NAMES = [
    "2026-11.sync-conflict-20261121-120000-ABCDEFG.jsonl",  # Syncthing
    "2026-11 (conflicted copy 2026-11-21).jsonl",  # Dropbox, older
    "2026-11 (Ada's conflicted copy 2026-11-21).jsonl",  # Dropbox
    "2026-11 (conflicted copy 2026-11-21 120000).jsonl",  # Nextcloud
    "2026-11_conflict-20261121-120000.jsonl",  # ownCloud
    "2026-11 2.jsonl",  # iCloud
    "2026-11 (1).jsonl",  # Drive, browsers
    "2026-11 (SFConflict ada@example.org 2026-11-21-12-00-00).jsonl",  # Seafile
    "2026-11.Conflict.jsonl",  # Resilio
    "2026-11 - Copy.jsonl",  # file managers
    "2026-11 (copy).jsonl",
    "2026-11 copy.jsonl",
]
FOLDERS = ["desk 2", "desk (conflicted copy 2026-11-21)", "desk - Copy"]


def folder(root: Path) -> Path:
    path = root / ".deltadeck" / "journal" / "desk"
    path.mkdir(parents=True, exist_ok=True)
    return path


def events(root: Path) -> list[str]:
    """Through the index, and without it."""
    collection = Collection.open(root, NOON)
    found = [event.id for event in collection.events("a")]
    collection.close()
    assert found == sorted({event.id for event in read_journal(root / ".deltadeck").events})
    return found


@pytest.fixture
def shared(root: Path) -> Path:
    write_card(root, "a")
    (folder(root) / "2026-11.jsonl").write_bytes(line_of(FIRST) + line_of(SECOND))
    return root


@pytest.mark.parametrize("name", [*NAMES, *(f"../{name}/2026-11.jsonl" for name in FOLDERS)])
@pytest.mark.parametrize("own", [False, True], ids=["all elsewhere", "with an event of its own"])
def test_a_conflict_copy_counts_once_is_said_and_cleared_away(
    shared: Path, name: str, own: bool
) -> None:
    copy = folder(shared) / name
    copy.parent.mkdir(exist_ok=True)
    copy = Path(os.path.normpath(copy))
    data = line_of(FIRST) + (line_of(THIRD) if own else b"")
    copy.write_bytes(data)
    expected = [FIRST.id, SECOND.id, *([THIRD.id] if own else [])]
    assert events(shared) == expected
    (problem,) = Collection.open(shared, NOON).problems
    assert (problem.path, problem.severity) == (copy, "warning")
    assert "looks like a copy" in problem.message
    (finding,) = examine(shared)
    assert (finding.kind, finding.mends, finding.problem.path) == ("copy", True, copy)
    assert ("events of its own" in finding.problem.message) is own
    (mended,) = repair(shared)
    assert mended.aside.read_bytes() == data
    assert not copy.exists()
    assert events(shared) == expected
    assert Collection.open(shared, NOON).problems == ()
    assert examine(shared) == [] == repair(shared)


def test_many_copies_of_copies_end_in_one_history(shared: Path) -> None:
    for number, name in enumerate(NAMES):
        lines = line_of(FIRST) + line_of(review(random=20 + number % 4)) + b"nonsense\n"
        (folder(shared) / name).write_bytes(lines)
    before = events(shared)
    repair(shared)
    assert events(shared) == before
    assert examine(shared) == [] == repair(shared)


@pytest.mark.parametrize("name", ["journal 2", "journal (conflicted copy 2026-11-21)"])
def test_a_second_folder_of_the_journal_is_an_error_with_a_way_out(shared: Path, name: str) -> None:
    second = shared / ".deltadeck" / name / "desk"
    second.mkdir(parents=True)
    (second / "2026-11.jsonl").write_bytes(line_of(THIRD))
    (problem,) = Collection.open(shared, NOON).problems
    assert (problem.path, problem.severity) == (second.parent, "error")
    assert {finding.kind for finding in examine(shared)} == {"missing"}
    assert repair(shared) == []
    second.rename(folder(shared).parent / "desk-2")
    second.parent.rmdir()
    assert events(shared) == [FIRST.id, SECOND.id, THIRD.id]
    assert examine(shared) == []


@pytest.mark.parametrize(
    "place", ["2026-11.jsonl", "desk/old/2026-10.jsonl", "desk/2026-11.jsonl.bak", "desk/x.txt"]
)
def test_events_in_a_file_that_is_not_read_are_found(shared: Path, place: str) -> None:
    path = folder(shared).parent / place
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(line_of(THIRD))
    (finding,) = [found for found in examine(shared) if "nowhere" in found.problem.message]
    assert finding.kind == "missing"
    assert (finding.problem.path, finding.mends) == (path, False)
    assert "1 event here counts nowhere" in finding.problem.message
    path.write_bytes(line_of(FIRST))
    assert not [found for found in examine(shared) if "nowhere" in found.problem.message]


@pytest.mark.parametrize("name", ["._2026-11.jsonl", ".#2026-11.jsonl", ".syncthing.2026-11.jsonl"])
def test_hidden_files_and_those_of_the_system_are_left_alone(shared: Path, name: str) -> None:
    (folder(shared) / name).write_bytes(b"\0\5\x16\7")
    (folder(shared).parent / "desktop.ini").write_bytes(b"[.ShellClassInfo]")
    (folder(shared).parent / ".stversions").mkdir()
    assert events(shared) == [FIRST.id, SECOND.id]
    assert Collection.open(shared, NOON).problems == ()
    collection = Collection.open(shared, NOON)
    assert collection._history.is_current(), "and cost no look at the journal"
    assert examine(shared) == [] == repair(shared)


def test_names_that_are_not_utf_8_are_read_and_backed_up(shared: Path) -> None:
    odd = os.fsencode(folder(shared).parent) + b"/t\xe9l\xe9phone\\x"
    os.mkdir(odd)  # noqa: PTH102
    Path(os.fsdecode(odd), "2026-11.jsonl").write_bytes(line_of(THIRD))
    assert events(shared) == [FIRST.id, SECOND.id, THIRD.id]
    collection = Collection.open(shared, NOON, "desk")
    collection.rate("a", Rating.GOOD, later(hours=1), 0)
    assert collection.problems == ()
    made = back_up(shared, NOON)
    assert made is not None
    names = [os.fsencode(name) for name in read_backup(made.path)]
    assert b"journal/t\xe9l\xe9phone\\x/2026-11.jsonl" in names


def test_a_sync_tools_copy_of_a_card_is_said_and_both_texts_stay(shared: Path) -> None:
    copy = shared / "a.sync-conflict-20261121-120000-ABCDEFG.md"
    copy.write_bytes((shared / "a.md").read_bytes().replace(b"Why?", b"Why not?"))
    collection = Collection.open(shared, NOON, "desk")
    (problem,) = collection.problems
    assert problem.path == copy
    assert "already used" in problem.message
    assert "another id" in problem.hint
    collection.rate("a", Rating.EASY, later(hours=1), 0)
    assert b"Why not?" in copy.read_bytes()
    assert b"Why?" in (shared / "a.md").read_bytes()
    assert len(events(shared)) == 3


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_an_unfinished_merge_in_git_of_one_devices_file_loses_nothing(shared: Path) -> None:
    """Two computers with one device's name (a copied home folder), each with its answers."""

    def git(*words: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "gc.auto=0"]
        command = ["git", *identity, *words]
        subprocess.run(command, cwd=shared, capture_output=True, check=words[0] != "merge")

    file = folder(shared) / "2026-11.jsonl"
    git("init", "-q", "-b", "desk")
    git("add", "-A")
    git("commit", "-qm", "both")
    git("checkout", "-qb", "phone")
    append_events(shared / ".deltadeck", [THIRD])
    git("commit", "-qam", "phone")
    git("checkout", "-q", "desk")
    fourth = review(at=later(minutes=4), random=4)
    append_events(shared / ".deltadeck", [fourth])
    git("commit", "-qam", "desk")
    git("merge", "phone")
    assert b"<<<<<<<" in file.read_bytes()
    assert events(shared) == [FIRST.id, SECOND.id, THIRD.id, fourth.id]
    assert [finding.kind for finding in examine(shared)] == ["corrupt"] * 3
    assert "unfinished merge in git" in examine(shared)[0].problem.message
    Collection.open(shared, NOON, "desk").rate("a", Rating.EASY, later(hours=2), 0)
    repair(shared)
    assert len(events(shared)) == 5
    assert b"<<<<<<<" not in file.read_bytes()
    assert examine(shared) == []
