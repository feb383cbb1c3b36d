"""What was read is written out, in our notation and in LaTeX, and reads back to the same tree."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards.math import parse, typeset
from engine.formula import tree as t
from engine.formula.tree import FormulaError
from engine.messages.answer import Read
from engine.pooling import reader as formula
from engine.pooling.reader import read
from tests.engine.cases import read_latex, table, typeset_answer, written
from tests.material import Entry, answers

INDICES: st.SearchStrategy[t.Node] = st.builds(
    t.Name, st.sampled_from(["i", "j", "k", "l", "kh", "Wo"])
)
# delta[i,k] is refused as Kronecker's: it takes a row and a column.
ROWS: st.SearchStrategy[t.Node] = st.builds(t.Name, st.sampled_from(["i", "k", "kh"]))
COLUMNS: st.SearchStrategy[t.Node] = st.builds(t.Name, st.sampled_from(["j", "l", "Wo"]))
PAIRS = st.tuples(INDICES, INDICES)
LEAVES: st.SearchStrategy[t.Node] = st.one_of(
    INDICES,
    st.builds(t.Number, st.sampled_from([0.0, 1.0, 2.0, 0.5, 1e-6, 1e21])),
    st.builds(t.Cell, st.sampled_from(["x", "f"]), PAIRS),
    st.builds(t.Cell, st.just("delta"), st.tuples(ROWS, COLUMNS)),
    st.builds(t.Over, st.sampled_from(["max", "min", "sum", "mean"]), st.builds(t.Window, PAIRS)),
    st.just(t.Over("max", t.Name("x"))),
)
SETS: st.SearchStrategy[t.Node] = st.one_of(
    st.builds(t.Window, PAIRS),
    st.builds(t.Windows, PAIRS),
    st.builds(lambda pair: t.Over("argmax", t.Window(pair)), PAIRS),
)


def _conditions(numbers: st.SearchStrategy[t.Node]) -> st.SearchStrategy[t.Node]:
    compared: st.SearchStrategy[t.Node] = st.one_of(
        st.builds(
            lambda op, a, b: t.Comparison((op,), (a, b)),
            st.sampled_from(["==", "!=", "<", "<=", ">", ">="]),
            numbers,
            numbers,
        ),
        st.builds(lambda a, b, c: t.Comparison(("<=", "<"), (a, b, c)), numbers, numbers, numbers),
        st.builds(
            lambda op, pair, held: t.Comparison((op,), (t.Pair(pair), held)),
            st.sampled_from(["in", "not in"]),
            st.tuples(numbers, numbers),
            SETS,
        ),
    )
    # "and" holds "or" and not "and": a chain of one operator is one node.
    either = st.builds(lambda a, b: t.Logic("or", (a, b)), compared, compared)
    inner = st.one_of(compared, either, st.builds(t.Not, st.one_of(compared, either)))
    # None and some of a window: all(C for ...), any(C for ...).
    counted = st.builds(
        lambda op, test, held: t.Comparison(
            (op,), (t.Reduce("count", test, (t.Binder(("p", "q"), held),), None), t.Number(0.0))
        ),
        st.sampled_from(["==", ">"]),
        st.one_of(inner, st.builds(t.Not, inner)),
        SETS,
    )
    inner = st.one_of(inner, counted)
    return st.one_of(inner, st.builds(lambda a, b: t.Logic("and", (a, b)), inner, inner))


def _larger(numbers: st.SearchStrategy[t.Node]) -> st.SearchStrategy[t.Node]:
    conditions = _conditions(numbers)
    binders: st.SearchStrategy[tuple[t.Binder, ...]] = st.one_of(
        st.just((t.Binder(("k", "l"), None),)),
        st.builds(lambda held: (t.Binder(("p", "q"), held),), SETS),
        st.builds(
            lambda a, b: (t.Binder(("k",), t.Range(a, b)), t.Binder(("l",), None)), numbers, numbers
        ),
    )
    some = st.one_of(st.none(), conditions)
    return st.one_of(
        st.builds(t.Arithmetic, st.sampled_from(list("+-*/%^")), numbers, numbers),
        st.builds(t.Negative, numbers),
        st.builds(t.Indicator, conditions),
        st.builds(t.Choice, conditions, numbers, numbers),
        st.builds(lambda f, a: t.Apply(f, (a,)), st.sampled_from(["abs", "exp", "relu"]), numbers),
        st.builds(lambda a: t.Apply("max", (a, t.Number(1.0))), numbers),
        st.builds(t.Reduce, st.sampled_from(["sum", "max"]), numbers, binders, some),
        st.builds(lambda e, b: t.Reduce("count", e, b, None), conditions, binders),
        st.builds(lambda a, b: t.Cell("x", (a, b)), numbers, numbers),
    )


@given(st.recursive(LEAVES, _larger, max_leaves=12))
def test_the_echo_of_any_tree_reads_back_to_it(body: t.Node) -> None:
    answer = replace(read("df[k,l]/dx[i,j] = 1"), body=body)

    assert read(written(answer)).body == body


def reading(entry: Entry, reader: Any) -> Read | None:
    try:
        found: Read = reader(entry["answer"])
    except FormulaError:
        return None
    return found


READ = [
    pytest.param(found, id=name, marks=pytest.mark.material)
    for kind, reader in (("formula", formula.read), ("latex", read_latex))
    for name, entry in answers(kind)
    if (found := reading(entry, reader)) is not None
]


@pytest.mark.parametrize("read", READ)
def test_every_answer_that_is_read_is_typeset_without_a_problem(read: Read) -> None:
    written = typeset_answer(read)
    assert not parse(written).problems
    assert "∂" in typeset(written)


@pytest.mark.parametrize("read", READ)
def test_what_is_typeset_reads_back_to_the_same_tree(read: Read) -> None:
    try:
        again = read_latex(typeset_answer(read))
    except FormulaError:
        # Some things have no notation on paper that is read without doubt.
        assert any(word in read.echo for word in ("count", "argmax(x)"))
    else:
        # On paper 1e-06 is a power of 10.
        assert again == read or again.echo == read.echo.replace("1e-06", "10^(-6)")


@pytest.mark.parametrize(("typed", "written"), table("readings")["typeset"])
def test_brackets_and_signs_are_those_of_print(typed: str, written: str) -> None:
    assert written in typeset_answer(formula.read(typed))


def test_cases_within_cases_are_one_list() -> None:
    read = formula.read("dx[i,j] = 1 if i == 0 else 2 if j == 0 else 3")
    assert typeset_answer(read).count(r"\\") == 2
