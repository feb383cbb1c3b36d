"""What each desired retention would cost: a simulated year with one's own pace and ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.plots import bars
from tui.plots.bars import Bar, Bars
from tui.plots.figure import Fact, Figure, legend
from tui.plots.given import Given
from tui.plots.ink import UNICODE, Ink
from tui.plots.rows import Row
from tui.plots.words import minutes, percent, plural

if TYPE_CHECKING:
    from deck.optimize.workload import Point, Workload

NOTE = (
    "A year of study is simulated for each desired retention: with your cards, limits, pace and "
    "ratings. Above 90 % the minutes grow fast for few items more; below the cheapest retention, "
    "forgetting costs more than it saves."
)


def workload(given: Given) -> Figure:
    """Minutes a day by desired retention (`deck.optimize.workload`)."""
    found = given.workload
    title = "Workload"
    if isinstance(found, str):
        said = found or "What each desired retention would cost a day will stand here."
        return Figure(title, said, note=NOTE)
    near = _near(found, given.asked)
    cheap = min(found.points, key=lambda point: point.minutes_per_item)
    said = f"At the {percent(given.asked)} that you ask for, a year with "
    said += (
        f"{plural(found.items, 'item')} takes about {_short(near.minutes)} min a day and leaves "
    )
    said += f"{near.remembered:,.0f} remembered; an item costs the least time at "
    lowest = " or less" if cheap is found.points[0] else ""
    said += f"{percent(cheap.retention)}{lowest}."
    facts = (
        Fact("reviews a day", f"{near.reviews:.1f}"),
        Fact(f"at {percent(cheap.retention)}", f"{cheap.minutes:.1f} min a day"),
        Fact("remembered then", f"{cheap.remembered:,.0f}"),
    )
    rows = [
        (percent(p.retention), f"{p.reviews:.1f}", f"{p.minutes:.1f}", f"{p.remembered:,.0f}")
        for p in found.points
    ]
    return Figure(
        title,
        said,
        f"{_short(near.minutes)} min" if near.minutes < 100 else minutes(near.minutes),
        lambda width, height, ink: _draw(found, given.asked, width, height, ink),
        lambda width: bars.bars_width(_bars(found, given.asked, UNICODE), width),
        most=14,
        facts=facts,
        table=(("retention", "reviews", "minutes", "remembered"), *rows),
        note=NOTE,
    )


def _bars(found: Workload, asked: float, ink: Ink) -> Bars:
    near = _near(found, asked)
    shown: list[Bar] = []
    marks: list[tuple[int, str]] = []
    for number, point in enumerate(found.points):
        here, there = point is near, point.retention == found.cheapest
        role = "today" if here else "time" if there else "bar"
        sign = ink.marks[0] * here or ink.marks[1] * there
        shown.append(Bar(point.minutes, role, mark=sign))
        words = f"{100 * point.retention:.0f}"
        # The two that matter are sure of their place.
        marks.insert(0 if sign else len(marks), (number, words))
    return Bars(shown, marks, whole=False)


def _near(found: Workload, asked: float) -> Point:
    return min(found.points, key=lambda point: abs(point.retention - asked))


def _draw(found: Workload, asked: float, width: int, height: int, ink: Ink) -> list[Row]:
    rows = bars.draw_bars(_bars(found, asked, ink), width, height - 1, ink)
    items = [
        (ink.marks[0], "today", f"asked for {percent(asked)}"),
        (ink.marks[1], "time", f"least time an item {percent(found.cheapest)}"),
        (ink.rises[-1], "bar", "min a day"),
    ]
    return [*rows, legend(items, width)][:height]


def _short(number: float) -> str:
    return f"{number:.0f}" if number >= 9.95 else f"{number:.1f}"
