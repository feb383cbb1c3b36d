"""What was done, as figures: summed up by SQLite out of the kept tally (deck/index/sight.py).

Law: `deck.stats.past.past` of the tally of all answers says the same.
"""

from __future__ import annotations

import sqlite3
from datetime import date

from deck.stats import activity
from deck.stats.activity import Retention
from deck.stats.calibration import calibration
from deck.stats.past import Past
from deck.stats.tally import KINDS, Kind, Predicted, Share

_DAYS = """
SELECT day, kind, sum(answers), sum(took), sum(CASE WHEN rating > 1 THEN answers ELSE 0 END)
FROM cell WHERE day BETWEEN ? AND ? GROUP BY day, kind
"""
_HOURS = "SELECT hour, sum(recalled), sum(answers) FROM hour WHERE day BETWEEN ? AND ? GROUP BY 1"
_RATINGS = "SELECT kind, rating, sum(answers) FROM cell WHERE day BETWEEN ? AND ? GROUP BY 1, 2"
_RETENTION = """
SELECT kind, sum(CASE WHEN rating > 1 THEN answers ELSE 0 END), sum(answers) FROM cell
WHERE day BETWEEN ? AND ? GROUP BY kind
"""
_CLASSES = """
SELECT class, sum(answers), sum(recalled), sum(predicted), sum(loss) FROM class
WHERE day BETWEEN ? AND ? GROUP BY class
"""


def past(db: sqlite3.Connection, first: date, today: date) -> Past:
    """Of all answers, from `first` to `today` where it is about a span."""
    span = (first.toordinal(), today.toordinal())
    day = date.fromordinal
    hours = [Share(0, 0)] * 24
    for hour, *share in db.execute(_HOURS, span):
        hours[hour] = Share(*share)
    ratings: dict[Kind, list[int]] = {kind: [0, 0, 0, 0] for kind in KINDS}
    for kind, rating, answers in db.execute(_RATINGS, span):
        ratings[KINDS[kind]][rating - 1] = answers
    rows = ((day(d), KINDS[k], *rest) for d, k, *rest in db.execute(_DAYS, span))
    studied = [day(row[0]) for row in db.execute("SELECT DISTINCT day FROM cell ORDER BY day")]
    return Past(
        tuple(activity.days_of(rows)),
        tuple(hours),
        {kind: (c[0], c[1], c[2], c[3]) for kind, c in ratings.items()},
        tuple(_retention(db, *each) for each in activity.spans(today)),
        activity.streak_of(studied, today),
        calibration({(today, row[0]): Predicted(*row[1:]) for row in db.execute(_CLASSES, span)}),
    )


def _retention(db: sqlite3.Connection, name: str, first: date, last: date) -> Retention:
    rows = db.execute(_RETENTION, (first.toordinal(), last.toordinal()))
    shares = {KINDS[kind]: Share(right, of) for kind, right, of in rows}
    nothing = Share(0, 0)
    return Retention(name, shares.get("young", nothing), shares.get("mature", nothing))
