"""Where each item stands, folded from the events of the index, and kept in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import fields
from datetime import date, timedelta
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

from deck.config import Config
from deck.event import Days, Event, Step
from deck.fold import Folded, replay_item, take, unique
from deck.index.codec import id_text, moment, plain_text, read_event, state_row
from deck.index.files import Progress
from deck.index.store import Store
from deck.line import read_line
from deck.state import New
from deck.track import Track

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
_MARK = """
UPDATE item SET
    aside = mine OR EXISTS (SELECT 1 FROM held h WHERE h.item = item.item AND h.suspended),
    fresh = NOT mine AND NOT EXISTS (SELECT 1 FROM state s WHERE s.item = item.item)
        AND NOT EXISTS (SELECT 1 FROM held h WHERE h.item = item.item AND h.suspended)
"""
#: Suspended by the journal, new, item.
_MARK_ONE = """
UPDATE item SET aside = mine OR ?1, fresh = NOT (mine OR ?1) AND ?2
WHERE item = ?3 AND (aside != (mine OR ?1) OR fresh != (NOT (mine OR ?1) AND ?2))
"""
#: So many states are put in at once.
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
            put_folded(db, [(item, folded)])


def fold_all(store: Store, config: Config, progress: Progress) -> None:
    """Folds every item again."""
    db = store.db
    total = db.execute("SELECT count(DISTINCT item) FROM event").fetchone()[0]
    done = 0
    with store.writing():
        for table in ("state", "held", "unfolded"):
            db.execute(f"DELETE FROM {table}")
        folded = _fold_each(db, config)
        while part := list(islice(folded, _MANY)):
            _put_many(db, part)
            done += len(part)
            progress("schedules", done, total)
        db.execute(_MARK)
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


def put_folded(db: sqlite3.Connection, found: list[tuple[int, Folded]]) -> None:
    """Keeps where items stand."""
    items = [(item,) for item, _ in found]
    for table in ("state", "held", "unfolded"):
        db.executemany(f"DELETE FROM {table} WHERE item = ?", items)
    _put_many(db, found)
    rows = [(to.suspended, isinstance(to.state, New), item) for item, to in found]
    db.executemany(_MARK_ONE, rows)


def _put_many(db: sqlite3.Connection, found: list[tuple[int, Folded]]) -> None:
    states, held = [], []
    for item, (state, suspended, buried) in found:
        if not isinstance(state, New):
            states.append((item, *state_row(state)))
        if suspended or buried:
            held.append((item, suspended, buried.toordinal() if buried else None))
    db.executemany(f"INSERT INTO state VALUES ({', '.join('?' * 11)})", states)
    db.executemany("INSERT INTO held VALUES (?, ?, ?)", held)


def _fold_each(db: sqlite3.Connection, config: Config) -> Iterator[tuple[int, Folded]]:
    """Every item with a past, and where it stands: `replay_item`, without making the events of
    reviews, which would take most of the time."""
    models, names = models_of(db), db.cursor()
    sql = "SELECT target FROM event WHERE target IS NOT NULL"
    undone = {row[0] for row in db.execute(sql)}
    for item, found in groupby(db.execute(_ALL), key=itemgetter(0)):
        rows = [row[1:] for row in found]
        row = names.execute("SELECT id FROM thing WHERE item = ?", (item,)).fetchone()
        name = plain_text(row[0])
        if len({row[0] for row in rows}) < len(rows):
            events = list(unique(read_row(row, models) for row in rows))
            yield item, replay_item(name, events, {id_text(one) for one in undone}, config)
            continue
        track = Track(name, config)
        for row in rows:
            if row[0] not in undone:
                _follow(track, row)
        yield item, Folded(track.state(), track.suspended, track.buried)


def _follow(track: Track, row: tuple[Any, ...]) -> None:
    _, _, at, _, day, rating, _, _, step, promise, _, line = row
    if rating is None:
        take(track, read_line(line))
        return
    led_to: Days | Step | None = None
    if step is not None:
        led_to = Step(step, timedelta(milliseconds=promise))
    elif promise is not None:
        led_to = Days(int(promise))
    track.answer(rating, moment(at), date.fromordinal(day), led_to)


def read_row(row: tuple[Any, ...], models: dict[int, tuple[str, str, str]]) -> Event:
    """The event of `COLUMNS`."""
    return read_event((row[0], plain_text(row[1]), *row[2:]), models)
