"""A verdict in words says where an answer is right."""

from __future__ import annotations

from engine import check, exercise_for
from tui.report import verdict_text
from tui.verdict_text import headline

FIXED = {"layer": "max-pool", "kernel": "2", "stride": "2"}
OWN_WINDOW = "delta[floor(i/2),floor(j/2)] * [(i,j) == argmax(floor(i/2),floor(j/2))]"


def test_only_what_is_left_over_beside_the_windows_is_said_to_be_wrong() -> None:
    exercise = exercise_for(FIXED, (), "derivation")
    assert exercise is not None
    verdict = check(f"dx[i,j] = {OWN_WINDOW}", exercise)
    assert verdict.verdict == "wrong"
    said = "right wherever windows cover the input, wrong at what is left over"
    assert said in verdict_text(verdict, OWN_WINDOW)
    assert said in headline(verdict).plain


def test_what_is_wrong_inside_windows_is_wrong() -> None:
    exercise = exercise_for(FIXED, (), "derivation")
    assert exercise is not None
    verdict = check(f"dx[i,j] = -{OWN_WINDOW}", exercise)
    assert "✗ wrong" in verdict_text(verdict, OWN_WINDOW)
