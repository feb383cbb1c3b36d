"""What was done, as figures: summed up by SQLite out of the kept tally (deck/index/sight.py).

Law: `deck.stats.past.past` of the tally of all answers says the same.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from deck.stats import activity
from deck.stats.activity import Retention
from deck.stats.calibration import calibration
from deck.stats.past import Past
from deck.stats.tally import CLASSES, KINDS, REVIEWS, Kind, Predicted, Share

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
