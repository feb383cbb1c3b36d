"""What was read, as LaTeX: it can be typeset, and it means what was typed."""

from __future__ import annotations

from typing import Any

import pytest

from cards.math import parse, typeset
from engine.formula import reader as formula
from engine.formula.tree import Formula, FormulaError
from engine.formula.unparse import tex_answer
from engine.latex import transcribe as latex
from tests.material import Entry, answers


def reading(entry: Entry, reader: Any) -> Formula | None:
    try:
        found: Formula = reader(entry["answer"])
    except FormulaError:
        return None
    return found


READ = [
    pytest.param(found, id=name, marks=pytest.mark.material)
    for kind, reader in (("formula", formula.read), ("latex", latex.read))
    for name, entry in answers(kind)
    if (found := reading(entry, reader)) is not None
]


@pytest.mark.parametrize("read", READ)
def test_every_answer_that_is_read_is_typeset_without_a_problem(read: Formula) -> None:
    written = tex_answer(read.tree)
    assert not parse(written).problems
    assert "∂" in typeset(written)


@pytest.mark.parametrize("read", READ)
def test_what_is_typeset_reads_back_to_the_same_tree(read: Formula) -> None:
    try:
        again = latex.read(tex_answer(read.tree))
    except FormulaError:
        # Some things have no notation on paper that is read without doubt.
        assert any(word in read.echo for word in ("count", "argmax(x)"))
    else:
        # On paper 1e-06 is a power of 10.
        assert again.tree == read.tree or again.echo == read.echo.replace("1e-06", "10^(-6)")


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("dx[i,j] = kh", "k_{h}"),
        ("dx[i,j] = (x[i,j] + 1) * 2", r"\left(x_{ij} + 1\right) \cdot 2"),
        ("dx[i,j] = x[i,j] - (x[i,j] - 1)", r"x_{ij} - \left(x_{ij} - 1\right)"),
        ("dx[i,j] = -x[i,j]^2", "-x_{ij}^{2}"),
        ("dx[i,j] = x[i+1,j]", "x_{i + 1,j}"),
        ("dx[i,j] = abs(x[i,j])", r"\left|x_{ij}\right|"),
        ("dx[i,j] = i // sh", r"\left\lfloor \frac{i}{s_{h}} \right\rfloor"),
        ("dx[i,j] = sum(x[a,j] for a in range(H))", r"\sum_{a = 0}^{H - 1} x_{aj}"),
        ("dx[i,j] = 2 * sum(x[a,j] for a) * 3", r"\left(2 \cdot \sum_{a} x_{aj}\right) \cdot 3"),
        ("dx[i,j] = 0.5e-9", r"5 \cdot 10^{-10}"),
        ("m = 2\ndx[i,j] = m", r"\begin{aligned} m &= 2 \\"),
    ],
)
def test_brackets_and_signs_are_those_of_print(typed: str, written: str) -> None:
    assert written in tex_answer(formula.read(typed).tree)


def test_cases_within_cases_are_one_list() -> None:
    read = formula.read("dx[i,j] = 1 if i == 0 else 2 if j == 0 else 3")
    assert tex_answer(read.tree).count(r"\\") == 2
