"""Macros: those of the formula, and those of the user's table."""

import pytest

from cards.math.latex.parse import parse
from tests.cards.math.described import describe, plain


@pytest.mark.parametrize(
    ("tex", "meaning"),
    [
        (r"\newcommand{\a}{x+1}\a", "x+1"),
        (r"\newcommand\a{x}\a\a", "xx"),
        (r"\newcommand*{\a}[2]{\frac{#1}{#2}}\a12", r"\frac{1}{2}"),
        (r"\newcommand{\a}[2][x]{#1#2}\a{y}\a[z]{w}", "xyzw"),
        (r"\renewcommand{\epsilon}{\varepsilon}\epsilon", r"\varepsilon"),
        (r"\providecommand{\alpha}{x}\providecommand{\a}{y}\alpha\a", r"\alpha y"),
        (r"\def\a#1{#1^2}\a{x+y}", "x+y^2"),
        (r"\def\a{x}\let\b\a\def\a{y}\a\b", "yx"),
        (r"\let\b=\alpha\b", r"\alpha"),
        (r"\def\half{\frac12}x^\half", r"x^{\frac12}"),
        (r"\def\a{\b}\def\b{z}\a", "z"),
        (r"\DeclarePairedDelimiter{\abs}{\lvert}{\rvert}\abs{x}", r"\left\lvert x\right\rvert"),
        (r"\def\v#1{\text{a #1 b}}\v{c}", r"\text{a c b}"),
        (r"\def\a{b}\text{\a}", r"\text{b}"),
    ],
)
def test_a_macro_means_its_body(tex: str, meaning: str) -> None:
    formula = parse(tex)
    assert formula.problems == ()
    assert plain(formula.body) == plain(parse(meaning).body)


@pytest.mark.parametrize(
    ("name", "body", "tex", "meaning"),
    [
        ("\\R", r"\mathbb{R}", r"\R^n", r"\mathbb{R}^n"),
        ("R", r"\mathbb{R}", r"\R^n", r"\mathbb{R}^n"),
        ("\\norm", r"\lVert #1 \rVert", r"\norm{x+y}", r"\lVert x+y \rVert"),
        ("\\pair", "(#1,#2)", r"\pair a{bc}", "(a,bc)"),
        ("\\alpha", "x", r"\alpha", "x"),
        ("\\b", r"\mathbf{#1}", r"\b x_i", r"\mathbf{x}_i"),
    ],
)
def test_a_table_gives_macros_their_arity_by_the_highest_parameter(
    name: str, body: str, tex: str, meaning: str
) -> None:
    formula = parse(tex, {name: body})
    assert formula.problems == ()
    assert plain(formula.body) == plain(parse(meaning).body)


def test_what_a_macro_made_stands_where_it_was_called() -> None:
    formula = parse(r"a+\norm{x}+b", {"\\norm": r"\lVert #1 \rVert"})
    spans = [item.span for item in formula.body.items]
    assert spans == [(0, 1), (1, 2), (2, 10), (2, 10), (2, 10), (10, 11), (11, 12)]


def test_one_formula_leaves_its_macros_to_no_other() -> None:
    parse(r"\def\a{x}\a")
    assert describe(parse(r"\a").body) == "?a"


@pytest.mark.parametrize(
    ("definition", "tex", "meaning"),
    [
        (r"\newcommand{\a}{x+1}", r"\a", "x+1"),
        (r"\newcommand{\a}[2][x]{#1#2}", r"\a{y}\a[z]{w}", "xyzw"),
        (r"\newcommand{\a}[2]{#1}", r"\a{x}{y}z", "xz"),
        (r"\def\a#1#2{#2}y", r"\a{x}{z}", "z"),
        (r"\DeclareMathOperator*{\a}{arg\,min}", r"\a_x", r"\operatorname*{arg\,min}_x"),
        (r"\DeclarePairedDelimiter{\a}{[}{]}", r"\a x", r"\left[x\right]"),
        (r"\let\a\alpha", r"\a", r"\alpha"),
        (r"\def\a{x} a & b", r"\a", "x"),
    ],
)
def test_what_a_formula_defines_can_be_handed_on(definition: str, tex: str, meaning: str) -> None:
    later = parse(tex, parse(definition).macros)
    assert later.problems == ()
    assert plain(later.body) == plain(parse(meaning).body)


def test_a_formula_hands_on_what_it_defines_and_not_what_it_was_given() -> None:
    given = {"\\a": "x", "\\b": "y"}
    assert parse(r"\a\b", given).macros == {}
    assert set(parse(r"\def\b{z}\newcommand{\c}{w}", given).macros) == {"\\b", "\\c"}


@pytest.mark.parametrize(
    "tex",
    [
        r"\def\a{\a\a}\a",
        r"\def\a{\a}\a",
        r"\def\a#1{\a{#1#1}}\a{xx}",
        r"\def\a{\b}\def\b{\a x}\a",
        r"\newcommand{\a}[1][x]{\a[#1#1]}\a",
        r"\text{\def\a{\a\a}\a}",
    ],
)
def test_endless_macros_end_with_a_problem(tex: str) -> None:
    problems = parse(tex).problems
    assert any("expands without end" in problem.message for problem in problems)
