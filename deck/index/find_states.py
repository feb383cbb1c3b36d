"""States and numbers of a search as conditions on the table `state`."""

from __future__ import annotations

import sqlite3

from deck.config import model_of
from deck.fsrs import Memory
from deck.index.codec import milliseconds, moment
from deck.index.values import Values
from deck.search.match import MATURE, Moment
from deck.study_day import study_day

STATES = {
    "learning": "learning",
    "relearning": "learning AND relearning",
    "review": "NOT learning",
    "young": "NOT learning AND stability < :mature",
    "mature": "NOT learning AND stability >= :mature",
    "overdue": "NOT learning AND due < :day",
    "leech": ":leech > 0 AND lapses >= :leech",
}
#: The items.
DUE = """
SELECT item FROM (
    SELECT item FROM state WHERE learning = 1 AND due <= :now AND there = 2
    UNION ALL SELECT item FROM state WHERE learning = 0 AND due <= :day AND there = 2)
WHERE item NOT IN (SELECT item FROM held WHERE buried > :day)
"""
NUMBERS = {
    "s": "stability",
    "d": "difficulty",
    "interval": "CASE WHEN learning THEN 0 ELSE interval END",
    "due": "CASE WHEN learning THEN step_day(due) ELSE due END - :day",
    "reps": "repetitions",
    "lapses": "lapses",
    "r": "recall(stability, difficulty, day)",
}
#: Of a new item these are 0; it has no other number.
ZERO_OF_NEW = ("reps", "lapses")
#: Shares of the bound inside which recall is computed, not told by elapsed time over stability.
_CLOSE = 1e-6


def given_at(at: Moment) -> dict[str, object]:
    """The values that the conditions of this file name."""
    return {
        "day": at.day.toordinal(),
        "now": milliseconds(at.now),
        "mature": MATURE,
        "leech": at.config.leech_lapses,
    }


def make_functions(db: sqlite3.Connection, at: Moment) -> None:
    """Those that the conditions call."""
    model, today = model_of(at.config), at.day.toordinal()

    def recall(stability: float, difficulty: float, day: int) -> float:
        return model.recall(Memory(stability, difficulty), today - day)

    def step_day(due: int) -> int:
        then = moment(due).astimezone(at.now.tzinfo)
        return study_day(then, at.config.rollover).toordinal()

    db.create_function("recall", 3, recall)
    db.create_function("step_day", 1, step_day)


_BY_DAY = """
WITH RECURSIVE days(day) AS (SELECT min(day) FROM state UNION ALL
    SELECT (SELECT min(s.day) FROM state s WHERE s.day > d.day) FROM days d WHERE d.day IS NOT NULL)
SELECT s.item AS number FROM days d JOIN state s INDEXED BY state_day ON s.day = d.day
WHERE s.there AND s.stability {}
"""


def recall_alone(values: Values, at: Moment, sign: str, number: float) -> str | None:
    """The items of a search for recall below or above a chance; None where it is no such one.

    Of what was answered on one day, recall is the lower the less stable: an index has the beginning
    (or the end) of each day's.
    """
    bound = model_of(at.config).spent(number) if 0 < number < 1 else None
    if bound is None or sign in ("=", "<>"):
        return None
    # Wider than what `_recall_is` looks at closely.
    wide = values.one(bound * (1 + 2 * _CLOSE if sign[0] == ">" else 1 - 2 * _CLOSE))
    exact = _recall_is(values, bound, sign, number, "s.")
    return _BY_DAY.format(f"{sign[0]} (:day - d.day) / {wide} AND {exact}")


def number_is(values: Values, at: Moment, name: str, sign: str, number: float) -> str:
    """That a number of `NUMBERS` compares so."""
    if name == "r" and sign not in ("=", "<>") and 0 < number < 1:
        bound = model_of(at.config).spent(number)
        if bound is not None:
            return _recall_is(values, bound, sign, number, "")
    return f"{NUMBERS[name]} {sign} {values.one(number)}"


def _recall_is(values: Values, bound: float, sign: str, number: float, of: str) -> str:
    """Recall falls with elapsed time over stability: only near the bound is it computed.  Of
    columns that an index has, so that the table is not read."""
    exact = f"recall({of}stability, 0.0, {of}day) {sign} {values.one(number)}"
    low, high = values.one(bound * (1 - _CLOSE)), values.one(bound * (1 + _CLOSE))
    spent = f":day - {of}day"
    if sign[0] == "<":
        sure, maybe = f"{spent} > {high} * {of}stability", f"{spent} > {low} * {of}stability"
    else:
        sure, maybe = f"{spent} < {low} * {of}stability", f"{spent} < {high} * {of}stability"
    return f"({maybe} AND ({sure} OR {exact}))"
