"""What goes wrong with git: a sentence with the way out, and the collection as it was."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from deck.errors import CollectionError
from deck.sync.commit import Changes, message
from deck.sync.conflicts import named
from deck.sync.run import sync
from tests.deck.given import append_events, review, write_card
from tests.deck.sync.given import Fleet, events, files, git, synced


def refused(root: Path, *words: str, **wish: object) -> str:
    """The sentence; files and branch are as before."""
    before, head = files(root), git(root, "rev-parse", "--branches", check=False)
    with pytest.raises(CollectionError) as caught:
        synced(root, **wish)
    problem = caught.value.problem
    assert files(root) == before
    assert git(root, "rev-parse", "--branches", check=False) == head
    assert problem.hint
    text = f"{problem.message} {problem.hint}"
    assert "Traceback" not in text
    for word in words:
        assert re.search(word, text), (word, text)
    return text


def change(fleet: Fleet) -> None:
    write_card(fleet["desk"], "a", question="Desk?")
    write_card(fleet["phone"], "a", question="Phone?")
    fleet.sync("phone")


@pytest.mark.parametrize("state", ["merge", "rebase", "cherry-pick", "revert", "bisect"])
def test_what_the_learner_began_and_did_not_finish_is_theirs(fleet: Fleet, state: str) -> None:
    change(fleet)
    root = fleet["desk"]
    git(root, "commit", "-qam", "desk")
    git(root, "fetch", "-q")
    match state:
        case "merge":
            git(root, "merge", "origin/main", check=False)
        case "rebase":
            git(root, "rebase", "origin/main", check=False)
        case "cherry-pick":
            git(root, "cherry-pick", "origin/main", check=False)
        case "revert":
            git(root, "rm", "-q", "a.md")
            git(root, "commit", "-qm", "gone")
            git(root, "revert", "--no-edit", "HEAD~1", check=False)
        case "bisect":
            git(root, "bisect", "start", "HEAD", "HEAD~1")
            git(root, "checkout", "-q", "--detach", check=False)
    refused(
        root, f"git {state}|no branch|No branch", "git (switch|bisect|merge|rebase|cherry|revert)"
    )


def test_a_detached_head_names_the_way_back(fleet: Fleet) -> None:
    git(fleet["desk"], "checkout", "-q", "--detach")
    refused(fleet["desk"], "detached HEAD", "git switch")


def test_an_index_that_is_locked_names_the_lock(fleet: Fleet) -> None:
    change(fleet)
    (fleet["desk"] / ".git/index.lock").touch()
    assert "Another git" in refused(fleet["desk"], "remove this file")
    (fleet["desk"] / ".git/index.lock").unlink()
    fleet.settle()
    fleet.agree()


def test_no_git_is_a_sentence(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CollectionError, match="`git` is not here"):
        synced(fleet["desk"])


def test_no_name_to_commit_under_is_a_sentence(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(fleet)
    for key in [key for key in os.environ if key.startswith(("GIT_AUTHOR", "GIT_COMMITTER"))]:
        monkeypatch.delenv(key)
    refused(fleet["desk"], "your name", "user.email")


def test_without_the_remote_the_work_is_committed_and_sent_later(fleet: Fleet) -> None:
    append_events(fleet["desk"] / ".deltadeck", [review()])
    fleet.remote.rename(fleet.folder / "away.git")
    before = files(fleet["desk"])
    with pytest.raises(CollectionError, match="no repository at the address"):
        synced(fleet["desk"])
    assert files(fleet["desk"]) == before
    assert git(fleet["desk"], "log", "-1", "--format=%s").startswith("deltadeck: 1 answer on ")
    (fleet.folder / "away.git").rename(fleet.remote)
    (dry,) = synced(fleet["desk"], dry=True).repositories
    (done,) = fleet.sync("desk").repositories
    assert done.sent == dry.sent, "what is delivered now, though it was committed before"
    assert (done.sent.answers, done.pushed) == (1, True)
    assert not fleet.sync("desk").repositories[0].sent
    fleet.settle()
    fleet.agree()
    assert len(events(fleet["phone"])) == 1


@pytest.mark.parametrize(
    ("address", "word"),
    [
        ("http://127.0.0.1:9/cards.git", "no network"),
        ("https://no-such-host.invalid/cards.git", "no network"),
        ("ssh://127.0.0.1:9/cards.git", "no network|no repository"),
    ],
)
def test_no_network_is_a_sentence(fleet: Fleet, address: str, word: str) -> None:
    git(fleet["desk"], "remote", "set-url", "origin", address)
    refused(fleet["desk"], word)


def test_a_history_that_was_written_anew_is_not_merged(fleet: Fleet) -> None:
    write_card(fleet["desk"], "new")
    fleet.settle()
    git(fleet["desk"], "reset", "-q", "--hard", "HEAD~1")
    write_card(fleet["desk"], "other")
    git(fleet["desk"], "add", "-A")
    git(fleet["desk"], "commit", "-qm", "anew")
    git(fleet["desk"], "push", "-qf")
    refused(fleet["phone"], "written anew", "git merge origin/main", "force-with-lease")
    refused(fleet["phone"], "written anew")
    git(fleet["phone"], "merge", "-q", "-m", "by hand", "origin/main")
    fleet.settle()
    fleet.agree()
    assert (fleet["desk"] / "new.md").exists()


def test_a_strangers_repository_is_not_merged(fleet: Fleet, tmp_path: Path) -> None:
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    git(stranger, "init", "-q", "-b", "main")
    (stranger / "thesis.tex").write_text("x")
    git(stranger, "add", "-A")
    git(stranger, "commit", "-qm", "x")
    git(fleet["desk"], "remote", "set-url", "origin", str(stranger))
    git(fleet["desk"], "update-ref", "-d", "refs/deltadeck/origin/main")
    head = git(fleet["desk"], "rev-parse", "HEAD")
    with pytest.raises(CollectionError, match="a history of its own"):
        synced(fleet["desk"])
    assert git(fleet["desk"], "rev-parse", "HEAD") == head


def test_a_remote_that_refuses_says_what_it_said(fleet: Fleet) -> None:
    hook = fleet.remote / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho 'policy: no cards on Sundays' >&2\nexit 1\n")
    hook.chmod(0o755)
    write_card(fleet["desk"], "new")
    with pytest.raises(CollectionError, match=r"hook declined.*: policy: no cards on Sundays"):
        synced(fleet["desk"])
    hook.unlink()
    own = fleet["desk"] / ".git/hooks/pre-push"
    own.parent.mkdir(exist_ok=True)
    own.write_text("#!/bin/sh\necho 'not before noon' >&2\nexit 1\n")
    own.chmod(0o755)
    with pytest.raises(CollectionError, match=r"before it left: .*not before noon"):
        synced(fleet["desk"])
    own.unlink()
    fleet.settle()
    fleet.agree()


def test_another_branch_there_is_no_place_for_a_second_history(fleet: Fleet) -> None:
    root = fleet["desk"]
    git(root, "checkout", "-qb", "trunk")
    git(root, "config", "--remove-section", "branch.main", check=False)
    refused(root, "no branch trunk, but main", "git branch -m main")


def test_unknown_and_ambiguous_remotes_are_named(fleet: Fleet) -> None:
    refused(fleet["desk"], "no remote 'backup'", "There is origin", remote="backup")
    git(fleet["desk"], "remote", "add", "second", "../remote.git")
    git(fleet["desk"], "remote", "rename", "origin", "first")
    git(fleet["desk"], "config", "--remove-section", "branch.main", check=False)
    refused(fleet["desk"], "several remotes", "--remote")
    synced(fleet["desk"], remote="second")


def test_nobody_to_choose_from_is_a_sentence(fleet: Fleet) -> None:
    with pytest.raises(CollectionError, match="no other version"):
        named(fleet["desk"], "a.md")


def test_a_folder_within_git_s_own_is_refused(fleet: Fleet) -> None:
    from deck.sync.run import Wish
    from tests.deck.given import NOON

    with pytest.raises(CollectionError, match="folder of git's own"):
        sync(fleet["desk"] / ".git", NOON, Wish())


def test_every_kind_of_change_is_said_and_no_title_of_a_commit_is_empty() -> None:
    assert Changes(answers=2, events=1).words() == "2 answers, 1 other event"
    assert Changes(events=2, added=1).words() == "1 card added, 2 events"
    assert message(Changes(), None).startswith("deltadeck: nothing new on ")
