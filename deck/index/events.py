"""Events out of the index."""

from __future__ import annotations

import sqlite3
from typing import Any

from deck.events import Event
from deck.index.codec import id_text, plain_text, read_event
from deck.replay import unique

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
_UNDONE = """
SELECT u.target FROM event e JOIN event u ON u.target = e.id WHERE e.item = :item
UNION ALL
SELECT u.target FROM also a JOIN event e ON e.event = a.event JOIN event u ON u.target = e.id
WHERE a.item = :item
"""


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


def read_row(row: tuple[Any, ...], models: dict[int, tuple[str, str, str]]) -> Event:
    """The event of `COLUMNS`."""
    return read_event((row[0], plain_text(row[1]), *row[2:]), models)
