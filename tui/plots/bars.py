"""Bars that stand on a line, in eighths of a cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from typing import NamedTuple

from rich.cells import cell_len

from tui.plots.grid import Grid
from tui.plots.ink import Ink
from tui.plots.rows import Row
from tui.plots.scale import scale, short

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
