"""Figures made of bars."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len, set_cell_size

from deck.stats import MATURE, Share
from tui.plots.draw import UNICODE, Grid, Ink, Plane, Row, fitted, scale, short
from tui.plots.figure import (
    EVER,
    Fact,
    Figure,
    Given,
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
from tui.text import one_line, percent

if TYPE_CHECKING:
    from deck.optimize import Point, Workload
    from deck.stats import Histogram


# == Bars that stand on a line, in eighths of a cell.


#: No bar is wider.
_WIDEST = 8


class Bar(NamedTuple):
    value: float
    role: str = "bar"
    second: float = 0.0
    """Stands on top of `value`, told from it without colour."""
    mark: str = ""
    """Stands above the bar, where there is room; else its number, where numbers stand there."""

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
    unit: str = ""
    """Behind the numbers of the scale."""
    gap: bool = True
    left: int = 0
    """Columns for the scale, where another plot's must stand above this one's; 0: as it needs."""


def fill(value: float, top: float, steps: int) -> int:
    """So many of `steps` are filled: some of any value above 0, all of `top` and more."""
    if not isfinite(value) or value <= 0 or top <= 0 or steps <= 0:
        return steps if value == float("inf") and steps > 0 else 0
    return steps if value >= top else max(round(value / top * steps), 1)


def pitch(count: int, width: int) -> int:
    """Columns from one bar to the next, at least 1."""
    return min(max(width // max(count, 1), 1), _WIDEST + 1)


def bars_width(bars: Bars, width: int) -> int:
    """The cells that `draw_bars` makes use of."""
    inner = width - margin(bars)
    return min(width, margin(bars) + pitch(len(bars.bars), inner) * max(len(bars.bars), 1))


def draw_bars(bars: Bars, width: int, height: int, ink: Ink) -> list[Row]:
    """`height` rows of `width` cells: the bars, the line below them, the labels."""
    grid = Grid(width, height)
    rows = height - 1 - bool(bars.labels)
    left = margin(bars)
    if rows < 1 or width - left < 1 or not bars.bars:
        return grid.rows()
    shown = list(bars.bars)[: max(width - left, 1)]
    step = pitch(len(shown), width - left)
    headed = bars.numbers or any(bar.mark for bar in shown)
    room = rows - 1 if headed and rows > 1 else rows
    highest = max((bar.whole for bar in shown if isfinite(bar.whole)), default=0.0)
    if bars.numbers:
        top = highest or 1.0
    else:
        top, lines = scale(highest, rows, bars.whole)
        for above, value in lines:
            words = short(value) + bars.unit
            grid.put(left - 1 - cell_len(words), rows - above, words, "axis")
            grid.put(left, rows - above, ink.grid * min(step * len(shown), width - left), "grid")
    wide = step - 1 if step > 1 and bars.gap else step
    for number, bar in enumerate(shown):
        x = left + number * step
        _column(grid, x, wide, rows, bar, (top, room), ink)
        if bars.numbers or bar.mark:
            _number(grid, x, (step, wide), rows, bar, (top, room), ink)
    grid.put(left, rows, ink.line * min(step * len(shown), width - left), "axis")
    _labels(grid, left, step, wide, rows + 1, bars, ink)
    return grid.rows()


def margin(bars: Bars) -> int:
    """Columns left of the bars, for the numbers of the scale."""
    if bars.left or bars.numbers or not bars.bars:
        return bars.left
    highest = max((bar.whole for bar in bars.bars if isfinite(bar.whole)), default=0.0)
    return _widest_number(highest, bars.whole) + len(bars.unit) + 1


@lru_cache(maxsize=64)
def _widest_number(highest: float, whole: bool) -> int:
    """In a scale of any height."""
    found = (scale(highest, rows, whole).lines for rows in range(2, 30))
    return max((len(short(value)) for lines in found for _, value in lines), default=2)


def _column(
    grid: Grid, x: int, wide: int, ground: int, bar: Bar, room: tuple[float, int], ink: Ink
) -> None:
    """One bar, from the row above `ground` upwards; `room` is what a full one means, and has."""
    top, rows = room
    steps = fill(bar.value, top, rows * ink.levels)
    full, rest = divmod(steps, ink.levels)
    for row in range(full):
        grid.put(x, ground - 1 - row, ink.rises[-1] * wide, bar.role)
    if rest:
        grid.put(x, ground - 1 - full, ink.rises[rest] * wide, bar.role)
    if bar.second > 0:
        high = max(fill(bar.whole, top, rows), full + 1)
        for row in range(full, min(high, rows)):
            grid.put(x, ground - 1 - row, ink.second * wide, "second")


def _number(
    grid: Grid,
    x: int,
    widths: tuple[int, int],
    ground: int,
    bar: Bar,
    room: tuple[float, int],
    ink: Ink,
) -> None:
    """The number on top of a bar, in its middle, where it fits between its neighbours."""
    step, wide = widths
    words = bar.mark or (short(bar.whole) if bar.whole else "")
    top, rows = room
    high = -(-fill(bar.whole, top, rows * ink.levels) // ink.levels)
    if len(words) <= max(step, wide):
        start = max(x + (wide - len(words)) // 2, 0)
        grid.put(start, ground - 1 - high, words, "value")


def _labels(grid: Grid, left: int, step: int, wide: int, row: int, bars: Bars, ink: Ink) -> None:
    """Words under their bars; those that would touch others are left out."""
    for number, words in bars.labels:
        cells = cell_len(words)
        x = left + number * step
        if step > 2 and cells <= wide + 1:
            x += (wide - cells) // 2
        x = max(min(x, grid.width - cells), 0)
        before = max(x - 1, 0)
        if number >= len(bars.bars) or not grid.is_free(before, row, x - before + cells):
            continue
        if x + cells < grid.width and not grid.is_free(x + cells, row, 1):
            continue
        grid.put(x, row, words, "axis")
        if len(bars.labels) < len(bars.bars):
            grid.put(left + number * step, row - 1, ink.tick, "axis")


# == Which ratings were given, by what the item was.


NOTE = (
    "The shares of Again, Hard, Good and Easy (keys 1 to 4) among the answers to items that were "
    "new, being learnt, learnt again after a lapse, young or mature. Hard is for what was recalled "
    "with effort: as a milder Again it makes intervals too long."
)
RATINGS = ("Again", "Hard", "Good", "Easy")
_ROLES = ("again", "hard", "good", "easy")
#: Narrower names, where the groups stand close.
_SHORT = {"relearning": "relearn", "learning": "learn"}
_BUTTONS_WIDEST = 5


def buttons(given: Given) -> Figure:
    """Shares of the four ratings, a group for each kind of item that was answered."""
    counts = {str(kind): tuple(n) for kind, n in given.stats.ratings.items() if sum(n)}
    total = sum(sum(each) for each in counts.values())
    title = "Answer buttons"
    if not total:
        what = "how often you press each of the four buttons will stand here."
        return Figure(title, given.nothing(what), note=NOTE)
    sums = [sum(each[rating] for each in counts.values()) for rating in range(4)]
    most = max(range(4), key=lambda rating: sums[rating])
    said = f"Of {plural(total, 'answer')} {given.last_span}, {percent(sums[most] / total)} were "
    said += f"{RATINGS[most]} and {percent(sums[0] / total)} Again."
    table: list[tuple[str, ...]] = [("", *RATINGS, "answers")]
    for kind, each in counts.items():
        shares = (percent(n / sum(each)) if n else "–" for n in each)
        table.append((kind, *shares, f"{sum(each):,}"))
    return Figure(
        title,
        said,
        percent(sums[2] / total),
        lambda width, height, ink: _draw(counts, width, height, ink),
        most=18,
        table=tuple(table),
        note=NOTE,
    )


def _draw(counts: Mapping[str, Sequence[int]], width: int, height: int, ink: Ink) -> list[Row]:
    """Groups of four bars, each as high as its share of the group; the share stands on it."""
    rows = max(height - 4, 1)
    grid = Grid(width, height - 1)
    groups = list(counts.items())
    sums = [sum(each[rating] for each in counts.values()) for rating in range(4)]
    across = width // max(len(groups), 1)
    step = min(max((across - 2) // 4, 1), _BUTTONS_WIDEST)
    for number, (kind, each) in enumerate(groups):
        x = number * min(across, 4 * step + 4)
        _group(grid, x, step, rows, kind, each, ink)
    items = [
        (str(n + 1), role, f"{name} {percent(sums[n] / max(sum(sums), 1))}")
        for n, (role, name) in enumerate(zip(_ROLES, RATINGS, strict=True))
    ]
    return [*grid.rows(), legend(items, width)][:height]


def _group(
    grid: Grid, left: int, step: int, rows: int, kind: str, counts: Sequence[int], ink: Ink
) -> None:
    total = sum(counts)
    wide = step - 1 if step > 1 else step
    for rating, count in enumerate(counts):
        x, role = left + rating * step, _ROLES[rating]
        full, rest = divmod(fill(count, total, (rows - 1) * ink.levels), ink.levels)
        for row in range(full):
            grid.put(x, rows - 1 - row, ink.rises[-1] * wide, role)
        if rest:
            grid.put(x, rows - 1 - full, ink.rises[rest] * wide, role)
        words = percent(count / total).removesuffix(" %") if count else ""
        high = full + bool(rest)
        if len(words) <= step:
            grid.put(x + max(wide - len(words), 0) // 2, rows - 1 - high, words, "value")
        grid.put(x + (wide - 1) // 2, rows + 1, str(rating + 1), role)
    grid.put(left, rows, ink.line * (4 * step - (step - wide)), "axis")
    name = _SHORT.get(kind, kind) if 4 * step < 10 else kind
    grid.put(left, rows + 2, name[: 4 * step + 1], "dim")


# == Reviews by the hour of the day: how many, and how many of them were recalled.


HOURS_NOTE = (
    "Hours of the clock you were looking at; learning steps do not count. An hour with few reviews "
    "says little: a filled point stands for 20 or more."
)
#: Reviews from which an hour says something.
_ENOUGH = 20
_LEFT = 6
_MARKS = [(hour, f"{hour}") for hour in (0, 6, 12, 18, 3, 9, 15, 21)]


def hours(given: Given) -> Figure:
    """Reviews proper by hour, 0 to 23, and the share of them that was recalled."""
    shares = given.stats.hours
    total = sum(share.of for share in shares)
    title = "Hours"
    if not total:
        what = "the hours at which you review, and recall best, will stand here."
        return Figure(title, given.nothing(what), note=HOURS_NOTE)
    busy = max(range(len(shares)), key=lambda hour: shares[hour].of)
    said = f"You review most from {_hour(busy)}: {percent(shares[busy].of / total)} of "
    said += f"{plural(total, 'review')}"
    known = [hour for hour, share in enumerate(shares) if share.of >= _ENOUGH]
    facts = [Fact(_hour(busy), of_all(shares[busy]))]
    if len(known) > 1:
        best, worst = (
            max(known, key=lambda h: _recall(shares[h])),
            min(known, key=lambda h: _recall(shares[h])),
        )
        said += f"; you recall best from {_hour(best)}, {share_of(shares[best])}"
        facts += [Fact("best", f"{_hour(best)}, {of_all(shares[best])}")]
        facts += [Fact("least", f"{_hour(worst)}, {of_all(shares[worst])}")]
    return Figure(
        title,
        f"{said}.",
        _hour(busy),
        lambda width, height, ink: _hours_draw(given, width, height, ink),
        _natural,
        least=9,
        most=26,
        facts=tuple(facts),
        note=HOURS_NOTE,
    )


def _natural(width: int) -> int:
    return min(width, _LEFT + 24 * pitch(24, width - _LEFT))


def _hour(hour: int) -> str:
    return f"{hour}:00"


def _recall(share: Share) -> float:
    return share.right / share.of if share.of else 0.0


def _hours_draw(given: Given, width: int, height: int, ink: Ink) -> list[Row]:
    """Recall above, the number of reviews below, on one axis."""
    shares = given.stats.hours
    step = pitch(len(shares), width - _LEFT)
    high = max((height - 3) // 2, 2)
    upper = Grid(_natural(width), high)
    seen = [_recall(share) for share in shares if share.of]
    low = max((min(*seen, given.asked) - 0.05) * 100 // 10 * 10, 0.0)
    across = (0.0, float(len(shares)))
    plane = Plane(upper, ink, 0, high, _LEFT, across, (low, 100.0))
    plane.scale(" %")
    plane.level(100 * given.asked, "asked")
    for hour, share in enumerate(shares):
        if share.of:
            _, row = plane.cell((0.0, 100 * _recall(share)))
            x = _LEFT + hour * step + max(step - 2, 0) // 2
            few = share.of < _ENOUGH
            upper.put(x, row, ink.hollow if few else ink.points[2], "dim" if few else "good")
    top = [
        (ink.points[2], "good", "recalled"),
        (ink.hollow, "dim", f"of fewer than {_ENOUGH}"),
        (ink.dash * 2, "asked", f"asked for {percent(given.asked)}"),
    ]
    lower = _lower(given, width, height - high - 2, ink)
    key = legend([(ink.rises[-1], "bar", "reviews, by the hour of the day")], width)
    points = (fitted(row, width) for row in upper.rows())
    return [legend(top, width), *points, key, *lower][:height]


def _lower(given: Given, width: int, height: int, ink: Ink) -> list[Row]:
    """Bars that stand under the points: their scale is as wide as that of the points."""
    drawn = Bars([Bar(share.of) for share in given.stats.hours], _MARKS, left=_LEFT)
    return draw_bars(drawn, width, height, ink)


# == What falls due: today with all that is overdue, and the days that follow.


COMING_NOTE = (
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
        return Figure(title, _nothing(given), note=COMING_NOTE, key="0")
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
        facts.append(Fact("fullest day", f"{counts[busy]:,} on {short_day(day)}"))
    return Figure(
        title,
        said,
        f"{today:,}",
        lambda width, height, ink: _coming_draw(given, counts, width, height, ink),
        lambda width: bars_width(_bars(given, counts, width), width),
        most=22,
        facts=tuple(facts),
        note=COMING_NOTE,
    )


def _nothing(given: Given) -> str:
    learnt = sum(given.stats.forecast) or given.stats.streak.studied
    if learnt:
        return f"Nothing falls due. Here stand the reviews to come. {given.ways.longer}".rstrip()
    what = "the reviews to come will stand here, day by day."
    return f"Nothing is learnt yet: {what} {given.ways.study}".rstrip()


def _bars(given: Given, counts: tuple[int, ...], width: int) -> Bars:
    last = given.today + timedelta(days=len(counts) - 1)
    found = bins(given.today, last, width - 6, ends=False)
    values = {given.today + timedelta(days=n): float(count) for n, count in enumerate(counts)}
    sums = summed(found, values)
    late = min(given.stats.overdue, sums[0]) if sums else 0
    shown = [Bar(value) for value in sums]
    if shown:
        shown[0] = Bar(sums[0] - late, "today", late)
    marks = [(0, "today"), *(mark for mark in labels(found) if mark[0])]
    if len(found) == len(counts) <= 45:
        marks = [mark for mark in marks if mark[0] % 7 == 0]
    return Bars(shown, marks)


def _coming_draw(
    given: Given, counts: tuple[int, ...], width: int, height: int, ink: Ink
) -> list[Row]:
    drawn = _bars(given, counts, width)
    each = size_name(
        bins(given.today, given.today + timedelta(days=len(counts) - 1), width - 6, ends=False)
    )
    items = [(ink.rises[-1], "bar", f"due per {each}")]
    if given.stats.overdue:
        items.append((ink.second, "second", "from before today"))
    rows = draw_bars(drawn, width, height - 1, ink)
    return [*rows, legend(items, width)][:height]


# == Where the memories stand today: stability, difficulty, chance of recall, intervals.


STABILITY = (
    "Stability is the number of days after which the chance of recall has fallen to 90 %. It grows "
    "with each review that you recall; from 21 days on a memory counts as mature."
)
DIFFICULTY = (
    "Difficulty runs from 1 to 10: the higher, the less a review adds to the stability. Again and "
    "Hard raise it, Easy lowers it. Many at 10 are worth splitting or rewriting."
)
RECALL = (
    "The chance that each item would be recalled if it were asked today. What lies below your "
    "desired retention is due."
)
INTERVALS = "The days between the last review of an item and its next; fuzz spreads them a little."

#: (sign, role, words) of a legend, once the ink is known.
_Key = Callable[[Ink], list[tuple[str, str, str]]]


def stability(given: Given) -> Figure:
    """Items that were learnt, by the stability of their memory in days."""
    found = given.stats.memories.stability
    if found.median is None:
        return _empty(given, "Stability", "how long your memories last", STABILITY)
    learnt, standing = sum(found.counts), given.stats.standing
    said = (
        f"Half of your {plural(learnt, 'memory', 'memories')} last {span_of(found.median)} or more"
    )
    said += f"; {standing.mature:,} {'is' if standing.mature == 1 else 'are'} mature."
    facts = (
        Fact("mean", span_of(found.mean or 0)),
        Fact("mature", percent(standing.mature / learnt)),
        Fact("young", f"{standing.young:,}"),
        Fact("learning", f"{standing.learning + standing.relearning:,}"),
    )
    roles = ["mature" if low >= MATURE else "young" for low in found.edges]
    drawn = Bars(_shown(found, roles), _ends(found, edge))
    figure = _figure("Stability", said, span_of(found.median), drawn, _young_or_mature)
    return _with(figure, facts, STABILITY)


def intervals(given: Given) -> Figure:
    """Items in review, by their interval in days."""
    found = given.stats.memories.intervals
    if found.median is None:
        return _empty(given, "Intervals", "the days between two reviews", INTERVALS)
    said = f"Half of your {plural(sum(found.counts), 'review item')} come back within "
    said += f"{span_of(found.median)}; the mean interval is {span_of(found.mean or 0)}."
    roles = ["bar"] * len(found.edges)
    drawn = Bars(_shown(found, roles), _ends(found, edge))
    long = sum(n for low, n in zip(found.edges, found.counts, strict=True) if low >= 90)
    facts = (Fact("3 months or more", f"{long:,}"),)
    figure = _figure("Intervals", said, span_of(found.median), drawn, _items)
    return _with(figure, facts, INTERVALS)


def difficulty(given: Given) -> Figure:
    """Items that were learnt, by the difficulty of their memory."""
    found = given.stats.memories.difficulty
    if found.median is None:
        return _empty(given, "Difficulty", "how hard your memories are to keep", DIFFICULTY)
    hard = sum(found.counts[7:])
    learnt = sum(found.counts)
    said = f"The median difficulty is {found.median:.1f} of 10; {hard:,} of "
    said += f"{plural(learnt, 'item')} {'is' if hard == 1 else 'are'} hard (8 or more)."
    roles = ["again" if low >= 8 else "bar" for low in found.edges]
    drawn = Bars(_shown(found, roles), _ends(found, lambda low: f"{low:.0f}"))
    facts = (Fact("mean", f"{found.mean or 0:.1f}"), Fact("hard", percent(hard / learnt)))
    figure = _figure("Difficulty", said, f"{found.median:.1f}", drawn, _items)
    return _with(figure, facts, DIFFICULTY)


def retrievability(given: Given) -> Figure:
    """Items that were learnt, by the chance that they would be recalled today."""
    memories = given.stats.memories
    found = memories.retrievability
    if found.mean is None or found.median is None:
        return _empty(given, "Recall now", "what you would recall today", RECALL)
    learnt, asked = sum(found.counts), given.asked
    said = f"You would recall about {memories.remembered:,.0f} of {plural(learnt, 'item')} now, "
    said += f"{percent(found.mean)}; you asked for {percent(asked)} when they fall due."
    begins = [*found.edges[1:], 1.0]
    roles = ["good" if end > asked + 1e-9 else "hard" for end in begins]
    # The even tenths first, the others where there is room.
    tens = [(n, f"{100 * low:.0f}") for n, low in enumerate(found.edges) if not n % 2]
    marks = [*tens[::2], *tens[1::2]]
    below = sum(n for n, end in zip(found.counts, begins, strict=True) if end <= asked + 1e-9)
    facts = (Fact("median", percent(found.median)), Fact("certainly below", f"{below:,}"))

    def key(ink: Ink) -> list[tuple[str, str, str]]:
        sign = ink.rises[-1]
        return [
            (sign, "hard", f"below {percent(asked)}"),
            (sign, "good", f"{percent(asked)} or more"),
        ]

    figure = _figure(
        "Recall now", said, percent(found.mean), Bars(_shown(found, roles), marks), key
    )
    return _with(figure, facts, RECALL)


def _shown(found: Histogram, roles: Sequence[str]) -> list[Bar]:
    return [Bar(count, role) for count, role in zip(found.counts, roles, strict=True)]


def _ends(found: Histogram, name: Callable[[float], str]) -> list[tuple[int, str]]:
    """Where each class begins."""
    return [(number, name(low)) for number, low in enumerate(found.edges)]


def _young_or_mature(ink: Ink) -> list[tuple[str, str, str]]:
    sign = ink.rises[-1]
    return [(sign, "young", "young"), (sign, "mature", "mature, from 21 d on")]


def _items(_ink: Ink) -> list[tuple[str, str, str]]:
    return []


def _numbered(drawn: Bars, width: int) -> Bars:
    """With the numbers on the bars, where all of them fit there."""
    step = pitch(len(drawn.bars), width)
    fitting = all(len(short(bar.whole)) <= step for bar in drawn.bars if bar.whole)
    return Bars(drawn.bars, drawn.labels, numbers=fitting and step > 2)


def _figure(title: str, said: str, key: str, drawn: Bars, words: _Key) -> Figure:
    def draw(width: int, height: int, ink: Ink) -> list[Row]:
        items = words(ink)
        rows = draw_bars(_numbered(drawn, width), width, height - bool(items), ink)
        return [*rows, legend(items, width)][:height] if items else rows

    return Figure(
        title,
        said,
        key,
        draw,
        lambda width: bars_width(_numbered(drawn, width), width),
        most=20,
    )


def _with(figure: Figure, facts: tuple[Fact, ...], note: str) -> Figure:
    return replace(figure, facts=facts, note=note)


def _empty(given: Given, title: str, what: str, note: str) -> Figure:
    said = f"Nothing is learnt yet: {what} will stand here. {given.ways.study}".rstrip()
    return Figure(title, said, note=note)


# == Derivations that were checked, and the misconceptions that were seen in them.


DERIVATIONS_NOTE = (
    "Each check of a derivation counts, those on the way to a right answer too. A misconception is "
    "named where a known wrong rule gives the very numbers that yours gave."
)
_WORDS = {
    "correct": "right",
    "incomplete": "right in part",
    "wrong-step": "right but for a step",
    "correct-except-ties": "right but for ties",
    "only-without-overlap": "right without overlap",
    "wrong": "wrong",
    "unreadable": "not read",
}


def misconceptions(given: Given) -> Figure:
    """How often each misconception was seen, and when last; the most frequent first."""
    found = given.stats.checks
    title = "Misconceptions"
    if not found.checked:
        said = f"No derivation was checked {given.last_span}: what goes wrong in them, and how "
        said += f"often, will stand here. {given.ways.check}"
        return Figure(title, said.rstrip(), note=DERIVATIONS_NOTE)
    right = found.verdicts.get("correct", 0)
    said = f"{right:,} of {plural(found.checked, 'check')} {given.last_span} found a right "
    said += f"derivation; {found.solved:,} of {plural(found.items, 'exercise')} "
    said += f"{'is' if found.solved == 1 else 'are'} solved."
    facts = tuple(
        Fact(_WORDS.get(verdict, verdict), f"{count:,}")
        for verdict, count in found.verdicts.items()
    )
    if not found.misconceptions:
        said += " No misconception was seen."
        return Figure(title, said, "0", _bare, facts=facts, note=DERIVATIONS_NOTE, least=1, most=1)
    name = next(iter(found.misconceptions))
    said += f" Most often: {one_line(name)}, {plural(found.misconceptions[name], 'time')}"
    last = found.last.get(name)
    said += f", last on {long_day(last)}." if last else "."
    rows = [
        (one_line(name), count, short_day(found.last[name]) if name in found.last else "")
        for name, count in found.misconceptions.items()
    ]
    return Figure(
        title,
        said,
        percent(right / found.checked),
        lambda width, height, ink: _derivations_draw(rows, width, height, ink),
        least=3,
        most=max(3 * len(rows) - 1, 3),
        facts=facts,
        note=DERIVATIONS_NOTE,
    )


def _bare(width: int, height: int, ink: Ink) -> list[Row]:  # noqa: ARG001
    return Grid(width, min(height, 1)).rows()


def _derivations_draw(
    rows: list[tuple[str, int, str]], width: int, height: int, ink: Ink
) -> list[Row]:
    """A bar a misconception below its name, or beside it where there is less room."""
    grid = Grid(width, height)
    beside = 2 * len(rows) > height
    apart = 3 if 3 * len(rows) - 1 <= height else 2
    shown = rows[: max(height - 1, 0)] if beside and len(rows) > height else rows
    ends = [f" {count:,}{f', last {last}' if last else ''}" for _, count, last in rows]
    longest = max((cell_len(name) for name, _, _ in rows), default=0)
    left = min(longest, max(width // 2, 1)) + 1 if beside else 0
    room = max(width - left - max(map(len, ends), default=0), 0)
    most = max((count for _, count, _ in rows), default=1)
    levels = len(ink.runs) - 1
    for number, (name, count, _) in enumerate(shown):
        y = number if beside else apart * number
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


# == What each desired retention would cost: a simulated year with one's own pace and ratings.


WORKLOAD_NOTE = (
    "A year of study is simulated for each desired retention: with your cards, limits, pace and "
    "ratings. Above 90 % the minutes grow fast for few items more; below the cheapest retention, "
    "forgetting costs more than it saves."
)


def workload(given: Given) -> Figure:
    """Minutes a day by desired retention (`deck.optimize`)."""
    found = given.workload
    title = "Workload"
    if isinstance(found, str):
        said = found or "What each desired retention would cost a day will stand here."
        return Figure(title, said, note=WORKLOAD_NOTE)
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
        lambda width, height, ink: _workload_draw(found, given.asked, width, height, ink),
        lambda width: bars_width(_workload_bars(found, given.asked, UNICODE), width),
        most=14,
        facts=facts,
        table=(("retention", "reviews", "minutes", "remembered"), *rows),
        note=WORKLOAD_NOTE,
    )


def _workload_bars(found: Workload, asked: float, ink: Ink) -> Bars:
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


def _workload_draw(found: Workload, asked: float, width: int, height: int, ink: Ink) -> list[Row]:
    rows = draw_bars(_workload_bars(found, asked, ink), width, height - 1, ink)
    items = [
        (ink.marks[0], "today", f"asked for {percent(asked)}"),
        (ink.marks[1], "time", f"least time an item {percent(found.cheapest)}"),
        (ink.rises[-1], "bar", "min a day"),
    ]
    return [*rows, legend(items, width)][:height]


def _short(number: float) -> str:
    return f"{number:.0f}" if number >= 9.95 else f"{number:.1f}"
