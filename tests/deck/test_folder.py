"""Which files of a folder are cards, and what is said of the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from deck.collection import Collection
from deck.errors import CollectionError, JournalError
from deck.fsrs import Rating
from tests.deck.given import CLOZE, NOON, configure, write_card


def opened(root: Path) -> Collection:
    return Collection.open(root, NOON, "desk")


def test_cards_come_in_the_order_of_their_paths_and_notes_are_no_cards(root: Path) -> None:
    write_card(root / "b", "third")
    write_card(root / "a", "second")
    write_card(root, "z")
    write_card(root / ".hidden", "hidden")
    (root / "README.md").write_text("# What this is\n\n---\n\nA note.\n")
    (root / "a" / "notes.txt").write_text("---\n")
    collection = opened(root)
    assert list(collection.cards) == ["second", "third", "z"]
    assert collection.problems == ()


def test_what_nearly_is_a_card_is_no_note(root: Path) -> None:
    (root / "headless.md").write_text("id: headless\n---\nWhat is it?\n")
    (root / "tight.md").write_text("Words.\n\n#Question\nWhy?\n\n#Solution\nBecause.\n")
    (root / "tagged.md").write_text("#question of the day\n\n#question\n#solution\n")
    (root / "named.md").write_text("The id: a note about names.\n")
    found = [problem.path.name for problem in opened(root).problems if problem.path]
    assert found == ["headless.md", "tight.md"]


def test_opening_and_looking_write_nothing(root: Path) -> None:
    write_card(root, "a")
    collection = opened(root)
    collection.queue(NOON)
    collection.decks(NOON)
    collection.preview("a", NOON)
    assert collection.undo(NOON) is None
    assert [path.name for path in root.iterdir()] == ["a.md"]


def test_unreadable_cards_are_problems_beside_the_good_ones(root: Path) -> None:
    write_card(root, "good")
    (root / "half.md").write_text("---\nid: half\n")
    (root / "bytes.md").write_bytes(b"---\nid: \xff\n---\n")
    (root / "empty.md").write_text("")
    (root / "headless.md").write_text("# Question\nWhere is my frontmatter?\n")
    (root / "gone.md").symlink_to(root / "nowhere.md")
    collection = opened(root)
    assert list(collection.cards) == ["good"]
    named = {problem.path.name for problem in collection.problems if problem.path}
    assert named == {"half.md", "bytes.md", "empty.md", "headless.md", "gone.md"}
    assert all(problem.message and problem.hint for problem in collection.problems)


def test_of_two_cards_with_one_id_the_first_stays_and_both_are_named(root: Path) -> None:
    first = write_card(root / "a", "twin")
    second = write_card(root / "b", "twin", question="Another?")
    write_card(root / "c", "other")
    collection = opened(root)
    assert collection.cards["twin"].path == first
    assert "other" in collection.cards
    (problem,) = collection.problems
    assert problem.path == second
    assert str(first) in problem.message
    assert problem.line == 2


def test_a_link_round_in_a_circle_ends(root: Path) -> None:
    write_card(root / "a", "card")
    (root / "a" / "up").symlink_to(root, target_is_directory=True)
    (root / "self").symlink_to(root / "self")
    (root / "loop.md").symlink_to(root / "loop.md")
    collection = opened(root)
    assert list(collection.cards) == ["card"]
    assert [problem.path for problem in collection.problems] == [root / "loop.md", root / "self"]
    assert all("leads back to itself" in problem.message for problem in collection.problems)


def test_while_the_folder_is_gone_every_schedule_stays(root: Path) -> None:
    deck = root / "deck"
    write_card(deck, "a")
    collection = opened(deck)
    collection.rate("a", Rating.GOOD, NOON, 1000)
    before, counts = collection.state("a"), collection.queue(NOON).counts
    deck.rename(root / "away")
    with pytest.raises(CollectionError):
        collection.reload(NOON)
    assert collection.queue(NOON).counts == counts
    with pytest.raises(JournalError, match="nothing was recorded") as raised:
        collection.rate("a", Rating.GOOD, NOON, 1000)
    assert "Bring the collection's folder back" in str(raised.value)
    assert collection.state("a") == before
    (root / "away").rename(deck)
    collection.reload(NOON)
    assert (collection.state("a"), collection.queue(NOON).counts) == (before, counts)


@pytest.mark.parametrize("name", ["missing", "file.md", "nul\0"])
def test_a_folder_that_is_none_is_a_sentence_with_a_way_out(root: Path, name: str) -> None:
    (root / "file.md").write_text("")
    with pytest.raises(CollectionError) as raised:
        opened(root / name)
    assert raised.value.problem.hint


def test_reload_sees_new_changed_and_removed_cards_and_settings(root: Path) -> None:
    write_card(root, "a")
    gone = write_card(root, "b")
    collection = opened(root)
    write_card(root, "a", question="A longer question?")
    write_card(root, "c")
    gone.unlink()
    configure(root, "new_per_day = 1")
    collection.reload(NOON)
    assert list(collection.cards) == ["a", "c"]
    assert collection.cards["a"].question == "A longer question?"
    assert collection.queue(NOON).counts.new == 1


def test_init_makes_a_collection_and_leaves_what_is_there(root: Path) -> None:
    fresh = root / "deep" / "fresh"
    Collection.init(fresh)
    settings = fresh / ".deltadeck" / "config.toml"
    assert Collection.open(fresh).problems == ()
    settings.write_text("new_per_day = 3\n")
    assert Collection.init(fresh).config.new_per_day == 3


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


def test_init_says_it_when_the_settings_are_a_folder(root: Path) -> None:
    (root / ".deltadeck" / "config.toml").mkdir(parents=True)
    with pytest.raises(CollectionError, match="settings are a folder"):
        Collection.init(root)


def test_an_unknown_item_is_a_sentence_with_the_near_ones(root: Path) -> None:
    write_card(root, "cloze", question=CLOZE, type="cloze")
    collection = opened(root)
    assert collection.card_of("cloze/c1").id == "cloze"
    with pytest.raises(CollectionError, match="cloze/c1"):
        collection.rate("cloze", Rating.GOOD, NOON, 0)
    with pytest.raises(CollectionError, match="no item"):
        collection.item("elephant")
