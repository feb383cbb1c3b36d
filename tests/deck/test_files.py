"""The folder of cards: what is read of it, and what links lead to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cards import CardError, save_card
from deck.collection import Collection
from deck.errors import CollectionError
from deck.fsrs import Rating
from tests.deck.given import CLOZE, NOON, card_text, opened, rated, write_card
from tui.commands.lint import apply_fixes, fixes
from tui.page.layout import finder

# Which files of a folder are cards, and what is said of the others.


def test_cards_come_in_the_order_of_their_paths_and_looking_writes_nothing(root: Path) -> None:
    write_card(root / "b", "third")
    write_card(root / "a", "second")
    write_card(root, "z")
    write_card(root / ".hidden", "hidden")
    (root / "README.md").write_text("# What this is\n\n---\n\nA note.\n")
    (root / "a" / "notes.txt").write_text("---\n")
    collection = opened(root)
    assert list(collection.cards) == ["second", "third", "z"]
    assert collection.problems == ()
    collection.queue(NOON)
    collection.decks(NOON)
    collection.preview("z", NOON)
    assert collection.undo(NOON) is None
    assert not (root / ".deltadeck").exists()


def test_unreadable_cards_are_problems_beside_the_good_ones(root: Path) -> None:
    write_card(root, "good")
    (root / "half.md").write_text("---\nid: half\n")
    (root / "bytes.md").write_bytes(b"---\nid: \xff\n---\n")
    (root / "empty.md").write_text("")
    (root / "headless.md").write_text("# Question\nWhere is my frontmatter?\n")
    (root / "nearly.md").write_text("id: nearly\n---\nWhat is it?\n")
    (root / "tight.md").write_text("Words.\n\n#Question\nWhy?\n\n#Solution\nBecause.\n")
    (root / "tagged.md").write_text("#question of the day\n\n#question\n#solution\n")
    (root / "named.md").write_text("The id: a note about names.\n")
    (root / "gone.md").symlink_to(root / "nowhere.md")
    collection = opened(root)
    assert list(collection.cards) == ["good"]
    named = {problem.path.stem for problem in collection.problems if problem.path}
    assert named == {"half", "bytes", "empty", "headless", "nearly", "tight", "gone"}
    assert all(problem.message and problem.hint for problem in collection.problems)


def test_a_link_round_in_a_circle_ends(root: Path) -> None:
    write_card(root / "a", "card")
    (root / "a" / "up").symlink_to(root, target_is_directory=True)
    (root / "self").symlink_to(root / "self")
    (root / "loop.md").symlink_to(root / "loop.md")
    collection = opened(root)
    assert list(collection.cards) == ["card"]
    assert [problem.path for problem in collection.problems] == [root / "loop.md", root / "self"]
    assert all("leads back to itself" in problem.message for problem in collection.problems)


@pytest.mark.parametrize("name", ["missing", "file.md", "nul\0"])
def test_a_folder_that_is_none_is_a_sentence_with_a_way_out(root: Path, name: str) -> None:
    (root / "file.md").write_text("")
    with pytest.raises(CollectionError) as raised:
        opened(root / name)
    assert raised.value.problem.hint


def test_init_makes_a_collection_and_leaves_what_is_there(root: Path) -> None:
    fresh = root / "deep" / "fresh"
    Collection.init(fresh)
    settings = fresh / ".deltadeck" / "config.toml"
    assert Collection.open(fresh).problems == ()
    settings.write_text("new_per_day = 3\n")
    assert Collection.init(fresh).config.new_per_day == 3
    settings.unlink()
    settings.mkdir()
    with pytest.raises(CollectionError, match="settings are a folder"):
        Collection.init(fresh)


@pytest.mark.parametrize("inside", ["", "deeper", "deeper/still"])
@pytest.mark.parametrize("private", [False, True])
def test_init_names_the_file_that_is_in_the_way(root: Path, inside: str, private: bool) -> None:
    folder = root / "deck" / inside
    blocking = folder / ".deltadeck" if private else root / "deck"
    blocking.parent.mkdir(parents=True, exist_ok=True)
    for text in ("a file", None):
        if text is None:
            blocking.unlink()
            blocking.symlink_to(root / "nowhere")
        else:
            blocking.write_text(text)
        with pytest.raises(CollectionError, match="where a folder is needed") as raised:
            Collection.init(folder)
        assert raised.value.problem.path == blocking
        assert "Move it away" in raised.value.problem.hint


def test_an_unknown_item_is_a_sentence_with_the_near_ones(root: Path) -> None:
    write_card(root, "cloze", question=CLOZE, type="cloze")
    collection = opened(root)
    assert collection.card_of("cloze/c1").id == "cloze"
    with pytest.raises(CollectionError, match="cloze/c1"):
        collection.rate("cloze", Rating.GOOD, NOON, 0)
    with pytest.raises(CollectionError, match="no item"):
        collection.item("elephant")


# Symbolic links among the cards: none leads out of the collection, and none shows a card twice.


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder of someone's own, with a card that lacks an id and one that is whole."""
    folder = tmp_path / "private"
    write_card(folder, "secret", question="Private?")
    (folder / "plain.md").write_text("# Question\nWhy?\n# Solution\nBecause.\n")
    (folder / "plot.png").write_bytes(b"a picture")
    (folder / "up").symlink_to(folder)
    return folder


#: Ways out: what the link below the collection names.
WAYS = {
    "folder": "{outside}",
    "file.md": "{outside}/secret.md",
    "odd.md": "{outside}/plain.md",
    "relative": "{relative}",
    "everything": "/",
    "above": "{outside}/..",
    "device.md": "/dev/zero",
    "gone.md": "{outside}/not there.md",
    "of a link": "{outside}/up",
    "of links.md": "{outside}/up/up/secret.md",
}


@pytest.mark.parametrize("below", ["", "deck/deeper"])
@pytest.mark.parametrize("name", WAYS)
def test_a_way_out_is_named_once_and_nothing_beyond_it_is_read_or_written(
    root: Path, outside: Path, name: str, below: str
) -> None:
    write_card(root, "mine")
    link = root / below / name
    link.parent.mkdir(parents=True, exist_ok=True)
    relative = os.path.relpath(outside, link.parent)
    link.symlink_to(WAYS[name].format(outside=outside, relative=relative))
    before = contents(outside)
    collection = opened(root)
    assert list(collection.cards) == ["mine"]
    (problem,) = collection.problems
    assert (problem.path, problem.severity) == (link, "warning")
    assert "leads out of the collection" in problem.message
    files = [link, link / "plain.md", link / "secret.md"]
    assert list(fixes(files, collection)) == []
    with pytest.raises(CardError):
        save_card(link / "new.md", card_text("new"), root=root)
    assert contents(outside) == before


@pytest.mark.parametrize("name", ["card.md", "folder/card.md"])
def test_a_card_that_became_a_way_out_is_not_written_any_more(
    root: Path, outside: Path, name: str
) -> None:
    write_card(outside, "card")
    path = write_card((root / name).parent, "card")
    collection = opened(root)
    found = list(fixes([path], collection))
    if path.parent == root:
        path.unlink()
        path.symlink_to(outside / "card.md")
    else:
        path.unlink()
        path.parent.rmdir()
        path.parent.symlink_to(outside)
    before = contents(outside)
    rated(collection, "card")
    apply_fixes(found, quiet=True)
    with pytest.raises(CardError, match="leads out"):
        save_card(path, card_text("card", "Another?"), path.read_text(), root)
    assert contents(outside) == before
    collection.reload(NOON)
    assert list(collection.cards) == []
    assert any("leads out" in problem.message for problem in collection.problems)


def test_links_within_the_collection_show_each_card_once_and_end(root: Path) -> None:
    path = write_card(root / "z", "card")
    (root / "a").symlink_to("z")
    (root / "b").symlink_to("a")
    (root / "c.md").symlink_to(path)
    (root / "z" / "d.md").symlink_to("../c.md")
    (root / "z" / "up").symlink_to("../..", target_is_directory=True)
    (root / "z" / "top").symlink_to(root)
    collection = opened(root)
    assert [card.path for card in collection.cards.values()] == [path]
    problems = {problem.path for problem in collection.problems}
    assert problems == {root / "z" / "up"}, "that one leads out: it names the folder above"


def test_what_only_links_lead_to_within_the_collection_is_there_once(root: Path) -> None:
    write_card(root / ".store" / "deck", "one")
    two = write_card(root / ".store", "two")
    for name in ("first", "second"):
        (root / name).symlink_to(".store/deck")
        (root / f"{name}.md").symlink_to(two)
    collection = opened(root)
    assert [card.path for card in collection.cards.values()] == [
        root / "first" / "one.md",
        root / "first.md",
    ]
    assert collection.problems == ()
    rated(collection, "two")
    assert "status: learning" in two.read_text()


def test_a_collection_behind_a_link_is_a_collection(root: Path, tmp_path: Path) -> None:
    write_card(root / "deck", "card")
    (tmp_path / "way").symlink_to(root.parent)
    (tmp_path / "link").symlink_to(Path("way") / root.name)
    collection = opened(tmp_path / "link")
    rated(collection, "card")
    assert "status: learning" in (root / "deck" / "card.md").read_text()
    assert collection.problems == ()


def test_a_picture_behind_a_way_out_is_not_shown(root: Path, outside: Path) -> None:
    path = write_card(root, "card")
    (root / "plot.png").symlink_to(outside / "plot.png")
    (root / "folder").symlink_to(outside)
    (root / "good.png").write_bytes(b"a picture")
    (root / "same.png").symlink_to("good.png")
    find = finder(path, root)
    for name in ("plot.png", "folder/plot.png"):
        assert find(name).path is None
        assert "out of the collection" in find(name).why
    assert find("same.png").path == root / "same.png"
