"""Brings the cards of the index up to date with the folder: only what changed is read.

A file is read again when its size, time of change or inode is another, or when it changed so
shortly before the last look that a second change may hide behind the same time.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cards.model import Problem
from deck.decks import deck_names
from deck.index.codec import key_parts, path_key, problem_text, sql_text
from deck.index.lookup import calls
from deck.index.names import settle
from deck.index.progress import Progress, silent
from deck.index.reading import CardRow, FileRow, listed
from deck.index.store import Store
from deck.walk import NO_STAMP, Found, Stamp, stamp_of, walk

#: From so many files on, other processes are worth their start.
_SPREAD = 1500
_CHUNK = 200
#: File systems tell times apart in steps of up to two seconds; a change within them can hide.
_HIDES = 2_000_000_000


class Known(NamedTuple):
    """A file as the index has it."""

    file: int
    stamp: Stamp
    digest: bytes


class Wanted(NamedTuple):
    """A file that must be looked into."""

    key: bytes
    path: str
    stamp: Stamp
    known: Known | None


def scan(store: Store, root: Path, progress: Progress) -> bool:
    """Takes up every change below `root`; whether there was one.

    Raises:
        CollectionError: the folder itself cannot be read; the index stays as it was.
    """
    found, problems = walk(root)
    known = {
        key: Known(file, (size, mtime, inode), digest)
        for file, key, size, mtime, inode, digest in store.db.execute(
            "SELECT file, key, size, mtime, inode, digest FROM file"
        )
    }
    wanted = list(_wanted(root, found, known))
    changed = _note_folders(store, root, problems)
    gone = [file.file for file in known.values()]  # those that `_wanted` left
    return _apply(store, root, wanted, gone, progress) or changed


def scan_files(store: Store, root: Path, paths: Iterable[Path]) -> bool:
    """Takes up a change of these files only; whether there was one.

    While the folder itself is gone (a disk that was pulled out), all stays as it was read.
    """
    if not root.is_dir():
        return False
    wanted, gone = [], []
    for path in dict.fromkeys(paths):
        key = path_key(path.relative_to(root).parts)
        known = _known(store, key)
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


def _wanted(root: Path, found: list[Found], known: dict[bytes, Known]) -> Iterable[Wanted]:
    """What must be looked into; of `known`, only the files that are gone are left."""
    for parts, stamp in found:
        key = path_key(parts)
        before = known.pop(key, None)
        if before is None or before.stamp != stamp or stamp == NO_STAMP:
            yield Wanted(key, str(root.joinpath(*parts)), stamp, before)


def _apply(
    store: Store, root: Path, wanted: Sequence[Wanted], gone: list[int], progress: Progress
) -> bool:
    """Reads what is wanted.  Few files are one change; many come in chunks, each whole."""
    if not wanted and not gone:
        return False
    bulk = len(wanted) >= _SPREAD
    chunks = [wanted[at : at + _CHUNK] for at in range(0, len(wanted), _CHUNK)]
    requests = [[(w.path, w.known.digest if w.known else b"-") for w in part] for part in chunks]
    read = store.workers.answers(requests, bulk)
    change = Change(store, root)
    if not bulk:
        ready = list(read)  # before the lock
        with store.writing():
            change.forget(gone)
            for number, rows in ready:
                change.put(chunks[number], rows)
            settle(store, change.names)
        return change.any
    with store.bulk():
        done = 0
        for number, rows in read:
            with store.writing():
                change.put(chunks[number], rows)
            done += len(rows)
            progress("cards", done, len(wanted))
        with store.writing():
            change.forget(gone)
            settle(store, None)
    return change.any


_NEW_FILE = """INSERT OR IGNORE INTO file (key, size, mtime, inode, digest, problem)
VALUES (?, ?, ?, ?, ?, ?)"""


class Change:
    """Rows that come and go; the names whose owners may be others now are gathered."""

    def __init__(self, store: Store, root: Path) -> None:
        self.db = store.db
        self.root = root
        self.names: set[str] = set()
        self.any = False
        self._decks: dict[tuple[str, tuple[str, ...]], int] = {}
        self._cards: list[tuple[Any, ...]] = []
        self._names: list[tuple[str, int]] = []
        self._tags: list[tuple[str | bytes, int]] = []
        self._calls: list[tuple[str, int, int]] = []
        self._words: list[tuple[Any, ...]] = []
        self._row: int = self.db.execute("SELECT coalesce(max(words), 0) FROM card").fetchone()[0]
        self._before: tuple[int, bytes] | None = None
        self._settled = time.time_ns() - _HIDES

    def forget(self, files: Iterable[int]) -> None:
        for file in files:
            self._forget_card(file)
            self.db.execute("DELETE FROM file WHERE file = ?", (file,))
            self.any = True

    def put(self, wanted: Sequence[Wanted], rows: Sequence[FileRow | None]) -> None:
        """Takes up what stands in the files; None is what was known of one."""
        for each, row in zip(wanted, rows, strict=True):
            size, mtime, inode = each.stamp
            stamp = (size, mtime if mtime < self._settled else -1, inode)
            if row is None:
                if each.known and each.known.stamp != stamp:
                    sql = "UPDATE file SET size = ?, mtime = ?, inode = ? WHERE file = ?"
                    self.db.execute(sql, (*stamp, each.known.file))
                continue
            file = self._put_file(each, stamp, row)
            if row.card is not None:
                self._put_card(file, each.key, row.card)
        self._flush()

    def _put_file(self, each: Wanted, stamp: Stamp, row: FileRow) -> int:
        if each.known is None:
            made = self.db.execute(_NEW_FILE, (each.key, *stamp, row.digest, row.problem))
            if made.rowcount == 1:
                self._before = None
                self.any = True
                return made.lastrowid or 0
        # Asked again: another program or thread may have taken the file up since it was looked at,
        # or out.
        sql = "SELECT file, problem FROM file WHERE key = ?"
        known = self.db.execute(sql, (each.key,)).fetchone()
        if known is None:
            return self._put_file(each._replace(known=None), stamp, row)
        file, before = int(known[0]), known[1]
        # An unreadable file has no digest to compare: what is said of it tells.
        self.any |= bool(row.digest) or before != row.problem
        self._before = self._forget_card(file)
        sql = (
            "UPDATE file SET size = ?, mtime = ?, inode = ?, digest = ?, problem = ? WHERE file = ?"
        )
        self.db.execute(sql, (*stamp, row.digest, row.problem, file))
        return file

    def _forget_card(self, file: int) -> tuple[int, bytes] | None:
        """Takes a file's card out; its row of words, and their digest."""
        sql = "SELECT id, items, words, digest FROM card WHERE card = ?"
        row = self.db.execute(sql, (file,)).fetchone()
        if row is None:
            return None
        self.any = True
        self.names |= {row[0], *json.loads(row[1])}
        sql = "SELECT c.tags, c.titles, f.key FROM card c JOIN file f ON f.file = c.card"
        tags, titles, key = self.db.execute(f"{sql} WHERE c.card = ?", (file,)).fetchone()
        self.db.executemany(
            "DELETE FROM called WHERE fold = ? AND rank = ? AND card = ?",
            calls(row[0], key, json.loads(titles), file),
        )
        for tag in json.loads(tags):
            self.db.execute("DELETE FROM tag WHERE tag = ? AND card = ?", (sql_text(tag), file))
        for name in {row[0], *json.loads(row[1])}:
            self.db.execute("DELETE FROM name WHERE name = ? AND card = ?", (name, file))
        self.db.execute("DELETE FROM item WHERE card = ?", (file,))
        self.db.execute("DELETE FROM card WHERE card = ?", (file,))
        return row[2], row[3]

    def _put_card(self, file: int, key: bytes, card: CardRow) -> None:
        self.names |= {card.id, *card.items}
        deck = self._deck(card.course, key_parts(key)[:-1])
        self._cards.append(
            (
                *(file, card.id, deck, card.type, card.status, card.difficulty, card.points),
                *(*card.lists, card.line, card.added, *self._put_words(card)),
            )
        )
        self._names += [(name, file) for name in {card.id, *card.items}]
        self._tags += [(sql_text(tag), file) for tag in card.tags]
        self._calls += calls(card.id, key, json.loads(card.lists[2]), file)

    def _put_words(self, card: CardRow) -> tuple[int, bytes]:
        """The row of the card's words, and their digest; words that stayed keep their row."""
        before, self._before = self._before, None
        if before is not None and before[1] == card.digest:
            return before
        self._row += 1
        self._words.append((self._row, *card.words))
        return self._row, card.digest

    def _flush(self) -> None:
        """Table by table: SQLite's full text writes what it has gathered whenever it is left."""
        for sql, rows in (
            (f"INSERT INTO card VALUES ({'?, ' * 16}NULL)", self._cards),
            ("INSERT INTO name VALUES (?, ?)", self._names),
            ("INSERT OR IGNORE INTO tag VALUES (?, ?)", self._tags),
            ("INSERT OR IGNORE INTO called VALUES (?, ?, ?)", self._calls),
            (
                "INSERT INTO words (rowid, question, solution, rest) VALUES (?, ?, ?, ?)",
                self._words,
            ),
        ):
            self.db.executemany(sql, rows)
            rows.clear()

    def _deck(self, course: str, folders: tuple[str, ...]) -> int:
        """The number of the deck that holds a card."""
        known = self._decks.get((course, folders))
        if known is None:
            path = listed(deck_names(course, folders, self.root))
            row = (listed((course,)), path)
            self.db.execute("INSERT OR IGNORE INTO deck (course, path) VALUES (?, ?)", row)
            sql = "SELECT deck FROM deck WHERE course = ? AND path = ?"
            known = self._decks[course, folders] = int(self.db.execute(sql, row).fetchone()[0])
        return known


def _note_folders(store: Store, root: Path, problems: list[Problem]) -> bool:
    """Keeps what is wrong with folders; whether that is news."""
    said = [
        (list(each.path.relative_to(root).parts) if each.path else [], problem_text(each))
        for each in problems
    ]
    return store.note("folders", json.dumps(said))
