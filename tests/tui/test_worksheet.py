"""Lab: what is said of a grid filled in by hand; windows drawn over a grid."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.lab_driving import worksheet_of
from tui.lab.requests import ExerciseSpec
from tui.lab.server import answered
from tui.lab.worksheet import Term, Worksheet, WorksheetRequest, explained, windows_right
from tui.widgets.grids import OFF, GridWindow, Lattice, heat, rows

# What the cells say.


@pytest.mark.parametrize("seed", range(1, 5))
def test_of_max_pooling_each_cell_tells_its_windows(seed: int) -> None:
    found = worksheet_of(seed=seed)
    assert found.pooling is not None
    assert found.messages is not None
    homes, right = found.pooling.maxima, {cell: found.at(cell) for cell in found.cells}
    assert found.right(right)
    assert found.right({cell: value for cell, value in right.items() if value}), "empty is 0"
    assert not found.right({})
    assert all(windows_right(found, right).values())

    window, home = next(iter(homes.items()))
    at = f"({window[0]},{window[1]})"
    value = found.at(home) + found.messages[window]
    assert f"the message of window {at} is counted 2 times" in explained(found, home, value)
    value = found.at(home) - found.messages[window]
    said = explained(found, home, value)
    assert said.startswith(f"{found.places[home[0]][home[1]]}: {value}, expected {found.at(home)}")
    assert said.endswith(f"the message of window {at} is missing")
    empty = next(cell for cell in found.cells if not found.at(cell))
    said = explained(found, empty, found.messages[window])
    assert said.endswith(f"window {at} has its maximum at x[{home[0]},{home[1]}], not here")
    right[empty] = found.messages[window]
    marks = windows_right(found, right)
    assert [window for window in marks if not marks[window]] == [window]
    assert "a sum of some of 1, 10" in explained(found, home, -3)


def test_a_jacobian_asks_for_the_row_of_one_window() -> None:
    found = worksheet_of({"layer": "max-pool", "kernel": 2, "find": "J"})
    assert sum(found.at(cell) for cell in found.cells) == 1
    assert found.target.startswith("df[")
    assert "δ" not in found.inputs


@pytest.mark.parametrize("layer", ["linear", "softmax", "convolution-2d"])
def test_of_another_layer_each_cell_is_the_sum_of_its_terms(layer: str) -> None:
    found = worksheet_of({"layer": layer})
    for cell, terms in found.terms.items():
        assert round(sum(term.amount for term in terms)) == found.at(cell)
    assert max(len(terms) for terms in found.terms.values()) > 1


def test_the_term_that_is_missing_is_named() -> None:
    terms = (Term("δ[0] · W[0]", "1 · 2", 2), Term("δ[1] · W[1]", "10 · 3", 30))
    found = Worksheet("", {}, "dx", [[32]], [["dx[0]"]], {(0, 0): terms})
    said = explained(found, (0, 0), 2)
    assert said == "dx[0]: 2, expected 32 = 1 · 2 + 10 · 3: δ[1] · W[1] is missing"
    assert explained(found, (0, 0), 32) == "dx[0] = 1 · 2 + 10 · 3 = 32"
    assert explained(found, (0, 0), -32).endswith("the sign")


def test_a_layer_without_whole_numbers_has_no_sheet() -> None:
    task = ExerciseSpec({"layer": "sigmoid"}, (), "derivation")
    assert answered(WorksheetRequest(task, 1)) is None


# Windows drawn over a grid, and the shades of its numbers.

FOUR = [[7, -1, 6, -3], [-6, 2, 4, -5], [-2, 5, 3, -4], [-7, 1, -8, 0]]
TILES = tuple(GridWindow(i, j, i + 2, j + 2) for i in (0, 2) for j in (0, 2))
PADDED, CORNER = GridWindow(-1, -1, 1, 1), GridWindow(0, 0, 1, 1)
ROW = GridWindow(0, 0, 1, 2)


def plain(lattice: Lattice) -> list[str]:
    return [row.plain for row in lattice.rows()]


@pytest.mark.parametrize(
    ("lattice", "drawn"),
    [
        (
            Lattice(FOUR, TILES, TILES[0], (0, 0), tall=True),
            [
                "┏━━━━━━━━┱────────┐",
                "┃▐ 7▌ -1 ┃  6  -3 │",
                "┃ -6   2 ┃  4  -5 │",
                "┡━━━━━━━━╃────────┤",
                "│ -2   5 │  3  -4 │",
                "│ -7   1 │ -8   0 │",
                "└────────┴────────┘",
            ],
        ),
        # Without rows for lines a window has sides on its rows only.
        (Lattice([[1, 2], [3, 4]], (CORNER,), CORNER), ["┃ 1 ┃ 2 ", "  3   4 "]),
        (
            Lattice([[5]], (PADDED,), PADDED, tall=True),
            ["┏━━━━━━┓", "┃ ·  · ┃", "┃ ·  5 ┃", "┗━━━━━━┛"],
        ),
        (Lattice([[1, 2]], (ROW,), ROW, None, {(0, 1): OFF}, shaded=False), ["┃ 1 ✗2 ┃"]),
    ],
)
def test_the_window_is_outlined_its_maximum_lit_and_padding_drawn(
    lattice: Lattice, drawn: list[str]
) -> None:
    assert plain(lattice) == drawn


def test_a_cell_that_is_off_has_a_cross_in_a_grid_without_windows_too() -> None:
    assert rows([[1, 2]], {(0, 1): OFF})[0].plain == " 1 ✗2"
    wide = rows([[0, 0.25, 0]], {(0, 1): OFF, (0, 2): OFF})[0]
    assert wide.plain == "   0 ✗.25   ✗0"


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
            assert len({re.sub(r"[^0-9·]", " ", text) for text in row}) == 1
            assert len({len(text) for text in row}) == 1


@pytest.mark.parametrize(
    ("values", "shades"),
    [
        ([[0.0, 1.0, 2.0]], 3),  # the deeper the larger a number is
        ([[2.0, 2.0]], 0),
        ([[float("nan"), float("inf")]], 0),
        ([[3.0]], 0),
    ],
)
def test_numbers_are_shaded_where_one_is_larger(values: list[list[float]], shades: int) -> None:
    found = heat(values)
    assert list(found) == [(0, n) for n in range(shades)]
    assert len(set(found.values())) == shades
