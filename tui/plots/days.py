"""Spans of days, put together so that they fit into columns, and what stands under them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple

#: Days that are put together; whole weeks, so that no weekday is counted more often.
_SIZES = (1, 7, 14, 28, 91, 182, 364)
_NAMES = {1: "day", 7: "week", 14: "2 weeks", 28: "4 weeks", 91: "quarter", 182: "half-year"}


class Bin(NamedTuple):
    first: date
    last: date

    @property
    def days(self) -> int:
        return (self.last - self.first).days + 1


def bins(first: date, last: date, columns: int, ends: bool = True) -> list[Bin]:
    """The days from `first` to `last` in at most `columns` bins of equal size.

    With `ends`, the last bin is full and ends with `last`; otherwise the first begins with `first`.
    """
    days = (last - first).days + 1
    if days <= 0 or columns <= 0:
        return []
    size = next((size for size in _SIZES if -(-days // size) <= columns), 0)
    while not size or -(-days // size) > columns:
        size = size * 2 if size else 728
    count = -(-days // size)
    found = []
    for number in range(count):
        if ends:
            end = days - (count - 1 - number) * size
            start = max(end - size, 0)
        else:
            start, end = number * size, min((number + 1) * size, days)
        found.append(Bin(first + timedelta(days=start), first + timedelta(days=end - 1)))
    return found


def size_name(found: Sequence[Bin]) -> str:
    """What a bin is: "day", "week", "4 weeks", ..."""
    days = max((each.days for each in found), default=1)
    if days in _NAMES:
        return _NAMES[days]
    full = min((size for size in _SIZES if size >= days), default=days)
    years = max(round(days / 364), 1)
    return _NAMES.get(full) or ("year" if years == 1 else f"{years} years")


def summed(found: Sequence[Bin], values: Mapping[date, float]) -> list[float]:
    """What falls into each bin."""
    sums = [0.0] * len(found)
    if not found:
        return sums
    first, last, count = found[0].first, found[-1].last, len(found)
    # Only one bin at an edge may be short.
    ends = found[0].days <= found[-1].days
    size = max(found[-1].days if ends else found[0].days, 1)
    for day, value in values.items():
        if first <= day <= last:
            behind, ahead = (last - day).days // size, (day - first).days // size
            sums[count - 1 - behind if ends else ahead] += value
    return sums


def labels(found: Sequence[Bin]) -> list[tuple[int, str]]:
    """(bin, words) for an axis, from the first on: days, months or years."""
    if not found:
        return []
    days = (found[-1].last - found[0].first).days + 1
    if days <= 45:
        return [(n, short_day(each.first)) for n, each in enumerate(found)]
    marks: list[tuple[int, str]] = []
    before: tuple[int, int] | None = None
    for number, each in enumerate(found):
        # A bin belongs to the month in which it ends: then the month's name stands at its first.
        month = (each.last.year, each.last.month)
        if days <= 800:
            if month != before and before is not None:
                january = each.last.month == 1
                marks.append((number, f"{each.last:%Y}" if january else f"{each.last:%b}"))
        elif before is not None and month[0] != before[0]:
            marks.append((number, f"{each.last:%Y}"))
        before = month
    return marks


def short_day(day: date) -> str:
    """ "20 Nov"."""
    return f"{day.day} {day:%b}"


def long_day(day: date) -> str:
    """ "20 Nov 2026"."""
    return f"{day.day} {day:%b} {day.year}"
