"""Where each item stands, folded from the events of the index."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import fields
from datetime import date, timedelta
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from deck.config import Config
from deck.events import IMPORTED, Event, Interval, LearningStep, read_line
from deck.index.codec import (
    COLUMNS,
    STATE,
    StateRow,
    events_of,
    id_text,
    models_of,
    moment,
    plain_text,
    read_row,
    read_state,
    sql_text,
    state_row,
    undone_of,
)
from deck.index.store import Progress, Store
from deck.replay import ItemState, ItemStatus, New, ReplayCursor, apply_event, replay_item

if TYPE_CHECKING:
    from deck.index.stats import Counted


# == Questions about a stretch of items, answered from their events in this process or in another.
#
# The fold is `replay_item`, without making the events of reviews, which would take most of the
# time.


_COLUMNS = "e.id, e.at, e.day, e.rating, e.step, e.promise, e.line"
_EVENTS = f"""
SELECT e.item, {_COLUMNS} FROM event e WHERE e.item BETWEEN ? AND ?
UNION ALL
SELECT a.item, {_COLUMNS} FROM also a JOIN event e ON e.event = a.event
WHERE a.item BETWEEN ? AND ? AND e.item != a.item
ORDER BY 1, 2
"""
_NAMES = "SELECT item, id FROM thing WHERE item BETWEEN ? AND ?"
_UNDONE = "SELECT target FROM event WHERE target IS NOT NULL"


Standing = tuple[int, StateRow | None, bool, int | None]
"""An item, its state (None: new), whether it is suspended, until which study day it is buried."""


Question = Literal["fold", "seen"]
"""Where the items stand, or what their answers met."""


class Stretch(NamedTuple):
    """A question about the items from `low` to `high`, for this process or another."""

    what: Question
    path: str
    """The database."""
    low: int
    high: int
    config: Config
    """Its mappings are of the plain kind, which other processes understand."""


def standing(item: int, folded: ItemStatus) -> Standing:
    state, suspended, buried = folded
    row = None if isinstance(state, New) else state_row(state)
    return item, row, suspended, buried.toordinal() if buried else None


def answer_elsewhere(stretch: Stretch) -> list[Standing] | Counted:
    """`answer_of` with a connection of its own.  Raises sqlite3.Error."""
    uri = f"{Path(stretch.path).absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as db:
        return answer_of(db, stretch)


def answer_of(db: sqlite3.Connection, stretch: Stretch) -> list[Standing] | Counted:
    """To "fold" where each item stands, to "seen" what its answers met."""
    _, _, low, high, config = stretch
    if stretch.what == "seen":
        from deck.index.stats import seen_between  # not at the start of every process

        return seen_between(db, low, high, config)
    return list(_fold(db, low, high, config))


def _fold(db: sqlite3.Connection, low: int, high: int, config: Config) -> Iterator[Standing]:
    """Every item from `low` to `high` that has a past, and where it stands."""
    names = dict(db.execute(_NAMES, (low, high)))
    undone = {row[0] for row in db.execute(_UNDONE)}
    for item, found in groupby(db.execute(_EVENTS, (low, high, low, high)), key=itemgetter(0)):
        rows = list(found)
        name = plain_text(names[item])
        if len({row[1] for row in rows}) < len(rows):  # an id that is there twice
            events, taken_back = events_of(db, item), undone_of(db, item)
            yield standing(item, replay_item(name, events, taken_back, config))
            continue
        track = ReplayCursor(name, config)
        for row in rows:
            if row[1] not in undone:
                _follow(track, row)
        yield standing(item, ItemStatus(track.state(), track.suspended, track.buried))


def _follow(track: ReplayCursor, row: tuple[Any, ...]) -> None:
    _, _, at, day, rating, step, promise, line = row
    if rating is None:
        apply_event(track, read_line(line))
        return
    led_to: Interval | LearningStep | None = None
    if step is not None:
        led_to = LearningStep(step, timedelta(milliseconds=promise))
    elif promise is not None:
        led_to = Interval(int(promise))
    track.answer(rating, moment(at), date.fromordinal(day), led_to)


# == All items of the index, a stretch at a time, on every processor where there are many.


#: So many items are a stretch.
_MANY = 2000
#: Settings that no fold looks at.
_BESIDE = {
    *("new_per_day", "reviews_per_day", "write_status", "easy_days", "bury_siblings"),
    *("review_order", "new_order", "new_mix", "interleave", "minutes_per_day", "line_breaks"),
    *("courses", "searches", "macros", "extra"),
}


def each_stretch(store: Store, config: Config, what: Question, spread: bool) -> Iterator[Any]:
    """The answer to a question about each stretch of items, in the order of finishing."""
    last = store.db.execute("SELECT coalesce(max(item), 0) FROM thing").fetchone()[0]
    bare, path = _bare(config), str(store.path)
    stretches = [
        Stretch(what, path, low, low + _MANY - 1, bare) for low in range(1, last + 1, _MANY)
    ]
    if not spread or store.trouble:  # in memory, where no other process can look
        yield from (answer_of(store.db, stretch) for stretch in stretches)
        return
    yield from (answer for _, answer in store.workers.answers(stretches, spread))


def fold_key(config: Config) -> str:
    """Names the settings that the folded states rest on."""
    return repr(
        [
            (each.name, getattr(config, each.name))
            for each in fields(config)
            if each.name not in _BESIDE
        ]
    )


def _bare(config: Config) -> Config:
    """What a fold looks at; it can be sent to another process."""
    known = {e.name: getattr(config, e.name) for e in fields(config) if e.name not in _BESIDE}
    return Config(**known, easy_days={}, courses={}, searches={}, macros={}, extra={})


# == Where each item stands, folded from the events of the index, and kept in it.


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


def put_folded(db: sqlite3.Connection, found: Mapping[int, ItemStatus]) -> None:
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


# == Questions about the past, asked of the index.


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


def folded(db: sqlite3.Connection, item_id: str) -> ItemStatus | None:
    """Where an item stands; None where nothing was ever done with it."""
    row = db.execute(_FOLDED, (sql_text(item_id),)).fetchone()
    if row is None:
        return None
    suspended, buried, *state = row
    stands: ItemState = New() if state[0] is None else read_state(tuple(state))
    return ItemStatus(stands, bool(suspended), date.fromordinal(buried) if buried else None)


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
