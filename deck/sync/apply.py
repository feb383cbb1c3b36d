"""A merged tree to the files: each whole or not at all, never through a link, and none that changed
meanwhile.

A sync that is killed in between leaves some files as they will be, and a note; the next one puts
the others before it looks at any (`finish`).  Names that cards exchanged are right only once all
files are in place: half of them, taken for what the learner did, would be a card that was deleted,
and another that is there twice.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Container, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from deck.errors import CollectionError, refusal, refusing
from deck.files import DATA_DIR, sync_folder, whole, write_whole
from deck.journal import Journal, append_line, journal_files
from deck.repair import JournalScan
from deck.sync.conflicts import writing
from deck.sync.driver import agreed, event_id, is_event, union
from deck.sync.files import is_journal
from deck.sync.git import REPOSITORY, Change, Repository, TreeEntry, blob, changes, nul, put_entries

Seen = tuple[int, int, int, int] | None
"""A file as it was looked at: mode, size, time of change (ns), inode; None where there is none."""


def apply(repository: Repository, drafts: Path, index: Path, ours: str, merged: str) -> bool:
    """Makes the files of the tree `ours` those of the tree `merged`.

    `index` is the one that `ours` was made in.  False where files changed since then: record them,
    and merge again.

    Raises:
        CollectionError: a file is in the way, or the disk refuses.
        GitError: git refuses.
    """
    git, found = repository.git, changes(repository.git, ours, merged)
    journals = [c for c in found if is_journal(repository.relative(c.path) or "")]
    files = [c for c in found if c not in journals] if journals else found
    here = {change: _seen(repository.at(change.path)) for change in files}
    if files and not _are_as_recorded(repository, index, here, ours):
        return False
    staged = _stage(repository, drafts, merged, files)
    bring_journals(repository, journals)
    note = _note(drafts)
    with refusing(note, "The file cannot be written", "Mend that."):
        write_whole(note, f"{ours} {merged}\n".encode("ascii"))
    if not _put(repository, staged, here):
        return False
    with suppress(OSError):
        note.unlink(missing_ok=True)
    _drop_emptied(repository, journals)
    put_entries(git, ((change.path, change.new) for change in found), None)
    git.run("update-index", "-q", "--refresh", allowed=(0, 1))
    return True


def finish(repository: Repository, drafts: Path) -> None:
    """Puts what a sync that was killed did not; a file that changed since then stays, and all of
    them where another git has committed.

    Raises:
        CollectionError: a file is in the way, or the disk refuses.
        GitError: git refuses.
    """
    note = _note(drafts)
    try:
        trees = note.read_text(encoding="ascii").split()
    except (OSError, UnicodeDecodeError):  # there is none, nearly always
        return
    _, head = repository.commit("HEAD") or ("", "")
    if len(trees) == 2 and head == trees[0] and repository.git.maybe("cat-file", "-t", trees[1]):
        here = {}
        for change in changes(repository.git, trees[0], trees[1]):
            found = _seen(repository.at(change.path))
            is_file = not is_journal(repository.relative(change.path) or "")
            if is_file and _holds(repository, change.path, found, change.old):
                here[change] = found
        _put(repository, _stage(repository, drafts, trees[1], here), here)
    with suppress(OSError):
        note.unlink(missing_ok=True)


def _note(drafts: Path) -> Path:
    """Says which tree's files are becoming which other's."""
    return drafts.parent / "applying"


# Whether the files are as they were recorded.


def _are_as_recorded(
    repository: Repository, index: Path, here: Mapping[Change, Seen], ours: str
) -> bool:
    """Whether each file is as in `ours`, or already as it will be.

    Raises CollectionError for a file in the way that no sync would record.
    """
    git, fresh = repository.git, True
    words = ("diff-files", "-z", "--name-only", "--ignore-submodules=all")
    dirty = set(git.names(*words, index=index))
    staged = {change.path: change.new for change in changes(git, ours, None)}
    going = {change.path for change in here if change.new is None}
    hidden = _hidden(repository, index)
    for change, seen in here.items():
        path = change.path
        inside = repository.relative(path) is not None
        is_file = seen is not None and stat.S_ISREG(seen[0]) and change.old is not None
        sides = [side for side in (change.old, change.new) if side]
        if path in hidden and is_file and not any(_holds(repository, path, seen, s) for s in sides):
            said = f"This file has changes that git was told not to look at ({hidden[path]})."
            hint = f"`git update-index --no-{hidden[path]} FILE` lets git see them."
            hint = f"The other side changed it too. {hint} Then sync again."
            raise refusal(repository.at(path), said, hint)
        if not inside and path in staged and staged[path] != change.new:
            raise _in_the_way(repository, path, "has changes that are staged")
        is_new = change.old is None and seen is not None
        if (path in dirty or is_new) and not _is_already(repository, change, seen, going):
            if is_new and path not in dirty:
                raise _in_the_way(repository, path, "is here, and not in git")
            if not inside:
                raise _in_the_way(repository, path, "has changes that are not committed")
            fresh = False
    return fresh


def _hidden(repository: Repository, index: Path) -> dict[str, str]:
    """Files that git was told not to look at, each with the mark that says so."""
    rows = repository.git.names("ls-files", "-v", "-z", *repository.scope, index=index)
    marks = {row[2:]: row[0] for row in rows if row[0] == "S" or row[0].islower()}
    skipped, assumed = "skip-worktree", "assume-unchanged"
    return {path: skipped if mark in "sS" else assumed for path, mark in marks.items()}


def _is_already(repository: Repository, change: Change, here: Seen, going: Container[str]) -> bool:
    if here is None or change.new is None or not stat.S_ISDIR(here[0]):
        return _holds(repository, change.path, here, change.new)
    # What is in the folder goes: `going` says whether that is all.
    below = [p for p in repository.at(change.path).rglob("*") if p.is_symlink() or not p.is_dir()]
    return all(path.relative_to(repository.top).as_posix() in going for path in below)


def _holds(repository: Repository, path: str, here: Seen, entry: TreeEntry | None) -> bool:
    """Whether what is at a path is this; None of nothing."""
    if here is None or entry is None:
        return here is None and entry is None
    words = ("hash-object", f"--path={path}", "--", str(repository.at(path)))
    return stat.S_ISREG(here[0]) and repository.git.text(*words) == entry.oid


def _in_the_way(repository: Repository, path: str, what: str) -> CollectionError:
    message = f"This file {what}, and the other side changed it too."
    hint = "Nothing was merged. Commit it by hand, or move it away; then sync again."
    return refusal(repository.at(path), message, hint)


# Files into their places.


def _stage(repository: Repository, drafts: Path, tree: str, files: Iterable[Change]) -> Path:
    """The files as they will be, in a folder of git's; written by git, with its filters."""
    index, folder = drafts / "new-index", drafts / "files"
    folder.mkdir(exist_ok=True)
    git, wanted = repository.git, [change.path for change in files if change.new]
    if wanted:
        git.run("read-tree", tree, index=index)
        words = ("checkout-index", "-q", "-f", f"--prefix={folder}/", "-z", "--stdin")
        git.run(*words, stdin=nul(wanted), index=index)
    return folder


def _seen(path: Path) -> Seen:
    try:
        found = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_mode, found.st_size, found.st_mtime_ns, found.st_ino


def _put(repository: Repository, staged: Path, here: Mapping[Change, Seen]) -> bool:
    """Puts the files in place, those that go first: a file may stand where a folder was.  False
    where one changed a moment ago."""
    order = sorted(here, key=lambda change: change.new is not None)
    if order:
        os.sync()  # a power cut would leave names without their texts, which look like edits
    placed = [_place(repository, change, staged, here[change]) for change in order]
    if order:
        os.sync()
    return all(placed)


def _place(repository: Repository, change: Change, staged: Path, here: Seen) -> bool:
    """Puts one file in place; False where it changed a moment ago."""
    path, old, new, top = repository.at(change.path), change.old, change.new, repository.top
    with writing(path):
        if REPOSITORY in (old and old.mode, new and new.mode):
            # Another repository is a folder, empty until git fetches it; what is in it stays.
            if new and new.mode == REPOSITORY:
                _refuse_links(repository, path)
                path.mkdir(parents=True, exist_ok=True)
            elif new is None:
                _remove_empty(path, top)
            return True
        if new is None:
            if here is not None and _seen(path) == here:
                path.unlink()
                _remove_empty(path.parent, top)
            return _seen(path) is None
        _refuse_links(repository, path)
        path.parent.mkdir(parents=True, exist_ok=True)
        source = staged / change.path
        if here is not None and stat.S_ISREG(here[0]) and not source.is_symlink():
            bits = stat.S_IMODE(here[0]) & ~0o111 | stat.S_IMODE(source.stat().st_mode) & 0o111
            source.chmod(bits)
        if _seen(path) != here:
            return False
        _move(source, path)
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
    with suppress(OSError):  # something else is in it
        while folder != top:
            folder.rmdir()
            folder = folder.parent


def _refuse_links(repository: Repository, path: Path) -> None:
    """Nothing is written through a link of a folder: it may lead anywhere."""
    for folder in path.relative_to(repository.top).parents:
        if (repository.top / folder).is_symlink():
            message = "This folder is a link here, and a folder with files on the other side."
            hint = "Move the link away, and sync again."
            raise refusal(repository.top / folder, message, hint)


# Journals grow by what the other side has, under the lock that every answer takes.


def bring_journals(repository: Repository, journals: Iterable[Change]) -> None:
    """Adds to the journals here what the other side has; takes away no event."""
    todo = [change for change in journals if change.new]
    if not todo:
        return
    with Journal(repository.root / DATA_DIR).locked():
        for change in todo:
            path = repository.at(change.path)
            _refuse_links(repository, path)
            base, theirs = (blob(repository.git, each) for each in (change.old, change.new))
            with writing(path):
                now = path.read_bytes() if path.exists() else b""
                then = agreed(union(base, now, theirs), theirs)
                if then.startswith(now) and (not now or now.endswith(b"\n")):
                    if then != now:
                        append_line(path, then[len(now) :])
                    continue
                with whole(path) as file:
                    os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
                    file.write(then)


def _drop_emptied(repository: Repository, journals: Iterable[Change]) -> None:
    """Removes journal files that the other side took away, where all they hold is elsewhere."""
    paths = (repository.at(change.path) for change in journals if change.new is None)
    gone = [path for path in paths if path.exists()]
    if not gone:
        return
    private = repository.root / DATA_DIR
    with Journal(private).locked():
        kept, _ = journal_files(private)
        ids = JournalScan([path for path in kept if path not in gone]).ids
        for path in gone:
            rows = [row for row in path.read_bytes().split(b"\n") if is_event(row)]
            if all(event_id(row) in ids for row in rows):
                path.unlink()
                sync_folder(path.parent)
