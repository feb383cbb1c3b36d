"""The looks, one law each: axes that meet, limits that are centred, gaps, brackets, marks."""

from __future__ import annotations

import pytest

from cards.math import layout, typeset
from cards.math.box import Mark


def line(tex: str) -> str:
    return typeset(tex, mode="line")


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
        (r"\frac{1}{2\sigma^2}", "1/(2σ²)"),
        (r"\frac{1}{2}", "1/2"),
        (r"\frac12 x", "(1/2)x"),
        (r"2\frac12", "2(1/2)"),
        (r"\frac{a+b}{c}", "(a + b)/c"),
        (r"\frac{a}{b+c}", "a/(b + c)"),
        (r"\frac{-a}{b}", "−a/b"),
        (r"\frac{ab}{c}", "ab/c"),
        (r"\frac{a}{bc}", "a/(bc)"),
        (r"\frac{\partial f}{\partial x_{ij}}", "∂f/∂xᵢⱼ"),
        (r"\frac{d}{dx}f", "(d/dx)f"),
        (r"\frac{p(x)}{q(x)}", "p(x)/q(x)"),
        (r"\frac{1}{n(n+1)}", "1/(n(n + 1))"),
        (r"\frac{1}{f(x)g(x)}", "1/(f(x)g(x))"),
        (r"\frac{1}{n!}", "1/n!"),
        (r"\frac{1}{|x|}", "1/|x|"),
        (r"\frac{1}{|x||y|}", "1/(|x||y|)"),
        (r"\frac{\frac{a}{b}}{c}", "(a/b)/c"),
        (r"\frac{a}{\frac{b}{c}}", "a/(b/c)"),
        (r"\frac{\log n}{n}", "(log n)/n"),
        (r"\frac{n}{\log n}", "n/log n"),
        (r"\frac{a/b}{c}", "(a/b)/c"),
        (r"\frac{1}{10}", "1/10"),
        (r"\frac{a}{b} \cdot c", "a/b · c"),
        (r"a - \frac{b}{c}", "a − b/c"),
        (r"\frac{a}{b}!", "(a/b)!"),
        (r"\log\frac{a}{b}", "log(a/b)"),
        (r"\frac{a}{b}\frac{c}{d}", "(a/b)(c/d)"),
        (r"\left(\frac{a}{b}\right)^2", "(a/b)²"),
        (r"\frac{a}{b}, \quad x", "a/b,  x"),
        (r"\frac{\sum_i x_i}{n}", "(∑ᵢ xᵢ)/n"),
        (r"\frac{x}{\sqrt{2}}", "x/√2"),
        (r"\frac{1}{2^n}", "1/2ⁿ"),
        (r"\frac{1}{-2}", "1/(−2)"),
        (r"x^{\frac{1}{2n}}", "x^(1/(2n))"),
        (r"\frac{a}{b}^2", "(a/b)²"),
        (r"{\frac{a}{b}}^2", "(a/b)²"),
        (r"\mathbf{\frac{a}{b}}'", "(a/b)′"),
        (r"\frac{\partial V}{\partial x}^\top", "(∂V/∂x)ᵀ"),
        (r"\frac{d}{dt}_{x=0}", "(d/dt)ₓ₌₀"),
        (r"\frac{a}{b}_i c", "(a/b)ᵢc"),
        (r"\frac{1}{\frac{a}{b}^2}", "1/(a/b)²"),
        (r"\log\frac{a}{b}^2", "log(a/b)²"),
        (r"\frac{a}{b}^{}", "a/b"),
        (r"\left.\frac{a}{b}\right.^2", "(a/b)²"),
    ],
)
def test_a_fraction_on_one_line_reads_in_one_way(tex: str, picture: str) -> None:
    assert line(tex) == picture


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
    ("tex", "picture"),
    [
        (r"\sqrt{x}^2", "(√x)²"),
        (r"\sqrt{x+1}_i", "(√(x + 1))ᵢ"),
        ("{x^2}^3", "(x²)³"),
        ("{x_i}_j", "(xᵢ)ⱼ"),
        ("{x_i}^2", "xᵢ²"),
        ("{f'}^2", "f′²"),
        (r"\cancel{\frac{a}{b}}^2", "(a̸/̸b̸)²"),
        (r"\overline{\frac{a}{b}}_i", "(a̅/̅b̅)ᵢ"),
        (r"\hat{x}^2", "x̂²"),
        (r"\left(\frac{a}{b}\right)^2", "(a/b)²"),
        (r"\phantom{x}^2", " ²"),
    ],
)
def test_a_script_stands_at_all_of_its_base(tex: str, picture: str) -> None:
    assert inline(tex) == picture


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
        (r"x^2\sqrt[3]{y}", "x² ³√y"),
        (r"2\sqrt[3]{y}", "2 ³√y"),
        (r"x\sqrt[3]{y}", "x ³√y"),
        (r"(x)\sqrt[3]{y}", "(x) ³√y"),
        (r"(\sqrt[3]{y})", "(³√y)"),
        (r"-\sqrt[3]{y}", "−³√y"),
        (r"2\sqrt{y}", "2√y"),
        ("a_1{}_2F_1", "a₁ ₂F₁"),
        ("a^1{}^2F", "a¹ ²F"),
        ("2{}_2F_1", "2 ₂F₁"),
        ("{}_2F_1", "₂F₁"),
        (r"T^a{}_i", "Tᵃᵢ"),
        (r"2\sqrt[Q]{x}", "2√[Q](x)"),
    ],
)
def test_a_root_index_or_a_script_before_its_base_joins_nothing_before_it(
    tex: str, picture: str
) -> None:
    assert line(tex) == picture


@pytest.mark.parametrize(
    ("tex", "picture"),
    [
        (r"\|x\|_\infty", "‖x‖_∞"),
        ("f|_U", "f|_U"),
        ("(a+b)_Q c", "(a + b)_Q c"),
        ("x_Q y", "x_Q y"),
        (r"\|A\|_Q\|B\|_Q", "‖A‖_Q ‖B‖_Q"),
        (r"\max_Q -x", "max_Q −x"),
        (r"{a \atop b}", "(a; b)"),
        (r"2{a \atop b}c", "2(a; b)c"),
    ],
)
def test_on_one_row_nothing_stands_off_what_it_belongs_to(tex: str, picture: str) -> None:
    assert line(tex) == picture


@pytest.mark.parametrize(
    ("tex", "picture"),
    [
        (r"\begin{align} a&=b & c&=d \end{align}", "a = b,  c = d"),
        (r"\begin{align} a&=b, & c&=d \end{align}", "a = b,  c = d"),
        (r"\begin{align} a&=b & &\text{by } c \end{align}", "a = b  by c"),
        (r"\begin{alignat}{2} a&=b &\quad c&=d \end{alignat}", "a = b,  c = d"),
        (r"\begin{alignat}{2} 10x&+ &3y&=2 \end{alignat}", "10x + 3y = 2"),
        (r"\begin{eqnarray} a&=&b \\ &=&c \end{eqnarray}", "a = b; = c"),
        (r"\begin{cases} 1 & \text{if } x \\ 0, & y \end{cases}", "{1, if x; 0, y}"),
        (r"\overbrace{a+b}^{n}", "(a + b ⏞ n)"),
        (r"\underbrace{x}_1", "(x ⏟ 1)"),
        (r"\underbracket{x}_1", "(x ⎵ 1)"),
        (r"\overbrace{a+b}", "(a + b)"),
        (r"\overset{n}{x}", "(x ┴ n)"),
        (r"\underset{n}{x}", "(x ┬ n)"),
        (r"a \overset{?}{=} b", "a =^? b"),
        (r"\varinjlim_{i} A", "lim→ᵢ A"),
        (r"\varprojlim_{i\in I} A", "lim←_(i∈I) A"),
    ],
)
def test_one_row_says_what_stood_on_several(tex: str, picture: str) -> None:
    assert line(tex) == picture


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
