"""Where the items stand, as figures: asked of the index number by number, in an index of each.

What is kept of a hundred thousand memories is too much to fetch; counts of ranges are not.  Law:
`deck.stats.memory.present` of the same items says the same.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from itertools import pairwise

from deck.config import Config, Model, model_of
from deck.index.codec import moment
from deck.stats.memory import CHANCES, DAYS, DIFFICULTIES, Histogram, Memories, Present, Standing
from deck.stats.memory import histogram as histogram_of
from deck.stats.tally import MATURE
from deck.study_day import study_day

#: Made at the first question: who never asks need not keep them.
INDEXES = """
CREATE INDEX IF NOT EXISTS state_stability ON state (stability, learning) WHERE there = 2;
CREATE INDEX IF NOT EXISTS state_difficulty ON state (difficulty) WHERE there = 2;
CREATE INDEX IF NOT EXISTS state_interval ON state (interval) WHERE there = 2 AND learning = 0;
"""
#: Named, because SQLite would take the index that it knows one value of, and read the table for the
#: other column.
_LEARNT = "FROM state INDEXED BY state_{} WHERE there = 2"
_REVIEWED = "FROM state INDEXED BY state_{} WHERE there = 2 AND learning = 0"
_STEPS = "FROM state INDEXED BY state_due WHERE learning = 1 AND there = 2"


def can_tell(config: Config) -> bool:
    """Whether recall follows from stability and time alone."""
    return model_of(config).spent(0.5) is not None


def present(db: sqlite3.Connection, now: datetime, config: Config, days: int) -> Present:
    """Of all items; `days` is how far the forecast looks."""
    found = ahead(db, now, config)
    overdue = sum(count for day, count in found.items() if day < 0)
    memories = _memories(db, model_of(config), study_day(now, config.rollover).toordinal())
    standing = _standing(db, found.total())
    return Present(standing, memories, tuple(forecast(found, days)), overdue)


def ahead(db: sqlite3.Connection, now: datetime, config: Config) -> Counter[int]:
    """How many items fall due in so many study days from today; below 0 they are overdue."""
    today, among = study_day(now, config.rollover).toordinal(), _REVIEWED.format("due")
    found = Counter(dict(db.execute(f"SELECT due - {today}, count(*) {among} GROUP BY due")))
    for (due,) in db.execute(f"SELECT due {_STEPS}"):
        then = study_day(moment(due).astimezone(now.tzinfo), config.rollover)
        found[then.toordinal() - today] += 1
    return found


def forecast(ahead: Mapping[int, int], days: int) -> list[int]:
    """What falls due today (with all that is overdue), tomorrow, and so on for `days` days."""
    counts = [0] * days
    for day, count in ahead.items():
        if day < days:
            counts[max(day, 0)] += count
    return counts


def _standing(db: sqlite3.Connection, learnt: int) -> Standing:
    """`learnt`: those in review or on a learning step."""
    among = _REVIEWED.format("stability")
    mature = _number(db, f"SELECT count(*) {among} AND stability >= {MATURE}")
    steps = dict(db.execute(f"SELECT relearning, count(*) {_STEPS} GROUP BY relearning"))
    aside = _number(db, "SELECT count(*) FROM item WHERE aside")
    new = _number(db, "SELECT count(*) FROM item") - aside - learnt
    young = learnt - sum(steps.values()) - mature
    return Standing(new, steps.get(0, 0), steps.get(1, 0), young, mature, aside)


def _memories(db: sqlite3.Connection, model: Model, today: int) -> Memories:
    chances, by_day = [], _LEARNT.format("day")
    following = f"SELECT day {by_day} AND day > ? ORDER BY day LIMIT 1"
    day = (0,)
    while row := db.execute(following, day).fetchone():
        day = row
        rows = db.execute(f"SELECT stability {by_day} AND day = ? ORDER BY stability", day)
        chances += model.recalls([row[0] for row in rows], today - day[0])
    return Memories(
        _histogram(db, "stability", DAYS, _LEARNT),
        _histogram(db, "difficulty", DIFFICULTIES, _LEARNT),
        histogram_of(chances, CHANCES),
        _histogram(db, "interval", DAYS, _REVIEWED),
        sum(chances),
    )


def _histogram(
    db: sqlite3.Connection, column: str, edges: tuple[float, ...], among: str
) -> Histogram:
    among = among.format(column)
    inner = edges[1:]  # the first class takes what is below it, too
    ranges = [f"{column} < {inner[0]}"]
    ranges += [f"{column} >= {low} AND {column} < {high}" for low, high in pairwise(inner)]
    ranges.append(f"{column} >= {inner[-1]}")
    asked = (f"SELECT count(*), total({column}) {among} AND {each}" for each in ranges)
    rows = [db.execute(sql).fetchone() for sql in asked]
    counts = tuple(row[0] for row in rows)
    count, mean = sum(counts), sum(row[1] for row in rows)
    if not count:
        return Histogram(edges, counts, None, None)
    middle = f"LIMIT {2 - count % 2} OFFSET {(count - 1) // 2}"
    rows = db.execute(f"SELECT {column} {among} ORDER BY {column} {middle}").fetchall()
    return Histogram(edges, counts, sum(row[0] for row in rows) / len(rows), mean / count)


def _number(db: sqlite3.Connection, sql: str) -> int:
    return int(db.execute(sql).fetchone()[0])
