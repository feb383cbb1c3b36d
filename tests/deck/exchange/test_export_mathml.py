"""LaTeX as MathML: every letter of it, in elements that fit into one another."""

from __future__ import annotations

import importlib.util
import json
from collections import Counter
from types import ModuleType
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards.math import parse
from deck.exchange.export.mathml import mathml
from tests.paths import SHARED


def _score() -> ModuleType:
    spec = importlib.util.spec_from_file_location("score", SHARED / "math" / "score.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tags(tex: str, display: bool = True) -> str:
    """The elements of a formula without their attributes."""
    tree = ElementTree.fromstring(mathml(parse(tex), display))

    def written(node: ElementTree.Element) -> str:
        return f"{node.tag}({(node.text or '') + ','.join(map(written, node))})"

    return ",".join(map(written, tree))


@pytest.mark.skipif(not (SHARED / "math").is_dir(), reason="the shared formulas are not here")
def test_the_notes_formulas_are_all_there_letter_by_letter() -> None:
    score, wrong, rarer = _score(), [], 0
    for line in (SHARED / "math" / "formulas.jsonl").read_text("utf-8").splitlines():
        entry = json.loads(line)
        tree = ElementTree.fromstring(mathml(parse(entry["tex"]), entry["display"]))
        if score.letters("".join(tree.itertext())) != Counter(entry["letters"]):
            wrong += [entry["tex"]] if entry["set"] != "katex" else []
            rarer += 1
    assert not wrong
    assert rarer <= 10  # phantoms, which are there and not seen, are among KaTeX's own examples


@pytest.mark.parametrize(
    ("tex", "shown"),
    [
        ("x_{12}", "msub(mi(x),mn(12))"),
        ("3.14a", "mrow(mn(3.14),mi(a))"),
        (r"\frac12", "mfrac(mn(1),mn(2))"),
        (r"\sum_{i}^n", "munderover(mo(∑),mi(i),mi(n))"),
        (r"\sqrt[3]{x}", "mroot(mi(x),mn(3))"),
        (r"\mathrm{ReLU}", "mi(ReLU)"),
        (r"\mathbb{R}\mathbf{x}", "mrow(mi(ℝ),mi(𝐱))"),
        (r"\hat{x}", "mover(mi(x),mo(^))"),
        (r"a \\ b", "mtable(mtr(mtd(mi(a))),mtr(mtd(mi(b))))"),
        (r"\text{a $x$}", "mrow(mtext(a\xa0),mi(x))"),
        (r"\nosuch", "merror(mtext(nosuch))"),
        ("f'", "msup(mi(f),mo(′))"),
    ],
)
def test_each_part_has_its_element(tex: str, shown: str) -> None:
    assert tags(tex) == shown


def test_limits_stand_beside_their_operator_within_a_line() -> None:
    assert tags(r"\sum_i", display=False) == "msub(mo(∑),mi(i))"
    assert tags(r"\max_i", display=False) == "msub(mi(max),mi(i))"
    assert tags(r"\sum\limits_i", display=False) == "munder(mo(∑),mi(i))"
    assert tags(r"\int_0^1") == "msubsup(mo(∫),mn(0),mn(1))"


def test_a_sign_is_no_subtraction() -> None:
    assert '<mo form="prefix">−</mo>' in mathml(parse("a = -b"), False)
    assert '<mo form="prefix">' not in mathml(parse("a - b"), False)


def test_environments_are_tables() -> None:
    html = mathml(parse(r"\begin{array}{l|r} a & b \\ \hline c & d \end{array}"), True)
    assert html.count("<mtr>") == 2
    assert "border-left:1px solid" in html
    assert "border-top:1px solid" in html
    assert "text-align:right" in html
    aligned = mathml(parse(r"\begin{align} a &= b \tag{7} \end{align}"), True)
    assert 'displaystyle="true"' in aligned
    assert "7" in aligned


@given(st.text(st.sampled_from(list("\\{}[]^_&$<>\"'xα1 -=")) | st.characters(codec="utf-8")))
def test_any_text_becomes_whole_elements(tex: str) -> None:
    html = mathml(parse(tex), True)
    ElementTree.fromstring("".join(char if char.isprintable() else " " for char in html))


@pytest.mark.parametrize("tex", ["\\frac{" * 900 + "}" * 900, "x^{" * 900, "\\left(" * 900])
def test_depth_is_bounded(tex: str) -> None:
    ElementTree.fromstring(mathml(parse(tex), True))
