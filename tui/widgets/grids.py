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

#: The darkest shade, in percent, and into how many steps shades fall.
_DARKEST, _STEPS = 45, 5


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
    grid: Grid, marks: Mapping[Cell, str] | None = None, shaded: bool = False, least: int = 1
) -> list[Content]:
    """The grid's lines.  `marks` are styles of cells; one of the style `OFF` also gets a cross, so
    that it is seen without colours.  `shaded` says by its background how large each number is;
    each has `least` columns at least."""
    marks = marks or {}
    texts = labels(grid)
    width = widest(texts, least)
    shades = heat(grid) if shaded else {}
    lines = []
    for i, row in enumerate(texts):
        parts = [
            _cell(text.rjust(width), marks.get((i, j), ""), shades.get((i, j), ""), shaded)
            for j, text in enumerate(row)
        ]
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


def _cell(text: str, mark: str, shade: str, shaded: bool) -> Part:
    """A number with room on its left for a cross; a shaded one has room on both sides."""
    if shaded:
        return f" {text} ", f"{mark} {shade}".strip()
    quiet = "dim" if text.strip() == "0" else ""
    return f"{'✗' if mark == OFF else ' '}{text}", mark or quiet


def heat(grid: Grid) -> dict[Cell, str]:
    """The background of each number, deeper for the larger ones; none where all are the same."""
    values = [value for row in grid for value in row if _known(value)]
    if not values or min(values) == max(values):
        return {}
    least, span = min(values), max(values) - min(values)
    found = {}
    for i, row in enumerate(grid):
        for j, value in enumerate(row):
            if _known(value) and (step := round((value - least) / span * _STEPS)):
                found[i, j] = f"on $primary {_DARKEST * step // _STEPS}%"
    return found


def _known(value: float | None) -> bool:
    # An undefined or an infinite number has no shade.
    return value is not None and abs(value) < float("inf")


def beside(columns: Iterable[tuple[str, Sequence[Content]]], width: int, gap: int = 2) -> Content:
    """Titled grids next to each other, in as many rows of grids as `width` asks for."""
    bands: list[list[tuple[int, list[Content]]]] = [[]]
    used = 0
    for title, lines in columns:
        head = Content.styled(f" {title}", "dim")
        block = [head, *lines]
        wide = max(line.cell_length for line in block)
        if bands[-1] and used + gap + wide > width:
            bands.append([])
            used = 0
        bands[-1].append((wide, block))
        used += wide + (gap if used else 0)
    return Content("\n").join(line for band in bands if band for line in _band(band, gap))


def bands(blocks: Iterable[tuple[int, int]], width: int, gap: int = 2) -> tuple[int, int]:
    """Of blocks of so many rows and columns each, set by `beside`: how many rows of blocks there
    are, and how many rows of text."""
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
