"""What becomes of cards that were changed on two computers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cards import read_card
from cards.edit import replace_section, set_field
from deck.collection import Collection
from deck.fsrs import Rating
from deck.replay import status_of
from deck.sync.conflicts import (
    ENDING,
    Origin,
    conflicts,
    conflicts_of,
    keep,
    named,
    origin_of,
    problems,
    take,
)
from tests.deck.given import NOON, card_text, later, write_card
from tests.deck.sync.given import Fleet, copied, git


def edit(root: Path, name: str, section: str, text: str) -> None:
    path = root / name
    replace_section(path, section, text, read_card(path).source)


def question(root: Path, name: str) -> str:
    return read_card(root / name).question


def in_conflict(fleet: Fleet) -> None:
    """Both write another question; the desk's comes first."""
    edit(fleet["desk"], "a.md", "Question", "Desk?")
    edit(fleet["phone"], "a.md", "Question", "Phone?")
    fleet.sync("desk", "phone", "desk")


def test_changes_in_different_places_of_a_card_meet(fleet: Fleet) -> None:
    edit(fleet["desk"], "a.md", "Question", "Desk?")
    edit(fleet["phone"], "a.md", "Solution", "Phone.")
    fleet.settle()
    fleet.agree()
    card = read_card(fleet["desk"] / "a.md")
    assert (card.question, card.solution) == ("Desk?", "Phone.")
    assert conflicts(fleet["desk"]) == []


def test_changes_of_the_same_lines_keep_both_and_break_nothing(fleet: Fleet) -> None:
    in_conflict(fleet)
    fleet.agree()
    for name in fleet.names:
        root = fleet[name]
        assert question(root, "a.md") == "Phone?", "the computer that merged keeps its own"
        (conflict,) = conflicts(root)
        assert conflict.path == root / "a.md"
        assert b"Desk?" in conflict.text()
        collection = fleet.open(name)
        assert list(collection.cards) == ["a", "b", "c"]
        (problem,) = collection.problems
        assert (problem.path, problem.severity) == (root / "a.md", "warning")
        assert "two versions" in problem.message
        collection.close()


@pytest.mark.parametrize("other", [False, True], ids=["keep", "take"])
@pytest.mark.parametrize("where", ["desk", "phone"])
def test_a_choice_holds_on_every_computer_and_does_not_come_back(
    fleet: Fleet, other: bool, where: str
) -> None:
    in_conflict(fleet)
    root = fleet[where]
    (conflict,) = named(root, "a.md")
    (take if other else keep)(root, conflict)
    fleet.sync(where)
    fleet.settle()
    fleet.agree()
    for name in fleet.names:
        assert conflicts(fleet[name]) == []
        assert question(fleet[name], "a.md") == ("Desk?" if other else "Phone?")
    kept = [path.read_text() for path in (root / ".deltadeck/drafts").iterdir()]
    assert any("Desk?" in text for text in kept), "what was not chosen is put aside"


def test_each_computer_is_told_which_version_is_its_own(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def at(name: str) -> None:
        device = tmp_path / name / "deltadeck/device"
        device.parent.mkdir(parents=True, exist_ok=True)
        device.write_text(f"{name}\n")
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / name))

    for name in fleet.names:
        edit(fleet[name], "a.md", "Question", f"{name}?")
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
    at("desk")
    take(fleet["desk"], conflict)
    assert not (fleet["desk"] / ".deltadeck/conflicts").exists()
    fleet.settle()
    fleet.agree()
    assert question(fleet["phone"], "a.md") == "desk?"


@pytest.mark.parametrize("note", [b"", b"[" * 9000, b"[]", b'{"kept": 3}', b"\xff"])
def test_a_broken_note_of_whose_version_it_is_says_nothing_of_it(
    tmp_path: Path, note: bytes
) -> None:
    (tmp_path / f"a.md{ENDING}").write_bytes(note)
    assert origin_of(tmp_path / "a.md") == Origin()
    assert "different versions" in Origin().words("desk")


def test_a_second_conflict_of_a_card_loses_no_version(tmp_path: Path) -> None:
    fleet = copied(tmp_path, "desk", "phone", "tablet")
    for name in fleet.names:
        edit(fleet[name], "a.md", "Question", f"{name}?")
    fleet.sync(*fleet.names)
    fleet.settle()
    fleet.agree()
    texts = [question(fleet["desk"], "a.md").encode()]
    texts += [conflict.text() for conflict in conflicts(fleet["desk"])]
    assert len(texts) == 3
    assert all(any(f"{name}?".encode() in text for text in texts) for name in fleet.names)


def test_lines_of_status_alone_are_no_conflict_and_follow_the_history_of_both(fleet: Fleet) -> None:
    desk, phone = fleet.open("desk"), fleet.open("phone")
    desk.rate("a", Rating.EASY, NOON, 0)
    phone.rate("a", Rating.AGAIN, later(minutes=5), 0)
    before = {name: read_card(fleet[name] / "a.md").status for name in fleet.names}
    assert before == {"desk": "reviewing", "phone": "learning"}
    desk.close()
    phone.close()
    fleet.settle()
    fleet.agree()
    assert conflicts(fleet["desk"]) == []
    for name in fleet.names:
        collection = fleet.open(name)
        states = [collection.state("a")]
        assert status_of(states) == read_card(fleet[name] / "a.md").status
        collection.close()


def test_a_suspension_by_hand_outlives_an_answer_elsewhere(fleet: Fleet) -> None:
    for name, status in (("desk", "suspended"), ("phone", "learning")):
        path = fleet[name] / "a.md"
        set_field(path, "status", status, read_card(path).source)
    fleet.settle()
    fleet.agree()
    assert read_card(fleet["phone"] / "a.md").status == "suspended"
    assert conflicts(fleet["desk"]) == []


def test_an_edit_and_a_status_beside_it_meet(fleet: Fleet) -> None:
    path = fleet["desk"] / "a.md"
    set_field(path, "type", "open", read_card(path).source)  # the line above `status:`
    set_field(fleet["phone"] / "a.md", "status", "learning", card_text("a"))
    fleet.settle()
    fleet.agree()
    card = read_card(path)
    assert (card.type, card.status) == ("open", "learning")
    assert conflicts(fleet["desk"]) == []


@pytest.mark.parametrize("first", ["desk", "phone"])
def test_a_card_deleted_here_and_changed_there_is_kept_and_said(fleet: Fleet, first: str) -> None:
    (fleet["desk"] / "a.md").unlink()
    edit(fleet["phone"], "a.md", "Question", "Phone?")
    second = "phone" if first == "desk" else "desk"
    fleet.sync(first)
    report = fleet.sync(second)
    assert report.repositories[0].merged.kept == ["a.md"]
    fleet.settle()
    fleet.agree()
    assert question(fleet["desk"], "a.md") == "Phone?"


def test_a_card_deleted_on_one_computer_is_gone_on_all(fleet: Fleet) -> None:
    (fleet["desk"] / "a.md").unlink()
    fleet.settle()
    fleet.agree()
    assert not (fleet["phone"] / "a.md").exists()


@pytest.mark.parametrize("first", ["desk", "phone"])
def test_a_card_that_moved_takes_the_changes_of_the_other_side_along(
    fleet: Fleet, first: str
) -> None:
    (fleet["desk"] / "sub").mkdir()
    (fleet["desk"] / "a.md").rename(fleet["desk"] / "sub" / "other.md")
    edit(fleet["phone"], "a.md", "Question", "What a long and quite different question this is!")
    fleet.sync(first)
    fleet.settle()
    fleet.agree()
    assert not (fleet["desk"] / "a.md").exists()
    assert "quite different" in question(fleet["desk"], "sub/other.md")
    assert conflicts(fleet["desk"]) == []


def test_a_card_that_moved_on_both_is_there_once_with_both_texts(fleet: Fleet) -> None:
    (fleet["desk"] / "a.md").rename(fleet["desk"] / "left.md")
    edit(fleet["desk"], "left.md", "Question", "Desk?")
    (fleet["phone"] / "a.md").rename(fleet["phone"] / "right.md")
    edit(fleet["phone"], "right.md", "Solution", "Phone.")
    fleet.sync("desk", "phone")
    fleet.settle()
    fleet.agree()
    assert not (fleet["desk"] / "left.md").exists()
    card = read_card(fleet["desk"] / "right.md")
    assert (card.question, card.solution) == ("Desk?", "Phone.")


def test_two_new_cards_of_one_file_name_are_both_there(fleet: Fleet) -> None:
    write_card(fleet["desk"], "new", question="Desk?", id="desk-card")
    write_card(fleet["phone"], "new", question="Phone?", id="phone-card")
    report = fleet.sync("desk", "phone")
    assert report.repositories[0].merged.beside == ["new-2.md"]
    fleet.settle()
    fleet.agree()
    collection = fleet.open("desk")
    assert {"desk-card", "phone-card"} < set(collection.cards)
    assert collection.problems == ()
    collection.close()


def test_one_new_card_written_twice_is_a_conflict_unless_it_says_the_same(fleet: Fleet) -> None:
    for name in fleet.names:
        write_card(fleet[name], "same", status="to_learn" if name == "desk" else "learning")
        write_card(fleet[name], "new", question=f"{name}?")
    fleet.sync("desk", "phone")
    fleet.settle()
    fleet.agree()
    assert [conflict.path.name for conflict in conflicts(fleet["desk"])] == ["new.md"]


def test_a_merge_that_would_leave_no_card_is_a_conflict(fleet: Fleet) -> None:
    """Each line merges by itself; together they give a key twice."""
    text = card_text("a")
    assert "\ntype:" in text
    (fleet["desk"] / "a.md").write_text(text.replace("id: a\n", "id: a\npoints: 3\n"))
    (fleet["phone"] / "a.md").write_text(
        text.replace("status: to_learn\n", "status: to_learn\npoints: 3\n")
    )
    fleet.settle()
    fleet.agree()
    assert read_card(fleet["phone"] / "a.md").id == "a"
    assert len(conflicts(fleet["desk"])) == 1


def test_a_card_that_moved_later_still_finds_its_other_version(fleet: Fleet) -> None:
    in_conflict(fleet)
    path = fleet["desk"] / "elsewhere.md"
    (fleet["desk"] / "a.md").rename(path)
    assert len(conflicts_of(fleet["desk"], path, "a")) == 1
    assert conflicts_of(fleet["desk"], path, "b") == []


def test_pictures_and_settings_never_hold_marks_of_a_merge(fleet: Fleet) -> None:
    for number, name in enumerate(fleet.names):
        (fleet[name] / "picture.png").write_bytes(b"\x89PNG\0" + bytes([number]))
        config = fleet[name] / ".deltadeck/config.toml"
        config.write_text(f"new_per_day = {number + 1}\n")
    fleet.sync("desk", "phone")
    fleet.settle()
    fleet.agree()
    collection = fleet.open("phone")
    assert collection.config.new_per_day == 2
    collection.close()
    names = [conflict.path.name for conflict in conflicts(fleet["desk"])]
    assert names == ["picture.png"]


def test_names_with_spaces_and_of_any_alphabet_travel(fleet: Fleet) -> None:
    folder = fleet["desk"] / "Základy [1] *" / ":(top) sítě"
    write_card(folder, "ñandú -x", id="odd")
    fleet.settle()
    fleet.agree()
    edit(fleet["phone"], "Základy [1] */:(top) sítě/ñandú -x.md", "Question", "Phone?")
    edit(fleet["desk"], "Základy [1] */:(top) sítě/ñandú -x.md", "Question", "Desk?")
    fleet.settle()
    fleet.agree()
    assert len(conflicts(fleet["phone"])) == 1
    git(fleet["desk"], "fsck", "--strict")


def test_an_open_collection_sees_what_a_sync_brought(fleet: Fleet) -> None:
    collection: Collection = fleet.open("desk")
    edit(fleet["phone"], "a.md", "Question", "Phone?")
    fleet.settle()
    collection.reload(NOON)
    assert collection.cards["a"].question == "Phone?"
    collection.close()


@pytest.mark.parametrize("first", ["desk", "phone"])
def test_cards_that_exchanged_their_file_names_keep_both_sides_changes(
    fleet: Fleet, first: str
) -> None:
    """As after renumbering: b is in a.md now, and a in new.md."""
    desk = fleet["desk"]
    (desk / "a.md").rename(desk / "new.md")
    (desk / "b.md").rename(desk / "a.md")
    edit(fleet["phone"], "a.md", "Question", "A of the phone?")
    edit(fleet["phone"], "b.md", "Question", "B of the phone?")
    fleet.sync(first)
    fleet.settle()
    fleet.agree()
    cards = {path.name: read_card(path) for path in desk.glob("*.md")}
    assert {name: card.id for name, card in cards.items()} == {
        "a.md": "b",
        "c.md": "c",
        "new.md": "a",
    }
    assert cards["new.md"].question == "A of the phone?"
    assert cards["a.md"].question == "B of the phone?"
    assert conflicts(desk) == []
