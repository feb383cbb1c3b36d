"""A class: cards of a teacher's repository, reviews of the learner's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from cards import read_card
from deck.collection import Collection
from deck.errors import CollectionError
from deck.fsrs import Rating
from deck.sync.commit import make_repository
from deck.sync.conflicts import conflicts, keep
from deck.sync.run import set_up_class
from tests.deck.given import NOON, write_card
from tests.deck.sync.given import Fleet, events, git, synced
from tests.deck.sync.teaching import assert_chosen_from, teaching


def test_a_class_takes_the_teachers_cards_and_keeps_reviews_to_itself(
    fleet: Fleet, tmp_path: Path
) -> None:
    """Two computers of one learner."""
    teacher = teaching(fleet)
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "reviews.git")
    own = str(tmp_path / "reviews.git")
    for name in ("laptop", "home"):
        git(tmp_path, "clone", "-q", str(fleet.remote), name)
        Collection.init(tmp_path / name)
        set_up_class(tmp_path / name, own)
        synced(tmp_path / name)
    for name, item in (("laptop", "a"), ("home", "b")):
        collection = Collection.open(tmp_path / name, NOON, name)
        collection.rate(item, Rating.GOOD, NOON, 0)
        collection.close()
    write_card(teacher, "lecture2")
    git(teacher, "add", "lecture2.md")
    git(teacher, "commit", "-qm", "lecture 2")
    git(teacher, "push", "-q")
    upstream = git(fleet.remote, "rev-parse", "main")
    for name in ("laptop", "home", "laptop"):
        report = synced(tmp_path / name)
        assert [each.pulls_only for each in report.repositories] == [True, False]
    for name in ("laptop", "home"):
        root = tmp_path / name
        assert (root / "lecture2.md").exists()
        assert len(events(root)) == 2
        assert git(root, "status", "--porcelain") == ""
    assert git(fleet.remote, "rev-parse", "main") == upstream, "nothing is sent to the teacher"


def test_a_learners_change_in_a_class_is_kept_beside_the_teachers(
    fleet: Fleet, tmp_path: Path
) -> None:
    teacher = teaching(fleet)
    git(tmp_path, "clone", "-q", str(fleet.remote), "laptop")
    root = tmp_path / "laptop"
    Collection.init(root)
    set_up_class(root, None)
    write_card(root, "a", question="Mine?")
    write_card(teacher, "a", question="The teacher's?")
    git(teacher, "commit", "-qam", "better")
    git(teacher, "push", "-q")
    assert_chosen_from(root)


def test_in_a_class_a_choice_on_one_computer_is_none_on_another(
    fleet: Fleet, tmp_path: Path
) -> None:
    teacher = teaching(fleet)
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "reviews.git")
    changed, plain = tmp_path / "changed", tmp_path / "plain"
    for root in (changed, plain):
        git(tmp_path, "clone", "-q", str(fleet.remote), root.name)
        Collection.init(root)
        set_up_class(root, str(tmp_path / "reviews.git"))
        synced(root)
    write_card(changed, "a", question="Mine?")
    synced(changed)
    write_card(teacher, "a", question="The teacher's?")
    git(teacher, "commit", "-qam", "better")
    git(teacher, "push", "-q")
    for root in (plain, changed, plain, changed):
        synced(root)
    assert conflicts(plain) == [], "it never changed the card"
    assert read_card(plain / "a.md").question == "The teacher's?"
    (conflict,) = conflicts(changed)
    assert b"The teacher's?" in conflict.text()
    keep(changed, conflict)
    for root in (changed, plain, changed):
        synced(root)
    assert read_card(changed / "a.md").question == "Mine?"
    assert git(changed, "status", "--porcelain") == ""


@pytest.mark.parametrize("what", ["no repository", "no remote", "reviews in it"])
def test_a_class_is_refused_where_the_cards_are_no_clone_and_nothing_is_made(
    tmp_path: Path, what: str
) -> None:
    root = tmp_path / "cards"
    write_card(root, "a")
    if what != "no repository":
        make_repository(root)
    if what == "reviews in it":
        Collection.init(root)
        synced(root)
        git(root, "remote", "add", "origin", "../there.git")
    before = sorted(path.name for path in root.iterdir())
    with pytest.raises(CollectionError):
        set_up_class(root, None)
    assert sorted(path.name for path in root.iterdir()) == before
    if what != "no repository":
        assert git(root, "config", "--get", "deltadeck.push", check=False) == ""
