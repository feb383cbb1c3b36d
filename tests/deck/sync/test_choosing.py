"""What a choice is about: one file, wherever its card is now, and whatever it is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from cards import read_card
from cards.edit import replace_section
from deck.errors import CollectionError
from deck.sync.conflicts import (
    Conflict,
    conflicts,
    conflicts_of,
    keep,
    named,
    problems,
    record_name,
    take,
)
from tests.deck.given import write_card
from tests.deck.sync.given import Fleet, git, synced


def in_conflict(fleet: Fleet, *paths: str) -> None:
    """Both write another question into each; the phone merges."""
    for name in fleet.names:
        for path in paths:
            card = fleet[name] / path
            replace_section(card, "Question", f"{name} {path}?", read_card(card).source)
    fleet.sync("desk", "phone", "desk")


def test_a_name_that_two_files_have_chooses_neither(fleet: Fleet) -> None:
    desk = fleet["desk"]
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
    (desk / "b.md").rename(desk / "a.md")
    assert conflicts_of(desk, desk / "a.md", "b") == []
    (problem,) = problems(desk)
    assert problem.path == desk / "a.md"
    assert "another name now" in problem.message
    (conflict,) = conflicts_of(desk, desk / "z.md", "a")
    assert take(desk, conflict) == desk / "z.md"
    assert {p.name: read_card(p).id for p in desk.glob("*.md")} == {
        "a.md": "b",
        "c.md": "c",
        "z.md": "a",
    }
    assert read_card(desk / "z.md").question == "desk a.md?"


@pytest.mark.parametrize("name", [".gitignore", ".gitattributes"])
def test_lists_for_git_that_both_changed_hold_the_lines_of_both(fleet: Fleet, name: str) -> None:
    for side in fleet.names:
        (fleet[side] / name).write_text(f"*.{side}\n")
    fleet.sync("desk", "phone")
    fleet.settle()
    fleet.agree()
    assert set((fleet["desk"] / name).read_text().split()) == {"*.desk", "*.phone"}
    assert conflicts(fleet["desk"]) == []


@pytest.mark.parametrize("name", [".hidden", "two\nlines.txt", "a.0123abcd", ".x.md"])
def test_no_file_is_called_so_that_its_other_version_is_not_told(fleet: Fleet, name: str) -> None:
    for side in fleet.names:
        (fleet[side] / name).write_text(f"{side}\n")
        git(fleet[side], "add", "-f", "--", name)
    fleet.sync("desk", "phone")
    fleet.settle()
    fleet.agree()
    for side in fleet.names:
        assert [conflict.path for conflict in conflicts(fleet[side])] == [fleet[side] / name]


@pytest.mark.parametrize("letter", ["n", "ž"])
def test_a_card_with_the_longest_name_has_versions_to_choose_from(
    fleet: Fleet, letter: str
) -> None:
    long = f"{letter * (250 // len(letter.encode()))}.md"
    write_card(fleet["desk"], long.removesuffix(".md"), id="long")
    fleet.settle()
    in_conflict(fleet, long)
    fleet.settle()
    fleet.agree()
    (conflict,) = named(fleet["desk"], long)
    take(fleet["desk"], conflict)
    fleet.settle()
    fleet.agree()
    assert conflicts(fleet["phone"]) == []
    assert read_card(fleet["phone"] / long).question == f"desk {long}?"


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
    assert read_card(desk / "a.md").question == "Unseen?"
    git(desk, "update-index", f"--no-{flag}", "a.md")
    fleet.settle()
    fleet.agree()
    (conflict,) = conflicts(desk)
    assert isinstance(conflict, Conflict)
