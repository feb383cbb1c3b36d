"""LaTeX to its tree: trees.txt, macros, and what is said of faults."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards.math.latex.parse import LONGEST, parse
from cards.math.latex.parse import entries as known
from cards.math.latex.parser import MOST_PROBLEMS
from cards.math.tree import Environment, Formula, Macro, Node, Row, Symbol
from tests.cards.math.described import assert_reads, describe, parts_of, plain
from tests.cards.math.fixtures import cases, mutated
from tests.material import EVERYDAY, Entry, each_corpus, each_formulas


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


@pytest.mark.parametrize(("tex", "meaning"), cases("meanings.txt"))
def test_a_macro_means_its_body_also_in_the_next_formula(tex: str, meaning: str) -> None:
    macros: dict[str, str | Macro] = {}
    for each in tex.split(" ;; "):
        formula = parse(each, macros)
        macros |= formula.macros
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


def test_a_formula_hands_on_what_it_defines_and_not_what_it_was_given() -> None:
    given = {"\\a": "x", "\\b": "y"}
    assert parse(r"\a\b", given).macros == {}
    assert set(parse(r"\def\b{z}\newcommand{\foo}{w}", given).macros) == {"\\b", "\\foo"}
    assert describe(parse(r"\foo").body) == "?foo"


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


UNSEEN = [
    ("a\0b", "The character U+0000 cannot be shown. 1-2 === [a b]"),
    ("a\ud800", "The character U+D800 cannot be shown. 1-2 === [a �]"),
]


@pytest.mark.parametrize(("tex", "said"), [*cases("faults.txt"), *UNSEEN])
def test_a_fault_is_named_where_it_stands_and_the_rest_is_kept(tex: str, said: str) -> None:
    formula = parse(tex)
    first = formula.problems[0]
    place = f"{first.span[0]}-{first.span[1]}"
    assert f"{first.message} {place} === {describe(formula.body)}" == said
    assert first.hint.endswith((".", "?"))


@pytest.mark.parametrize(
    ("tex", "near"),
    [
        (r"\alhpa", r"\alpha"),
        (r"\farc", r"\frac"),
        (r"\matbb", r"\mathbb"),
        (r"\lamda", r"\lambda"),
        (r"\color{gren}x", "green"),
        (r"\nrom", r"\norm"),
    ],
)
def test_what_is_misspelt_is_told_its_likely_name(tex: str, near: str) -> None:
    assert parse(tex, {"\\norm": "n"}).problems[0].hint == f"Did you mean {near}?"


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


# Laws: it never raises, its spans nest, and braces and macros change nothing.

_SNIPPETS = r"""
{ } { } & \\ [ ] $ ^ _ % @ \begin{matrix} \end{matrix} \begin{CD} \end{CD} \left \right #1 1em
\def\a \a \newcommand{\b}[1]{#1#1} \b \verb|x| \ é
"""
PIECES = [*sorted(known()), *_SNIPPETS.split(), " ", "\n", "\0", "\ud800"]


def assert_sound(formula: Formula) -> None:
    """Spans lie in the source, in that of their parent, and in the order of the source."""
    whole = (0, len(formula.source))
    # \sideset names what stands behind its operator before it.
    _check(formula.body, *whole, ordered="sideset" not in formula.source)
    for problem in formula.problems:
        assert 0 <= problem.span[0] <= problem.span[1] <= whole[1]
        assert problem.message
        assert problem.hint


def _check(node: Node, low: int, high: int, ordered: bool) -> None:
    start, end = node.span
    assert low <= start <= end <= high
    for child in _children(node):
        _check(child, start, end, ordered)
    if ordered and type(node).__name__ == "Row":
        places = [child.span for child in _children(node)]
        assert places == sorted(places)


def _children(value: object) -> Iterator[Node]:
    for part in parts_of(value):
        if hasattr(part, "span"):
            yield part
        else:
            yield from _children(part)


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=())))
def test_any_text_is_read_without_raising(tex: str) -> None:
    assert_sound(parse(tex))


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_string_of_commands_is_read_without_raising(tex: str) -> None:
    assert_sound(parse(tex))


@each_corpus
def test_a_mutated_formula_is_read_without_raising(corpus: list[str]) -> None:
    chance = random.Random(2026)
    for _ in range(300):
        assert_sound(parse(mutated(chance, corpus)))


@pytest.mark.parametrize(
    "tex",
    [
        r"\begin{equation}a\tag{1}\end{equation}",
        r"\begin{align}\begin{aligned}a\tag{1}\end{aligned}\\b\end{align}",
        r"\tag{1} a",
        r"a \pmod{n} b",
        r"\not{abc}",
        r"a\over b\over c",
        r"\set{x|y}\Set{x|y}",
        r"\text{a $b$ \textbf{c}}",
        r"\newcommand{\a}[1]{\frac{#1}{2}}x\a{y}_z\a{\a{w}}",
    ],
)
def test_spans_of_what_is_put_elsewhere_are_sound(tex: str) -> None:
    assert_sound(parse(tex))


@each_corpus
def test_braces_or_a_macro_around_a_formula_change_nothing(corpus: list[str]) -> None:
    for tex in corpus:
        formula, braced = parse(tex), f"{{{tex}\n}}"
        assert_sound(formula)
        assert plain(parse(braced).body) == plain(formula.body)
        if not any(command in tex for command in ("\\verb", "\\def", "\\newcommand")):
            assert plain(parse(r"\whole", {"\\whole": braced}).body) == plain(formula.body)


@each_formulas
def test_every_formula_of_notes_is_read_whole(entries: list[Entry]) -> None:
    for entry in entries:
        assert entry["set"] not in EVERYDAY or parse(entry["tex"]).problems == ()
