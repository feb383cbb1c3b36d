"""Where lines stand in a grid with windows over it, and how heavy each piece of them is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from tui.widgets.grids import Cell, Window
from tui.widgets.lines import HEAVY, LIGHT


@dataclass(frozen=True, slots=True)
class Outlines:
    whole: Window
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
    windows: tuple[Window, ...],
    here: Window | None,
    tall: bool,
    light: bool,
) -> Outlines:
    """Of a grid of so many rows and columns.  There is room for every window's outline; drawn are
    that of `here` and, if `light`, of the grid and of windows that tile it, faintly."""
    whole = Window(0, 0, *shape)
    if tall and windows:
        whole = Window(
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


def _clipped(window: Window, whole: Window) -> Window:
    """The part of a window that is drawn; one beside it keeps a line on the edge."""

    def inside(n: int, least: int, most: int) -> int:
        return min(max(n, least), most)

    top, bottom = (inside(n, whole.top, whole.bottom) for n in (window.top, window.bottom))
    left, right = (inside(n, whole.left, whole.right) for n in (window.left, window.right))
    return Window(top, left, bottom, right)


def _pieces(
    light: Sequence[Window], heavy: Sequence[Window]
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


def _overlap(windows: Sequence[Window]) -> bool:
    """Whether any two share a cell."""
    return any(
        one.top < other.bottom
        and other.top < one.bottom
        and one.left < other.right
        and other.left < one.right
        for one, other in combinations(windows, 2)
    )
