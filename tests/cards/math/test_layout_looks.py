"""The looks, one law each: axes that meet, limits that are centred, gaps, brackets, marks."""

from __future__ import annotations

import pytest

from cards.math import layout, typeset
from cards.math.typesetter.box import Mark


def inline(tex: str) -> str:
    return typeset(tex, display=False)


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


@pytest.mark.parametrize(
    ("tex", "picture"),
    [
        ("a+b", "a + b"),
        ("-a", "−a"),
        ("a=-b", "a = −b"),
        ("(-1,+2)", "(−1, +2)"),
        ("a--b", "a − −b"),
        (r"f(\cdot)", "f(·)"),
        (r"\langle \cdot,\cdot \rangle", "⟨·, ·⟩"),
        (r"x \pm y", "x ± y"),
        (r"|-x|", "|−x|"),
        (r"|a|+|b|", "|a| + |b|"),
        ("a:=b", "a := b"),
        (r"2\sin x", "2 sin x"),
        (r"\log(x)", "log(x)"),
        (r"\arg\max f", "arg max f"),
        ("x_{i+1}", "xᵢ₊₁"),
        ("x^{-1}", "x⁻¹"),
        (r"a\,b", "a b"),
        (r"a,\,b", "a, b"),
        (r"a,\quad b", "a,  b"),
        (r"x\mathbin{\#}y", "x # y"),
        ("1{,}000", "1,000"),
        (r"\{x \mid y\}", "{x ∣ y}"),
        ("n!", "n!"),
        ("f'(x)", "f′(x)"),
    ],
)
def test_gaps_follow_the_kinds_of_atoms(tex: str, picture: str) -> None:
    assert inline(tex) == picture


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
