"""Matrices and grids with windows drawn over them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations

from textual.content import Content

from tui.lab.text import Grid, labels

# Matrices as aligned text: cells marked and shaded, several side by side.

Cell = tuple[int, int]
#: A piece of a row with its style.
Part = tuple[str, str]

MAXIMUM = "bold $text-success"
OFF = "bold $text-error on $error-muted"
WINDOW = "$text-primary"

#: The styles $shade0 to $shade5 are the theme's (tui/theme.py).
_STEPS = 5


@dataclass(frozen=True, slots=True)
class GridWindow:
    """Rows top..bottom and columns left..right of a grid, ends excluded; may reach outside it."""

    top: int
    left: int
    bottom: int
    right: int

    def __contains__(self, cell: Cell) -> bool:
        return self.top <= cell[0] < self.bottom and self.left <= cell[1] < self.right


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
            mark, shade = marks.get((i, j), ""), shades.get((i, j), "")
            if shaded:
                parts.append((f" {text.rjust(width)} ", shading(mark, shade)))
            else:
                # The first has the gap before the grid for its cross.
                parts += _cell(text, width + (crossed and j > 0), mark)
        lines.append(assembled(parts))
    return lines


def widest(texts: Sequence[Sequence[str]], least: int) -> int:
    """The columns of the numbers of a grid."""
    return max(least, max((len(text) for row in texts for text in row), default=1))


def assembled(parts: Iterable[Part]) -> Content:
    """The parts of a row behind each other, neighbours of one style as one."""
    merged: list[Part] = []
    for text, style in parts:
        if merged and merged[-1][1] == style:
            merged[-1] = (merged[-1][0] + text, style)
        else:
            merged.append((text, style))
    return Content.assemble(*merged)


def _cell(text: str, width: int, mark: str) -> list[Part]:
    """A number behind a gap, which is no part of what is marked."""
    if mark == OFF:
        marked = f"✗{text}"
        return [(" " * (1 + width - len(marked)), ""), (marked, OFF)]
    return [(" " + text.rjust(width), mark or ("dim" if text == "0" else ""))]


def heat(grid: Grid) -> dict[Cell, str]:
    """The shade of each number, deeper for the larger ones; none where all are the same."""
    values = [value for row in grid for value in row if _known(value)]
    if not values or min(values) == max(values):
        return {}
    least, span = min(values), max(values) - min(values)
    found = {}
    for i, row in enumerate(grid):
        for j, value in enumerate(row):
            if _known(value):
                found[i, j] = f"$shade{round((value - least) / span * _STEPS)}"
    return found


def shading(mark: str, shade: str) -> str:
    """A mark's style on a shade; only of what is not marked may a shade say itself by faintness."""
    bright = " not dim" if mark and shade and mark != "dim" else ""
    return f"{mark} {shade}".strip() + bright


def _known(value: float | None) -> bool:
    # An undefined or an infinite number has no shade.
    return value is not None and abs(value) < float("inf")


def beside(
    columns: Iterable[tuple[str, Sequence[Content]]], width: int, gap: int | None = None
) -> Content:
    """Titled grids next to each other, in as many rows of grids as `width` asks for, with so many
    columns between them or, where it is not said, as many as there is room for."""
    blocks = [[Content.styled(f" {title}", "dim"), *lines] for title, lines in columns]
    sized = [(max(line.cell_length for line in block), block) for block in blocks]
    gap = gap or gap_for([wide for wide, _ in sized], width)
    bands: list[list[tuple[int, list[Content]]]] = [[]]
    used = 0
    for wide, block in sized:
        if bands[-1] and used + gap + wide > width:
            bands.append([])
            used = 0
        bands[-1].append((wide, block))
        used += wide + (gap if used else 0)
    return Content("\n").join(line for band in bands if band for line in _band(band, gap))


def gap_for(widths: Sequence[int], width: int) -> int:
    """Columns between grids: fewer where all of them stand in one row only so."""
    return 1 if 0 <= width - sum(widths) - (len(widths) - 1) < len(widths) - 1 else 2


def bands(blocks: Iterable[tuple[int, int]], width: int) -> tuple[int, int]:
    """Of blocks of so many rows and columns each, set by `beside`: how many rows of blocks there
    are, and how many rows of text."""
    blocks = list(blocks)
    gap = gap_for([wide for _, wide in blocks], width)
    count, height, tallest, used = 1, 0, 0, 0
    for rows_, wide in blocks:
        if used and used + gap + wide > width:
            count, height, tallest, used = count + 1, height + tallest, 0, 0
        used += wide + (gap if used else 0)
        tallest = max(tallest, rows_)
    return count, height + tallest


def _band(band: list[tuple[int, list[Content]]], gap: int) -> list[Content]:
    height = max(len(block) for _, block in band)
    return [
        Content(" " * gap).join(
            (block[n] if n < len(block) else Content("")).pad_right(
                wide - (block[n].cell_length if n < len(block) else 0)
            )
            for wide, block in band
        )
        for n in range(height)
    ]


# Box-drawing characters by what meets in them.

#: No line, a light one, a heavy one.
NONE, LIGHT, HEAVY = 0, 1, 2

# By up, right, down and left, each of three weights, read as a number to the base 3.
_JUNCTIONS = " ╴╸╷┐┑╻┒┓╶─╾┌┬┭┎┰┱╺╼━┍┮┯┏┲┳╵┘┙│┤┥╽┧┪└┴┵├┼┽┟╁╅┕┶┷┝┾┿┢╆╈╹┚┛╿┦┩┃┨┫┖┸┹┞╀╃┠╂╉┗┺┻┡╄╇┣╊╋"


def junction(up: int, right: int, down: int, left: int) -> str:
    """The character in which lines of these weights meet."""
    return _JUNCTIONS[((up * 3 + right) * 3 + down) * 3 + left]


# Where lines stand in a grid with windows over it, and how heavy each piece of them is.


@dataclass(frozen=True, slots=True)
class Outlines:
    whole: GridWindow
    """The cells that are drawn: of a grid with lines, what is padded around it too."""
    across: frozenset[int]
    """Above which rows there is room for a line, and below the last one."""
    down: frozenset[int]
    """The same of columns."""
    levels: Mapping[Cell, int]
    """The weight of the line above each cell that has one."""
    uprights: Mapping[Cell, int]
    """The weight of the line left of each cell that has one."""

    def size(self, width: int, tall: bool) -> tuple[int, int]:
        """Rows and columns of the drawing of numbers that are `width` wide."""
        whole = self.whole
        rows = whole.bottom - whole.top + (len(self.across) if tall else 0)
        return rows, (whole.right - whole.left) * (width + 2) + len(self.down)


@lru_cache(maxsize=64)
def outlines(
    shape: tuple[int, int],
    windows: tuple[GridWindow, ...],
    here: GridWindow | None,
    tall: bool,
    light: bool,
) -> Outlines:
    """Of a grid of so many rows and columns.  There is room for every window's outline; drawn are
    that of `here` and, if `light`, of the grid and of windows that tile it, faintly."""
    whole = GridWindow(0, 0, *shape)
    if tall and windows:
        whole = GridWindow(
            min(0, *(w.top for w in windows)),
            min(0, *(w.left for w in windows)),
            max(shape[0], *(w.bottom for w in windows)),
            max(shape[1], *(w.right for w in windows)),
        )
    frame = [whole] if tall else []
    every = [_clipped(window, whole) for window in windows]
    # Over each other, light lines would tell nothing.
    tiles = every if light and tall and not _overlap(every) else []
    heavy = [_clipped(here, whole)] if here else []
    levels, uprights = _pieces([*frame, *tiles] if light else [], heavy)
    return Outlines(
        whole,
        frozenset(edge for w in (*every, *frame) for edge in (w.top, w.bottom)),
        frozenset(edge for w in (*every, *frame) for edge in (w.left, w.right)),
        levels,
        uprights,
    )


def _clipped(window: GridWindow, whole: GridWindow) -> GridWindow:
    """The part of a window that is drawn; one beside it keeps a line on the edge."""

    def inside(n: int, least: int, most: int) -> int:
        return min(max(n, least), most)

    top, bottom = (inside(n, whole.top, whole.bottom) for n in (window.top, window.bottom))
    left, right = (inside(n, whole.left, whole.right) for n in (window.left, window.right))
    return GridWindow(top, left, bottom, right)


def _pieces(
    light: Sequence[GridWindow], heavy: Sequence[GridWindow]
) -> tuple[dict[Cell, int], dict[Cell, int]]:
    levels: dict[Cell, int] = {}
    uprights: dict[Cell, int] = {}
    for windows, weight in ((light, LIGHT), (heavy, HEAVY)):
        for w in windows:
            for edge in (w.top, w.bottom):
                levels |= dict.fromkeys(((edge, j) for j in range(w.left, w.right)), weight)
            for edge in (w.left, w.right):
                uprights |= dict.fromkeys(((i, edge) for i in range(w.top, w.bottom)), weight)
    return levels, uprights


def _overlap(windows: Sequence[GridWindow]) -> bool:
    """Whether any two share a cell."""
    return any(
        one.top < other.bottom
        and other.top < one.bottom
        and one.left < other.right
        and other.left < one.right
        for one, other in combinations(windows, 2)
    )


# A grid with windows drawn over it: their outlines, the padding they reach into, maxima lit.

_FAINT = "$foreground 30%"
#: A cell that stands out: between half blocks, so that it is seen without colours.
_LIT, _EDGE = "bold $lit", "$success"


@dataclass(frozen=True, slots=True)
class Lattice:
    values: Grid
    windows: tuple[GridWindow, ...]
    """All of them: there is room for the outline of each, so that nothing moves in stepping."""
    here: GridWindow | None = None
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
