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
from itertools import compress, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from cards.files import leads_out
from cards.model import Card, Item, Problem
from cards.text import fold
from deck.decks import deck_names
from deck.errors import broken
from deck.files import NO_STAMP, File, FileStamp, key_parts, path_key, stamp_of, walk
from deck.index.candidates import all_decks, inside
from deck.index.codec import listed, plain_text, problem_text, read_problem, sql_text
from deck.index.store import Progress, Store, silent
from deck.journal import HIDES
from deck.replay import SUSPENDED

if TYPE_CHECKING:
    from deck.index.card_rows import CardRow, FileRow


_CALLED = """
SELECT c.id FROM called n JOIN card c ON c.card = n.card JOIN file f ON f.file = c.card
WHERE n.fold = ? AND c.clash IS NULL ORDER BY n.rank, f.key LIMIT 1
"""


def calls(card_id: str, key: bytes, titles: Iterable[str], card: int) -> list[tuple[str, int, int]]:
    """The rows of what a card may be called: by its id, its file's name, its titles and aliases.

    An id comes before a file's name, and that before a title.
    """
    stem = key_parts(key)[-1].rpartition(".")[0]
    named = [(card_id, 0), (stem, 1), *((title, 2) for title in titles)]
    return [(_folded(name), rank, card) for name, rank in named]


def called(db: sqlite3.Connection, name: str) -> str | None:
    """The id of the card that is called `name`; None where none is."""
    row = db.execute(_CALLED, (_folded(name),)).fetchone()
    return str(row[0]) if row else None


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
    sql = (
        "SELECT c.id FROM item i JOIN card c ON c.card = i.card WHERE i.deck IN"
        " (SELECT value FROM json_each(?)) ORDER BY i.key, i.place LIMIT 1"
    )
    row = db.execute(sql, (numbers,)).fetchone()
    return row[0] if row else None


# Which card has an id to itself: of several files with one id, the first in the order of paths.

#: A card that names no difficulty stands in the middle of 1..5.
_MIDDLE = 3

_CARDS = """
SELECT c.card, f.key, c.id, c.items, c.deck, c.status, c.difficulty, c.words
FROM card c JOIN file f ON f.file = c.card
"""
_NAMED = f"""
{_CARDS} WHERE c.card IN
    (SELECT card FROM name WHERE name IN (SELECT value FROM json_each(?)))
"""
_PUT_ITEM = """
INSERT INTO item
SELECT t.item, :card, :place, :key, :deck, :difficulty, :several,
       :aside, :aside OR coalesce(h.suspended, 0),
       NOT (:aside OR coalesce(h.suspended, 0)) AND s.item IS NULL, :words
FROM thing t LEFT JOIN held h ON h.item = t.item LEFT JOIN state s ON s.item = t.item
WHERE t.id = :id
"""


class _Card(NamedTuple):
    card: int
    key: bytes
    id: str
    items: tuple[str, ...]
    deck: int
    status: str
    difficulty: int | None
    words: int

    @property
    def names(self) -> set[str]:
        return {self.id, *self.items}


def settle(store: Store, names: set[str]) -> None:
    """Gives each of these names to the first card that has it, with its items."""
    db = store.db
    rivals = _sharing(db, names)
    numbers = [(rival.card,) for rival in rivals]
    db.executemany("DELETE FROM item WHERE card = ?", numbers)
    db.executemany("UPDATE card SET clash = NULL WHERE card = ? AND clash IS NOT NULL", numbers)
    _put_items(db, _first_come(db, rivals))


def _clash_problem(root: Path, key: bytes, line: int, clash: str) -> Problem:
    """What is said of a card whose id is another's."""
    name, first = json.loads(clash)
    message = f"The id {name!a} is already used by {root.joinpath(*first)}."
    hint = (
        "Give one of the two cards another id; until then only the first is studied. "
        "Of a copy that a sync tool made, `deltadeck sync` lets you choose."
    )
    return broken(root.joinpath(*key_parts(key)), message, hint, line)


def _sharing(db: sqlite3.Connection, names: set[str]) -> list[_Card]:
    """The cards with one of these names, and those that share any other name with such a card."""
    waiting, seen = names, set(names)
    cards: dict[int, _Card] = {}
    while waiting:
        found = map(_card, db.execute(_NAMED, (json.dumps(list(waiting)),)))
        new = {card.card: card for card in found if card.card not in cards}
        cards |= new
        waiting = {name for card in new.values() for name in card.names} - seen
        seen |= waiting
    return sorted(cards.values(), key=lambda card: card.key)


def _first_come(db: sqlite3.Connection, rivals: list[_Card]) -> list[_Card]:
    """Those of `rivals` that get their names; on the others it is noted who has them."""
    owners: dict[str, _Card] = {}
    winners = []
    for card in rivals:
        taken = next((item for item in card.items if item in owners), None)
        first = owners.get(card.id) or (owners[taken] if taken else None)
        if first is None:
            owners |= dict.fromkeys(card.names, card)
            winners.append(card)
        else:
            clash = json.dumps([taken or card.id, key_parts(first.key)])
            db.execute("UPDATE card SET clash = ? WHERE card = ?", (clash, card.card))
    return winners


def _put_items(db: sqlite3.Connection, cards: Iterable[_Card]) -> None:
    rows = (
        {
            "id": item,
            "card": card.card,
            "place": place,
            "key": card.key,
            "deck": card.deck,
            "difficulty": card.difficulty or _MIDDLE,
            "several": len(card.items) > 1,
            "aside": card.status == SUSPENDED,
            "words": card.words,
        }
        for card in cards
        for place, item in enumerate(card.items)
    )
    while part := list(islice(rows, 1000)):
        ids = [(row["id"],) for row in part]
        db.executemany("INSERT OR IGNORE INTO thing (id) VALUES (?)", ids)
        db.executemany(_PUT_ITEM, part)


def _card(row: tuple[Any, ...]) -> _Card:
    card, key, card_id, items, *rest = row
    return _Card(card, key, card_id, tuple(json.loads(items)), *rest)


# What was read of card files, on its way into the index; what they said before, on its way out.

_NEW_FILE = """INSERT OR IGNORE INTO file (key, size, mtime, inode, digest, problem)
VALUES (?, ?, ?, ?, ?, ?)"""


class KnownFile(NamedTuple):
    """A file as the index has it."""

    file: int
    stamp: FileStamp
    digest: bytes


class ChangedFile(NamedTuple):
    """A file that must be looked into."""

    key: bytes
    path: str
    stamp: FileStamp
    known: KnownFile | None


class CardWriter:
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

    def put(self, wanted: Sequence[ChangedFile], rows: Sequence[FileRow | None]) -> None:
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

    def _put_file(self, each: ChangedFile, stamp: FileStamp, row: FileRow) -> int:
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


def _wanted(store: Store, root: Path, row: File, is_known: bool) -> ChangedFile:
    key, stamp = row[0], row[1:]
    path = str(root.joinpath(*key_parts(key)))
    return ChangedFile(key, path, stamp, _known(store, key) if is_known else None)


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
                wanted.append(ChangedFile(key, str(path), stamp, known))
        elif known is not None:
            gone.append(known.file)
    return _apply(store, root, wanted, gone, silent)


def _known(store: Store, key: bytes) -> KnownFile | None:
    row = store.db.execute(
        "SELECT file, size, mtime, inode, digest FROM file WHERE key = ?", (key,)
    ).fetchone()
    return KnownFile(row[0], row[1:4], row[4]) if row else None


def _apply(
    store: Store, root: Path, wanted: Sequence[ChangedFile], gone: list[int], progress: Progress
) -> bool:
    """Reads what is wanted.  A few files are one change; many come in chunks, each complete."""
    if not wanted and not gone:
        return False
    from deck.index.card_rows import read_files  # with the parser, which most starts need not

    bulk = len(wanted) >= SPREAD
    chunks = [wanted[at : at + CHUNK] for at in range(0, len(wanted), CHUNK)]
    requests = [[(w.path, w.known.digest if w.known else b"-") for w in part] for part in chunks]
    read = store.workers.answers(read_files, requests, bulk)
    change = CardWriter(store, root)
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
def _whole(store: Store, change: CardWriter) -> Iterator[None]:
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


# Cards out of the index: who is where, and what is known without reading a file.

_SELECTED = (
    "SELECT f.key, c.id, d.course, c.type, c.status, c.difficulty, c.points, c.tags, c.items"
)
_FROM = "FROM card c JOIN file f ON f.file = c.card JOIN deck d ON d.deck = c.deck"
_OUTLINE = f"{_SELECTED} {_FROM}"
#: Items that one question asks for.
_TOGETHER = 500

_SUMMARY = """
SELECT c.id, d.course, c.status FROM thing t JOIN item i ON i.item = t.item
JOIN card c ON c.card = i.card JOIN deck d ON d.deck = i.deck WHERE t.id = ?
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
    found += [(row[0], _clash_problem(root, *row)) for row in store.db.execute(_CLASHES)]
    return (*problems, *(problem for _, problem in sorted(found, key=lambda each: each[0])))


def outline_of_item(db: sqlite3.Connection, root: Path, item_id: str) -> Card | None:
    """The item's card, all but its texts."""
    sql = f"{_OUTLINE} JOIN item i ON i.card = c.card JOIN thing t ON t.item = i.item"
    row = db.execute(f"{sql} WHERE t.id = ?", (sql_text(item_id),)).fetchone()
    return _outline(row, root) if row else None


def outline_of_card(db: sqlite3.Connection, root: Path, card_id: str) -> Card | None:
    row = db.execute(f"{_OUTLINE} WHERE c.id = ? AND c.clash IS NULL", (card_id,)).fetchone()
    return _outline(row, root) if row else None


def outlines(db: sqlite3.Connection, root: Path, items: Sequence[str]) -> Iterator[Card]:
    """The cards of these items, all but their texts: each once, where its first item stands."""
    seen: set[int] = set()
    sql = f"{_SELECTED}, c.card, t.id {_FROM} JOIN item i ON i.card = c.card"
    for at in range(0, len(items), _TOGETHER):
        names = [sql_text(item) for item in items[at : at + _TOGETHER]]
        chosen = f"JOIN thing t ON t.item = i.item WHERE t.id IN ({', '.join('?' * len(names))})"
        found = {row[-1]: row[:-1] for row in db.execute(f"{sql} {chosen}", names)}
        for name in names:
            row = found.get(name)
            if row is not None and row[-1] not in seen:
                seen.add(row[-1])
                yield _outline(row[:-1], root)


def _outline(row: tuple[Any, ...], root: Path) -> Card:
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


def summary_of(db: sqlite3.Connection, item_id: str) -> CardSummary | None:
    row = db.execute(_SUMMARY, (sql_text(item_id),)).fetchone()
    return CardSummary(row[0], json.loads(row[1])[0], row[2]) if row else None


def card_ids(db: sqlite3.Connection) -> list[str]:
    """In the order of their files."""
    return [row[0] for row in db.execute(f"SELECT c.id {_OF_CARDS} ORDER BY f.key")]


def item_ids(db: sqlite3.Connection) -> list[str]:
    """In the order of their files."""
    sql = "SELECT t.id FROM item i JOIN thing t ON t.item = i.item ORDER BY i.key, i.place"
    return [row[0] for row in db.execute(sql)]


def key_of_card(db: sqlite3.Connection, card_id: str) -> bytes | None:
    row = db.execute(f"SELECT f.key {_OF_CARDS} AND c.id = ?", (card_id,)).fetchone()
    return row[0] if row else None


def key_of_item(db: sqlite3.Connection, item_id: str) -> bytes | None:
    sql = "SELECT i.key FROM thing t JOIN item i ON i.item = t.item WHERE t.id = ?"
    row = db.execute(sql, (item_id,)).fetchone()
    return row[0] if row else None


def card_in(db: sqlite3.Connection, key: bytes) -> str | None:
    """The id of the card in a file."""
    row = db.execute(f"SELECT c.id {_OF_CARDS} AND f.key = ?", (key,)).fetchone()
    return row[0] if row else None


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


class Chosen(NamedTuple):
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

    def ids(self, db: sqlite3.Connection, chosen: Chosen | None, state: Hashable) -> list[str]:
        """The ids (None: of all items) in the order of the files; `state` is another value whenever
        there may be other items."""
        if state != self._state:
            self._state, self._asked, self._ids = state, 0, []
        self._asked += 1
        much = chosen is None or self._asked > 1 or len(chosen.numbers) > _MANY
        if not self._ids and much:
            self._read(db)
        if chosen is None:
            return list(self._ids)
        if not self._ids:
            rows = db.execute(_SOME.format(chosen.by), (json.dumps(chosen.numbers),))
            return [plain_text(row[0]) for row in rows]
        ids, places = self._ids, self._places(chosen)
        if len(chosen.numbers) * _SHARE < len(ids):
            return [ids[place] for place in sorted(places)]
        flags = bytearray(len(ids))
        for place in places:
            flags[place] = 1
        return list(compress(ids, flags))

    def _places(self, chosen: Chosen) -> Iterable[int]:
        if chosen.by == "item":
            return map(self._items.__getitem__, chosen.numbers)
        found = [place for place in map(self._words.__getitem__, chosen.numbers) if place >= 0]
        if not self._several:
            return found
        return [p for first in found for p in range(first, first + self._several.get(first, 1))]

    def _read(self, db: sqlite3.Connection) -> None:
        rows = db.execute(_ALL).fetchall()
        last = db.execute("SELECT coalesce(max(rowid), 0) FROM words").fetchone()[0]
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
    last = float("inf")
    return sorted(items, key=lambda item: ranks.get(item, last))


# When cards were written, as far as that can be told, out of the index.

_CARD_DATES = """
SELECT c.card, t.id, c.added, f.mtime, f.key, s.day FROM item i
JOIN thing t ON t.item = i.item JOIN card c ON c.card = i.card JOIN file f ON f.file = c.card
LEFT JOIN sight s ON s.item = i.item AND s.number = 0
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
        day = said or min(_file_day(mtime, root, key), answered or date.max.toordinal())
        days[card] = min(day, days.get(card, day))
    return Counter(date.fromordinal(day) for day in days.values())


def _file_day(mtime: int, root: Path, key: bytes) -> int:
    """Of a file that had only just changed when it was read, the index keeps no time."""
    if mtime < 0:
        mtime = stamp_of(root.joinpath(*key_parts(key)))[1]
    return datetime.fromtimestamp(max(mtime, 0) / 10**9).date().toordinal()
