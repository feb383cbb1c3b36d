r"""Whatever is pasted: a formula or a FormulaError with a place in it, and never a pause."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.formula import reader as formula
from engine.formula.tree import Formula, FormulaError
from engine.latex.transcribe import read
from tests.material import answers, each_corpus

ANSWERS = [entry["answer"] for _, entry in answers("latex")]
PIECES = [r"\frac{", r"\sum_{", r"\begin{cases}", r"\end{cases}", "&", r"\\", "^*", "_{kl}", "}"]
PIECES += [r"\text{if }", r"\arg\max", r"\left(", r"\right)", "|", "{", "=", r"\quad", r"\partial"]


def outcome(tex: str) -> Formula | FormulaError:
    try:
        return read(tex)
    except FormulaError as error:
        return error


def refused_or_read(tex: str) -> None:
    found = outcome(tex)
    if isinstance(found, FormulaError):
        lines = tex.split("\n")
        assert 1 <= found.line <= len(lines)
        assert 1 <= found.column <= len(lines[found.line - 1]) + 1
        assert found.message
        assert found.hint
    else:
        assert formula.read(found.echo).tree == found.tree


@pytest.mark.material
@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_mutated_answer_is_read_or_refused_with_a_place(data: st.DataObject) -> None:
    tex = data.draw(st.sampled_from(ANSWERS))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(tex)))
        end = data.draw(st.integers(start, min(len(tex), start + 4)))
        tex = tex[:start] + data.draw(st.sampled_from(["", *PIECES])) + tex[end:]
    refused_or_read(tex)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from([*PIECES, *"ijklx123+-=(,) \n"]), max_size=40).map("".join))
def test_any_pieces_are_read_or_refused_with_a_place(tex: str) -> None:
    refused_or_read(tex)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_with_a_place(tex: str) -> None:
    refused_or_read("\\" + tex)


@each_corpus
def test_formulas_that_are_no_answers_are_refused_with_a_place(corpus: list[str]) -> None:
    for tex in corpus:
        refused_or_read(tex)


@pytest.mark.parametrize(
    "tex", ["{" * 3000, r"\frac{" * 600, r"\left(" * 500, "x^" * 1900 + "x"], ids=len
)
def test_deep_nesting_is_refused(tex: str) -> None:
    with pytest.raises(FormulaError):
        read(tex)
