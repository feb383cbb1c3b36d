"""Breaking to a width."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from cards.math import layout, typeset
from tests.material import each_corpus

_TERMS = st.lists(st.sampled_from(["a", "bc", "x_i", "f(x)", "y^2", r"\alpha"]), min_size=1)


@given(_TERMS, st.sampled_from(["+", "=", ",", r"\leq ", "-"]), st.integers(10, 60))
def test_where_there_are_breaks_the_width_is_kept_and_nothing_lost(
    terms: list[str], sign: str, width: int
) -> None:
    tex = sign.join(terms)
    box = layout(tex, width=width)
    # The longest term with its sign and the deepest indent: width / 2, and a gap.
    assert box.width <= max(width, 8 + 7 + 2)
    whole = "".join(layout(tex).rows).replace(" ", "")
    assert Counter("".join(box.rows).replace(" ", "")) == Counter(whole)


def test_a_formula_that_fits_is_not_broken() -> None:
    assert layout("a + b = c", width=9).rows == ("a + b = c",)


def test_relations_are_broken_before_operators() -> None:
    assert typeset("a + b + c = d + e + f", width=15) == "a + b + c\n    = d + e + f"


def test_an_operator_starts_its_line_under_the_right_hand_side() -> None:
    assert typeset("x = a + b + c + d", width=10) == "x = a + b\n    + c\n    + d"


def test_a_break_within_brackets_is_the_last_resort() -> None:
    assert typeset("x = f(a + b) + c", width=12) == "x = f(a + b)\n    + c"


def test_what_has_no_break_stays_wide() -> None:
    assert layout(r"\frac{abcdefgh}{x}", width=4).width == 8


def test_the_baseline_of_a_broken_formula_is_that_of_its_first_line() -> None:
    box = layout(r"x = \frac{a}{b} + c + d + e + f", width=12)
    assert box.rows[box.baseline].startswith("x = ─")


def test_lines_of_the_author_stay_lines() -> None:
    assert typeset(r"a \\ b") == "a\nb"


@each_corpus
def test_breaking_loses_no_character_of_a_formula(corpus: list[str]) -> None:
    for tex in corpus:
        whole, broken = ("".join(layout(tex, width=width).rows) for width in (None, 40))
        assert Counter(broken.replace(" ", "")) == Counter(whole.replace(" ", "")), tex


def test_a_long_bracket_with_scripts_is_broken_within() -> None:
    tex = r"y = \left( a + b + c + d + e \right)^2"
    assert typeset(tex, width=16) == "y = (a + b + c\n    + d + e)²"


def test_a_tall_bracket_is_broken_within_and_keeps_its_height() -> None:
    rows = layout(r"y = \left( a + \frac{b}{c} + d + e + f \right)^2", width=18).rows
    assert [row[4] for row in rows[:3]] == ["⎛", "⎜", "⎝"]
    assert [row.rstrip()[-1] for row in rows[3:]] == ["²", "⎟", "⎠"]


def test_a_bar_in_the_middle_stays_between_its_parts() -> None:
    tex = r"\left\{ x \middle| a > b + c + d + e \right\}"
    assert typeset(tex, width=16) == "{x | a > b + c\n    + d + e}"


@given(st.integers(20, 40))
def test_a_narrow_place_takes_smaller_indents(width: int) -> None:
    tex = r"\log p(y \mid X, \theta) = \sum_i \log p(y_i|x_i,\theta) + \log p(\theta)"
    assert layout(tex, width=width).width <= max(width, 21)


def test_an_empty_side_of_equations_is_not_broken() -> None:
    assert typeset(r"\begin{aligned} a + b + c + d =& \\ &= e \end{aligned}", width=4)


def test_a_colour_goes_with_what_is_broken() -> None:
    box = layout(r"\color{red}\left(a + b + c + d\right)", width=9)
    assert {mark.row for mark in box.marks} == set(range(len(box.rows)))
