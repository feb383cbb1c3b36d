"""Laws of the parser: it never raises, its spans nest, and braces and macros change nothing."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards.math.formula import Formula
from cards.math.parser import parse
from cards.math.reading.table import entries
from cards.math.tree import Node
from tests.cards.math.described import parts_of, plain

SHARED = Path(__file__).parents[3].parent / "shared" / "math" / "formulas.jsonl"
CORPUS = [json.loads(line)["tex"] for line in SHARED.read_text("utf-8").splitlines()]
_SNIPPETS = r"""
{ } { } & \\ [ ] $ ^ _ % @ \begin{matrix} \end{matrix} \begin{CD} \end{CD} \left \right #1 1em
\def\a \a \newcommand{\b}[1]{#1#1} \b \verb|x| \ é
"""
PIECES = [*sorted(entries()), *_SNIPPETS.split(), " ", "\n", "\0", "\ud800"]


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


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(CORPUS), st.data())
def test_a_mutated_formula_is_read_without_raising(tex: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(tex)))
    to = data.draw(st.integers(at, min(len(tex), at + 12)))
    piece = data.draw(st.sampled_from(PIECES) | st.sampled_from(CORPUS).map(lambda f: f[:30]))
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


def test_every_formula_of_the_corpus_is_sound() -> None:
    for tex in CORPUS:
        assert_sound(parse(tex))


@pytest.mark.parametrize("name", ["seed", "notes"])
def test_every_formula_of_these_sets_is_read_whole(name: str) -> None:
    for line in SHARED.read_text("utf-8").splitlines():
        entry = json.loads(line)
        if entry["set"] == name:
            assert parse(entry["tex"]).problems == ()


def test_braces_around_a_formula_change_nothing() -> None:
    for tex in CORPUS:
        assert plain(parse(f"{{{tex}\n}}").body) == plain(parse(tex).body)


def test_a_macro_for_a_whole_formula_is_the_formula() -> None:
    for tex in CORPUS:
        if "\\verb" not in tex and "\\def" not in tex:
            braced = f"{{{tex}\n}}"
            assert plain(parse(r"\whole", {"\\whole": braced}).body) == plain(parse(braced).body)


def test_reading_twice_gives_the_same() -> None:
    assert [parse(tex) for tex in CORPUS[:200]] == [parse(tex) for tex in CORPUS[:200]]
