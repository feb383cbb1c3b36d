"""Symbols, operators, spaces and wrappings: source to tree."""

import pytest

from cards.math.latex.parse import parse
from cards.math.tree import Symbol
from tests.cards.math.described import assert_reads, plain


@pytest.mark.parametrize(
    ("tex", "tree"),
    [
        (r"\alpha\beta\Gamma", "[α β Γ]"),
        ("αβΓ", "[α β Γ]"),
        (r"a\leq b\le c≤d", "[a ≤ b ≤ c ≤ d]"),
        (r"\ne\neq≠", "[≠ ≠ ≠]"),
        ("x-y*z", "[x − y * z]"),
        (r"\to\rightarrow→", "[→ → →]"),
        (r"\infty", "∞"),
        (r"\R\in\mathbb R", "[(bb R) ∈ (bb R)]"),
        (r"\hbar\ell\imath\partial\nabla", "[ℏ ℓ ı ∂ ∇]"),
        (r"\{a\}\lbrace a\rbrace", "[{ a } { a }]"),
        (r"\langle a\rangle", "[⟨ a ⟩]"),
        (r"\|x\|", "[‖ x ‖]"),
        (r"|x|\lvert x\rvert", "[| x | | x |]"),
        (r"\colon:", "[: :]"),
        (r"f\colon A\to B", "[f : A → B]"),
        (r"\cdots\ldots\dots", "[⋯ … …]"),
        (r"a+\dots+b", "[a + ⋯ + b]"),
        (r"a,\dots,b", "[a , … , b]"),
        (r"\coloneqq:=", "[≔ : =]"),
        (r"\KaTeX", r"(text 'KaTeX')"),
        (r"\degree", "°"),
        ("°", "°"),
        ("ℝ𝐀𝔤", "[(bb R) (bold A) (frak g)]"),
        (r"\Alpha Α", "[A A]"),
        (r"\And", "&"),
    ],
)
def test_symbols(tex: str, tree: str) -> None:
    """Commands of one meaning, and the character typed as it is, are one symbol."""
    assert_reads(tex, tree)


@pytest.mark.parametrize(
    ("tex", "tree"),
    [
        (r"\sin x\max_x", "[<sin> x (scripts <max*> x _)]"),
        (r"\operatorname{rank}A", "[<rank> A]"),
        (r"\operatorname*{arg\,max}_x", "(scripts <arg max*> x _)"),
        (r"\operatorname{Gam ma-x}", "<Gamma-x>"),
        (r"\mathop{\rm argmax}_x\mathop{\mathrm{a}}", "[(scripts <argmax*> x _) <a*>]"),
        (r"\limsup\liminf\argmax", "[<lim sup*> <lim inf*> <arg max*>]"),
        (r"\DeclareMathOperator{\foo}{foo}\foo x", "[<foo> x]"),
        (r"\DeclareMathOperator*\foo{foo}\foo_x", "(scripts <foo*> x _)"),
        (r"\operatorname{\mathbf x}_i", "(scripts.nolimits (class.op (roman (bold x))) i _)"),
        (r"a\bmod b", r"[a (class.bin (text 'mod')) b]"),
        (r"a\pmod n", r"[a ~1 ( (text 'mod') ~0.333 n )]"),
        (r"a\mod b", r"[a ~1 (text 'mod') ~0.333 b]"),
        (r"\not=\not\in\not x", "[≠ ∉ x̸]"),
        (r"\not\leq\not{<}", "[≰ ≮]"),
        (
            r"\sideset{_a}{^b}\sum_i",
            "(scripts (class.op [(scripts _ a _) <∑*> (scripts _ _ b)]) i _)",
        ),
        (r"\prescript{a}{b}{X}", "[(scripts _ b a) X]"),
        (r"\oint\iint\bigcup\coprod", "[<∮> <∬> <⋃*> <∐*>]"),
        ("∑∫∏", "[<∑*> <∫> <∏*>]"),
        (r"\intop_a", "(scripts <∫*> a _)"),
    ],
)
def test_operators(tex: str, tree: str) -> None:
    """Functions, large operators, modulo and negation."""
    assert_reads(tex, tree)


@pytest.mark.parametrize(
    ("tex", "tree"),
    [
        (r"a\,b\:c\;d\!e", "[a ~0.167 b ~0.222 c ~0.278 d ~-0.167 e]"),
        (r"\quad\qquad~\ ", "[~1 ~2 ~0.333 ~0.333]"),
        (r"\hspace{1em}\hspace*{2pt}", "[~1 ~0.2]"),
        (r"\kern1emb\mkern18mu c", "[~1 b ~1 c]"),
        (r"\kern-.5em x", "[~-0.5 x]"),
        (r"\hskip 1em plus 1fil x", "[~1 x]"),
        (r"\rule{1em}{1em}\rule{0pt}{2em}", r"[(text '██') ~0]"),
        (r"\raisebox{1em}{a $b$}", r"(text 'a ' b)"),
        (r"\href{http://a.b}{x}", "x"),
        (r"\htmlId{a}{x}\htmlStyle{color:red}{y}", "[x y]"),
        (r"\label{eq}\nonumber x\relax", "x"),
        (r"\mathstrut x\strut", "x"),
        (r'\char"41\char97\char`A', "[A a A]"),
        ("%c\nx", "x"),
        (r"\vcenter{x}", "x"),
        ("a\u2009b\u200bc", "[a ~0.167 b c]"),
        (r"\includegraphics[height=1em]{a.png}", r"(text '▨')"),
        (r"\eqref{eq:1}", r"(text '(eq:1)')"),
    ],
)
def test_spaces(tex: str, tree: str) -> None:
    """Spaces in em; what a terminal cannot show leaves its content."""
    assert_reads(tex, tree)


@pytest.mark.parametrize(
    ("tex", "tree"),
    [
        ("$x$", "x"),
        ("$$x$$", "x"),
        (r"\(x\)", "x"),
        (r"\[x\]", "x"),
        ("{x+1}", "[x + 1]"),
        ("{{a}}", "a"),
        (" $ x $ ", "x"),
    ],
)
def test_wrappings(tex: str, tree: str) -> None:
    """Dollars and brackets around the whole formula are not part of it."""
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
