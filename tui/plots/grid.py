"""Cells that a plot puts its signs into, one over the other."""

from __future__ import annotations

from itertools import groupby

from rich.cells import cell_len

from tui.plots.rows import Row, Span

_EMPTY = (" ", "")


class Grid:
    """`width` by `height` cells; what is put outside is not seen."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = max(width, 0), max(height, 0)
        self._cells = [[_EMPTY] * self.width for _ in range(self.height)]

    def put(self, x: int, y: int, text: str, role: str = "") -> None:
        """Puts text on row `y`, from column `x` on."""
        if not 0 <= y < self.height:
            return
        row = self._cells[y]
        for sign in text:
            cells = cell_len(sign)
            if cells and x >= 0 and x + cells <= self.width:
                self._free(row, x, x + cells)
                row[x] = (sign, role)
                for more in range(1, cells):
                    row[x + more] = ("", role)
            x += cells

    def is_free(self, x: int, y: int, cells: int) -> bool:
        """Whether nothing stands there yet, and it is inside."""
        inside = 0 <= y < self.height and x >= 0 and x + cells <= self.width
        return inside and all(cell == _EMPTY for cell in self._cells[y][x : x + cells])

    def rows(self) -> list[Row]:
        """Each exactly `width` cells wide."""
        return [
            tuple(
                Span("".join(sign for sign, _ in cells), role)
                for role, cells in groupby(row, key=lambda cell: cell[1])
            )
            for row in self._cells
        ]

    def _free(self, row: list[tuple[str, str]], start: int, end: int) -> None:
        """Of a wide sign of which one half is overwritten, no half stays."""
        first = start
        while first > 0 and row[first][0] == "":
            first -= 1
            row[first] = _EMPTY
        while end < self.width and row[end][0] == "":
            row[end] = _EMPTY
            end += 1
