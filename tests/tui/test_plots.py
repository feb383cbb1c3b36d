"""What holds for every plot, whatever it is made from."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from deck.exam import ExamPlan, PlanDay, outlook_of
from deck.optimize import Point, Workload
from deck.stats import (
    CHANCES,
    DAYS,
    DIFFICULTIES,
    KINDS,
    Calibration,
    Checks,
    Class,
    DayDone,
    Histogram,
    Memories,
    Retention,
    Share,
    Standing,
    Statistics,
    Streak,
)
from tui.plots.bars import Bar, Bars, fill, pitch
from tui.plots.catalogue import ENTRIES
from tui.plots.draw import (
    ASCII,
    UNICODE,
    CellGrid,
    GlyphSet,
    PlotRow,
    PlotSpan,
    draw_calendar,
    fitted,
    in_ascii,
    level,
    levels,
    plain,
    scale,
    short,
    width_of,
    wrapped,
)
from tui.plots.figure import (
    EVER,
    REACHES,
    ExamInput,
    StatsInput,
    bins,
    compose,
    labels,
    size_name,
    summed,
)

# Statistics of every kind.

TODAY = date(2026, 11, 20)
COUNTS = st.one_of(st.integers(0, 3), st.integers(0, 500), st.just(10**9))
SHARES = st.tuples(COUNTS, COUNTS).map(lambda pair: Share(min(pair), max(pair)))
UNIT = st.floats(0, 1)
NUMBERS = st.floats(0, 1e6)
AGO = st.integers(0, 900).map(lambda days: TODAY - timedelta(days=days))


def histograms(edges: tuple[float, ...]) -> st.SearchStrategy[Histogram]:
    def made(counts: list[int], value: float) -> Histogram:
        found = value if sum(counts) else None
        return Histogram(edges, tuple(counts), found, found)

    counts = st.lists(COUNTS, min_size=len(edges), max_size=len(edges))
    return st.builds(made, counts, st.floats(edges[0], edges[-1] + 1))


MEMORIES = st.builds(
    Memories,
    histograms(DAYS),
    histograms(tuple(map(float, DIFFICULTIES))),
    histograms(CHANCES),
    histograms(DAYS),
    st.floats(0, 1e9),
)


def calibrated(classes: list[Class], loss: float, units: tuple[float, ...]) -> Calibration:
    count = sum(each.answers for each in classes)
    if not classes:
        return Calibration((), 0, None, None, None, None)
    return Calibration(tuple(classes), count, loss, *units)


CLASSES = st.lists(st.builds(Class, UNIT, UNIT, st.integers(1, 10**6)), max_size=20)
CALIBRATIONS = st.builds(calibrated, CLASSES, st.floats(0, 9), st.tuples(UNIT, UNIT, UNIT))


@st.composite
def days(draw: st.DrawFn, reach: int) -> tuple[DayDone, ...]:
    found = []
    ago = draw(st.sets(st.integers(0, min(reach - 1, 900)), max_size=12))
    for day in (TODAY - timedelta(days=each) for each in sorted(ago, reverse=True)):
        answers = dict(zip(KINDS, draw(st.tuples(*[COUNTS] * 5)), strict=True))
        answers["new"] += not sum(answers.values())
        found.append(DayDone(day, answers, draw(NUMBERS), draw(SHARES), draw(SHARES)))
    return tuple(found)


@st.composite
def statistics(draw: st.DrawFn, reach: int) -> Statistics:
    names = draw(st.lists(st.text(max_size=80), max_size=4, unique=True))
    seen = {name: draw(st.integers(1, 99)) for name in names}
    last = {name: draw(AGO) for name in names if draw(st.booleans())}
    checked = draw(st.integers(0, 50))
    verdicts = {"wrong": checked, "correct": draw(st.integers(0, 5))} if checked else {}
    forecast = draw(st.lists(COUNTS, min_size=1, max_size=12))
    ahead = min(reach, 2000)
    return Statistics(
        TODAY,
        TODAY - timedelta(days=reach - 1),
        draw(days(reach)),
        tuple(draw(st.lists(SHARES, min_size=24, max_size=24))),
        {kind: draw(st.tuples(*[COUNTS] * 4)) for kind in KINDS},
        tuple(Retention(name, draw(SHARES), draw(SHARES)) for name in ("today", "all")),
        Streak(draw(COUNTS), draw(COUNTS), draw(COUNTS)),
        Standing(*draw(st.tuples(*[COUNTS] * 6))),
        draw(MEMORIES),
        tuple([*forecast, *[0] * ahead][:ahead]),
        draw(CALIBRATIONS),
        Checks(checked, verdicts, seen if checked else {}, checked, 0, last),
        draw(st.integers(0, forecast[0])),
    )


def planned(left: int, pairs: list[tuple[float, float]], target: float | None) -> ExamInput:
    day = TODAY + timedelta(days=left)
    whole = outlook_of(pairs, day)
    ahead = [TODAY + timedelta(days=n) for n in range(max(left, 0))]
    stands = tuple(replace(whole, day=each) for each in [*ahead, max(day, TODAY)])
    plan = ExamPlan(day, tuple(PlanDay(each, (), 0, 5.0) for each in ahead), whole)
    return ExamInput("SML", TODAY, day, target, whole, plan, stands, "", 0.5)


def costing(points: list[tuple[float, ...]], items: int) -> Workload | str:
    found = (Point(round(0.7 + 0.02 * n, 2), *point) for n, point in enumerate(points))
    return Workload(tuple(found), 365, items) if points else "The extra is missing."


EXAMS = st.builds(
    planned,
    st.integers(-3, 90),
    st.lists(st.tuples(st.floats(0, 50), UNIT), max_size=5),
    st.none() | st.floats(0, 1000),
)
WORKLOADS = st.builds(costing, st.lists(st.tuples(*[NUMBERS] * 3), max_size=15), COUNTS)


@st.composite
def givens(draw: st.DrawFn) -> StatsInput:
    reach = draw(st.sampled_from(REACHES))
    return StatsInput(
        draw(statistics(min(reach.days, EVER))),
        reach,
        draw(st.floats(0.7, 0.99)),
        added=draw(st.dictionaries(AGO, st.integers(1, 99))),
        exam=draw(st.sampled_from(["", "There is none."]) | EXAMS),
        workload=draw(WORKLOADS),
    )


# Figures.

INKS = st.sampled_from([UNICODE, ASCII])
VALUES = st.one_of(st.integers(0, 50).map(float), st.floats(0, 1e12), st.just(float("inf")))


# Statistics are large: to shrink one takes minutes, and says little more.
@settings(phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(
    given_=givens(),
    width=st.one_of(st.integers(1, 30), st.sampled_from([57, 58, 96])),
    height=st.one_of(st.integers(0, 9), st.sampled_from([16, 20, 36])),
    ink=INKS,
)
def test_a_figure_is_rows_of_its_width_and_never_raises(
    given_: StatsInput, width: int, height: int, ink: GlyphSet
) -> None:
    for entry in ENTRIES:
        figure = entry.make(given_)
        assert figure.sentence
        assert "  " not in figure.sentence
        assert len(figure.key) <= 8 or figure.key.count(",")
        rows = compose(figure, width, height, ink)
        assert len(rows) <= height
        explained = compose(figure, width, height, ink, explain=True)
        assert {width_of(row) for row in (*rows, *explained)} <= {width}
        assert ink is UNICODE or all(plain(row).isascii() for row in rows)


# Bars.


@given(
    st.lists(VALUES, min_size=2, max_size=2),
    st.floats(0, 1e12, exclude_min=True),
    st.integers(0, 200),
)
@example([0.0, 1e12], 5e-324, 7)
def test_a_higher_value_fills_no_less(values: list[float], top: float, steps: int) -> None:
    low, high = sorted(values)
    assert 0 <= fill(low, top, steps) <= fill(high, top, steps) <= steps
    assert fill(0, top, steps) == 0
    if low > 0 and steps:
        assert fill(low, top, steps) >= 1
    if high >= top:
        assert fill(high, top, steps) == steps


def eighths(rows: list[PlotRow], column: int, ink: GlyphSet) -> int:
    """How much of a column is filled."""
    signs = (plain(row)[column] for row in rows)
    return sum(ink.rises.index(sign) for sign in signs if sign in ink.rises)


@given(
    st.lists(st.integers(0, 10**6), min_size=1, max_size=20),
    st.integers(8, 60),
    st.integers(3, 20),
    INKS,
)
def test_bars_stand_in_the_order_of_their_values(
    values: list[int], width: int, height: int, ink: GlyphSet
) -> None:
    drawn = Bars([Bar(value) for value in values], numbers=False)
    rows = drawn.draw(width, height, ink)
    assert len(rows) == height
    assert {width_of(row) for row in rows} == {width}
    left = drawn.margin
    step = pitch(min(len(values), max(width - left, 1)), width - left)
    above = rows[:-1]
    shown = [value for n, value in enumerate(values) if left + n * step < width]
    filled = [eighths(above, left + n * step, ink) for n in range(len(shown))]
    for (value, high), (other, more) in pairwise(sorted(zip(shown, filled, strict=True))):
        assert high <= more or value == other
    for value, high in zip(shown, filled, strict=True):
        assert (high > 0) == (value > 0)


@given(
    st.one_of(st.floats(1e-6, 1e9), st.floats(0, exclude_min=True, allow_infinity=False)),
    st.integers(1, 40),
    st.booleans(),
)
@example(5e-324, 2, False)
@example(1.7e308, 2, True)
def test_a_scale_reaches_its_highest_value_and_its_lines_are_inside(
    highest: float, rows: int, whole: bool
) -> None:
    found = scale(highest, rows, whole)
    assert len(short(highest)) <= 6 or highest > 9e8
    assert found.top >= highest * (1 - 1e-9)
    for above, value in found.lines:
        assert 0 < above <= rows
        assert value / found.top == pytest.approx(above / rows, rel=0.01) or found.top == highest
        assert not whole or value == int(value)


# Days.


@given(
    st.integers(0, 3000),
    st.integers(1, 120),
    st.booleans(),
    st.dictionaries(st.integers(-50, 3100), st.integers(1, 10**6), max_size=30),
)
def test_bins_hold_each_day_once_keep_totals_and_are_named_in_order(
    length: int, columns: int, ends: bool, counts: dict[int, int]
) -> None:
    first = TODAY - timedelta(days=length)
    found = bins(first, TODAY, columns, ends)
    assert 1 <= len(found) <= columns
    assert (found[0].first, found[-1].last) == (first, TODAY)
    assert all(a.last + timedelta(days=1) == b.first for a, b in pairwise(found))
    sizes = [each.days for each in (found[1:] if ends else found[:-1])]
    assert len(set(sizes)) <= 1
    assert size_name(found)
    values: dict[date, float] = {TODAY - timedelta(days=ago): n for ago, n in counts.items()}
    for each, total in zip(found, summed(found, values), strict=True):
        assert total == sum(n for day, n in values.items() if each.first <= day <= each.last)
    places = [place for place, _ in labels(found)]
    assert places == sorted(set(places))
    assert all(0 <= place < len(found) for place in places)


# The calendar.


@given(
    st.dictionaries(st.integers(0, 100), st.integers(1, 1000), min_size=1),
    st.integers(20, 100),
    st.integers(10, 40),
)
def test_each_studied_day_is_shaded_once(counts: dict[int, int], width: int, height: int) -> None:
    done = {TODAY - timedelta(days=ago): n for ago, n in counts.items()}
    first = TODAY - timedelta(days=100)
    rows = draw_calendar(done, first, TODAY, width, height, UNICODE)
    assert {width_of(row) for row in rows} == {width}
    # A day is as many signs as its week is wide.
    weeks = (TODAY - (first - timedelta(days=first.weekday()))).days // 7 + 1
    step = min(max((width - 4) // weeks, 1), 7)
    signs = "".join(map(plain, rows[:-1]))
    shaded = sum(signs.count(sign) for sign in UNICODE.heat[1:])
    assert shaded == len(done) * (step if step == 1 else min(step - 1, 3))


@given(st.lists(st.integers(1, 10**6), min_size=1), st.integers(1, 10**6))
def test_more_answers_are_never_paler(counts: list[int], more: int) -> None:
    steps = levels({TODAY - timedelta(days=n): c for n, c in enumerate(counts)})
    assert level(0, steps) == 0
    assert level(max(counts), steps) == 4
    assert level(more, steps) <= level(more + 1, steps)


# Cells and text.


@given(
    st.integers(1, 40),
    st.lists(st.tuples(st.integers(-5, 45), st.integers(-1, 4), st.text(max_size=9)), max_size=8),
)
def test_a_grid_keeps_its_width_whatever_is_put_on_it(
    width: int, puts: list[tuple[int, int, str]]
) -> None:
    grid = CellGrid(width, 3)
    for x, y, text in puts:
        grid.put(x, y, text, "bar")
    rows = grid.rows()
    assert len(rows) == 3
    assert {width_of(row) for row in rows} == {width}


@given(st.text(), st.integers(0, 40))
def test_text_is_fitted_wrapped_and_put_in_ascii_at_its_width(text: str, width: int) -> None:
    row = fitted([PlotSpan(text, "dim")], width)
    [there] = in_ascii([row])
    assert width_of(row) == width_of(there) == width
    assert plain(there).isascii()
    lines = wrapped(text, width)
    if width > 1:
        assert all(width_of((PlotSpan(line),)) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
