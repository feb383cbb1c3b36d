"""What becomes of a learner's side when a teacher's repository is away."""

from __future__ import annotations

import pytest

from deck.errors import CollectionError
from tests.deck.given import append_events, review
from tests.deck.sync.given import Fleet, git, synced
from tests.deck.sync.teaching import learning, teaching


@pytest.mark.parametrize("wrong", ["away", "strange"])
def test_what_is_wrong_with_the_teachers_repository_holds_no_review_back(
    fleet: Fleet, wrong: str
) -> None:
    teaching(fleet)
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
