"""What becomes of cards that were changed on two computers: each is there once, with what both
sides did; what cannot be put together is there in both versions.

A card is its id, whatever the files are called on either side.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cards import CardError, read_card
from cards.edit import set_field
from deck.collection import Collection
from deck.fsrs import Rating
from deck.replay import status_of
from deck.sync.conflicts import conflicts
from tests.deck.given import NOON, later, write_card
from tests.deck.sync.given import Fleet, copied, edit, git, synced

Deed = Callable[[Path], object]


def question(name: str, text: str) -> Deed:
    return lambda root: edit(root / name, "Question", text)


def solution(name: str, text: str) -> Deed:
    return lambda root: edit(root / name, "Solution", text)


def field(name: str, key: str, value: str) -> Deed:
    return lambda root: set_field(root / name, key, value, (root / name).read_text())


def replaced(name: str, old: str, new: str) -> Deed:
    return lambda root: (root / name).write_text((root / name).read_text().replace(old, new, 1))


def renamed(name: str, to: str) -> Deed:
    def deed(root: Path) -> None:
        (root / to).parent.mkdir(exist_ok=True)
        (root / name).rename(root / to)

    return deed


def deleted(name: str) -> Deed:
    return lambda root: (root / name).unlink()


def written(name: str, text: str = "Why?", **fields: object) -> Deed:
    return lambda root: write_card((root / name).parent, Path(name).stem, text, **fields)


def put(name: str, text: str | bytes) -> Deed:
    data = text if isinstance(text, bytes) else text.encode()
    return lambda root: (root / name).write_bytes(data)


def copy(name: str, to: str) -> Deed:
    return lambda root: (root / to).write_bytes((root / name).read_bytes())


def exchanged(*names: str) -> Deed:
    """Each file gets the text of the next one, the last one that of the first."""

    def deed(root: Path) -> None:
        texts = [(root / name).read_bytes() for name in names]
        for name, text in zip(names, texts[1:] + texts[:1], strict=True):
            (root / name).write_bytes(text)

    return deed


class Met(NamedTuple):
    """What two computers did, and what comes of it in whatever order they sync."""

    desk: list[Deed]
    phone: list[Deed]
    cards: dict[str, dict[str, str]]
    """By id, what a card says."""
    paths: set[str] | None = None
    """Of the cards; None where that depends on the order, or is not asked."""
    conflicts: list[str] = []  # noqa: RUF012
    kept: int | None = None
    """How many cards that one side took away, and the other changed; None where it is not asked."""
    beside: list[str] | None = None


ODD = "Základy [1] *:(top) ñandú -x.md"
LONG = (f"{'n' * 250}.md", f"{'ž' * 125}.md")
MET = {
    "changes in different places meet": Met(
        [question("a.md", "Desk?")], [solution("a.md", "Phone.")],
        {"a": {"question": "Desk?", "solution": "Phone."}},
    ),
    "a field and the status beside it meet": Met(
        [field("a.md", "type", "open")], [field("a.md", "status", "learning")],
        {"a": {"type": "open", "status": "learning"}},
    ),
    "a suspension by hand outlives an answer elsewhere": Met(
        [field("a.md", "status", "suspended")], [field("a.md", "status", "learning")],
        {"a": {"status": "suspended"}},
    ),
    "a merge that would leave no card is a conflict": Met(  # a key twice, line by line
        [replaced("a.md", "id: a\n", "id: a\npoints: 3\n")],
        [replaced("a.md", "status: to_learn\n", "status: to_learn\npoints: 3\n")],
        {"a": {}}, conflicts=["a.md"],
    ),
    "a deleted card is gone": Met([deleted("a.md")], [], {}, {"b.md", "c.md"}),
    "a card deleted here and changed there is kept": Met(
        [deleted("a.md")], [question("a.md", "Phone?")], {"a": {"question": "Phone?"}}, kept=1
    ),
    "a card that moved takes the other side's changes along": Met(
        [renamed("a.md", "sub/other.md")], [question("a.md", "A long and quite different one?")],
        {"a": {"question": "A long and quite different one?"}}, {"b.md", "c.md", "sub/other.md"},
    ),
    "a card that moved on both is there once with both texts": Met(
        [renamed("a.md", "left.md"), question("left.md", "Desk?")],
        [renamed("a.md", "right.md"), solution("right.md", "Phone.")],
        {"a": {"question": "Desk?", "solution": "Phone."}},
    ),
    "two new cards of one file name are both there": Met(
        [written("new.md", "Desk?", id="desk-card")],
        [written("new.md", "Phone?", id="phone-card")],
        {"desk-card": {"question": "Desk?"}, "phone-card": {"question": "Phone?"}},
        {"a.md", "b.md", "c.md", "new.md", "new-2.md"}, beside=["new-2.md"],
    ),
    "one new card written twice is one if both say the same": Met(
        [written("same.md", status="to_learn"), written("new.md", "Desk?")],
        [written("same.md", status="learning"), written("new.md", "Phone?")],
        {"same": {}, "new": {}}, conflicts=["new.md"],
    ),
    "cards that exchanged their file names keep both sides' changes": Met(
        [renamed("a.md", "new.md"), renamed("b.md", "a.md")],
        [question("a.md", "A of the phone?"), question("b.md", "B of the phone?")],
        {"a": {"question": "A of the phone?"}, "b": {"question": "B of the phone?"}},
        {"a.md", "c.md", "new.md"},
    ),
    "a card renamed onto a new card's name takes nothing from it": Met(
        [question("a.md", "Desk?"), written("new.md", "New?", id="new-card")],
        [renamed("a.md", "new.md")],
        {"a": {"question": "Desk?"}, "new-card": {"question": "New?"}},
        {"b.md", "c.md", "new.md", "new-2.md"}, beside=["new-2.md"],
    ),
    "a card deleted for another and changed elsewhere is kept": Met(
        [question("a.md", "A of the desk?"), question("b.md", "B of the desk?")],
        [deleted("b.md"), renamed("a.md", "b.md")],
        {"a": {"question": "A of the desk?"}, "b": {"question": "B of the desk?"}},
        {"b.md", "b-2.md", "c.md"}, kept=1, beside=["b-2.md"],
    ),
    "two cards are never two versions of one": Met(
        [question("b.md", "Precious?")], [written("b.md", "New?", id="new-card")],
        {"b": {"question": "Precious?"}, "new-card": {"question": "New?"}},
    ),
    "a card with two names in the place of deleted ones is there once": Met(
        [deleted("b.md"), renamed("a.md", "z.md")], [deleted("b.md"), renamed("a.md", "b.md")],
        {"a": {}, "c": {}},
    ),
    "a card in the place of another keeps its name": Met(
        [question("a.md", "Desk?"), exchanged("a.md", "b.md")],
        [question("b.md", "Phone?"), exchanged("b.md", "c.md")],
        {"a": {"question": "Desk?"}, "b": {"question": "Phone?"}, "c": {}},
    ),
    "names that go round keep every card": Met(
        [question("a.md", "Desk?"), exchanged("a.md", "b.md")],
        [question("b.md", "Phone?"), exchanged("c.md", "b.md", "a.md")],
        {"a": {"question": "Desk?"}, "b": {"question": "Phone?"}, "c": {}},
    ),
    "an exchange on both sides is one": Met(
        [question("a.md", "Desk?"), exchanged("a.md", "b.md")],
        [question("b.md", "Phone?"), exchanged("a.md", "b.md")],
        {"a": {"question": "Desk?"}, "b": {"question": "Phone?"}}, {"a.md", "b.md", "c.md"},
    ),
    "files that share an id are told apart by their paths": Met(  # a copy that begins another card
        [copy("a.md", "begun.md"), question("begun.md", "Begun?")],
        [renamed("a.md", "moved.md"), solution("moved.md", "Phone.")],
        {}, {"b.md", "begun.md", "c.md", "moved.md"},
    ),
    "a file of one side and a folder of the other keep their cards": Met(
        [written("x.md", id="file")], [written("x.md/y.md", id="below")],
        {"file": {}, "below": {}},
    ),
    "names of any alphabet travel": Met(
        [written(ODD, "Desk?", id="odd")], [written(ODD, "Phone?", id="odd")],
        {"odd": {}}, {"a.md", "b.md", "c.md", ODD}, conflicts=[ODD],
    ),
    **{
        f"a card with the longest name has versions: {name[:2]}": Met(
            [written(name, "Desk?", id="long")], [written(name, "Phone?", id="long")],
            {"long": {}}, conflicts=[name],
        )
        for name in LONG
    },
}  # fmt: skip


def cards(root: Path) -> dict[str, Path]:
    """The file of each card by its id."""
    paths = (p for p in root.rglob("*.md") if ".deltadeck" not in p.parts and p.is_file())
    return {read_card(path).id: path for path in paths}


@pytest.mark.parametrize("first", ["desk", "phone"])
@pytest.mark.parametrize("name", MET)
def test_what_two_computers_did_meets(fleet: Fleet, name: str, first: str) -> None:
    met, second = MET[name], "phone" if first == "desk" else "desk"
    for computer, deeds in (("desk", met.desk), ("phone", met.phone)):
        for deed in deeds:
            deed(fleet[computer])
    merged = fleet.sync(first, second).repositories[0].merged
    fleet.settle()
    fleet.agree()
    found = cards(fleet["desk"])
    for card_id, said in met.cards.items():
        card = read_card(found[card_id])
        assert {key: getattr(card, key) for key in said} == said
    if met.paths is not None:
        paths = [p for p in fleet["desk"].rglob("*.md") if ".deltadeck" not in p.parts]
        assert {p.relative_to(fleet["desk"]).as_posix() for p in paths} == met.paths
    assert [each.path.name for each in conflicts(fleet["phone"])] == met.conflicts
    assert met.kept in (None, len(merged.kept))
    assert met.beside in (None, merged.beside)
    git(fleet["desk"], "fsck", "--strict")


def in_conflict(fleet: Fleet) -> None:
    """All write another question; the phone comes last."""
    for name in fleet.names:
        edit(fleet[name] / "a.md", "Question", f"{name}?")
    fleet.sync(*fleet.names)
    fleet.settle()
    fleet.agree()


def test_changes_of_the_same_lines_keep_every_version_and_break_nothing(tmp_path: Path) -> None:
    fleet = copied(tmp_path, "desk", "tablet", "phone")
    in_conflict(fleet)
    for name in fleet.names:
        assert read_card(fleet[name] / "a.md").question == "phone?", "who merged kept its own"
        texts = [conflict.text() for conflict in conflicts(fleet[name])]
        assert len(texts) == 2
        assert all(any(f"{other}?".encode() in t for t in texts) for other in ("desk", "tablet"))
        collection = fleet.open(name)
        assert list(collection.cards) == ["a", "b", "c"]
        for problem in collection.problems:
            assert (problem.path, problem.severity) == (fleet[name] / "a.md", "warning")
            assert "two versions" in problem.message
        collection.close()


def test_lines_of_status_follow_the_history_of_both_and_an_open_collection_sees_it(
    fleet: Fleet,
) -> None:
    desk, phone = fleet.open("desk"), fleet.open("phone")
    desk.rate("a", Rating.EASY, NOON, 0)
    phone.rate("a", Rating.AGAIN, later(minutes=5), 0)
    before = {name: read_card(fleet[name] / "a.md").status for name in fleet.names}
    assert before == {"desk": "reviewing", "phone": "learning"}
    edit(fleet["phone"] / "b.md", "Question", "Phone?")
    fleet.settle()
    fleet.agree()
    assert conflicts(fleet["desk"]) == []
    for name, collection in (("desk", desk), ("phone", phone)):
        collection.reload(later(minutes=6))
        assert collection.cards["b"].question == "Phone?"
        states = [collection.state("a")]
        assert status_of(states) == read_card(fleet[name] / "a.md").status
        collection.close()


@pytest.mark.parametrize("first", ["desk", "phone"])
@pytest.mark.parametrize(("old", "new"), [("---\n", "--\n"), ("id: a\n", "")])
def test_a_card_that_cannot_be_read_is_still_the_one_that_it_was(
    fleet: Fleet, first: str, old: str, new: str
) -> None:
    replaced("a.md", old, new)(fleet["desk"])
    with pytest.raises(CardError):
        read_card(fleet["desk"] / "a.md")
    edit(fleet["phone"] / "a.md", "Solution", "Phone.")
    fleet.sync(first)
    fleet.settle()
    fleet.agree()
    texts = [(fleet["desk"] / "a.md").read_bytes()]
    texts += [conflict.text() for conflict in conflicts(fleet["desk"])]
    assert any(b"Phone." in text for text in texts)
    assert len(list(fleet["desk"].glob("*.md"))) == 3


def test_what_is_no_card_is_merged_as_text_or_chosen_from_and_holds_no_marks(fleet: Fleet) -> None:
    odd = [".hidden", "two\nlines.txt", "a.0123abcd", ".x.md"]
    lines = "# One\n\nText.\n\nMore.\n\nEnd.\n"
    (fleet["desk"] / "README.md").write_text(lines)
    fleet.settle()
    for number, name in enumerate(fleet.names):
        root, word = fleet[name], ("One", "Two") if number else ("End.", "The end.")
        replaced("README.md", *word)(root)
        put("picture.png", b"\x89PNG\0" + bytes([number]))(root)
        put(".gitignore", f"*.{name}\n")(root)
        for each in odd:
            put(each, f"{name}\n")(root)
            git(root, "add", "-f", "--", each)
    fleet.sync("desk", "phone")
    fleet.settle()
    fleet.agree()
    root = fleet["desk"]
    assert (root / "README.md").read_text() == "# Two\n\nText.\n\nMore.\n\nThe end.\n"
    assert set((root / ".gitignore").read_text().split()) == {"*.desk", "*.phone"}
    found = sorted(conflict.path.name for conflict in conflicts(root))
    assert found == sorted(["picture.png", *odd]), "and no name hides its other version"


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
    assert read_card(desk / "z.md").question == "Phone?"
    assert {path.name for path in cards(tmp_path / "phone").values()} == {"b.md", "z.md"}


def test_what_a_sync_says_counts_cards_and_not_their_files(fleet: Fleet) -> None:
    """One is renamed and changed, two exchange their names, one is deleted for a new one."""
    desk = fleet["desk"]
    write_card(desk, "gone")
    fleet.sync("desk")
    for deed in (exchanged("a.md", "b.md"), renamed("c.md", "z.md"), solution("z.md", "Desk.")):
        deed(desk)
    write_card(desk, "gone", id="came")
    sent: Any = fleet.sync("desk").repositories[0].sent
    assert sent.words() == "1 card added, 3 cards changed, 1 card removed"
    assert sent.others == 0


def test_a_collection_of_one_computer_is_joined_by_another_that_began_by_itself(
    fleet: Fleet, tmp_path: Path
) -> None:
    root = tmp_path / "new"
    write_card(root, "a")
    Collection.init(root)
    git(root, "init", "-q", "-b", "main")
    synced(root, remote=str(fleet.remote))
    assert conflicts(root) == []
    assert (root / "c.md").exists()
