"""Laws of the parser: it never raises, its spans nest, and braces and macros change nothing."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards.math.latex.parse import entries as known
from cards.math.latex.parse import parse
from cards.math.tree import Formula, Node
from tests.cards.math.described import parts_of, plain
from tests.material import EVERYDAY, Entry, each_corpus, each_formulas

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


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(exclude_categories=())))
def test_any_text_is_read_without_raising(tex: str) -> None:
    assert_sound(parse(tex))


@settings(max_examples=250, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_string_of_commands_is_read_without_raising(tex: str) -> None:
    assert_sound(parse(tex))


@each_corpus
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_a_mutated_formula_is_read_without_raising(corpus: list[str], data: st.DataObject) -> None:
    tex = data.draw(st.sampled_from(corpus))
    at = data.draw(st.integers(0, len(tex)))
    to = data.draw(st.integers(at, min(len(tex), at + 12)))
    piece = data.draw(st.sampled_from(PIECES) | st.sampled_from(corpus).map(lambda f: f[:30]))
    assert_sound(parse(tex[:at] + piece + tex[to:]))


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
def test_every_formula_of_the_corpus_is_sound(corpus: list[str]) -> None:
    for tex in corpus:
        assert_sound(parse(tex))


@each_formulas
def test_every_formula_of_notes_is_read_whole(entries: list[Entry]) -> None:
    for entry in entries:
        assert entry["set"] not in EVERYDAY or parse(entry["tex"]).problems == ()


@each_corpus
def test_braces_around_a_formula_change_nothing(corpus: list[str]) -> None:
    for tex in corpus:
        assert plain(parse(f"{{{tex}\n}}").body) == plain(parse(tex).body)


@each_corpus
def test_a_macro_for_a_whole_formula_is_the_formula(corpus: list[str]) -> None:
    for tex in corpus:
        if not any(command in tex for command in ("\\verb", "\\def", "\\newcommand")):
            braced = f"{{{tex}\n}}"
            assert plain(parse(r"\whole", {"\\whole": braced}).body) == plain(parse(braced).body)


@each_corpus
def test_reading_twice_gives_the_same(corpus: list[str]) -> None:
    assert [parse(tex) for tex in corpus[:200]] == [parse(tex) for tex in corpus[:200]]
