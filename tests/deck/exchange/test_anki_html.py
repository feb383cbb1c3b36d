"""HTML of Anki's fields as Markdown."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from deck.exchange.anki.html import hidden_by, to_markdown
from tests.deck.exchange.foreign import cases


@pytest.mark.parametrize(("html", "markdown"), cases("html"))
def test_a_field_becomes_the_markdown_that_shows_the_same(html: str, markdown: str) -> None:
    assert to_markdown(html).text == markdown


def test_pictures_and_sounds_are_links_by_their_names_or_left_out_and_said() -> None:
    made = to_markdown('<img src="a%20b.png" alt="x]y" onerror="z">[sound:c d.mp3]')
    assert made.text == "![xy](a%20b.png) [c d.mp3](c%20d.mp3)"
    assert list(made.media) == ["a b.png", "c d.mp3"]
    made = to_markdown('a<img src="data:image/png;base64,xyz">')
    assert (made.text, list(made.media), len(made.lost)) == ("a", [], 1)


@pytest.mark.parametrize(
    "html",
    [
        "<script>alert(1)</script>x",
        "<style>p {}</style>x<SCRIPT src=//e.vil></SCRIPT >",
        "<scr<script>ipt>alert(1)</script>",
        "<img src=x onerror=alert(1)><svg/onload=alert(1)>",
        "<iframe srcdoc='<script>'></iframe><object data=x></object>",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        r"\(<script>alert(1)</script>\) \(a<script\)",
        "<a href='java\nscript:alert(1)'>x</a>",
    ],
)
def test_no_script_survives(html: str) -> None:
    text = to_markdown(html).text
    assert not re.search(r"<(script|img|svg|iframe|object|style)|javascript:", text, re.I)
    assert "onerror" not in text


#: One that takes HTML, as other programs do.
_READER = MarkdownIt("commonmark", {"html": True}).enable("table")
_PIECES = st.sampled_from(
    [
        *("<b>", "</b>", "<div>", "</div>", "<ul>", "<li>", "</ul>", "<table>", "<td>", "</tr>"),
        *("<br>", "<script>", "</script>", "<pre>", "</pre>", "<a href='https://x'>", "</a>"),
        *("<sub>", "<!--", "-->", "\\(", "\\)", "$", "[latex]", "[/latex]", "[sound:a]", "&lt;"),
        *("&#0;", "<img src=q>", "\ue000", "\ue0101\ue001", "{{c1::", "}}", "<", ">", "'", '"'),
        *("\n", " ", "word", "*", "`"),
    ]
)


def _html(text: str) -> list[str]:
    """What a reader of Markdown takes for HTML."""
    tokens = [inner for token in _READER.parse(text) for inner in (token, *(token.children or ()))]
    return [token.type for token in tokens if token.type.startswith("html")]


@given(st.lists(_PIECES | st.text(max_size=5), max_size=40).map("".join))
@example("<ul><li><table><td><li></table></ul>")
@example("<b><i></b></i>")
def test_any_text_is_converted_and_none_of_it_is_html(html: str) -> None:
    text = to_markdown(html).text
    assert not _html(text)
    assert not re.search("[\ue000-\ue0ff]", text)


def test_deep_nesting_costs_no_stack() -> None:
    assert to_markdown("<ul><li>" * 5000 + "x").text.endswith("x")
    assert to_markdown("<blockquote>" * 5000 + "x").text.endswith("x")


_REPEATED = (
    *("\\(", "\\[", "[$]", "[$$]", "[latex]", "<anki-mathjax", "<anki-mathjax>", "$x ", "$$x"),
    *("<b>x</i>", "<b>x</b> ", "<i><b>x</i>", "<sub>x</sup>", "<span><b></span>", "<a href=x>"),
    *("[", "[x", "_", "*", "a_", "<svg>", "<style>", "<!--", "<!", "<a ", "<", "&", "{{c1::"),
    *("<img src=%d>", "\\(\\text{$", "[latex]$[/latex]", "\\[x\\]", "[sound:", "<ul><li>"),
    *("<h1>x", "<table><td>", "`", "<code>", "<a '", '<a "', "[$]<!--", "<svg></sv", "\\", "~"),
    *("<math>", "<math><annotation x-tex>", "<math><mfrac>", "<p hidden>", "<b hidden></b>"),
    *("<b hidden", "<b style='display : ", "</annotation><annotation encoding=x-tex></math>"),
)


@pytest.mark.parametrize("size", [2_000, pytest.param(200_000, marks=pytest.mark.long)])
@pytest.mark.parametrize("part", _REPEATED)
def test_much_of_anything_is_read_once(part: str, size: int) -> None:
    """At the square of its length most of these would take minutes, and a field of 4 MB hours."""
    times = size // len(part)
    many = "".join(map(part.__mod__, range(times))) if "%" in part else part * times
    assert to_markdown(f"a{many}b").text.startswith("a")
    assert not _html(to_markdown(f"{many}-->\\)>b</anki-mathjax>[/$]\\][/latex]]</b>").text)


@pytest.mark.parametrize(("html", "markdown"), cases("undrawn"))
def test_what_is_not_drawn_is_not_read(html: str, markdown: str) -> None:
    made = to_markdown(html)
    assert (made.text, list(made.media), made.lost) == (markdown, [], [])


@pytest.mark.parametrize("tag", ["svg", "canvas", "object", "embed", "iframe"])
def test_what_is_drawn_and_cannot_be_here_is_said(tag: str) -> None:
    made = to_markdown(f"a<{tag} data=x>b</{tag}>c")
    assert (made.text, [f"<{tag}>" in lost for lost in made.lost]) == ("ac", [True])


_HALF = "<mfrac><mn>1</mn><mn>2</mn></mfrac>"


def test_a_formula_in_mathml_never_says_another_and_brings_its_latex() -> None:
    made = to_markdown(f"a <math><mrow>{_HALF}</mrow></math> b")
    assert (made.text, len(made.lost)) == ("a b", 1)
    made = to_markdown("<math><mi>x</mi><mo>=</mo><mn>1</mn></math><sup>2</sup>")
    assert (made.text, made.lost) == ("x=1²", [])
    tex = '<annotation encoding="application/x-tex">\\frac{1}{2}=x</annotation>'
    inside = f"><semantics>{_HALF}{tex}</semantics></math> b"
    made = to_markdown(f"a <math{inside}")
    assert (made.text, made.lost) == (r"a $\frac{1}{2}=x$ b", [])
    made = to_markdown(f"a <math display='block'{inside}")
    assert (made.text, made.lost) == ("a\n\n$$\\frac{1}{2}=x$$\n\nb", [])


@pytest.mark.parametrize(
    ("css", "hidden"),
    [
        (".a { display : none }", {".a"}),
        (".card .a, div.b, #c { VISIBILITY: hidden; }", {".a", "div.b", "#c"}),
        ("<style>.a{display:none}</style>", {".a"}),
        (".a { display: none } .a { display: block }", set()),
        ("@media print { .a { display: none } } .b { display: none }", {".b"}),
        ("@import 'x'; /* .a { display: none } */ .b { display: none }", {".b"}),
        (".a .b, .c:hover, .d > p, body { display: none }", set()),
        (".a { display: none", {".a"}),
        ("}}{ display: none } .a { display: none }", {".a"}),
        ("x" * 300_000 + "display:none" + "@{" * 30_000, set()),
    ],
)
def test_a_style_sheet_hides_what_it_never_draws(css: str, hidden: set[str]) -> None:
    assert hidden_by(css) == hidden
