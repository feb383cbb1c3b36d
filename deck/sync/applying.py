"""A merged tree to the files: each whole or not at all, and none that changed meanwhile.

A sync that is killed in between leaves some files as they will be; the next one puts the others
(`finishing`), commits them as they are, and merges again.
"""

from __future__ import annotations

import stat
from collections.abc import Container
from pathlib import Path

from deck.errors import CollectionError, refusal
from deck.sync.belongs import is_journal
from deck.sync.finishing import begin, end, gone_first, in_folder
from deck.sync.growing import bring_journals, drop_emptied
from deck.sync.putting import Seen, place, seen
from deck.sync.repository import Repository
from deck.sync.trees import (
    REPOSITORY,
    Change,
    changes,
    put_entries,
    show_in_index,
    unlike_index,
)


def apply(repository: Repository, drafts: Path, index: Path, ours: str, merged: str) -> bool:
    """Makes the files of the tree `ours` those of the tree `merged`.

    `index` is the one that `ours` was made in.  False where files changed since then: record them,
    and merge again.

    Raises:
        CollectionError: a file is in the way, or the disk refuses.
        GitError: git refuses.
    """
    found = changes(repository.git, ours, merged)
    journals = [c for c in found if is_journal(repository.relative(c.path) or "")]
    files = [c for c in found if c not in journals] if journals else found
    found_here = {change.path: seen(repository.at(change.path)) for change in files}
    if not _are_as_recorded(repository, index, files, found_here, ours):
        return False
    staged = in_folder(repository, drafts, merged, files)
    bring_journals(repository, journals)
    begin(drafts, ours, merged)
    for change in gone_first(files):
        if not place(repository, change, staged, found_here[change.path]):
            return False
    end(drafts)
    drop_emptied(repository, journals)
    _show(repository, merged, files)
    return True


def _are_as_recorded(
    repository: Repository, index: Path, files: list[Change], here: dict[str, Seen], ours: str
) -> bool:
    """Whether each file is as in `ours`, or already as it will be.

    Raises CollectionError for a file in the way that no sync would record.
    """
    git = repository.git
    if not files:
        return True
    words = ("diff-files", "-z", "--name-only", "--ignore-submodules=all")
    dirty = set(git.names(*words, index=index))
    staged = {change.path: change.new for change in unlike_index(git, ours)}
    going = {change.path for change in files if change.new is None}
    unseen = _unseen(repository, index)
    fresh = True
    for change in files:
        if change.path in unseen and _is_unlike(repository, change, here[change.path]):
            raise _hidden(repository, change.path, unseen[change.path])
        path, inside = change.path, repository.relative(change.path) is not None
        if not inside and path in staged and staged[path] != change.new:
            raise _in_the_way(repository, path, "has changes that are staged")
        new_here = change.old is None and here[path] is not None
        if (path in dirty or new_here) and not _is_already(repository, change, here[path], going):
            if new_here and path not in dirty:
                raise _in_the_way(repository, path, "is here, and not in git")
            if not inside:
                raise _in_the_way(repository, path, "has changes that are not committed")
            fresh = False
    return fresh


def _unseen(repository: Repository, index: Path) -> dict[str, str]:
    """Files that git was told not to look at, each with the mark that says so."""
    rows = repository.git.names("ls-files", "-v", "-z", *repository.scope, index=index)
    marks = {row[2:]: row[0] for row in rows if row[0] == "S" or row[0].islower()}
    skipped, assumed = "skip-worktree", "assume-unchanged"
    return {path: skipped if mark in "sS" else assumed for path, mark in marks.items()}


def _is_unlike(repository: Repository, change: Change, here: Seen) -> bool:
    """Whether the file holds what is neither recorded nor what it becomes."""
    if here is None or change.old is None or not stat.S_ISREG(here[0]):
        return False
    words = ("hash-object", f"--path={change.path}", "--", str(repository.at(change.path)))
    known = {entry.oid for entry in (change.old, change.new) if entry}
    return repository.git.text(*words) not in known


def _hidden(repository: Repository, path: str, mark: str) -> CollectionError:
    message = f"This file has changes that git was told not to look at ({mark})."
    hint = f"The other side changed it too. `git update-index --no-{mark} FILE` lets git see them."
    return refusal(repository.at(path), message, f"{hint} Then sync again.")


def _files_below(repository: Repository, path: str) -> list[str]:
    folder = repository.at(path)
    found = [below for below in folder.rglob("*") if below.is_symlink() or not below.is_dir()]
    return [below.relative_to(repository.top).as_posix() for below in found]


def _is_already(repository: Repository, change: Change, here: Seen, going: Container[str]) -> bool:
    if change.new is None or here is None:
        return change.new is None and here is None
    path = repository.at(change.path)
    if stat.S_ISDIR(here[0]):  # what is in it goes: `going` says whether that is all
        return all(below in going for below in _files_below(repository, change.path))
    if not stat.S_ISREG(here[0]):
        return False
    words = ("hash-object", f"--path={change.path}", "--", str(path))
    return repository.git.text(*words) == change.new.oid


def _in_the_way(repository: Repository, path: str, what: str) -> CollectionError:
    message = f"This file {what}, and the other side changed it too."
    hint = "Nothing was merged. Commit it by hand, or move it away; then sync again."
    return refusal(repository.at(path), message, hint)


def _show(repository: Repository, merged: str, files: list[Change]) -> None:
    """Lets git's own index know."""
    git = repository.git
    show_in_index(git, merged, repository.scope)
    # `show_in_index` leaves other paths alone, and repositories that only the index has.
    left = [
        c for c in files
        if repository.relative(c.path) is None or (c.old and c.old.mode == REPOSITORY)
    ]  # fmt: skip
    put_entries(git, ((change.path, change.new) for change in left), None)
    git.run("update-index", "-q", "--refresh", allowed=(0, 1))
