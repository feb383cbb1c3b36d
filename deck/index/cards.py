"""Card files in the index: brought up to date with the folder, and asked about.

A file is read again when its size, time of change or inode is another, or when it changed so
shortly before the last look that a second change may hide behind the same time.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from array import array
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from functools import lru_cache
from itertools import compress, islice, tee
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from cards.files import TextChange, leads_out
from cards.model import Card, Item, Problem
from cards.text import fold
from deck.decks import deck_names
from deck.errors import broken
from deck.files import (
    NO_STAMP,
    SUM,
    Files,
    FileStamp,
    file_key,
    file_of,
    key_parts,
    path_key,
    stamp_of,
    sum_of,
    walk,
)
from deck.index.candidates import all_decks, inside
from deck.index.codec import (
    first_value,
    listed,
    plain_text,
    problem_text,
    read_problem,
    rows_of,
    sql_text,
    text_digest,
)
from deck.index.store import Progress, Store, silent
from deck.journal import HIDES
from deck.replay import SUSPENDED

if TYPE_CHECKING:
    from deck.index.card_rows import CardRow, FileRow


# What a card may be called: by its id, its file's name, its titles and aliases.

_CALLED = """
SELECT c.id FROM called n JOIN card c ON c.card = n.card JOIN file f ON f.file = c.card
WHERE n.fold = ? AND c.clash IS NULL ORDER BY n.rank, f.key LIMIT 1
"""
_FIRST = """
SELECT c.id FROM item i JOIN card c ON c.card = i.card
WHERE i.deck IN (SELECT value FROM json_each(?)) ORDER BY i.key, i.place LIMIT 1
"""


def _calls(card_id: str, key: bytes, titles: Iterable[str], card: int) -> list[tuple[Any, ...]]:
    """Rows of `called`.  An id comes before a file's name, and that before a title."""
    stem = key_parts(key)[-1].rpartition(".")[0]
    named = [(card_id, 0), (stem, 1), *((title, 2) for title in titles)]
    return [(_folded(name), rank, card) for name, rank in named]


def called(db: sqlite3.Connection, name: str) -> str | None:
    """The id of the card that is called `name`; None where none is."""
    return first_value(db, str, _CALLED, _folded(name))


def _folded(name: str) -> str:
    """What SQLite can hold: a file's name need not be text."""
    return fold(name).encode("utf-8", "replace").decode()


def tags(db: sqlite3.Connection) -> list[str]:
    """Every tag that a card has, each once, sorted."""
    sql = "SELECT DISTINCT tag FROM tag JOIN card USING (card) WHERE clash IS NULL"
    return sorted(plain_text(row[0]) for row in db.execute(sql))


def first_card(db: sqlite3.Connection, deck: str) -> str | None:
    """The id of the first card of a deck (a `DeckCount.key`); None where it holds none."""
    numbers = json.dumps([each.number for each in inside(all_decks(db), deck)])
    return first_value(db, str, _FIRST, numbers)


# Which card has an id to itself: of several files with one id, the first in the order of paths.

#: A card that names no difficulty stands in the middle of 1..5.
_MIDDLE = 3

_NAMED = """
SELECT c.card, f.key, c.id, c.items FROM card c JOIN file f ON f.file = c.card
WHERE c.card IN (SELECT card FROM name WHERE name IN (SELECT value FROM json_each(?)))
"""
_CHOSEN = "card IN (SELECT value FROM json_each(?))"
_PUT_THINGS = f"""
INSERT OR IGNORE INTO thing (id) SELECT i.value FROM card c, json_each(c.items) i WHERE c.{_CHOSEN}
"""
_PUT_ITEMS = f"""
WITH own AS (SELECT *, status = '{SUSPENDED}' AS mine FROM card WHERE {_CHOSEN})
INSERT INTO item
SELECT t.item, c.card, i.key, f.key, c.deck, coalesce(c.difficulty, {_MIDDLE}),
       json_array_length(c.items) > 1, c.mine, c.mine OR coalesce(h.suspended, 0),
       NOT (c.mine OR coalesce(h.suspended, 0)) AND s.item IS NULL, c.words
FROM own c JOIN file f ON f.file = c.card, json_each(c.items) i JOIN thing t ON t.id = i.value
LEFT JOIN held h ON h.item = t.item LEFT JOIN state s ON s.item = t.item
"""


class _Card(NamedTuple):
    card: int
    key: bytes
    id: str
    items: list[str]

    @property
    def names(self) -> set[str]:
        return {self.id, *self.items}


def settle(store: Store, names: set[str]) -> None:
    """Gives each of these names to the first card that has it, with its items."""
    db = store.db
    rivals = _sharing(db, names)
    numbers = json.dumps([rival.card for rival in rivals])
    db.execute(f"DELETE FROM item WHERE {_CHOSEN}", (numbers,))
    db.execute(f"UPDATE card SET clash = NULL WHERE {_CHOSEN} AND clash IS NOT NULL", (numbers,))
    owners: dict[str, _Card] = {}
    winners = []
    for card in rivals:
        taken = next((item for item in card.items if item in owners), None)
        first = owners.get(card.id) or (owners[taken] if taken else None)
        if first is None:
            owners |= dict.fromkeys(card.names, card)
            winners.append(card.card)
        else:
            clash = json.dumps([taken or card.id, key_parts(first.key)])
            db.execute("UPDATE card SET clash = ? WHERE card = ?", (clash, card.card))
    for sql in (_PUT_THINGS, _PUT_ITEMS):
        db.execute(sql, (json.dumps(winners),))


def _sharing(db: sqlite3.Connection, names: set[str]) -> list[_Card]:
    """The cards with one of these names, and those that share any other name with such a card."""
    waiting, seen = names, set(names)
    cards: dict[int, _Card] = {}
    while waiting:
        rows = db.execute(_NAMED, (json.dumps(list(waiting)),))
        found = (_Card._make([*row[:3], json.loads(row[3])]) for row in rows)
        new = {card.card: card for card in found if card.card not in cards}
        cards |= new
        waiting = {name for card in new.values() for name in card.names} - seen
        seen |= waiting
    return sorted(cards.values(), key=lambda card: card.key)


# What was read of card files, on its way into the index; what they said before, on its way out.

_OTHER_FILE = (
    "UPDATE file SET size = ?, mtime = ?, inode = ?, digest = ?, problem = ? WHERE file = ?"
)
_MOVED_FILE = "UPDATE file SET size = ?, mtime = ?, inode = ? WHERE file = ?"
_SUM = """INSERT INTO folder VALUES (?, ?)
ON CONFLICT DO UPDATE SET sum = (sum + excluded.sum) & 4611686018427387903"""
_OLD_CARD = """SELECT c.id, c.items, c.tags, c.titles, f.key, c.words, c.digest
FROM card c JOIN file f ON f.file = c.card WHERE c.card = ?"""


class KnownFile(NamedTuple):
    """A file as the index has it."""

    file: int
    stamp: FileStamp
    digest: bytes
    problem: str | None


class ChangedFile(NamedTuple):
    """A file that must be looked into."""

    key: bytes
    path: str
    stamp: FileStamp
    known: KnownFile | None


class CardWriter:
    """Rows that come and go; the names whose owners may be others now are gathered."""

    def __init__(self, store: Store, root: Path) -> None:
        self.store, self.db = store, store.db
        self.root = root
        self.names: set[str] = set()
        self.any = False
        self._decks: dict[tuple[str, bytes], int] = {}
        self._rows: dict[str, list[tuple[Any, ...]]] = {sql: [] for sql in (*_PUT, _PUT_WORDS)}
        """What waits to be put in, by the statement."""
        self._sums: Counter[bytes] = Counter()
        """What the sums of folders grow by."""
        self._last = self._last_words = 0
        """The last file, and the last row of words."""
        self._settled = time.time_ns() - HIDES

    def forget(self, keys: Sequence[bytes]) -> None:
        for key, known in _known(self.store, keys).items():
            self._forget_card(known.file)
            self._sum(key, known.stamp, -1)
            self.db.execute("DELETE FROM file WHERE file = ?", (known.file,))
            self.any = True

    def put(self, wanted: Sequence[ChangedFile], rows: Sequence[FileRow | None]) -> None:
        """Takes up what stands in the files; None is what was known of one.

        Another program or thread may have taken a file up since it was looked at, or out.
        """
        known = _known(self.store, [each.key for each in wanted])
        self._last = first_value(self.db, int, "SELECT max(file) FROM file") or 0
        self._last_words = first_value(self.db, int, "SELECT max(id) FROM words_docsize") or 0
        for each, row in zip(wanted, rows, strict=True):
            size, mtime, inode = each.stamp
            was_read = row is None or row.digest  # else it is tried again at the next look
            stamp = (size, mtime if mtime < self._settled and was_read else -1, inode)
            before = known.get(each.key)
            if row is not None:
                self._put_file(each.key, stamp, row, before)
            elif before and each.known and before.digest == each.known.digest:
                self._sum(each.key, before.stamp, -1)
                self._sum(each.key, stamp)
                self.db.execute(_MOVED_FILE, (*stamp, before.file))
        for sql in _PUT:
            self.db.executemany(sql, self._rows[sql])
            self._rows[sql].clear()

    def _put_file(
        self, key: bytes, stamp: FileStamp, row: FileRow, before: KnownFile | None
    ) -> None:
        words = None
        if before is None:
            self._last += 1
            file = self._last
            self._rows[_PUT[0]].append((file, key, *stamp, row.digest, row.problem))
            self.any = True
        else:
            file = before.file
            self._sum(key, before.stamp, -1)
            # An unreadable file has no digest to compare: what is said of it tells.
            self.any |= bool(row.digest) or before.problem != row.problem
            self.db.execute(_OTHER_FILE, (*stamp, row.digest, row.problem, file))
            words = self._forget_card(file)
        self._sum(key, stamp)
        if row.card is not None:
            self._put_card(file, key, row.card, words)

    def _sum(self, key: bytes, stamp: FileStamp, sign: int = 1) -> None:
        """Takes a file into its folder's sum, or out of it."""
        if stamp[1] >= 0:
            folder, file = file_of(key, stamp)
            self._sums[folder] += sign * hash(file)

    def finish(self) -> None:
        """Behind each change: the names that came and went get their owners, folders their sums."""
        settle(self.store, self.names)
        self.db.executemany(_SUM, [(folder, by & SUM) for folder, by in self._sums.items()])
        # Last: SQLite's full text writes what it has gathered whenever another statement follows.
        self.db.executemany(_PUT_WORDS, self._rows[_PUT_WORDS])
        self._rows[_PUT_WORDS].clear()
        self._sums.clear()
        self.names.clear()

    def _forget_card(self, file: int) -> tuple[int, bytes] | None:
        """Takes a file's card out; its row of words, and their digest."""
        row = self.db.execute(_OLD_CARD, (file,)).fetchone()
        if row is None:
            return None
        card_id, (items, tags, titles), key = row[0], map(json.loads, row[1:4]), row[4]
        self.any = True
        self.names |= {card_id, *items}
        calls = _calls(card_id, key, titles, file)
        for sql, given in (
            ("called WHERE fold = ? AND rank = ? AND card = ?", calls),
            ("tag WHERE tag = ? AND card = ?", [(sql_text(tag), file) for tag in tags]),
            ("name WHERE name = ? AND card = ?", [(name, file) for name in {card_id, *items}]),
            ("item WHERE card = ?", [(file,)]),
            ("card WHERE card = ?", [(file,)]),
        ):
            self.db.executemany(f"DELETE FROM {sql}", given)
        return row[5], row[6]

    def _put_card(
        self, file: int, key: bytes, card: CardRow, before: tuple[int, bytes] | None
    ) -> None:
        """`before`: the row of its words until now, and their digest; words that stayed keep it."""
        titles = () if card.lists[2] == "[]" else json.loads(card.lists[2])
        names = {card.id, *card.items}
        self.names |= names
        _, cards, name_rows, tag_rows, calls, word_rows = self._rows.values()
        if before is None or before[1] != card.digest:
            self._last_words += 1
            before = self._last_words, card.digest
            word_rows.append((self._last_words, *card.words))
        deck = self._deck(card.course, key[: key.rfind(b"\0") + 1])
        row = (file, card.id, deck, card.type, card.status, card.difficulty, card.points)
        cards.append((*row, *card.lists, card.line, card.added, *before))
        name_rows += [(name, file) for name in names]
        tag_rows += [(sql_text(tag), file) for tag in card.tags]
        calls += _calls(card.id, key, titles, file)

    def _deck(self, course: str, folder: bytes) -> int:
        """The number of the deck that holds a card."""
        known = self._decks.get((course, folder))
        if known is None:
            names = deck_names(course, key_parts(folder)[:-1], self.root)
            row = (listed((course,)), listed(names))
            self.db.execute("INSERT OR IGNORE INTO deck (course, path) VALUES (?, ?)", row)
            sql = "SELECT deck FROM deck WHERE course = ? AND path = ?"
            known = self._decks[course, folder] = first_value(self.db, int, sql, *row) or 0
        return known


_PUT = (
    "INSERT INTO file VALUES (?, ?, ?, ?, ?, ?, ?)",
    f"INSERT INTO card VALUES ({'?, ' * 16}NULL)",
    "INSERT INTO name VALUES (?, ?)",
    "INSERT OR IGNORE INTO tag VALUES (?, ?)",
    "INSERT OR IGNORE INTO called VALUES (?, ?, ?)",
)
_PUT_WORDS = "INSERT INTO words (rowid, question, solution, rest) VALUES (?, ?, ?, ?)"


_RESTATED = (
    "UPDATE file SET size = -1, mtime = -1, inode = -1, digest = ? WHERE key = ? AND digest = ?"
)
_STATUS = "UPDATE card SET status = ? WHERE card = ?"
_MINE = "UPDATE item SET mine = :mine WHERE card = :card AND mine != :mine"
_MARK = """
UPDATE item SET
    aside = mine OR EXISTS (SELECT 1 FROM held h WHERE h.item = item.item AND h.suspended),
    fresh = NOT mine AND NOT EXISTS (SELECT 1 FROM state s WHERE s.item = item.item)
        AND NOT EXISTS (SELECT 1 FROM held h WHERE h.item = item.item AND h.suspended)
WHERE card = ?
"""


def restate(store: Store, root: Path, status: str, change: TextChange) -> bool:
    """Takes up a file in which only the card's `status:` is another; whether the index knew the
    text before, and nothing else can be another.  The next scan looks into the file all the same.
    """
    key, before = path_key(change.path.relative_to(root).parts), change.seen or ""
    if not change.text.startswith(before.partition("\nid:")[0]):
        return False  # the id may be on another line now
    with store.writing() as db:
        known = _known(store, [key]).get(key)
        given = text_digest(change.text), key, text_digest(before)
        if known is None or db.execute(_RESTATED, given).rowcount == 0:
            return False
        if known.stamp[1] >= 0:  # the folder's sum leaves out what is to be looked into
            folder, file = file_of(key, known.stamp)
            db.execute(_SUM, (folder, -hash(file) & SUM))
        db.execute(_STATUS, (status, known.file))
        if db.execute(_MINE, {"mine": status == SUSPENDED, "card": known.file}).rowcount:
            db.execute(_MARK, (known.file,))
    return True


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
    said = [
        (list(each.path.relative_to(root).parts) if each.path else [], problem_text(each))
        for each in problems
    ]
    changed = store.note("folders", json.dumps(said))
    files, gone = _changed(store, found)
    found.clear()  # what is left is let go folder by folder
    count = sum(map(len, files.values()))
    return _apply(store, root, _looked_at(root, files), count, gone, progress) or changed


_Look = tuple[bytes, str, FileStamp]
"""A file that is not as the index has it: its key, its path, and its stamp now."""


def _looked_at(root: Path, files: Files) -> Iterator[_Look]:
    for folder in sorted(files):
        path, start = str(root.joinpath(*key_parts(folder))), len(folder)
        stamps = {file_key(folder, file[0]): file[1:] for file in files.pop(folder)}
        for key in sorted(stamps):
            yield key, f"{path}/{key[start:].decode('utf-8', 'surrogatepass')}", stamps[key]


def _changed(store: Store, found: Files) -> tuple[Files, list[bytes]]:
    """The files that are not as the index has them, and the keys of those that are gone.

    Of a folder whose sum is the known one, only those are compared that the sum leaves out.
    """
    sums, young = dict(store.db.execute("SELECT folder, sum FROM folder")), dict[bytes, _Stamps]()
    for folder, name, stamp in _known_files(store, "mtime < 0"):
        young.setdefault(folder, {})[name] = stamp
    changed, gone, wrong = Files(), list[bytes](), []
    for folder in {*found, *sums, *young}:
        files, known = found.get(folder, []), young.get(folder, {})
        settled = [file for file in files if file[0] not in known] if known else files
        total, noted = sum_of(settled), sums.get(folder, 0)
        if total != noted:
            end = folder[:-1] + b"\1" if folder else b"\xff"  # with the folders below it
            rows = _known_files(store, "key >= ? AND key < ?", folder, end)
            known = {name: stamp for begin, name, stamp in rows if begin == folder}
        elif known:
            files = [file for file in files if file[0] in known]
        else:
            continue
        others = [f for f in files if known.get(f[0]) != f[1:] or f[1:] == NO_STAMP]
        lost = [file_key(folder, name) for name in known.keys() - {file[0] for file in files}]
        if total != noted and not (others or lost):
            wrong.append((total, folder, noted))
        if others:
            changed[folder] = others
        gone += lost
    if wrong:  # another version of Python may have another hash
        with store.writing() as db:
            db.executemany("UPDATE folder SET sum = ? WHERE folder = ? AND sum = ?", wrong)
    return changed, gone


_Stamps = dict[int, FileStamp]
"""By the names of a folder's files, as numbers."""


def _known_files(store: Store, where: str, *given: bytes) -> Iterator[tuple[bytes, int, FileStamp]]:
    """Files of the index: folder, name, stamp."""
    sql = f"SELECT key, size, mtime, inode FROM file WHERE {where}"
    for key, size, mtime, inode in store.db.execute(sql, given):
        folder, file = file_of(key, (size, mtime, inode))
        yield folder, file[0], file[1:]


def scan_files(store: Store, root: Path, paths: Iterable[Path]) -> bool:
    """Takes up a change of these files only; whether there was one.

    While the folder itself is gone (a disk that was pulled out), all stays as it was read.
    """
    if not root.is_dir():
        return False
    wanted, gone, real = list[_Look](), list[bytes](), os.path.realpath(root)
    for path in dict.fromkeys(paths):
        key = path_key(path.relative_to(root).parts)
        known = _known(store, [key]).get(key)
        linked = os.path.realpath(path) != os.path.join(real, path.relative_to(root))  # noqa: PTH118
        if linked and (known is None or leads_out(path, root)):
            return scan(store, root, silent)  # the walk says what links lead to
        stamp = stamp_of(path)
        if os.path.lexists(path) and not path.is_dir():
            if known is None or known.stamp != stamp or stamp == NO_STAMP:
                wanted.append((key, str(path), stamp))
        elif known is not None:
            gone.append(key)
    return _apply(store, root, wanted, len(wanted), gone, silent)


def _known(store: Store, keys: Sequence[bytes]) -> dict[bytes, KnownFile]:
    """Those of the files that the index has."""
    sql = "SELECT key, file, size, mtime, inode, digest, problem FROM file WHERE key IN"
    rows = rows_of(store.db, sql, keys)
    return {row[0]: KnownFile(row[1], row[2:5], *row[5:]) for row in rows}


def _apply(
    store: Store,
    root: Path,
    wanted: Iterable[_Look],
    count: int,
    gone: Sequence[bytes],
    progress: Progress,
) -> bool:
    """Reads `wanted`, so many files.  A few are one change; many come in chunks, each complete."""
    if not count and not gone:
        return False
    from deck.index.card_rows import read_files  # which most starts need not

    bulk, (ahead, chunks) = count >= SPREAD, tee(_chunks(store, wanted))
    requests = ([(w.path, w.known.digest if w.known else b"-") for w in part] for part in ahead)
    read: Iterable[list[FileRow | None]] = store.workers.answers(read_files, requests, bulk)
    if not bulk:
        read = list(read)  # before the lock
    change, done = CardWriter(store, root), 0
    with store.bulk() if bulk else store.writing():
        for rows, part in zip(read, chunks, strict=True):
            with _whole(store, change):
                change.put(part, rows)
            done += len(rows)
            if bulk:
                progress("cards", done, count)
        with _whole(store, change):
            change.forget(gone)
    return change.any


def _chunks(store: Store, wanted: Iterable[_Look]) -> Iterator[list[ChangedFile]]:
    rest = iter(wanted)
    while part := list(islice(rest, CHUNK)):
        known = _known(store, [key for key, _, _ in part])
        yield [ChangedFile(*each, known.get(each[0])) for each in part]


@contextmanager
def _whole(store: Store, change: CardWriter) -> Iterator[None]:
    """Commits files together with their cards' items: whenever the program is killed, the next scan
    reads what is missing."""
    with store.writing():
        yield
        change.finish()


# Cards out of the index: who is where, and what is known without reading a file.

_OUTLINES = """
SELECT f.key, c.id, d.course, c.type, c.status, c.difficulty, c.points, c.tags, c.items,
       c.card, t.id
FROM card c JOIN file f ON f.file = c.card JOIN deck d ON d.deck = c.deck
JOIN item i ON i.card = c.card JOIN thing t ON t.item = i.item WHERE t.id IN
"""
_SUMMARIES = """
SELECT t.id, c.id, d.course, c.status FROM thing t JOIN item i ON i.item = t.item
JOIN card c ON c.card = i.card JOIN deck d ON d.deck = i.deck WHERE t.id IN
"""
_CLASHES = """
SELECT f.key, c.line, c.clash FROM card c JOIN file f ON f.file = c.card
WHERE c.clash IS NOT NULL
"""
_OF_CARDS = "FROM card c JOIN file f ON f.file = c.card WHERE c.clash IS NULL"


class CardSummary(NamedTuple):
    """What an answer must know of its item's card."""

    card_id: str
    course: str
    status: str


def problems_of(store: Store, root: Path) -> tuple[Problem, ...]:
    """Of folders, then of files in the order of their paths."""
    said = json.loads(store.noted("folders") or "[]")
    problems = [read_problem(root.joinpath(*parts), text) for parts, text in said]
    rows = store.db.execute("SELECT key, problem FROM file WHERE problem IS NOT NULL")
    found = [(key, read_problem(root.joinpath(*key_parts(key)), text)) for key, text in rows]
    for key, line, clash in store.db.execute(_CLASHES):
        name, first = json.loads(clash)
        message = f"The id {name!a} is already used by {root.joinpath(*first)}."
        hint = (
            "Give one of the two cards another id; until then only the first is studied. "
            "Of a copy that a sync tool made, `deltadeck sync` lets you choose."
        )
        found.append((key, broken(root.joinpath(*key_parts(key)), message, hint, line)))
    return (*problems, *(problem for _, problem in sorted(found, key=lambda each: each[0])))


def outlines(db: sqlite3.Connection, root: Path, items: Sequence[str]) -> dict[str, Card]:
    """The cards of these items by item, all but their texts; what no card has is left out."""
    names = list(map(sql_text, items))
    found = {item: (card, row) for *row, card, item in rows_of(db, _OUTLINES, names)}
    cards = {card: _outline(row, root) for card, row in found.values()}
    return {
        item: cards[found[name][0]]
        for item, name in zip(items, names, strict=True)
        if name in found
    }


def _outline(row: Sequence[Any], root: Path) -> Card:
    key, card_id, course, kind, status, difficulty, points, tags, items = row
    return Card(
        id=card_id,
        question="",
        solution="",
        course=json.loads(course)[0],
        tags=tuple(json.loads(tags)),
        difficulty=difficulty,
        type=kind,
        status=status,
        points=points,
        items=tuple(Item(item, "", "") for item in json.loads(items)),
        path=root.joinpath(*key_parts(key)),
    )


def summaries_of(db: sqlite3.Connection, items: Sequence[str]) -> dict[str, CardSummary]:
    """By item, of those that there are."""
    course = lru_cache(json.loads)
    return {
        plain_text(item): CardSummary(card, course(courses)[0], status)
        for item, card, courses, status in rows_of(db, _SUMMARIES, list(map(sql_text, items)))
    }


def card_ids(db: sqlite3.Connection) -> list[str]:
    """In the order of their files."""
    return [row[0] for row in db.execute(f"SELECT c.id {_OF_CARDS} ORDER BY f.key")]


def item_ids(db: sqlite3.Connection) -> list[str]:
    """In the order of their files."""
    sql = "SELECT t.id FROM item i JOIN thing t ON t.item = i.item ORDER BY i.key, i.place"
    return [row[0] for row in db.execute(sql)]


def key_of_card(db: sqlite3.Connection, card_id: str) -> bytes | None:
    return first_value(db, bytes, f"SELECT f.key {_OF_CARDS} AND c.id = ?", card_id)


def key_of_item(db: sqlite3.Connection, item_id: str) -> bytes | None:
    sql = "SELECT i.key FROM thing t JOIN item i ON i.item = t.item WHERE t.id = ?"
    return first_value(db, bytes, sql, item_id)


def card_in(db: sqlite3.Connection, key: bytes) -> str | None:
    """The id of the card in a file."""
    return first_value(db, str, f"SELECT c.id {_OF_CARDS} AND f.key = ?", key)


# The items in the order of their files, remembered for whoever searches again.

_ALL = """
SELECT i.item, i.words, t.id FROM item i JOIN thing t ON t.item = i.item ORDER BY i.key, i.place
"""
_SOME = """
SELECT t.id FROM item i JOIN thing t ON t.item = i.item
WHERE i.{} IN (SELECT value FROM json_each(?)) ORDER BY i.key, i.place
"""
#: For more items than these, all are read at once.
_MANY = 20_000
#: From such a share of all on, marking is quicker than sorting.
_SHARE = 8


class ItemSet(NamedTuple):
    """Items, by their numbers, or by the rows of their cards' words."""

    by: Literal["item", "words"]
    numbers: list[int]

    def items(self, db: sqlite3.Connection) -> list[int]:
        """The numbers of the items, in no order."""
        if self.by == "item":
            return self.numbers
        sql = "SELECT item FROM item WHERE words IN (SELECT value FROM json_each(?))"
        return [row[0] for row in db.execute(sql, (json.dumps(self.numbers),))]


class Order:
    """Items to ids, sorted.  What a second search would ask again is kept: ids and places of a
    hundred thousand items take nine megabytes."""

    def __init__(self) -> None:
        self._state: Hashable = None
        self._asked = 0
        self._ids: list[str] = []
        self._items: array[int] = array("l")
        """Item to place."""
        self._words: array[int] = array("l")
        """Row of words to the place of the first item of its card; -1 of a row that is old."""
        self._several: dict[int, int] = {}
        """That place to how many items the card has, where it has several."""

    def ids(self, db: sqlite3.Connection, chosen: ItemSet | None, state: Hashable) -> list[str]:
        """The ids (None: of all items) in the order of the files; `state` is another value whenever
        there may be other items."""
        if state != self._state:
            self._state, self._asked, self._ids = state, 0, []
        self._asked += 1
        if not self._ids and chosen and self._asked == 1 and len(chosen.numbers) <= _MANY:
            rows = db.execute(_SOME.format(chosen.by), (json.dumps(chosen.numbers),))
            return [plain_text(row[0]) for row in rows]
        if not self._ids:
            self._read(db)
        ids = self._ids
        if chosen is None:
            return list(ids)
        if chosen.by == "item":
            places = list(map(self._items.__getitem__, chosen.numbers))
        else:
            places = [place for place in map(self._words.__getitem__, chosen.numbers) if place >= 0]
            if self._several:
                more = ((place, place + self._several.get(place, 1)) for place in places)
                places = [place for begin, end in more for place in range(begin, end)]
        if len(chosen.numbers) * _SHARE < len(ids):
            return [ids[place] for place in sorted(places)]
        flags = bytearray(len(ids))
        for place in places:
            flags[place] = 1
        return list(compress(ids, flags))

    def _read(self, db: sqlite3.Connection) -> None:
        rows = db.execute(_ALL).fetchall()
        last = first_value(db, int, "SELECT max(rowid) FROM words") or 0
        self._ids = [plain_text(row[2]) for row in rows]
        self._items = array("l", [0]) * (1 + max((row[0] for row in rows), default=0))
        self._words = array("l", [-1]) * (1 + last)
        self._several = {}
        for place, (item, words, _) in enumerate(rows):
            self._items[item] = place
            first = self._words[words]
            if first < 0:
                self._words[words] = place
            else:
                self._several[first] = place - first + 1


# Items in another order than that of their files.

By = Literal["files", "due", "stability", "difficulty", "added"]
"""due: what comes first; stability: the weakest memory first; difficulty: the hardest first; added:
the newest card first."""

_DAY = 86_400_000
#: The ordinal of 1 January 1970; a learning step's `due` is a time, a review's a study day.
_EPOCH = 719_163
_OF_STATES = "SELECT t.id, {} FROM state s JOIN thing t ON t.item = s.item"
_RANKS = {
    "due": _OF_STATES.format(
        f"CASE WHEN s.learning THEN s.due / {_DAY}.0 + {_EPOCH} ELSE s.due END"
    ),
    "stability": _OF_STATES.format("s.stability"),
    "difficulty": _OF_STATES.format("-s.difficulty"),
    "added": f"""
        SELECT t.id, -coalesce(c.added, f.mtime / {_DAY}000000 + {_EPOCH}) FROM item i
        JOIN thing t ON t.item = i.item JOIN card c ON c.card = i.card
        JOIN file f ON f.file = c.card
    """,
}


def arranged(db: sqlite3.Connection, items: list[str], by: By) -> list[str]:
    """The items, sorted; what has no such number comes last, and what is alike stays as it was."""
    if by == "files":
        return items
    ranks = {plain_text(item): float(rank) for item, rank in db.execute(_RANKS[by])}
    return sorted(items, key=lambda item: ranks.get(item, inf))


# When cards were written, as far as that can be told, out of the index.

_CARD_DATES = """
SELECT c.card, t.id, c.added, f.mtime, f.key, p.first FROM item i
JOIN thing t ON t.item = i.item JOIN card c ON c.card = i.card JOIN file f ON f.file = c.card
LEFT JOIN past p ON p.item = i.item
"""


def added(db: sqlite3.Connection, root: Path, chosen: Collection[str] | None) -> Counter[date]:
    """Cards by the day they were added: those with an item in `chosen` (None: all).

    A card that names no day was there when its file last changed and when it was first answered:
    the earlier of the two stands for it.
    """
    names = None if chosen is None else set(chosen)
    days: dict[int, int] = {}
    for card, item, said, mtime, key, answered in db.execute(_CARD_DATES):
        if names is not None and plain_text(item) not in names:
            continue
        if mtime < 0:  # the index keeps no time of a file that had only just changed
            mtime = stamp_of(root.joinpath(*key_parts(key)))[1]
        changed = datetime.fromtimestamp(max(mtime, 0) / 10**9).date().toordinal()
        day = said or min(changed, answered or date.max.toordinal())
        days[card] = min(day, days.get(card, day))
    return Counter(date.fromordinal(day) for day in days.values())
