"""What becomes of a learner's side when a teacher's repository is away, or was written anew."""

from __future__ import annotations

import pytest

from cards import read_card
from deck.errors import CollectionError
from deck.sync.conflicts import conflicts
from tests.deck.given import append_events, review, write_card
from tests.deck.sync.given import Fleet, git, synced
from tests.deck.sync.teaching import assert_chosen_from, learning, teach, teaching


@pytest.mark.parametrize("wrong", ["away", "strange", "rewritten by a push of one's own"])
def test_what_is_wrong_with_the_teachers_repository_holds_no_review_back(
    fleet: Fleet, wrong: str
) -> None:
    teacher = teaching(fleet)
    root = learning(fleet)
    synced(root)
    match wrong:
        case "away":
            git(root, "remote", "set-url", "origin", "../nowhere.git")
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
    with pytest.raises(CollectionError) as caught:
        synced(root)
    assert caught.value.problem.hint.endswith("Your reviews are synced.")
    names = git(root.parent / "reviews.git", "ls-tree", "-r", "--name-only", "main")
    assert "journal/" in names
    assert git(root / ".deltadeck", "status", "--porcelain") == ""


def test_where_neither_can_be_reached_the_reviews_are_committed(fleet: Fleet) -> None:
    teaching(fleet)
    root = learning(fleet)
    synced(root)
    for place in (root, root / ".deltadeck"):
        git(place, "remote", "set-url", "origin", "../nowhere.git")
    append_events(root / ".deltadeck", [review()])
    with pytest.raises(CollectionError) as caught:
        synced(root)
    assert caught.value.problem.hint.endswith("The reviews were not sent either.")
    assert "1 answer" in git(root / ".deltadeck", "log", "-1", "--format=%s")


def test_a_teacher_may_write_history_anew(fleet: Fleet) -> None:
    teacher = teaching(fleet)
    root = learning(fleet, reviews=False)
    synced(root)
    for question in ("Better?", "Best?"):
        write_card(teacher, "a", question=question)
        teach(teacher, "--amend", "-m", question)
        synced(root)
        assert read_card(root / "a.md").question == question
        assert git(root, "rev-parse", "HEAD") == git(fleet.remote, "rev-parse", "main")
        assert git(root, "status", "--porcelain") == ""
        assert conflicts(root) == []


def test_a_history_that_begins_anew_is_taken_and_what_was_changed_here_stays_on_top(
    fleet: Fleet,
) -> None:
    teacher = teaching(fleet)
    root = learning(fleet, reviews=False)
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
    questions = {path.stem: read_card(path).question for path in root.glob("*.md")}
    assert questions == {"a": "Better?", "b": "Mine?", "own": "Why?"}
    assert git(root, "rev-parse", "HEAD^") == git(fleet.remote, "rev-parse", "main")
    assert not synced(root).repositories[0].received


def test_a_teacher_may_take_a_commit_back(fleet: Fleet) -> None:
    teacher = teaching(fleet)
    root = learning(fleet, reviews=False)
    synced(root)
    write_card(teacher, "early")
    teach(teacher, "-m", "too early")
    write_card(root, "b", question="Mine?")
    synced(root)
    assert (root / "early.md").exists()
    git(teacher, "reset", "-q", "--hard", "HEAD^")
    git(teacher, "push", "-qf")
    synced(root)
    assert not (root / "early.md").exists()
    assert read_card(root / "b.md").question == "Mine?"
    assert git(root, "status", "--porcelain") == ""


def test_lines_that_learner_and_teacher_changed_are_chosen_from_after_a_new_history_too(
    fleet: Fleet,
) -> None:
    teacher = teaching(fleet)
    root = learning(fleet, reviews=False)
    write_card(root, "a", question="Mine?")
    synced(root)
    write_card(teacher, "a", question="The teacher's?")
    teach(teacher, "--amend", "-m", "anew")
    assert_chosen_from(root)


def test_who_took_the_new_history_by_hand_is_in_the_same_state(fleet: Fleet) -> None:
    teacher = teaching(fleet)
    root = learning(fleet, reviews=False)
    synced(root)
    write_card(teacher, "a", question="Better?")
    teach(teacher, "--amend", "-m", "anew")
    git(root, "fetch", "-q")
    git(root, "reset", "-q", "--hard", "origin/main")
    write_card(root, "b", question="Mine?")
    write_card(teacher, "a", question="Best?")
    teach(teacher, "-m", "best")
    synced(root)
    assert read_card(root / "a.md").question == "Best?"
    assert read_card(root / "b.md").question == "Mine?"
