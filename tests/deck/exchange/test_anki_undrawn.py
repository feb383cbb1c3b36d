"""HTML that a browser does not draw, and what it draws and a card cannot hold."""

from __future__ import annotations

import pytest

from deck.exchange.anki.html import to_markdown


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
