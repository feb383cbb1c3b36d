"""A merged tree to the files, each whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Container, Iterable
from contextlib import suppress
from pathlib import Path

from deck.errors import CollectionError, reason, refusal
from deck.files import DATA_DIR, sync_folder, write_whole
from deck.journal import Journal, append_line, journal_files
from deck.repair import JournalScan
from deck.sync.conflicts import failed, is_journal
from deck.sync.driver import agreed, event_id, is_event, union
from deck.sync.git import (
    REPOSITORY,
    Change,
    Repository,
    blob,
    changes,
    nul,
    put_entries,
    show_in_index,
    unlike_index,
)

# == Files that are put in place: whole or not at all, and never through a link.


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


# == Journals that grow by what the other side has, under the lock that every answer takes.


def bring_journals(repository: Repository, journals: Iterable[Change]) -> None:
    """Adds to the journals here what the other side has; takes away no event."""
    todo = [change for change in journals if change.new]
    if not todo:
        return
    with Journal(repository.root / DATA_DIR).locked():
        for change in todo:
            path = repository.at(change.path)
            refuse_links(repository, path)
            sides = blob(repository.git, change.old), blob(repository.git, change.new)
            try:
                now = path.read_bytes() if path.exists() else b""
                _grow(path, now, agreed(union(sides[0], now, sides[1]), sides[1]))
            except OSError as error:
                raise failed(path, error) from error


def _grow(path: Path, now: bytes, then: bytes) -> None:
    if then == now:
        return
    if then.startswith(now) and (not now or now.endswith(b"\n")):
        append_line(path, then[len(now) :])
        return
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with draft.open("xb") as file:
            file.write(then)
            file.flush()
            draft.chmod(stat.S_IMODE(path.stat().st_mode))
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    sync_folder(path.parent)


def drop_emptied(repository: Repository, journals: Iterable[Change]) -> None:
    """Removes journal files that the other side took away, where all they hold is elsewhere."""
    gone = [repository.at(c.path) for c in journals if c.new is None]
    gone = [path for path in gone if path.exists()]
    if not gone:
        return
    private = repository.root / DATA_DIR
    with Journal(private).locked():
        paths, _ = journal_files(private)
        ids = JournalScan([path for path in paths if path not in gone]).ids
        for path in gone:
            rows = [row for row in path.read_bytes().split(b"\n") if is_event(row)]
            if all(event_id(row) in ids for row in rows):
                path.unlink()
                sync_folder(path.parent)


# == Files of a merge that was cut short: the next sync puts the rest of them, before it looks at
# any.
#
# Names that cards exchanged are right only once all files are in place: half of them, taken for
# what
# the learner did, would be a card that was deleted, and another that is there twice.


def begin(drafts: Path, ours: str, merged: str) -> None:
    """Notes that the files of the tree `ours` become those of `merged`.  Raises CollectionError."""
    note = _note(drafts)
    try:
        write_whole(note, f"{ours} {merged}\n".encode("ascii"))
    except OSError as error:
        raise refusal(
            note, f"The file cannot be written: {reason(error)}.", "Mend that."
        ) from error


def end(drafts: Path) -> None:
    """All of them are in place."""
    with suppress(OSError):
        _note(drafts).unlink(missing_ok=True)


def finish(repository: Repository, drafts: Path) -> None:
    """Puts what a sync that was killed did not; a file that changed since then stays, and all of
    them where another git has committed.

    Raises:
        CollectionError: a file is in the way, or the disk refuses.
        GitError: git refuses.
    """
    try:
        trees = _note(drafts).read_text(encoding="ascii").split()
    except (OSError, UnicodeDecodeError):  # there is none, nearly always
        return
    _, head = repository.commit("HEAD") or ("", "")
    if len(trees) == 2 and head == trees[0] and repository.git.maybe("cat-file", "-t", trees[1]):
        found = changes(repository.git, *trees)
        files = [c for c in found if not is_journal(repository.relative(c.path) or "")]
        left = [change for change in files if _is_old(repository, change)]
        staged = in_folder(repository, drafts, trees[1], left)
        for change in gone_first(left):
            place(repository, change, staged, seen(repository.at(change.path)))
    end(drafts)


def gone_first(files: list[Change]) -> list[Change]:
    """In the order in which they can be put: a file may stand where a folder was."""
    return sorted(files, key=lambda change: change.new is not None)


def in_folder(repository: Repository, drafts: Path, tree: str, files: list[Change]) -> Path:
    """The files as they will be, in a folder of git's; written by git, with its filters."""
    index, folder = drafts / "new-index", drafts / "files"
    folder.mkdir(exist_ok=True)
    git, wanted = repository.git, [change.path for change in files if change.new]
    if wanted:
        git.run("read-tree", tree, index=index)
        words = ("checkout-index", "-q", "-f", f"--prefix={folder}/", "-z", "--stdin")
        git.run(*words, stdin=nul(wanted), index=index)
    return folder


def _is_old(repository: Repository, change: Change) -> bool:
    """Whether a file is as it was before; one that was to come is not there."""
    here, path = seen(repository.at(change.path)), repository.at(change.path)
    if here is None or change.old is None:
        return here is None and change.old is None
    if not stat.S_ISREG(here[0]):
        return False
    words = ("hash-object", f"--path={change.path}", "--", str(path))
    return repository.git.text(*words) == change.old.oid


def _note(drafts: Path) -> Path:
    return drafts.parent / "applying"


# == A merged tree to the files: each whole or not at all, and none that changed meanwhile.
#
# A sync that is killed in between leaves some files as they will be; the next one puts the others
# (`finishing`), commits them as they are, and merges again.


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
