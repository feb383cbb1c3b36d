"""Figures: their data, how a sentence, a plot and its facts are put together, numbers in words.

Nothing here imports Textual or the statistics: shells complete the names of figures.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from itertools import chain, count, pairwise
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len

from tui.plots.draw import (
    GlyphSet,
    PlotRow,
    PlotSpan,
    fitted,
    in_ascii,
    numbered,
    width_of,
    wrapped,
)
from tui.text import percent

if TYPE_CHECKING:
    from deck.collection import Collection
    from deck.exam import ExamPlan, Outlook
    from deck.optimize import Workload
    from deck.stats import Share, Statistics

# What figures are made from: plain data of the deck, and the span they are about.

#: More than anyone has studied: the span "all".
EVER = 36_500


class TimeSpan(NamedTuple):
    """How far back and ahead the figures look."""

    name: str
    days: int

    @property
    def words(self) -> str:
        """ "13 weeks", as in "the last ..." and "the next ..."."""
        return f"{self.days // 7} weeks" if self.days % 7 == 0 else f"{self.days} days"


#: Whole weeks, so that a bin of a week is never cut.
REACHES = (
    TimeSpan("month", 28),
    TimeSpan("quarter", 91),
    TimeSpan("year", 364),
    TimeSpan("all", EVER),
)
YEAR = REACHES[2]


@dataclass(frozen=True, slots=True)
class ExamInput:
    """The exam of a course (`deck.exam.Exam`)."""

    course: str
    today: date
    day: date
    target: float | None
    stopped: Outlook
    plan: ExamPlan
    rise: tuple[Outlook, ...]
    sentence: str
    """Whether the target can be reached; empty where there is none."""
    chance: float | None
    """Of at least the target, if the plan is kept."""


@dataclass(frozen=True, slots=True)
class Hints:
    """The next step, in sentences that fit the place: a screen names keys, the shell commands."""

    study: str = ""
    longer: str = ""
    check: str = ""
    add: str = ""
    exam: str = ""


@dataclass(frozen=True, slots=True)
class StatsInput:
    stats: Statistics
    reach: TimeSpan
    desired_retention: float
    ways: Hints = field(default_factory=Hints)
    added: Mapping[date, int] = field(default_factory=dict)
    exam: ExamInput | str = ""
    """A sentence where there is none, or not yet."""
    workload: Workload | str = ""
    """A sentence where there is none, or not yet."""

    @property
    def today(self) -> date:
        return self.stats.today

    @property
    def first(self) -> date:
        """The first day of the span; of "all", the first with an answer."""
        if self.reach.days < EVER:
            return self.stats.since
        first = min((day.day for day in self.stats.days), default=self.today)
        return min(first, self.today - timedelta(days=6))

    @property
    def last_span(self) -> str:
        """ "in the last 13 weeks", "since 3 Mar 2026"."""
        if self.reach.days < EVER:
            return f"in the last {self.reach.words}"
        return f"since {long_day(self.first)}"

    def nothing(self, what: str) -> str:
        """Where the span holds nothing: what will be here, and the way to it."""
        known = any(each.all.of for each in self.stats.retention) or self.stats.streak.studied
        way = self.ways.longer if known and self.reach.days < EVER else self.ways.study
        when = f" {self.last_span}" if known else " yet"
        return f"Nothing{when}: {what} {way}".rstrip()


def no_exam(given: StatsInput, course: str | None = None) -> str:
    """What stands here where no course, or not this one, has an exam."""
    said = f"{course or 'No course'} has {'no' if course else 'an'} exam yet: "
    said += "the points you can expect on its day will appear here."
    return f"{said} {given.ways.exam}".rstrip()


#: Called with what is being done, and which share of it is (0..1).
Progress = Callable[[str, float], None]


def query_of(search: str, course: str | None) -> str:
    """A search and a course, as one search."""
    if course is None:
        return search
    name = course.replace("\\", "\\\\").replace('"', '\\"')
    named = f'course:"{name}"'
    return f"{named} ({search})" if search.strip() else named


def gather(
    collection: Collection,
    now: datetime,
    reach: TimeSpan,
    search: str = "",
    course: str | None = None,
    ways: Hints | None = None,
) -> StatsInput:
    """All that takes no time of its own.  Raises SearchError."""
    query = query_of(search, course)
    days = min(reach.days, EVER)
    stats = collection.statistics(now, query, days)
    config = collection.config if course is None else collection.config.of_course(course)
    return StatsInput(
        stats, reach, config.desired_retention, ways or Hints(), collection.added(now, query)
    )


def with_exam(
    collection: Collection, given: StatsInput, now: datetime, course: str | None
) -> StatsInput:
    """With the exam of the course, or else the next one; a plan takes a while."""
    known = [(day, name) for day, name in collection.config.exams() if course in (None, name)]
    # The next one, and where all are over, the last.
    name = next((name for day, name in known if day >= given.today), known[-1][1] if known else "")
    if not name:
        return replace(given, exam=no_exam(given, course))
    found = collection.exam(name, now)
    aim = found.reach if found.days_left >= 0 and found.stakes else None
    made = ExamInput(
        *(name, found.today, found.day, found.target),
        *(found.if_stopped(), found.plan, found.rise()),
        *((aim.sentence, aim.chance) if aim else ("", None)),
    )
    return replace(given, exam=made)


def with_workload(collection: Collection, given: StatsInput, progress: Progress) -> StatsInput:
    """With a simulated year for each desired retention, or why there is none; takes seconds."""
    from deck.optimize import OptimizeError, workload

    now = given.stats.standing
    items = now.new + now.learning + now.relearning + now.young + now.mature
    ratings: dict[str, Sequence[int]] = {str(kind): n for kind, n in given.stats.ratings.items()}
    try:
        found = workload(items, collection.config, ratings, progress=progress)
    except OptimizeError as error:
        return replace(given, workload=str(error))
    return replace(given, workload=found)


# A figure, and how it is put together for a size.

#: width, height, ink -> rows of that width, as many at most
DrawPlot = Callable[[int, int, GlyphSet], list[PlotRow]]

#: Columns of the facts that stand beside a plot.
_BESIDE = 23


class Fact(NamedTuple):
    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Figure:
    sentence: str
    """Where there is nothing to draw: what will be here, and the way to it."""
    key: str = ""
    """The number that matters, in a few signs."""
    draw: DrawPlot | None = None
    natural: Callable[[int], int] | None = None
    """Of so many columns, how many the plot makes use of; right of them only legends stand."""
    least: int = 7
    most: int = 16
    """Rows of the plot."""
    facts: tuple[Fact, ...] = ()
    table: tuple[tuple[str, ...], ...] = ()
    """The first row is its head."""
    title: str = ""
    note: str = ""
    """What the figure means."""


def legend(items: Sequence[tuple[str, str, str]], width: int) -> PlotRow:
    """(sign, role, words) in one row; what does not fit is left out."""
    found: list[PlotSpan] = []
    left = width
    for sign, role, words in items:
        cells = cell_len(sign) + 1 + cell_len(words) + (3 if found else 0)
        if cells > left:
            break
        left -= cells
        found += [PlotSpan("   ")] if found else []
        found += [PlotSpan(sign, role), PlotSpan(" "), *numbered(words, "dim")]
    return fitted(found, width)


def compose(
    figure: Figure, width: int, height: int, ink: GlyphSet, explain: bool = False
) -> list[PlotRow]:
    """At most `height` rows of `width` cells; what is less important gives way first.

    With `explain`, what the figure means stands in the place of the plot.
    """
    said = [numbered(line) for line in wrapped(figure.sentence, width)]
    if explain or figure.draw is None:
        rows = [*said, (), *_note(figure, width)]
    else:
        said = said[: max(height - figure.least - 1, 1)]
        rows = [*said, (), *_plot(figure, figure.draw, width, height - len(said) - 1, ink)]
    rows = [fitted(row, width) for row in rows[: max(height, 0)]]
    return rows if ink.braille else in_ascii(rows)


def _note(figure: Figure, width: int) -> list[PlotRow]:
    return [(PlotSpan(line, "dim"),) for line in wrapped(figure.note, width)]


def _plot(figure: Figure, draw: DrawPlot, width: int, height: int, ink: GlyphSet) -> list[PlotRow]:
    """The plot, with facts beside or below it, as far as there is room."""
    used = figure.natural(width) if figure.natural else width
    is_beside = bool(figure.facts) and used + _BESIDE <= width
    blocks = [] if is_beside else [_flowing(figure.facts, width)]
    below: list[PlotRow] = []
    # The first block is short and says most; for the others the plot does not shrink much.
    room = height - figure.least - 1
    enough = height - max((figure.least + figure.most) // 2, figure.least)
    for block in (*blocks, _tabled(figure.table), _note(figure, width)):
        if block and len(below) + len(block) + 1 <= room:
            below += [(), *block]
        room = enough
    rows = draw(width, max(min(height - len(below), figure.most), 1), ink)
    if is_beside:
        # A legend may be wider than the plot: it stands where no fact does.
        for number, fact in enumerate([(), *_stacked(figure.facts, _BESIDE - 3)]):
            if number < len(rows) - 1:
                rows[number] = (*fitted(rows[number], used), PlotSpan("   "), *fact)
    return [*rows, *below]


def _flowing(facts: Sequence[Fact], width: int) -> list[PlotRow]:
    """Facts one after the other, in as many rows as they need."""
    rows: list[PlotRow] = []
    for label, value in facts:
        fact = (PlotSpan(label, "dim"), PlotSpan(" "), PlotSpan(value, "number"))
        if rows and width_of(rows[-1]) + 3 + width_of(fact) <= width:
            rows[-1] = (*rows[-1], PlotSpan("   "), *fact)
        else:
            rows.append(fact)
    return rows


def _stacked(facts: Sequence[Fact], width: int) -> list[PlotRow]:
    """Facts below each other, their values at the right edge."""
    rows: list[PlotRow] = []
    for label, value in facts:
        room = width - cell_len(value) - 1
        if room < cell_len(label):
            rows.append((PlotSpan(label, "dim"),))
            label = ""
        name = fitted([PlotSpan(label, "dim")], max(room, 0))
        rows.append(fitted((*name, PlotSpan(" "), PlotSpan(value, "number")), width))
    return rows


def _tabled(table: Sequence[Sequence[str]]) -> list[PlotRow]:
    """The first column at the left, numbers at the right of theirs."""
    sizes = [max(map(cell_len, column)) for column in zip(*table, strict=True)]
    rows: list[PlotRow] = []
    for number, (name, *texts) in enumerate(table):
        spans = [PlotSpan(name + " " * (sizes[0] - cell_len(name)), "dim")]
        for text, size in zip(texts, sizes[1:], strict=True):
            padding = PlotSpan("   " + " " * (size - cell_len(text)))
            spans += [padding, PlotSpan(text, "number" if number else "dim")]
        rows.append(tuple(spans))
    return rows


# Days in bins of equal size, and what stands under them.

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
    sizes = chain(_SIZES, (364 * 2**power for power in count(1)))
    size = next(size for size in sizes if -(-days // size) <= columns)
    begin = days % size - size if ends and days % size else 0
    return [
        Bin(
            first + timedelta(days=max(start, 0)),
            first + timedelta(days=min(start + size, days) - 1),
        )
        for start in range(begin, days, size)
    ]


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
    sums, firsts = [0.0] * len(found), [each.first for each in found]
    for day, value in values.items():
        if found and found[0].first <= day <= found[-1].last:
            sums[bisect_right(firsts, day) - 1] += value
    return sums


def labels(found: Sequence[Bin]) -> list[tuple[int, str]]:
    """(bin, words) for an axis, from the first on: days, months or years."""
    if not found:
        return []
    days = (found[-1].last - found[0].first).days + 1
    if days <= 45:
        return [(n, short_day(each.first)) for n, each in enumerate(found)]
    marks = []
    for number, (before, each) in enumerate(pairwise(found), 1):
        # A bin belongs to the month in which it ends: then the month's name stands at its first.
        if each.last.year != before.last.year and (days > 800 or each.last.month == 1):
            marks.append((number, f"{each.last:%Y}"))
        elif days <= 800 and f"{each.last:%Y%m}" != f"{before.last:%Y%m}":
            marks.append((number, f"{each.last:%b}"))
    return marks


# Numbers and days in words.


def short_day(day: date) -> str:
    """ "20 Nov"."""
    return f"{day.day} {day:%b}"


def long_day(day: date) -> str:
    """ "20 Nov 2026"."""
    return f"{day.day} {day:%b} {day.year}"


def of_all(share: Share) -> str:
    """ "91 % of 412"; a dash of nothing."""
    return f"{percent(share.right / share.of)} of {share.of:,}" if share.of else "–"


def share_of(share: Share) -> str:
    return percent(share.right / share.of) if share.of else "–"


def span_of(number: float) -> str:
    """A span of days, short: "<1 d", "23 d", "4.2 mo", "1.5 y"."""
    if number < 0.95:
        return "<1 d"
    if number < 60.5:
        return f"{number:.1f} d" if number < 9.95 and number % 1 else f"{number:.0f} d"
    return f"{number / 30.44:.1f} mo" if number < 365 else f"{number / 365.25:.1f} y"


def edge(number: float) -> str:
    """The same for an axis, in as few signs as it can be: "3d", "2w", "6mo", "1y"."""
    whole = round(number)
    if whole == 0:
        return "<1d"
    if whole >= 365:
        return f"{whole / 365:.0f}y"
    if whole >= 30:
        return f"{whole / 30:.0f}mo"
    return f"{whole // 7}w" if whole % 7 == 0 else f"{whole}d"


def minutes(number: float) -> str:
    """ "12 min", "3.4 h", "120 h"."""
    if number < 1:
        return f"{number * 60:.0f} s"
    if number < 90:
        return f"{number:.0f} min"
    return f"{number / 60:.1f} h" if number < 6000 else f"{number / 60:,.0f} h"


def plural(number: int, one: str, many: str = "") -> str:
    """ "1 review", "1,204 reviews"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def points(number: float) -> str:
    """Exam points, without needless zeros: "38", "2.5"."""
    return f"{number:.1f}".removesuffix(".0")
