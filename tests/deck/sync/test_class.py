"""A class: cards of a teacher's repository, which may be away, strange or written anew; reviews of
the learner's own beside it."""

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
from tests.deck.given import NOON, append_events, review, write_card
from tests.deck.sync.given import Fleet, events, git, synced


@pytest.fixture
def teacher(fleet: Fleet) -> Path:
    """The teacher's clone, in whose repository there are cards only."""
    teacher = fleet["desk"]
    git(teacher, "rm", "-rq", "--cached", ".deltadeck")
    teach(teacher, "-m", "cards only")
    return teacher


def teach(teacher: Path, *words: str) -> None:
    """Commits what the teacher wrote, and puts it in the place of what was there."""
    git(teacher, "add", "*.md")
    git(teacher, "commit", "-q", *words)
    git(teacher, "push", "-qf")


def learner(fleet: Fleet, name: str = "laptop", reviews: bool = False) -> Path:
    """A clone of what is taught, that has synced; with a repository for the reviews."""
    folder = fleet.folder.parent
    root, own = folder / name, folder / "reviews.git"
    git(folder, "clone", "-q", str(fleet.remote), name)
    Collection.init(root)
    if reviews and not own.exists():
        git(folder, "init", "-q", "--bare", "-b", "main", own.name)
    set_up_class(root, str(own) if reviews else None)
    synced(root)
    return root


def question(root: Path, name: str = "a") -> str:
    return read_card(root / f"{name}.md").question


def assert_chosen_from(root: Path) -> None:
    """A sync leaves the learner's card a, and the teacher's to be chosen; another adds nothing."""
    synced(root)
    assert question(root) == "Mine?"
    (conflict,) = conflicts(root)
    assert b"The teacher's?" in conflict.text()
    synced(root)
    assert len(conflicts(root)) == 1


def test_a_class_takes_the_teachers_cards_and_keeps_reviews_to_itself(
    fleet: Fleet, teacher: Path
) -> None:
    """Two computers of one learner."""
    roots = [learner(fleet, name, reviews=True) for name in ("laptop", "home")]
    for root, item in zip(roots, "ab", strict=True):
        collection = Collection.open(root, NOON, root.name)
        collection.rate(item, Rating.GOOD, NOON, 0)
        collection.close()
    write_card(teacher, "lecture2")
    teach(teacher, "-m", "lecture 2")
    upstream = git(fleet.remote, "rev-parse", "main")
    for root in (*roots, roots[0]):
        assert [each.pulls_only for each in synced(root).repositories] == [True, False]
    for root in roots:
        assert (root / "lecture2.md").exists()
        assert len(events(root)) == 2
        assert git(root, "status", "--porcelain") == ""
    assert git(fleet.remote, "rev-parse", "main") == upstream, "nothing is sent to the teacher"


def test_a_learners_change_is_kept_beside_the_teachers_and_chosen_on_that_computer_alone(
    fleet: Fleet, teacher: Path
) -> None:
    changed, plain = (learner(fleet, name, reviews=True) for name in ("changed", "plain"))
    write_card(changed, "a", question="Mine?")
    synced(changed)
    write_card(teacher, "a", question="The teacher's?")
    teach(teacher, "-m", "better")
    synced(plain)
    assert_chosen_from(changed)
    synced(plain)
    assert conflicts(plain) == [], "it never changed the card"
    assert question(plain) == "The teacher's?"
    keep(changed, conflicts(changed)[0])
    for root in (changed, plain, changed):
        synced(root)
    assert question(changed) == "Mine?"
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
    fleet: Fleet, teacher: Path, wrong: str, said: str
) -> None:
    root = learner(fleet, reviews=True)
    match wrong:
        case "away" | "both away":
            for place in (root, root / ".deltadeck")[: 1 + (wrong == "both away")]:
                git(place, "remote", "set-url", "origin", "../nowhere.git")
        case "strange":
            stranger = fleet.folder / "stranger"
            git(fleet.folder, "init", "-q", "-b", "main", "stranger")
            (stranger / "thesis.tex").write_text("x")
            git(stranger, "add", "-A")
            git(stranger, "commit", "-qm", "x")
            git(root, "remote", "set-url", "origin", str(stranger))
            git(root, "update-ref", "-d", "refs/deltadeck/origin/main")
        case _:
            git(root, "config", "deltadeck.push", "true")
            write_card(teacher, "a", question="Better?")
            teach(teacher, "--amend", "-m", "cards only")
    append_events(root / ".deltadeck", [review()])
    with pytest.raises(CollectionError, match=said) as caught:
        synced(root)
    more = "not sent either." if wrong == "both away" else "Your reviews are synced."
    assert caught.value.problem.hint.endswith(more)
    assert "1 answer" in git(root / ".deltadeck", "log", "-1", "--format=%s")
    names = git(root.parent / "reviews.git", "ls-tree", "-r", "--name-only", "main")
    assert ("journal/" in names) is (wrong != "both away")
    assert git(root / ".deltadeck", "status", "--porcelain") == ""


def test_a_teacher_may_write_history_anew_and_take_a_commit_back(
    fleet: Fleet, teacher: Path
) -> None:
    root = learner(fleet)
    for text in ("Better?", "Best?"):
        write_card(teacher, "a", question=text)
        teach(teacher, "--amend", "-m", text)
        synced(root)
        assert question(root) == text
        assert git(root, "rev-parse", "HEAD") == git(fleet.remote, "rev-parse", "main")
    write_card(teacher, "early")
    teach(teacher, "-m", "too early")
    write_card(root, "b", question="Mine?")
    synced(root)
    assert (root / "early.md").exists()
    git(teacher, "reset", "-q", "--hard", "HEAD^")
    git(teacher, "push", "-qf")
    synced(root)
    assert not (root / "early.md").exists()
    assert question(root, "b") == "Mine?"
    assert git(root, "status", "--porcelain") == ""
    assert conflicts(root) == []


def test_a_history_that_begins_anew_is_taken_and_what_was_changed_here_stays_on_top(
    fleet: Fleet, teacher: Path
) -> None:
    root = learner(fleet)
    write_card(root, "b", question="Mine?")
    write_card(root, "own")
    synced(root)
    git(teacher, "checkout", "-q", "--orphan", "anew")
    git(teacher, "rm", "-qf", "c.md")
    write_card(teacher, "a", question="Better?")
    git(teacher, "add", "*.md")
    git(teacher, "commit", "-qm", "anew")
    git(teacher, "push", "-qf", "origin", "anew:main")
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
    fleet: Fleet, teacher: Path
) -> None:
    root = learner(fleet)
    write_card(root, "a", question="Mine?")
    synced(root)
    write_card(teacher, "a", question="The teacher's?")
    teach(teacher, "--amend", "-m", "anew")
    assert_chosen_from(root)


def test_who_took_the_new_history_by_hand_is_in_the_same_state(fleet: Fleet, teacher: Path) -> None:
    root = learner(fleet)
    write_card(teacher, "a", question="Better?")
    teach(teacher, "--amend", "-m", "anew")
    git(root, "fetch", "-q")
    git(root, "reset", "-q", "--hard", "origin/main")
    write_card(root, "b", question="Mine?")
    write_card(teacher, "a", question="Best?")
    teach(teacher, "-m", "best")
    synced(root)
    assert (question(root), question(root, "b")) == ("Best?", "Mine?")
