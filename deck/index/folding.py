"""Where each item stands, folded from the events of the index, and kept in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from deck.config import Config
from deck.index.codec import plain_text
from deck.index.events import events_of, undone_of
from deck.index.progress import Progress
from deck.index.spread import each_stretch, fold_key
from deck.index.store import Store
from deck.index.stretch import Standing, standing
from deck.replay import Folded, replay_item

_MARK = """
UPDATE item SET
    aside = mine OR EXISTS (SELECT 1 FROM held h WHERE h.item = item.item AND h.suspended),
    fresh = NOT mine AND NOT EXISTS (SELECT 1 FROM state s WHERE s.item = item.item)
        AND NOT EXISTS (SELECT 1 FROM held h WHERE h.item = item.item AND h.suspended)
"""
#: Suspended by the journal, new, item.
_MARK_ONE = """
UPDATE item SET aside = mine OR :aside, fresh = NOT (mine OR :aside) AND :new
WHERE item = :item
    AND (aside != (mine OR :aside) OR fresh != (NOT (mine OR :aside) AND :new))
"""
#: The item, its state, and the item again.
_PUT = f"""
INSERT INTO state VALUES ({", ".join("?" * 11)},
    coalesce((SELECT 2 - aside FROM item WHERE item = ?), 0))
"""
#: From so many items on, other processes are worth their start.
_SPREAD = 4000


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
            put_folded(db, {item: folded})


def fold_all(store: Store, config: Config, progress: Progress) -> None:
    """Folds every item again."""
    db, done = store.db, 0
    total = db.execute("SELECT count(DISTINCT item) FROM event").fetchone()[0]
    with store.writing():
        for table in ("state", "held", "unfolded"):
            db.execute(f"DELETE FROM {table}")
        for part in each_stretch(store, config, "fold", total >= _SPREAD):
            _put_many(db, part)
            done += len(part)
            progress("schedules", min(done, total), total)
        db.execute(_MARK)
        db.execute("INSERT OR REPLACE INTO meta VALUES ('fold', ?)", (fold_key(config),))


def put_folded(db: sqlite3.Connection, found: Mapping[int, Folded]) -> None:
    """Keeps where items stand."""
    items = [(item,) for item in found]
    for table in ("state", "held", "unfolded"):
        db.executemany(f"DELETE FROM {table} WHERE item = ?", items)
    rows = [standing(item, folded) for item, folded in found.items()]
    _put_many(db, rows)
    marks = [
        {"aside": suspended, "new": state is None, "item": item}
        for item, state, suspended, _ in rows
    ]
    db.executemany(_MARK_ONE, marks)


def _put_many(db: sqlite3.Connection, rows: list[Standing]) -> None:
    states = [(item, *state, item) for item, state, _, _ in rows if state is not None]
    held = [
        (item, suspended, buried)
        for item, _, suspended, buried in rows
        if suspended or buried is not None
    ]
    db.executemany(_PUT, states)
    db.executemany("INSERT INTO held VALUES (?, ?, ?)", held)
