"""Addresses as a learner gives them, and the one branch that all computers share."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deck.collection import Collection
from deck.errors import CollectionError
from deck.sync.commit import make_repository
from deck.sync.remote import absolute
from deck.sync.run import SyncOptions, is_elsewhere
from tests.deck.given import write_card
from tests.deck.sync.given import Fleet, git, synced


def begun(folder: Path, name: str, card: str) -> Path:
    root = folder / name
    write_card(root, card)
    Collection.init(root)
    return root


def heads(bare: Path) -> list[str]:
    return git(bare, "for-each-ref", "--format=%(refname:short)", "refs/heads").split()


@pytest.mark.parametrize("committed", [False, True], ids=["from the start", "later"])
def test_an_empty_remote_gets_the_branch_that_its_head_names(
    tmp_path: Path, committed: bool
) -> None:
    git(tmp_path, "init", "-q", "--bare", "-b", "trunk", "r.git")
    root = begun(tmp_path, "desk", "a")
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


def left_on_main(folder: Path) -> Path:
    """A remote whose HEAD names a branch that nobody made, as an older program left it."""
    git(folder, "init", "-q", "--bare", "-b", "main", "r.git")
    make_repository(begun(folder, "desk", "a"))
    synced(folder / "desk", remote="../r.git")
    git(folder / "r.git", "symbolic-ref", "HEAD", "refs/heads/master")
    return folder / "r.git"


@pytest.mark.parametrize("began", [False, True], ids=["empty clone", "began by itself"])
def test_a_clone_of_a_branch_that_is_not_there_takes_the_one_that_is(
    tmp_path: Path, began: bool
) -> None:
    bare = left_on_main(tmp_path)
    git(tmp_path, "clone", "-q", "r.git", "phone")
    phone = tmp_path / "phone"
    git(phone, "symbolic-ref", "HEAD", "refs/heads/master")
    if began:
        begun(tmp_path, "phone", "b")
    else:
        assert is_elsewhere(phone, SyncOptions())
        assert list(phone.iterdir()) == [phone / ".git"]
    assert synced(phone, dry=True).repositories[0].received.added == 1
    synced(phone)
    assert (phone / "a.md").exists()
    assert heads(bare) == ["main"]
    synced(tmp_path / "desk")
    assert (tmp_path / "desk/b.md").exists() is began
    both = [git(root, "rev-parse", "HEAD") for root in (phone, tmp_path / "desk")]
    assert both[0] == both[1]
    assert git(phone, "status", "--porcelain") == ""


def test_a_clone_that_has_commits_of_another_branch_is_told_and_the_advice_holds(
    tmp_path: Path,
) -> None:
    bare = left_on_main(tmp_path)
    git(tmp_path, "clone", "-q", "r.git", "phone")
    phone = begun(tmp_path, "phone", "b")
    git(phone, "checkout", "-q", "--orphan", "master")
    git(phone, "config", "branch.master.remote", "origin")
    git(phone, "config", "branch.master.merge", "refs/heads/master")
    git(phone, "add", "-A")
    git(phone, "commit", "-qm", "offline")
    with pytest.raises(CollectionError, match="no branch master, but main") as caught:
        synced(phone)
    assert heads(bare) == ["main"]
    told = re.search("`git (config [^`]*)`", caught.value.problem.hint)
    assert told
    git(phone, *told[1].split())
    synced(phone)
    assert (phone / "a.md").exists()
    assert heads(bare) == ["main"]


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
    root, right = begun(tmp_path, "desk", "a"), tmp_path / "r.git"
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
