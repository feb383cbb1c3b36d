"""What holds for every plot, whatever it is made from."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from tests.tui.plotted import TODAY, givens
from tui.plots.bars import Bar, Bars, fill, pitch
from tui.plots.catalogue import ENTRIES
from tui.plots.draw import (
    ASCII,
    DASHED,
    UNICODE,
    CellGrid,
    GlyphSet,
    Plane,
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
from tui.plots.figure import StatsInput, bins, compose, labels, size_name, summed

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


@given(st.lists(st.tuples(st.floats(-1, 2), st.floats(-1, 2)), min_size=1, max_size=9), INKS)
def test_a_line_stays_on_its_plane(points: list[tuple[float, float]], ink: GlyphSet) -> None:
    grid = CellGrid(12, 4)
    plane = Plane(grid, ink, 4, 0, (0.0, 1.0), (0.0, 1.0))
    plane.path(points, "line")
    plane.path(points, "line", DASHED)
    drawn = "".join(map(plain, grid.rows()))
    assert drawn.strip()
    assert {width_of(row) for row in grid.rows()} == {12}
