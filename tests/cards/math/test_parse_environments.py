"""Environments and diagrams: source to tree."""

import pytest

from tests.cards.math.described import assert_reads


@pytest.mark.parametrize(
    ("tex", "tree"),
    [
        (r"\begin{matrix}a&b\\c&d\end{matrix}", "(matrix:cc | a & b / c & d)"),
        (r"\begin{pmatrix}1\\2\\\end{pmatrix}", "((pmatrix):c | 1 / 2)"),
        (r"\begin{bmatrix*}[r]a&b\end{bmatrix*}", "([bmatrix]:rr | a & b)"),
        (r"\begin{array}{|r@{}l*{2}{c}:p{3cm}|}a&b\end{array}", "(array:|rlcc:l| | a & b)"),
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
