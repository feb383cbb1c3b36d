"""What was read of card files, on its way into the index; what they said before, on its way out."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from deck.decks import deck_names
from deck.files import Stamp, key_parts
from deck.index.codec import listed, sql_text
from deck.index.lookup import calls
from deck.index.stamps import HIDES
from deck.index.store import Store

if TYPE_CHECKING:
    from deck.index.reading import CardRow, FileRow  # with the parser, which most starts need not

_NEW_FILE = """INSERT OR IGNORE INTO file (key, size, mtime, inode, digest, problem)
VALUES (?, ?, ?, ?, ?, ?)"""


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
        self._settled = time.time_ns() - HIDES

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
        titles = () if card.lists[2] == "[]" else json.loads(card.lists[2])
        self._calls += calls(card.id, key, titles, file)

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
