"""A clone whose collection is still at the remote: one of a repository that was empty, or whose
HEAD names a branch that nobody made."""

from __future__ import annotations

from pathlib import Path

from deck.files import PRIVATE
from deck.sync.branches import meet
from deck.sync.checks import alone, check
from deck.sync.git import GitError
from deck.sync.remote import fetch, remote_of
from deck.sync.repository import find
from deck.sync.running import Wish
from deck.sync.trouble import trouble


def is_elsewhere(root: Path, wish: Wish) -> bool:
    """Whether a sync would bring a collection to `root`; fetches, and changes no file.

    Raises:
        CollectionError: something must be put right first, or the remote cannot be reached.
    """
    try:
        repository = find(root, root)
        if repository is None or not repository.is_whole:
            return False
        check(repository)
        remote = remote_of(repository, wish.remote, dry=True)
        if remote is None:
            return False
        with alone(repository) as drafts:
            repository, remote = meet(repository, remote, drafts, dry=True)
            there = fetch(repository, remote)
        place = f"{repository.prefix}{PRIVATE}"
        words = ("ls-tree", "-z", "--name-only", "--full-tree")
        return bool(there and repository.git.names(*words, there[1], "--", place))
    except GitError as error:
        raise trouble(error, root) from error
