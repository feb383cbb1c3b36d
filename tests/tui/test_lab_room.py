"""Lab on a short screen: what stays beside a wrong answer's details, and what goes first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.tui.driving import WRONG
from tests.tui.lab_driving import in_lab, write_answer
from tui.screens.lab import ENOUGH, RowsNeeded, left_out

ROWS = RowsNeeded(board=6, answer=2, formula=3, details=5, other=4, stacked=True)


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
async def test_the_grids_stay_where_they_are_when_the_answer_is_wrong(
    seed: Path, size: tuple[int, int]
) -> None:
    async with in_lab(seed, size=size) as app:
        await write_answer(app, "dx")
        before = app.shown().splitlines()
        await write_answer(app, WRONG)
        after = app.shown().splitlines()
        assert "✗ wrong" in app.shown()
        assert "smallest case" in app.shown()
        engine = next(n for n, row in enumerate(before) if "dx, engine" in row)
        assert [row[:50] for row in after[: engine + 5]] == [
            row[:50] for row in before[: engine + 5]
        ]
        assert any("dx, yours" in row for row in after[:10])
        assert any(" ✗.25" in row for row in after[:14])


async def test_notation_has_the_whole_screen_where_it_needs_it(seed: Path) -> None:
    async with in_lab(seed, size=(60, 20)) as app:
        await write_answer(app, WRONG)
        await app.press("ctrl+t")
        assert "dx, engine" not in app.shown()
        assert "for example" in app.shown()


def test_nothing_goes_while_everything_fits() -> None:
    assert left_out(ROWS, 20, asked_for=True) == (False, False)


def test_the_formula_goes_before_the_board() -> None:
    assert left_out(ROWS, 19, asked_for=True) == (False, True)
    assert left_out(ROWS, 17, asked_for=True) == (False, True)


def test_the_board_goes_where_asked_for_details_do_not_fit_as_a_whole() -> None:
    assert left_out(ROWS, 16, asked_for=True) == (True, False)
    assert left_out(ROWS, 16, asked_for=False) == (False, True)
    assert left_out(ROWS, 11 + ENOUGH, asked_for=False) == (True, False)


def test_a_formula_beside_the_answer_takes_no_rows_of_its_own() -> None:
    assert left_out(replace(ROWS, stacked=False), 18, asked_for=True) == (False, False)
