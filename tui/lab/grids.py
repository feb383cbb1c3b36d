"""Matrices as aligned text, several side by side, and grids with windows drawn over them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from textual.content import Content

from tui.lab.text import Grid, bands, labels

Cell = tuple[int, int]
#: A piece of a row with its style.
Part = tuple[str, str]
#: A grid's lines below what it is called.
Titled = tuple[str, Sequence[Content]]

MAXIMUM = "bold $text-success"
OFF = "bold $text-error on $error-muted"
WINDOW = "$text-primary"
_FAINT = "$foreground 30%"

#: The styles $shade0 to $shade5 are the theme's (tui/theme.py).
_STEPS = 5


def rows(
    grid: Grid,
    marks: Mapping[Cell, str] | None = None,
    shaded: bool = False,
    least: int = 1,
    crossed: bool = False,
) -> list[Content]:
    """The grid's lines.

    `marks` are styles of cells; one of the style `OFF` also gets a cross right before its number,
    apart from its neighbour's, so that it is seen without colours.  `shaded` says by its background
    how large each number is; each has `least` columns at least.  `crossed` leaves room for crosses
    also where there are none yet."""
    marks = marks or {}
    texts = labels(grid)
    width = widest(texts, least)
    crossed = crossed or OFF in marks.values()
    shades = heat(grid) if shaded else {}
    lines = []
    for i, row in enumerate(texts):
        parts: list[Part] = []
        for j, text in enumerate(row):
            mark = marks.get((i, j), "")
            if shaded:
                parts.append((f" {text.rjust(width)} ", shading(mark, shades.get((i, j), ""))))
            elif mark == OFF:
                parts += off(text, width + (crossed and j > 0))
            else:
                # The first has the gap before the grid for its cross.
                wide = text.rjust(width + (crossed and j > 0))
                parts.append((f" {wide}", mark or ("dim" if text in "0·" else "")))
        lines.append(assembled(parts))
    return lines


def widest(texts: Sequence[Sequence[str]], least: int) -> int:
    """The columns of the numbers of a grid."""
    return max(least, max((len(text) for row in texts for text in row), default=1))


def off(text: str, width: int) -> list[Part]:
    """A number that is off behind its cross; the gap before them is no part of what is marked."""
    return [(" " * (width - len(text)), ""), (f"✗{text}", OFF)]


def assembled(parts: Iterable[Part]) -> Content:
    """The parts of a row behind each other, neighbours of one style as one."""
    merged: list[Part] = []
    for text, style in parts:
        if merged and merged[-1][1] == style:
            merged[-1] = (merged[-1][0] + text, style)
        else:
            merged.append((text, style))
    return Content.assemble(*merged)


def heat(grid: Grid) -> dict[Cell, str]:
    """The shade of each number, deeper for the larger ones; none where all are the same, nor of
    an undefined or an infinite one."""
    values = {
        (i, j): value
        for i, row in enumerate(grid)
        for j, value in enumerate(row)
        if value is not None and abs(value) < float("inf")
    }
    least, most = min(values.values(), default=0), max(values.values(), default=0)
    if least == most:
        return {}
    return {
        cell: f"$shade{round((value - least) / (most - least) * _STEPS)}"
        for cell, value in values.items()
    }


def shading(mark: str, shade: str) -> str:
    """A mark's style on a shade; only of what is not marked may a shade say itself by faintness."""
    bright = " not dim" if mark and shade and mark != "dim" else ""
    return f"{mark} {shade}".strip() + bright


# Titled grids next to each other.


class Arranged(NamedTuple):
    """In as many bands as their widths ask for, `gap` columns between them."""

    bands: list[list[tuple[int, Sequence[Content]]]]
    """Of each grid its columns and its lines, its title the first."""
    gap: int

    @property
    def height(self) -> int:
        return sum(max(len(lines) for _, lines in band) for band in self.bands)

    def content(self) -> Content:
        drawn = []
        for band in self.bands:
            for row in zip_longest(*(lines for _, lines in band), fillvalue=Content("")):
                cells = zip((wide for wide, _ in band), row, strict=True)
                padded = (line.pad_right(wide - line.cell_length) for wide, line in cells)
                drawn.append(Content(" " * self.gap).join(padded))
        return Content("\n").join(drawn)


def arranged(columns: Iterable[Titled], width: int) -> Arranged:
    """In `width` columns; with a smaller gap where that takes fewer rows."""
    blocks: list[Sequence[Content]] = [
        [Content.styled(f" {title}", "dim"), *lines] for title, lines in columns
    ]
    sized = [(max(line.cell_length for line in block), block) for block in blocks]
    wide = [columns for columns, _ in sized]
    ways = (Arranged([sized[band] for band in bands(wide, width, gap)], gap) for gap in (2, 1))
    return min(ways, key=lambda way: way.height)


def beside(columns: Iterable[Titled], width: int) -> Content:
    return arranged(columns, width).content()


# Box-drawing characters by what meets in them.

#: No line, a light one, a heavy one.
NONE, LIGHT, HEAVY = 0, 1, 2

# By up, right, down and left, each of three weights, read as a number to the base 3.
_JUNCTIONS = " ╴╸╷┐┑╻┒┓╶─╾┌┬┭┎┰┱╺╼━┍┮┯┏┲┳╵┘┙│┤┥╽┧┪└┴┵├┼┽┟╁╅┕┶┷┝┾┿┢╆╈╹┚┛╿┦┩┃┨┫┖┸┹┞╀╃┠╂╉┗┺┻┡╄╇┣╊╋"


def junction(up: int, right: int, down: int, left: int) -> Part:
    """The character in which lines of these weights meet, and its style."""
    style = {HEAVY: WINDOW, LIGHT: _FAINT, NONE: ""}[max(up, right, down, left)]
    return _JUNCTIONS[((up * 3 + right) * 3 + down) * 3 + left], style


# A grid with windows drawn over it: their outlines, the padding they reach into, maxima lit.


@dataclass(frozen=True, slots=True)
class GridWindow:
    """Rows top..bottom and columns left..right of a grid, ends excluded; may reach outside it."""

    top: int
    left: int
    bottom: int
    right: int

    def __contains__(self, cell: Cell) -> bool:
        return self.top <= cell[0] < self.bottom and self.left <= cell[1] < self.right

    def within(self, whole: GridWindow) -> GridWindow:
        """The part that is drawn; a window beside `whole` keeps a line on the edge."""
        return GridWindow(
            min(max(self.top, whole.top), whole.bottom),
            min(max(self.left, whole.left), whole.right),
            min(max(self.bottom, whole.top), whole.bottom),
            min(max(self.right, whole.left), whole.right),
        )


#: A cell that stands out: between half blocks, so that it is seen without colours.
_LIT, _EDGE = "bold $lit", "$success"


class Lattice:
    """A grid with the windows of a layer over it; made without being drawn, it knows its size."""

    def __init__(
        self,
        values: Grid,
        windows: Sequence[GridWindow],
        here: GridWindow | None = None,
        lit: Cell | None = None,
        marks: Mapping[Cell, str] | None = None,
        tall: bool = False,
        shaded: bool = True,
        least: int = 1,
    ) -> None:
        """There is room for the outlines of all `windows`, so that nothing moves in stepping; the
        one that is `here` is bold, its maximum `lit`.

        `tall`: lines have rows of their own; else a window has its sides alone.  `shaded`: all
        windows are drawn, faintly, and the background says how many of them hold a number, or,
        where no two overlap, how large it is.  `marks` are styles of cells; a number has `least`
        columns at least.
        """
        self._values, self._lit, self._marks = values, lit, marks or {}
        self._tall, self._shaded, self._here = tall, shaded, here
        self._texts = labels(values)
        self._width = widest(self._texts, least)
        grid = GridWindow(0, 0, len(values), len(values[0]))
        reached = [grid, *windows] if tall else [grid]
        self._whole = GridWindow(
            min(w.top for w in reached),
            min(w.left for w in reached),
            max(w.bottom for w in reached),
            max(w.right for w in reached),
        )
        """The cells that are drawn: of a grid with lines, what is padded around it too."""
        self._windows = [window.within(self._whole) for window in windows]
        outlined = [*self._windows, self._whole] if tall else self._windows
        self._across = {edge for w in outlined for edge in (w.top, w.bottom)}
        """Above which rows there is room for a line, and below the last one."""
        self._down = {edge for w in outlined for edge in (w.left, w.right)}
        """The same of columns."""
        self._levels: dict[Cell, int] = {}
        """The weight of the line above each cell that has one."""
        self._uprights: dict[Cell, int] = {}
        """The weight of the line left of each cell that has one."""

    @property
    def size(self) -> tuple[int, int]:
        """Its rows and columns."""
        whole = self._whole
        rows = whole.bottom - whole.top + (len(self._across) if self._tall else 0)
        return rows, (whole.right - whole.left) * (self._width + 2) + len(self._down)

    def rows(self) -> list[Content]:
        if self._shaded:
            self._outline([*[self._whole] * self._tall, *self._windows], LIGHT)
        if self._here is not None:
            self._outline([self._here.within(self._whole)], HEAVY)
        shades = heat(self._held if self.overlaps else self._values) if self._shaded else {}
        lines = []
        for i in range(self._whole.top, self._whole.bottom + 1):
            if self._tall and i in self._across:
                lines.append(self._line(i))
            if i < self._whole.bottom:
                lines.append(self._numbers(i, shades))
        return lines

    @property
    def _held(self) -> Grid:
        """How many windows hold each cell."""
        windows = self._windows
        return [
            [sum((i, j) in window for window in windows) for j in range(len(row))]
            for i, row in enumerate(self._values)
        ]

    @property
    def overlaps(self) -> bool:
        """Whether two windows share a cell."""
        return any(count > 1 for row in self._held for count in row)

    def _outline(self, windows: Iterable[GridWindow], weight: int) -> None:
        for w in windows:
            for edge in (w.top, w.bottom):
                self._levels |= dict.fromkeys(((edge, j) for j in range(w.left, w.right)), weight)
            for edge in (w.left, w.right):
                self._uprights |= dict.fromkeys(((i, edge) for i in range(w.top, w.bottom)), weight)

    def _line(self, i: int) -> Content:
        """The line above row i."""
        parts: list[Part] = []
        levels, uprights = self._levels, self._uprights
        for j in range(self._whole.left, self._whole.right + 1):
            left, right = levels.get((i, j - 1), NONE), levels.get((i, j), NONE)
            if j in self._down:
                up, below = uprights.get((i - 1, j), NONE), uprights.get((i, j), NONE)
                parts.append(junction(up, right, below, left))
            if j < self._whole.right:
                sign, style = junction(NONE, right, NONE, right)
                parts.append((sign * (self._width + 2), style))
        return assembled(parts)

    def _numbers(self, i: int, shades: Mapping[Cell, str]) -> Content:
        parts: list[Part] = []
        for j in range(self._whole.left, self._whole.right + 1):
            if j in self._down:
                weight = self._uprights.get((i, j), NONE)
                parts.append(junction(weight, NONE, weight, NONE))
            if j < self._whole.right:
                parts += self._cell((i, j), shades.get((i, j), ""))
        return assembled(parts)

    def _cell(self, cell: Cell, shade: str) -> list[Part]:
        i, j = cell
        values = self._values
        if not (0 <= i < len(values) and 0 <= j < len(values[0])):
            return [(f" {'·'.rjust(self._width)} ", _FAINT)]
        text = self._texts[i][j].rjust(self._width)
        style = self._marks.get(cell, "")
        if cell == self._lit:
            edge = shading(_EDGE, shade)
            return [("▐", edge), (text, _LIT), ("▌", edge)]
        if style == OFF:
            return [*off(self._texts[i][j], self._width), (" ", "")]
        outside = self._here is not None and cell not in self._here
        plain = not (values[i][j] or self._shaded)
        style = style or ("dim" if outside or plain else "")
        return [(f" {text} ", shading(style, shade))]
