"""Lines in dots: eight to a cell in braille, one to a cell in ASCII."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

from tui.plots.grid import Grid
from tui.plots.ink import Ink

#: The bit of a braille dot, by its column and row in the cell.
_BITS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
_BRAILLE = 0x2800

#: Whether the dot number n of a line is drawn.
Stroke = Callable[[int], bool]


def solid(_dot: int) -> bool:
    return True


def dashed(dot: int) -> bool:
    """Two of four dots: told from a solid line without colour."""
    return dot % 4 < 2


def dotted(dot: int) -> bool:
    return dot % 3 == 0


class Canvas:
    """`width` by `height` cells; points are fractions of it: (0, 0) is below left, (1, 1) above
    right."""

    def __init__(self, width: int, height: int, ink: Ink) -> None:
        self.width, self.height, self._ink = max(width, 0), max(height, 0), ink
        self._across, self._down = (2, 4) if ink.braille else (1, 1)
        self._dots: dict[tuple[int, int], tuple[int, str, str]] = {}

    def line(
        self,
        start: tuple[float, float],
        end: tuple[float, float],
        role: str,
        stroke: Stroke = solid,
        sign: str = "*",
        begin: int = 0,
    ) -> int:
        """A straight line; `sign` stands for it in ASCII.  Returns the number of the next dot."""
        (x0, y0), (x1, y1) = self._dot(start), self._dot(end)
        steps = max(abs(x1 - x0), abs(y1 - y0), 1)
        for step in range(steps + 1):
            if stroke(begin + step):
                x = round(x0 + (x1 - x0) * step / steps)
                y = round(y0 + (y1 - y0) * step / steps)
                self._set(x, y, role, sign)
        return begin + steps

    def path(
        self,
        points: list[tuple[float, float]],
        role: str,
        stroke: Stroke = solid,
        sign: str = "*",
    ) -> None:
        """Lines from point to point; a single point is a dot."""
        begin = 0
        for start, end in zip(points, points[1:] or points, strict=False):
            begin = self.line(start, end, role, stroke, sign, begin)

    def put_on(self, grid: Grid, x: int, y: int) -> None:
        """Puts the cells with dots on a grid; the others stay as they are."""
        for (column, row), (bits, role, sign) in self._dots.items():
            shown = chr(_BRAILLE + bits) if self._ink.braille else sign
            grid.put(x + column, y + row, shown, role)

    def cell(self, x: float, y: float) -> tuple[int, int]:
        """Column and row of the cell that a point is in."""
        dot = self._dot((x, y))
        return dot[0] // self._across, dot[1] // self._down

    def _dot(self, point: tuple[float, float]) -> tuple[int, int]:
        wide, high = self.width * self._across, self.height * self._down
        x = min(max(ceil(point[0] * wide) - 1, 0), max(wide - 1, 0))
        y = min(max(ceil((1 - point[1]) * high) - 1, 0), max(high - 1, 0))
        return x, y

    def _set(self, x: int, y: int, role: str, sign: str) -> None:
        if not (self.width and self.height):
            return
        place = (x // self._across, y // self._down)
        bits = self._dots.get(place, (0, role, sign))[0]
        if self._ink.braille:
            bits |= _BITS[x % 2][y % 4]
        self._dots[place] = (bits, role, sign)
