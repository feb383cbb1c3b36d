"""Scripts, fractions, delimiters and marks: source to tree."""

import pytest

from tests.cards.math.described import assert_reads


@pytest.mark.parametrize(
    ("tex", "tree"),
    [
        ("x_i^2", "(scripts x i 2)"),
        ("x^2_i", "(scripts x i 2)"),
        ("x_{i,j}", "(scripts x [i , j] _)"),
        (r"f'", "(scripts f _ ′)"),
        (r"f''_2^2", "(scripts f 2 [′ ′ 2])"),
        (r"f^\prime", "(scripts f _ ′)"),
        (r"x'^2", "(scripts x _ [′ 2])"),
        ("{}^2", "(scripts _ _ 2)"),
        ("^2_3x", "[(scripts _ 3 2) x]"),
        (r"\sum_{i=1}^n", "(scripts <∑*> [i = 1] n)"),
        (r"\int\limits_0^1", "(scripts.limits <∫> 0 1)"),
        (r"\sum\nolimits_i", "(scripts.nolimits <∑*> i _)"),
        (r"\lim_{x\to0}", "(scripts <lim*> [x → 0] _)"),
        ("x²₁", "(scripts x 1 2)"),
        ("x₁₂", "(scripts x [1 2] _)"),
        (r"x^\frac12", "(scripts x _ (frac 1 2))"),
        (r"x_\text{max}", r"(scripts x (text 'max') _)"),
        ("x ^ {2}", "(scripts x _ 2)"),
        ("{x_a}_b", "(scripts (scripts x a _) b _)"),
        ("x^{}", "x"),
        (r"\bar x^2", "(scripts (bar x) _ 2)"),
        (r"f'(x)", "[(scripts f _ ′) ( x )]"),
        (r"\max\limits_x", "(scripts.limits <max*> x _)"),
        (r"\hat{x}_i", "(scripts (hat x) i _)"),
        ("x^*", "(scripts x _ *)"),
    ],
)
def test_scripts(tex: str, tree: str) -> None:
    """Scripts in any order, primes, limits, and Unicode's own raised digits hang on one base."""
    assert_reads(tex, tree)


@pytest.mark.parametrize(
    ("tex", "tree"),
    [
        (r"\frac12", "(frac 1 2)"),
        (r"\frac{a+b}c", "(frac [a + b] c)"),
        (r"\dfrac ab\tfrac ab", "[(frac.display a b) (frac.text a b)]"),
        (r"\cfrac[l]{1}{2}", "(frac.display 1 2)"),
        (r"\binom nk\dbinom nk", "[((over) n k) ((over.display) n k)]"),
        (r"a\over b", "(frac a b)"),
        (r"{n\choose k}", "((over) n k)"),
        (r"{a\atop b}{a\brace b}{a\brack b}", "[(over a b) ({over} a b) ([over] a b)]"),
        (r"{a\above0pt b}{a\above1pt b}", "[(over a b) (frac a b)]"),
        (r"\genfrac\{]{0pt}{0}{a}{b}", "({over.display] a b)"),
        (r"\genfrac(){}{}ab", "((frac) a b)"),
        (r"1+{x+1\over 2}+3", "[1 + (frac [x + 1] 2) + 3]"),
        (r"\displaystyle a\over b", "(frac (display a) b)"),
        (r"\sqrt2", "(root 2)"),
        (r"\sqrt[3]{x}", "(root x 3)"),
        (r"\sqrt\frac12", "(root (frac 1 2))"),
        (r"\sqrt[\alpha]x", "(root x α)"),
        (r"\root 3 \of x", "(root x 3)"),
        (r"\left(a\over b\right)", "(fence ( (frac a b) ))"),
        (r"\mathchoice{D}{T}{S}{SS}", "(choice D T S [S S])"),
    ],
)
def test_fractions(tex: str, tree: str) -> None:
    """Fractions, binomials and roots, as arguments and as infix commands."""
    assert_reads(tex, tree)


@pytest.mark.parametrize(
    ("tex", "tree"),
    [
        (r"\left(x\right)", "(fence ( x ))"),
        (r"\left.x\right|", "(fence . x |)"),
        (r"\left\{x\middle|y\right\}", "(fence { x | y })"),
        (r"\left<x\right>", "(fence ⟨ x ⟩)"),
        (r"\left\lVert x\right\rVert", "(fence ‖ x ‖)"),
        (r"\left(\left[a\right]\right)", "(fence ( (fence [ a ]) ))"),
        (r"\bigl(x\Bigr)", "[(! x )!!]"),
        (r"\big|\Big\langle\bigg\}\Biggm/", "[|! ⟨!! }!!! /!!!!]"),
        (r"\big.x", "x"),
        (r"\Big{(}", "(!!"),
        (r"\left\lfloor x\right\rfloor^2", "(scripts (fence ⌊ x ⌋) _ 2)"),
        (
            r"\bra\psi\ket\phi\braket{a|b}",
            "[(class.inner [⟨ ψ |]) (class.inner [| ϕ ⟩]) (class.inner [⟨ [a | b] ⟩])]",
        ),
        (r"\Braket{a|b|c}", "(fence ⟨ a | b | c ⟩)"),
        (r"\Set{x|x<1}", "(fence { x | [x < 1] })"),
        (r"\set{x}", "[{ ~0.167 x ~0.167 }]"),
        (r"\left(a\middle/b\middle/c\right)", "(fence ( a / b / c ))"),
    ],
)
def test_delimiters(tex: str, tree: str) -> None:
    """Delimiters that stretch, those of a fixed size, and brackets of physics and sets."""
    assert_reads(tex, tree)


@pytest.mark.parametrize(
    ("tex", "tree"),
    [
        (r"\hat x\widehat{xy}", "[(hat x) (widehat~ [x y])]"),
        (r"\bar x\overline{xy}\underline x", "[(bar x) (overline~ [x y]) (underline~.under x)]"),
        (
            r"\vec x\overrightarrow{AB}\underleftarrow{AB}",
            "[(vec x) (overrightarrow~ [A B]) (underleftarrow~.under [A B])]",
        ),
        (r"\dot x\ddot x\dddot x", "[(dot x) (ddot x) (dddot x)]"),
        (
            r"\overbrace{a+b}^n\underbrace{c}_{k}",
            "[(scripts (over.brace [a + b]) _ n) (scripts (under.brace c) k _)]",
        ),
        (
            r"\overbracket{a}\underparen b\overgroup c\underlinesegment d",
            "[(over.bracket a) (under.paren b) (over.paren c) (under.line d)]",
        ),
        (
            r"\overset{!}{=}\underset*x\stackrel{d}{=}",
            "[(stack.rel = ! _) (stack.ord x _ *) (stack.rel = d _)]",
        ),
        (r"\underset{x}{\arg\min}", "(stack.op [<arg> <min*>] _ x)"),
        (r"\stackrel[a]{b}{\to}", "(stack.rel → b a)"),
        (r"\overunderset{a}{b}{=}", "(stack.rel = a b)"),
        (r"\xrightarrow{f}\xleftarrow[g]{}", "[(arrow→ f _) (arrow← _ g)]"),
        (
            r"\cancel x\bcancel x\xcancel x\cancelto0x",
            "[(cancel x) (bcancel x) (xcancel x) (scripts (cancel x) _ 0)]",
        ),
        (r"\boxed{x}\fbox{a $b$}", r"[(box x) (box (text 'a ' b))]"),
        (
            r"\phantom x\hphantom x\vphantom x\smash[b]x",
            "[(phantom x) (hphantom x) (vphantom x) (smash x)]",
        ),
        (r"\mathllap x\rlap{ab}", r"[(lap x) (lap (text 'ab'))]"),
        (r"\sout{x}\angl n\phase{3}", "[(strike x) (angle n) (phase 3)]"),
        (r"\underbar X", "(underline~.under X)"),
        (r"\buildrel def\over=", "(stack.rel = [d e f] _)"),
    ],
)
def test_accents(tex: str, tree: str) -> None:
    """Marks over, under and around a row."""
    assert_reads(tex, tree)
