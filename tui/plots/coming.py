"""What falls due: today with all that is overdue, and the days that follow."""

from __future__ import annotations

from datetime import timedelta

from tui.plots import bars, days
from tui.plots.bars import Bar, Bars
from tui.plots.figure import Fact, Figure, legend
from tui.plots.given import EVER, Given
from tui.plots.ink import Ink
from tui.plots.rows import Row
from tui.plots.words import plural

NOTE = (
    "An item is counted once, on the day it falls due; what its next answers lead to is not known "
    "yet, and new items are not counted. What was due before today stands on today's bar."
)


def forecast(given: Given) -> Figure:
    """Items by the study day they fall due on, from today; suspended and new ones left out."""
    counts = given.stats.forecast
    if given.reach.days >= EVER:
        end = max((n for n, count in enumerate(counts) if count), default=0)
        counts = counts[: max(end + 1, 30)]
    total, today, late = sum(counts), sum(counts[:1]), given.stats.overdue
    title = "Due"
    if not total:
        return Figure(title, _nothing(given), note=NOTE, key="0")
    said = f"{plural(today, 'review')} {'is' if today == 1 else 'are'} due today"
    said += f", {late:,} of them from before" if late else ""
    span = "in all" if given.reach.days >= EVER else f"in the next {given.reach.words}"
    said += f"; {total:,} {span}, {total / len(counts):.1f} a day."
    busy = max(range(len(counts)), key=lambda n: (counts[n] if n else -1, -n))
    day = given.today + timedelta(days=busy)
    facts = [Fact("tomorrow", f"{sum(counts[1:2]):,}"), Fact("in 7 days", f"{sum(counts[:7]):,}")]
    if len(counts) > 30:
        facts.append(Fact("in 30 days", f"{sum(counts[:30]):,}"))
    if busy and counts[busy]:
        facts.append(Fact("fullest day", f"{counts[busy]:,} on {days.short_day(day)}"))
    return Figure(
        title,
        said,
        f"{today:,}",
        lambda width, height, ink: _draw(given, counts, width, height, ink),
        lambda width: bars.bars_width(_bars(given, counts, width), width),
        most=22,
        facts=tuple(facts),
        note=NOTE,
    )


def _nothing(given: Given) -> str:
    learnt = sum(given.stats.forecast) or given.stats.streak.studied
    if learnt:
        return f"Nothing falls due. Here stand the reviews to come. {given.ways.longer}".rstrip()
    what = "the reviews to come will stand here, day by day."
    return f"Nothing is learnt yet: {what} {given.ways.study}".rstrip()


def _bars(given: Given, counts: tuple[int, ...], width: int) -> Bars:
    last = given.today + timedelta(days=len(counts) - 1)
    found = days.bins(given.today, last, width - 6, ends=False)
    values = {given.today + timedelta(days=n): float(count) for n, count in enumerate(counts)}
    sums = days.summed(found, values)
    late = min(given.stats.overdue, sums[0]) if sums else 0
    shown = [Bar(value) for value in sums]
    if shown:
        shown[0] = Bar(sums[0] - late, "today", late)
    marks = [(0, "today"), *(mark for mark in days.labels(found) if mark[0])]
    if len(found) == len(counts) <= 45:
        marks = [mark for mark in marks if mark[0] % 7 == 0]
    return Bars(shown, marks)


def _draw(given: Given, counts: tuple[int, ...], width: int, height: int, ink: Ink) -> list[Row]:
    drawn = _bars(given, counts, width)
    each = days.size_name(
        days.bins(given.today, given.today + timedelta(days=len(counts) - 1), width - 6, ends=False)
    )
    items = [(ink.rises[-1], "bar", f"due per {each}")]
    if given.stats.overdue:
        items.append((ink.second, "second", "from before today"))
    rows = bars.draw_bars(drawn, width, height - 1, ink)
    return [*rows, legend(items, width)][:height]
