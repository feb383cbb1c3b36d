"""The looks of formulas: rows.txt, gallery.txt, and one law each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards.math import layout, typeset
from cards.math.typesetter.box import Mark
from tests.cards.math.fixtures import Entry, cases, drawn, entries


@pytest.mark.parametrize(("tex", "picture"), cases("rows.txt"))
def test_on_one_row_a_formula_reads_in_one_way(tex: str, picture: str) -> None:
    mode, _, picture = picture.partition(": ")
    assert typeset(tex, mode="line" if mode == "line" else "inline") == picture


@pytest.mark.parametrize("entry", entries(), ids=lambda e: f"{e.title}-{e.mode}")
def test_a_formula_looks_like_its_picture(entry: Entry) -> None:
    assert drawn(entry) == entry.picture


@pytest.mark.parametrize(
    "tex",
    [
        r"x = \frac{a}{b}",
        r"x = \begin{cases} 1 & a \\ 0 & b \end{cases}",
        r"x = \begin{pmatrix} a & b \\ c & d \end{pmatrix}",
        r"x = \begin{bmatrix} a \\ b \\ c \end{bmatrix}",
        r"x = \binom{n}{k}",
        r"x = \left\{ \frac{a}{b} \right\}",
    ],
)
def test_the_equals_sign_stands_on_the_axis_of_what_is_symmetric(tex: str) -> None:
    rows = layout(tex).rows
    assert [row.startswith("x = ") for row in rows] == [False, True, False]


@pytest.mark.parametrize("count", range(1, 8))
def test_the_point_of_a_brace_is_on_the_row_of_the_equals_sign(count: int) -> None:
    cells = r" \\ ".join(["a & b"] * count)
    box = layout(rf"x = \begin{{cases}} {cells} \end{{cases}}")
    if count > 1:
        assert "= ⎨" in box.rows[box.baseline]


@pytest.mark.parametrize("limit", ["i", "i=1", "(i,j) \\in S", "x \\in \\Omega(k,l)"])
def test_limits_are_centred_under_their_operator(limit: str) -> None:
    rows = layout(rf"\max_{{{limit} Q}} x").rows
    left = len(rows[1]) - len(rows[1].lstrip())
    middle = (left + len(rows[1].rstrip()) - 1) / 2
    start = rows[0].index("max")
    assert abs(middle - (start + 1)) <= 0.5


def test_styles_are_marks_on_plain_letters() -> None:
    box = layout(r"\mathbf{x} + \textcolor{red}{y}")
    assert box.rows == ("x + y",)
    assert box.marks == (Mark(0, 0, 1, "bold"), Mark(0, 4, 5, "color:red"))


def test_an_unknown_command_is_its_name_marked_as_a_warning() -> None:
    box = layout(r"\frobnicate x")
    assert box.rows == ("frobnicate x",)
    assert box.marks == (Mark(0, 0, 10, "warning"),)


def test_a_matrix_has_its_baseline_on_its_middle_row() -> None:
    rows = r"a \\ b \\ c"
    assert layout(rf"\begin{{pmatrix}} {rows} \end{{pmatrix}}").baseline == 1


def test_two_rules_side_by_side_do_not_run_together() -> None:
    assert layout(r"{\frac ab}{\frac cd}").rows[1] == "─ ─"


def test_an_outer_rule_is_longer_than_the_inner_one() -> None:
    rows = layout(r"\frac{\frac{a}{b}}{c}").rows
    assert (rows[1].strip(), rows[3]) == ("─", "───")


@pytest.mark.parametrize(
    ("tex", "picture"),
    [
        ("x_{ij}", "xᵢⱼ"),
        ("x_{i}^{2}", "xᵢ²"),
        ("x^2_i", "xᵢ²"),
        ("i^*", "i*"),
        (r"A^\top", "Aᵀ"),
        ("x_{i'j'}", "xᵢ′ⱼ′"),
        (r"90^\circ", "90°"),
        (r"x^\dagger", "x†"),
        ("x_Q", "x\n Q"),
        ("x^Q", " Q\nx"),
        ("x_Q^2", "x²\n Q"),
        ("x_i^Q", " Q\nxᵢ"),
        ("x_Q^R+1", "xᴿ + 1\n Q"),
        ("x_A^Q", " Q\nx\n A"),
    ],
)
def test_scripts_are_small_letters_only_where_all_are(tex: str, picture: str) -> None:
    assert typeset(tex) == picture


@pytest.mark.parametrize(
    "tex",
    [
        r"\frac{a}{b}",
        r"{\frac{a}{b}}",
        r"{\color{red}\dfrac{a}{b}}",
        r"{a \atop b}",
        r"\begin{matrix} a \\ b \end{matrix}",
        r"\sqrt{\frac{a}{b}}",
        r"{\sum_{i=1}^n x}",
        r"\cancel{\frac{a}{b}}",
        r"\left.\frac{a}{b}\right.",
    ],
)
@pytest.mark.parametrize("script", ["^2", "_i", "^Q", "_Q", "'"])
def test_a_tall_base_without_brackets_gets_them_for_its_scripts(tex: str, script: str) -> None:
    rows = layout(tex + script).rows
    assert any(row.startswith("⎛") for row in rows)
    assert any("⎠" in row for row in rows)


@pytest.mark.parametrize("left", ["K_d", "K_Q", "x^Q", r"\sum_{i=1}^n", r"\lim_{n\to\infty}"])
def test_what_hangs_from_one_part_stays_off_the_fraction_beside_it(left: str) -> None:
    rows = layout(left + r"\frac{aa}{bb}").rows
    assert all("  aa" in row for row in rows if "aa" in row)
    assert all("  bb" in row for row in rows if "bb" in row)


@pytest.mark.parametrize(
    "operator",
    [
        r"\mathop{\mathbb{E}}",
        r"\operatorname*{\mathbb{E}}",
        r"\mathop{E}",
        r"\mathop{\sum\sum}",
        r"\mathop{\arg\min}",
        r"\mathop{\mathrm{Res}}",
        r"\varinjlim",
        r"\sideset{}{'}\sum",
    ],
)
@pytest.mark.parametrize("limit", ["x", r"x \sim p"])
def test_what_is_made_an_operator_has_its_limits_under_it(operator: str, limit: str) -> None:
    rows = layout(rf"{operator}_{{{limit}}} f").rows
    alone = layout(operator).rows
    width = max(len(alone[0]), len(rows[-1].strip()))
    assert rows[0].rstrip().endswith("f")
    assert len(rows) == len(alone) + 1
    assert len(rows[-1].rstrip()) <= width


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
