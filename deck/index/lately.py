"""What was done lately, and what falls due next.

Out of the tally (deck/index/sight.py) where there is one.  To make it takes seconds of a large
collection, in which nobody else can write; where nobody asked for the statistics yet, the events
themselves are counted, which holds nobody up.  Law: both say what `Statistics` says.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import date, datetime, timedelta

from deck.config import Config
from deck.index import sight
from deck.index.codec import plain_text
from deck.index.present import ahead, forecast
from deck.index.store import Store
from deck.lately import MONTH, WEEK, YEAR, Lately
from deck.replay import Answer
from deck.stats.tally import KINDS, REVIEWS, Share, kind_of
from deck.study_day import study_day

_TALLIED_DAYS = "SELECT day, sum(answers) FROM cell WHERE day BETWEEN ? AND ? GROUP BY day"
_PROPER = f"kind >= {min(KINDS.index(kind) for kind in REVIEWS)}"
_TALLIED = f"""
SELECT total(answers), total(took), coalesce(sum(answers) FILTER (WHERE {_PROPER}), 0),
    coalesce(sum(answers) FILTER (WHERE {_PROPER} AND rating > 1), 0), 0
FROM cell WHERE day BETWEEN :first AND :today
"""
_STANDS = "NOT EXISTS (SELECT 1 FROM event u WHERE u.target = e.id)"
"""It was not undone."""
_DAYS = f"""
SELECT day, count(DISTINCT id) FROM event e
WHERE day BETWEEN ? AND ? AND rating IS NOT NULL AND {_STANDS} GROUP BY day
"""
_STUDIED = f"SELECT 1 FROM event e WHERE day = ? AND rating IS NOT NULL AND {_STANDS} LIMIT 1"
# What an item was before an answer follows from the last thing that moved it: a review that led to
# days (1), one that led to a learning step or a reset (0), or a line that promises nothing, after
# which the settings decide (2).  Of `max`, SQLite takes the other columns from the same row.
_ANSWERED = f"""
WITH answer AS MATERIALIZED (
    SELECT DISTINCT id, item, rating, took FROM event e
    WHERE day BETWEEN :first AND :today AND rating IS NOT NULL AND {_STANDS}),
met AS MATERIALIZED (
    SELECT item, rating, took, (
        SELECT met FROM (
            SELECT max(e.id), CASE WHEN e.rating IS NULL THEN 0 WHEN e.promise IS NULL THEN 2
                ELSE e.step IS NULL END AS met
            FROM event e WHERE e.item = answer.item AND e.id < answer.id AND {_STANDS}
            AND (e.rating IS NOT NULL OR json_extract(CAST(e.line AS TEXT), '$.kind') = 'reset')
        )) AS met
    FROM answer),
item AS (
    SELECT item, count(*) AS answers, sum(took) AS took, sum(met = 1) AS reviews,
        sum(met = 1 AND rating > 1) AS recalled, max(met = 2) AS unsure
    FROM met GROUP BY item)
"""
_COUNTED = f"""{_ANSWERED}
SELECT total(answers), total(took), coalesce(sum(reviews) FILTER (WHERE unsure IS NOT 1), 0),
    coalesce(sum(recalled) FILTER (WHERE unsure IS NOT 1), 0), total(unsure) FROM item
"""
_UNSURE = f"{_ANSWERED} SELECT t.id FROM item JOIN thing t USING (item) WHERE unsure = 1"

Replay = Callable[[str], list[Answer]]
"""The answers to an item that stand, each with the state that it met."""


def lately(store: Store, now: datetime, config: Config, replay: Replay) -> Lately:
    """The index holds all that was done, and is folded."""
    tallied = bool(store.noted("sight"))
    if tallied:
        sight.bring_up(store, config)
    db, today = store.db, study_day(now, config.rollover)
    answers = _answers(db, today, tallied)
    recall, pace = _month(db, today, tallied, replay)
    coming = tuple(forecast(ahead(db, now, config), WEEK))
    return Lately(today, answers, _streak(db, answers, today), recall, pace, coming)


def _answers(db: sqlite3.Connection, today: date, tallied: bool) -> dict[date, int]:
    last = today.toordinal()
    rows = db.execute(_TALLIED_DAYS if tallied else _DAYS, (last - YEAR + 1, last))
    return {date.fromordinal(day): count for day, count in rows}


def _streak(db: sqlite3.Connection, answers: dict[date, int], today: date) -> int:
    first, day = today - timedelta(days=YEAR - 1), today
    if day not in answers:
        day -= timedelta(days=1)
    length = 0
    while day in answers or (day < first and db.execute(_STUDIED, (day.toordinal(),)).fetchone()):
        day -= timedelta(days=1)
        length += 1
    return length


def _month(
    db: sqlite3.Connection, today: date, tallied: bool, replay: Replay
) -> tuple[Share, float | None]:
    """Recall, and the pace."""
    first = today - timedelta(days=MONTH - 1)
    span = {"first": first.toordinal(), "today": today.toordinal()}
    row = db.execute(_TALLIED if tallied else _COUNTED, span).fetchone()
    count, took, reviews, recalled, unsure = row
    for (item,) in db.execute(_UNSURE, span).fetchall() if unsure else ():
        for event, before in ((a.event, a.before) for a in replay(plain_text(item))):
            if first <= event.day <= today and kind_of(before) in REVIEWS:
                reviews += 1
                recalled += (event.rating or 0) > 1
    return Share(recalled, reviews), took / count / 60_000 if count else None
