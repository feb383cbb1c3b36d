"""Addresses as a learner gives them, and the one branch that all computers share."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deck.errors import CollectionError
from deck.sync.commit import make_repository
from deck.sync.remote import absolute
from deck.sync.run import SyncOptions, is_elsewhere
from tests.deck.given import write_card
from tests.deck.sync.given import Fleet, begun, commit, git, synced


def heads(bare: Path) -> list[str]:
    return git(bare, "for-each-ref", "--format=%(refname:short)", "refs/heads").split()


@pytest.mark.parametrize("committed", [False, True], ids=["from the start", "later"])
def test_an_empty_remote_gets_the_branch_that_its_head_names(
    tmp_path: Path, committed: bool
) -> None:
    git(tmp_path, "init", "-q", "--bare", "-b", "trunk", "r.git")
    root = begun(tmp_path / "desk", "a")
    make_repository(root)
    if committed:
        synced(root)
    (done,) = synced(root, remote="../r.git").repositories
    assert (done.there, done.pushed) == ("trunk", True)
    assert done.branch == ("main" if committed else "trunk")
    write_card(root, "b")
    synced(root)
    git(tmp_path, "clone", "-q", "r.git", "phone")
    assert (tmp_path / "phone/b.md").exists()
    assert heads(tmp_path / "r.git") == ["trunk"]


def clone_of_main(fleet: Fleet) -> Path:
    """Of a remote whose HEAD names a branch that nobody made, as an older program left it."""
    git(fleet.remote, "symbolic-ref", "HEAD", "refs/heads/master")
    tablet = fleet.clone("tablet")
    git(tablet, "symbolic-ref", "HEAD", "refs/heads/master")
    return tablet


@pytest.mark.parametrize("began", [False, True], ids=["empty clone", "began by itself"])
def test_a_clone_of_a_branch_that_is_not_there_takes_the_one_that_is(
    fleet: Fleet, began: bool
) -> None:
    tablet, desk = clone_of_main(fleet), fleet["desk"]
    if began:
        begun(tablet, "new")
    else:
        assert is_elsewhere(tablet, SyncOptions())
        assert list(tablet.iterdir()) == [tablet / ".git"]
    assert synced(tablet, dry=True).repositories[0].received.added == 3
    synced(tablet)
    assert (tablet / "a.md").exists()
    assert heads(fleet.remote) == ["main"]
    synced(desk)
    assert (desk / "new.md").exists() is began
    assert git(desk, "rev-parse", "HEAD") == git(tablet, "rev-parse", "HEAD")
    assert git(tablet, "status", "--porcelain") == ""


def test_a_clone_that_has_commits_of_another_branch_is_told_and_the_advice_holds(
    fleet: Fleet,
) -> None:
    tablet = begun(clone_of_main(fleet), "new")
    git(tablet, "config", "branch.master.remote", "origin")
    git(tablet, "config", "branch.master.merge", "refs/heads/master")
    commit(tablet, "offline")
    with pytest.raises(CollectionError, match="no branch master, but main") as caught:
        synced(tablet)
    assert heads(fleet.remote) == ["main"]
    told = re.search("`git (config [^`]*)`", caught.value.problem.hint)
    assert told
    git(tablet, *told[1].split())
    synced(tablet)
    assert (tablet / "a.md").exists()
    assert heads(fleet.remote) == ["main"]


def test_a_folder_without_a_collection_on_either_side_is_none(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    assert not is_elsewhere(tmp_path / "plain", SyncOptions())
    git(tmp_path / "plain", "init", "-q")
    assert not is_elsewhere(tmp_path / "plain", SyncOptions())
    git(tmp_path, "init", "-q", "--bare", "r.git")
    git(tmp_path, "clone", "-q", "r.git", "clone")
    assert not is_elsewhere(tmp_path / "clone", SyncOptions())


def test_a_folder_is_meant_from_where_the_learner_is(tmp_path: Path) -> None:
    (tmp_path / "r.git").mkdir()
    (tmp_path / "here").mkdir()
    for given in ("../r.git", "./../r.git", "../here/../r.git/"):
        assert absolute(given, tmp_path / "here") == str(tmp_path / "r.git")
    assert absolute("r.git", tmp_path) == str(tmp_path / "r.git")
    assert absolute("../gone.git", tmp_path / "here") == str(tmp_path / "gone.git")
    for given in ("origin", "/r.git", "https://example.org/r.git", "ada@example.org:r.git",
                  "ssh://x/r.git", "file:///r.git", "team/one"):  # fmt: skip
        assert absolute(given, tmp_path) == given


def test_a_wrong_address_is_corrected_by_the_right_one(tmp_path: Path) -> None:
    root, right = begun(tmp_path / "desk", "a"), tmp_path / "r.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "r.git")
    make_repository(root)
    with pytest.raises(CollectionError, match="no repository at the address"):
        synced(root, remote="../nowhere.git")
    assert synced(root, remote=str(right)).repositories[0].pushed
    assert git(root, "remote", "get-url", "origin").strip() == str(right)
    assert synced(root, remote=str(right)).repositories[0].remote == "origin"


def test_an_address_beside_a_remote_that_is_used_names_how_to_change_it(fleet: Fleet) -> None:
    with pytest.raises(CollectionError, match="set-url origin ADDRESS"):
        synced(fleet["desk"], remote="/elsewhere/r.git")
    assert git(fleet["desk"], "remote", "get-url", "origin") == "../remote.git\n"
