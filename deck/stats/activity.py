"""What was done: per day, by hour, by rating; how much of it was recalled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from deck.stats.tally import KINDS, Cell, Kind, Share, Sum

_NONE = Share(0, 0)


@dataclass(frozen=True, slots=True)
class DayDone:
    day: date
    answers: Mapping[Kind, int]
    minutes: float
    young: Share = _NONE
    """Reviews of young memories that were recalled; learning steps do not count."""
    mature: Share = _NONE

    @property
    def count(self) -> int:
        return sum(self.answers.values())


@dataclass(frozen=True, slots=True)
class Retention:
    """Of the reviews of a span, how many were recalled."""

    name: str
    young: Share
    mature: Share

    @property
    def all(self) -> Share:
        return Share(self.young.right + self.mature.right, self.young.of + self.mature.of)


@dataclass(frozen=True, slots=True)
class Streak:
    """Study days in a row; today may still be missing."""

    current: int
    longest: int
    studied: int
    """Study days with an answer, in all."""


Cells = Mapping[Cell, Sum]


def since(cells: Cells, first: date, last: date) -> dict[Cell, Sum]:
    """The cells of the study days from `first` to `last`."""
    return {cell: s for cell, s in cells.items() if first <= cell.day <= last}


def per_day(cells: Cells) -> list[DayDone]:
    """The study days with an answer, in order: also what a calendar draws."""
    return days_of(
        (cell.day, cell.kind, s.answers, s.milliseconds, s.answers if cell.rating > 1 else 0)
        for cell, s in cells.items()
    )


def days_of(rows: Iterable[tuple[date, Kind, int, int, int]]) -> list[DayDone]:
    """Of rows with a study day, a kind, answers, their milliseconds, and how many were right."""
    answers: dict[date, dict[Kind, int]] = {}
    right: dict[date, dict[Kind, int]] = {}
    took: dict[date, int] = {}
    for day, kind, count, milliseconds, recalled in rows:
        if day not in took:
            answers[day], right[day] = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0)
            took[day] = 0
        answers[day][kind] += count
        right[day][kind] += recalled
        took[day] += milliseconds
    return [
        DayDone(
            day,
            of := answers[day],
            milliseconds / 60_000,
            Share(right[day]["young"], of["young"]),
            Share(right[day]["mature"], of["mature"]),
        )
        for day, milliseconds in sorted(took.items())
    ]


def per_hour(hours: Mapping[tuple[date, int], Share]) -> list[Share]:
    """By hour of the learner's clock, 0..23: reviews recalled, of all reviews."""
    right, of = [0] * 24, [0] * 24
    for (_, hour), share in hours.items():
        of[hour] += share.of
        right[hour] += share.right
    return [Share(*pair) for pair in zip(right, of, strict=True)]


def ratings(cells: Cells) -> dict[Kind, tuple[int, int, int, int]]:
    """How often each rating was given, Again to Easy, by what the item was."""
    counts = {kind: [0, 0, 0, 0] for kind in KINDS}
    for cell, s in cells.items():
        counts[cell.kind][cell.rating - 1] += s.answers
    return {kind: (c[0], c[1], c[2], c[3]) for kind, c in counts.items()}


def retention(name: str, cells: Cells) -> Retention:
    """The true retention: recalled reviews of all reviews; learning steps do not count."""
    found = {}
    for kind in ("young", "mature"):
        of = {cell: s.answers for cell, s in cells.items() if cell.kind == kind}
        right = sum(answers for cell, answers in of.items() if cell.rating > 1)
        found[kind] = Share(right, sum(of.values()))
    return Retention(name, found["young"], found["mature"])


def retentions(cells: Cells, today: date) -> list[Retention]:
    """Of each of `spans`."""
    return [retention(name, since(cells, first, last)) for name, first, last in spans(today)]


def spans(today: date) -> list[tuple[str, date, date]]:
    """Today, yesterday, the last week, month and year, and all: name, first and last study day."""
    yesterday = today - timedelta(days=1)
    found = [("today", today, today), ("yesterday", yesterday, yesterday)]
    for name, days in (("week", 7), ("month", 30), ("year", 365)):
        found.append((name, today - timedelta(days=days - 1), today))
    return [*found, ("all", date.min, date.max)]


def streak(cells: Cells, today: date) -> Streak:
    return streak_of(sorted({cell.day for cell in cells}), today)


def streak_of(days: Sequence[date], today: date) -> Streak:
    """`days`: those with an answer, in order."""
    run = 0
    ends: dict[date, int] = {}
    before = 0
    for day in days:
        ordinal = day.toordinal()
        run = run + 1 if ordinal == before + 1 else 1
        before, ends[day] = ordinal, run
    longest = max(ends.values(), default=0)
    current = ends.get(today) or ends.get(today - timedelta(days=1), 0)
    return Streak(current, longest, len(days))
