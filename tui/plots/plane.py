"""A plane with round numbers at its left edge, for lines and points."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from rich.cells import cell_len

from tui.plots.canvas import Canvas, dashed, solid
from tui.plots.grid import Grid
from tui.plots.ink import Ink
from tui.plots.scale import round_up, short

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Plane:
    """The part of a grid right of `left`, `rows` high; x and y run over the given ranges."""

    grid: Grid
    ink: Ink
    top: int
    rows: int
    left: int
    x: tuple[float, float]
    y: tuple[float, float]

    @property
    def width(self) -> int:
        return max(self.grid.width - self.left, 1)

    def place(self, point: Point) -> Point:
        """As fractions of the plane."""
        (x0, x1), (y0, y1) = self.x, self.y
        across = (point[0] - x0) / (x1 - x0) if x1 > x0 else 0.5
        up = (point[1] - y0) / (y1 - y0) if y1 > y0 else 0.5
        return min(max(across, 0.0), 1.0), min(max(up, 0.0), 1.0)

    def cell(self, point: Point) -> tuple[int, int]:
        """Column and row of the grid."""
        column, row = Canvas(self.width, self.rows, self.ink).cell(*self.place(point))
        return self.left + column, self.top + row

    def scale(self, unit: str = "") -> None:
        """Round numbers at the left edge, and a faint line at each."""
        for value in round_between(*self.y, most=max(self.rows // 2, 2)):
            _, row = self.cell((self.x[0], value))
            words = short(value) + unit
            self.grid.put(self.left - 1 - cell_len(words), row, words, "axis")
            self.grid.put(self.left, row, self.ink.grid * self.width, "grid")

    def ground(self, marks: list[tuple[float, str]]) -> None:
        """The line below, and words under their places; the row after the plane and the next."""
        y = self.top + self.rows
        self.grid.put(self.left, y, self.ink.line * self.width, "axis")
        for value, words in marks:
            column, _ = self.cell((value, self.y[0]))
            x = min(max(column - cell_len(words) // 2, 0), self.grid.width - cell_len(words))
            before, after = max(x - 1, 0), min(x + cell_len(words) + 1, self.grid.width)
            if x >= 0 and self.grid.is_free(before, y + 1, after - before):
                self.grid.put(x, y + 1, words, "axis")
                self.grid.put(column, y, self.ink.tick, "axis")

    def level(self, value: float, role: str) -> None:
        """A dashed line from side to side: a value that is asked for."""
        if isfinite(value) and self.y[0] <= value <= self.y[1]:
            _, row = self.cell((self.x[0], value))
            self.grid.put(self.left, row, self.ink.dash * self.width, role)

    def path(self, points: list[Point], role: str, dash: bool = False, sign: str = "*") -> None:
        canvas = Canvas(self.width, self.rows, self.ink)
        stroke = dashed if dash else solid
        canvas.path([self.place(point) for point in points], role, stroke, sign)
        canvas.put_on(self.grid, self.left, self.top)


def round_between(low: float, high: float, most: int) -> list[float]:
    """At most `most` + 1 multiples of one round number from `low` to `high`."""
    if not (isfinite(low) and isfinite(high)) or high <= low or most < 1:
        return []
    step = round_up((high - low) / most, whole=False, parts=(1.0, 2.0, 5.0, 10.0))
    first = -int(-low // step)
    return [n * step for n in range(first, int((high + step * 1e-9) // step) + 1)]
