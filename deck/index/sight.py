"""The tally of all answers (deck/stats/tally.py), kept in the index and brought up when asked for.

`sight` says of each answer what the item was then, and which recall the model predicted: so that
an item whose events changed can be taken out of the sums and put in again, and the answers of some
items alone can be summed.  The tables are made at the first question; triggers note what changes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

from deck.config import Config
from deck.index.present import INDEXES
from deck.index.progress import Progress, silent
from deck.index.seen import seen_anew
from deck.index.spread import each_stretch
from deck.index.store import Store
from deck.index.sums import Sums
from deck.stats.tally import Tally

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
#: From so many events on, other processes are worth their start.
_SPREAD = 20_000


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
        sums, done = Sums(), 0
        for counted in each_stretch(store, config, "seen", total >= _SPREAD):
            _keep(db, counted.rows)
            sums.merge(counted.sums)
            done += len(counted.rows)
            progress("statistics", min(done, total), total)
        sums.put(db)
        db.execute("INSERT OR REPLACE INTO meta VALUES ('sight', '1')")


def part(db: sqlite3.Connection, items: Iterable[int]) -> Tally:
    """The tally of the answers to some items."""
    sums = Sums()
    sql = "SELECT day, hour, kind, rating, took, chance FROM sight WHERE item = ?"
    for item in items:
        for row in db.execute(sql, (item,)):
            sums.add(row, 1)
    return sums.tally()


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
    sums = Sums()
    before = "SELECT day, hour, kind, rating, took, chance FROM sight WHERE item IN "
    for row in db.execute(before + "(SELECT item FROM unseen)"):
        sums.add(row, -1)
    db.execute("DELETE FROM sight WHERE item IN (SELECT item FROM unseen)")
    counted = seen_anew(db, config)
    sums.merge(counted.sums)
    _keep(db, counted.rows)
    sums.put(db)
    db.execute("DELETE FROM unseen")


def _keep(db: sqlite3.Connection, rows: list[tuple[Any, ...]]) -> None:
    db.executemany("INSERT INTO sight VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
