"""What was done: answers and minutes a day, and cards that were added."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date

from deck.stats.tally import KINDS
from tui.plots import bars, days
from tui.plots.bars import Bar, Bars
from tui.plots.figure import Fact, Figure, legend
from tui.plots.given import EVER, Given
from tui.plots.ink import Ink
from tui.plots.rows import Row, Span, fitted
from tui.plots.words import minutes, percent, plural

WORK = (
    "Every answer counts, learning steps and several answers to one item too; the minutes are the "
    "time until the answer. The strip shows what the items were before: mature from 21 days of "
    "stability on, relearning after a lapse."
)
ADDED = (
    "A card counts on the day that it names (created, or a date at the head of its id); otherwise "
    "on the day its file last changed or it was first answered, whichever is earlier."
)
#: By kind: its place in the heat of the ink, so that the strip is read without colour.
_TEXTURE = {"mature": 4, "young": 3, "relearning": 2, "learning": 1, "new": 0}


def work(given: Given) -> Figure:
    """Answers and minutes by study day, put together where the days do not fit."""
    done = given.stats.days
    count, spent = sum(day.count for day in done), sum(day.minutes for day in done)
    title = "Reviews and time"
    if not count:
        what = "answers and minutes will stand here, day by day."
        return Figure(title, given.nothing(what), "0", note=WORK)
    span = (given.today - given.first).days + 1
    said = (
        f"You gave {plural(count, 'answer')} in {minutes(spent)} {given.last_span}, on "
        f"{len(done):,} of {plural(span, 'day')}."
    )
    facts = (
        Fact("a day", f"{count / span:.1f}"),
        Fact("a studied day", f"{count / len(done):.0f} in {minutes(spent / len(done))}"),
        Fact("an answer", f"{60 * spent / count:.1f} s"),
    )
    return Figure(
        title,
        said,
        minutes(spent),
        lambda width, height, ink: _draw_work(given, width, height, ink),
        lambda width: bars.bars_width(_bars(given, _answers(given), width), width),
        least=9,
        most=27,
        facts=facts,
        note=WORK,
    )


def added(given: Given) -> Figure:
    """Cards by the day they were added."""
    title = "Added cards"
    total = sum(given.added.values())
    first = given.first
    if given.reach.days >= EVER:
        first = min([first, *given.added])
    inside = {day: n for day, n in given.added.items() if first <= day <= given.today}
    count = sum(inside.values())
    if not total:
        what = "the cards you write will stand here, by the day."
        return Figure(title, f"There is no card yet: {what} {given.ways.add}".rstrip(), "0")
    if not count:
        said = f"No card was added {given.last_span}; there are {total:,}. {given.ways.longer}"
        return Figure(title, said.rstrip(), "0", note=ADDED)
    since = f"since {days.long_day(first)}" if given.reach.days >= EVER else given.last_span
    said = f"{plural(count, 'card')} {'was' if count == 1 else 'were'} added {since}"
    said += "." if total == count else f"; there are {total:,} in all."
    busy = max(inside, key=lambda day: (inside[day], day))
    facts = (
        Fact("a week", f"{7 * count / max((given.today - first).days + 1, 7):.1f}"),
        Fact("most on a day", f"{inside[busy]:,} on {days.short_day(busy)}"),
    )
    values = {day: float(n) for day, n in inside.items()}

    def draw(width: int, height: int, ink: Ink) -> list[Row]:
        drawn = _bars(given, values, width, first)
        rows = bars.draw_bars(drawn, width, height - 1, ink)
        each = days.size_name(_bins(given, width, first))
        return [*rows, legend([(ink.rises[-1], "bar", f"cards per {each}")], width)][:height]

    return Figure(
        title,
        said,
        f"{count:,}",
        draw,
        lambda width: bars.bars_width(_bars(given, values, width, first), width),
        most=22,
        facts=facts,
        note=ADDED,
    )


def _answers(given: Given) -> Mapping[date, float]:
    return {day.day: float(day.count) for day in given.stats.days}


def _bins(given: Given, width: int, first: date | None = None) -> list[days.Bin]:
    return days.bins(first or given.first, given.today, width - 6)


def _bars(
    given: Given,
    values: Mapping[date, float],
    width: int,
    first: date | None = None,
    role: str = "bar",
    whole: bool = True,
) -> Bars:
    found = _bins(given, width, first)
    marks = days.labels(found)
    if len(found) <= 45 and found and found[-1].days == 1:
        marks = [mark for mark in marks if (len(found) - 1 - mark[0]) % 7 == 0]
    shown = [Bar(value, role) for value in days.summed(found, values)]
    return Bars(shown, marks, whole=whole)


def _draw_work(given: Given, width: int, height: int, ink: Ink) -> list[Row]:
    """Answers above, minutes below, and the strip of kinds."""
    each = days.size_name(_bins(given, width))
    strip = _strip(given, width, ink) if height >= 11 else []
    low = max((height - len(strip) - 2) // 3, 2)
    high = height - len(strip) - 3 - low
    spent = {day.day: day.minutes for day in given.stats.days}
    upper = _bars(given, _answers(given), width)
    lower = _bars(given, spent, width, role="time", whole=False)
    left = max(bars.margin(upper), bars.margin(lower))
    upper, lower = replace(upper, labels=(), left=left), replace(lower, left=left)
    rows = [legend([(ink.rises[-1], "bar", f"answers per {each}")], width)]
    rows += bars.draw_bars(upper, width, high, ink)
    rows += [legend([(ink.rises[-1], "time", f"minutes per {each}")], width)]
    rows += bars.draw_bars(lower, width, low + 1, ink)
    return [*rows, *strip][:height]


def _strip(given: Given, width: int, ink: Ink) -> list[Row]:
    """What the items were, as shares of one line."""
    counts = {
        kind: sum(day.answers.get(kind, 0) for day in given.stats.days) for kind in reversed(KINDS)
    }
    total = sum(counts.values())
    spans, items, end, seen = [], [], 0, 0
    wide = min(width, 60)
    for kind, count in counts.items():
        if not count:
            continue
        sign = ink.heat[_TEXTURE[kind]]
        seen += count
        start, end = end, round(wide * seen / total)
        spans.append(Span(sign * (end - start), kind))
        items.append((sign, kind, f"{kind} {percent(count / total)}"))
    return [fitted(spans, width), legend(items, width)]
