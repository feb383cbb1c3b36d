"""Brings the cards of the index up to date with the folder: only what changed is read.

A file is read again when its size, time of change or inode is another, or when it changed so
shortly before the last look that a second change may hide behind the same time.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from cards.files import leads_out
from cards.model import Problem
from deck.files import NO_STAMP, File, key_parts, path_key, stamp_of, walk
from deck.index.change import Change, Known, Wanted
from deck.index.codec import problem_text
from deck.index.names import settle
from deck.index.progress import Progress, silent
from deck.index.store import Store

#: From so many files on, other processes are worth their start.
SPREAD = 1500
#: Files that are committed together.
CHUNK = 200


def scan(store: Store, root: Path, progress: Progress) -> bool:
    """Takes up every change below `root`; whether there was one.

    Raises:
        CollectionError: the folder itself cannot be read; the index stays as it was.
    """
    found, problems = walk(root)
    known: set[File] = set(store.db.execute("SELECT key, size, mtime, inode FROM file"))
    changed = _note_folders(store, root, problems)
    stale, fresh = known - found, found - known
    fresh.update(row for row in found if row[1:] == NO_STAMP)
    wanted = [_wanted(store, root, row, bool(known)) for row in sorted(fresh)]
    left = {row[0] for row in stale} - {row[0] for row in fresh}
    gone = [each.file for key in sorted(left) if (each := _known(store, key))]
    return _apply(store, root, wanted, gone, progress) or changed


def _wanted(store: Store, root: Path, row: File, is_known: bool) -> Wanted:
    key, stamp = row[0], row[1:]
    path = str(root.joinpath(*key_parts(key)))
    return Wanted(key, path, stamp, _known(store, key) if is_known else None)


def scan_files(store: Store, root: Path, paths: Iterable[Path]) -> bool:
    """Takes up a change of these files only; whether there was one.

    While the folder itself is gone (a disk that was pulled out), all stays as it was read.
    """
    if not root.is_dir():
        return False
    wanted, gone, real = [], [], os.path.realpath(root)
    for path in dict.fromkeys(paths):
        key = path_key(path.relative_to(root).parts)
        known = _known(store, key)
        linked = os.path.realpath(path) != os.path.join(real, path.relative_to(root))  # noqa: PTH118
        if linked and (known is None or leads_out(path, root)):
            return scan(store, root, silent)  # the walk says what links lead to
        stamp = stamp_of(path)
        if os.path.lexists(path) and not path.is_dir():
            if known is None or known.stamp != stamp or stamp == NO_STAMP:
                wanted.append(Wanted(key, str(path), stamp, known))
        elif known is not None:
            gone.append(known.file)
    return _apply(store, root, wanted, gone, silent)


def _known(store: Store, key: bytes) -> Known | None:
    row = store.db.execute(
        "SELECT file, size, mtime, inode, digest FROM file WHERE key = ?", (key,)
    ).fetchone()
    return Known(row[0], row[1:4], row[4]) if row else None


def _apply(
    store: Store, root: Path, wanted: Sequence[Wanted], gone: list[int], progress: Progress
) -> bool:
    """Reads what is wanted.  A few files are one change; many come in chunks, each complete."""
    if not wanted and not gone:
        return False
    bulk = len(wanted) >= SPREAD
    chunks = [wanted[at : at + CHUNK] for at in range(0, len(wanted), CHUNK)]
    requests = [[(w.path, w.known.digest if w.known else b"-") for w in part] for part in chunks]
    read = store.workers.answers(requests, bulk)
    change = Change(store, root)
    if not bulk:
        ready = list(read)  # before the lock
        with _whole(store, change):
            for number, rows in ready:
                change.put(chunks[number], rows)
            change.forget(gone)
        return change.any
    done = 0
    with store.bulk():
        for number, rows in read:
            with _whole(store, change):
                change.put(chunks[number], rows)
            done += len(rows)
            progress("cards", done, len(wanted))
        with _whole(store, change):
            change.forget(gone)
    return change.any


@contextmanager
def _whole(store: Store, change: Change) -> Iterator[None]:
    """Commits files together with their cards' items: whenever the program is killed, the next scan
    reads what is missing."""
    with store.writing():
        yield
        settle(store, change.names)
    change.names.clear()


def _note_folders(store: Store, root: Path, problems: list[Problem]) -> bool:
    """Keeps what is wrong with folders; whether that is news."""
    said = [
        (list(each.path.relative_to(root).parts) if each.path else [], problem_text(each))
        for each in problems
    ]
    return store.note("folders", json.dumps(said))
