"""The looks of formulas: rows.txt, gallery.txt, one law each; and what holds for every picture."""

from __future__ import annotations

import random
import unicodedata
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from cards.math import Box, layout, typeset
from cards.math.typesetter.box import Mark
from cards.math.typesetter.rows import SETTINGS, Mode
from tests.cards.math.fixtures import Entry, cases, drawn, entries, mutated
from tests.material import each_corpus

MODES: dict[str, Mode] = {mode: mode for mode in SETTINGS}


@pytest.mark.parametrize(("tex", "picture"), cases("rows.txt"))
def test_a_formula_reads_in_one_way(tex: str, picture: str) -> None:
    mode, _, picture = picture.partition(": ")
    assert typeset(tex, mode=MODES[mode]) == picture.replace("⏎", "\n")


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


@pytest.mark.parametrize(
    ("tex", "row", "marks"),
    [
        (r"\mathbf{x} + \textcolor{red}{y}", "x + y", ((0, 1, "bold"), (4, 5, "color:red"))),
        (r"\frobnicate x", "frobnicate x", ((0, 10, "warning"),)),
    ],
)
def test_styles_and_warnings_are_marks_on_plain_letters(
    tex: str, row: str, marks: tuple[tuple[int, int, str], ...]
) -> None:
    box = layout(tex)
    assert box.rows == (row,)
    assert box.marks == tuple(Mark(0, *mark) for mark in marks)


def test_rules_do_not_run_together_and_an_outer_one_is_longer() -> None:
    assert layout(r"{\frac ab}{\frac cd}").rows[1] == "─ ─"
    rows = layout(r"\frac{\frac{a}{b}}{c}").rows
    assert (rows[1].strip(), rows[3]) == ("─", "───")
    assert layout(r"\begin{pmatrix} a \\ b \\ c \end{pmatrix}").baseline == 1


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


# Formulas within a line of text.

_SIGNS = ("x", "i", "Q", "f", "2", r"\theta ", r"\hat{Q}", "最", "*", r"\infty ", "+", "<", ",")
_SCRIPTS = st.recursive(
    st.lists(st.sampled_from(_SIGNS), min_size=1, max_size=3).map("".join),
    lambda inner: st.builds(
        lambda base, sign, script: f"{base}{sign}{{{script}}}",
        *(st.sampled_from(["x", "Q", "(a+b)", r"\max", r"\sum"]), st.sampled_from("_^"), inner),
    ),
    max_leaves=2,
)


@given(st.lists(_SCRIPTS, min_size=1, max_size=3).map("".join))
def test_scripts_of_scripts_take_one_row_in_a_line_of_text(tex: str) -> None:
    box = layout(tex, display=False)
    assert_sound(box)
    assert box.rows == (box.rows[0].strip(),)
    assert letters(box) == letters(layout(tex))


def letters(box: Box) -> Counter[str]:
    """Those shown, small ones as what they are."""
    shown = unicodedata.normalize("NFKD", "".join(box.rows))
    return Counter(char for char in shown if char.isalnum() or unicodedata.combining(char))


@pytest.mark.parametrize(
    ("tex", "row"),
    [
        (r"S_\text{new} + S_\text{prev} x", "S_new + S_prev x"),
        (r"\mathcal L_{\mathrm{mask}} + x^2_\text{max}", "ℒ_mask + x²_max"),
        (r"7^\text{th} D_{in}", "7ᵗʰDᵢₙ"),
        (r"\chi_{[0,n]}(x)", "χ_[0, n](x)"),
        (r"\binom{n}{k} = \binom{n}{n-k}", "(ⁿₖ) = (n; n − k)"),
    ],
)
def test_what_prose_has_of_formulas_is_read_at_a_glance(tex: str, row: str) -> None:
    assert typeset(tex, display=False) == row


def test_no_two_formulas_are_the_same_row() -> None:
    contents = ("i", "Q", "QR", "2", "f,i", "i,Q", "i,j", "a+Q", "(Q)", "(i)", "(i,Q)", "[Q]")
    nested = ("i_j", "Q_i", "i^Q", "QR_i", "-Q", "i<j", "*", r"\hat{Q}", "字", r"\text{a Q}")
    more = ("[i,j]", "[(i,j)]", r"\text{max}")
    scripts = [f"x{sign}{{{each}}}" for sign in "_^" for each in (*contents, *nested, *more)]
    both = [f"x_{{{low}}}^{{{high}}}" for low in contents for high in contents]
    rows: dict[str, str] = {}
    for each in (*scripts, *both):
        alone = (each, f"({each})_Q", f"e^{{{each}}}", f"e_{{{each}y}}", rf"a {{}}_Q {each}")
        for tex in (*alone, *(pair for z in "Qy2" for pair in (f"{each} {z}", f"{z} {each}"))):
            row = typeset(tex, display=False)
            assert rows.setdefault(row, tex) == tex


def test_a_place_too_narrow_for_a_row_takes_several() -> None:
    vector = r"v = \begin{pmatrix} aaaa \\ bbbb \\ cccc \end{pmatrix}"
    assert typeset(vector, display=False, width=30) == "v = (aaaa; bbbb; cccc)"
    assert len(layout(vector, display=False, width=12).rows) == 3
    fraction = r"\frac{a + b + c + d}{e + f + g + h}"
    assert typeset(fraction, display=False, width=40) == "(a + b + c + d)/(e + f + g + h)"
    assert layout(fraction, display=False, width=16).rows == layout(fraction).rows


def test_a_long_formula_in_a_line_of_text_is_broken_before_its_relations() -> None:
    tex = r"\delta_{x,ij} = \sum_{k,l} \delta_{f,kl} \frac{a}{b} \le \max_{i<j} x_{ij}"
    assert typeset(tex, display=False, width=38).split("\n") == [
        "δ_(x, ij) = ∑_(k, l) δ_(f, kl) a/b",
        "          ≤ max_(i<j) xᵢⱼ",
    ]


# What holds for the picture of every formula: collected, mutated ones, hostile ones.

HOSTILE = {
    "braces": "{" * 5000 + "x" + "}" * 5000,
    "open braces": "x^{" * 5000,
    "scripts": "x^{" * 200 + "y" + "}" * 200,
    "both scripts": "x^{x_{" * 100 + "Q" + "}}" * 100,
    "fractions": r"\frac{1}{" * 200 + "x" + "}" * 200,
    "fractions both ways": r"\frac{\frac{a}{b}}{" * 100 + "x" + "}" * 100,
    "roots": r"\sqrt[3]{x+" * 200 + "}" * 200,
    "delimiters": r"\left(" * 1000 + "x" + r"\right)" * 1000,
    "accents": r"\widehat{" * 500 + "xy" + "}" * 500,
    "environments": r"\begin{matrix}" * 100 + "x" + r"\end{matrix}" * 100,
    "ragged grid": r"\begin{matrix}" + "&" * 700 + r"\\" * 700 + r"\end{matrix}",
    "tall by wide": r"\substack{" + r"a\\" * 1000 + "}" + "xy" * 1000,
    "sized delimiters": r"\Big(" * 1000 + r"\frac ab",
    "integrals": r"\int_Q" * 1000 + r"\frac ab",
    "spaces": r"\hspace{1000000em}" * 100,
    "bars": "|" * 2000,
}


def assert_sound(box: Box) -> None:
    for row in box.rows:
        assert cell_len(row) == box.width
    assert 0 <= box.baseline < len(box.rows)
    for mark in box.marks:
        assert 0 <= mark.row < len(box.rows)
        assert 0 <= mark.start < mark.end <= box.width


def ink(box: Box) -> Counter[str]:
    return Counter("".join(box.rows).replace(" ", ""))


@each_corpus
def test_every_picture_is_even_and_breaking_it_loses_no_character(corpus: list[str]) -> None:
    for tex in corpus:
        pictures = {mode: layout(tex, mode=mode) for mode in MODES.values()}
        narrow, broken = (layout(tex, width=width) for width in (20, 40))
        for box in (*pictures.values(), narrow, broken):
            assert_sound(box)
            assert box.copy == tex
        assert len(pictures["line"].rows) == 1
        assert ink(narrow) == ink(broken) == ink(pictures["display"]), tex
        rows = [row.rstrip(" ") for row in pictures["display"].rows]
        assert typeset(tex) == "\n".join(rows)


def test_typeset_takes_a_line_and_macros() -> None:
    assert typeset(r"\frac{a}{b}", display=False) == "a/b"
    assert typeset(r"x \in \R", macros={r"\R": r"\mathbb{R}"}) == "x ∈ ℝ"


@each_corpus
def test_a_mutated_formula_is_drawn_all_the_same(corpus: list[str]) -> None:
    chance = random.Random(2026)
    for _ in range(300):
        tex = mutated(chance, corpus)
        assert_sound(
            layout(tex, mode=chance.choice(list(SETTINGS)), width=chance.choice((None, 40)))
        )


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("mode", MODES)
def test_a_hostile_formula_is_drawn_all_the_same(name: str, mode: Mode) -> None:
    box = layout(HOSTILE[name], mode=mode, width=80)
    assert_sound(box)
    assert box.width * len(box.rows) <= 500_000


# Breaking to a width.

_TERMS = st.lists(st.sampled_from(["a", "bc", "x_i", "f(x)", "y^2", r"\alpha"]), min_size=1)


@given(_TERMS, st.sampled_from(["+", "=", ",", r"\leq ", "-"]), st.integers(10, 60))
def test_where_there_are_breaks_the_width_is_kept_and_nothing_lost(
    terms: list[str], sign: str, width: int
) -> None:
    tex = sign.join(terms)
    box = layout(tex, width=width)
    # The longest term with its sign and the deepest indent: width / 2, and a gap.
    assert box.width <= max(width, 8 + 7 + 2)
    assert ink(box) == ink(layout(tex))


def test_what_has_no_break_stays_wide() -> None:
    assert layout(r"\frac{abcdefgh}{x}", width=4).width == 8


def test_the_baseline_of_a_broken_formula_is_that_of_its_first_line() -> None:
    box = layout(r"x = \frac{a}{b} + c + d + e + f", width=12)
    assert box.rows[box.baseline].startswith("x = ─")


def test_a_tall_bracket_is_broken_within_and_keeps_its_height() -> None:
    rows = layout(r"y = \left( a + \frac{b}{c} + d + e + f \right)^2", width=18).rows
    assert [row[4] for row in rows[:3]] == ["⎛", "⎜", "⎝"]
    assert [row.rstrip()[-1] for row in rows[3:]] == ["²", "⎟", "⎠"]


@given(st.integers(20, 40))
def test_a_narrow_place_takes_smaller_indents(width: int) -> None:
    tex = r"\log p(y \mid X, \theta) = \sum_i \log p(y_i|x_i,\theta) + \log p(\theta)"
    assert layout(tex, width=width).width <= max(width, 21)


def test_an_empty_side_of_equations_is_not_broken() -> None:
    assert typeset(r"\begin{aligned} a + b + c + d =& \\ &= e \end{aligned}", width=4)


def test_a_colour_goes_with_what_is_broken() -> None:
    box = layout(r"\color{red}\left(a + b + c + d\right)", width=9)
    assert {mark.row for mark in box.marks} == set(range(len(box.rows)))
