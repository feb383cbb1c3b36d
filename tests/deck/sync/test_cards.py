"""What becomes of cards that were changed on two computers: each is there once, with what both
sides did; what cannot be put together is there in both versions.

A card is its id, whatever the files are called on either side.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from cards import Card, CardError, read_card
from cards.edit import set_field
from deck.fsrs import Rating
from deck.replay import status_of
from deck.sync.conflicts import conflicts
from deck.sync.merge import Merged
from tests.deck.given import CLOZE, later, rated, write_card
from tests.deck.sync.given import (
    Fleet,
    begun,
    copied,
    edit,
    git,
    git_environment,
    question,
    synced,
)

Deed = Callable[[Path], object]
"""What somebody does in a folder with the cards a, b and c."""


def asks(name: str, text: str) -> Deed:
    return lambda folder: edit(folder / name, "Question", text)


def solves(name: str, text: str) -> Deed:
    return lambda folder: edit(folder / name, "Solution", text)


def field(name: str, key: str, value: str) -> Deed:
    return lambda folder: set_field(folder / name, key, value, (folder / name).read_text())


def replaced(name: str, old: str, new: str) -> Deed:
    return lambda folder: (folder / name).write_text(
        re.sub(old, new, (folder / name).read_text(), count=1)
    )


def renamed(name: str, to: str) -> Deed:
    def deed(folder: Path) -> None:
        (folder / to).parent.mkdir(exist_ok=True)
        (folder / name).rename(folder / to)

    return deed


def deleted(name: str) -> Deed:
    return lambda folder: (folder / name).unlink()


def written(name: str, text: str = "Why?", **fields: object) -> Deed:
    """A new card, called as its file is, or `id`."""

    def deed(folder: Path) -> None:
        path, card = folder / name, fields.get("id", Path(name).stem)
        write_card(path.parent, path.stem, text, **fields | {"id": f"{folder.name}-{card}"})

    return deed


def put(name: str, text: str | bytes) -> Deed:
    data = text if isinstance(text, bytes) else text.encode()
    return lambda folder: (folder / name).write_bytes(data)


def copy(name: str, to: str) -> Deed:
    return lambda folder: (folder / to).write_bytes((folder / name).read_bytes())


def exchanged(*names: str) -> Deed:
    """Each file gets the text of the next one, the last one that of the first."""

    def deed(folder: Path) -> None:
        texts = [(folder / name).read_bytes() for name in names]
        for name, text in zip(names, texts[1:] + texts[:1], strict=True):
            (folder / name).write_bytes(text)

    return deed


class Met(NamedTuple):
    """What two computers did, and what comes of it in whatever order they sync."""

    desk: list[Deed]
    phone: list[Deed]
    cards: dict[str, dict[str, str]]
    """By id, what a card says."""
    paths: set[str] | None = None
    """Of the cards; None where that depends on the order, or is not asked."""
    conflicts: list[str] | None = []  # noqa: RUF012
    kept: int | None = None
    """How many cards that one side took away, and the other changed; None where it is not asked."""
    beside: list[str] | None = None
    texts: dict[str, str] = {}  # noqa: RUF012
    """By pattern, what a file or its other version says: where ids are shared, or not read."""
    before: list[Deed] = []  # noqa: RUF012
    """What both had done when they synced last."""


ODD = "Základy [1] *:(top) ñandú -x.md"
MET = {
    "changes in different places meet": Met(
        [asks("a.md", "Desk?")], [solves("a.md", "Phone.")],
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
        [replaced("a.md", "course:", "points: 3\ncourse:")],
        [replaced("a.md", "status: to_learn\n", "status: to_learn\npoints: 3\n")],
        {"a": {}}, conflicts=["a.md"],
    ),
    "a deleted card is gone": Met([deleted("a.md")], [], {}, {"b.md", "c.md"}),
    "a card deleted here and changed there is kept": Met(
        [deleted("a.md")], [asks("a.md", "Phone?")], {"a": {"question": "Phone?"}}, kept=1
    ),
    "a card that moved takes the other side's changes along": Met(
        [renamed("a.md", "sub/other.md")], [asks("a.md", "A long and quite different one?")],
        {"a": {"question": "A long and quite different one?"}}, {"b.md", "c.md", "sub/other.md"},
    ),
    "a card that moved on both is there once with both texts": Met(
        [renamed("a.md", "left.md"), asks("left.md", "Desk?")],
        [renamed("a.md", "right.md"), solves("right.md", "Phone.")],
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
        [asks("a.md", "A of the phone?"), asks("b.md", "B of the phone?")],
        {"a": {"question": "A of the phone?"}, "b": {"question": "B of the phone?"}},
        {"a.md", "c.md", "new.md"},
    ),
    "a card renamed onto a new card's name takes nothing from it": Met(
        [asks("a.md", "Desk?"), written("new.md", "New?", id="new-card")],
        [renamed("a.md", "new.md")],
        {"a": {"question": "Desk?"}, "new-card": {"question": "New?"}},
        {"b.md", "c.md", "new.md", "new-2.md"}, beside=["new-2.md"],
    ),
    "a card deleted for another and changed elsewhere is kept": Met(
        [asks("a.md", "A of the desk?"), asks("b.md", "B of the desk?")],
        [deleted("b.md"), renamed("a.md", "b.md")],
        {"a": {"question": "A of the desk?"}, "b": {"question": "B of the desk?"}},
        {"b.md", "b-2.md", "c.md"}, kept=1, beside=["b-2.md"],
    ),
    "two cards are never two versions of one": Met(
        [asks("b.md", "Precious?")], [written("b.md", "New?", id="new-card")],
        {"b": {"question": "Precious?"}, "new-card": {"question": "New?"}},
    ),
    "a card with two names in the place of deleted ones is there once": Met(
        [deleted("b.md"), renamed("a.md", "z.md")], [deleted("b.md"), renamed("a.md", "b.md")],
        {"a": {}, "c": {}},
    ),
    "a card in the place of another keeps its name": Met(
        [asks("a.md", "Desk?"), exchanged("a.md", "b.md")],
        [asks("b.md", "Phone?"), exchanged("b.md", "c.md")],
        {"a": {"question": "Desk?"}, "b": {"question": "Phone?"}, "c": {}},
    ),
    "names that go round keep every card": Met(
        [asks("a.md", "Desk?"), exchanged("a.md", "b.md")],
        [asks("b.md", "Phone?"), exchanged("c.md", "b.md", "a.md")],
        {"a": {"question": "Desk?"}, "b": {"question": "Phone?"}, "c": {}},
    ),
    "an exchange on both sides is one": Met(
        [asks("a.md", "Desk?"), exchanged("a.md", "b.md")],
        [asks("b.md", "Phone?"), exchanged("a.md", "b.md")],
        {"a": {"question": "Desk?"}, "b": {"question": "Phone?"}}, {"a.md", "b.md", "c.md"},
    ),
    "files that share an id are told apart by their paths": Met(  # a copy that begins another card
        [copy("a.md", "begun.md"), asks("begun.md", "Begun?")],
        [renamed("a.md", "moved.md"), solves("moved.md", "Phone.")],
        {}, {"b.md", "begun.md", "c.md", "moved.md"},
        texts={"begun.md": "Begun?", "moved.md": "Phone."},
    ),
    "a file that was changed is kept though its id moved, where two files share it": Met(
        [renamed("twin.md", "moved.md"), deleted("a.md")],
        [asks("a.md", "A?"), asks("twin.md", "T?")],
        {}, {"a.md", "b.md", "c.md", "moved.md", "twin.md"}, kept=2,
        texts={"a.md": "A?", "twin.md": "T?", "moved.md": "Why?"}, before=[copy("a.md", "twin.md")],
    ),
    "files that share an id merge each with its own path's versions": Met(
        [asks("a.md", "A?"), asks("twin.md", "Desk?")],
        [solves("a.md", "Phone."), solves("twin.md", "T.")],
        {}, {"a.md", "b.md", "c.md", "twin.md"}, before=[copy("a.md", "twin.md")],
        texts={"a.md": "A?.*Phone", "twin.md": "Desk?.*T."},
    ),
    **{
        f"a card that cannot be read is still the one that it was: {new!r}": Met(
            [replaced("a.md", old, new)], [solves("a.md", "Phone.")], {}, {"a.md", "b.md", "c.md"},
            conflicts=None, texts={"a.md": "Phone."},
        )
        for old, new in (("---\n", "--\n"), ("id: .*\n", ""))
    },
    "of two texts without an id in the place of one card none is taken for the other": Met(
        [replaced("a.md", "---\n", "--\n"), put("moved.md", "Mine.\n")],
        [renamed("a.md", "moved.md")],
        {}, {"b.md", "c.md", "moved.md", "moved-2.md"},
        texts={"moved.md": "Mine|Why", "moved*.md": "Mine", "m*.md": "^--\n.*Why"},
    ),
    "a file of one side and a folder of the other keep their cards": Met(
        [written("x.md", id="file")], [written("x.md/y.md", id="below")],
        {"file": {}, "below": {}},
    ),
    "names of any alphabet travel": Met(
        [written(ODD, "Desk?", id="odd")], [written(ODD, "Phone?", id="odd")],
        {"odd": {}}, {"a.md", "b.md", "c.md", ODD}, conflicts=[ODD],
    ),
}  # fmt: skip


def cards(root: Path) -> dict[str, Card]:
    """Those that can be read, by their ids."""
    found = {}
    for path in root.rglob("*.md"):
        with suppress(CardError):
            if path.is_file() and ".deltadeck" not in path.parts:
                card = read_card(path)
                found[card.id] = card
    return found


ROUNDS = {"desk": ["desk", "phone"], "phone": ["phone", "desk"]}


@pytest.fixture(scope="module", params=ROUNDS)
def meeting(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[tuple[Fleet, Merged]]:
    """Each of MET in a folder of its own, all met in one sync; what that said."""
    folder = tmp_path_factory.mktemp("met")
    with pytest.MonkeyPatch.context() as patch:
        own = {"XDG_CACHE_HOME": f"{folder}/cache", "XDG_DATA_HOME": f"{folder}/data"}
        for key, value in (git_environment(folder / "home") | own).items():
            patch.setenv(key, value)
        fleet = copied(folder, "desk", "phone")
        for name, met in MET.items():
            place = fleet["desk"] / folder_of(name)
            for card in "abc":
                written(f"{card}.md", CLOZE if card == "c" else "Why?")(place)
            for deed in met.before:
                deed(place)
        fleet.settle()
        for name, met in MET.items():
            for computer, deeds in (("desk", met.desk), ("phone", met.phone)):
                for deed in deeds:
                    deed(fleet[computer] / folder_of(name))
        merged = fleet.sync(*ROUNDS[request.param]).merged
        fleet.settle()
        fleet.agree()
        git(fleet["desk"], "fsck", "--strict")
        yield fleet, merged


@pytest.mark.parametrize("name", MET)
def test_what_two_computers_did_meets(meeting: tuple[Fleet, Merged], name: str) -> None:
    (fleet, merged), met, place = meeting, MET[name], folder_of(name)
    root = fleet["desk"] / place
    found = cards(root)
    for card_id, said in met.cards.items():
        card = found[f"{place}-{card_id}"]
        assert {key: getattr(card, key) for key in said} == said
    if met.paths is not None:
        assert {path.relative_to(root).as_posix() for path in root.rglob("*.md")} == met.paths
    here = [each for each in conflicts(fleet["desk"]) if root in each.path.parents]
    assert met.conflicts in (None, [each.path.name for each in here])
    assert met.kept in (None, len(below(place, merged.kept)))
    assert met.beside in (None, below(place, merged.beside))
    for path, text in met.texts.items():
        sides = [each.read_bytes() for each in root.glob(path)]
        sides += [each.text() for each in here if each.path == root / path]
        assert any(re.search(text.encode(), side, re.DOTALL) for side in sides), path


def folder_of(name: str) -> str:
    return f"met{list(MET).index(name)}"


def below(folder: str, paths: list[str]) -> list[str]:
    return [path.removeprefix(f"{folder}/") for path in paths if path.startswith(f"{folder}/")]


def test_changes_of_the_same_lines_keep_every_version_and_break_nothing(tmp_path: Path) -> None:
    """The phone comes last."""
    fleet = copied(tmp_path, "desk", "tablet", "phone")
    for name in fleet.names:
        edit(fleet[name] / "a.md", "Question", f"{name}?")
    fleet.sync(*fleet.names)
    fleet.settle()
    fleet.agree()
    for name in fleet.names:
        assert question(fleet[name]) == "phone?", "who merged kept its own"
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
    rated(desk, "a", Rating.EASY)
    rated(phone, "a", Rating.AGAIN, later(minutes=5))
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
    assert question(desk, "z") == "Phone?"
    assert {path.name for path in (tmp_path / "phone").glob("*.md")} == {"b.md", "z.md"}


def test_what_a_sync_says_counts_cards_and_not_their_files(fleet: Fleet) -> None:
    """One is renamed and changed, two exchange their names, one is deleted for a new one."""
    desk = fleet["desk"]
    write_card(desk, "gone")
    fleet.sync("desk")
    for deed in (exchanged("a.md", "b.md"), renamed("c.md", "z.md"), solves("z.md", "Desk.")):
        deed(desk)
    write_card(desk, "gone", id="came")
    sent = fleet.sync("desk").sent
    assert sent.words() == "1 card added, 3 cards changed, 1 card removed"
    assert sent.others == 0


def test_a_collection_of_one_computer_is_joined_by_another_that_began_by_itself(
    fleet: Fleet, tmp_path: Path
) -> None:
    root = begun(tmp_path / "new", "a")
    git(root, "init", "-q", "-b", "main")
    synced(root, remote=str(fleet.remote))
    assert conflicts(root) == []
    assert (root / "c.md").exists()
