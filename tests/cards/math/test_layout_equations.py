"""Rows of equations: about their axis, and as the environment aligns them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cards.math import layout

_ROWS = st.integers(1, 8)


@given(_ROWS, st.sampled_from(["aligned", "gathered", "split", "cases"]), st.booleans())
def test_equations_in_a_brace_are_symmetric_about_its_point(
    count: int, name: str, stacked: bool
) -> None:
    rows = r" \\ ".join(["a"] * count)
    left, right = (r"\left\{", r"\right.") if name != "cases" else ("", "")
    tex = rf"x = {left}\begin{{{name}}}{rows}\end{{{name}}}{right} = y"
    box = layout(tex, display=stacked)
    filled = ["a" in row for row in box.rows]
    assert filled == filled[::-1]
    assert len(box.rows) == 1 or "= ⎨" in box.rows[box.baseline]
    assert box.rows[box.baseline].endswith("= y")


@given(_ROWS, st.sampled_from(["aligned", "gathered", "split"]))
def test_what_stands_beside_equations_is_on_their_axis(count: int, name: str) -> None:
    rows = r" \\ ".join(["a"] * count)
    box = layout(rf"\begin{{{name}}}{rows}\end{{{name}}} = y")
    assert 2 * box.baseline == len(box.rows) - 1


def test_the_last_row_of_multline_is_flush_right() -> None:
    box = layout(r"\begin{multline} a+b \\ c \\ d+e+f \end{multline}")
    first, middle, last = box.rows
    assert (first[0], last[-1]) == ("a", "f")
    assert last.startswith("  ")
    assert middle.index("c") == (box.width - 1) // 2
