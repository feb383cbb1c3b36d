"""Symbolic links among the cards: none leads out of the collection, and none shows a card twice."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cards import CardError, save_card
from deck.collection import Collection
from deck.files import walk
from deck.fsrs import Rating
from tests.deck.given import NOON, card_text, write_card
from tests.deck.test_watch import Watched
from tui.commands.lint import apply_fixes, fixes
from tui.page.layout import finder


def opened(root: Path) -> Collection:
    return Collection.open(root, NOON, "desk")


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
    collection.rate("card", Rating.GOOD, NOON, 1000)
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
    collection.rate("two", Rating.GOOD, NOON, 1000)
    assert "status: learning" in two.read_text()


def test_a_collection_behind_a_link_is_a_collection(root: Path, tmp_path: Path) -> None:
    write_card(root / "deck", "card")
    (tmp_path / "way").symlink_to(root.parent)
    (tmp_path / "link").symlink_to(Path("way") / root.name)
    collection = opened(tmp_path / "link")
    collection.rate("card", Rating.GOOD, NOON, 1000)
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


def test_a_running_program_follows_no_way_out_and_sees_what_changes(
    root: Path, outside: Path
) -> None:
    write_card(root, "card")
    (root / "out").symlink_to(outside)
    watched = Watched(root)
    try:
        link = root / "in.md"
        link.symlink_to(outside / "secret.md")
        assert watched.until(lambda: len(watched.collection.problems) == 2)
        link.unlink()
        write_card(root, "another")
        assert watched.until(lambda: len(watched.collection.cards) == 2)
        assert "secret" not in watched.collection.cards
    finally:
        watched.stop()


def test_the_walk_does_not_go_through_a_link_to_everything(root: Path) -> None:
    for number in range(50):
        (root / f"all {number}").symlink_to("/")
    files, problems = walk(root)
    assert not files
    assert len(problems) == 50
