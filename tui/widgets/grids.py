"""Matrices as aligned text: cells marked and shaded, several side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from textual.content import Content

from tui.cells import Grid, labels

Cell = tuple[int, int]
#: A piece of a row with its style.
Part = tuple[str, str]

MAXIMUM = "bold $text-success"
OFF = "bold $text-error on $error-muted"
WINDOW = "$text-primary"

#: The styles $shade0 to $shade5 are the theme's (tui/sixteen.py).
_STEPS = 5


@dataclass(frozen=True, slots=True)
class Window:
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
