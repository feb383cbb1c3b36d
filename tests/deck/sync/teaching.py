"""A teacher, whose repository holds cards only, and a learner with a clone of it."""

from __future__ import annotations

from pathlib import Path

from cards import read_card
from deck.collection import Collection
from deck.sync.conflicts import conflicts
from deck.sync.run import set_up_class
from tests.deck.sync.given import Fleet, git, synced


def teaching(fleet: Fleet) -> Path:
    """The teacher's clone, in whose repository there are cards only."""
    teacher = fleet["desk"]
    git(teacher, "rm", "-rq", "--cached", ".deltadeck")
    git(teacher, "commit", "-qm", "cards only")
    git(teacher, "push", "-q")
    return teacher


def learning(fleet: Fleet, reviews: bool = True) -> Path:
    """A learner's clone of what is taught."""
    root = fleet.folder.parent / "laptop"
    git(root.parent, "clone", "-q", str(fleet.remote), root.name)
    Collection.init(root)
    own = root.parent / "reviews.git"
    if reviews:
        git(root.parent, "init", "-q", "--bare", "-b", "main", own.name)
    set_up_class(root, str(own) if reviews else None)
    return root


def teach(teacher: Path, *words: str) -> None:
    """Commits what the teacher wrote, and puts it in the place of what was there."""
    git(teacher, "add", "*.md")
    git(teacher, "commit", "-q", *words)
    git(teacher, "push", "-qf")


def assert_chosen_from(root: Path) -> None:
    """A sync leaves the learner's card a, and the teacher's to be chosen; another adds nothing."""
    synced(root)
    assert read_card(root / "a.md").question == "Mine?"
    (conflict,) = conflicts(root)
    assert b"The teacher's?" in conflict.text()
    synced(root)
    assert len(conflicts(root)) == 1
