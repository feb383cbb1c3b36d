"""What changed in the collection, as a commit; the rest of the repository stays as it is.

The tree is made in an index of our own, so that what the learner has staged elsewhere stays staged
and is not committed.  No hook of git's runs, as none does for what a program writes of its own.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from deck.errors import reason, refusal
from deck.files import CONFIG, PRIVATE, stamp_of
from deck.index.lines import read_journal
from deck.journal import Journal, append_line
from deck.sync.belongs import belongs, is_journal
from deck.sync.changes import Changes, count, message
from deck.sync.finishing import finish
from deck.sync.git import nul
from deck.sync.repository import Repository
from deck.sync.trees import REPOSITORY, blob, empty_tree, entries, show_in_index
from deck.sync.union import event_id, lost

#: Of `git ls-files --stage -z`, the paths of other repositories.
_LINKED = re.compile(rb"(?:^|\0)%b [^\t\0]*\t([^\0]+)" % REPOSITORY.encode())


@dataclass(frozen=True, slots=True)
class Recorded:
    """The collection as it is here."""

    commit: str | None
    """None where there is nothing yet, or (of a dry run) it was not made."""
    tree: str
    index: Path
    """Of this tree, with the times of the files: what changed since then shows."""
    changes: Changes
    """What was new."""
    nested: list[str]
    """Folders of the collection that are repositories of their own: nothing in them is read."""


def record(
    repository: Repository, drafts: Path, learners: str | None = None, dry: bool = False
) -> Recorded:
    """Commits what changed in the collection, where something did; a `dry` commit is on no branch.

    Raises:
        GitError: git refuses; branch and files are as they were.
        CollectionError: a file cannot be read.
    """
    if not dry:
        finish(repository, drafts)
    git, index = repository.git, drafts / "index"
    head, before = repository.commit("HEAD") or (None, empty_tree(git))
    tree, nested = _staged(repository, index, head)
    if tree == before:
        if not dry and head:
            show_in_index(git, tree, repository.scope)
        return Recorded(head, tree, index, Changes(), nested)
    found = count(repository, before, tree)
    written = stamp_of(repository.root / PRIVATE / CONFIG)[1] / 1e9
    words = message(found, learners, max(written, 0) if found.settings else 0)
    commit = make_commit(repository, tree, [head] if head else [], words)
    if not dry:
        show_in_index(git, tree, repository.scope)
        move_head(repository, commit, head)
    return Recorded(commit, tree, index, found, nested)


def make_commit(repository: Repository, tree: str, parents: Iterable[str], words: str) -> str:
    before = [word for parent in parents for word in ("-p", parent)]
    return repository.git.text("commit-tree", tree, *before, "-F", "-", stdin=words.encode())


def move_head(repository: Repository, commit: str, before: str | None) -> None:
    """Raises GitError where the branch is not where it was."""
    old = before or "0" * len(commit)
    repository.git.text("update-ref", "-m", "deltadeck sync", "HEAD", commit, old)


def _staged(repository: Repository, index: Path, head: str | None) -> tuple[str, list[str]]:
    """Puts what is in the files into an index of our own; its tree, and the folders in the
    collection that are other repositories."""
    git, own = repository.git, repository.index
    try:
        if own.exists():
            shutil.copy2(own, index)  # with its time: git takes files as old as it for doubtful
    except OSError as error:
        hint = "Make it readable, and sync again."
        raise refusal(own, f"git's index cannot be read: {reason(error)}.", hint) from error
    git.run("read-tree", *(["-i", "-m", head] if head else ["--empty"]), index=index)
    git.run("update-index", "-q", "--refresh", index=index, allowed=(0, 1))
    words = ("diff-files", "-z", "--name-only", "--ignore-submodules=all")
    changed = git.names(*words, *repository.scope, index=index)
    words = ("ls-files", "--others", "--exclude-standard", "-z")
    others = git.names(*words, *repository.scope, index=index)
    new = _ours(repository, others)
    _bring_back(repository, head, [path for path in changed if _journal(repository, path)])
    if changed or new:
        data = nul([*changed, *new])
        git.run("update-index", "--add", "--remove", "--replace", "-z", "--stdin",
                stdin=data, index=index)  # fmt: skip
    listed = git.run("ls-files", "--stage", "-z", *repository.scope, index=index)[1]
    nested = {os.fsdecode(path) for path in _LINKED.findall(listed)}
    nested |= {path.rstrip("/") for path in others if path.endswith("/")}
    nested.discard(f"{repository.prefix}{PRIVATE}")  # the reviews' own
    return git.text("write-tree", index=index), sorted(nested)


def _ours(repository: Repository, others: list[str]) -> list[str]:
    """Of the files that are in no commit, those that belong in one; what the learner added does."""
    files = [path for path in others if not path.endswith("/")]  # else a repository in this one
    ours = {path for path in files if belongs(repository.relative(path) or ".")}
    if len(ours) < len(files):
        ours |= set(repository.git.names("ls-files", "-z", *repository.scope)) & set(files)
    return sorted(ours)


def _journal(repository: Repository, path: str) -> bool:
    return is_journal(repository.relative(path) or "")


def _bring_back(repository: Repository, head: str | None, journals: list[str]) -> None:
    """Writes again what is committed, and gone from the journal: events are never taken away."""
    if head is None or not journals:
        return
    private, ids = repository.root / PRIVATE, None
    for path, entry in entries(repository.git, head, journals).items():
        file = repository.at(path)
        try:
            now = file.read_bytes() if file.exists() else b""
        except OSError as error:
            hint = "Make it readable, and sync again."
            message = f"The journal cannot be read: {reason(error)}."
            raise refusal(file, message, hint) from error
        gone = lost(blob(repository.git, entry), now)
        if gone and ids is None:
            ids = {event.id for event in read_journal(private).events}
        missing = [line for line in gone if ids is not None and event_id(line) not in ids]
        if missing:
            with Journal(private).locked():
                append_line(file, b"".join(line + b"\n" for line in missing))
