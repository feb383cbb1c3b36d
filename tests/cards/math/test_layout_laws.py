"""What holds for the picture of every formula: collected, mutated ones, hostile ones."""

from __future__ import annotations

import random

import pytest
from rich.cells import cell_len

from cards.math import Box, layout, typeset
from cards.math.typesetter.spacing import SETTINGS, Mode
from tests.cards.math.mutations import mutated
from tests.material import each_corpus

MODES: tuple[Mode, ...] = tuple(SETTINGS)

HOSTILE = {
    "braces": "{" * 5000 + "x" + "}" * 5000,
    "open braces": "x^{" * 5000,
    "scripts": "x^{" * 200 + "y" + "}" * 200,
    "both scripts": "x^{x_{" * 100 + "Q" + "}}" * 100,
    "fractions": r"\frac{1}{" * 200 + "x" + "}" * 200,
    "fractions both ways": r"\frac{\frac{a}{b}}{" * 100 + "x" + "}" * 100,
    "roots": r"\sqrt[3]{x+" * 200 + "}" * 200,
    "delimiters": r"\left(" * 5000 + "x" + r"\right)" * 5000,
    "accents": r"\widehat{" * 500 + "xy" + "}" * 500,
    "environments": r"\begin{matrix}" * 100 + "x" + r"\end{matrix}" * 100,
    "ragged grid": r"\begin{matrix}" + "&" * 1500 + r"\\" * 1500 + r"\end{matrix}",
    "tall by wide": r"\substack{" + r"a\\" * 1000 + "}" + "xy" * 1000,
    "sized delimiters": r"\Big(" * 1000 + r"\frac ab",
    "integrals": r"\int_Q" * 1000 + r"\frac ab",
    "spaces": r"\hspace{1000000em}" * 100,
    "bars": "|" * 2000,
}


def assert_sound(box: Box) -> None:
    for row in box.rows:
        assert cell_len(row) == box.width
    assert 0 <= box.baseline < len(box.rows)
    for mark in box.marks:
        assert 0 <= mark.row < len(box.rows)
        assert 0 <= mark.start < mark.end <= box.width


@each_corpus
@pytest.mark.parametrize("mode", MODES)
def test_every_row_is_exactly_as_wide_as_its_box(mode: Mode, corpus: list[str]) -> None:
    for tex in corpus:
        box = layout(tex, mode=mode)
        assert_sound(box)
        assert box.copy == tex
        assert mode != "line" or len(box.rows) == 1


@each_corpus
@pytest.mark.parametrize("width", [20, 60])
def test_a_wrapped_formula_has_rows_of_one_width_too(width: int, corpus: list[str]) -> None:
    for tex in corpus[::2]:
        assert_sound(layout(tex, width=width))


@each_corpus
def test_a_mutated_formula_is_drawn_all_the_same(corpus: list[str]) -> None:
    chance = random.Random(2026)
    for _ in range(700):
        tex = mutated(chance, corpus)
        assert_sound(layout(tex, mode=chance.choice(MODES), width=chance.choice((None, 40))))


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("mode", MODES)
def test_a_hostile_formula_is_drawn_all_the_same(name: str, mode: Mode) -> None:
    box = layout(HOSTILE[name], mode=mode, width=80)
    assert_sound(box)
    assert box.width * len(box.rows) <= 500_000


@each_corpus
def test_typeset_is_the_box_without_blanks_at_the_ends(corpus: list[str]) -> None:
    for tex in corpus[:100]:
        rows = layout(tex).rows
        assert typeset(tex) == "\n".join(row.rstrip(" ") for row in rows)


def test_display_is_inline_or_not() -> None:
    assert typeset(r"\frac{a}{b}", display=False) == "a/b"
    assert typeset(r"\frac{a}{b}", display=True) == "a\n─\nb"


def test_macros_are_the_callers() -> None:
    assert typeset(r"x \in \R", macros={r"\R": r"\mathbb{R}"}) == "x ∈ ℝ"
