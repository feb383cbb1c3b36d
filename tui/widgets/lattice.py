"""A grid with windows drawn over it: their outlines, the padding they reach into, maxima lit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from textual.content import Content

from tui.cells import Grid, labels
from tui.widgets.grids import OFF, WINDOW, Cell, Part, Window, assembled, heat, shading, widest
from tui.widgets.lines import HEAVY, LIGHT, NONE, junction
from tui.widgets.outlines import Outlines, outlines

_FAINT = "$foreground 30%"
#: A cell that stands out: between half blocks, so that it is seen without colours.
_LIT, _EDGE = "bold $lit", "$success"


@dataclass(frozen=True, slots=True)
class Lattice:
    values: Grid
    windows: tuple[Window, ...]
    """All of them: there is room for the outline of each, so that nothing moves in stepping."""
    here: Window | None = None
    """The one that is drawn."""
    lit: Cell | None = None
    """The cell that is lit: its maximum."""
    marks: Mapping[Cell, str] = field(default_factory=dict)
    """Styles of cells."""
    tall: bool = False
    """Whether lines have rows of their own; else a window has its sides alone."""
    shaded: bool = True
    """Whether the background says how large a number is."""
    least: int = 1
    """The columns that a number has at least."""

    def rows(self) -> list[Content]:
        return _Drawing(self).rows()

    @property
    def size(self) -> tuple[int, int]:
        """Its rows and columns, without drawing it."""
        return self.lines.size(widest(labels(self.values), self.least), self.tall)

    @property
    def lines(self) -> Outlines:
        shape = len(self.values), len(self.values[0])
        return outlines(shape, self.windows, self.here, self.tall, self.shaded)


class _Drawing:
    def __init__(self, lattice: Lattice) -> None:
        self._of, self._lines = lattice, lattice.lines
        self._whole = self._lines.whole
        self._texts = labels(lattice.values)
        self._width = widest(self._texts, lattice.least)
        self._heat = heat(lattice.values) if lattice.shaded else {}

    def rows(self) -> list[Content]:
        lines = []
        for i in range(self._whole.top, self._whole.bottom + 1):
            if self._of.tall and i in self._lines.across:
                lines.append(self._line(i))
            if i < self._whole.bottom:
                lines.append(self._numbers(i))
        return lines

    def _line(self, i: int) -> Content:
        """The line above row i."""
        parts: list[Part] = []
        levels, uprights = self._lines.levels, self._lines.uprights
        for j in range(self._whole.left, self._whole.right + 1):
            left, right = levels.get((i, j - 1), NONE), levels.get((i, j), NONE)
            if j in self._lines.down:
                up, below = uprights.get((i - 1, j), NONE), uprights.get((i, j), NONE)
                sign = junction(up, right, below, left)
                parts.append((sign, _style(max(up, right, below, left))))
            if j < self._whole.right:
                parts.append((junction(0, right, 0, right) * (self._width + 2), _style(right)))
        return assembled(parts)

    def _numbers(self, i: int) -> Content:
        parts: list[Part] = []
        for j in range(self._whole.left, self._whole.right + 1):
            if j in self._lines.down:
                weight = self._lines.uprights.get((i, j), NONE)
                parts.append((junction(weight, 0, weight, 0), _style(weight)))
            if j < self._whole.right:
                parts += self._cell((i, j))
        return assembled(parts)

    def _cell(self, cell: Cell) -> list[Part]:
        i, j = cell
        values = self._of.values
        if not (0 <= i < len(values) and 0 <= j < len(values[0])):
            return [(f" {'·'.rjust(self._width)} ", _FAINT)]
        text = self._texts[i][j].rjust(self._width)
        shade, style = self._heat.get(cell, ""), self._of.marks.get(cell, "")
        if cell == self._of.lit:
            edge = shading(_EDGE, shade)
            return [("▐", edge), (text, _LIT), ("▌", edge)]
        if style == OFF:
            marked = f"✗{self._texts[i][j]}"
            return [(" " * (1 + self._width - len(marked)), ""), (marked, OFF), (" ", "")]
        outside = self._of.here is not None and cell not in self._of.here
        plain = values[i][j] == 0 and not self._of.shaded
        style = style or ("dim" if outside or plain else "")
        return [(f" {text} ", shading(style, shade))]


def _style(weight: int) -> str:
    return WINDOW if weight == HEAVY else _FAINT if weight == LIGHT else ""
