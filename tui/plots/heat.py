"""What a calendar of study days is drawn of: shades by the quarter, weeks as columns, or one row.

Apart from its figure (calendar.py), because home draws it too, right after its first paint.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

from tui.plots.grid import Grid
from tui.plots.ink import Ink
from tui.plots.rows import Row, Span, fitted

_WEEKDAYS = ("Mon", "", "Wed", "", "Fri", "", "Sun")
_LEFT = 4
#: Rows of a band of weeks: the months, and seven days.
BAND = 8
_WIDEST = 7
#: Of a month that is cut, so many days are worth its name.
_LEAST = 5


def levels(counts: Mapping[date, int]) -> list[int]:
    """The least count of each of four shades: the first quarter of the studied days, and so on."""
    known = sorted(count for count in counts.values() if count > 0)
    if not known:
        return [1, 2, 3, 4]
    return [known[len(known) * quarter // 4] for quarter in range(4)]


def level(count: int, steps: list[int]) -> int:
    """0 for nothing, 1 to 4 by the quarter."""
    return sum(count >= step for step in steps) if count > 0 else 0


def calendar_width(first: date, today: date, width: int) -> int:
    return min(width, _LEFT + _pitch(first, today, width) * _weeks(first, today))


def draw_calendar(
    counts: Mapping[date, int], first: date, today: date, width: int, height: int, ink: Ink
) -> list[Row]:
    """As many of the last weeks as fit, in bands below each other; the last row is the key."""
    steps, step = levels(counts), _pitch(first, today, width)
    weeks = _weeks(first, today)
    across = max((width - _LEFT) // step, 1)
    bands = max(min((height - 1) // BAND, -(-weeks // across)), 1)
    shown = min(weeks, bands * across)
    grid = Grid(width, min(max(height - 1, 0), bands * BAND))
    monday = today - timedelta(days=today.weekday())
    for number in range(shown):
        week = monday - timedelta(days=7 * (shown - 1 - number))
        # The newest band is the lowest, and full.
        short = bands * across - shown
        band, column = divmod(number + short, across)
        if bands == 1:
            column = number
        _week(grid, (_LEFT + column * step, band * BAND), week, (first, today), counts, steps, ink)
    for band in range(bands):
        for row, name in enumerate(_WEEKDAYS):
            grid.put(0, band * BAND + 1 + row, name, "axis")
    return [*grid.rows(), _key(steps, width, ink)][:height]


def strip(counts: Mapping[date, int], first: date, today: date, width: int, ink: Ink) -> Row:
    """A cell a day in one row, month after month; as many of the last days as fit."""
    steps, spans, left, last = levels(counts), list[Span](), width, today
    while last >= first:
        label, begin = f"{last:%b} ", max(last.replace(day=1), first)
        days = min((last - begin).days + 1, left - len(label) - 1)
        if days < _LEAST and days <= (last - begin).days:
            break  # it is cut, and not worth its name
        shown = [last - timedelta(days=ago) for ago in range(days - 1, -1, -1)]
        cells = (_cell(counts.get(day, 0), steps, day == today, ink) for day in shown)
        spans[:0] = [Span(label, "axis"), *cells, Span(" ")]
        left -= len(label) + days + 1
        last = begin - timedelta(days=1)
    return fitted(spans, width)


def _cell(count: int, steps: list[int], is_today: bool, ink: Ink) -> Span:
    shade = level(count, steps)
    return Span(ink.heat[shade], f"heat{shade} today" if is_today else f"heat{shade}")


def _pitch(first: date, today: date, width: int) -> int:
    fitting = (width - _LEFT) // max(_weeks(first, today), 1)
    return min(max(fitting, 1), _WIDEST)


def _weeks(first: date, today: date) -> int:
    monday = first - timedelta(days=first.weekday())
    return (today - monday).days // 7 + 1


def _week(
    grid: Grid,
    at: tuple[int, int],
    monday: date,
    span: tuple[date, date],
    counts: Mapping[date, int],
    steps: list[int],
    ink: Ink,
) -> None:
    x, y = at
    step = _pitch(*span, grid.width)
    first_of_month = monday + timedelta(days=6)
    if first_of_month.day <= 7:
        words = f"{first_of_month:%b}" if first_of_month.month > 1 else f"{first_of_month:%Y}"
        if step * 4 > len(words):
            grid.put(x, y, words, "axis")
    for weekday in range(7):
        day = monday + timedelta(days=weekday)
        if not span[0] <= day <= span[1]:
            continue
        count = counts.get(day, 0)
        shade = level(count, steps)
        wide = step if step == 1 else min(step - 1, 3)
        role = f"heat{shade}" if day != span[1] else f"heat{shade} today"
        sign = ink.heat[shade]
        grid.put(x, y + 1 + weekday, sign * wide if shade else sign, role)
        if step >= _WIDEST and count:
            grid.put(x + wide, y + 1 + weekday, f"{count:>{step - wide - 1}}"[: step - wide - 1])


def _key(steps: list[int], width: int, ink: Ink) -> Row:
    """What the shades mean."""
    spans = [Span(" " * min(_LEFT, width)), Span(ink.heat[0], "heat0"), Span(" none", "dim")]
    for shade in range(1, 5):
        low = steps[shade - 1]
        if shade < 4 and steps[shade] == low:
            continue  # no day has this shade
        words = f" {low}" if shade == 4 or steps[shade] - 1 == low else f" {low}–{steps[shade] - 1}"
        words += "+" if shade == 4 else ""
        spans += [Span("   "), Span(ink.heat[shade] * 2, f"heat{shade}"), Span(words, "dim")]
    return fitted(spans, width)
