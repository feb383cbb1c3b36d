"""Matrices as aligned text: marked cells, a window drawn over them, several side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from textual.content import Content

from tui.cells import Grid, labels

Cell = tuple[int, int]

MAXIMUM = "bold $text-success"
OFF = "bold $error reverse"
WINDOW = "$primary"


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
    grid: Grid, marks: Mapping[Cell, str] | None = None, window: Window | None = None
) -> list[Content]:
    """The grid's lines.  `marks` are styles of cells; a cell of the style `OFF`, or a marked cell
    in the window, also gets brackets, so that it is seen without colours."""
    marks = marks or {}
    texts = labels(grid)
    width = max((len(text) for row in texts for text in row), default=1)
    if window is None and OFF not in marks.values():
        return [_plain(i, row, width, marks) for i, row in enumerate(texts)]
    return [_bracketed(i, row, width, marks, window) for i, row in enumerate(texts)]


def _plain(i: int, row: list[str], width: int, marks: Mapping[Cell, str]) -> Content:
    return Content.assemble(
        *((f" {text.rjust(width)}", marks.get((i, j), "")) for j, text in enumerate(row))
    )


def _bracketed(
    i: int, row: list[str], width: int, marks: Mapping[Cell, str], window: Window | None
) -> Content:
    """A row with room for brackets; the window's sides stand in the room of its neighbours."""
    last = len(row) - 1
    left, right = (max(window.left, 0), min(window.right, last + 1)) if window else (-1, -1)
    on = window is not None and window.top <= i < window.bottom
    side, gap = ("┃", WINDOW), (" ", "")
    parts = [] if window is None else [side if on and left == 0 else gap]
    for j, text in enumerate(row):
        style = marks.get((i, j), "")
        inside = window is not None and (i, j) in window
        tight = style == OFF or (bool(style) and inside)
        style = style or ("" if window is None or inside else "dim")
        parts += [
            ("[", style) if tight else side if on and j == right else gap,
            (text.rjust(width), style),
            ("]", style) if tight else side if on and j == left - 1 else gap,
        ]
    if window is not None:
        parts.append(side if on and right == last + 1 else gap)
    return Content.assemble(*parts)


def beside(columns: Iterable[tuple[str, list[Content]]], width: int, gap: int = 2) -> Content:
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
