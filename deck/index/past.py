"""Questions about the past, asked of the index."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import date

from deck.events import IMPORTED, Event
from deck.index.codec import STATE, id_text, plain_text, read_state, sql_text
from deck.index.events import COLUMNS, events_of, models_of, read_row, undone_of
from deck.replay import Folded, ItemState, New

_FOLDED = f"""
SELECT h.suspended, h.buried, {STATE} FROM thing t
LEFT JOIN held h ON h.item = t.item LEFT JOIN state s ON s.item = t.item WHERE t.id = ?
"""
_LAST = f"""
SELECT {COLUMNS} FROM event e JOIN thing t ON t.item = e.item JOIN item i ON i.item = e.item
WHERE e.rating IS NOT NULL AND NOT EXISTS (SELECT 1 FROM event u WHERE u.target = e.id)
AND e.model NOT IN (SELECT model FROM model WHERE name GLOB '{IMPORTED}*')
ORDER BY e.id DESC
"""
_IDS = """
SELECT e.id FROM thing t JOIN event e ON e.item = t.item WHERE t.id = ?
"""
_DELETED = """
SELECT t.id, count(DISTINCT e.id), max(e.day) FROM event e JOIN thing t ON t.item = e.item
WHERE e.rating IS NOT NULL AND NOT EXISTS (SELECT 1 FROM item i WHERE i.item = e.item)
AND NOT EXISTS (SELECT 1 FROM event u WHERE u.target = e.id)
GROUP BY e.item ORDER BY t.id
"""


def number(db: sqlite3.Connection, item_id: str) -> int:
    """The item's number; -1 where the index does not know the id."""
    row = db.execute("SELECT item FROM thing WHERE id = ?", (sql_text(item_id),)).fetchone()
    return int(row[0]) if row else -1


def folded(db: sqlite3.Connection, item_id: str) -> Folded | None:
    """Where an item stands; None where nothing was ever done with it."""
    row = db.execute(_FOLDED, (sql_text(item_id),)).fetchone()
    if row is None:
        return None
    suspended, buried, *state = row
    stands: ItemState = New() if state[0] is None else read_state(tuple(state))
    return Folded(stands, bool(suspended), date.fromordinal(buried) if buried else None)


def events(db: sqlite3.Connection, item_id: str) -> list[Event]:
    return events_of(db, number(db, item_id))


def event_ids(db: sqlite3.Connection, item_id: str) -> set[str]:
    """The ids of the item's own events; quick where there is none."""
    return {id_text(row[0]) for row in db.execute(_IDS, (sql_text(item_id),))}


def known(db: sqlite3.Connection) -> set[str]:
    """Every item that an event is of."""
    sql = "SELECT t.id FROM thing t WHERE EXISTS (SELECT 1 FROM event e WHERE e.item = t.item)"
    return {plain_text(row[0]) for row in db.execute(sql)}


def suspended(db: sqlite3.Connection) -> set[str]:
    """Every item that the journal, or a leech's lapses, put aside."""
    sql = "SELECT t.id FROM held h JOIN thing t ON t.item = h.item WHERE h.suspended"
    return {plain_text(row[0]) for row in db.execute(sql)}


def undone(db: sqlite3.Connection, item_id: str) -> set[str]:
    return undone_of(db, number(db, item_id))


def due_days(db: sqlite3.Connection) -> dict[int, int]:
    """How many items in review fall due on each study day (an ordinal)."""
    return dict(db.execute("SELECT due, count(*) FROM state WHERE learning = 0 GROUP BY due"))


def answered_on(db: sqlite3.Connection, day: date) -> list[str]:
    """The items with a review on a study day, undone ones included."""
    sql = (
        "SELECT DISTINCT t.id FROM event e JOIN thing t ON t.item = e.item"
        " WHERE e.day = ? AND e.rating IS NOT NULL"
    )
    return [plain_text(row[0]) for row in db.execute(sql, (day.toordinal(),))]


def last_reviews(db: sqlite3.Connection) -> Iterator[Event]:
    """The reviews of items with a card that were not undone, the last one first; those that were
    given in another program are not ours to take back."""
    models = models_of(db)
    if all(name.startswith(IMPORTED) for name, _, _ in models.values()):
        return iter(())  # else all of them would be gone through, at every start
    return (read_row(row, models) for row in db.execute(_LAST))


def after(db: sqlite3.Connection, day: date) -> tuple[int, date]:
    """How many events come after a study day, and the day of the last."""
    sql = "SELECT count(DISTINCT id), max(day) FROM event WHERE day > ?"
    count, last = db.execute(sql, (day.toordinal(),)).fetchone()
    return count, date.fromordinal(last) if count else day


def deleted(db: sqlite3.Connection) -> list[tuple[str, int, date]]:
    """(item, answers, last study day) of what has a history and no card."""
    rows = db.execute(_DELETED)
    return [(plain_text(row[0]), row[1], date.fromordinal(row[2])) for row in rows]


def last_id(db: sqlite3.Connection) -> str:
    """The last event's id in sorting order, or ""."""
    row = db.execute("SELECT max(id) FROM event").fetchone()
    return id_text(row[0]) if row[0] else ""
