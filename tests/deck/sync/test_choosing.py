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
from tests.deck.sync.given import Fleet, copied, edit, git, question, synced

#: Of a card with the longest name that a file may have, its version's is cut.
LONG = {letter: f"{letter * (250 // len(letter.encode()))}" for letter in "nž"}
PATHS = ("a", "x/intro", "y/intro", *LONG.values())


def in_conflict(fleet: Fleet) -> None:
    """Both wrote another question into each; the phone merged."""
    for number, path in enumerate(PATHS[1:]):
        file = fleet["desk"] / path
        write_card(file.parent, file.name, id=f"card{number}")
    fleet.settle()
    for name in fleet.names:
        for path in PATHS:
            edit(fleet[name] / f"{path}.md", "Question", f"{name} {path[:9]}?")
    fleet.sync("desk", "phone", "desk")


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    return copied(tmp_path, "desk", "phone", after=in_conflict)


@pytest.mark.parametrize("where", ["desk", "phone"])
def test_a_choice_holds_on_every_computer_and_does_not_come_back(fleet: Fleet, where: str) -> None:
    """The first of the two is taken, the others are kept."""
    root, (first, *others) = fleet[where], PATHS if where == "desk" else PATHS[::-1]
    (conflict,) = named(root, f"{first}.md")
    assert take(root, conflict) == root / f"{first}.md"
    for path in others:
        keep(root, named(root, f"{path}.md")[0])
    assert not (root / ".deltadeck/conflicts").exists()
    fleet.sync(where)
    fleet.settle()
    fleet.agree()
    for name in fleet.names:
        assert conflicts(fleet[name]) == []
        assert question(fleet[name], first) == f"desk {first[:9]}?"
        for path in others:
            assert question(fleet[name], path) == f"phone {path[:9]}?"
    kept = [path.read_text() for path in (root / ".deltadeck/drafts").iterdir()]
    for wanted in (f"phone {first[:9]}?", *(f"desk {path[:9]}?" for path in others)):
        assert any(wanted in text for text in kept), "what was not chosen is put aside"


def test_each_computer_is_told_which_version_is_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def at(name: str) -> None:
        device = tmp_path / name / "deltadeck/device"
        device.parent.mkdir(parents=True, exist_ok=True)
        device.write_text(f"{name}\n")
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / name))

    fleet = copied(tmp_path, "desk", "phone")
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
        named(desk, "b.md")
    with pytest.raises(CollectionError, match=r"x/intro\.md, y/intro\.md"):
        named(desk, "intro.md")
    (conflict,) = named(desk, "y/intro.md")
    keep(desk, conflict)
    assert [each.path for each in named(desk, "intro.md")] == [desk / "x/intro.md"]


def test_a_card_whose_name_another_one_has_now_is_the_one_that_is_chosen_for(fleet: Fleet) -> None:
    desk = fleet["desk"]
    (desk / "a.md").rename(desk / "z.md")
    assert len(conflicts_of(desk, desk / "z.md", "a")) == 1
    (desk / "b.md").rename(desk / "a.md")
    assert conflicts_of(desk, desk / "a.md", "b") == []
    (message,) = [each.message for each in problems(desk) if each.path == desk / "a.md"]
    assert "another name now" in message
    (conflict,) = conflicts_of(desk, desk / "z.md", "a")
    assert take(desk, conflict) == desk / "z.md"
    ids = {name: read_card(desk / f"{name}.md").id for name in "acz"}
    assert ids == {"a": "b", "c": "c", "z": "a"}
    assert question(desk, "z") == "desk a?"


def test_versions_are_called_alike_but_where_their_names_would_be_too_long() -> None:
    assert record_name("x/a.b.md", "0123abcd99") == ".deltadeck/conflicts/x/a.b.0123abcd.md"
    assert len(Path(record_name(f"{'ž' * 126}.md", "0" * 40)).name.encode()) <= 240


@pytest.mark.parametrize("flag", ["assume-unchanged", "skip-worktree"])
def test_changes_that_git_was_told_not_to_see_are_never_written_over(
    tmp_path: Path, flag: str
) -> None:
    fleet = copied(tmp_path, "desk", "phone")
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
