"""A grid with windows drawn over it: their outlines, the padding they reach into, maxima lit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations

from textual.content import Content

from tui.cells import Grid, labels
from tui.widgets.grids import OFF, WINDOW, Cell, Window, heat
from tui.widgets.lines import HEAVY, LIGHT, NONE, junction

Part = tuple[str, str]

_FAINT = "$foreground 30%"
#: A cell that stands out: between half blocks, so that it is seen without colours.
_LIT, _EDGE = "bold auto on $success", "$success"


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

    def rows(self) -> list[Content]:
        return _Drawing(self).rows()


class _Drawing:
    """The lattice laid out: which cells, which lines, how heavy each piece of a line is."""

    def __init__(self, lattice: Lattice) -> None:
        self._of = lattice
        down, across = len(lattice.values), len(lattice.values[0])
        self._size = down, across
        whole = Window(0, 0, down, across)
        if lattice.tall and lattice.windows:
            # What is padded around the input is drawn as well.
            whole = Window(
                min(0, *(w.top for w in lattice.windows)),
                min(0, *(w.left for w in lattice.windows)),
                max(down, *(w.bottom for w in lattice.windows)),
                max(across, *(w.right for w in lattice.windows)),
            )
        self._whole = whole
        outlines = [whole] if lattice.tall else []
        every = [_clipped(window, whole) for window in lattice.windows]
        self._across = {edge for w in (*every, *outlines) for edge in (w.top, w.bottom)}
        self._down = {edge for w in (*every, *outlines) for edge in (w.left, w.right)}
        # Light lines where windows tile the input; over each other they would tell nothing.
        tiled = lattice.tall and lattice.shaded and not _overlap(every)
        light = [*outlines, *every] if tiled else outlines if lattice.shaded else []
        here = [_clipped(lattice.here, whole)] if lattice.here else []
        self._levels, self._uprights = _pieces(light, here)
        self._texts = labels(lattice.values)
        self._width = max((len(text) for row in self._texts for text in row), default=1)
        self._heat = heat(lattice.values) if lattice.shaded else {}

    def rows(self) -> list[Content]:
        lines = []
        for i in range(self._whole.top, self._whole.bottom + 1):
            if self._of.tall and i in self._across:
                lines.append(self._line(i))
            if i < self._whole.bottom:
                lines.append(self._numbers(i))
        return lines

    # Lines.

    def _line(self, i: int) -> Content:
        """The line above row i."""
        parts: list[Part] = []
        for j in range(self._whole.left, self._whole.right + 1):
            left, right = self._levels.get((i, j - 1), NONE), self._levels.get((i, j), NONE)
            if j in self._down:
                up, below = (self._uprights.get((n, j), NONE) for n in (i - 1, i))
                sign = junction(up, right, below, left)
                parts.append((sign, _style(max(up, right, below, left))))
            if j < self._whole.right:
                parts.append((junction(0, right, 0, right) * (self._width + 2), _style(right)))
        return Content.assemble(*parts)

    # Cells.

    def _numbers(self, i: int) -> Content:
        parts: list[Part] = []
        for j in range(self._whole.left, self._whole.right + 1):
            if j in self._down:
                weight = self._uprights.get((i, j), NONE)
                parts.append((junction(weight, 0, weight, 0), _style(weight)))
            if j < self._whole.right:
                parts += self._cell((i, j))
        return Content.assemble(*parts)

    def _cell(self, cell: Cell) -> list[Part]:
        i, j = cell
        if not (0 <= i < self._size[0] and 0 <= j < self._size[1]):
            return [(f" {'·'.rjust(self._width)} ", _FAINT)]
        text = self._texts[i][j].rjust(self._width)
        shade, style = self._heat.get(cell, ""), self._of.marks.get(cell, "")
        if cell == self._of.lit:
            edge = f"{_EDGE} {shade}".rstrip()
            return [("▐", edge), (text, _LIT), ("▌", edge)]
        if style == OFF:
            return [("✗", OFF), (text, OFF), (" ", OFF)]
        outside = self._of.here is not None and cell not in self._of.here
        plain = self._of.values[i][j] == 0 and not self._of.shaded
        style = style or ("dim" if outside or plain else "")
        return [(f" {text} ", f"{style} {shade}".strip())]


def _clipped(window: Window, whole: Window) -> Window:
    """The part of a window that is drawn; one beside it keeps a line on the edge."""

    def inside(n: int, least: int, most: int) -> int:
        return min(max(n, least), most)

    top, bottom = (inside(n, whole.top, whole.bottom) for n in (window.top, window.bottom))
    left, right = (inside(n, whole.left, whole.right) for n in (window.left, window.right))
    return Window(top, left, bottom, right)


def _pieces(light: list[Window], heavy: list[Window]) -> tuple[dict[Cell, int], dict[Cell, int]]:
    """The weight of the line above each cell, and of the line left of it."""
    levels: dict[Cell, int] = {}
    uprights: dict[Cell, int] = {}
    for windows, weight in ((light, LIGHT), (heavy, HEAVY)):
        for w in windows:
            for edge in (w.top, w.bottom):
                levels |= dict.fromkeys(((edge, j) for j in range(w.left, w.right)), weight)
            for edge in (w.left, w.right):
                uprights |= dict.fromkeys(((i, edge) for i in range(w.top, w.bottom)), weight)
    return levels, uprights


def _overlap(windows: list[Window]) -> bool:
    """Whether any two share a cell."""
    return any(
        one.top < other.bottom
        and other.top < one.bottom
        and one.left < other.right
        and other.left < one.right
        for one, other in combinations(windows, 2)
    )


def _style(weight: int) -> str:
    return WINDOW if weight == HEAVY else _FAINT if weight == LIGHT else ""
