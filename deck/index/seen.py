"""What each answer met, replayed from the events of the index: the rows of the table `sight`."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from deck.config import Config
from deck.events import Days, Promise, Step, read_line
from deck.index.codec import moment, plain_text
from deck.index.events import COLUMNS, models_of, read_row
from deck.index.sums import Seen, Sums, sums_of
from deck.replay import Track, take, unique
from deck.stats.tally import KINDS, sight

_OF = f"""
SELECT e.item, {COLUMNS} FROM event e JOIN thing t ON t.item = e.item WHERE {{these}}
UNION ALL
SELECT a.item, {COLUMNS} FROM also a JOIN event e ON e.event = a.event
JOIN thing t ON t.item = e.item WHERE e.item != a.item AND {{those}}
ORDER BY 1, 2
"""
_BETWEEN = _OF.format(these="e.item BETWEEN :low AND :high", those="a.item BETWEEN :low AND :high")
_UNSEEN = _OF.format(
    these="e.item IN (SELECT item FROM unseen)", those="a.item IN (SELECT item FROM unseen)"
)

Row = tuple[Any, ...]
"""Item, number of the answer, and what is `Seen` of it."""


class Counted(NamedTuple):
    """The answers of some items, and their sums."""

    rows: list[Row]
    sums: Sums


def seen_between(db: sqlite3.Connection, low: int, high: int, config: Config) -> Counted:
    """Of the items from `low` to `high`."""
    return _counted(db, _BETWEEN, {"low": low, "high": high}, config)


def seen_anew(db: sqlite3.Connection, config: Config) -> Counted:
    """Of the items whose events are others since they were last counted."""
    return _counted(db, _UNSEEN, {}, config)


def _counted(db: sqlite3.Connection, sql: str, given: Mapping[str, int], config: Config) -> Counted:
    rows = list(_rows(db, sql, given, config))
    return Counted(rows, sums_of(row[2:] for row in rows))


def _rows(
    db: sqlite3.Connection, sql: str, given: Mapping[str, int], config: Config
) -> Iterator[Row]:
    undone = {row[0] for row in db.execute("SELECT target FROM event WHERE target IS NOT NULL")}
    models, names = models_of(db), db.cursor()
    for item, found in groupby(db.execute(sql, given), key=itemgetter(0)):
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
