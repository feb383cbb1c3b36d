"""A class: cards of a teacher's repository, which may be away, strange or written anew; reviews of
the learner's own beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from deck.collection import Collection
from deck.errors import CollectionError
from deck.fsrs import Rating
from deck.sync.commit import make_repository
from deck.sync.conflicts import conflicts, keep
from deck.sync.run import set_up_class
from tests.deck.given import NOON, append_events, review, write_card
from tests.deck.sync.given import Fleet, begun, commit, copied, events, git, question, synced


def taught(fleet: Fleet) -> None:
    """The desk is the teacher's, in whose repository there are cards only; a learner has
    two computers, with a repository between them for the reviews."""
    git(fleet["desk"], "rm", "-rq", "--cached", ".deltadeck")
    teach(fleet, "-m", "cards only")
    git(fleet.folder, "init", "-q", "--bare", "-b", "main", "reviews.git")
    for name in ("laptop", "home"):
        root = begun(fleet.clone(name))
        set_up_class(root, "../../reviews.git")
        synced(root)
    synced(fleet["laptop"])


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    return copied(tmp_path, "desk", after=taught)


@pytest.fixture
def root(fleet: Fleet) -> Path:
    """The learner's laptop."""
    return fleet["laptop"]


def teach(fleet: Fleet, *words: str, **cards: str) -> None:
    """The teacher writes cards, commits, and puts that in the place of what was there."""
    for name, text in cards.items():
        write_card(fleet["desk"], name, text)
    git(fleet["desk"], "add", "*.md")
    git(fleet["desk"], "commit", "-q", *words)
    git(fleet["desk"], "push", "-qf", "origin", "HEAD:main")


def assert_chosen_from(root: Path) -> None:
    """A sync leaves the learner's card a, and the teacher's to be chosen; another adds nothing."""
    for _ in range(2):
        synced(root)
        assert question(root) == "Mine?"
        (conflict,) = conflicts(root)
        assert b"The teacher's?" in conflict.text()


def assert_clean(root: Path) -> None:
    assert git(root, "status", "--porcelain") == ""
    assert conflicts(root) == []


def test_a_class_takes_the_teachers_cards_and_keeps_reviews_to_itself(fleet: Fleet) -> None:
    """Two computers of one learner."""
    roots = [fleet[name] for name in ("laptop", "home")]
    for root, item in zip(roots, "ab", strict=True):
        collection = Collection.open(root, NOON, root.name)
        collection.rate(item, Rating.GOOD, NOON, 0)
        collection.close()
    teach(fleet, "-m", "lecture 2", lecture2="Why?")
    upstream = git(fleet.remote, "rev-parse", "main")
    for root in (*roots, roots[0]):
        assert [each.pulls_only for each in synced(root).repositories] == [True, False]
    for root in roots:
        assert (root / "lecture2.md").exists()
        assert len(events(root)) == 2
        assert_clean(root)
    assert git(fleet.remote, "rev-parse", "main") == upstream, "nothing is sent to the teacher"


def test_a_learners_change_is_kept_beside_the_teachers_and_chosen_on_that_computer_alone(
    fleet: Fleet,
) -> None:
    changed, plain = fleet["laptop"], fleet["home"]
    write_card(changed, "a", question="Mine?")
    synced(changed)
    teach(fleet, "-m", "better", a="The teacher's?")
    assert_chosen_from(changed)
    synced(plain)
    assert conflicts(plain) == [], "it never changed the card"
    assert question(plain) == "The teacher's?"
    keep(changed, conflicts(changed)[0])
    for root in (changed, plain, changed):
        synced(root)
    assert question(changed) == "Mine?"
    assert_clean(changed)


@pytest.mark.parametrize("what", ["no repository", "no remote", "reviews in it"])
def test_a_class_is_refused_where_the_cards_are_no_clone_and_nothing_is_made(
    tmp_path: Path, what: str
) -> None:
    root = tmp_path / "cards"
    write_card(root, "a")
    if what != "no repository":
        make_repository(root)
    if what == "reviews in it":
        synced(begun(root))
        git(root, "remote", "add", "origin", "../there.git")
    before = sorted(path.name for path in root.iterdir())
    with pytest.raises(CollectionError):
        set_up_class(root, None)
    assert sorted(path.name for path in root.iterdir()) == before
    if what != "no repository":
        assert git(root, "config", "--get", "deltadeck.push", check=False) == ""


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("away", "no repository at the address"),
        ("both away", "no repository at the address"),
        ("strange", "a history of its own"),
        ("rewritten, and we push", "was written anew"),
    ],
)
def test_what_is_wrong_with_the_teachers_repository_holds_no_review_back(
    fleet: Fleet, root: Path, wrong: str, said: str
) -> None:
    match wrong:
        case "away" | "both away":
            for place in (root, root / ".deltadeck")[: 1 + (wrong == "both away")]:
                git(place, "remote", "set-url", "origin", "../nowhere.git")
        case "strange":
            stranger = fleet.folder / "stranger"
            git(fleet.folder, "init", "-q", "-b", "main", "stranger")
            (stranger / "thesis.tex").write_text("x")
            commit(stranger)
            git(root, "remote", "set-url", "origin", str(stranger))
            git(root, "update-ref", "-d", "refs/deltadeck/origin/main")
        case _:
            git(root, "config", "deltadeck.push", "true")
            teach(fleet, "--amend", "-m", "cards only", a="Better?")
    append_events(root / ".deltadeck", [review()])
    with pytest.raises(CollectionError, match=said) as caught:
        synced(root)
    more = "not sent either." if wrong == "both away" else "Your reviews are synced."
    assert caught.value.problem.hint.endswith(more)
    assert "1 answer" in git(root / ".deltadeck", "log", "-1", "--format=%s")
    names = git(root.parent / "reviews.git", "ls-tree", "-r", "--name-only", "main")
    assert ("journal/" in names) is (wrong != "both away")
    assert_clean(root / ".deltadeck")


def test_a_teacher_may_write_history_anew_and_take_a_commit_back(fleet: Fleet, root: Path) -> None:
    teach(fleet, "--amend", "-m", "anew", a="Better?")
    synced(root)
    assert question(root) == "Better?"
    assert git(root, "rev-parse", "HEAD") == git(fleet.remote, "rev-parse", "main")
    teach(fleet, "-m", "too early", early="Why?")
    write_card(root, "b", question="Mine?")
    synced(root)
    assert (root / "early.md").exists()
    git(fleet["desk"], "reset", "-q", "--hard", "HEAD^")
    git(fleet["desk"], "push", "-qf")
    synced(root)
    assert not (root / "early.md").exists()
    assert question(root, "b") == "Mine?"
    assert_clean(root)


def test_a_history_that_begins_anew_is_taken_and_what_was_changed_here_stays_on_top(
    fleet: Fleet, root: Path
) -> None:
    write_card(root, "b", question="Mine?")
    write_card(root, "own")
    synced(root)
    git(fleet["desk"], "checkout", "-q", "--orphan", "anew")
    git(fleet["desk"], "rm", "-qf", "c.md")
    teach(fleet, "-m", "anew", a="Better?")
    before = git(root, "rev-parse", "HEAD"), git(root, "status", "--porcelain")
    dry, _ = synced(root, dry=True).repositories
    assert (git(root, "rev-parse", "HEAD"), git(root, "status", "--porcelain")) == before
    done, _ = synced(root).repositories
    assert done.received == dry.received
    assert (done.received.changed, done.received.removed) == (1, 1)
    questions = {path.stem: question(root, path.stem) for path in root.glob("*.md")}
    assert questions == {"a": "Better?", "b": "Mine?", "own": "Why?"}
    assert git(root, "rev-parse", "HEAD^") == git(fleet.remote, "rev-parse", "main")
    assert not synced(root).repositories[0].received


def test_lines_that_both_changed_are_chosen_from_after_a_new_history_too(
    fleet: Fleet, root: Path
) -> None:
    write_card(root, "a", question="Mine?")
    synced(root)
    teach(fleet, "--amend", "-m", "anew", a="The teacher's?")
    assert_chosen_from(root)


def test_who_took_the_new_history_by_hand_is_in_the_same_state(fleet: Fleet, root: Path) -> None:
    teach(fleet, "--amend", "-m", "anew", a="Better?")
    git(root, "fetch", "-q")
    git(root, "reset", "-q", "--hard", "origin/main")
    write_card(root, "b", question="Mine?")
    teach(fleet, "-m", "best", a="Best?")
    synced(root)
    assert (question(root), question(root, "b")) == ("Best?", "Mine?")
