"""A verdict in words: where an answer is right, how near it is, what it was tried on."""

from __future__ import annotations

import pytest

from engine.checking import check
from engine.exercise import exercise_for
from engine.verdict import Verdict
from tui.lab.text import Hint, verdict_text
from tui.lab.verdict import details, headline
from tui.text import under_caret

FIXED = {"layer": "max-pool", "kernel": "2", "stride": "2"}
OWN_WINDOW = "delta[floor(i/2),floor(j/2)] * [(i,j) == argmax(floor(i/2),floor(j/2))]"


def test_what_is_left_over_beside_the_windows_gets_a_remark() -> None:
    exercise = exercise_for(FIXED, (), "derivation")
    assert exercise is not None
    verdict = check(f"dx[i,j] = {OWN_WINDOW}", exercise)
    assert verdict.verdict == "correct"
    assert verdict.remark
    assert verdict.remark in verdict_text(verdict, OWN_WINDOW)
    assert "correct" in headline(verdict).plain


def test_what_is_wrong_inside_windows_is_wrong() -> None:
    exercise = exercise_for(FIXED, (), "derivation")
    assert exercise is not None
    verdict = check(f"dx[i,j] = -{OWN_WINDOW}", exercise)
    assert "✗ wrong" in verdict_text(verdict, OWN_WINDOW)


def test_a_near_miss_says_which_entries_are_off_and_a_right_answer_what_it_rests_on() -> None:
    near = Verdict("wrong", "y", 0, tried=300, failed=9, near="only the diagonal, on 9 of 300")
    assert "off   only the diagonal\n" in details(near, "", 76).plain
    right = Verdict("correct", "y", 0, tried=300, remark="Terms beyond the range count as 0.")
    assert "note  Terms beyond the range count as 0." in details(right, "", 76).plain


def test_where_values_decide_the_place_is_told_with_the_first_hint() -> None:
    near = Verdict("wrong", "y", 0, tried=300, failed=9, near="only where s[k] < 0, on 9 of 300")
    assert "off" not in details(near, "", 76).plain
    assert "off   only where s[k] < 0" in details(near, "", 76, (Hint("It fails."),)).plain


@pytest.mark.parametrize(
    ("width", "tried"),
    [
        (98, "   failed on 170 of 300 inputs · seed 0"),
        (79, "   failed on 170 of 300 inputs"),
        (72, "   failed on 170 of 300"),
        (58, ""),
    ],
)
def test_a_headline_says_less_where_there_is_less_room(width: int, tried: str) -> None:
    verdict = Verdict("only-without-overlap", "y", 0, tried=300, failed=170)
    said = "✗ right only while no two windows share an input"
    assert headline(verdict, width).plain == said + tried


def test_of_shapes_that_do_not_fit_no_inputs_are_counted() -> None:
    exercise = exercise_for({"layer": "linear"}, (), "derivation")
    assert exercise is not None
    verdict = check("dx = W delta", exercise)
    assert (verdict.verdict, verdict.tried) == ("wrong", 0)
    for said in (verdict_text(verdict, "dx = W delta"), headline(verdict).plain):
        assert "the shapes do not fit" in said
        assert "0 " not in said


def test_inputs_that_were_left_out_are_counted() -> None:
    verdict = Verdict("correct", "y", 7, tried=290, left_out=10)
    assert headline(verdict).plain == "✓ correct   290 inputs · seed 7 · 10 left out"


def test_of_a_long_formula_that_was_read_the_beginning_is_shown() -> None:
    verdict = Verdict("wrong", "delta[k,l] + " * 500, seed=0, tried=300)
    assert len(details(verdict, "", 76).plain) < 1_100
    assert "…" in details(verdict, "", 76).plain


@pytest.mark.parametrize("length", [1, 75, 76, 77, 200])
def test_a_caret_stands_under_its_place_in_a_line_that_fits_and_shows_what_is_cut(
    length: int,
) -> None:
    row = "".join(chr(ord("!") + n % 90) for n in range(length))
    for column in range(1, length + 1):
        shown, under = under_caret(row, column)
        assert len(shown) <= 76
        assert shown[len(under) - 1] == row[column - 1]
        assert (shown == row) == (length <= 76)
        assert shown.strip("…") in row
