"""Figures over time: retention, calibration, the exam, the calendar, what was done and added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

from deck.stats import KINDS, Share
from tui.plots.bars import BarPlot, daily
from tui.plots.draw import (
    BAND,
    DASHED,
    DOTTED,
    SOLID,
    CellGrid,
    GlyphSet,
    Plane,
    PlotRow,
    PlotSpan,
    calendar_width,
    draw_calendar,
    fitted,
    round_between,
)
from tui.plots.figure import (
    EVER,
    Bin,
    ExamInput,
    Fact,
    Figure,
    StatsInput,
    bins,
    labels,
    legend,
    long_day,
    minutes,
    no_exam,
    of_all,
    plural,
    points,
    share_of,
    short_day,
    size_name,
    summed,
)
from tui.text import percent

if TYPE_CHECKING:
    from deck.exam import Outlook
    from deck.stats import Calibration

#: Columns left of a plane of percents.
_LEFT = 6

# True retention: of the reviews of a week, how many were recalled, beside what was asked for.

#: Samples of the two lines.
_SOLID, _DASHED = "⠤●⠤", "⠄○⠄"
#: No bin is narrower: a line needs room to be followed.
_NARROWEST = 2


def retention(given: StatsInput) -> Figure:
    """Recalled reviews of all reviews, of the span as a whole and bin by bin."""
    young = _sum([day.young for day in given.stats.days])
    mature = _sum([day.mature for day in given.stats.days])
    whole = _sum([young, mature])
    if not whole.of:
        what = "the share of reviews that you recalled will appear here, week by week."
        return Figure(given.nothing(what))
    said = f"You recalled {of_all(whole)} {'review' if whole.of == 1 else 'reviews'} "
    said += f"{given.last_span}; you asked for {percent(given.desired_retention)}."
    spans = [
        (each.name, share_of(each.young), share_of(each.mature), of_all(each.all))
        for each in given.stats.retention
        if each.all.of
    ]
    return Figure(
        said,
        share_of(whole),
        partial(_draw_retention, given),
        most=19,
        facts=(Fact("young", of_all(young)), Fact("mature", of_all(mature))),
        table=(("", "young", "mature", "all"), *spans),
    )


def _sum(shares: Sequence[Share]) -> Share:
    return Share(sum(share.right for share in shares), sum(share.of for share in shares))


def _draw_retention(given: StatsInput, width: int, height: int, ink: GlyphSet) -> list[PlotRow]:
    # Weeks, or more where so many do not fit: single days say little.
    most = max((width - _LEFT) // _NARROWEST, 1)
    weeks = max(-(-((given.today - given.first).days + 1) // 7), 1)
    found = bins(given.first, given.today, min(most, weeks))
    days = given.stats.days
    lines = {
        "young": _recalled(found, {day.day: day.young for day in days}),
        "mature": _recalled(found, {day.day: day.mature for day in days}),
    }
    seen = [y for line in lines.values() for _, y in line]
    low = min(*seen, given.desired_retention, 0.8) - 0.05
    grid = CellGrid(width, height - 1)
    across, up = (0.0, float(max(len(found), 1))), (max(100 * low, 0) // 10 * 10, 100.0)
    plane = Plane(grid, ink, max(height - 3, 1), _LEFT, across, up)
    plane.scale(" %")
    plane.level(100 * given.desired_retention, "asked")
    for kind, line in lines.items():
        is_young = kind == "young"
        shown = [(x, 100 * y) for x, y in line]
        plane.path(shown, kind, DASHED if is_young else SOLID, "o" if is_young else "*")
        for point in shown if len(shown) * 3 <= plane.width else ():
            grid.put(*plane.cell(point), ink.hollow if is_young else ink.points[2], kind)
    marks = [(n + 0.5, words) for n, words in labels(found)]
    if len(found) <= 14 and not marks[1:]:
        marks = [(n + 0.5, short_day(each.first)) for n, each in enumerate(found)]
    plane.ground(marks)
    words = [
        (_SOLID if ink.braille else "***", "mature", f"mature, per {size_name(found)}"),
        (_DASHED if ink.braille else "o o", "young", "young"),
        (ink.dash * 2, "asked", f"asked for {percent(given.desired_retention)}"),
    ]
    return [*grid.rows(), legend(words, width)][:height]


def _recalled(found: Sequence[Bin], shares: Mapping[date, Share]) -> list[tuple[float, float]]:
    """The middle of each bin with reviews, and the share of them that was recalled."""
    right = summed(found, {day: share.right for day, share in shares.items()})
    of = summed(found, {day: share.of for day, share in shares.items()})
    return [(n + 0.5, a / b) for n, (a, b) in enumerate(zip(right, of, strict=True)) if b]


# Whether the model is right: the recall that it predicted, and what happened.

#: Wider, a square would be no square.
_WIDEST = 56
#: Answers from which a point is drawn larger.
_SOME, _MANY = 20, 100


def calibration(given: StatsInput) -> Figure:
    """Predicted against actual recall, by classes of prediction (after at least a day)."""
    found = given.stats.calibration
    if found.log_loss is None or found.predicted is None or found.actual is None:
        what = "predicted beside actual recall will appear here, once items were reviewed."
        return Figure(given.nothing(what))
    said = f"The model predicted {percent(found.predicted, 1)} and you recalled "
    said += f"{percent(found.actual, 1)} of {plural(found.answers, 'review')}: "
    said += _judged(found.actual - found.predicted, found.answers)
    error = percent(found.error or 0.0, 1)
    facts = (
        Fact("log loss", f"{found.log_loss:.3f}"),
        Fact("RMSE", error),
        Fact("reviews", f"{found.answers:,}"),
    )
    rows = [
        (percent(c.predicted, 1), percent(c.actual, 1), f"{c.answers:,}") for c in found.classes
    ]
    return Figure(
        f"{said} Log loss {found.log_loss:.3f}, RMSE {error}.",
        error,
        partial(_draw_calibration, found),
        lambda width: min(width, _WIDEST),
        least=8,
        most=20,
        facts=facts,
        table=(("predicted", "recalled", "reviews"), *rows),
    )


def _judged(off: float, answers: int) -> str:
    """What the difference means, as far as so few answers can tell."""
    noise = 1.3 * (0.09 / max(answers, 1)) ** 0.5
    if abs(off) <= max(noise, 0.005):
        return "as good as it can be told from so few." if answers < 400 else "it knows you well."
    return "you remember more than it thinks." if off > 0 else "you remember less than it thinks."


def _draw_calibration(found: Calibration, width: int, height: int, ink: GlyphSet) -> list[PlotRow]:
    seen = [x for c in found.classes for x in (c.predicted, c.actual)]
    low = min(max(min(seen, default=0.5) * 100 // 10 * 10, 0.0), 80.0)
    grid = CellGrid(min(width, _WIDEST), height - 1)
    plane = Plane(grid, ink, max(height - 3, 1), _LEFT, (low, 100.0), (low, 100.0))
    plane.scale(" %")
    plane.path([(low, low), (100.0, 100.0)], "asked", DOTTED, ".")
    sizes = ink.hollow + ink.points[1:]
    for each in sorted(found.classes, key=lambda c: c.answers):
        size = (each.answers >= _SOME) + (each.answers >= _MANY)
        at = plane.cell((100 * each.predicted, 100 * each.actual))
        grid.put(*at, sizes[size], "point" if size else "dim")
    marks = [(value, f"{value:.0f} %") for value in round_between(low, 100.0, grid.width // 12)]
    plane.ground(marks)
    items = [
        (sizes[2], "point", f"of {_MANY} reviews or more"),
        (sizes[1], "point", f"{_SOME} or more"),
        (sizes[0], "dim", "fewer"),
    ]
    return [*(fitted(row, width) for row in grid.rows()), legend(items, width)][:height]


# The exam: the points that are expected on its day, while the plan is kept.


def exam(given: StatsInput) -> Figure:
    """Expected points on the day of the exam, by how long the plan is kept."""
    found = given.exam
    if isinstance(found, str):
        return Figure(found or no_exam(given))
    whole, stopped, target = found.plan.outlook, found.stopped, found.target
    left = (found.day - found.today).days
    if left < 0:
        said = f"The exam of {found.course} was on {long_day(found.day)}. {given.ways.exam}"
        return Figure(said.rstrip())
    if not found.rise or not whole.points:
        said = f"{found.course} has no items for the exam yet. {given.ways.add}"
        return Figure(said.rstrip())
    plan = f"{points(whole.expected)} of {points(whole.points)} points are expected with the plan."
    said = f"{found.course}, exam in {plural(left, 'day')}. {found.sentence or plan} "
    said += f"If you stop now, {points(stopped.expected)} are expected."
    facts = [
        Fact("exam", long_day(found.day)),
        Fact("with the plan", f"{points(whole.low)} to {points(whole.high)}"),
        Fact("if you stop", f"{points(stopped.low)} to {points(stopped.high)}"),
        Fact("study", f"{minutes(found.plan.minutes)} in all"),
    ]
    if left:
        facts.append(Fact("a day", minutes(found.plan.minutes / left)))
    if target is not None and found.chance is not None:
        facts.append(Fact(f"chance of {points(target)}", percent(found.chance)))
    return Figure(
        said,
        f"{points(whole.expected)} p",
        partial(_draw_exam, found),
        least=8,
        most=22,
        facts=tuple(facts),
    )


def _draw_exam(found: ExamInput, width: int, height: int, ink: GlyphSet) -> list[PlotRow]:
    stands, target = found.rise, found.target
    ends = [n for stand in stands for n in (stand.low, stand.high)]
    ends += [] if target is None else [target]
    low, high = min(ends), max(ends)
    room = max((high - low) * 0.08, 0.5)
    grid = CellGrid(width, height - 1)
    first = found.today.toordinal()
    across = (float(first), float(max(found.day.toordinal(), first + 1)))
    up = (max(low - room, 0.0), high + room)
    plane = Plane(grid, ink, max(height - 3, 1), _LEFT + 1, across, up)
    plane.scale(" p")
    _band(plane, stands)
    if target is not None:
        plane.level(target, "target")
    plane.path([(float(stand.day.toordinal()), stand.expected) for stand in stands], "line")
    plane.ground(_days(found))
    items = [
        ("⠤⠤" if ink.braille else "**", "line", "expected"),
        (ink.band, "band", "4 of 5 exams"),
    ]
    if target is not None:
        items.append((ink.dash * 2, "target", f"target {points(target)} p"))
    return [*grid.rows(), legend(items, width)][:height]


def _band(plane: Plane, stands: Sequence[Outlook]) -> None:
    """From low to high, column by column."""
    first, last = stands[0].day.toordinal(), max(stands[-1].day.toordinal(), 1)
    for column in range(plane.width):
        share = (column + 0.5) / plane.width
        at = share * (len(stands) - 1) if last > first else 0.0
        before, after = stands[int(at)], stands[min(int(at) + 1, len(stands) - 1)]
        part = at - int(at)
        low = before.low + (after.low - before.low) * part
        high = before.high + (after.high - before.high) * part
        _, bottom = plane.cell((plane.x[0], low))
        _, top = plane.cell((plane.x[0], high))
        for row in range(top, bottom + 1):
            plane.grid.put(plane.left + column, row, plane.ink.band, "band")


def _days(found: ExamInput) -> list[tuple[float, str]]:
    """Today, the exam, and days between."""
    first, last = found.today.toordinal(), found.day.toordinal()
    step = max((last - first) // 4, 7)
    marks = [(float(first), "today"), (float(last), f"exam {short_day(found.day)}")]
    between = range(first + step, last - step // 2, step)
    return marks + [(float(day), short_day(date.fromordinal(day))) for day in between]


# Study days as a heat map: a column a week, a row a weekday.


def calendar(given: StatsInput) -> Figure:
    """Answers of each study day of the span."""
    counts = {day.day: day.count for day in given.stats.days}
    streak = given.stats.streak
    if not counts:
        what = "each day will appear here, darker the more you answered."
        return Figure(given.nothing(what), "0 d")
    span = (given.today - given.first).days + 1
    said = f"You studied on {len(counts):,} of {plural(span, 'day')} {given.last_span}; "
    said += f"{plural(streak.current, 'day')} in a row now, {streak.longest:,} at the longest."
    best = max(counts, key=lambda day: (counts[day], day))
    facts = (
        Fact("a studied day", f"{sum(counts.values()) / len(counts):.0f} answers"),
        Fact("most", f"{counts[best]:,} on {long_day(best)}"),
    )
    return Figure(
        said,
        f"{streak.current:,} d",
        partial(draw_calendar, counts, given.first, given.today),
        partial(calendar_width, given.first, given.today),
        least=BAND + 1,
        most=3 * (BAND + 1) + 1,
        facts=facts,
    )


# What was done: answers and minutes a day, and cards that were added.

#: By kind: its place in the heat of the ink, so that the strip is read without colour.
_TEXTURE = {"mature": 4, "young": 3, "relearning": 2, "learning": 1, "new": 0}


def work(given: StatsInput) -> Figure:
    """Answers and minutes by study day, put together where the days do not fit."""
    done = given.stats.days
    count, spent = sum(day.count for day in done), sum(day.minutes for day in done)
    if not count:
        what = "answers and minutes will appear here, day by day."
        return Figure(given.nothing(what), "0")
    span = (given.today - given.first).days + 1
    said = f"You gave {plural(count, 'answer')} in {minutes(spent)} {given.last_span}, on "
    said += f"{len(done):,} of {plural(span, 'day')}."
    facts = (
        Fact("a day", f"{count / span:.1f}"),
        Fact("a studied day", f"{count / len(done):.0f} in {minutes(spent / len(done))}"),
        Fact("an answer", f"{60 * spent / count:.1f} s"),
    )
    answers = {day.day: float(day.count) for day in done}
    times = {day.day: day.minutes for day in done}

    def draw(width: int, height: int, ink: GlyphSet) -> list[PlotRow]:
        """Answers above, minutes below, and the strip of kinds."""
        strip = _strip(given, width, ink) if height >= 11 else []
        low = max((height - len(strip) - 2) // 3, 2)
        upper = daily(given.first, given.today, answers, width)
        lower = daily(given.first, given.today, times, width, role="time", whole=False)
        left = max(upper.margin, lower.margin)
        rows = [legend([(ink.rises[-1], "bar", f"answers per {upper.each}")], width)]
        high = height - len(strip) - 3 - low
        rows += replace(upper, labels=(), left=left).draw(width, high, ink)
        rows += [legend([(ink.rises[-1], "time", f"minutes per {upper.each}")], width)]
        rows += replace(lower, left=left).draw(width, low + 1, ink)
        return [*rows, *strip][:height]

    return Figure(
        said,
        minutes(spent),
        draw,
        lambda width: daily(given.first, given.today, answers, width).natural(width),
        least=9,
        most=27,
        facts=facts,
    )


def added(given: StatsInput) -> Figure:
    """Cards by the day they were added."""
    total, ever = sum(given.added.values()), given.reach.days >= EVER
    first = min([given.first, *given.added]) if ever else given.first
    inside = {day: float(n) for day, n in given.added.items() if first <= day <= given.today}
    count = int(sum(inside.values()))
    if not total:
        what = "the cards you write will appear here, by the day."
        said = f"There is no card yet: {what} {given.ways.add}"
        return Figure(said.rstrip(), "0")
    if not count:
        said = f"No card was added {given.last_span}; there are {total:,}. {given.ways.longer}"
        return Figure(said.rstrip(), "0")
    since = f"since {long_day(first)}" if ever else given.last_span
    said = f"{plural(count, 'card')} {'was' if count == 1 else 'were'} added {since}"
    said += "." if total == count else f"; there are {total:,} in all."
    busy = max(inside, key=lambda day: (inside[day], day))
    facts = (
        Fact("a week", f"{7 * count / max((given.today - first).days + 1, 7):.1f}"),
        Fact("most on a day", f"{inside[busy]:,.0f} on {short_day(busy)}"),
    )

    plot = BarPlot(
        partial(daily, first, given.today, inside),
        lambda bars, ink: [(ink.rises[-1], "bar", f"cards per {bars.each}")],
    )
    return Figure(said, f"{count:,}", plot.draw, plot.natural, most=22, facts=facts)


def _strip(given: StatsInput, width: int, ink: GlyphSet) -> list[PlotRow]:
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
        spans.append(PlotSpan(sign * (end - start), kind))
        items.append((sign, kind, f"{kind} {percent(count / total)}"))
    return [fitted(spans, width), legend(items, width)]
