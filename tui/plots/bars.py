"""Figures made of bars: what falls due, hours, buttons, memories, checks, workload."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import lru_cache, partial
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len, set_cell_size

from deck.stats import MATURE, Share
from tui.plots.draw import CellGrid, GlyphSet, Plane, PlotRow, fitted, scale, short
from tui.plots.figure import (
    EVER,
    Fact,
    Figure,
    StatsInput,
    bins,
    edge,
    labels,
    legend,
    long_day,
    minutes,
    of_all,
    plural,
    share_of,
    short_day,
    size_name,
    span_of,
    summed,
)
from tui.text import percent, visible_line

if TYPE_CHECKING:
    from deck.optimize import Point, Workload
    from deck.stats import Histogram

# Bars that stand on a line, in eighths of a cell.

#: No bar is wider.
_WIDEST = 8


class Bar(NamedTuple):
    value: float
    role: str = "bar"
    second: float = 0.0
    """Stands on top of `value`, told from it without colour."""
    mark: int = 0
    """1 or 2: which of the two marks stands above the bar."""

    @property
    def whole(self) -> float:
        return self.value + self.second


@dataclass(frozen=True, slots=True)
class Bars:
    bars: Sequence[Bar]
    labels: Sequence[tuple[int, str]] = ()
    """(bar, words) below the line; the first ones have the right of way."""
    numbers: bool = False
    """The numbers stand on the bars, instead of a scale beside them."""
    whole: bool = True
    """Whether the values are counts."""
    left: int = 0
    """Columns for the scale, where another plot's must stand above this one's; 0: as it needs."""
    each: str = ""
    """What a bar stands for: a day, a week, ..."""

    @property
    def margin(self) -> int:
        """Columns left of the bars, for the numbers of the scale."""
        if self.left or self.numbers or not self.bars:
            return self.left
        return _widest_number(self._highest, self.whole) + 1

    @property
    def _highest(self) -> float:
        return max((bar.whole for bar in self.bars if isfinite(bar.whole)), default=0.0)

    def natural(self, width: int) -> int:
        """Of so many columns, those that `draw` makes use of."""
        count = max(len(self.bars), 1)
        return min(width, self.margin + pitch(count, width - self.margin) * count)

    def draw(self, width: int, height: int, ink: GlyphSet) -> list[PlotRow]:
        """`height` rows of `width` cells: the bars, the line below them, the labels."""
        grid, left = CellGrid(width, height), self.margin
        ground = height - 1 - bool(self.labels)
        if ground < 1 or width - left < 1 or not self.bars:
            return grid.rows()
        shown = list(self.bars)[: width - left]
        step = pitch(len(shown), width - left)
        wide, across = step - (step > 1), min(step * len(shown), width - left)
        headed = self.numbers or any(bar.mark for bar in shown)
        rows = ground - 1 if headed and ground > 1 else ground
        highest = max((bar.whole for bar in shown if isfinite(bar.whole)), default=0.0)
        if self.numbers:
            top = highest or 1.0
        else:
            top, lines = scale(highest, ground, self.whole)
            for above, value in lines:
                words = short(value)
                grid.put(left - 1 - cell_len(words), ground - above, words, "axis")
                grid.put(left, ground - above, ink.grid * across, "grid")
        for x, bar in zip(range(left, width, step), shown, strict=False):
            steps = fill(bar.value, top, rows * ink.levels)
            _column(grid, (x, ground), wide, steps, bar.role, ink)
            if bar.second > 0:
                full = steps // ink.levels
                for row in range(full, min(max(fill(bar.whole, top, rows), full + 1), rows)):
                    grid.put(x, ground - 1 - row, ink.second * wide, "second")
            words = ink.marks[bar.mark - 1] if bar.mark else ""
            if self.numbers and bar.whole:
                words = words or short(bar.whole)
            if len(words) <= step:
                high = -(-fill(bar.whole, top, rows * ink.levels) // ink.levels)
                grid.put(max(x + (wide - len(words)) // 2, 0), ground - 1 - high, words, "value")
        grid.put(left, ground, ink.line * across, "axis")
        self._put_labels(grid, left, step, ground, ink)
        return grid.rows()

    def _put_labels(self, grid: CellGrid, left: int, step: int, ground: int, ink: GlyphSet) -> None:
        """Words under their bars; those that would touch others are left out."""
        for number, words in self.labels:
            cells = cell_len(words)
            x = left + number * step
            if step > 2 and cells <= step:
                x += (step - 1 - cells) // 2
            x = max(min(x, grid.width - cells), 0)
            before, after = max(x - 1, 0), min(x + cells + 1, max(grid.width, x + cells))
            if number < len(self.bars) and grid.is_free(before, ground + 1, after - before):
                grid.put(x, ground + 1, words, "axis")
                if len(self.labels) < len(self.bars):
                    grid.put(left + number * step, ground, ink.tick, "axis")


def fill(value: float, top: float, steps: int) -> int:
    """So many of `steps` are filled: some of any value above 0, all of `top` and more."""
    if not isfinite(value) or value <= 0 or top <= 0 or steps <= 0:
        return steps if value == float("inf") and steps > 0 else 0
    return steps if value >= top else max(round(value / top * steps), 1)


def pitch(count: int, width: int) -> int:
    """Columns from one bar to the next, at least 1."""
    return min(max(width // max(count, 1), 1), _WIDEST + 1)


@lru_cache(maxsize=64)
def _widest_number(highest: float, whole: bool) -> int:
    """In a scale of any height."""
    found = (scale(highest, rows, whole).lines for rows in range(2, 30))
    return max((len(short(value)) for lines in found for _, value in lines), default=2)


def _column(
    grid: CellGrid, at: tuple[int, int], wide: int, steps: int, role: str, ink: GlyphSet
) -> int:
    """So many steps upwards from the row above `at`; returns the rows they take."""
    x, ground = at
    full, rest = divmod(steps, ink.levels)
    for row in range(full):
        grid.put(x, ground - 1 - row, ink.rises[-1] * wide, role)
    if rest:
        grid.put(x, ground - 1 - full, ink.rises[rest] * wide, role)
    return full + bool(rest)


class BarPlot(NamedTuple):
    """Bars over a row that says what they are."""

    bars: Callable[[int], Bars]
    """For so many columns."""
    items: Callable[[Bars, GlyphSet], Sequence[tuple[str, str, str]]]
    """(sign, role, words)"""

    def draw(self, width: int, height: int, ink: GlyphSet) -> list[PlotRow]:
        bars = self.bars(width)
        items = self.items(bars, ink)
        below = [legend(items, width)] if items else []
        return [*bars.draw(width, height - len(below), ink), *below][:height]

    def natural(self, width: int) -> int:
        return self.bars(width).natural(width)


def daily(
    first: date,
    last: date,
    values: Mapping[date, float],
    width: int,
    ends: bool = True,
    role: str = "bar",
    whole: bool = True,
) -> Bars:
    """Days in bars, put together where they do not fit."""
    found = bins(first, last, width - 6, ends)
    marks, each = labels(found), size_name(found)
    if len(found) <= 45 and each == "day":
        begin = (len(found) - 1) % 7 if ends else 0
        marks = [mark for mark in marks if mark[0] % 7 == begin]
    shown = [Bar(value, role) for value in summed(found, values)]
    return Bars(shown, marks, whole=whole, each=each)


# What falls due: today with all that is overdue, and the days that follow.


def forecast(given: StatsInput) -> Figure:
    """Items by the study day they fall due on, from today; suspended and new ones left out."""
    counts, ever = given.stats.forecast, given.reach.days >= EVER
    if ever:
        end = max((n for n, count in enumerate(counts) if count), default=0)
        counts = counts[: max(end + 1, 30)]
    total, today, late = sum(counts), sum(counts[:1]), given.stats.overdue
    if not total:
        if sum(given.stats.forecast) or given.stats.streak.studied:
            said = f"Nothing falls due. The reviews to come appear here. {given.ways.longer}"
        else:
            what = "the reviews to come will appear here, day by day."
            said = f"Nothing is learnt yet: {what} {given.ways.study}"
        return Figure(said.rstrip(), key="0")
    said = f"{plural(today, 'review')} {'is' if today == 1 else 'are'} due today"
    said += f", {late:,} of them from before" if late else ""
    span = "in all" if ever else f"in the next {given.reach.words}"
    said += f"; {total:,} {span}, {total / len(counts):.1f} a day."
    busy = max(range(len(counts)), key=lambda n: (counts[n] if n else -1, -n))
    day = given.today + timedelta(days=busy)
    facts = [Fact("tomorrow", f"{sum(counts[1:2]):,}"), Fact("in 7 days", f"{sum(counts[:7]):,}")]
    if len(counts) > 30:
        facts.append(Fact("in 30 days", f"{sum(counts[:30]):,}"))
    if busy and counts[busy]:
        facts.append(Fact("fullest day", f"{counts[busy]:,} on {short_day(day)}"))

    def items(bars: Bars, ink: GlyphSet) -> list[tuple[str, str, str]]:
        due = (ink.rises[-1], "bar", f"due per {bars.each}")
        return [due, (ink.second, "second", "from before today")] if late else [due]

    plot = BarPlot(partial(_forecast_bars, given, counts), items)
    return Figure(said, f"{today:,}", plot.draw, plot.natural, most=22, facts=tuple(facts))


def _forecast_bars(given: StatsInput, counts: Sequence[int], width: int) -> Bars:
    values = {given.today + timedelta(days=n): float(count) for n, count in enumerate(counts)}
    drawn = daily(given.today, max(values), values, width, ends=False)
    marks = [(0, "today"), *(mark for mark in drawn.labels if mark[0])]
    shown = list(drawn.bars)
    if shown:
        late = min(given.stats.overdue, shown[0].value)
        shown[0] = Bar(shown[0].value - late, "today", late)
    return replace(drawn, bars=shown, labels=marks)


# Reviews by the hour of the day: how many, and how many of them were recalled.

#: Reviews from which an hour says something.
_ENOUGH = 20
_LEFT = 6
_MARKS = [(hour, f"{hour}") for hour in (0, 6, 12, 18, 3, 9, 15, 21)]


def hours(given: StatsInput) -> Figure:
    """Reviews proper by hour, 0 to 23, and the share of them that was recalled."""
    shares = given.stats.hours
    total = sum(share.of for share in shares)
    if not total:
        what = "the hours at which you review, and recall best, will appear here."
        return Figure(given.nothing(what))
    busy = max(range(len(shares)), key=lambda hour: shares[hour].of)
    said = f"You review most from {busy}:00: {percent(shares[busy].of / total)} of "
    said += f"{plural(total, 'review')}"
    known = [hour for hour, share in enumerate(shares) if share.of >= _ENOUGH]
    facts = [Fact(f"{busy}:00", of_all(shares[busy]))]
    if len(known) > 1:
        best = max(known, key=lambda hour: _recall(shares[hour]))
        worst = min(known, key=lambda hour: _recall(shares[hour]))
        said += f"; you recall best from {best}:00, {share_of(shares[best])}"
        facts += [Fact("best", f"{best}:00, {of_all(shares[best])}")]
        facts += [Fact("least", f"{worst}:00, {of_all(shares[worst])}")]
    return Figure(
        f"{said}.",
        f"{busy}:00",
        partial(_draw_hours, given),
        lambda width: min(width, _LEFT + 24 * pitch(24, width - _LEFT)),
        least=9,
        most=26,
        facts=tuple(facts),
    )


def _recall(share: Share) -> float:
    return share.right / share.of if share.of else 0.0


def _draw_hours(given: StatsInput, width: int, height: int, ink: GlyphSet) -> list[PlotRow]:
    """Recall above, the number of reviews below, on one axis."""
    shares = given.stats.hours
    step = pitch(len(shares), width - _LEFT)
    high = max((height - 3) // 2, 2)
    upper = CellGrid(min(width, _LEFT + 24 * step), high)
    seen = [_recall(share) for share in shares if share.of]
    low = max((min(*seen, given.desired_retention) - 0.05) * 100 // 10 * 10, 0.0)
    plane = Plane(upper, ink, high, _LEFT, (0.0, float(len(shares))), (low, 100.0))
    plane.scale(" %")
    plane.level(100 * given.desired_retention, "asked")
    for hour, share in enumerate(shares):
        if share.of:
            _, row = plane.cell((0.0, 100 * _recall(share)))
            x = _LEFT + hour * step + max(step - 2, 0) // 2
            few = share.of < _ENOUGH
            upper.put(x, row, ink.hollow if few else ink.points[2], "dim" if few else "good")
    top = [
        (ink.points[2], "good", "recalled"),
        (ink.hollow, "dim", f"of fewer than {_ENOUGH}"),
        (ink.dash * 2, "asked", f"asked for {percent(given.desired_retention)}"),
    ]
    # The bars stand under the points: their scale is as wide as that of the points.
    lower = Bars([Bar(share.of) for share in shares], _MARKS, left=_LEFT)
    key = legend([(ink.rises[-1], "bar", "reviews, by the hour of the day")], width)
    points = (fitted(row, width) for row in upper.rows())
    below = lower.draw(width, height - high - 2, ink)
    return [legend(top, width), *points, key, *below][:height]


# Which ratings were given, by what the item was.

_RATINGS = ("Again", "Hard", "Good", "Easy")
_ROLES = ("again", "hard", "good", "easy")
#: Narrower names, where the groups stand close.
_SHORT = {"relearning": "relearn", "learning": "learn"}
_WIDEST_BUTTON = 5


def buttons(given: StatsInput) -> Figure:
    """Shares of the four ratings, a group for each kind of item that was answered."""
    counts = {str(kind): tuple(n) for kind, n in given.stats.ratings.items() if sum(n)}
    sums = [sum(each[rating] for each in counts.values()) for rating in range(4)]
    total = sum(sums)
    if not total:
        what = "how often you press each of the four buttons will appear here."
        return Figure(given.nothing(what))
    most = max(range(4), key=lambda rating: sums[rating])
    said = f"Of {plural(total, 'answer')} {given.last_span}, {percent(sums[most] / total)} were "
    said += f"{_RATINGS[most]} and {percent(sums[0] / total)} Again."
    table: list[tuple[str, ...]] = [("", *_RATINGS, "answers")]
    for kind, each in counts.items():
        shares = (percent(n / sum(each)) if n else "–" for n in each)
        table.append((kind, *shares, f"{sum(each):,}"))

    def draw(width: int, height: int, ink: GlyphSet) -> list[PlotRow]:
        items = [
            (str(n + 1), role, f"{name} {percent(sums[n] / total)}")
            for n, (role, name) in enumerate(zip(_ROLES, _RATINGS, strict=True))
        ]
        return [*_draw_buttons(counts, width, height - 1, ink), legend(items, width)][:height]

    return Figure(
        said,
        percent(sums[2] / total),
        draw,
        most=18,
        table=tuple(table),
    )


def _draw_buttons(
    groups: Mapping[str, Sequence[int]], width: int, height: int, ink: GlyphSet
) -> list[PlotRow]:
    """Groups of four bars, each as high as its share of the group; the share stands on it."""
    ground = max(height - 3, 1)
    grid = CellGrid(width, height)
    across = width // max(len(groups), 1)
    step = min(max((across - 2) // 4, 1), _WIDEST_BUTTON)
    wide = step - (step > 1)
    for number, (kind, counts) in enumerate(groups.items()):
        left, total = number * min(across, 4 * step + 4), sum(counts)
        for rating, (count, role) in enumerate(zip(counts, _ROLES, strict=True)):
            x = left + rating * step
            steps = fill(count, total, (ground - 1) * ink.levels)
            high = _column(grid, (x, ground), wide, steps, role, ink)
            words = percent(count / total).removesuffix(" %") if count else ""
            if len(words) <= step:
                middle = x + max(wide - len(words), 0) // 2
                grid.put(middle, ground - 1 - high, words, "value")
            grid.put(x + (wide - 1) // 2, ground + 1, str(rating + 1), role)
        grid.put(left, ground, ink.line * (4 * step - (step - wide)), "axis")
        name = _SHORT.get(kind, kind) if 4 * step < 10 else kind
        grid.put(left, ground + 2, name[: 4 * step + 1], "dim")
    return grid.rows()


# Where the memories stand today: stability, difficulty, chance of recall, intervals.


def stability(given: StatsInput) -> Figure:
    """Items that were learnt, by the stability of their memory in days."""
    found, standing = given.stats.memories.stability, given.stats.standing
    if found.median is None:
        return _nothing_learnt(given, "how long your memories last")
    learnt = sum(found.counts)
    said = f"Half of your {plural(learnt, 'memory', 'memories')} last {span_of(found.median)} "
    said += f"or more; {standing.mature:,} {'is' if standing.mature == 1 else 'are'} mature."
    facts = (
        Fact("mean", span_of(found.mean or 0)),
        Fact("mature", percent(standing.mature / learnt)),
        Fact("young", f"{standing.young:,}"),
        Fact("learning", f"{standing.learning + standing.relearning:,}"),
    )
    drawn = _classes(found, lambda low: "mature" if low >= MATURE else "young", edge)
    items = (("young", "young"), ("mature", "mature, from 21 d on"))
    return _histogram(said, span_of(found.median), drawn, facts, items)


def intervals(given: StatsInput) -> Figure:
    """Items in review, by their interval in days."""
    found = given.stats.memories.intervals
    if found.median is None:
        return _nothing_learnt(given, "the days between two reviews")
    said = f"Half of your {plural(sum(found.counts), 'review item')} come back within "
    said += f"{span_of(found.median)}; the mean interval is {span_of(found.mean or 0)}."
    long = sum(n for low, n in zip(found.edges, found.counts, strict=True) if low >= 90)
    facts = (Fact("3 months or more", f"{long:,}"),)
    drawn = _classes(found, lambda _: "bar", edge)
    return _histogram(said, span_of(found.median), drawn, facts)


def difficulty(given: StatsInput) -> Figure:
    """Items that were learnt, by the difficulty of their memory."""
    found = given.stats.memories.difficulty
    if found.median is None:
        what = "how hard your memories are to keep"
        return _nothing_learnt(given, what)
    learnt, hard = sum(found.counts), sum(found.counts[7:])
    said = f"The median difficulty is {found.median:.1f} of 10; {hard:,} of "
    said += f"{plural(learnt, 'item')} {'is' if hard == 1 else 'are'} hard (8 or more)."
    facts = (Fact("mean", f"{found.mean or 0:.1f}"), Fact("hard", percent(hard / learnt)))
    drawn = _classes(found, lambda low: "again" if low >= 8 else "bar", lambda low: f"{low:.0f}")
    return _histogram(said, f"{found.median:.1f}", drawn, facts)


def retrievability(given: StatsInput) -> Figure:
    """Items that were learnt, by the chance that they would be recalled today."""
    memories = given.stats.memories
    found = memories.retrievability
    if found.mean is None or found.median is None:
        return _nothing_learnt(given, "what you would recall today")
    learnt, asked = sum(found.counts), given.desired_retention
    said = f"You would recall about {memories.remembered:,.0f} of {plural(learnt, 'item')} now, "
    said += f"{percent(found.mean)}; you asked for {percent(asked)} when they fall due."
    are_below = [end <= asked + 1e-9 for end in (*found.edges[1:], 1.0)]
    below = sum(n for n, low in zip(found.counts, are_below, strict=True) if low)
    facts = (Fact("median", percent(found.median)), Fact("certainly below", f"{below:,}"))
    # The even tenths first, the others where there is room.
    tens = [(n, f"{100 * low:.0f}") for n, low in enumerate(found.edges) if not n % 2]
    shown = [
        Bar(count, "hard" if low else "good")
        for count, low in zip(found.counts, are_below, strict=True)
    ]
    drawn = Bars(shown, [*tens[::2], *tens[1::2]])
    items = (("hard", f"below {percent(asked)}"), ("good", f"{percent(asked)} or more"))
    return _histogram(said, percent(found.mean), drawn, facts, items)


def _nothing_learnt(given: StatsInput, what: str) -> Figure:
    said = f"Nothing is learnt yet: {what} will appear here. {given.ways.study}".rstrip()
    return Figure(said)


def _classes(found: Histogram, role: Callable[[float], str], name: Callable[[float], str]) -> Bars:
    """A bar for each class; both are told of where it begins."""
    shown = [Bar(n, role(low)) for low, n in zip(found.edges, found.counts, strict=True)]
    return Bars(shown, [(number, name(low)) for number, low in enumerate(found.edges)])


def _histogram(
    said: str,
    key: str,
    bars: Bars,
    facts: tuple[Fact, ...],
    items: Sequence[tuple[str, str]] = (),
) -> Figure:
    """`items` are roles of bars and what they mean."""

    def numbered(width: int) -> Bars:
        """With the numbers on the bars, where all of them fit there."""
        step = pitch(len(bars.bars), width)
        fitting = all(len(short(bar.whole)) <= step for bar in bars.bars if bar.whole)
        return replace(bars, numbers=fitting and step > 2)

    plot = BarPlot(numbered, lambda _, ink: [(ink.rises[-1], *item) for item in items])
    return Figure(said, key, plot.draw, plot.natural, most=20, facts=facts)


# Derivations that were checked, and the misconceptions that were seen in them.

_VERDICTS = {
    "correct": "right",
    "incomplete": "right in part",
    "wrong-step": "right but for a step",
    "correct-but-slow": "right but slow",
    "correct-except-ties": "right but for ties",
    "only-without-overlap": "right without overlap",
    "wrong": "wrong",
    "unreadable": "not read",
}


#: What the first wrong step of a derivation does.
_STEPS = {
    "definition": "wrong in what is defined",
    "derivative": "wrong at a derivative",
    "chain rule": "wrong at the chain rule",
    "rewriting": "wrong in rewriting",
    "bound": "wrong at a bound",
}


def misconceptions(given: StatsInput) -> Figure:
    """How often each misconception was seen, and when last; the most frequent first."""
    found = given.stats.checks
    if not found.checked:
        said = f"No derivation was checked {given.last_span}: what goes wrong in them, and how "
        said += f"often, will appear here. {given.ways.check}"
        return Figure(said.rstrip())
    right = found.verdicts.get("correct", 0)
    said = f"{right:,} of {plural(found.checked, 'check')} {given.last_span} found a right "
    said += f"derivation; {found.solved:,} of {plural(found.items, 'exercise')} "
    said += f"{'is' if found.solved == 1 else 'are'} solved."
    facts = tuple(
        Fact(names.get(key, key), f"{count:,}")
        for names, counts in ((_VERDICTS, found.verdicts), (_STEPS, found.steps))
        for key, count in counts.items()
    )
    if not found.misconceptions:
        said += " No misconception was seen."
        return Figure(said, "0", partial(_draw_names, []), facts=facts, least=1, most=1)
    name = next(iter(found.misconceptions))
    said += f" Most often: {visible_line(name)}, {plural(found.misconceptions[name], 'time')}"
    said += f", last on {long_day(found.last[name])}." if name in found.last else "."
    rows = [
        (visible_line(name), count, short_day(found.last[name]) if name in found.last else "")
        for name, count in found.misconceptions.items()
    ]
    return Figure(
        said,
        percent(right / found.checked),
        partial(_draw_names, rows),
        least=3,
        most=max(3 * len(rows) - 1, 3),
        facts=facts,
    )


def _draw_names(
    rows: list[tuple[str, int, str]], width: int, height: int, ink: GlyphSet
) -> list[PlotRow]:
    """A bar a misconception below its name, or beside it where there is less room."""
    grid = CellGrid(width, height)
    beside = 2 * len(rows) > height
    apart = 1 if beside else 3 if 3 * len(rows) - 1 <= height else 2
    shown = rows[: max(height - 1, 0)] if beside and len(rows) > height else rows
    ends = [f" {count:,}{f', last {last}' if last else ''}" for _, count, last in rows]
    longest = max((cell_len(name) for name, _, _ in rows), default=0)
    left = min(longest, max(width // 2, 1)) + 1 if beside else 0
    room = max(width - left - max(map(len, ends), default=0), 0)
    most = max((count for _, count, _ in rows), default=1)
    levels = len(ink.runs) - 1
    for number, (name, count, _) in enumerate(shown):
        y = apart * number
        grid.put(0, y, _cut(name, left - 1 if beside else width))
        full, rest = divmod(fill(count, most, room * levels), levels)
        y += not beside
        grid.put(left, y, ink.runs[-1] * full + (ink.runs[rest] if rest else ""), "again")
        grid.put(left + full + bool(rest), y, ends[number], "dim")
    if len(shown) < len(rows):
        grid.put(0, height - 1, f"and {len(rows) - len(shown)} more", "dim")
    return grid.rows()


def _cut(name: str, width: int) -> str:
    return name if cell_len(name) <= width else set_cell_size(name, max(width - 1, 0)) + "…"


# What each desired retention would cost: a simulated year with one's own pace and ratings.


def workload(given: StatsInput) -> Figure:
    """Minutes a day by desired retention (`deck.optimize`)."""
    found, asked = given.workload, given.desired_retention
    if isinstance(found, str):
        said = found or "What each desired retention would cost a day will appear here."
        return Figure(said)
    near = min(found.points, key=lambda point: abs(point.retention - asked))
    cheap = min(found.points, key=lambda point: point.minutes_per_item)
    a_day = f"{near.minutes:.0f}" if near.minutes >= 9.95 else f"{near.minutes:.1f}"
    said = f"At the {percent(asked)} that you ask for, a year with "
    said += f"{plural(found.items, 'item')} takes about {a_day} min a day and leaves "
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
    plot = BarPlot(
        lambda _: _workload_bars(found, near),
        lambda _, ink: [
            (ink.marks[0], "today", f"asked for {percent(asked)}"),
            (ink.marks[1], "time", f"least time an item {percent(found.cheapest)}"),
            (ink.rises[-1], "bar", "min a day"),
        ],
    )
    return Figure(
        said,
        f"{a_day} min" if near.minutes < 100 else minutes(near.minutes),
        plot.draw,
        plot.natural,
        most=14,
        facts=facts,
        table=(("retention", "reviews", "minutes", "remembered"), *rows),
    )


def _workload_bars(found: Workload, near: Point) -> Bars:
    """A bar for each retention; the two that matter are marked, and sure of their label."""
    shown: list[Bar] = []
    marks: list[tuple[int, str]] = []
    for number, point in enumerate(found.points):
        mark = 1 if point is near else 2 if point.retention == found.cheapest else 0
        shown.append(Bar(point.minutes, ("bar", "today", "time")[mark], mark=mark))
        marks.insert(0 if mark else len(marks), (number, f"{100 * point.retention:.0f}"))
    return Bars(shown, marks, whole=False)
