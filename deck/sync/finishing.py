"""Files of a merge that was cut short: the next sync puts the rest of them, before it looks at any.

Names that cards exchanged are right only once all files are in place: half of them, taken for what
the learner did, would be a card that was deleted, and another that is there twice.
"""

from __future__ import annotations

import stat
from contextlib import suppress
from pathlib import Path

from deck.errors import reason, refusal
from deck.files import write_whole
from deck.sync.belongs import is_journal
from deck.sync.git import nul
from deck.sync.putting import place, seen
from deck.sync.repository import Repository
from deck.sync.trees import Change, changes


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
