"""The tally of all answers (deck/stats/tally.py), kept in the index and brought up when asked for.

`sight` says of each answer what the item was then, and which recall the model predicted: so that
an item whose events changed can be taken out of the sums and put in again, and the answers of some
items alone can be summed.  The tables are made at the first question; triggers note what changes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

from deck.config import Config
from deck.event import Days, Promise, Step
from deck.fold import take, unique
from deck.index.codec import moment, plain_text
from deck.index.events import COLUMNS, models_of, read_row
from deck.index.present import INDEXES
from deck.index.progress import Progress, silent
from deck.index.store import Store
from deck.line import read_line
from deck.stats.tally import KINDS, Cell, Predicted, Share, Sum, Tally, class_of, sight, surprise
from deck.track import Track

_TABLES = f"""
{INDEXES}
CREATE TABLE IF NOT EXISTS sight (
    item INTEGER, number INTEGER, day INTEGER, hour INTEGER, kind INTEGER, rating INTEGER,
    took INTEGER, chance REAL, PRIMARY KEY (item, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS cell (
    day INTEGER, kind INTEGER, rating INTEGER, answers INTEGER, took INTEGER,
    PRIMARY KEY (day, kind, rating)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS hour (
    day INTEGER, hour INTEGER, recalled INTEGER, answers INTEGER,
    PRIMARY KEY (hour, day)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS class (
    day INTEGER, class INTEGER, answers INTEGER, recalled INTEGER, predicted REAL, loss REAL,
    PRIMARY KEY (class, day)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS unseen (item INTEGER PRIMARY KEY);
CREATE INDEX IF NOT EXISTS event_line ON event (day) WHERE line IS NOT NULL;
CREATE TRIGGER IF NOT EXISTS item_unseen AFTER DELETE ON unfolded
    BEGIN INSERT OR IGNORE INTO unseen VALUES (old.item); END;
CREATE TRIGGER IF NOT EXISTS all_unseen AFTER INSERT ON meta WHEN new.name = 'fold'
    BEGIN DELETE FROM meta WHERE name = 'sight'; END;
"""
_OF = """
SELECT {item}, {columns} FROM event e JOIN thing t ON t.item = e.item WHERE e.item > 0 {these}
UNION ALL
SELECT a.item, {columns} FROM also a JOIN event e ON e.event = a.event
JOIN thing t ON t.item = e.item WHERE e.item != a.item {those}
ORDER BY 1, 2
"""
_EVERY = _OF.format(item="e.item", columns=COLUMNS, these="", those="")
_SOME = _OF.format(
    item="e.item",
    columns=COLUMNS,
    these="AND e.item IN (SELECT item FROM unseen)",
    those="AND a.item IN (SELECT item FROM unseen)",
)
#: So many rows are put in at once.
_MANY = 20_000
#: Places of kinds whose ratings say whether the model was right.
_REVIEWS = KINDS.index("young")

#: day, hour, kind, rating, took, chance
Seen = tuple[int, int, int, int, int, float | None]


def bring_up(store: Store, config: Config, progress: Progress = silent) -> None:
    """Counts what is not counted yet: everything once, then the items whose events changed."""
    db = store.db
    with store.writing():
        if store.noted("sight"):
            if db.execute("SELECT 1 FROM unseen LIMIT 1").fetchone():
                _again(db, config)
            return
        for sql in _statements():
            db.execute(sql)
        for table in ("sight", "cell", "hour", "class", "unseen"):
            db.execute(f"DELETE FROM {table}")
        total = db.execute("SELECT count(*) FROM event").fetchone()[0]
        sums, done = _Sums(), 0
        rows = _seen(db, _EVERY, config)
        while part := list(islice(rows, _MANY)):
            _keep(db, part)
            for row in part:
                sums.add(row[2:], 1)
            done += len(part)
            progress("statistics", min(done, total), total)
        sums.put(db)
        db.execute("INSERT OR REPLACE INTO meta VALUES ('sight', '1')")


def part(db: sqlite3.Connection, items: Iterable[int]) -> Tally:
    """The tally of the answers to some items."""
    sums = _Sums()
    sql = "SELECT day, hour, kind, rating, took, chance FROM sight WHERE item = ?"
    for item in items:
        for row in db.execute(sql, (item,)):
            sums.add(row, 1)
    return sums.tally()


class _Sums:
    """What the tables `cell`, `hour` and `class` say, by their keys."""

    def __init__(self) -> None:
        self.cells: dict[tuple[int, int, int], list[int]] = {}
        self.hours: dict[tuple[int, int], list[int]] = {}
        self.classes: dict[tuple[int, int], list[float]] = {}

    def add(self, seen: Seen, sign: int) -> None:
        day, hour, kind, rating, took, chance = seen
        cell = self.cells.setdefault((day, kind, rating), [0, 0])
        cell[0] += sign
        cell[1] += sign * took
        if kind < _REVIEWS:
            return
        recalled = rating > 1
        share = self.hours.setdefault((day, hour), [0, 0])
        share[0] += sign * recalled
        share[1] += sign
        if chance is not None:
            found = self.classes.setdefault((day, class_of(chance)), [0, 0, 0.0, 0.0])
            found[0] += sign
            found[1] += sign * recalled
            found[2] += sign * chance
            found[3] += sign * surprise(chance, recalled)

    def put(self, db: sqlite3.Connection) -> None:
        """Adds the sums to those of the tables."""
        for table, sums in (("cell", self.cells), ("hour", self.hours), ("class", self.classes)):
            names = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
            keys = 3 if table == "cell" else 2
            more = ", ".join(f"{name} = {name} + excluded.{name}" for name in names[keys:])
            sql = (
                f"INSERT INTO {table} VALUES ({', '.join('?' * len(names))})"
                f" ON CONFLICT ({', '.join(names[:keys])}) DO UPDATE SET {more}"
            )
            db.executemany(sql, [(*key, *values) for key, values in sums.items()])
            db.execute(f"DELETE FROM {table} WHERE answers = 0")

    def tally(self) -> Tally:
        day, tally = date.fromordinal, Tally()
        for (ordinal, kind, rating), (answers, took) in self.cells.items():
            tally.cells[Cell(day(ordinal), KINDS[kind], rating)] = Sum(answers, took)
        for (ordinal, hour), (recalled, answers) in self.hours.items():
            tally.hours[day(ordinal), hour] = Share(recalled, answers)
        for (ordinal, number), values in self.classes.items():
            found = Predicted(int(values[0]), int(values[1]), values[2], values[3])
            tally.classes[day(ordinal), number] = found
        return tally


def _statements() -> Iterator[str]:
    """One by one: `executescript` would end the transaction."""
    statement = ""
    for line in _TABLES.splitlines():
        statement += line + "\n"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _again(db: sqlite3.Connection, config: Config) -> None:
    """Takes the items that changed out of the sums, and puts them in as they are now."""
    sums = _Sums()
    before = "SELECT day, hour, kind, rating, took, chance FROM sight WHERE item IN "
    for row in db.execute(before + "(SELECT item FROM unseen)"):
        sums.add(row, -1)
    db.execute("DELETE FROM sight WHERE item IN (SELECT item FROM unseen)")
    rows = list(_seen(db, _SOME, config))
    for row in rows:
        sums.add(row[2:], 1)
    _keep(db, rows)
    sums.put(db)
    db.execute("DELETE FROM unseen")


def _keep(db: sqlite3.Connection, rows: list[tuple[Any, ...]]) -> None:
    db.executemany("INSERT INTO sight VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)


def _seen(db: sqlite3.Connection, sql: str, config: Config) -> Iterator[tuple[Any, ...]]:
    """The rows of `sight`, item by item."""
    undone = {row[0] for row in db.execute("SELECT target FROM event WHERE target IS NOT NULL")}
    models, names = models_of(db), db.cursor()
    for item, found in groupby(db.execute(sql), key=itemgetter(0)):
        rows = [row[1:] for row in found]
        row = names.execute("SELECT id FROM thing WHERE item = ?", (item,)).fetchone()
        if len({row[0] for row in rows}) < len(rows):
            rows = _once(rows, models)
        track = Track(plain_text(row[0]), config)
        for number, seen in enumerate(_answers(rows, undone, track)):
            yield item, number, *seen


def _once(
    rows: list[tuple[Any, ...]], models: dict[int, tuple[str, str, str]]
) -> list[tuple[Any, ...]]:
    """Of rows with one id, the one that the fold takes."""
    events = [read_row(row, models) for row in rows]
    taken = {id(event) for event in unique(events)}
    return [row for row, event in zip(rows, events, strict=True) if id(event) in taken]


def _answers(rows: list[tuple[Any, ...]], undone: set[bytes], track: Track) -> Iterator[Seen]:
    for event_id, _, at, offset, ordinal, rating, took, _, step, days, _, line in rows:
        if event_id in undone:
            continue
        if rating is None:
            take(track, read_line(line))
            continue
        day = date.fromordinal(ordinal)
        kind, chance = sight(track, day)
        hour = (at // 60_000 + offset) // 60 % 24
        yield ordinal, hour, KINDS.index(kind), rating, took, chance
        track.answer(rating, moment(at), day, _promise(step, days))


def _promise(step: int | None, promise: float | None) -> Promise | None:
    if step is not None and promise is not None:
        return Step(step, timedelta(milliseconds=promise))
    return Days(int(promise)) if promise is not None else None
