"""Whatever a journal holds: an event counts, the rest is said and kept, and a repair loses none."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck.backup import back_up, bring_back, read_backup, restore
from deck.collection import Collection
from deck.errors import JournalError
from deck.events import Checked, Event, Unknown, write_line
from deck.fsrs import Rating
from deck.index.lines import read_journal
from deck.repair import examine, repair
from deck.replay import New, replay
from tests.deck.given import (
    CONFIG,
    NOON,
    append_events,
    event,
    journal_of,
    later,
    line_of,
    opened,
    review,
    write_card,
)

FIRST = review(item="a")
SECOND = review(Rating.EASY, "b", later(minutes=1), random=2)
LINES = line_of(FIRST), line_of(SECOND)
THIRD = review(Rating.HARD, at=later(minutes=2), random=3)


@pytest.fixture
def journal(root: Path) -> Path:
    for item in "ab":
        write_card(root, item)
    return journal_of(root)


@pytest.fixture
def shared(root: Path, journal: Path) -> Path:
    journal.write_bytes(b"".join(LINES))
    return root


def counted(root: Path) -> list[str]:
    """The events that count, through the index and without it."""
    collection, known = opened(root), read_journal(root / ".deltadeck").events
    states = replay(known, collection.config)
    for item in "ab":
        assert collection.state(item) == states.get(item, New())
    found = sorted({event.id for item in "ab" for event in collection.events(item)})
    assert found == sorted({event.id for event in known})
    assert all(p.message and p.hint for p in collection.problems)
    assert all(len(str(p)) < 1000 for p in collection.problems), "of a stranger's text, a little"
    collection.close()
    return found


def said(root: Path) -> list[str]:
    return [problem.message for problem in Collection.open(root, NOON).problems]


def kinds(root: Path) -> list[str]:
    return [finding.kind for finding in examine(root)]


def test_a_sound_journal_and_none_at_all_are_silent(root: Path) -> None:
    assert not examine(root)
    assert not repair(root)
    append_events(root / ".deltadeck", [FIRST, SECOND])
    assert not examine(root)
    assert not repair(root)


@pytest.mark.parametrize(
    ("bad", "kind", "mends"),
    [
        (line_of(FIRST)[:50], "torn", True),
        (line_of(FIRST), "copy", True),
        (line_of(review(Rating.HARD)), "corrupt", False),
        (line_of(event(Unknown("dream"), random=5)), "corrupt", False),
    ],
)
def test_each_line_that_is_wrong_is_named(root: Path, bad: bytes, kind: str, mends: bool) -> None:
    path = journal_of(root)
    path.write_bytes(line_of(FIRST) + line_of(SECOND) + bad)
    (finding,) = examine(root)
    assert (finding.kind, finding.mends, finding.problem.path) == (kind, mends, path)
    assert finding.problem.line in (1, 3)
    assert finding.problem.hint
    before = replay(read_journal(root / ".deltadeck").events, CONFIG)
    mended = repair(root)
    assert bool(mended) is mends
    assert replay(read_journal(root / ".deltadeck").events, CONFIG) == before
    assert kinds(root) == ([] if mends else [kind])


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_disk_that_refuses_leaves_the_file_as_it_was(
    root: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    path = journal_of(root)
    path.write_bytes(line_of(FIRST) + b"nonsense\n" + line_of(SECOND))
    before = path.read_bytes()

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, call, refuse)
        with pytest.raises(JournalError, match="No space left"):
            repair(root)
    assert path.read_bytes() == before
    assert len(repair(root)) == 1
    events: list[Event] = read_journal(root / ".deltadeck").events
    assert events == [FIRST, SECOND]


def test_a_repair_keeps_a_files_permissions_what_a_link_names_and_what_was_set_aside_before(
    root: Path, tmp_path: Path
) -> None:
    real = tmp_path / "elsewhere.jsonl"
    real.write_bytes(line_of(FIRST) + b"nonsense\n")
    real.chmod(0o600)
    real.with_name(real.name + ".aside").write_bytes(b"half a li")
    journal_of(root).symlink_to(real)
    (mended,) = repair(root)
    assert mended.aside.read_bytes() == b"half a li\nnonsense\n", "each stays a line"
    assert journal_of(root).is_symlink()
    assert real.read_bytes() == line_of(FIRST)
    assert real.stat().st_mode & 0o777 == 0o600


# What is kept, and does not count.


def test_events_that_only_a_backup_has_are_said_until_they_are_back_or_replaced_on_purpose(
    root: Path,
) -> None:
    append_events(root / ".deltadeck", [FIRST, SECOND])
    made = back_up(root, NOON)
    assert made is not None
    journal_of(root).write_bytes(line_of(FIRST))
    assert back_up(root, later(days=1)) is not None, "the newest one has lost it too"
    (finding,) = examine(root)
    assert (finding.kind, finding.mends, finding.problem.path) == ("missing", False, made.path)
    assert "1 event of this backup is nowhere" in finding.problem.message
    bring_back(root, made.path)
    assert examine(root) == []
    append_events(root / ".deltadeck", [THIRD])
    restore(root, made.path, later(days=1))
    assert len(read_journal(root / ".deltadeck").events) == 2
    assert examine(root) == []


def test_a_draft_that_a_kill_left_is_put_away_and_one_being_written_is_left_alone(
    root: Path,
) -> None:
    import fcntl

    (root / "deck").mkdir()
    left = root / "deck" / ".0123456789abcdef.deltadeck-tmp"
    held = root / ".fedcba9876543210.deltadeck-tmp"
    left.write_text("an edit")
    with held.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        (finding,) = examine(root)
        assert (finding.kind, finding.problem.path, finding.mends) == ("torn", left, True)
        (mended,) = repair(root)
        assert held.exists()
    assert mended.aside.read_text() == "an edit"
    assert mended.aside.parent == root / ".deltadeck" / "drafts"
    assert not left.exists()
    assert (root / "deck").exists(), "a learner's folder stays, also an empty one"
    assert [finding.problem.path for finding in examine(root)] == [held]


# The copies that sync tools, file managers and git leave: each has its sentence, none a price.


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


@pytest.mark.parametrize(
    ("name", "own"),
    [
        *((name, number % 2 == 0) for number, name in enumerate(NAMES)),
        *((f"../{name}/2026-11.jsonl", own) for name in FOLDERS for own in (False, True)),
    ],
)
def test_a_conflict_copy_counts_once_is_said_and_cleared_away(
    shared: Path, name: str, own: bool
) -> None:
    copy = folder(shared) / name
    copy.parent.mkdir(exist_ok=True)
    copy = Path(os.path.normpath(copy))
    data = line_of(FIRST) + (line_of(THIRD) if own else b"")
    copy.write_bytes(data)
    expected = [FIRST.id, SECOND.id, *([THIRD.id] if own else [])]
    assert counted(shared) == expected
    (problem,) = Collection.open(shared, NOON).problems
    assert (problem.path, problem.severity) == (copy, "warning")
    assert "looks like a copy" in problem.message
    (finding,) = examine(shared)
    assert (finding.kind, finding.mends, finding.problem.path) == ("copy", True, copy)
    assert ("events of its own" in finding.problem.message) is own
    (mended,) = repair(shared)
    assert mended.aside.read_bytes() == data
    assert not copy.exists()
    assert counted(shared) == expected
    assert Collection.open(shared, NOON).problems == ()
    assert examine(shared) == [] == repair(shared)


def test_a_second_folder_of_the_journal_is_an_error_with_a_way_out(shared: Path) -> None:
    second = shared / ".deltadeck" / "journal (conflicted copy 2026-11-21)" / "desk"
    second.mkdir(parents=True)
    (second / "2026-11.jsonl").write_bytes(line_of(THIRD))
    (problem,) = Collection.open(shared, NOON).problems
    assert (problem.path, problem.severity) == (second.parent, "error")
    assert {finding.kind for finding in examine(shared)} == {"missing"}
    assert repair(shared) == []
    second.rename(folder(shared).parent / "desk-2")
    second.parent.rmdir()
    assert counted(shared) == [FIRST.id, SECOND.id, THIRD.id]
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
    said = [p for p in opened(shared).problems if "not read" in p.message]
    assert bool(said) == (path.parent.name == "journal"), "a file beside the devices"
    assert all(p.severity == "error" and "into the folder of its device" in p.hint for p in said)
    path.write_bytes(line_of(FIRST))
    assert not [found for found in examine(shared) if "nowhere" in found.problem.message]


def test_hidden_files_and_those_of_the_system_are_left_alone(shared: Path) -> None:
    for name in ("._2026-11.jsonl", ".#2026-11.jsonl", ".syncthing.2026-11.jsonl", ".gitkeep"):
        (folder(shared) / name).write_bytes(b"\0\5\x16\7")
    (folder(shared).parent / "desktop.ini").write_bytes(b"[.ShellClassInfo]")
    (folder(shared).parent / ".stversions").mkdir()
    assert counted(shared) == [FIRST.id, SECOND.id]
    collection = Collection.open(shared, NOON)
    assert collection.problems == ()
    assert collection._history.is_current(), "and cost no look at the journal"
    assert examine(shared) == [] == repair(shared)


def test_names_that_are_not_utf_8_are_read_and_backed_up(shared: Path) -> None:
    odd = os.fsencode(folder(shared).parent) + b"/t\xe9l\xe9phone\\x"
    os.mkdir(odd)  # noqa: PTH102
    Path(os.fsdecode(odd), "2026-11.jsonl").write_bytes(line_of(THIRD))
    assert counted(shared) == [FIRST.id, SECOND.id, THIRD.id]
    collection = opened(shared)
    collection.rate("a", Rating.GOOD, later(hours=1), 0)
    assert collection.problems == ()
    made = back_up(shared, NOON)
    assert made is not None
    names = [os.fsencode(name) for name in read_backup(made.path)]
    assert b"journal/t\xe9l\xe9phone\\x/2026-11.jsonl" in names


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
    assert counted(shared) == [FIRST.id, SECOND.id, THIRD.id, fourth.id]
    assert [finding.kind for finding in examine(shared)] == ["corrupt"] * 3
    assert "unfinished merge in git" in examine(shared)[0].problem.message
    opened(shared).rate("a", Rating.EASY, later(hours=2), 0)
    repair(shared)
    assert len(counted(shared)) == 5
    assert b"<<<<<<<" not in file.read_bytes()
    assert examine(shared) == []


# Strange lines: none hides another.


STRANGE: dict[str, tuple[bytes, str]] = {
    "not UTF-8": (b"\xff\xfe\xc3(", "it is not UTF-8 text"),
    "UTF-16": ('{"v":1}'.encode("utf-16"), "it is not UTF-8 text"),
    "NUL bytes": (b"\0" * 5000, "nothing but NUL bytes, as a power cut leaves them"),
    "a merge begun": (b"<<<<<<< HEAD", "the mark of an unfinished merge in git"),
    "a merge's middle": (b"=======", "the mark of an unfinished merge in git"),
    "a merge's base": (b"||||||| 5f1c", "the mark of an unfinished merge in git"),
    "a merge's end": (b">>>>>>> phone", "the mark of an unfinished merge in git"),
    "a note": (b"# by hand", "it is not JSON"),
    "a list": (b"[1,2]", "it is not a JSON object"),
    "nothing of an event": (b"{}", "it has no 'id'"),
    "half of one": (LINES[0][:80], "it is not JSON"),
    "a megabyte of a time": (
        json.dumps(json.loads(LINES[0]) | {"at": "x" * 1_000_000}).encode(),
        "Invalid isoformat string",
    ),
    "a time without a zone": (
        json.dumps(json.loads(LINES[0]) | {"at": "2026-11-21T12:00:00"}).encode(),
        "its time names no zone",
    ),
}


@pytest.mark.parametrize("name", STRANGE)
def test_a_strange_line_is_said_kept_and_hides_nothing(
    root: Path, journal: Path, name: str
) -> None:
    line, why = STRANGE[name]
    data = LINES[0] + line + b"\n" + LINES[1]
    journal.write_bytes(data)
    assert counted(root) == [FIRST.id, SECOND.id]
    (message,) = said(root)
    assert why in message
    assert journal.read_bytes() == data, "reading never writes"
    (finding,) = examine(root)
    assert (finding.kind, finding.mends, finding.problem.line) == ("corrupt", True, 2)
    (mended,) = repair(root)
    assert mended.aside.read_bytes() == line + b"\n"
    assert (examine(root), said(root)) == ([], [])
    assert counted(root) == [FIRST.id, SECOND.id]


@pytest.mark.parametrize(
    "noise", [b"x" * 3_000_000 + b"\n", b"nonsense\n" * 5000], ids=["megabytes", "very many"]
)
def test_a_line_of_megabytes_and_very_many_are_said_shortly_and_hide_nothing(
    root: Path, journal: Path, noise: bytes
) -> None:
    journal.write_bytes(LINES[0] + noise + LINES[1])
    assert counted(root) == [FIRST.id, SECOND.id]
    assert len(said(root)) < 50
    (mended,) = repair(root)
    assert mended.aside.read_bytes() in (noise, b"nonsense\n")
    assert journal.read_bytes() == b"".join(LINES)


SOUND: dict[str, Callable[[bytes], bytes]] = {
    "a BOM": lambda data: b"\xef\xbb\xbf" + data,
    "a BOM on each line": lambda data: data.replace(b'{"v"', b'\xef\xbb\xbf{"v"'),
    "line ends of Windows": lambda data: data.replace(b"\n", b"\r\n"),
    "blank lines": lambda data: data.replace(b"\n", b"\n\n  \n"),
    "NUL bytes before it": lambda data: b"\0" * 512 + data,
    "spread out": lambda data: b"\n".join(
        json.dumps(json.loads(line)).encode() for line in data.splitlines()
    ),
    "other orders": lambda data: b"\n".join(
        json.dumps(json.loads(line), sort_keys=True).encode() for line in data.splitlines()
    ),
}


@pytest.mark.parametrize("name", SOUND)
def test_what_editors_and_systems_do_to_a_whole_file_costs_no_event(
    root: Path, journal: Path, name: str
) -> None:
    check = event(Checked({"verdict": "correct"}), "a", later(minutes=2), random=3)
    journal.write_bytes(SOUND[name](b"".join(LINES) + write_line(check)))
    assert counted(root) == [FIRST.id, SECOND.id, check.id]
    assert said(root) == []
    assert examine(root) == []


@pytest.mark.parametrize(
    "change",
    [
        {"v": 2},
        {"v": 2, "kind": "dream"},
        {"v": 7, "item": ["a", "b"]},
        {"v": 2, "id": "another form", "at": 5, "day": None},
        {"kind": "dream"},
    ],
)
def test_lines_of_a_later_version_are_kept_where_they_are_and_said(
    root: Path, journal: Path, change: dict[str, object]
) -> None:
    newer = json.dumps(json.loads(line_of(review(random=9))) | change).encode() + b"\n"
    journal.write_bytes(LINES[0] + newer + LINES[1])
    before = journal.read_bytes()
    assert {FIRST.id, SECOND.id} <= set(counted(root))
    (problem,) = Collection.open(root, NOON).problems
    assert (problem.severity, problem.line) == ("warning", 2)
    assert "newer deltadeck" in problem.hint
    (finding,) = examine(root)
    assert (finding.kind, finding.mends) == ("corrupt", False)
    assert repair(root) == []
    assert journal.read_bytes() == before


def test_lines_that_are_there_twice_or_in_two_files_count_once(root: Path, journal: Path) -> None:
    journal.write_bytes(LINES[0] * 3 + LINES[1])
    append_events(root / ".deltadeck", [SECOND, FIRST], "phone")
    assert counted(root) == [FIRST.id, SECOND.id]
    assert [finding.kind for finding in examine(root)] == ["copy", "copy"]
    (mended,) = repair(root)
    assert mended.lines == 2
    assert counted(root) == [FIRST.id, SECOND.id]


@pytest.mark.parametrize(
    "line",
    [
        LINES[0][:-1] + LINES[1],
        LINES[0][:90] + LINES[1],
        b"\0\0" + LINES[0][:30] + LINES[0][:-1] + LINES[1][:-1],
        LINES[0][:-1] + b"<<<<<<< HEAD" + LINES[1],
    ],
    ids=["two whole", "half and whole", "half and two whole, torn", "with a mark between"],
)
def test_lines_that_ran_into_one_are_taken_apart_and_the_line_is_kept(
    root: Path, journal: Path, line: bytes
) -> None:
    """As tools leave them that join files without a line feed at their end."""
    third = review(item="a", at=later(minutes=5), random=7)
    journal.write_bytes(line_of(third) + line)
    (finding,) = examine(root)
    assert (finding.kind, finding.mends, finding.problem.line) == ("corrupt", True, 2)
    kept = repair(root)[0].aside.read_bytes()
    assert line.removesuffix(b"\n") in kept
    assert {SECOND.id, third.id} <= set(counted(root))
    assert examine(root) == [] == repair(root)


NOISE = st.one_of(
    st.binary(max_size=40),
    st.sampled_from([line for line, _ in STRANGE.values() if len(line) < 200]),
    st.integers(0, 9).map(lambda n: line_of(review(item="ab"[n % 2], random=n))),
    st.integers(0, 200).map(lambda n: LINES[0][:n]),
)


def all_lines(root: Path) -> set[bytes]:
    files = (root / ".deltadeck").rglob("*.jsonl*")
    lines = (line.strip() for path in files for line in path.read_bytes().split(b"\n"))
    return {line for line in lines if line}


@given(st.lists(NOISE, max_size=10), st.sampled_from([b"\n", b"\r\n", b""]))
def test_any_mixture_opens_agrees_with_a_fresh_fold_and_mends_once(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes], end: bytes
) -> None:
    root = tmp_path_factory.mktemp("mixture")
    for item in "ab":
        write_card(root, item)
    journal_of(root).write_bytes(end.join(parts))
    before: list[Event] = read_journal(root / ".deltadeck").events
    lines = all_lines(root)
    assert set(counted(root)) == {event.id for event in before}
    repair(root)
    assert lines <= all_lines(root), "none is lost"
    after = read_journal(root / ".deltadeck").events
    assert {event.id for event in before} <= {event.id for event in after}
    assert repair(root) == []
    assert not any(finding.mends for finding in examine(root))
    opened(root).rate("a", Rating.GOOD, later(hours=1), 0)
    assert len(read_journal(root / ".deltadeck").events) == len(after) + 1
    assert replay(after, CONFIG).keys() <= {"a", "b"}
