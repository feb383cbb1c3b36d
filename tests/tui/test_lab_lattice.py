"""Lab: windows drawn over a grid, and the shades of its numbers."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui.widgets.grids import OFF, GridWindow, Lattice, heat, rows

FOUR = [[7, -1, 6, -3], [-6, 2, 4, -5], [-2, 5, 3, -4], [-7, 1, -8, 0]]
TILES = tuple(GridWindow(i, j, i + 2, j + 2) for i in (0, 2) for j in (0, 2))


def plain(lattice: Lattice) -> list[str]:
    return [row.plain for row in lattice.rows()]


def test_the_window_is_outlined_and_its_maximum_lit() -> None:
    assert plain(Lattice(FOUR, TILES, TILES[0], (0, 0), tall=True)) == [
        "┏━━━━━━━━┱────────┐",
        "┃▐ 7▌ -1 ┃  6  -3 │",
        "┃ -6   2 ┃  4  -5 │",
        "┡━━━━━━━━╃────────┤",
        "│ -2   5 │  3  -4 │",
        "│ -7   1 │ -8   0 │",
        "└────────┴────────┘",
    ]


def test_without_rows_for_lines_a_window_has_sides_on_its_rows_only() -> None:
    assert plain(Lattice([[1, 2], [3, 4]], (GridWindow(0, 0, 1, 1),), GridWindow(0, 0, 1, 1))) == [
        "┃ 1 ┃ 2 ",
        "  3   4 ",
    ]


def test_padding_is_drawn_around_the_input() -> None:
    window = GridWindow(-1, -1, 1, 1)
    assert plain(Lattice([[5]], (window,), window, tall=True)) == [
        "┏━━━━━━┓",
        "┃ ·  · ┃",
        "┃ ·  5 ┃",
        "┗━━━━━━┛",
    ]


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 5), st.integers(1, 5), st.integers(1, 4), st.integers(1, 4), st.integers(0, 2)
)
def test_nothing_moves_while_the_windows_are_stepped_through(
    down: int, across: int, kernel: int, stride: int, padding: int
) -> None:
    starts = [
        range(-padding, max(1 - padding, size + padding - kernel + 1), stride)
        for size in (down, across)
    ]
    windows = tuple(GridWindow(i, j, i + kernel, j + kernel) for i in starts[0] for j in starts[1])
    values = [[float(i * across + j) for j in range(across)] for i in range(down)]
    for tall in (True, False):
        every = [plain(Lattice(values, windows, here, tall=tall)) for here in windows]
        for row in zip(*every, strict=True):
            bare = {re.sub(r"[^0-9·]", " ", text) for text in row}
            assert len(bare) == 1
            assert len({len(text) for text in row}) == 1


def test_a_number_is_shaded_the_deeper_the_larger_it_is() -> None:
    shades = heat([[0.0, 1.0, 2.0]])
    assert list(shades) == [(0, 0), (0, 1), (0, 2)]
    assert len(set(shades.values())) == 3


@pytest.mark.parametrize("values", [[[2.0, 2.0]], [[float("nan"), float("inf")]], [[3.0]]])
def test_where_nothing_is_larger_nothing_is_shaded(values: list[list[float]]) -> None:
    assert heat(values) == {}


def test_a_cell_that_is_off_has_a_cross_in_every_kind_of_grid() -> None:
    window = GridWindow(0, 0, 1, 2)
    drawn = Lattice([[1, 2]], (window,), window, None, {(0, 1): OFF}, shaded=False)
    assert plain(drawn) == ["┃ 1 ✗2 ┃"]
    assert rows([[1, 2]], {(0, 1): OFF})[0].plain == " 1 ✗2"
    wide = rows([[0, 0.25, 0]], {(0, 1): OFF, (0, 2): OFF})[0]
    assert wide.plain == "   0 ✗.25   ✗0"
