"""Fonts, colours and text: source to tree."""

import pytest

from tests.cards.math.described import assert_reads


@pytest.mark.parametrize(
    ("tex", "tree"),
    [
        (r"\mathbb{R}\mathcal L\mathscr L\mathfrak g", "[(bb R) (cal L) (scr L) (frak g)]"),
        (
            r"\mathbf x\boldsymbol\mu\bm\mu\pmb\mu",
            "[(bold x) (bold-italic μ) (bold-italic μ) (bold-italic μ)]",
        ),
        (r"\mathrm{d}x", "[(roman d) x]"),
        (r"\mathsf a\mathtt b\mathit c", "[(sans a) (typewriter b) (italic c)]"),
        (r"\mathnormal{x}", "x"),
        (r"{\bf x}y", "[(bold x) y]"),
        (r"{\rm a\it b}c", "[[(roman a) (italic b)] c]"),
        (r"a\displaystyle b\textstyle c", "[a (display b) (text c)]"),
        (r"\scriptstyle{x}", "(script x)"),
        (r"\color{red}a\color{blue}b", "[(color:red a) (color:blue b)]"),
        (r"x{\color{red}y}z", "[x (color:red y) z]"),
        (r"\textcolor{#0f0}{b}", "(color:#00ff00 b)"),
        (r"\textcolor[rgb]{1,0,0}x", "(color:#ff0000 x)"),
        (r"\textcolor[HTML]{00FF00}x", "(color:#00ff00 x)"),
        (r"\blue{a}\redA b", "[(color:#6495ed a) (color:#fca9a9 b)]"),
        (r"\colorbox{teal}{a}", r"(background:teal (text 'a'))"),
        (r"\fcolorbox{red}{blue}{C}", r"(box (background:blue (text 'C')))"),
        (r"\large x\Huge y", "[x y]"),
        (r"\mathbin{+}\mathrel{<>}\mathop{X}", "[+ (class.rel [< >]) (class.op X)]"),
        (r"\cal A", "(cal A)"),
    ],
)
def test_fonts(tex: str, tree: str) -> None:
    """Fonts, styles, colours and classes; sizes leave no trace."""
    assert_reads(tex, tree)


@pytest.mark.parametrize(
    ("tex", "tree"),
    [
        (r"\text{if } x", r"[(text 'if ') x]"),
        (r"\text{a  b}", r"(text 'a b')"),
        (r"\text{for $x<1$ all}", r"(text 'for ' [x < 1] ' all')"),
        (r"\textbf{a \textit{b} c}", r"(text.bold 'a ' (text.italic 'b') ' c')"),
        (r"\text{``a'' b---c -- d'e}", r"(text '“a” b—c – d’e')"),
        (r"\texttt{a--b}", r"(text.typewriter 'a--b')"),
        (r"""\text{\'e \`a\"o\c{c}\v{s}\~n\^\i\H o\r a}""", r"(text 'é àöçšñı̂őå')"),
        (r"\text{\alpha\leq}", r"(text 'α≤')"),
        (r"\text{a\ b~c}", r"(text 'a b\xa0c')"),
        (r"\text{\LaTeX\ is}", r"(text 'LaTeX is')"),
        (
            r"\mbox{a}\hbox{b}\textrm{c}\textsf d",
            r"[(text 'a') (text 'b') (text 'c') (text.sans 'd')]",
        ),
        (r"\text{a{b}c}", r"(text 'abc')"),
        (r"\text x y", r"[(text 'x') y]"),
        (r"\text{\it a} b", r"[(text (text.italic 'a')) b]"),
        (r"\text{\color{red}a}b", r"[(text (color:red (text 'a'))) b]"),
        (r"\text{a\textcolor{red}{b}}", r"(text 'a' (color:red (text 'b')))"),
        (r"\verb|a\b|", r"(text.typewriter 'a\\b')"),
        (r"\verb*!a b!", r"(text.typewriter 'a␣b')"),
        (r"\text{\underline{a}}", r"(text (underline~.under (text 'a')))"),
        (r"\text{50\% \& \$1}", r"(text '50% & $1')"),
        (r"\text{\(x\)}", "(text x)"),
        ("\\text{a %c\nb}", r"(text 'a b')"),
        (r"\text{é}", r"(text 'é')"),
        (r"\text{}", "(text)"),
    ],
)
def test_text(tex: str, tree: str) -> None:
    """Words keep their blanks, their ligatures and the formulas in them."""
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
