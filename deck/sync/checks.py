"""What must not be in the way of a sync: each is said before anything is written."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deck.errors import reason, refusal
from deck.sync.git import GitError
from deck.sync.repository import Repository
from deck.sync.trouble import trouble

#: Seconds between looks: a command of git's is soon over, a lock that was left is not.
_TRIES, _PAUSE = 20, 0.1

_UNFINISHED = (
    ("MERGE_HEAD", "merge", "git merge --continue", "git merge --abort"),
    ("rebase-merge", "rebase", "git rebase --continue", "git rebase --abort"),
    ("rebase-apply", "rebase", "git rebase --continue", "git rebase --abort"),
    ("CHERRY_PICK_HEAD", "cherry-pick", "git cherry-pick --continue", "git cherry-pick --abort"),
    ("REVERT_HEAD", "revert", "git revert --continue", "git revert --abort"),
    ("BISECT_LOG", "bisection", "git bisect reset", "git bisect reset"),
)


def check(repository: Repository) -> None:
    """Raises CollectionError where the repository is not ready for a sync; nothing is changed."""
    top = repository.top
    for name, what, go_on, undo in _UNFINISHED:
        if (repository.folder / name).exists():
            message = f"A {what} that was begun in this repository is not finished."
            ways = f"`{go_on}` goes on with it, `{undo}` takes it back"
            hint = f"{ways if go_on != undo else f'`{undo}` ends it'}; then sync again."
            raise refusal(top, message, hint)
    if repository.git.run("ls-files", "--unmerged", *repository.scope)[1]:
        message = "Files of this repository are still in conflict from a merge by hand."
        hint = "Correct them, `git add` them and commit; then sync again."
        raise refusal(top, message, hint)
    check_lock(repository)
    try:
        repository.git.text("-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT")
    except GitError as error:
        raise trouble(error, top) from error


def check_lock(repository: Repository) -> None:
    """Waits a moment for another git that is at work.  Raises CollectionError."""
    lock = repository.folder / "index.lock"
    for _ in range(_TRIES):
        if not lock.exists():
            return
        time.sleep(_PAUSE)
    message = "Another git is at work in this repository, or one was stopped and left its lock."
    raise refusal(lock, message, "If no git is running, remove this file, and sync again.")


@contextmanager
def alone(repository: Repository) -> Iterator[Path]:
    """Keeps other syncs of the repository away; yields an empty folder for drafts, in its `.git`.

    Raises:
        CollectionError: another one is running, or `.git` cannot be written.
    """
    place = repository.folder / "deltadeck"
    try:
        place.mkdir(exist_ok=True)
        handle = os.open(place / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        hint = "Make the folder and its `.git` writable for you."
        raise refusal(place, f"git's folder cannot be written: {reason(error)}.", hint) from error
    try:
        _wait(handle, repository.top)
        drafts = place / "drafts"
        shutil.rmtree(drafts, ignore_errors=True)  # of one that was killed
        drafts.mkdir()
        yield drafts
        shutil.rmtree(drafts, ignore_errors=True)
    finally:
        os.close(handle)


def _wait(handle: int, top: Path) -> None:
    for _ in range(_TRIES):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_PAUSE)
        else:
            return
    raise refusal(top, "Another sync of this collection is running.", "Wait until it is done.")
