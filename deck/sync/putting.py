"""Files that are put in place: whole or not at all, and never through a link."""

from __future__ import annotations

import errno
import secrets
import shutil
import stat
from pathlib import Path

from deck.errors import refusal
from deck.sync.conflicts import failed
from deck.sync.repository import Repository
from deck.sync.trees import REPOSITORY, Change

Seen = tuple[int, int, int, int] | None
"""A file as it was looked at: mode, size, time of change (ns), inode; None where there is none."""


def seen(path: Path) -> Seen:
    try:
        found = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_mode, found.st_size, found.st_mtime_ns, found.st_ino


def place(repository: Repository, change: Change, staged: Path, here: Seen) -> bool:
    """Puts one file in place; False where it changed a moment ago."""
    path = repository.at(change.path)
    try:
        if REPOSITORY in (change.old and change.old.mode, change.new and change.new.mode):
            return _place_repository(repository, change, path)
        if change.new is None:
            if here is not None and seen(path) == here:
                path.unlink()
                _remove_empty(path.parent, repository.top)
            return seen(path) is None
        refuse_links(repository, path)
        path.parent.mkdir(parents=True, exist_ok=True)
        source = staged / change.path
        if here is not None and stat.S_ISREG(here[0]) and not source.is_symlink():
            bits = stat.S_IMODE(here[0]) & ~0o111 | stat.S_IMODE(source.stat().st_mode) & 0o111
            source.chmod(bits)
        if seen(path) != here:
            return False
        _move(source, path)
    except OSError as error:
        raise failed(path, error) from error
    return True


def _place_repository(repository: Repository, change: Change, path: Path) -> bool:
    """Another repository is a folder, empty until git fetches it; what is in it stays."""
    if change.new and change.new.mode == REPOSITORY:
        refuse_links(repository, path)
        path.mkdir(parents=True, exist_ok=True)
    elif change.new is None:
        _remove_empty(path, repository.top)
    return True


def _move(source: Path, path: Path) -> None:
    try:
        source.replace(path)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        near = path.with_name(f".{secrets.token_hex(8)}.deltadeck-tmp")
        shutil.copy2(source, near, follow_symlinks=False)
        near.replace(path)


def _remove_empty(folder: Path, top: Path) -> None:
    while folder != top:
        try:
            folder.rmdir()
        except OSError:  # something else is in it
            return
        folder = folder.parent


def refuse_links(repository: Repository, path: Path) -> None:
    """Nothing is written through a link of a folder: it may lead anywhere."""
    for folder in path.relative_to(repository.top).parents:
        if (repository.top / folder).is_symlink():
            message = "This folder is a link here, and a folder with files on the other side."
            hint = "Move the link away, and sync again."
            raise refusal(repository.top / folder, message, hint)
