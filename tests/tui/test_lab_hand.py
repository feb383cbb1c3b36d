"""Lab: a grid filled in by hand, its marks, and what stays of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.driving import Driver, journal, running
from tests.tui.lab_driving import GIVEN, in_lab
from tui.lab.requests import ExerciseSpec
from tui.lab.worksheet import Term, Worksheet, WorksheetRequest, explained, windows_right
from tui.screens.worksheet import HandGrid

POOLING = ExerciseSpec(None, ("max-pooling", "backpropagation"), "derivation")


def made(task: ExerciseSpec, seed: int = 1) -> Worksheet:
    found = WorksheetRequest(task, seed).evaluate()
    assert found is not None
    return found


def shared(found: Worksheet) -> tuple[int, int]:
    """A cell in which several messages meet."""
    return next(cell for cell in found.cells if str(found.at(cell)).count("1") > 1)


async def fill(app: Driver, found: Worksheet) -> None:
    """Write the right number into every cell."""
    for cell in found.cells:
        await app.pilot.press(*str(found.at(cell)), "tab")


# What the cells say.


@pytest.mark.parametrize("seed", range(1, 9))
def test_the_expected_grid_is_right_and_so_is_every_window(seed: int) -> None:
    found = made(POOLING, seed)
    filled = {cell: found.at(cell) for cell in found.cells}
    assert found.right(filled)
    assert all(windows_right(found, filled).values())
    assert not found.right({})


def test_an_empty_cell_is_zero() -> None:
    found = made(POOLING)
    assert found.right({cell: found.at(cell) for cell in found.cells if found.at(cell)})


def test_a_message_that_is_missing_is_named() -> None:
    found = made(POOLING)
    cell = shared(found)
    here = [
        w for w, home in (found.pooling.maxima if found.pooling else {}).items() if home == cell
    ]
    assert found.messages is not None
    value = found.messages[here[0]]
    said = explained(found, cell, value)
    assert f"{value}, expected {found.at(cell)}: the message of window" in said
    assert f"({here[1][0]},{here[1][1]}) is missing" in said


def test_a_message_in_the_wrong_cell_is_told_where_its_maximum_is() -> None:
    found = made(POOLING)
    assert found.pooling is not None
    empty = next(cell for cell in found.cells if not found.at(cell))
    i, j = found.pooling.maxima[0, 0]
    said = explained(found, empty, 1)
    assert said.endswith(f"window (0,0) has its maximum at x[{i},{j}], not here")
    filled = {cell: found.at(cell) for cell in found.cells} | {empty: 1}
    right = windows_right(found, filled)
    assert [window for window in right if not right[window]] == [(0, 0)]


def test_a_message_counted_twice_is_named() -> None:
    found = made(POOLING)
    assert found.pooling is not None
    cell = found.pooling.maxima[0, 0]
    said = explained(found, cell, found.at(cell) + 1)
    assert "the message of window (0,0) is counted 2 times" in said


def test_what_is_no_sum_of_messages_is_said() -> None:
    found = made(POOLING)
    assert "a sum of some of 1, 10, 100, 1000" in explained(found, (0, 0), -3)


def test_a_jacobian_asks_for_the_row_of_one_window() -> None:
    found = made(ExerciseSpec({"layer": "max-pool", "kernel": 2, "find": "J"}, (), "derivation"))
    assert sum(found.at(cell) for cell in found.cells) == 1
    assert found.target.startswith("df[")
    assert "δ" not in found.inputs


def test_of_another_layer_each_cell_is_the_sum_of_its_terms() -> None:
    found = made(ExerciseSpec({"layer": "linear"}, (), "derivation"))
    for cell, terms in found.terms.items():
        assert round(sum(term.amount for term in terms)) == found.at(cell)


def test_the_term_that_is_missing_is_named() -> None:
    terms = (Term("δ[0] · W[0]", "1 · 2", 2), Term("δ[1] · W[1]", "10 · 3", 30))
    found = Worksheet("", {}, "dx", [[32]], [["dx[0]"]], {(0, 0): terms})
    said = explained(found, (0, 0), 2)
    assert said == "dx[0]: 2, expected 32 = 1 · 2 + 10 · 3: δ[1] · W[1] is missing"
    assert explained(found, (0, 0), 32) == "dx[0] = 1 · 2 + 10 · 3 = 32"
    assert explained(found, (0, 0), -32).endswith("the sign")


def test_a_layer_without_whole_numbers_has_no_sheet() -> None:
    assert (
        WorksheetRequest(ExerciseSpec({"layer": "sigmoid"}, (), "derivation"), 1).evaluate() is None
    )


# The screen.


async def test_a_grid_filled_in_by_hand_is_marked_and_recorded(seed: Path) -> None:
    found = made(POOLING)
    async with running(seed) as app:
        await app.press("enter", "c", "ctrl+o")
        assert app.screen == "HandScreen"
        await fill(app, found)
        await app.press("enter")
        assert "✓ every cell is right" in app.shown()
        assert "(1,1) ✓" in app.shown()
        await app.press("escape", "escape")
        [event] = journal(seed, "check")
        assert event["data"]["verdict"] == "correct"
        assert event["data"]["by_hand"] is True
        await app.press("space")
        assert "suggested: 2, right by hand, on one input" in app.shown()


async def test_a_wrong_cell_is_marked_and_the_cursor_goes_there(seed: Path) -> None:
    found = made(POOLING)
    off = next(cell for cell in found.cells if found.at(cell))
    async with in_lab(seed) as app:
        await app.press("ctrl+o", "enter")
        assert "cells are not right" in app.shown()
        assert "(0,0) ✗" in app.shown()
        assert app.app.screen.query_one(HandGrid).at == off
        assert f"expected {found.at(off)}" in app.shown()
        await app.press(*str(found.at(off)))
        assert f"{found.at(off)}, the maximum of" in app.shown()


async def test_arrows_and_tab_move_and_digits_write(seed: Path) -> None:
    async with in_lab(seed) as app:
        await app.press("ctrl+o")
        grid = app.app.screen.query_one(HandGrid)
        await app.pilot.press("1", "2", "right", "minus", "3", "down", "tab", "4", "backspace", "5")
        assert grid.numbers == {(0, 0): 12, (0, 1): -3, (1, 2): 5}
        await app.pilot.press("tab", "shift+tab", "delete")
        assert grid.numbers == {(0, 0): 12, (0, 1): -3}


async def test_another_input_empties_the_grid(seed: Path) -> None:
    async with in_lab(seed) as app:
        await app.press("ctrl+o", "1", "r")
        assert "input 2" in app.shown()
        assert app.app.screen.query_one(HandGrid).numbers == {}


async def test_other_exercises_are_filled_in_by_hand_as_well(folder: Path) -> None:
    (folder / "elu.md").write_text(GIVEN, encoding="utf-8")
    async with in_lab(folder) as app:
        await app.press("ctrl+o", "w", "enter")
        assert "cells are not right" in app.shown()
        # There is no window to draw.
        assert "PoolingWindow" not in app.shown()


async def test_windows_are_drawn_on_the_input_one_after_the_other(seed: Path) -> None:
    async with in_lab(seed) as app:
        await app.press("ctrl+o")
        assert "┃" not in app.shown()
        await app.press("w")
        first = [row.index("┃") for row in app.shown().splitlines() if "┃" in row]
        await app.press("w")
        second = [row.index("┃") for row in app.shown().splitlines() if "┃" in row]
        assert first
        assert second
        assert min(second) > min(first)


def test_of_a_sum_of_messages_the_sheet_has_several() -> None:
    for layer in ("linear", "softmax", "convolution-2d"):
        found = WorksheetRequest(ExerciseSpec({"layer": layer}, (), "derivation"), 1).evaluate()
        assert found is not None
        assert max(len(terms) for terms in found.terms.values()) > 1
