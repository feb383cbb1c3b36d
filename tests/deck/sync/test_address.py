"""Addresses as a learner gives them: from the current folder, and corrected where one was wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from deck.collection import Collection
from deck.errors import CollectionError
from deck.sync.commit import make_repository
from deck.sync.remote import absolute
from tests.deck.given import write_card
from tests.deck.sync.given import Fleet, git, synced


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
    root, right = tmp_path / "desk", tmp_path / "r.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "r.git")
    write_card(root, "a")
    Collection.init(root)
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
