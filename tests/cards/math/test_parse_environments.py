"""Environments and diagrams: source to tree."""

import pytest

from cards.math import parse
from cards.math.tree import Environment
from tests.cards.math.described import assert_reads, describe


@pytest.mark.parametrize(
    ("tex", "tree"),
    [
        (r"\begin{matrix}a&b\\c&d\end{matrix}", "(matrix:cc | a & b / c & d)"),
        (r"\begin{pmatrix}1\\2\\\end{pmatrix}", "((pmatrix):c | 1 / 2)"),
        (r"\begin{bmatrix*}[r]a&b\end{bmatrix*}", "([bmatrix]:rr | a & b)"),
        (r"\begin{array}{|r@{}l*{2}{c}:p{3cm}|}a&b\end{array}", "(array:|rlcc:l| @1=[] | a & b)"),
        (
            r"\begin{array}{c}\hline a\\\hdashline b\\ \hline\end{array}",
            "(array:c rule0 dash1 rule2 | a / b)",
        ),
        (r"\begin{cases}1&x\\0&\text{else}\end{cases}", r"({cases:ll | 1 & x / 0 & (text 'else'))"),
        (r"\begin{rcases}a\\b\end{rcases}", "(rcases}:ll | a / b)"),
        (r"\begin{aligned}a&=b\\&=c\end{aligned}", "(aligned:rl | a & [= b] / [] & [= c])"),
        (
            r"\begin{align*}a&=b&c&=d\\e&=f\end{align*}",
            "(aligned:rlrl | a & [= b] & c & [= d] / e & [= f])",
        ),
        (r"\begin{alignat}{2}a&=b\\c&=d\end{alignat}", "(alignat:rl | a & [= b] / c & [= d])"),
        (r"\begin{gather}a\\b\end{gather}", "(gathered:c | a / b)"),
        (r"\begin{equation}a=b\end{equation}", "[a = b]"),
        (r"\begin{equation}a\tag{1}\end{equation}", r"[a (tag (text '(1)'))]"),
        (
            r"\begin{align}a\tag{1}\\b\notag\\c\tag*{x}\end{align}",
            r"(aligned:r #(text '(1)') #(text 'x') | a / b / c)",
        ),
        (r"\begin{split}a&=b\\&=c\end{split}", "(split:rl | a & [= b] / [] & [= c])"),
        (r"\begin{eqnarray}a&=&b\\c&=&d\end{eqnarray}", "(eqnarray:rcl | a & = & b / c & = & d)"),
        (r"\begin{multline}a\\b\end{multline}", "(multline:c | a / b)"),
        (r"\begin{smallmatrix}a&b\end{smallmatrix}", "(smallmatrix:cc | a & b)"),
        (r"\sum_{\substack{i\\j}}", "(scripts <∑*> (substack:c | i / j) _)"),
        (r"\begin{subarray}{l}i\\j\end{subarray}", "(substack:l | i / j)"),
        (r"\begin{matrix}a\cr b\cr[1em]c\end{matrix}", "(matrix:c | a / b / c)"),
        (r"\begin{matrix}a\\[1em]b\\*c\end{matrix}", "(matrix:c | a / b / c)"),
        (r"\begin{matrix}a\\ [b]\end{matrix}", "(matrix:c | a / [[ b ]])"),
        (r"\begin{array}{cc}a\over b&c\end{array}", "(array:cc | (frac a b) & c)"),
        (
            r"\begin{aligned}a&=b\intertext{so}c&=d\end{aligned}",
            "(aligned:rl | a & [= b] / (text 'so') / c & [= d])",
        ),
        (
            r"\begin{aligned}a\\\intertext{so}c\end{aligned}",
            "(aligned:r | a / (text 'so') / c)",
        ),
        (r"\pmatrix{a&b\cr c&d}", "((pmatrix):cc | a & b / c & d)"),
        (r"\begin{Vmatrix}a\end{Vmatrix}", "(‖Vmatrix‖:c | a)"),
        (
            r"\begin{array}{c}\begin{array}{c}a\\b\end{array}&c\end{array}",
            "(array:cc | (array:c | a / b) & c)",
        ),
        (r"\begin{ matrix }a\end{matrix}", "(matrix:c | a)"),
        (r"\begin{aligned}[t]a&b\end{aligned}", "(aligned:rl | a & b)"),
        (r"a\\b", "[a break b]"),
        (r"\begin{array}{l}\text{a}\\[1ex]\end{array}", r"(array:l | (text 'a'))"),
        (r"x\tag{2}", r"[x (tag (text '(2)'))]"),
    ],
)
def test_environments(tex: str, tree: str) -> None:
    """Rows, columns, rules, tags; what means the same has the same name."""
    assert_reads(tex, tree)


@pytest.mark.parametrize(
    ("tex", "tree"),
    [
        (
            r"\begin{CD}A@>f>>B\\@VgVhV@AAkA\\C@=D\end{CD}",
            "(CD:ccc | A & (arrow→ f _) & B"
            " / (arrow↓ g h) & [] & (arrow↑ _ k) / C & (arrow= _ _) & D)",
        ),
        (
            r"\begin{CD}A@<<<B\\@|@.\\C@>>x>D\end{CD}",
            "(CD:ccc | A & (arrow← _ _) & B"
            " / (arrow‖ _ _) & [] & (arrow _ _) / C & (arrow→ _ x) & D)",
        ),
        (r"\begin{CD}A@>{a>b}>>B\end{CD}", "(CD:ccc | A & (arrow→ [a > b] _) & B)"),
    ],
)
def test_diagrams(tex: str, tree: str) -> None:
    """Objects and arrows of commutative diagrams share their columns."""
    assert_reads(tex, tree)


@pytest.mark.parametrize(
    ("tex", "tree"),
    [
        (r"\begin{array}{r@{=}l}a&b\end{array}", "(array:rl @1== | a & b)"),
        (r"\begin{array}{@{(}c!{,}c@{)}}a&b\end{array}", "(array:cc @0=( !1=, @2=) | a & b)"),
        (r"\begin{array}{r@{}l}a&b\end{array}", "(array:rl @1=[] | a & b)"),
        (r"\begin{array}{*{2}{r@{,}}}a&b\end{array}", "(array:rr @1=, @2=, | a & b)"),
        (r"\begin{array}{c@{\extracolsep{1em}}c}a&b\end{array}", "(array:cc | a & b)"),
        (
            r"\begin{array}{>{\mathbf}c<{^2}}a\\b\\\end{array}",
            "(array:c | (scripts (bold a) _ 2) / (scripts (bold b) _ 2))",
        ),
        (r"\begin{array}{c>{x}c}a&\\&b\end{array}", "(array:cc | a & x / [] & [x b])"),
        (r"\begin{array}{>{a&b\\}c}c\end{array}", "(array:c | c)"),
        (r"\begin{array}{wc{2em}wl{1em}}a&b\end{array}", "(array:cl | a & b)"),
    ],
)
def test_a_column_specification_puts_things_between_and_into_cells(tex: str, tree: str) -> None:
    formula = parse(tex)
    assert formula.problems == ()
    assert describe(formula.body) == tree


def test_a_fault_in_a_column_specification_is_named_at_the_specification() -> None:
    (problem,) = parse(r"\begin{array}{r@{\foo}l}a&b\end{array}").problems
    assert problem.message == r"The command \foo is not known."
    assert problem.span == (13, 24)


def test_what_a_specification_puts_into_cells_is_bounded() -> None:
    spec = r">{" + "x" * 300 + "}c"
    formula = parse(rf"\begin{{array}}{{{spec}}}" + r"a\\" * 2000 + r"\end{array}")
    (array,) = formula.body.items
    assert isinstance(array, Environment)
    assert len(array.rows) == 2000
