"""Where each item stands, folded from the events of the index, and kept in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import fields
from itertools import groupby
from typing import Any

from deck.config import Config
from deck.event import Event
from deck.fold import Folded, replay_item, unique
from deck.index.codec import id_text, plain_text, read_event, state_row
from deck.index.files import Progress
from deck.index.store import Store
from deck.state import New
from deck.status import SUSPENDED

COLUMNS = (
    "e.id, t.id, e.at, e.offset, e.day, e.rating, e.took, e.model, e.step, e.promise,"
    " e.target, e.line"
)
_OF_ITEM = f"""
SELECT {COLUMNS} FROM event e JOIN thing t ON t.item = e.item WHERE e.item = :item
UNION ALL
SELECT {COLUMNS} FROM also a JOIN event e ON e.event = a.event JOIN thing t ON t.item = e.item
WHERE a.item = :item AND e.item != :item
ORDER BY 1
"""
_ALL = f"""
SELECT e.item, {COLUMNS} FROM event e JOIN thing t ON t.item = e.item
UNION ALL
SELECT a.item, {COLUMNS} FROM also a JOIN event e ON e.event = a.event
JOIN thing t ON t.item = e.item WHERE e.item != a.item
ORDER BY 1, 2
"""
_UNDONE = """
SELECT u.target FROM event e JOIN event u ON u.target = e.id WHERE e.item = :item
UNION ALL
SELECT u.target FROM also a JOIN event e ON e.event = a.event JOIN event u ON u.target = e.id
WHERE a.item = :item
"""
_PUT_STATE = f"INSERT OR REPLACE INTO state VALUES ({', '.join('?' * 11)})"
_MARK = f"""
UPDATE item SET aside = :suspended OR s.mine, fresh = NOT (:suspended OR s.mine) AND :new
FROM (SELECT status = '{SUSPENDED}' AS mine, card FROM card) s
WHERE item.item = :item AND s.card = item.card
"""
#: Items that are folded in one change of the index.
_MANY = 2000
#: Settings that no fold looks at.
_BESIDE = {
    *("new_per_day", "reviews_per_day", "write_status", "easy_days", "bury_siblings"),
    *("review_order", "new_order", "new_mix", "interleave", "minutes_per_day"),
    *("courses", "searches", "macros", "extra"),
}


def models_of(db: sqlite3.Connection) -> dict[int, tuple[str, str, str]]:
    """The models, parameters and statuses that reviews name by number."""
    rows = db.execute("SELECT model, name, parameters, status FROM model")
    return {
        number: (plain_text(name), plain_text(parameters), plain_text(status))
        for number, name, parameters, status in rows
    }


def events_of(db: sqlite3.Connection, item: int) -> list[Event]:
    """The events that concern an item, sorted by id, each once."""
    models = models_of(db)
    rows = db.execute(_OF_ITEM, {"item": item})
    return list(unique(read_row(row, models) for row in rows))


def undone_of(db: sqlite3.Connection, item: int) -> set[str]:
    """Those of the item's events that were taken back."""
    return {id_text(row[0]) for row in db.execute(_UNDONE, {"item": item})}


def unfolded(store: Store) -> int:
    """How many items are not as their events would have them."""
    return int(store.db.execute("SELECT count(*) FROM unfolded").fetchone()[0])


def fold_changed(store: Store, config: Config) -> None:
    """Folds the items again whose events changed."""
    with store.writing() as db:
        for (item,) in db.execute("SELECT item FROM unfolded").fetchall():
            row = db.execute("SELECT id FROM thing WHERE item = ?", (item,)).fetchone()
            name = plain_text(row[0])
            folded = replay_item(name, events_of(db, item), undone_of(db, item), config)
            put_folded(db, item, folded)


def fold_all(store: Store, config: Config, progress: Progress) -> None:
    """Folds every item again."""
    db = store.db
    total = db.execute("SELECT count(DISTINCT item) FROM event").fetchone()[0]
    undone = {
        id_text(row[0]) for row in db.execute("SELECT target FROM event WHERE target IS NOT NULL")
    }
    done = 0
    with store.writing():
        for table in ("state", "held", "unfolded"):
            db.execute(f"DELETE FROM {table}")
        db.execute(
            f"UPDATE item SET aside = (SELECT status = '{SUSPENDED}' FROM card c"
            " WHERE c.card = item.card)"
        )
        db.execute("UPDATE item SET fresh = NOT aside")
        for item, name, events in _each(db):
            put_folded(db, item, replay_item(name, events, undone, config))
            done += 1
            if done % _MANY == 0:
                progress("schedules", done, total)
        db.execute("INSERT OR REPLACE INTO meta VALUES ('fold', ?)", (fold_key(config),))


def fold_key(config: Config) -> str:
    """Names the settings that the folded states rest on."""
    return repr(
        [
            (each.name, getattr(config, each.name))
            for each in fields(config)
            if each.name not in _BESIDE
        ]
    )


def put_folded(db: sqlite3.Connection, item: int, folded: Folded) -> None:
    """Keeps where an item stands."""
    state, suspended = folded.state, folded.suspended
    if isinstance(state, New):
        db.execute("DELETE FROM state WHERE item = ?", (item,))
    else:
        db.execute(_PUT_STATE, (item, *state_row(state)))
    if suspended or folded.buried:
        buried = folded.buried.toordinal() if folded.buried else None
        db.execute("INSERT OR REPLACE INTO held VALUES (?, ?, ?)", (item, suspended, buried))
    else:
        db.execute("DELETE FROM held WHERE item = ?", (item,))
    new = isinstance(state, New)
    db.execute(_MARK, {"suspended": suspended, "new": new, "item": item})
    db.execute("DELETE FROM unfolded WHERE item = ?", (item,))


def _each(db: sqlite3.Connection) -> Iterator[tuple[int, str, list[Event]]]:
    """Every item with a past, its id, and its events."""
    models = models_of(db)
    names = db.cursor()
    for item, rows in groupby(db.execute(_ALL), key=lambda row: row[0]):
        row = names.execute("SELECT id FROM thing WHERE item = ?", (item,)).fetchone()
        yield item, plain_text(row[0]), list(unique(read_row(row[1:], models) for row in rows))


def read_row(row: tuple[Any, ...], models: dict[int, tuple[str, str, str]]) -> Event:
    """The event of `COLUMNS`."""
    return read_event((row[0], plain_text(row[1]), *row[2:]), models)
