"""What cannot be read is named, with its place and a way out, and the rest is read all the same."""

import pytest

from cards.math.latex.parse import LONGEST, parse
from cards.math.latex.parser import MOST_PROBLEMS
from cards.math.tree import Row
from tests.cards.math.described import describe, parts_of


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
