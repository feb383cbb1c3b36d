"""All statistics, out of the index."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any

from deck.config import Config, model_of
from deck.events import Event, read_line
from deck.index import sight
from deck.index.codec import moment, plain_text
from deck.index.present import can_tell, present
from deck.index.progress import Progress, silent
from deck.index.store import Store
from deck.index.tallied import past
from deck.stats import memory
from deck.stats.memory import Held, Phase
from deck.stats.report import Statistics, put_together, span, statistics
from deck.study_day import study_day

_HELD = """
SELECT t.id, i.item, i.aside, s.learning, s.relearning, s.stability, s.difficulty, s.day,
       s.interval, s.due
FROM item i JOIN thing t ON t.item = i.item LEFT JOIN state s ON s.item = i.item
"""


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
    db, names = store.db, None if chosen is None else set(chosen)
    first, today = span(now, config, days)
    if names is None and can_tell(config):
        known = present(db, now, config, days)
        return put_together(
            first, today, past(db, first, today), known, _checked(db, first, today, names)
        )
    rows = [row for row in db.execute(_HELD) if names is None or plain_text(row[0]) in names]
    items = [_held(row, now, today, config) for row in rows]
    if names is None:
        known = memory.present(items, model_of(config), days)
        return put_together(
            first, today, past(db, first, today), known, _checked(db, first, today, names)
        )
    tally = sight.part(db, [row[1] for row in rows])
    return statistics(items, tally, _checked(db, first, today, names), now, config, days)


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


def _checked(
    db: sqlite3.Connection, first: date, today: date, names: set[str] | None
) -> Iterable[Event]:
    """The events of these study days that may hold a verdict, each once."""
    sql = (
        "SELECT DISTINCT id, line FROM event INDEXED BY event_line"
        " WHERE day BETWEEN ? AND ? AND line IS NOT NULL AND target IS NULL"
    )
    for _, line in db.execute(sql, (first.toordinal(), today.toordinal())):
        event = read_line(line)
        if names is None or event.item in names:
            yield event
