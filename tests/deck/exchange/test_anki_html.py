"""HTML of Anki's fields as Markdown."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from deck.exchange.anki.html import hidden_by, to_markdown

_LINES = [
    ("a b", "a b"),
    ("<b>Bold </b>text <i>it</i>", "**Bold** text *it*"),
    ("x<br>y<br><br>z", "x\\\ny\n\nz"),
    ("<div>a</div><div>b</div><p>c</p><p>d</p>", "a\\\nb\n\nc\n\nd"),
    ("<div>a</div><div><br></div><div>b</div>", "a\n\nb"),
    ("a&nbsp;&amp; b &lt; c", "a & b < c"),
    ("<ul><li>one<ul><li>sub</li></ul></li><li>two</li></ul>", "- one\n  - sub\n- two"),
    ("<ol start=3><li>a<li>b<br>c</ol>", "3. a\n4. b\\\n   c"),
    ("<blockquote>q<br>r</blockquote>", "> q\\\n> r"),
    ("<table><tr><th>a|b<th>c<tr><td>1<td>2</table>", "| a\\|b | c |\n| --- | --- |\n| 1 | 2 |"),
    ("<pre>a\n  b&lt;</pre>", "```\na\n  b<\n```"),
    ("<code>x*y`</code>", "`` x*y` ``"),
    ("H<sub>2</sub>O, e<sup>x+y</sup>", "H₂O, e^(x+y)"),
    ("<s>no</s> <span style='font-weight: 700'>so</span>", "~~no~~ **so**"),
    ("<h1>Title</h1>text", "### Title\n\ntext"),
    ("<a href='https://a.b/c?d=e'>w</a> <a href='javascript:x'>l</a>", "[w](https://a.b/c?d=e) l"),
    ("<a href='https://a.b/c d'>w</a>", "[w](https://a.b/c%20d)"),
    (
        "x<h2>Solution</h2>y<h3><b>Options:</b></h3>A) z",
        "x\n\n**Solution**\n\ny\n\n**Options:**\n\nA) z",
    ),
    ("<b>end.</b>next <i>so?!</i>x <b>.</b>y", "**end**.next *so*?!x .y"),
    ("{{c1::<b>x</b>::hint}} is", "{{c1::**x**::hint}} is"),
    ("<b><div>a</div><div>b</div></b>", "**a**\\\n**b**"),
]
_WORDS = [
    ("2*3*4 and _x_ and a_b", r"2\*3\*4 and \_x\_ and a_b"),
    ("# no heading", r"\# no heading"),
    ("- no list", r"\- no list"),
    ("1. no list", r"1\. no list"),
    ("---", r"\---"),
    ("$5 and $6", r"\$5 and \$6"),
    ("[x](y) and [[z]] and f[i]", r"\[x](y) and \[\[z]] and f[i]"),
    ("&lt;b&gt; `c`", r"&lt;b> \`c\`"),
    (r"C:\temp \* \alpha", r"C:\temp \\\* \alpha"),
]
_FORMULAS = [
    (r"\(x &lt; 1\)", "$x < 1$"),
    (r"\[ \frac{a}{b} \]", r"$$\frac{a}{b}$$"),
    (r"a 5\(x\)6 b", "a 5 $x$ 6 b"),
    ("[$]x^2[/$] [$$]y[/$$]", "$x^2$\n\n$$y$$"),
    (r"[latex]\begin{align}a&amp;=b\end{align}[/latex]", r"$$\begin{align}a&=b\end{align}$$"),
    (r"[latex]$\alpha$[/latex]", r"$\alpha$"),
    (r"[latex]The $x_1$ &amp; $y$[/latex]", "The $x_1$ & $y$"),
    ('<anki-mathjax block="true">x</anki-mathjax>', "$$x$$"),
    (r"\(a<br>b_1\)", "$a b_1$"),
    (r"{{c2::\(\frac{a}{b} \)}} \({{c1::x*y*z}}\)", r"{{c2::$\frac{a}{b}$}} ${{c1::x*y*z}}$"),
    ("$x^2$ costs $3", r"$x^2$ costs \$3"),
]
_DISPLAYED = [
    (r"<div>\[a\]</div><div>\[b\]</div>", "$$a$$\n\n$$b$$"),
    (r"x<br>\[z=1\]<br>y", "x\n\n$$z=1$$\n\ny"),
    (r"\[a\] and \[b\].", "$$a$$\n\nand\n\n$$b$$."),
    (r"<b>so \[a\] is</b>", "**so**\n\n$$a$$\n\n**is**"),
    (r"<ul><li>x \[a\]<li>\[b\]</ul>", "- x\n\n  $$a$$\n- $$b$$"),
    (r"<table><td>x \[a\]<td>y</table>", "| x $$a$$ | y |\n| --- | --- |"),
    (r"<div>{{c1::\[a\]::what}}</div><div>b</div>", "{{c1::$$a$$::what}}\n\nb"),
    (r"{{c1::x \[a\] y}} \[b\]", "{{c1::x $$a$$ y}}\n\n$$b$$"),
    (r"<a href='https://x.y'>w \[a\]</a>", "[w $$a$$](https://x.y)"),
    (
        "<a href='https://x.y'>[1]</a><a href='https://x.z'>see [2] and [b]</a>",
        r"[\[1\]](https://x.y)[see \[2\] and \[b\]](https://x.z)",
    ),
    ("<a href='https://x.y'><img src=a.png> [1]</a>", r"[![](a.png) \[1\]](https://x.y)"),
]
_DOLLARS = [
    (r"\(\text{cost \$5 or $6}\)", r"$\text{cost \$5 or \$6}$"),
    (r"\(\text{costs \$5}\)", r"$\text{costs \$5}$"),
    (r"\(\text{\$}\)", r"$\text{\$}$"),
    (r"\(\text{if $x$, \$5, $y$}\)", r"$\text{if \(x\), \$5, \(y\)}$"),
    (r"\(a \\$ b\)", r"$a \\\$ b$"),
    (r"\(5\$\)", r"$5\$$"),
]


@pytest.mark.parametrize(
    ("html", "markdown"), [*_LINES, *_WORDS, *_FORMULAS, *_DISPLAYED, *_DOLLARS]
)
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


@given(st.lists(_PIECES | st.text(max_size=5), max_size=40).map("".join))
@example("<ul><li><table><td><li></table></ul>")
@example("<b><i></b></i>")
def test_any_text_is_converted_and_none_of_it_is_html(html: str) -> None:
    text = to_markdown(html).text
    tokens = [inner for token in _READER.parse(text) for inner in (token, *(token.children or ()))]
    assert not [token for token in tokens if token.type.startswith("html")]
    assert not re.search("[\ue000-\ue0ff]", text)


def test_deep_nesting_costs_no_stack() -> None:
    assert to_markdown("<ul><li>" * 5000 + "x").text.endswith("x")
    assert to_markdown("<blockquote>" * 5000 + "x").text.endswith("x")


@pytest.mark.parametrize(
    "part",
    [
        *("\\(", "\\[", "[$]", "[$$]", "[latex]", "<anki-mathjax", "<anki-mathjax>", "$x ", "$$x"),
        *("<b>x</i>", "<b>x</b> ", "<i><b>x</i>", "<sub>x</sup>", "<span><b></span>", "<a href=x>"),
        *("[", "[x", "_", "*", "a_", "<svg>", "<style>", "<!--", "<!", "<a ", "<", "&", "{{c1::"),
        *("<img src=%d>", "\\(\\text{$", "[latex]$[/latex]", "\\[x\\]", "[sound:", "<ul><li>"),
        *("<h1>x", "<table><td>", "`", "<code>", "<a '", '<a "', "[$]<!--", "<svg></sv", "\\", "~"),
        *("<math>", "<math><annotation x-tex>", "<math><mfrac>", "<p hidden>", "<b hidden></b>"),
        *("<b hidden", "<b style='display : ", "</annotation><annotation encoding=x-tex></math>"),
    ],
)
def test_much_of_anything_is_read_once(part: str) -> None:
    """At the square of its length most of these would take minutes, and a field of 4 MB hours."""
    times = 200_000 // len(part)
    many = "".join(map(part.__mod__, range(times))) if "%" in part else part * times
    to_markdown(f"a{many}b")
    to_markdown(f"{many}-->\\)>b</anki-mathjax>[/$]\\][/latex]]</b>")


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ('a<div style="display:none">b<div>c</div>d</div>e', "ae"),
        ("a<span hidden>b</span>c", "ac"),
        ("a<span Hidden=''>b<br><img src=x></span>c", "ac"),
        ("a <i style='color:red; VISIBILITY : hidden'>b<b>c</b></i>d", "a d"),
        ("a<img src=x hidden>b<input hidden>c", "abc"),
        ("a<p hidden>b<p>c", "a\n\nc"),
        ("a<div hidden><script>'</div>'</script>b</div>c", "ac"),
        ("a<div hidden>b", "a"),
        ("a<svg style='display:none'><path></svg>b", "ab"),
        ("<div style='overflow:hidden' title='hidden'>a</div>", "a"),
        (
            "<a href='https://x.y/?hidden=display:none'>a</a>",
            "[a](https://x.y/?hidden=display:none)",
        ),
        ("<div style='display:block'>a</div>", "a"),
    ],
)
def test_what_is_not_drawn_is_not_read(html: str, markdown: str) -> None:
    made = to_markdown(html)
    assert (made.text, list(made.media), made.lost) == (markdown, [], [])


@pytest.mark.parametrize("tag", ["svg", "canvas", "object", "embed", "iframe"])
def test_what_is_drawn_and_cannot_be_here_is_said(tag: str) -> None:
    made = to_markdown(f"a<{tag} data=x>b</{tag}>c")
    assert (made.text, [f"<{tag}>" in lost for lost in made.lost]) == ("ac", [True])


_HALF = "<mfrac><mn>1</mn><mn>2</mn></mfrac>"


def test_a_formula_in_mathml_never_says_another() -> None:
    made = to_markdown(f"a <math><mrow>{_HALF}</mrow></math> b")
    assert (made.text, len(made.lost)) == ("a b", 1)
    made = to_markdown("<math><mi>x</mi><mo>=</mo><mn>1</mn></math><sup>2</sup>")
    assert (made.text, made.lost) == ("x=1²", [])


@pytest.mark.parametrize(
    ("attributes", "markdown"), [("", r"a $\frac{1}{2}=x$ b"), ("display='block'", None)]
)
def test_mathml_that_brings_its_latex_is_that(attributes: str, markdown: str | None) -> None:
    tex = '<annotation encoding="application/x-tex">\\frac{1}{2}=x</annotation>'
    made = to_markdown(f"a <math {attributes}><semantics>{_HALF}{tex}</semantics></math> b")
    assert made.text == (markdown or "a\n\n$$\\frac{1}{2}=x$$\n\nb")
    assert made.lost == []


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
