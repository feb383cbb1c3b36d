"""LaTeX to its tree: trees.txt, macros, and what is said of faults."""

from __future__ import annotations

import pytest

from cards.math.latex.parse import LONGEST, parse
from cards.math.latex.parser import MOST_PROBLEMS
from cards.math.tree import Environment, Row, Symbol
from tests.cards.math.described import assert_reads, describe, parts_of, plain
from tests.cards.math.fixtures import cases


@pytest.mark.parametrize(("tex", "tree"), cases("trees.txt"))
def test_a_formula_has_its_tree(tex: str, tree: str) -> None:
    assert_reads(tex, tree)


@pytest.mark.parametrize(
    ("tex", "tree"),
    [
        ("\\text{a %c\nb}", r"(text 'a b')"),
        (r"\quad\qquad~\ ", "[~1 ~2 ~0.333 ~0.333]"),
        ("%c\nx", "x"),
        ("a\u2009b\u200bc", "[a ~0.167 b c]"),
        (" $ x $ ", "x"),
    ],
)
def test_blanks_and_comments(tex: str, tree: str) -> None:
    assert_reads(tex, tree)


@pytest.mark.parametrize(
    ("colour", "style"),
    [
        ("{red}", "color:red"),
        ("{ForestGreen}", "color:ForestGreen"),
        ("{RoyalPurple}", "color:RoyalPurple"),
        ("{red!50!blue}", "color:red"),
        ("{#f80}", "color:#ff8800"),
        ("[rgb]{1,0.5,0}", "color:#ff8000"),
        ("[RGB]{255,128,0}", "color:#ff8000"),
        ("[gray]{0.5}", "color:#808080"),
        ("[cmyk]{0,0.5,1,0}", "color:#ff8000"),
        ("[HTML]{FF8800}", "color:#ff8800"),
    ],
)
def test_colours_by_name_and_by_number(colour: str, style: str) -> None:
    assert_reads(rf"\textcolor{colour}{{x}}", f"({style} x)")


@pytest.mark.parametrize(
    ("tex", "kinds"),
    [
        ("a1+=(),", "ord ord bin rel open close punct"),
        (r"\alpha\times\leq\langle\rangle\ldots\colon", "ord bin rel open close inner punct"),
        ("|/!?:;", "ord ord close close rel punct"),
        (r"\bigl|\bigr|\bigm|\big|", "open close rel ord"),
        (r"\mathrel+\mathbin=\mathord+", "rel bin ord"),
        (r"\mathopen|\mathclose|\mathpunct:", "open close punct"),
        (r"\not=\not\in\Rightarrow", "rel rel rel"),
    ],
)
def test_every_sign_has_the_class_that_tex_gives_it(tex: str, kinds: str) -> None:
    items = parse(tex).body.items
    assert [item.kind for item in items if isinstance(item, Symbol)] == kinds.split()


@pytest.mark.parametrize(
    ("spellings", "name"),
    [
        (r"\leq \le ≤", "leq"),
        (r"\neq \ne ≠ \not= \not{=}", "neq"),
        (r"\to \rightarrow → \rarr", "rightarrow"),
        (r"\notin ∉ \not\in", "notin"),
        (r"\| \Vert ‖", "Vert"),
        (r"| \vert", "|"),
        (r"\{ \lbrace", "{"),
        (r"\wedge \land ∧", "wedge"),
        (r"x {x}", "x"),
        (r"- −", "-"),
        (r"\lt <", "<"),
    ],
)
def test_spellings_of_one_sign_are_one_symbol(spellings: str, name: str) -> None:
    symbols = {plain(parse(tex).body) for tex in spellings.split(" ")}
    assert len(symbols) == 1
    first = parse(spellings.split(" ")[0]).body.items[0]
    assert isinstance(first, Symbol)
    assert first.name == name


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


@pytest.mark.parametrize(
    ("tex", "message", "span", "tree"),
    [
        (r"a\foo b", r"The command \foo is not known.", (1, 5), "[a ?foo b]"),
        (r"\alhpa", r"The command \alhpa is not known.", (0, 6), "?alhpa"),
        ("{a", "This brace is never closed.", (0, 1), "a"),
        ("a}b", "There is no { that this } would close.", (1, 2), "[a b]"),
        (r"\frac{a}", r"\frac lacks an argument here.", (8, 8), "(frac a [])"),
        ("x^", "^ lacks an argument here.", (2, 2), "x"),
        ("x__2", "_ lacks an argument here.", (2, 3), "(scripts x 2 _)"),
        ("x^a^b", "Two superscripts stand at one place.", (3, 5), "(scripts x _ [a b])"),
        (r"\left(a", r"This \left has no \right.", (0, 5), "(fence ( a .)"),
        (r"a\right)", r"This \right has no \left.", (1, 7), "[a )]"),
        (r"\left a\right)", "A delimiter is missing here.", (6, 7), "(fence . a ))"),
        (r"{a\middle|b}", r"This \middle stands between no \left and \right.", (2, 9), "[a | b]"),
        (r"\begin{matrix}a", r"\begin{matrix} has no \end{matrix}.", (0, 6), "(matrix:c | a)"),
        (r"a\end{matrix}", r"\end{matrix} has no \begin{matrix}.", (1, 5), "a"),
        (
            r"\begin{matrix}a\end{cases}",
            r"\begin{matrix} is ended by \end{cases}.",
            (15, 26),
            "(matrix:c | a)",
        ),
        (r"\begin{f}a&b\end{f}", "The environment f is not known.", (0, 9), "(f:cc | a & b)"),
        (r"a $ b", "A $ stands inside a formula.", (2, 3), "[a b]"),
        (r"\text{a $x", "A formula in the text is never closed.", (8, 9), "(text 'a ' x)"),
        ("a&b", "An & parts columns, and this place has none.", (1, 2), "(aligned:rl | a & b)"),
        (r"{a & b}", "An & parts columns, and this place has none.", (3, 4), "[a b]"),
        ("a\\", "A backslash stands alone.", (1, 2), "a"),
        ("a\0b", "The character U+0000 cannot be shown.", (1, 2), "[a b]"),
        ("a\ud800", "The character U+D800 cannot be shown.", (1, 2), "[a �]"),
        ("#1", "#1 stands for an argument outside a macro.", (0, 2), "?#1"),
        (
            r"a\over b\over c",
            r"\over is not the only one of its group.",
            (1, 6),
            "(frac (frac a b) c)",
        ),
        (r"\newcommand{x}{y}", "A definition lacks the name of its command.", (0, 14), "[]"),
        (r"\sqrt[3", r"The [ after \sqrt is never closed.", (5, 6), "[(root [) 3]"),
        (
            r"\xrightarrow[a{b}",
            r"The [ after \xrightarrow is never closed.",
            (12, 13),
            "[(arrow→ [ _) a b]",
        ),
        (r"\color{nope}x", "The colour nope is not known.", (6, 12), "x"),
        (r"\textcolor[rgb]{1,2}{x}", "The colour rgb 1,2 is not known.", (15, 20), "x"),
        (r"\colorbox{}{x}", "A colour is missing here.", (9, 11), "(text 'x')"),
        (
            r"\begin{CD}A@?B\end{CD}",
            "This @ begins no arrow.",
            (11, 12),
            "(CD:ccc | A & (arrow _ _) & [? B])",
        ),
    ],
)
def test_a_fault_is_named_where_it_stands_and_the_rest_is_kept(
    tex: str, message: str, span: tuple[int, int], tree: str
) -> None:
    formula = parse(tex)
    first = formula.problems[0]
    assert (first.message, first.span) == (message, span)
    assert first.hint.endswith((".", "?"))
    assert describe(formula.body) == tree


@pytest.mark.parametrize(
    ("tex", "near"),
    [
        (r"\alhpa", r"\alpha"),
        (r"\farc", r"\frac"),
        (r"\matbb", r"\mathbb"),
        (r"\lamda", r"\lambda"),
    ],
)
def test_a_misspelt_command_is_told_its_likely_name(tex: str, near: str) -> None:
    assert parse(tex).problems[0].hint == f"Did you mean {near}?"


def test_a_misspelt_colour_is_told_its_likely_name() -> None:
    assert parse(r"\color{gren}x").problems[0].hint == "Did you mean green?"


def test_a_macro_of_the_user_is_among_the_likely_names() -> None:
    assert parse(r"\nrom", {"\\norm": "n"}).problems[0].hint == r"Did you mean \norm?"


def test_an_unknown_command_is_told_once() -> None:
    assert len(parse(r"\foo \foo \foo").problems) == 1


@pytest.mark.parametrize(
    "tex",
    [
        "{" * 5000 + "x" + "}" * 5000,
        r"\frac{" * 5000,
        r"\left(" * 5000,
        "x^" * 5000,
        r"\sqrt" * 5000 + "x",
        r"\text{" * 5000,
        r"\text{$" * 5000,
        r"\text{\bf " * 5000,
        r"\begin{matrix}" * 2000,
        r"\color{red}\displaystyle\bf" * 1000,
    ],
    ids=lambda tex: tex[:12],
)
def test_nesting_beyond_the_cap_is_read_flat(tex: str) -> None:
    formula = parse(tex)
    assert _depth(formula.body) < 200
    assert formula.problems


def test_the_innermost_letter_of_5000_braces_is_kept() -> None:
    assert "x" in describe(parse("{" * 5000 + "x" + "}" * 5000).body)


def test_a_formula_of_a_megabyte_is_cut_and_says_so() -> None:
    formula = parse("x" * 1_000_000)
    assert len(formula.body.items) == LONGEST
    assert formula.problems[-1].span == (LONGEST, 1_000_000)


def test_problems_are_bounded() -> None:
    assert len(parse("}" * 5000).problems) == MOST_PROBLEMS


def _depth(node: object) -> int:
    inner = max((_depth(part) for part in parts_of(node)), default=0)
    return inner + (isinstance(node, Row) or hasattr(node, "_fields"))
