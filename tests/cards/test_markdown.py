"""The Markdown parser: mathematics first, prices left alone, wikilinks and embeds as tokens."""

from __future__ import annotations

import sys
from threading import Barrier, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from cards.markdown import parser
from cards.spans import math_spans, spans


def tokens(text: str) -> list[tuple[str, str]]:
    """Types and contents of what a reader would see, plain text left out."""
    found: list[tuple[str, str]] = []
    for token in parser().parse(text):
        parts = token.children if token.type == "inline" else [token]
        found += [(t.type, t.content) for t in parts or [] if t.content and t.type != "text"]
    return found


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("$(i^*, j^*)$ and *a*", [("math_inline", "(i^*, j^*)")]),
        ("text\n$$\na\n---\n# b\n$$\nmore", [("math_block", "\na\n---\n# b\n")]),
        ("$$\na\n\nb\n$$", [("math_block", "\na\n\nb\n")]),
        ("so $$ a $$ and", [("math_inline_double", " a ")]),
        ("$$ f $$ where $x$", [("math_inline_double", " f "), ("math_inline", "x")]),
        ("| a |\n|---|\n| $|x|$ |", [("math_inline", "|x|")]),
        ("| a |\n|---|\n| $\\|x\\|$ |", [("math_inline", "\\|x\\|")]),
        ("| a |\n|---|\n| `x\\|y` |", [("code_inline", "x|y")]),
        (
            "| a | b |\n|---|---|\n| \\(|x|\\) | $\\|$ |",
            [("math_inline", "|x|"), ("math_inline", "\\|")],
        ),
        ("$|x|$ | `a|b`", [("math_inline", "|x|"), ("code_inline", "a|b")]),
        ("$5 and $10, \\$3 and \\$4", []),
        ("20$ and 30$", []),
        ("see [[a|b]], ![[c.png|30]]", [("wikilink", "a"), ("embed", "c.png")]),
        ("`[[a]]` $[[b]]$", [("code_inline", "[[a]]"), ("math_inline", "[[b]]")]),
        ("<b>[bold]</b>", []),
        ("$x_1$ is at least 5", [("math_inline", "x_1")]),
        ("- $x$ ends with \\\\", [("math_inline", "x")]),
        ("$$a$$ and $$b$$", [("math_inline_double", "a"), ("math_inline_double", "b")]),
        ("$$a$$\n$$b$$", [("math_block", "a"), ("math_block", "b")]),
        ("$$a \\$\\$ b$$", [("math_block", "a \\$\\$ b")]),
    ],
)
def test_what_the_parser_sees(text: str, seen: list[tuple[str, str]]) -> None:
    assert tokens(text) == seen


@given(st.lists(st.sampled_from(["word", "5", "$x_1$", "$$y$$", "\\$3", "end.", "\\\\", "`$z$`"])))
def test_the_parser_sees_the_formulas_that_were_scanned(words: list[str]) -> None:
    text = " ".join(words)
    seen = [content for kind, content in tokens(text) if kind.startswith("math")]
    assert seen == [text[span.tex[0] : span.tex[1]] for span in spans(text) if span.math]


def test_a_wikilink_carries_its_label() -> None:
    (inline,) = [t for t in parser().parse("[[a|the label]]") if t.type == "inline"]
    assert [t.meta for t in inline.children or []] == [{"label": "the label"}]


# Other signs for mathematics.


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("so \\(x^2\\), \\(n\\) and \\(f(x)\\)", ["x^2", "n", "f(x)"]),
        ("so \\[ x = 1 \\] holds", [" x = 1 "]),
        ("so\n\\[\na\n=\n+ b\n\\]\nholds", ["\na\n=\n+ b\n"]),
        ("\\[ a \\\\[2pt] b^2 \\].", [" a \\\\[2pt] b^2 ."]),
        ("- a\n  \\[ x\n  + y \\]\n- b", [" x\n+ y "]),
        ("| a |\n|---|\n| \\(a_1\\) |", ["a_1"]),
        ("[\\(x^2\\)](https://a.example)", ["x^2"]),
        ("*\\(a*b*c\\)*", ["a*b*c"]),
        (
            "\\begin{align*}\na &= b\n\n+ c\n\\end{align*}",
            ["\\begin{align*}\na &= b\n\n+ c\n\\end{align*}"],
        ),
        ("> \\begin{cases}\n> 1\n> \\end{cases}", ["\\begin{cases}\n1\n\\end{cases}"]),
        ("\\begin{cases}1\\end{cases} where \\(x\\)", ["\\begin{cases}1\\end{cases}", "x"]),
    ],
)
def test_mathematics_in_other_signs(text: str, seen: list[str]) -> None:
    assert [content for kind, content in tokens(text) if kind.startswith("math")] == seen


@pytest.mark.parametrize(
    "text",
    [
        "card\\(s\\) \\(see below\\) \\(optional\\)",
        "\\[note\\] \\[1\\] \\[x\\] \\[ \\]",
        "\\[a + b\\](https://a.example)",
        "\\\\(x^2\\\\)",
        "\\(x^2 and no end",
        "in a line \\begin{align} x \\end{align}",
        "\\begin{itemize}\n\\item a\n\\end{itemize}",
    ],
)
def test_escaped_brackets_and_other_environments_stay_text(text: str) -> None:
    assert tokens(text) == []


@pytest.mark.parametrize("text", ["`\\(x^2\\)`", "    \\[ x = 1 \\]", "```\n\\[ x = 1 \\]\n```"])
def test_code_is_no_mathematics(text: str) -> None:
    assert not [kind for kind, _ in tokens(text) if kind.startswith("math")]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("`$a$` $b$ \\(c^2\\) $$d$$", ["$b$", "\\(c^2\\)", "$$d$$"]),
        ("```py\n$a$\n```\n$b$", ["$b$"]),
        ("```math\na\n```", ["```math\na\n```"]),
        ("~~~\n$a$", []),
        ("- \\begin{cases}1\\end{cases}", ["\\begin{cases}1\\end{cases}"]),
        ("x \\begin{cases}1\\end{cases}", []),
    ],
)
def test_the_places_of_formulas(text: str, seen: list[str]) -> None:
    assert [text[start:end] for start, end in math_spans(text)] == seen


def test_threads_that_come_first_together_read_the_same() -> None:
    text, seen = "# a\n\n*b* $c$\n", set()

    def read(md: MarkdownIt, together: Barrier) -> None:
        together.wait()
        seen.add(md.render(text))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(50):
            parser.cache_clear()
            md, together = parser(), Barrier(4)
            threads = [Thread(target=read, args=(md, together)) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert len(seen) == 1
