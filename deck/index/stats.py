"""Statistics by SQL: what was done, what it led to, and what comes.

What was done is read from the sums of all answers (`cell`, `hour`, `class`), which the fold makes
(deck/index/schedule.py).  Figures of some items alone are the same questions, asked while temporary
tables of these items hide the index's own (`_only`).
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import date, datetime, timedelta
from itertools import groupby, pairwise
from math import sqrt
from operator import add, attrgetter
from typing import NamedTuple

from deck.config import Config, Model, model_of
from deck.events import Event, read_line
from deck.fsrs import Memory
from deck.index.codec import first_value, plain_text, sql_text
from deck.index.schedule import CLASSES, SUMS, add_up, count_answers, new_sums, put_sums, seen
from deck.index.store import Store
from deck.stats import (
    CHANCES,
    DAYS,
    DIFFICULTIES,
    KINDS,
    MATURE,
    MONTH,
    REVIEWS,
    WEEK,
    YEAR,
    Calibration,
    Class,
    DayDone,
    Histogram,
    Kind,
    Memories,
    RecentActivity,
    Retention,
    Share,
    Standing,
    Statistics,
    Streak,
    checks,
)
from deck.study_day import moment, study_day

#: The first kind, in the order of `KINDS`, whose ratings say whether the model was right.
_FIRST_REVIEW = min(KINDS.index(kind) for kind in REVIEWS)


def figures(
    store: Store, chosen: Sequence[str] | None, now: datetime, config: Config, days: int
) -> Statistics:
    """Of the items `chosen` (None: of all, and of what was done with cards that are gone)."""
    count_answers(store, config)
    db, today = store.db, study_day(now, config.rollover)
    first = today - timedelta(days=days - 1)
    span = (first.toordinal(), today.toordinal())
    with nullcontext() if chosen is None else _only(db, chosen):
        done = [_Row(r[0], KINDS[r[1]], r[2], r[3:]) for r in db.execute(_DAYS, span)]
        coming = due_days(db, now, config)
        return Statistics(
            today=today,
            since=first,
            days=tuple(_days(done)),
            hours=_hours(db, span),
            ratings=_ratings(done),
            retention=tuple(_retentions(db, today)),
            streak=_streak(db, today),
            standing=_standing(db, coming.total()),
            memories=_memories(db, model_of(config), today.toordinal()),
            forecast=tuple(forecast(coming, days)),
            calibration=_calibration(db, span),
            checks=checks(_checked(db, span, chosen)),
            overdue=sum(count for day, count in coming.items() if day < 0),
        )


@contextmanager
def _only(db: sqlite3.Connection, ids: Iterable[str]) -> Iterator[None]:
    """Within it, this connection finds these items, their states and answers only."""
    some = "SELECT sql FROM main.sqlite_master WHERE type = '{}' AND tbl_name = '{}'"
    try:
        db.execute("CREATE TEMP TABLE chosen (item INTEGER PRIMARY KEY)")
        sql = "INSERT OR IGNORE INTO chosen SELECT item FROM thing WHERE id = ?"
        db.executemany(sql, ((sql_text(item),) for item in ids))
        for table in ("item", "state"):
            rows = f"SELECT * FROM main.{table} WHERE item IN (SELECT item FROM chosen)"
            db.execute(f"CREATE TEMP TABLE {table} AS {rows}")
        for (sql,) in db.execute(some.format("index", "state")).fetchall():
            db.execute(sql.replace("CREATE INDEX ", "CREATE INDEX temp.", 1))
        for table in SUMS:
            sql = db.execute(some.format("table", table)).fetchone()[0]
            db.execute(sql.replace("CREATE TABLE ", "CREATE TEMP TABLE ", 1))
        sums = new_sums()
        add_up(sums, seen(db, "IN (SELECT item FROM chosen)"))
        put_sums(db, sums)
        yield
    finally:
        for table in ("chosen", "item", "state", *SUMS):
            db.execute(f"DROP TABLE IF EXISTS temp.{table}")


# What was done.


class _Row(NamedTuple):
    """The answers of a study day (an ordinal) to items of a kind."""

    day: int
    kind: Kind
    took: int
    counts: tuple[int, int, int, int]
    """By rating."""

    @property
    def share(self) -> Share:
        """Recalled, of all."""
        return Share(sum(self.counts[1:]), sum(self.counts))


_DAYS = """
SELECT day, kind, sum(took), coalesce(sum(answers) FILTER (WHERE rating = 1), 0),
    coalesce(sum(answers) FILTER (WHERE rating = 2), 0),
    coalesce(sum(answers) FILTER (WHERE rating = 3), 0),
    coalesce(sum(answers) FILTER (WHERE rating = 4), 0)
FROM cell WHERE day BETWEEN ? AND ? GROUP BY day, kind ORDER BY day, kind
"""
_SHARES = """
SELECT kind, coalesce(sum(answers) FILTER (WHERE rating > 1), 0), sum(answers) FROM cell
WHERE day > ? AND day <= ? GROUP BY kind
"""
# With the hours and the classes named, only the days that are meant are visited of each.
_HOURS = f"""
SELECT hour, sum(recalled), sum(answers) FROM hour
WHERE hour IN {tuple(range(24))} AND day BETWEEN ? AND ? GROUP BY hour
"""
_CALIBRATION = f"""
SELECT sum(answers), sum(recalled), sum(predicted), sum(loss) FROM class
WHERE class IN {tuple(range(CLASSES))} AND day BETWEEN ? AND ? GROUP BY class ORDER BY class
"""


def _days(rows: Iterable[_Row]) -> Iterator[DayDone]:
    for day, kinds in groupby(rows, key=attrgetter("day")):
        found = {row.kind: row for row in kinds}
        shares = {kind: found[kind].share if kind in found else Share(0, 0) for kind in KINDS}
        answers = {kind: shares[kind].of for kind in KINDS}
        minutes = sum(row.took for row in found.values()) / 60_000
        yield DayDone(date.fromordinal(day), answers, minutes, shares["young"], shares["mature"])


def _ratings(rows: Iterable[_Row]) -> dict[Kind, tuple[int, int, int, int]]:
    counts = {kind: [0, 0, 0, 0] for kind in KINDS}
    for row in rows:
        counts[row.kind] = list(map(add, counts[row.kind], row.counts))
    return {kind: (c[0], c[1], c[2], c[3]) for kind, c in counts.items()}


def _retentions(db: sqlite3.Connection, today: date) -> Iterator[Retention]:
    """Of spans of so many days, which end so many days ago; and of all days."""
    spans = (("today", 1, 0), ("yesterday", 1, 1), ("week", 7, 0), ("month", 30, 0))
    for name, length, ago in (*spans, ("year", 365, 0), ("all", None, 0)):
        last = date.max.toordinal() if length is None else today.toordinal() - ago
        rows = db.execute(_SHARES, (0 if length is None else last - length, last))
        shares = {KINDS[kind]: Share(*share) for kind, *share in rows}
        nothing = Share(0, 0)
        yield Retention(name, shares.get("young", nothing), shares.get("mature", nothing))


def _streak(db: sqlite3.Connection, today: date) -> Streak:
    run = before = 0
    ends: dict[int, int] = {}
    for (day,) in db.execute("SELECT DISTINCT day FROM cell ORDER BY day"):
        run = run + 1 if day == before + 1 else 1
        before, ends[day] = day, run
    current = ends.get(today.toordinal()) or ends.get(today.toordinal() - 1, 0)
    return Streak(current, max(ends.values(), default=0), len(ends))


def _hours(db: sqlite3.Connection, span: tuple[int, int]) -> tuple[Share, ...]:
    hours = [Share(0, 0)] * 24
    for hour, *share in db.execute(_HOURS, span):
        hours[hour] = Share(*share)
    return tuple(hours)


def _calibration(db: sqlite3.Connection, span: tuple[int, int]) -> Calibration:
    rows = db.execute(_CALIBRATION, span).fetchall()
    if not rows:
        return Calibration((), 0, None, None, None, None)
    count, recalled, predicted, loss = map(sum, zip(*rows, strict=True))
    classes = tuple(Class(chances / n, right / n, n) for n, right, chances, _ in rows)
    square = sum((c.predicted - c.actual) ** 2 * c.answers for c in classes) / count
    return Calibration(
        classes, count, loss / count, sqrt(square), predicted / count, recalled / count
    )


def _checked(
    db: sqlite3.Connection, span: tuple[int, int], chosen: Iterable[str] | None
) -> Iterator[Event]:
    """The events of these study days that may hold a verdict, each once."""
    names = None if chosen is None else set(chosen)
    sql = (
        "SELECT DISTINCT id, line FROM event INDEXED BY event_line"
        " WHERE day BETWEEN ? AND ? AND line IS NOT NULL AND target IS NULL"
    )
    for _, line in db.execute(sql, span):
        event = read_line(line)
        if names is None or event.item in names:
            yield event


_UNRATED = """
SELECT t.id FROM event e INDEXED BY event_line
JOIN item i ON i.item = e.item AND NOT i.aside JOIN thing t ON t.item = e.item
WHERE e.day BETWEEN ? AND ? AND e.line IS NOT NULL AND e.target IS NULL AND e.rating IS NULL
    AND instr(e.line, CAST('"check"' AS BLOB)) AND NOT EXISTS (SELECT 1 FROM event a
        WHERE a.item = e.item AND a.at >= e.at
        AND (a.rating IS NOT NULL OR instr(a.line, CAST('"cram"' AS BLOB))))
GROUP BY e.item ORDER BY max(e.at) DESC LIMIT ?
"""


def unrated(store: Store, today: date, most: int) -> list[str]:
    """The items that were checked in the last month and not answered since, the latest first."""
    span = ((today - timedelta(days=MONTH - 1)).toordinal(), today.toordinal())
    return [plain_text(row[0]) for row in store.db.execute(_UNRATED, (*span, most))]


# Where the items stand, asked number by number, in an index of each: what is kept of a hundred
# thousand memories is too much to fetch; counts of ranges are not.

#: Named, because SQLite would take the index that it knows one value of, and read the table for the
#: other column.
_LEARNT = "FROM state INDEXED BY state_{} WHERE there = 2"
_REVIEWED = "FROM state INDEXED BY state_{} WHERE there = 2 AND learning = 0"
_STEPS = "FROM state INDEXED BY state_due WHERE learning = 1 AND there = 2"


def due_days(db: sqlite3.Connection, now: datetime, config: Config) -> Counter[int]:
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

    def number(sql: str) -> int:
        return first_value(db, int, f"SELECT count(*) {sql}") or 0

    mature = number(f"{_REVIEWED.format('stability')} AND stability >= {MATURE}")
    steps = dict(db.execute(f"SELECT relearning, count(*) {_STEPS} GROUP BY relearning"))
    aside = number("FROM item WHERE aside")
    new = number("FROM item") - aside - learnt
    young = learnt - sum(steps.values()) - mature
    return Standing(new, steps.get(0, 0), steps.get(1, 0), young, mature, aside)


def _memories(db: sqlite3.Connection, model: Model, today: int) -> Memories:
    chances = list(_chances(db, model, today))
    return Memories(
        _histogram(db, "stability", DAYS, _LEARNT),
        _histogram(db, "difficulty", DIFFICULTIES, _LEARNT),
        _histogram_of(chances, CHANCES),
        _histogram(db, "interval", DAYS, _REVIEWED),
        sum(chances),
    )


def _chances(db: sqlite3.Connection, model: Model, today: int) -> Iterator[float]:
    """The recall of each item that was learnt; asked together of all that were met on one day."""
    if model.spent(0.5) is None:  # recall depends on more than stability and time
        for stability, difficulty, day in db.execute(
            "SELECT stability, difficulty, day FROM state WHERE there = 2"
        ):
            yield model.recall(Memory(stability, difficulty), today - day)
        return
    by_day, day = _LEARNT.format("day"), (0,)
    following = f"SELECT day {by_day} AND day > ? ORDER BY day LIMIT 1"
    while row := db.execute(following, day).fetchone():
        day = row
        rows = db.execute(f"SELECT stability {by_day} AND day = ? ORDER BY stability", day)
        yield from model.recalls([row[0] for row in rows], today - day[0])


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


def _histogram_of(values: Sequence[float], edges: tuple[float, ...]) -> Histogram:
    if not values:
        return Histogram(edges, (0,) * len(edges), None, None)
    ordered, half = sorted(values), len(values) // 2
    begins = [0, *(bisect_left(ordered, edge) for edge in edges[1:]), len(ordered)]
    counts = tuple(end - begin for begin, end in pairwise(begins))
    median = (ordered[half] + ordered[-half - 1]) / 2
    return Histogram(edges, counts, median, sum(ordered) / len(ordered))


# What was done lately, and what falls due next.

_TALLIED_DAYS = "SELECT day, sum(answers) FROM cell WHERE day BETWEEN ? AND ? GROUP BY day"
_STUDIED = "SELECT 1 FROM cell WHERE day = ? LIMIT 1"
_TALLIED = f"""
SELECT total(answers), total(took),
    coalesce(sum(answers) FILTER (WHERE kind >= {_FIRST_REVIEW}), 0),
    coalesce(sum(answers) FILTER (WHERE kind >= {_FIRST_REVIEW} AND rating > 1), 0)
FROM cell WHERE day BETWEEN ? AND ?
"""


def lately(store: Store, now: datetime, config: Config) -> RecentActivity:
    """The index holds all that was done, and is folded."""
    count_answers(store, config)
    db, today = store.db, study_day(now, config.rollover)
    first, last = today - timedelta(days=YEAR - 1), today.toordinal()
    rows = db.execute(_TALLIED_DAYS, (first.toordinal(), last))
    answers = {date.fromordinal(day): count for day, count in rows}
    day = streak_end = today if today in answers else today - timedelta(days=1)
    while day in answers or (day < first and db.execute(_STUDIED, (day.toordinal(),)).fetchone()):
        day -= timedelta(days=1)
    month = ((today - timedelta(days=MONTH - 1)).toordinal(), last)
    count, took, reviews, recalled = db.execute(_TALLIED, month).fetchone()
    pace = took / count / 60_000 if count else None
    coming = tuple(forecast(due_days(db, now, config), WEEK))
    return RecentActivity(
        today, answers, (streak_end - day).days, Share(recalled, reviews), pace, coming
    )
