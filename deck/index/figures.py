"""All statistics, out of the index."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any

from deck.config import Config
from deck.days import study_day
from deck.event import Event
from deck.index import sight
from deck.index.codec import moment, plain_text
from deck.index.progress import Progress, silent
from deck.index.store import Store
from deck.line import read_line
from deck.stats import Statistics, statistics
from deck.stats.memory import Held, Phase

_HELD = """
SELECT {id}, i.item, i.aside, s.learning, s.relearning, s.stability, s.difficulty, s.day,
       s.interval, s.due
FROM item i {things} LEFT JOIN state s ON s.item = i.item
"""
_ALL = _HELD.format(id="NULL", things="")
_NAMED = _HELD.format(id="t.id", things="JOIN thing t ON t.item = i.item")


def figures(
    store: Store,
    chosen: Sequence[str] | None,
    now: datetime,
    config: Config,
    days: int,
    progress: Progress = silent,
) -> Statistics:
    """Of the items `chosen` (None: of all, and of what was done with cards that are gone)."""
    sight.bring_up(store, config, progress)
    db = store.db
    today = study_day(now, config.rollover)
    if chosen is None:
        items = [_held(row, now, today, config) for row in db.execute(_ALL)]
        tally, names = sight.whole(db), None
    else:
        names = set(chosen)
        rows = [row for row in db.execute(_NAMED) if plain_text(row[0]) in names]
        items = [_held(row, now, today, config) for row in rows]
        tally = sight.part(db, [row[1] for row in rows])
    return statistics(items, tally, _checked(db, names), now, config, days)


def _held(row: tuple[Any, ...], now: datetime, today: date, config: Config) -> Held:
    _, _, aside, learning, relearning, stability, difficulty, day, interval, due = row
    if learning is None:
        return Held("new", bool(aside))
    ordinal = today.toordinal()
    if not learning:
        elapsed, ahead = ordinal - day, due - ordinal
        return Held("review", bool(aside), stability, difficulty, elapsed, interval, ahead)
    then = study_day(moment(due).astimezone(now.tzinfo), config.rollover)
    elapsed, ahead = ordinal - day, (then - today).days
    phase: Phase = "relearning" if relearning else "learning"
    return Held(phase, bool(aside), stability, difficulty, elapsed, 0, ahead)


def _checked(db: sqlite3.Connection, names: set[str] | None) -> Iterable[Event]:
    """The events that may hold a verdict, each once."""
    sql = "SELECT DISTINCT id, line FROM event WHERE line IS NOT NULL AND target IS NULL"
    for _, line in db.execute(sql):
        event = read_line(line)
        if names is None or event.item in names:
            yield event
