"""The Markdown parser: mathematics first, prices left alone, wikilinks and embeds as tokens."""

from __future__ import annotations

import pytest

from cards.markdown import parser


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
        ("$|x|$ | `a|b`", [("math_inline", "|x|"), ("code_inline", "a|b")]),
        ("$5 and $10, \\$3 and \\$4", []),
        ("20$ and 30$", []),
        ("see [[a|b]], ![[c.png|30]]", [("wikilink", "a"), ("embed", "c.png")]),
        ("`[[a]]` $[[b]]$", [("code_inline", "[[a]]"), ("math_inline", "[[b]]")]),
        ("<b>[bold]</b>", []),
    ],
)
def test_what_the_parser_sees(text: str, seen: list[tuple[str, str]]) -> None:
    assert tokens(text) == seen


def test_a_wikilink_carries_its_label() -> None:
    (inline,) = [t for t in parser().parse("[[a|the label]]") if t.type == "inline"]
    assert [t.meta for t in inline.children or []] == [{"label": "the label"}]
