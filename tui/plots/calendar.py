"""A heat map of study days: a column a week, a row a weekday."""

from __future__ import annotations

from tui.plots.days import long_day
from tui.plots.figure import Fact, Figure
from tui.plots.given import Given
from tui.plots.heat import BAND, calendar_width, draw_calendar
from tui.plots.words import plural

NOTE = (
    "A column is a week, a row a weekday. The shades are quarters of your studied days: a full "
    "block is a day among your busiest. A study day ends at the roll-over (04:00), so a late "
    "evening belongs to its own day."
)


def calendar(given: Given) -> Figure:
    """Answers of each study day of the span."""
    counts = {day.day: day.count for day in given.stats.days}
    streak = given.stats.streak
    title = "Calendar"
    if not counts:
        what = "each day will stand here, darker the more you answered."
        return Figure(title, given.nothing(what), "0 d", note=NOTE)
    span = (given.today - given.first).days + 1
    said = (
        f"You studied on {len(counts):,} of {plural(span, 'day')} {given.last_span}; "
        f"{plural(streak.current, 'day')} in a row now, {streak.longest:,} at the longest."
    )
    best = max(counts, key=lambda day: (counts[day], day))
    facts = (
        Fact("a studied day", f"{sum(counts.values()) / len(counts):.0f} answers"),
        Fact("most", f"{counts[best]:,} on {long_day(best)}"),
    )
    return Figure(
        title,
        said,
        f"{streak.current:,} d",
        lambda width, height, ink: draw_calendar(
            counts, given.first, given.today, width, height, ink
        ),
        lambda width: calendar_width(given.first, given.today, width),
        least=BAND + 1,
        most=3 * (BAND + 1) + 1,
        facts=facts,
        note=NOTE,
    )
