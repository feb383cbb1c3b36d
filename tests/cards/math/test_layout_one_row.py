"""What one row says of what is stacked in a display."""

from __future__ import annotations

import pytest

from cards.math import typeset


def line(tex: str) -> str:
    return typeset(tex, mode="line")


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
