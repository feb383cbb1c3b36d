"""A card is its id: whatever the files are called on either side, each card is there once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cards import read_card
from cards.edit import replace_section
from deck.sync.conflicts import conflicts
from deck.sync.run import Report
from tests.deck.given import write_card
from tests.deck.sync.given import Fleet, git, synced

BOTH = pytest.mark.parametrize("first", ["desk", "phone"])


def edit(path: Path, section: str, text: str) -> None:
    replace_section(path, section, text, read_card(path).source)


def cards(root: Path) -> dict[str, str]:
    """The path of each card by its id; no id is in two files."""
    found = [(read_card(p).id, p.relative_to(root).as_posix()) for p in root.rglob("*.md")
             if ".deltadeck" not in p.parts and p.is_file()]  # fmt: skip
    assert len({name for name, _ in found}) == len(found), "a card is there twice"
    return dict(found)


def question(root: Path, name: str) -> str:
    return read_card(root / cards(root)[name]).question


def settled(fleet: Fleet, first: str) -> Report:
    """Both have synced, in this order; what the one said that merged."""
    fleet.sync(first)
    report = fleet.sync(*(name for name in fleet.names if name != first))
    fleet.settle()
    fleet.agree()
    return report


def exchange(root: Path, *names: str) -> None:
    """Each file gets the text of the next one, the last one that of the first."""
    texts = [(root / name).read_bytes() for name in names]
    for name, text in zip(names, texts[1:] + texts[:1], strict=True):
        (root / name).write_bytes(text)


@BOTH
def test_a_card_renamed_onto_a_new_cards_name_takes_nothing_from_it(
    fleet: Fleet, first: str
) -> None:
    desk, phone = fleet["desk"], fleet["phone"]
    (phone / "a.md").rename(phone / "new.md")
    edit(desk / "a.md", "Question", "Desk?")
    write_card(desk, "new", id="new-card", question="New?")
    report = settled(fleet, first)
    assert report.repositories[0].merged.beside == ["new-2.md"]
    assert set(cards(desk).values()) == {"b.md", "c.md", "new.md", "new-2.md"}
    assert (question(desk, "a"), question(desk, "new-card")) == ("Desk?", "New?")


@BOTH
def test_a_card_deleted_for_another_and_changed_elsewhere_is_kept_and_said(
    fleet: Fleet, first: str
) -> None:
    desk, phone = fleet["desk"], fleet["phone"]
    for name in "ab":
        edit(desk / f"{name}.md", "Question", f"{name} of the desk?")
    (phone / "b.md").unlink()
    (phone / "a.md").rename(phone / "b.md")
    merged = settled(fleet, first).repositories[0].merged
    (kept,) = merged.kept
    assert kept == cards(desk)["b"]
    assert merged.beside == ["b-2.md"]
    assert set(cards(desk).values()) == {"b.md", "b-2.md", "c.md"}
    assert question(desk, "a") == "a of the desk?"
    assert question(desk, "b") == "b of the desk?"


@BOTH
def test_two_cards_are_never_two_versions_of_one(fleet: Fleet, first: str) -> None:
    """One writes another card into the file of the card that the other changes."""
    desk, phone = fleet["desk"], fleet["phone"]
    write_card(phone, "b", id="new-card", question="New?")
    edit(desk / "b.md", "Question", "Precious?")
    settled(fleet, first)
    assert conflicts(desk) == []
    assert (question(desk, "b"), question(desk, "new-card")) == ("Precious?", "New?")


@BOTH
def test_a_card_that_got_two_names_in_the_place_of_deleted_ones_is_there_once(
    fleet: Fleet, first: str
) -> None:
    for name, to in (("desk", "z.md"), ("phone", "b.md")):
        (fleet[name] / "b.md").unlink()
        (fleet[name] / "a.md").rename(fleet[name] / to)
    settled(fleet, first)
    assert cards(fleet["desk"]) == {"a": "b.md" if first == "desk" else "z.md", "c": "c.md"}


@BOTH
@pytest.mark.parametrize("there", [("b.md", "c.md"), ("c.md", "b.md", "a.md"), ("a.md", "b.md")])
def test_names_that_go_round_on_both_sides_keep_every_card_once(
    fleet: Fleet, first: str, there: tuple[str, ...]
) -> None:
    desk, phone = fleet["desk"], fleet["phone"]
    edit(desk / "a.md", "Question", "Desk?")
    edit(phone / "b.md", "Question", "Phone?")
    exchange(desk, "a.md", "b.md")
    exchange(phone, *there)
    settled(fleet, first)
    assert set(cards(desk)) == {"a", "b", "c"}
    assert (question(desk, "a"), question(desk, "b")) == ("Desk?", "Phone?")
    assert conflicts(desk) == []


@BOTH
@pytest.mark.parametrize(
    "change",
    [lambda text: text.replace("---\n", "--\n", 1), lambda text: text.replace("id: a\n", "")],
    ids=["broken", "without its id"],
)
def test_a_card_that_cannot_be_read_is_still_the_one_that_it_was(
    fleet: Fleet, first: str, change: Callable[[str], str]
) -> None:
    desk, phone = fleet["desk"], fleet["phone"]
    path = desk / "a.md"
    path.write_text(change(path.read_text()))
    edit(phone / "a.md", "Solution", "Phone.")
    settled(fleet, first)
    texts = [path.read_bytes(), *(conflict.text() for conflict in conflicts(desk))]
    assert any(b"Phone." in text for text in texts)
    assert len(list(desk.glob("*.md"))) == 3


@BOTH
def test_files_that_share_an_id_are_told_apart_by_their_paths(fleet: Fleet, first: str) -> None:
    """A card that was copied to begin another one, and is not finished."""
    desk, phone = fleet["desk"], fleet["phone"]
    (desk / "begun.md").write_bytes((desk / "a.md").read_bytes())
    edit(desk / "begun.md", "Question", "Begun?")
    (phone / "a.md").rename(phone / "moved.md")
    edit(phone / "moved.md", "Solution", "Phone.")
    settled(fleet, first)
    found = {path.name: read_card(path) for path in desk.glob("*.md")}
    assert set(found) == {"b.md", "begun.md", "c.md", "moved.md"}
    assert found["begun.md"].question == "Begun?"
    assert found["moved.md"].solution == "Phone."


@BOTH
def test_a_text_that_is_no_card_is_merged_where_it_is(fleet: Fleet, first: str) -> None:
    desk, phone = fleet["desk"], fleet["phone"]
    (desk / "README.md").write_text("# One\n\nText.\n\nMore.\n\nEnd.\n")
    fleet.settle()
    (desk / "README.md").write_text("# Two\n\nText.\n\nMore.\n\nEnd.\n")
    (phone / "README.md").write_text("# One\n\nText.\n\nMore.\n\nThe end.\n")
    settled(fleet, first)
    assert (desk / "README.md").read_text() == "# Two\n\nText.\n\nMore.\n\nThe end.\n"


@BOTH
def test_a_file_of_one_side_and_a_folder_of_the_other_keep_their_cards(
    fleet: Fleet, first: str
) -> None:
    write_card(fleet["desk"], "x", id="file")
    write_card(fleet["phone"] / "x.md", "y", id="below")
    settled(fleet, first)
    assert {"file", "below"} < set(cards(fleet["desk"]))


def test_a_repository_whose_ids_are_longer_syncs_all_the_same(tmp_path: Path) -> None:
    """Of SHA-256: a card that goes is taken out of git's index by an id of the same length."""
    desk = tmp_path / "desk"
    for name in ("a", "b"):
        write_card(desk, name)
    git(tmp_path, "init", "-q", "--bare", "--object-format=sha256", "-b", "main", "remote.git")
    git(desk, "init", "-q", "--object-format=sha256", "-b", "main")
    synced(desk, remote="../remote.git")
    git(tmp_path, "clone", "-q", "remote.git", "phone")
    (desk / "a.md").rename(desk / "z.md")
    edit(tmp_path / "phone/a.md", "Question", "Phone?")
    for name in ("desk", "phone", "desk"):
        synced(tmp_path / name)
    assert question(desk, "a") == "Phone?"
    assert cards(desk) == cards(tmp_path / "phone") == {"a": "z.md", "b": "b.md"}


def test_what_a_sync_says_counts_cards_and_not_their_files(fleet: Fleet) -> None:
    """One is renamed and changed, two exchange their names, one is deleted for a new one."""
    desk = fleet["desk"]
    write_card(desk, "gone")
    fleet.sync("desk")
    exchange(desk, "a.md", "b.md")
    (desk / "c.md").rename(desk / "z.md")
    edit(desk / "z.md", "Solution", "Desk.")
    write_card(desk, "gone", id="came")
    sent = fleet.sync("desk").repositories[0].sent
    assert sent.words() == "1 card added, 3 cards changed, 1 card removed"
    assert sent.others == 0
