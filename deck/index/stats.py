"""Statistics by SQL."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any, NamedTuple

from deck import stats as activity
from deck import stats as memory
from deck.config import Config, Model, model_of
from deck.events import Event, Interval, LearningStep, Outcome, read_line
from deck.index.codec import COLUMNS, models_of, moment, plain_text, read_row
from deck.index.schedule import each_stretch
from deck.index.store import Progress, Store, silent
from deck.replay import Answer, ReplayCursor, apply_event, dedupe_events
from deck.stats import (
    CHANCES,
    CLASSES,
    DAYS,
    DIFFICULTIES,
    KINDS,
    MATURE,
    MONTH,
    REVIEWS,
    WEEK,
    YEAR,
    Cell,
    Held,
    Histogram,
    Kind,
    Lately,
    Memories,
    Past,
    Phase,
    Predicted,
    Present,
    Retention,
    Share,
    Standing,
    Statistics,
    Sum,
    Tally,
    calibration,
    class_of,
    kind_of,
    put_together,
    sight,
    span,
    statistics,
    surprise,
)
from deck.stats import histogram as histogram_of
from deck.study_day import study_day

# == Answers, summed up for the tables `cell`, `hour` and `class` of the index.


#: Places of kinds whose ratings say whether the model was right.
_REVIEWS = KINDS.index("young")

Seen = tuple[int, int, int, int, int, float | None]
"""Of an answer: day, hour, kind, rating, took, chance."""


class Sums:
    """What the tables `cell`, `hour` and `class` say, by their keys."""

    def __init__(self) -> None:
        self.cells: dict[tuple[int, int, int], list[int]] = {}
        self.hours: dict[tuple[int, int], list[int]] = {}
        self.classes: dict[tuple[int, int], list[float]] = {}

    def add(self, seen: Seen, sign: int) -> None:
        day, hour, kind, rating, took, chance = seen
        cell = self.cells.setdefault((day, kind, rating), [0, 0])
        cell[0] += sign
        cell[1] += sign * took
        if kind < _REVIEWS:
            return
        recalled = rating > 1
        share = self.hours.setdefault((day, hour), [0, 0])
        share[0] += sign * recalled
        share[1] += sign
        if chance is not None:
            found = self.classes.setdefault((day, class_of(chance)), [0, 0, 0.0, 0.0])
            found[0] += sign
            found[1] += sign * recalled
            found[2] += sign * chance
            found[3] += sign * surprise(chance, recalled)

    def merge(self, other: Sums) -> None:
        """Adds those of other answers."""
        for mine, others in (
            (self.cells, other.cells),
            (self.hours, other.hours),
            (self.classes, other.classes),
        ):
            _add(mine, others)  # type: ignore[arg-type]

    def put(self, db: sqlite3.Connection) -> None:
        """Adds the sums to those of the tables."""
        for table, sums in (("cell", self.cells), ("hour", self.hours), ("class", self.classes)):
            names = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
            keys = 3 if table == "cell" else 2
            more = ", ".join(f"{name} = {name} + excluded.{name}" for name in names[keys:])
            sql = (
                f"INSERT INTO {table} VALUES ({', '.join('?' * len(names))})"
                f" ON CONFLICT ({', '.join(names[:keys])}) DO UPDATE SET {more}"
            )
            db.executemany(sql, [(*key, *values) for key, values in sums.items()])
            db.execute(f"DELETE FROM {table} WHERE answers = 0")

    def tally(self) -> Tally:
        day, tally = date.fromordinal, Tally()
        for (ordinal, kind, rating), (answers, took) in self.cells.items():
            tally.cells[Cell(day(ordinal), KINDS[kind], rating)] = Sum(answers, took)
        for (ordinal, hour), (recalled, answers) in self.hours.items():
            tally.hours[day(ordinal), hour] = Share(recalled, answers)
        for (ordinal, number), values in self.classes.items():
            found = Predicted(int(values[0]), int(values[1]), values[2], values[3])
            tally.classes[day(ordinal), number] = found
        return tally


def _add(mine: dict[object, list[float]], others: dict[object, list[float]]) -> None:
    for key, values in others.items():
        known = mine.get(key)
        mine[key] = values if known is None else [a + b for a, b in zip(known, values, strict=True)]


def sums_of(answers: Iterable[Seen]) -> Sums:
    made = Sums()
    for seen in answers:
        made.add(seen, 1)
    return made


# == What each answer met, replayed from the events of the index: the rows of the table `sight`.


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
        track = ReplayCursor(plain_text(row[0]), config)
        for number, seen in enumerate(_answers(rows, undone, track)):
            yield item, number, *seen


def _once(
    rows: list[tuple[Any, ...]], models: dict[int, tuple[str, str, str]]
) -> list[tuple[Any, ...]]:
    """Of rows with one id, the one that the fold takes."""
    events = [read_row(row, models) for row in rows]
    taken = {id(event) for event in dedupe_events(events)}
    return [row for row, event in zip(rows, events, strict=True) if id(event) in taken]


def _answers(
    rows: list[tuple[Any, ...]], undone: set[bytes], track: ReplayCursor
) -> Iterator[Seen]:
    for event_id, _, at, offset, ordinal, rating, took, _, step, days, _, line in rows:
        if event_id in undone:
            continue
        if rating is None:
            apply_event(track, read_line(line))
            continue
        day = date.fromordinal(ordinal)
        kind, chance = sight(track, day)
        hour = (at // 60_000 + offset) // 60 % 24
        yield ordinal, hour, KINDS.index(kind), rating, took, chance
        track.answer(rating, moment(at), day, _promise(step, days))


def _promise(step: int | None, promise: float | None) -> Outcome | None:
    if step is not None and promise is not None:
        return LearningStep(step, timedelta(milliseconds=promise))
    return Interval(int(promise)) if promise is not None else None


# == Where the items stand, as figures: asked of the index number by number, in an index of each.
#
# What is kept of a hundred thousand memories is too much to fetch; counts of ranges are not.
# Law:
# `deck.stats.present` of the same items says the same.


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


# == The tally of all answers (deck/stats.py), kept in the index and brought up when asked for.
#
# `sight` says of each answer what the item was then, and which recall the model predicted: so
# that
# an item whose events changed can be taken out of the sums and put in again, and the answers of
# some
# items alone can be summed.  The tables are made at the first question; triggers note what
# changes.


_TABLES = f"""
{INDEXES}
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
#: From so many events on, other processes are worth their start.
_SPREAD = 20_000


def bring_up(store: Store, config: Config, progress: Progress = silent) -> None:
    """Counts what is not counted yet: everything once, then the items whose events changed."""
    db = store.db
    with store.writing():
        if store.noted("sight"):
            if db.execute("SELECT 1 FROM unseen LIMIT 1").fetchone():
                _again(db, config)
            return
        for sql in _statements():
            db.execute(sql)
        for table in ("sight", "cell", "hour", "class", "unseen"):
            db.execute(f"DELETE FROM {table}")
        total = db.execute("SELECT count(*) FROM event").fetchone()[0]
        sums, done = Sums(), 0
        for counted in each_stretch(store, config, "seen", total >= _SPREAD):
            _keep(db, counted.rows)
            sums.merge(counted.sums)
            done += len(counted.rows)
            progress("statistics", min(done, total), total)
        sums.put(db)
        db.execute("INSERT OR REPLACE INTO meta VALUES ('sight', '1')")


def part(db: sqlite3.Connection, items: Iterable[int]) -> Tally:
    """The tally of the answers to some items."""
    sums = Sums()
    sql = "SELECT day, hour, kind, rating, took, chance FROM sight WHERE item = ?"
    for item in items:
        for row in db.execute(sql, (item,)):
            sums.add(row, 1)
    return sums.tally()


def _statements() -> Iterator[str]:
    """One by one: `executescript` would end the transaction."""
    statement = ""
    for line in _TABLES.splitlines():
        statement += line + "\n"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _again(db: sqlite3.Connection, config: Config) -> None:
    """Takes the items that changed out of the sums, and puts them in as they are now."""
    sums = Sums()
    before = "SELECT day, hour, kind, rating, took, chance FROM sight WHERE item IN "
    for row in db.execute(before + "(SELECT item FROM unseen)"):
        sums.add(row, -1)
    db.execute("DELETE FROM sight WHERE item IN (SELECT item FROM unseen)")
    counted = seen_anew(db, config)
    sums.merge(counted.sums)
    _keep(db, counted.rows)
    sums.put(db)
    db.execute("DELETE FROM unseen")


def _keep(db: sqlite3.Connection, rows: list[tuple[Any, ...]]) -> None:
    db.executemany("INSERT INTO sight VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)


# == What was done, as figures: summed up by SQLite out of the kept tally (deck/index/stats.py).
#
# Law: `deck.stats.past` of the tally of all answers says the same.


_DAYS = """
SELECT day, kind, sum(took), coalesce(sum(answers) FILTER (WHERE rating = 1), 0),
    coalesce(sum(answers) FILTER (WHERE rating = 2), 0),
    coalesce(sum(answers) FILTER (WHERE rating = 3), 0),
    coalesce(sum(answers) FILTER (WHERE rating = 4), 0)
FROM cell WHERE day >= ? GROUP BY day, kind
"""
_BEFORE = """
SELECT kind, coalesce(sum(answers) FILTER (WHERE rating > 1), 0), sum(answers) FROM cell
WHERE day < ? GROUP BY kind
"""
_DAYS_BEFORE = "SELECT DISTINCT day FROM cell WHERE day < ? ORDER BY day"
# With the hours and the classes named, only the days that are meant are visited of each.
_HOURS = f"""
SELECT hour, sum(recalled), sum(answers) FROM hour
WHERE hour IN {tuple(range(24))} AND day BETWEEN ? AND ? GROUP BY hour
"""
_CLASSES = f"""
SELECT class, sum(answers), sum(recalled), sum(predicted), sum(loss) FROM class
WHERE class IN {tuple(range(CLASSES))} AND day BETWEEN ? AND ? GROUP BY class
"""


class _Row(NamedTuple):
    """The answers of a study day (an ordinal) to items of a kind."""

    day: int
    kind: Kind
    answers: int
    took: int
    right: int
    counts: tuple[int, int, int, int]
    """By rating."""


def past(db: sqlite3.Connection, first: date, today: date) -> Past:
    """Of all answers, from `first` to `today` where it is about a span."""
    spans, span = activity.spans(today), (first.toordinal(), today.toordinal())
    begin = min(span[0], *(start.toordinal() for _, start, _ in spans if start > date.min))
    rows = [_row(*row) for row in db.execute(_DAYS, (begin,))]
    inside = [row for row in rows if span[0] <= row.day <= span[1]]
    reviews = [row for row in rows if row.kind in REVIEWS]
    before = {KINDS[kind]: Share(*share) for kind, *share in db.execute(_BEFORE, (begin,))}
    studied = [*(row[0] for row in db.execute(_DAYS_BEFORE, (begin,)))]
    studied += dict.fromkeys(row.day for row in rows)
    day = date.fromordinal
    hours = [Share(0, 0)] * 24
    for hour, *share in db.execute(_HOURS, span):
        hours[hour] = Share(*share)
    classes = {(today, row[0]): Predicted(*row[1:]) for row in db.execute(_CLASSES, span)}
    return Past(
        tuple(activity.days_of((day(r[0]), *r[1:5]) for r in inside)),
        tuple(hours),
        _ratings(inside),
        tuple(_retention(reviews, before, *each) for each in spans),
        activity.streak_of(list(map(day, studied)), today),
        calibration(classes),
    )


def _row(day: int, kind: int, took: int, again: int, hard: int, good: int, easy: int) -> _Row:
    right = hard + good + easy
    return _Row(day, KINDS[kind], again + right, took, right, (again, hard, good, easy))


def _ratings(rows: Iterable[_Row]) -> dict[Kind, tuple[int, int, int, int]]:
    counts: dict[Kind, tuple[int, int, int, int]] = dict.fromkeys(KINDS, (0, 0, 0, 0))
    for row in rows:
        a, b = counts[row.kind], row.counts
        counts[row.kind] = (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3])
    return counts


def _retention(
    reviews: Iterable[_Row], before: dict[Kind, Share], name: str, first: date, last: date
) -> Retention:
    """`before`: the answers before those of `reviews`, for the span without a beginning."""
    low, high = first.toordinal(), last.toordinal()
    right, of = dict.fromkeys(REVIEWS, 0), dict.fromkeys(REVIEWS, 0)
    for kind in REVIEWS if first == date.min else ():
        share = before.get(kind, Share(0, 0))
        right[kind], of[kind] = share.right, share.of
    for row in reviews:
        if low <= row.day <= high:
            right[row.kind] += row.right
            of[row.kind] += row.answers
    return Retention(name, *(Share(right[kind], of[kind]) for kind in ("young", "mature")))


# == All statistics, out of the index.


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
    bring_up(store, config, progress)
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
    tally = part(db, [row[1] for row in rows])
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


# == What was done lately, and what falls due next.
#
# Out of the tally (deck/index/stats.py) where there is one.  To make it takes seconds of a large
# collection, in which nobody else can write; where nobody asked for the statistics yet, the
# events
# themselves are counted, which holds nobody up.  Law: both say what `Statistics` says.


_TALLIED_DAYS = "SELECT day, sum(answers) FROM cell WHERE day BETWEEN ? AND ? GROUP BY day"
_PROPER = f"kind >= {min(KINDS.index(kind) for kind in REVIEWS)}"
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


def lately(store: Store, now: datetime, config: Config, replay: Replay) -> Lately:
    """The index holds all that was done, and is folded."""
    tallied = bool(store.noted("sight"))
    if tallied:
        bring_up(store, config)
    db, today = store.db, study_day(now, config.rollover)
    answers = _answers_by_day(db, today, tallied)
    recall, pace = _month(db, today, tallied, replay)
    coming = tuple(forecast(ahead(db, now, config), WEEK))
    return Lately(today, answers, _streak(db, answers, today), recall, pace, coming)


def _answers_by_day(db: sqlite3.Connection, today: date, tallied: bool) -> dict[date, int]:
    last = today.toordinal()
    rows = db.execute(_TALLIED_DAYS if tallied else _COUNTED_DAYS, (last - YEAR + 1, last))
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
