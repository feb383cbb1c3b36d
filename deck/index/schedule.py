"""Where each item stands, folded from the events of the index and kept in it; questions about the
past."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import fields, replace
from datetime import date
from itertools import groupby, starmap
from operator import itemgetter
from pathlib import Path
from struct import Struct, unpack_from
from typing import Any, NamedTuple

from deck.config import Config
from deck.events import IMPORTED, Event, read_line
from deck.fsrs import surprise
from deck.index.codec import (
    COLUMNS,
    STATE,
    StateRow,
    first_value,
    id_bytes,
    id_text,
    models_of,
    plain_text,
    read_event,
    read_promise,
    read_state,
    rows_of,
    sql_text,
    state_row,
)
from deck.index.store import Progress, Store
from deck.replay import YOUNG, ItemStatus, New, ReplayCursor, dedupe_events, replay_item
from deck.study_day import moment

#: Of each event that concerns an item, what a replay needs.
_NEEDED = "e.id, e.at, e.offset, e.day, e.rating, e.took, coalesce(e.step, -1), e.promise, e.line"
_EVENTS = f"""
SELECT e.item, {_NEEDED} FROM event e WHERE e.item {{0}}
UNION ALL
SELECT a.item, {_NEEDED} FROM also a JOIN event e ON e.event = a.event
WHERE a.item {{0}} AND e.item != a.item
ORDER BY 1, 2
"""
#: Where the items stand, as the index has it.
_KNOWN = f"""
SELECT t.item, t.id, coalesce(h.suspended, 0), h.buried, coalesce(p.answers, x''), {STATE}
FROM thing t LEFT JOIN held h ON h.item = t.item LEFT JOIN past p ON p.item = t.item
LEFT JOIN state s ON s.item = t.item WHERE t.item {{}}
"""
#: For these: the items of a range, or of a list in JSON.
_BETWEEN, _LISTED = "BETWEEN ?1 AND ?2", "IN (SELECT value FROM json_each(?1))"
#: Suspended by the journal, new, item.
_MARK_ONE = """
UPDATE item SET aside = mine OR :aside, fresh = NOT (mine OR :aside) AND :new
WHERE item = :item
    AND (aside != (mine OR :aside) OR fresh != (NOT (mine OR :aside) AND :new))
"""
#: The item, its state, and the item again.
_PUT = f"""
INSERT INTO state SELECT {", ".join("?" * 11)}, coalesce(2 - i.aside, 0), i.deck,
    iif(i.several, i.card, NULL) FROM (SELECT 1) LEFT JOIN item i ON i.item = ?
"""
#: From so many items on, other processes are worth their start.
_SPREAD = 4000
#: Items that one of them folds at a time: while an answer may come, and else.
_SLICE, _RANGE = 200, 1000
#: From so many items on that changed, folding everything is the shorter way.
_MANY = 3000
#: Settings that no fold looks at.
_BESIDE = {
    *("new_per_day", "reviews_per_day", "write_status", "easy_days", "bury_siblings"),
    *("review_order", "new_order", "new_mix", "interleave", "minutes_per_day", "line_breaks"),
    *("type_answers", "courses", "searches", "macros", "extra"),
}

SeenAnswer = tuple[int, int, int, int, int, float]
"""An answer: study day and hour on the learner's clock, what the item was (a place in
`deck.stats.KINDS`), rating, milliseconds, and the recall that the model predicted (-1: nothing)."""
_SEEN = Struct("<iBBBqd")


class FoldedRow(NamedTuple):
    """Where an item stands."""

    item: int
    state: StateRow | None
    """None: new."""
    suspended: bool
    buried: int | None
    """Until which study day."""
    answers: bytes
    """`SeenAnswer`s; none where only the state is put."""


class FoldChanges(NamedTuple):
    """What a fold makes of some items."""

    rows: list[FoldedRow]
    """Of those that stand elsewhere, or whose answers are others, than the index says."""
    sums: Sums
    """What that adds to the index's."""


def fold(store: Store, config: Config, progress: Progress, behind: bool) -> int:
    """Folds the items whose events changed; every item where these are many, or where the settings
    are others: `behind`, if that is wanted (and worth it), by `fold_behind`.

    Returns how many items had changed.
    """
    many = first_value(store.db, int, "SELECT count(*) FROM unfolded") or 0
    before, key, last = store.noted("fold"), fold_key(config), _last(store)
    waits = behind and before != "" and many <= _MANY and last >= _SPREAD and not store.trouble
    if before != key or many > _MANY or (store.noted("behind") and not waits):
        with store.writing() as db:
            notes = [("fold", key), ("behind", 0)]
            db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", notes)
            if not waits:
                for high in _fold_on(store, config, _RANGE):
                    progress("schedules", min(high, last), last)
                for table in ("unfolded", "uncounted"):
                    db.execute(f"DELETE FROM {table}")
    if many:
        with store.writing() as db:
            _fold_listed(db, "unfolded", config)
    return many


def fold_behind(store: Store, config: Config) -> Generator[int]:
    """Folds what is behind the settings a few items at a time, each time in a change of its own;
    whoever stops there loses nothing.

    What stands meanwhile is of the settings before; `folded` says of an item where it stands by
    these.
    """
    with store.workers:
        while store.noted("behind") and store.noted("fold") == fold_key(config):
            with suppress(OvertakenError):
                yield from _fold_on(store, config, _SLICE)


class OvertakenError(Exception):
    """Another program or thread wrote meanwhile: it may be about the same items or lines."""


def _fold_on(store: Store, config: Config, size: int) -> Generator[int]:
    """Yields up to which item all are folded."""
    known, done = _version(store.db), int(store.noted("behind") or _last(store))
    with closing(_each_range(store, config, done, size)) as ranges:
        for high, changes in ranges:
            with store.writing() as db:
                if _version(db) != known:
                    raise OvertakenError
                _put(db, changes)
                db.execute("UPDATE meta SET value = ? WHERE name = 'behind'", (high,))
                if high >= _last(store):
                    db.execute("DELETE FROM meta WHERE name = 'behind'")
                known = _version(db)
            yield high


def _version(db: sqlite3.Connection) -> tuple[int, int]:
    """Another one when something was written, by this connection or another."""
    return first_value(db, int, "PRAGMA data_version") or 0, db.total_changes


def _last(store: Store) -> int:
    return first_value(store.db, int, "SELECT max(item) FROM thing") or 0


def fold_key(config: Config) -> str:
    """Names the settings that the folded states rest on."""
    names = (each.name for each in fields(config) if each.name not in _BESIDE)
    return repr([(name, getattr(config, name)) for name in names])


def count_answers(store: Store, config: Config) -> None:
    """Counts the answers to the items again that were folded without it."""
    if first_value(store.db, int, "SELECT 1 FROM uncounted LIMIT 1"):
        with store.writing() as db:
            _fold_listed(db, "uncounted", config)


def _fold_listed(db: sqlite3.Connection, table: str, config: Config) -> None:
    items = [row[0] for row in db.execute(f"SELECT item FROM {table}")]
    _put(db, _changes(db, _LISTED, (json.dumps(items),), config))
    for each in ("unfolded", "uncounted"):
        db.executemany(f"DELETE FROM {each} WHERE item = ?", [(item,) for item in items])


def _changes(
    db: sqlite3.Connection, items: str, given: tuple[Any, ...], config: Config
) -> FoldChanges:
    """Folds the `items` (a condition) from their events."""
    found, nothing = FoldChanges([], new_sums()), (None, False, None, b"")
    known, names = dict[int, FoldedRow](), dict[int, str]()
    for item, name, suspended, buried, answers, *state in db.execute(_KNOWN.format(items), given):
        row, names[item] = None if state[0] is None else tuple(state), plain_text(name)
        known[item] = FoldedRow(item, row, bool(suspended), buried, answers)
    undone = {row[0] for row in db.execute("SELECT target FROM event WHERE target IS NOT NULL")}
    events = (row for row in db.execute(_EVENTS.format(items), given) if row[1] not in undone)
    rows = {row.item: row for row in _replayed(events, names, config)}
    for item, before in known.items():
        row = rows.get(item) or FoldedRow(item, *nothing)
        if row != before:
            found.rows.append(row)
        if row.answers != before.answers:
            add_up(found.sums, _SEEN.iter_unpack(row.answers))
            add_up(found.sums, _SEEN.iter_unpack(before.answers), -1)
    return found


def put_folded(db: sqlite3.Connection, found: Mapping[int, ItemStatus]) -> None:
    """Keeps where items stand; their answers are counted with the next question about those."""
    _put_states(db, [_row(item, status) for item, status in found.items()])
    db.executemany("INSERT OR IGNORE INTO uncounted VALUES (?)", [(item,) for item in found])


def _put(db: sqlite3.Connection, changes: FoldChanges) -> None:
    rows = changes.rows
    past = [(row.item, *unpack_from("<i", row.answers), row.answers) for row in rows if row.answers]
    db.executemany("DELETE FROM past WHERE item = ?", [row[:1] for row in rows if not row.answers])
    db.executemany("INSERT OR REPLACE INTO past VALUES (?, ?, ?)", past)
    _put_states(db, rows)
    put_sums(db, changes.sums)


def _put_states(db: sqlite3.Connection, rows: list[FoldedRow]) -> None:
    items = [row[:1] for row in rows]
    for table in ("state", "held", "unfolded"):
        db.executemany(f"DELETE FROM {table} WHERE item = ?", items)
    states = [(row.item, *row.state, row.item) for row in rows if row.state is not None]
    held = [row[:1] + row[2:4] for row in rows if row.suspended or row.buried is not None]
    db.executemany(_PUT, states)
    db.executemany("INSERT INTO held VALUES (?, ?, ?)", held)
    marks = [{"item": row[0], "new": row[1] is None, "aside": row[2]} for row in rows]
    db.executemany(_MARK_ONE, marks)


def _row(item: int, folded: ItemStatus, answers: Iterable[SeenAnswer] = ()) -> FoldedRow:
    state, suspended, buried = folded
    row = None if isinstance(state, New) else state_row(state)
    day = buried.toordinal() if buried else None
    return FoldedRow(item, row, suspended, day, b"".join(starmap(_SEEN.pack, answers)))


# The replay: that of `deck.replay`, without making the events of reviews, which would take most of
# the time.


def _replayed(
    events: Iterable[tuple[Any, ...]], names: Mapping[int, str], config: Config
) -> Iterator[FoldedRow]:
    """Each item that events are of, folded from those: each once."""
    for item, found in groupby(events, key=itemgetter(0)):
        track, standing = ReplayCursor(names[item], config), {row[1]: row for row in found}
        answers = list[SeenAnswer]()
        for is_other, run in groupby(standing.values(), key=lambda row: row[5] is None):
            if is_other:
                track.follow_each([read_line(row[-1]) for row in run])
            else:
                answers += _answered(track, *zip(*run, strict=True))
        yield _row(item, track.status(), answers)


def _answered(track: ReplayCursor, *columns: tuple[Any, ...]) -> Iterator[SeenAnswer]:
    """Takes reviews up."""
    _, _, at, offset, days, ratings, took, steps, promises, _ = columns
    if None in promises:
        steps = tuple(None if p is None else s for s, p in zip(steps, promises, strict=True))
    promise = read_promise(steps[-1], promises[-1])
    kinds, met = track.answer_each(ratings, days, steps, moment(at[-1]), promise)
    minutes = zip(at, offset, strict=True)
    hours = [(then // 60_000 + east) // 60 % 24 for then, east in minutes]
    chances = [
        -1.0 if chance is None or kind < YOUNG else chance
        for kind, (_, chance) in zip(kinds, met, strict=True)
    ]
    return zip(days, hours, kinds, ratings, took, chances, strict=True)


# The answers, counted: an item's own are kept as well, so that they can be taken out of the sums
# when they change, and summed up by themselves.

Sums = tuple[dict[tuple[int, ...], list[float]], ...]
"""Of each table of `SUMS`, by its key."""
#: By table: the columns of the key, and the others.
SUMS = {
    "cell": (("day", "kind", "rating"), ("answers", "took")),
    "hour": (("day", "hour"), ("answers", "recalled")),
    "class": (("day", "class"), ("answers", "recalled", "predicted", "loss")),
}
#: Predictions are put together in so many classes of equal width.
CLASSES = 20


def new_sums() -> Sums:
    return {}, {}, {}


def add_up(sums: Sums, answers: Iterable[SeenAnswer], sign: int = 1) -> None:
    """Adds answers to the sums; with the sign -1, takes them out."""
    cells, hours, classes = sums
    for day, hour, kind, rating, took, chance in answers:
        cell = cells.setdefault((day, kind, rating), [0, 0])
        cell[0] += sign
        cell[1] += sign * took
        if kind < YOUNG:
            continue
        recalled = sign if rating > 1 else 0
        each = hours.setdefault((day, hour), [0, 0])
        each[0] += sign
        each[1] += recalled
        if chance >= 0:
            place = min(int(chance * CLASSES), CLASSES - 1)
            each = classes.setdefault((day, place), [0, 0, 0.0, 0.0])
            each[0] += sign
            each[1] += recalled
            each[2] += sign * chance
            each[3] += sign * surprise(chance, rating > 1)


def put_sums(db: sqlite3.Connection, sums: Sums) -> None:
    """Adds them to those of the index."""
    for (table, (keys, names)), found in zip(SUMS.items(), sums, strict=True):
        marks = ", ".join("?" * len(keys + names))
        more = ", ".join(f"{name} = {name} + excluded.{name}" for name in names)
        sql = f"INSERT INTO {table} ({', '.join(keys + names)}) VALUES ({marks})"
        sql += f" ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {more}"
        db.executemany(sql, [(*key, *values) for key, values in found.items() if any(values)])
        db.execute(f"DELETE FROM {table} WHERE answers = 0")


def seen(db: sqlite3.Connection, items: str, *given: Any) -> Iterator[SeenAnswer]:
    """The counted answers to the `items` (a condition)."""
    rows = db.execute(f"SELECT answers FROM past WHERE item {items}", given)
    return _SEEN.iter_unpack(b"".join(row[0] for row in rows))


def _each_range(
    store: Store, config: Config, done: int, size: int
) -> Generator[tuple[int, FoldChanges]]:
    """What a fold makes of the items behind the number `done`, `size` at a time: the last one's
    number, and the changes; on every processor where that is worth it."""
    # Of mappings of the plain kind, which other processes understand.
    bare = replace(config, easy_days={}, courses={}, searches={}, macros={}, extra={})
    last = _last(store)  # one range where all are folded, too
    ends = [(low, low + size - 1) for low in range(done + 1, max(last, done + 1) + 1, size)]
    if store.trouble or last - done < _SPREAD:  # in memory no other process can look
        yield from ((each[1], _changes(store.db, _BETWEEN, each, bare)) for each in ends)
        return
    requests = [(str(store.path), each, bare) for each in ends]
    for each, found in zip(ends, store.workers.answers(_answer, requests, True), strict=True):
        yield each[1], found


def _answer(request: tuple[str, tuple[int, int], Config]) -> FoldChanges:
    """With a connection of its own.  Raises sqlite3.Error."""
    path, ends, config = request
    uri = f"{Path(path).absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as db:
        return _changes(db, _BETWEEN, ends, config)


# Questions about the past.

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
_FOLDED = f"""
SELECT t.id, t.item > (SELECT value FROM meta WHERE name = 'behind'), h.suspended, h.buried, {STATE}
FROM thing t LEFT JOIN held h ON h.item = t.item LEFT JOIN state s ON s.item = t.item
WHERE t.id IN
"""
_LAST = f"""
SELECT {COLUMNS} FROM event e JOIN thing t ON t.item = e.item JOIN item i ON i.item = e.item
WHERE e.rating IS NOT NULL AND NOT EXISTS (SELECT 1 FROM event u WHERE u.target = e.id)
AND e.model NOT IN (SELECT model FROM model WHERE name GLOB '{IMPORTED}*')
ORDER BY e.id DESC
"""
_DELETED = """
SELECT t.id, count(DISTINCT e.id), max(e.day) FROM event e JOIN thing t ON t.item = e.item
WHERE e.rating IS NOT NULL AND NOT EXISTS (SELECT 1 FROM item i WHERE i.item = e.item)
AND NOT EXISTS (SELECT 1 FROM event u WHERE u.target = e.id)
GROUP BY e.item ORDER BY t.id
"""


def number(db: sqlite3.Connection, item_id: str) -> int:
    """The item's number; -1 where the index does not know the id."""
    return first_value(db, int, "SELECT item FROM thing WHERE id = ?", sql_text(item_id)) or -1


def folded(
    db: sqlite3.Connection, items: Sequence[str], config: Config
) -> Iterator[tuple[str, ItemStatus]]:
    """Where items stand by the settings `config`, of those that the index knows."""
    for row in rows_of(db, _FOLDED, list(map(sql_text, items))):
        name, is_behind, suspended, buried, *state = row
        item = plain_text(name)
        if is_behind:
            yield item, replay_item(item, events(db, item), undone(db, item), config)
            continue
        until = date.fromordinal(buried) if buried else None
        yield item, ItemStatus(read_state(state), bool(suspended), until)


def events(db: sqlite3.Connection, item_id: str) -> list[Event]:
    """The events that concern an item, sorted by id, each once."""
    rows = db.execute(_OF_ITEM, {"item": number(db, item_id)}).fetchall()
    models = models_of(db)  # after the rows: another program may add a model at any time
    return list(dedupe_events(read_event(row, models) for row in rows))


def event_ids(db: sqlite3.Connection, item_id: str) -> set[str]:
    """The ids of the item's own events; quick where there is none."""
    sql = "SELECT e.id FROM thing t JOIN event e ON e.item = t.item WHERE t.id = ?"
    return {id_text(row[0]) for row in db.execute(sql, (sql_text(item_id),))}


def known(db: sqlite3.Connection) -> set[str]:
    """Every item that an event is of."""
    sql = "SELECT t.id FROM thing t WHERE EXISTS (SELECT 1 FROM event e WHERE e.item = t.item)"
    return {plain_text(row[0]) for row in db.execute(sql)}


def suspended(db: sqlite3.Connection) -> set[str]:
    """Every item that the journal, or a leech's lapses, put aside."""
    sql = "SELECT t.id FROM held h JOIN thing t ON t.item = h.item WHERE h.suspended"
    return {plain_text(row[0]) for row in db.execute(sql)}


def undone(db: sqlite3.Connection, item_id: str) -> set[str]:
    """Those of the item's events that were taken back."""
    return {id_text(row[0]) for row in db.execute(_UNDONE, {"item": number(db, item_id)})}


def undone_among(db: sqlite3.Connection, ids: Iterable[str]) -> set[str]:
    """Those of the events that were taken back."""
    sql = "SELECT target FROM event WHERE target IN"
    return {id_text(row[0]) for row in rows_of(db, sql, list(map(id_bytes, ids)))}


def due_days(db: sqlite3.Connection) -> dict[int, int]:
    """How many items in review fall due on each study day (an ordinal)."""
    return dict(db.execute("SELECT due, count(*) FROM state WHERE learning = 0 GROUP BY due"))


def answered_on(db: sqlite3.Connection, day: date) -> Iterator[tuple[str, int, int]]:
    """(item, what it was, milliseconds) of the counted answers of a study day."""
    sql = (
        "SELECT t.id, p.answers FROM past p JOIN thing t ON t.item = p.item WHERE p.item IN"
        " (SELECT item FROM event WHERE day = ? AND rating IS NOT NULL)"
    )
    for name, answers in db.execute(sql, (day.toordinal(),)):
        for then, _, kind, _, took, _ in _SEEN.iter_unpack(answers):
            if then == day.toordinal():
                yield plain_text(name), kind, took


def last_reviews(db: sqlite3.Connection) -> Iterator[Event]:
    """The reviews of items with a card that were not undone, the last one first; those that were
    given in another program are not ours to take back."""
    if all(name.startswith(IMPORTED) for name, _, _ in models_of(db).values()):
        return iter(())  # else all of them would be gone through, at every start
    rows = db.execute(_LAST)
    models = models_of(db)  # after the rows: another program may add a model at any time
    return (read_event(row, models) for row in rows)


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
    found = first_value(db, bytes, "SELECT max(id) FROM event")
    return id_text(found) if found else ""
