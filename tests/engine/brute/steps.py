"""Sides of derivations changed at one place: does the mark say what loops over the numbers say?

Two sides of a line that follow are the same on all inputs; one of them with a change follows
exactly if loops over its entries come to the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any, Final

import numpy as np

from engine.formula import tree as t
from engine.formula.tree import OffsetError
from engine.messages.answer import Read
from engine.messages.side import FEW, Side, judgement
from tests.engine.brute.given import Interpreter, Tables, UnsupportedError
from tests.engine.brute.mutants import changed
from tests.engine.cases import made, table

#: So many inputs are looped over: what they agree on, the engine may still refute.
_POINTS: Final = 40
_NEAR: Final = 1e-7


def sides() -> Iterator[Side]:
    """Every side that follows, of right derivations, and that loops can evaluate."""
    for row in table("derivations"):
        if row["kind"] not in ("derivative", "parts", "value"):
            continue
        for text in row["right"]:
            for side in made(row["exercise"]).grader().steps(text):
                if not isinstance(side, Side) or side.mark != "follows" or side.reading is None:
                    continue
                read: Read = side.reading.formula
                if side.is_equal and not read.steps and not read.definitions:
                    yield side


def mutants(every: int = 1) -> Iterator[tuple[Side, Side]]:
    """A side that follows, with one that is changed at a place, if that means something."""
    for n, (side, body) in enumerate((s, b) for s in sides() for b in changed(_body(s))):
        if n % every == 0:
            assert side.reading is not None
            read = replace(side.reading.formula, body=body, echo=f"mutant {n}")
            yield side, replace(side, reading=replace(side.reading, formula=read))


def _body(side: Side) -> t.Node:
    assert side.reading is not None
    body: t.Node = side.reading.formula.body
    return body


def disagreements(every: int = 1, most: int = 1_000) -> tuple[int, list[str]]:
    """How many mutants were tried, and those whose mark brute force contests."""
    tried, off = 0, []
    for side, mutant in mutants(every):
        try:
            same = _same(side, mutant)
            mark = judgement(mutant)
        except (UnsupportedError, OffsetError, KeyError, ArithmeticError):
            continue  # no formula: two sums over one letter, a place that there is not
        if same is None or mark == "unchecked":
            continue
        tried += 1
        # Loops refute on their inputs alone; where they do not, the engine may know better.
        if mark == "follows" and not same:
            off.append(f"{side.read}: changed to {_body(mutant)} it follows")
        if tried == most:
            break
    return tried, off


def _same(side: Side, mutant: Side) -> bool | None:
    """Whether both come to the same numbers on some inputs; None where neither has any."""
    assert side.exercise is not None
    assert side.reading is not None
    batch = side.exercise.drawn(0, FEW)[0]
    told = False
    left_out = side.reading.target.reference(batch)
    for n in range(min(_POINTS, len(batch))):
        if left_out.left_out[n] or left_out.met[n]:
            continue
        tables = _tables(batch.values, n)
        letters = side.reading.formula.indices
        shape = side.reading.target.shape(batch.shapes)
        for at in product(*map(range, shape)):
            scope = dict(zip(letters, map(float, at), strict=True))
            values = [
                Interpreter((), tables, batch.letters).number(_body(one), scope)
                for one in (side, mutant)
            ]
            if not all(map(math.isfinite, values)):
                continue
            told = True
            if abs(values[0] - values[1]) > _NEAR * max(1.0, *map(abs, values)):
                return False
    return True if told else None


def _tables(values: Any, n: int) -> Tables:
    found: Tables = {}
    for name, array in values.items():
        one = np.asarray(array)
        one = one[min(n, len(one) - 1)] if one.ndim else one
        found[name] = {tuple(at): float(one[tuple(at)]) for at in np.ndindex(one.shape)}
    return found
