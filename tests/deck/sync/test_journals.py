"""Journals are united: by a sync, by git itself, and never shortened."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck.fsrs import Rating
from deck.repair import examine
from deck.sync.commit import make_repository, set_up_here
from deck.sync.driver import event_id, lost, union
from tests.deck.given import NOON, append_events, later, line_of, review
from tests.deck.sync.given import Fleet, events, git, synced

LINES = [line_of(review(random=number)).rstrip() for number in range(5)]
JUNK = [b"<<<<<<< ours", b"nonsense"]
SIDES = st.lists(st.sampled_from([*LINES, *JUNK]), max_size=7).map(
    lambda rows: b"".join(row + b"\n" for row in rows)
)


def ids(*sides: bytes) -> set[str | None]:
    return {event_id(row) for side in sides for row in side.split(b"\n") if row} - {None}


@given(SIDES, SIDES, SIDES)
def test_a_union_has_every_event_of_both_and_no_other(
    base: bytes, ours: bytes, theirs: bytes
) -> None:
    merged = union(base, ours, theirs)
    assert ids(merged) == ids(ours, theirs)
    assert ids(merged) == ids(union(base, theirs, ours))
    assert union(base, merged, theirs) == merged, "a second time it changes nothing"
    assert union(base, ours, ours) == ours


@given(SIDES, SIDES)
def test_what_is_lost_is_what_a_union_brings_back(old: bytes, new: bytes) -> None:
    assert {event_id(row) for row in lost(old, new)} == ids(old) - ids(new)


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        ("0", "01", "20", "012"),
        ("0x", "0", "0x", "0"),
        ("0x", "0x", "", "0"),
    ],
    ids=["ours stay where they are", "what we took out is gone", "no event is taken out"],
)
def test_a_union_is_ours_and_then_what_is_new(
    base: str, ours: str, theirs: str, merged: str
) -> None:
    lines = {"x": b"nonsense"} | {str(number): line for number, line in enumerate(LINES)}
    sides = (
        b"".join(lines[name] + b"\n" for name in each) for each in (base, ours, theirs, merged)
    )
    first, mine, yours, wanted = sides
    assert union(first, mine, yours) == wanted


def test_half_a_line_gives_way_to_the_whole_one() -> None:
    whole = LINES[0] + b"\n" + LINES[1] + b"\n"
    assert union(b"", LINES[0] + b"\n" + LINES[1][:40], whole) == whole


def test_two_computers_with_one_devices_name_lose_nothing_and_what_is_deleted_comes_back(
    fleet: Fleet,
) -> None:
    for number, name in enumerate(fleet.names):
        append_events(fleet[name] / ".deltadeck", [review(random=number)], "desk")
    fleet.settle()
    fleet.agree()
    phone = fleet["phone"]
    assert len(events(phone)) == 2
    assert examine(phone) == []
    (file,) = (phone / ".deltadeck/journal").rglob("*.jsonl")
    file.unlink()
    fleet.sync("phone")
    assert len(events(phone)) == 2
    data = file.read_bytes()
    file.write_bytes(data.splitlines(keepends=True)[1])
    git(phone, "commit", "-qam", "by hand: shorter")
    git(phone, "push", "-q")
    fleet.settle()
    fleet.agree()
    assert len(events(phone)) == 2


def test_a_damaged_line_that_was_set_aside_does_not_come_back(fleet: Fleet) -> None:
    file = fleet["desk"] / ".deltadeck/journal/desk/2026-11.jsonl"
    append_events(fleet["desk"] / ".deltadeck", [review()], "desk")
    good = file.read_bytes()
    file.write_bytes(good + b"nonsense\n")
    fleet.sync("desk", "phone")
    file.write_bytes(good)
    append_events(fleet["phone"] / ".deltadeck", [review(random=7)], "phone")
    fleet.settle()
    fleet.agree()
    assert file.read_bytes() == good


def conflict_by_hand(tmp_path: Path) -> Path:
    """A repository in which git itself is to merge two journals; its folder."""
    root = tmp_path / "cards"
    (root / ".deltadeck").mkdir(parents=True)
    make_repository(root)
    set_up_here(root)
    append_events(root / ".deltadeck", [review()])
    git(root, "add", "-A")
    git(root, "commit", "-qm", "both")
    git(root, "checkout", "-qb", "other")
    append_events(root / ".deltadeck", [review(random=1)])
    git(root, "commit", "-qam", "other")
    git(root, "checkout", "-q", "main")
    append_events(root / ".deltadeck", [review(random=2)])
    git(root, "commit", "-qam", "main")
    return root


@pytest.mark.parametrize("how", ["driver", "gone", "clone"])
def test_a_merge_by_hand_is_a_union_too(tmp_path: Path, how: str) -> None:
    """With the driver; where deltadeck is gone; in a clone that knows no driver."""
    root = conflict_by_hand(tmp_path)
    driver = git(root, "config", "merge.deltadeck-journal.driver").strip()
    assert driver.startswith(sys.executable)
    if how == "gone":
        gone = driver.replace(sys.executable, "/nowhere/python")
        git(root, "config", "merge.deltadeck-journal.driver", gone)
    if how == "clone":
        git(tmp_path, "clone", "-q", "cards", "clone")
        root = tmp_path / "clone"
        git(root, "branch", "other", "origin/other")
    git(root, "merge", "-q", "-m", "by hand", "other")
    assert len(events(root)) == 3
    assert examine(root) == []


def test_init_in_a_repository_sets_up_once_and_keeps_the_learners_lines(tmp_path: Path) -> None:
    root = tmp_path / "notes" / "my cards"
    (root / ".deltadeck").mkdir(parents=True)
    make_repository(tmp_path / "notes")
    (root / ".deltadeck/.gitignore").write_text("mine.txt")
    assert set_up_here(root)
    first = (root / ".deltadeck/.gitignore").read_text()
    assert first.startswith("mine.txt\nlock\n")
    assert set_up_here(root)
    assert (root / ".deltadeck/.gitignore").read_text() == first
    path = "my cards/.deltadeck/journal/desk/2026-11.jsonl"
    assert "deltadeck-journal" in git(tmp_path / "notes", "check-attr", "merge", path)
    assert not set_up_here(tmp_path)


def test_undone_answers_and_every_kind_of_event_travel(fleet: Fleet) -> None:
    desk = fleet.open("desk")
    desk.rate("a", Rating.GOOD, NOON, 0)
    desk.undo(later(minutes=1))
    desk.suspend("b", later(minutes=2))
    desk.record_check("b", {"answer": "x" * 10_000}, later(minutes=3))
    given = desk.answers("a")
    desk.close()
    synced(fleet["desk"])
    report = synced(fleet["phone"])
    received = report.repositories[0].received
    assert (received.answers, received.events) == (1, 3)
    phone = fleet.open("phone")
    assert phone.is_suspended("b")
    assert phone.answers("a") == given
    phone.close()
