"""A choice is about one file, wherever its card is now, and holds on every computer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cards import read_card
from deck.errors import CollectionError
from deck.sync.conflicts import (
    ENDING,
    Origin,
    conflicts,
    conflicts_of,
    keep,
    named,
    origin_of,
    problems,
    record_name,
    take,
)
from tests.deck.given import write_card
from tests.deck.sync.given import Fleet, edit, git, synced


def in_conflict(fleet: Fleet, *paths: str) -> None:
    """Both write another question into each; the phone merges."""
    for name in fleet.names:
        for path in paths:
            edit(fleet[name] / path, "Question", f"{name} {path}?")
    fleet.sync("desk", "phone", "desk")


def question(root: Path, name: str = "a.md") -> str:
    return read_card(root / name).question


@pytest.mark.parametrize(("where", "other"), [("desk", False), ("phone", True)])
def test_a_choice_holds_on_every_computer_and_does_not_come_back(
    fleet: Fleet, other: bool, where: str
) -> None:
    in_conflict(fleet, "a.md")
    root = fleet[where]
    (conflict,) = named(root, "a.md")
    (take if other else keep)(root, conflict)
    assert not (root / ".deltadeck/conflicts").exists()
    fleet.sync(where)
    fleet.settle()
    fleet.agree()
    for name in fleet.names:
        assert conflicts(fleet[name]) == []
        assert question(fleet[name]) == ("desk a.md?" if other else "phone a.md?")
    kept = [path.read_text() for path in (root / ".deltadeck/drafts").iterdir()]
    assert any("desk a.md?" in text for text in kept), "what was not chosen is put aside"


def test_each_computer_is_told_which_version_is_its_own(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def at(name: str) -> None:
        device = tmp_path / name / "deltadeck/device"
        device.parent.mkdir(parents=True, exist_ok=True)
        device.write_text(f"{name}\n")
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / name))

    for name in fleet.names:
        edit(fleet[name] / "a.md", "Question", f"{name}?")
    for name in ("desk", "phone", "desk"):
        at(name)
        fleet.sync(name)
    said = {}
    for name in ("desk", "phone", "third"):
        at(name)
        (conflict,) = conflicts(fleet["desk"])
        said[name] = origin_of(conflict.other).words(name)
        assert said[name] in problems(fleet["desk"])[0].message
    assert said["phone"] == "desk has another version; the one of this computer was kept"
    assert re.fullmatch(
        r"it is now as on phone \(.*\); the other version is yours, .*", said["desk"]
    )
    assert said["third"].endswith("the other version is from desk")


@pytest.mark.parametrize("note", [b"", b"[" * 9000, b"[]", b"3", b'{"kept": 3}', b"\xff"])
def test_a_broken_note_of_whose_version_it_is_says_nothing_of_it(
    tmp_path: Path, note: bytes
) -> None:
    (tmp_path / f"a.md{ENDING}").write_bytes(note)
    assert origin_of(tmp_path / "a.md") == Origin()
    assert "different versions" in Origin().words("desk")


def test_a_name_means_one_file_or_none_is_chosen(fleet: Fleet) -> None:
    desk = fleet["desk"]
    with pytest.raises(CollectionError, match="no other version"):
        named(desk, "a.md")
    for folder in "xy":
        write_card(desk / folder, "intro", id=f"{folder}-intro")
    fleet.settle()
    in_conflict(fleet, "x/intro.md", "y/intro.md")
    with pytest.raises(CollectionError, match=r"x/intro\.md, y/intro\.md"):
        named(desk, "intro.md")
    (conflict,) = named(desk, "y/intro.md")
    keep(desk, conflict)
    assert [each.path for each in conflicts(desk)] == [desk / "x/intro.md"]


def test_a_card_whose_name_another_one_has_now_is_the_one_that_is_chosen_for(fleet: Fleet) -> None:
    in_conflict(fleet, "a.md")
    desk = fleet["desk"]
    (desk / "a.md").rename(desk / "z.md")
    assert len(conflicts_of(desk, desk / "z.md", "a")) == 1
    (desk / "b.md").rename(desk / "a.md")
    assert conflicts_of(desk, desk / "a.md", "b") == []
    (problem,) = problems(desk)
    assert problem.path == desk / "a.md"
    assert "another name now" in problem.message
    (conflict,) = conflicts_of(desk, desk / "z.md", "a")
    assert take(desk, conflict) == desk / "z.md"
    ids = {p.name: read_card(p).id for p in desk.glob("*.md")}
    assert ids == {"a.md": "b", "c.md": "c", "z.md": "a"}
    assert question(desk, "z.md") == "desk a.md?"


@pytest.mark.parametrize("letter", ["n", "ž"])
def test_a_version_of_a_card_with_the_longest_name_can_be_taken(fleet: Fleet, letter: str) -> None:
    long = f"{letter * (250 // len(letter.encode()))}.md"
    for name in fleet.names:
        write_card(fleet[name], long.removesuffix(".md"), f"{name}?", id="long")
    fleet.sync("desk", "phone", "desk")
    (conflict,) = named(fleet["desk"], long)
    take(fleet["desk"], conflict)
    fleet.settle()
    assert conflicts(fleet["phone"]) == []
    assert question(fleet["phone"], long) == "desk?"


def test_versions_are_called_alike_but_where_their_names_would_be_too_long() -> None:
    assert record_name("x/a.b.md", "0123abcd99") == ".deltadeck/conflicts/x/a.b.0123abcd.md"
    assert len(Path(record_name(f"{'ž' * 126}.md", "0" * 40)).name.encode()) <= 240


@pytest.mark.parametrize("flag", ["assume-unchanged", "skip-worktree"])
def test_changes_that_git_was_told_not_to_see_are_never_written_over(
    fleet: Fleet, flag: str
) -> None:
    desk, phone = fleet["desk"], fleet["phone"]
    git(desk, "update-index", f"--{flag}", "a.md")
    write_card(desk, "a", question="Unseen?")
    write_card(phone, "a", question="Phone?")
    fleet.sync("phone")
    with pytest.raises(CollectionError, match=f"--no-{flag} FILE"):
        synced(desk)
    assert question(desk) == "Unseen?"
    git(desk, "update-index", f"--no-{flag}", "a.md")
    fleet.settle()
    fleet.agree()
    assert len(conflicts(desk)) == 1
