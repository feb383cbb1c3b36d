"""Which moment stands for a day of Anki's, by its number.

Day `n` begins `n` days after the date on which the collection began, at its "next day starts at";
it is named by the date of its beginning.  One that begins at 23:00 is lived on the date that
follows, so what stands for a day is the hour at which its cards are answered, as a rule: by that a
day of Anki's and one of ours are the same day to the learner, whenever either begins.  It is told
by the answers, as a package says neither when its days begin nor where on earth they do.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from statistics import median_low

_DAY = timedelta(days=1)
_HALF = timedelta(hours=12)
#: Answers that are looked at, the newest first: habits change.
_MOST = 4000
#: Each card's last line of the log, where that is an answer which led to a number of days.
_LINES = """
    SELECT r.cid, r.id, r.ease, r.ivl, c.ivl, c.type,
        CASE WHEN c.odid != 0 AND c.odue != 0 THEN c.odue ELSE c.due END
    FROM revlog r JOIN cards c ON c.id = r.cid ORDER BY r.id DESC LIMIT ?
"""
_WHOLE = {int}
_REVIEW = 2


@dataclass(frozen=True, slots=True)
class Days:
    """The days of a collection."""

    first: date
    """Day 0."""
    zone: tzinfo | None
    into: timedelta
    """From midnight of the date that names a day to what stands for it."""

    def of(self, number: int) -> datetime | None:
        """What stands for a day; None for what can be none."""
        with suppress(OverflowError):
            day = self.first + timedelta(days=number)
            if 1970 <= day.year < 3000:
                return datetime.combine(day, time(), self.zone) + self.into
        return None


def days_of(db: sqlite3.Connection, first: date, zone: tzinfo | None, begins: time) -> Days:
    """The days of the collection `db`; `begins` counts where there are no answers to tell more."""
    found: list[timedelta] = []
    seen: set[object] = set()
    for line in db.execute(_LINES, (_MOST,)):
        card, *values = line
        if card in seen:
            continue
        seen.add(card)
        if set(map(type, values)) == _WHOLE and (into := _into(values, first, zone)) is not None:
            found.append(into)
    middle = timedelta(hours=begins.hour) + _HALF
    return Days(first, zone, median_low(found) if found else middle)


def _into(values: list[int], first: date, zone: tzinfo | None) -> timedelta | None:
    """How far into its day a card was answered, where that is what made it due."""
    at, rating, led_to, interval, kind, due = values
    if kind != _REVIEW or rating < 1 or not 0 < led_to == interval:
        return None
    with suppress(OverflowError, ValueError, OSError):
        day = first + timedelta(days=due - interval)
        into = datetime.fromtimestamp(at / 1000, zone or UTC) - datetime.combine(
            day, time(), zone or UTC
        )
        return into if -_DAY <= into < 2 * _DAY else None
    return None
