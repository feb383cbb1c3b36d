"""The doctor finds what is wrong with a journal, and its repair loses nothing."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deck.backup import back_up, bring_back, restore
from deck.errors import JournalError
from deck.events import Event, Unknown
from deck.fsrs import Rating
from deck.index.lines import read_journal
from deck.repair import examine, repair
from deck.replay import replay
from tests.deck.given import CONFIG, NOON, append_events, event, later, line_of, review

FIRST = review()
SECOND = review(Rating.EASY, seen=FIRST.id)


def file_of(root: Path, name: str = "2026-11.jsonl", device: str = "desk") -> Path:
    path = root / ".deltadeck" / "journal" / device / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


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
        (b"<<<<<<< HEAD\n", "corrupt", True),
        (b"\xff\xfe\n", "corrupt", True),
        (line_of(FIRST)[:50], "torn", True),
        (line_of(FIRST), "copy", True),
        (line_of(review(Rating.HARD)), "corrupt", False),
        (line_of(event(Unknown("dream"), random=5)), "corrupt", False),
    ],
)
def test_each_line_that_is_wrong_is_named(root: Path, bad: bytes, kind: str, mends: bool) -> None:
    path = file_of(root)
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


def test_a_copy_that_a_sync_tool_left_is_set_aside_once_all_of_it_is_elsewhere(root: Path) -> None:
    file_of(root).write_bytes(line_of(FIRST))
    copy = file_of(root, "2026-11.sync-conflict-20261121-120000-ABCDEFG.jsonl")
    copy.write_bytes(line_of(FIRST) + line_of(SECOND))
    (finding,) = examine(root)
    assert "events of its own, which count" in finding.problem.message
    assert len(read_journal(root / ".deltadeck").events) == 3
    file_of(root).write_bytes(line_of(FIRST) + line_of(SECOND))
    (finding,) = examine(root)
    assert (finding.kind, finding.mends) == ("copy", True)
    assert "in another file too" in finding.problem.message
    (mended,) = repair(root)
    assert mended.path == copy
    assert mended.aside.read_bytes() == line_of(FIRST) + line_of(SECOND)
    assert kinds(root) == []


def test_a_file_where_none_is_looked_for_is_named(root: Path) -> None:
    stray = root / ".deltadeck" / "journal" / "2026-11.jsonl"
    stray.parent.mkdir(parents=True)
    stray.write_bytes(line_of(FIRST))
    (finding,) = examine(root)
    assert (finding.kind, finding.problem.path) == ("missing", stray)
    assert finding.problem.message.startswith("1 event here counts nowhere")
    assert repair(root) == []
    stray.write_bytes(line_of(FIRST) + line_of(SECOND))
    (finding,) = examine(root)
    assert finding.problem.message.startswith("2 events here count nowhere")


def test_what_is_said_of_a_file_beside_the_devices_never_loses_its_events(root: Path) -> None:
    stray = root / ".deltadeck" / "journal" / "2026-11.jsonl"
    stray.parent.mkdir(parents=True)
    stray.write_bytes(line_of(FIRST))
    (problem,) = read_journal(root / ".deltadeck").problems
    assert (problem.path, problem.severity) == (stray, "error")
    assert "not read" in problem.message
    assert "into the folder of its device" in problem.hint
    (stray.parent / "desk").mkdir()
    stray.rename(stray.parent / "desk" / stray.name)
    contents = read_journal(root / ".deltadeck")
    assert (contents.events, contents.problems) == ([FIRST], ())


GOOD = st.integers(0, 6).map(lambda number: line_of(review(random=number)))
BAD = st.binary(max_size=30).map(lambda data: data.replace(b"\n", b"") + b"\n")


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("xy"), GOOD | BAD), max_size=12), st.booleans())
def test_a_repair_loses_no_line_and_changes_no_schedule(
    tmp_path_factory: pytest.TempPathFactory, lines: list[tuple[str, bytes]], torn: bool
) -> None:
    root = tmp_path_factory.mktemp("garbled")
    for device, line in lines:
        with file_of(root, device=device).open("ab") as file:
            file.write(line)
    if torn and lines:
        with file_of(root, device=lines[0][0]).open("ab") as file:
            file.write(b'{"v":1,')
    before = read_journal(root / ".deltadeck").events
    present = _all_lines(root)
    repair(root)
    assert _all_lines(root) == present
    assert replay(read_journal(root / ".deltadeck").events, CONFIG) == replay(before, CONFIG)
    assert repair(root) == []
    assert not any(finding.mends for finding in examine(root))


def _all_lines(root: Path) -> list[bytes]:
    files = (root / ".deltadeck").rglob("*.jsonl*")
    lines = [line for path in files for line in path.read_bytes().split(b"\n")]
    return sorted(line for line in lines if line.strip())


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_disk_that_refuses_leaves_the_file_as_it_was(
    root: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    path = file_of(root)
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


# What is kept, and does not count.


def test_events_that_only_a_backup_has_are_said_until_they_are_back(root: Path) -> None:
    append_events(root / ".deltadeck", [FIRST, SECOND])
    made = back_up(root, NOON)
    assert made is not None
    file_of(root).write_bytes(line_of(FIRST))
    assert back_up(root, later(days=1)) is not None, "the newest one has lost it too"
    (finding,) = examine(root)
    assert (finding.kind, finding.mends, finding.problem.path) == ("missing", False, made.path)
    assert "1 event of this backup is nowhere" in finding.problem.message
    bring_back(root, made.path)
    assert examine(root) == []


def test_what_a_restore_replaced_on_purpose_is_not_missed(root: Path) -> None:
    append_events(root / ".deltadeck", [FIRST])
    made = back_up(root, NOON)
    assert made is not None
    append_events(root / ".deltadeck", [SECOND])
    restore(root, made.path, later(days=1))
    assert len(read_journal(root / ".deltadeck").events) == 1
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


def test_a_repair_keeps_a_files_permissions_and_what_a_link_names(
    root: Path, tmp_path: Path
) -> None:
    real = tmp_path / "elsewhere.jsonl"
    real.write_bytes(line_of(FIRST) + b"nonsense\n")
    real.chmod(0o600)
    file_of(root).symlink_to(real)
    repair(root)
    assert file_of(root).is_symlink()
    assert real.read_bytes() == line_of(FIRST)
    assert real.stat().st_mode & 0o777 == 0o600


def test_what_a_crash_left_at_the_end_of_what_was_set_aside_stays_a_line(root: Path) -> None:
    path = file_of(root)
    path.write_bytes(line_of(FIRST) + b"nonsense\n")
    path.with_name(path.name + ".aside").write_bytes(b"half a li")
    (mended,) = repair(root)
    assert mended.aside.read_bytes() == b"half a li\nnonsense\n"
