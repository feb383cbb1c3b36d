"""What lint says about the formulas of a card, and where."""

from __future__ import annotations

import pytest

from cards import lint_card

HEAD = "---\nid: a\nmacros:\n  own: x #1\n---\n# Question\n"


def said(question: str, macros: dict[str, str] | None = None) -> list[tuple[int, int, str]]:
    problems = lint_card(f"{HEAD}{question}\n\n# Solution\ns\n", None, macros)
    assert all(problem.hint for problem in problems)
    return [(problem.line, problem.column, problem.severity) for problem in problems]


@pytest.mark.parametrize(
    ("question", "places"),
    [
        ("so $\\frac{1}{2$ it", [(7, 13)]),
        ("so\n\n$$\n\\foo + 1\n$$", [(10, 1)]),
        ("> - \\(a^2 \\foo\\)", [(7, 11)]),
        ("| a |\n|---|\n| $\\foo$ |", [(9, 4)]),
        ("\\begin{align}\na &= \\foo\n\\end{align}", [(8, 6)]),
        ("```math\n\\foo\n```", [(8, 1)]),
        ("`$\\foo$`\n\n```\n$\\foo$\n```\n\n\\$\\foo$", []),
        ("$\\own{y}$ and $$\\def\\later{1}$$ and $\\later$", []),
        ("{{c1::$\\frac12$}} $x = {{c2::\\frac{1}{2}::hint}}$", []),
    ],
)
def test_a_formula_that_cannot_be_read_is_said_with_its_place(
    question: str, places: list[tuple[int, int]]
) -> None:
    assert said(question) == [(line, column, "warning") for line, column in places]


def test_the_collections_macros_count() -> None:
    assert said("$\\mine$") == [(7, 2, "warning")]
    assert said("$\\mine$", {"\\mine": "\\mathbb{R}"}) == []


def test_an_invisible_character_is_a_hint() -> None:
    assert said("a\u200bb\u00ad") == [(7, 2, "hint")]
