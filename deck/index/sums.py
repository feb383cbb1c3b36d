"""Answers, summed up for the tables `cell`, `hour` and `class` of the index."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import date

from deck.stats.tally import KINDS, Cell, Predicted, Share, Sum, Tally, class_of, surprise

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
