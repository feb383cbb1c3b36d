"""The days around today, as home shows them: the week, recall, the streak and a calendar.

Loaded after the first paint, as it draws with the signs and shades of the plots.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import timedelta
from math import ceil

from textual.content import Content

from tui.around import Around
from tui.plots.heat import BAND, draw_calendar, strip
from tui.plots.ink import Ink, ink_of
from tui.screens.home_panel import Entry, flowed
from tui.screens.statistics_styles import content_of, style_of
from tui.text import counted, percent

_INITIALS = "MTWTFSS"
#: Columns that the shades of a year take, and of half a year, with the names of the weekdays.
_YEAR, _HALF = 53, 26
_EACH_WEEK = 2


def around_entries(around: Around, width: int) -> Iterator[Entry]:
    """A line each for the week, recall and streak; none for what there is not yet."""
    if any(around.ahead):
        yield "Week", _week(around, ink_of(os.environ), width)
    elif any(around.days):
        yield "Week", [Content("No reviews fall due.")]
    if around.reviews:
        found = f"{percent(around.recalled / around.reviews)} of {around.reviews:,}"
        asked = Content.styled(f"(asked for {percent(around.asked)})", "dim")
        yield "Recall", flowed([Content(found), asked], width, " ")
    if around.streak:
        parts = [Content(counted(around.streak, "day"))]
        if not around.days[-1]:
            parts.append(Content.styled("(not yet today)", "dim"))
        yield "Streak", flowed(parts, width, " ")


def _week(around: Around, ink: Ink, width: int) -> list[Content]:
    """A bar for each day over its initial, today's first; then how many there are."""
    most, bars, names = max(around.ahead), Content(""), Content("")
    for number, count in enumerate(around.ahead):
        day = around.today + timedelta(days=number)
        # Not to the full block: what stands above is a bar, too.
        sign = ink.rises[ceil((ink.levels - ink.braille) * count / most)]
        bars += Content.styled(sign, style_of("bar" if number else "today")) + " "
        names += Content.styled(_INITIALS[day.weekday()], "dim" if number else "bold") + " "
    due = f"{sum(around.ahead):,} due"
    for words in (f"{due} in {len(around.ahead)} days", due):
        line = flowed([bars, Content(words)], width, "  ")
        if len(line) == 1:
            return [*line, names]
    return [bars, names, Content(due)]


def calendar(around: Around, width: int, rows: int) -> Content:
    """In one row, or in as many as a week has days and one more: a year, or as much as fits."""
    ink, counts = ink_of(os.environ), around.counts()
    first = around.today - timedelta(days=len(around.days) - 1)
    if rows == 1:
        drawn = [strip(counts, first, around.today, width, ink)]
    else:
        is_long = any(around.days[: -7 * _HALF]) and width >= 4 + _EACH_WEEK * _YEAR
        monday = around.today - timedelta(days=around.today.weekday())
        begin = monday - timedelta(days=7 * ((_YEAR if is_long else _HALF) - 1))
        drawn = draw_calendar(counts, max(first, begin), around.today, width, BAND + 1, ink)[:BAND]
    return content_of(drawn)
