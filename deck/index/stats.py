"""Statistics by SQL: what was done, what it led to, and what comes.

`sight` has a row for each answer: what the item was then, and which recall the model predicted.
`cell`, `hour` and `class` are sums of these rows, so that figures about a million answers are read
from some thousand rows.  The tables are made at the first question; triggers note which items
changed since, which are taken out of the sums and put in again.

Figures of some items alone are the same questions, asked while temporary tables of these items
hide the index's own (`_only`).
"""

from __future__ import annotations

import re
import sqlite3
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import date, datetime, timedelta
from itertools import groupby, pairwise
from math import sqrt
from operator import add, attrgetter
from typing import Any, NamedTuple

from deck.config import Config, Model, model_of
from deck.events import Event, read_line
from deck.fsrs import Memory
from deck.index.codec import first_value, plain_text, sql_text
from deck.index.schedule import BETWEEN, each_range, follow, replays
from deck.index.store import Progress, Store, silent
from deck.replay import Answer, ReplayCursor
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
    kind_of,
    surprise,
)
from deck.study_day import moment, study_day

#: Predictions are put together in so many classes of equal width.
_CLASSES = 20
#: The first kind, in the order of `KINDS`, whose ratings say whether the model was right.
_FIRST_REVIEW = min(KINDS.index(kind) for kind in REVIEWS)
#: From so many events on, other processes are worth their start.
_SPREAD = 20_000

_TABLES = """
CREATE INDEX IF NOT EXISTS state_stability ON state (stability, learning) WHERE there = 2;
CREATE INDEX IF NOT EXISTS state_difficulty ON state (difficulty) WHERE there = 2;
CREATE INDEX IF NOT EXISTS state_interval ON state (interval) WHERE there = 2 AND learning = 0;
CREATE TABLE IF NOT EXISTS sight (
    item INTEGER, number INTEGER, day INTEGER, hour INTEGER, kind INTEGER, rating INTEGER,
    took INTEGER, chance REAL, PRIMARY KEY (item, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS cell (
    day INTEGER, kind INTEGER, rating INTEGER, answers INTEGER, took INTEGER,
    PRIMARY KEY (day, kind, rating)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS hour (
    day INTEGER, hour INTEGER, recalled INTEGER, answers INTEGER,
    PRIMARY KEY (hour, day)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS class (
    day INTEGER, class INTEGER, answers INTEGER, recalled INTEGER, predicted REAL, loss REAL,
    PRIMARY KEY (class, day)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS unseen (item INTEGER PRIMARY KEY);
CREATE INDEX IF NOT EXISTS event_line ON event (day) WHERE line IS NOT NULL;
CREATE TRIGGER IF NOT EXISTS item_unseen AFTER DELETE ON unfolded
    BEGIN INSERT OR IGNORE INTO unseen VALUES (old.item); END;
CREATE TRIGGER IF NOT EXISTS all_unseen AFTER INSERT ON meta WHEN new.name = 'fold'
    BEGIN DELETE FROM meta WHERE name = 'sight'; END;
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
    bring_up(store, config, progress)
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
        names = ((sql_text(item),) for item in ids)
        sql = "INSERT OR IGNORE INTO chosen SELECT item FROM thing WHERE id = ?"
        db.executemany(sql, names)
        for table in ("item", "state"):
            rows = f"SELECT * FROM main.{table} WHERE item IN (SELECT item FROM chosen)"
            db.execute(f"CREATE TEMP TABLE {table} AS {rows}")
        for (sql,) in db.execute(some.format("index", "state")).fetchall():
            db.execute(sql.replace("CREATE INDEX ", "CREATE INDEX temp.", 1))
        for table in _SUMS:
            sql = db.execute(some.format("table", table)).fetchone()[0]
            db.execute(sql.replace("CREATE TABLE ", "CREATE TEMP TABLE ", 1))
        _sum_up(db, "item IN (SELECT item FROM chosen)")
        yield
    finally:
        for table in ("chosen", "item", "state", *_SUMS):
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
WHERE class IN {tuple(range(_CLASSES))} AND day BETWEEN ? AND ? GROUP BY class ORDER BY class
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


# The answers, counted.

_PUT_SEEN = "INSERT INTO sight VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_UNSEEN = "item IN (SELECT item FROM unseen)"
_PROPER = f"kind >= {_FIRST_REVIEW}"
#: The sums of `sight`, by table: the key's columns, the others, and which answers count.
_SUMS = {
    "cell": (
        {"day": "day", "kind": "kind", "rating": "rating"},
        {"answers": "count(*)", "took": "sum(took)"},
        "1",
    ),
    "hour": (
        {"day": "day", "hour": "hour"},
        {"recalled": "sum(rating > 1)", "answers": "count(*)"},
        _PROPER,
    ),
    "class": (
        {"day": "day", "class": f"min(CAST(chance * {_CLASSES} AS INTEGER), {_CLASSES - 1})"},
        {
            "answers": "count(*)",
            "recalled": "sum(rating > 1)",
            "predicted": "sum(chance)",
            "loss": "sum(surprise(chance, rating > 1))",
        },
        f"{_PROPER} AND chance IS NOT NULL",
    ),
}


def _sum_up(db: sqlite3.Connection, items: str, sign: int = 1) -> None:
    """Adds the answers to `items` (a condition) to the sums; with the sign -1, takes them back."""
    db.create_function("surprise", 2, surprise, deterministic=True)
    for table, (keys, sums, which) in _SUMS.items():
        values = [*keys.values(), *(f"{sign} * {value}" for value in sums.values())]
        groups = ", ".join(str(place) for place in range(1, len(keys) + 1))
        more = ", ".join(f"{name} = {name} + excluded.{name}" for name in sums)
        db.execute(
            f"INSERT INTO {table} ({', '.join([*keys, *sums])})"
            f" SELECT {', '.join(values)} FROM sight WHERE {which} AND {items} GROUP BY {groups}"
            f" ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {more}"
        )
        db.execute(f"DELETE FROM {table} WHERE answers = 0")


def bring_up(store: Store, config: Config, progress: Progress = silent) -> None:
    """Counts what is not counted yet: everything once, then the items whose events changed."""
    db = store.db
    with store.writing():
        if store.noted("sight"):
            if db.execute("SELECT 1 FROM unseen LIMIT 1").fetchone():
                _count_again(db, config)
            return
        for sql in re.split(r"\n(?=CREATE)", _TABLES):  # `executescript` ends the transaction
            db.execute(sql)
        for table in ("sight", "unseen", *_SUMS):
            db.execute(f"DELETE FROM {table}")
        total, done = first_value(db, int, "SELECT count(*) FROM event") or 0, 0
        for rows in each_range(store, config, seen_between, total >= _SPREAD):
            db.executemany(_PUT_SEEN, rows)
            done += len(rows)
            progress("statistics", min(done, total), total)
        _sum_up(db, "1")
        db.execute("INSERT OR REPLACE INTO meta VALUES ('sight', '1')")


def _count_again(db: sqlite3.Connection, config: Config) -> None:
    """Takes the items that changed out of the sums, and puts them in as they are now."""
    _sum_up(db, _UNSEEN, -1)
    db.execute(f"DELETE FROM sight WHERE {_UNSEEN}")
    db.executemany(_PUT_SEEN, list(_seen(db, _UNSEEN.removeprefix("item "), (), config)))
    _sum_up(db, _UNSEEN)
    db.execute("DELETE FROM unseen")


# What each answer met, replayed from the events.


def seen_between(
    db: sqlite3.Connection, low: int, high: int, config: Config
) -> list[tuple[Any, ...]]:
    """Of the items from `low` to `high`."""
    return list(_seen(db, BETWEEN, (low, high), config))


def _seen(
    db: sqlite3.Connection, items: str, given: tuple[int, ...], config: Config
) -> Iterator[tuple[Any, ...]]:
    """The rows of the table `sight`."""
    for item, track, events in replays(db, items, given, config):
        number = 0
        for event in events:
            if event.rating is not None:
                hour = (event.at // 60_000 + event.offset) // 60 % 24
                kind, chance = _met(track, date.fromordinal(event.day))
                place = KINDS.index(kind)
                yield item, number, event.day, hour, place, event.rating, event.took, chance
                number += 1
            follow(track, event)


def _met(track: ReplayCursor, day: date) -> tuple[Kind, float | None]:
    """What an item is before an answer on `day`, and the recall that is predicted of a review."""
    memory = track.memory
    if memory is None:
        return "new", None
    if not track.in_review:
        return "relearning" if track.relearning else "learning", None
    elapsed = (day - track.day).days
    chance = track.model.recall(memory, elapsed) if elapsed > 0 else None
    return "mature" if memory[0] >= MATURE else "young", chance


# What was done lately, and what falls due next: out of the sums where they are made.  To make them
# takes seconds of a large collection, in which nobody else can write; where nobody asked for the
# statistics yet, the events themselves are counted, which holds nobody up.

_TALLIED_DAYS = "SELECT day, sum(answers) FROM cell WHERE day BETWEEN ? AND ? GROUP BY day"
_TALLIED = f"""
SELECT total(answers), total(took), coalesce(sum(answers) FILTER (WHERE {_PROPER}), 0),
    coalesce(sum(answers) FILTER (WHERE {_PROPER} AND rating > 1), 0), 0
FROM cell WHERE day BETWEEN :first AND :today
"""
_STANDS = "NOT EXISTS (SELECT 1 FROM event u WHERE u.target = e.id)"
"""It was not undone."""
_COUNTED_DAYS = f"""
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


def lately(store: Store, now: datetime, config: Config, replay: Replay) -> RecentActivity:
    """The index holds all that was done, and is folded."""
    tallied = bool(store.noted("sight"))
    if tallied:
        bring_up(store, config)
    db, today = store.db, study_day(now, config.rollover)
    first, last = today - timedelta(days=YEAR - 1), today.toordinal()
    rows = db.execute(_TALLIED_DAYS if tallied else _COUNTED_DAYS, (first.toordinal(), last))
    answers = {date.fromordinal(day): count for day, count in rows}
    day = streak_end = today if today in answers else today - timedelta(days=1)
    while day in answers or (day < first and db.execute(_STUDIED, (day.toordinal(),)).fetchone()):
        day -= timedelta(days=1)
    recall, pace = _month(db, today, tallied, replay)
    coming = tuple(forecast(due_days(db, now, config), WEEK))
    return RecentActivity(today, answers, (streak_end - day).days, recall, pace, coming)


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
