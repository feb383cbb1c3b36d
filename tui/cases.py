"""A counterexample of named arrays as titled grids, for the screens and the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine import Verdict
    from engine.verdict import Case, Numbers

#: What the answer is where the one condition that it fails under does not hold.
_ONLY = {
    "an input lies in no window": "✗ right wherever windows cover the input, wrong at what is left "
    "over beside them"
}
_KINKS = "✗ right, except where the derivative does not exist"


@dataclass(frozen=True, slots=True)
class Block:
    title: str
    rows: list[list[float]]
    marks: frozenset[tuple[int, int]] = frozenset()
    """The (row, column) of the cells to point at."""


def blocks(case: Case) -> list[Block]:
    """Every input, what the forward message comes to, the answer and what is expected."""
    inputs = [Block(name, grid(values)) for name, values in case.inputs.items()]
    values = [Block(name, grid(values)) for name, values in case.values.items()]
    marks = frozenset(_place(case.yours, cell) for cell in case.cells)
    yours = Block(f"{case.target}, yours", grid(case.yours), marks)
    return [*inputs, *values, yours, Block(f"{case.target}, expected", grid(case.expected))]


def title(case: Case) -> str:
    """ "smallest case:", with the place that is farthest off."""
    if not case.indices or not case.cells:
        return "smallest case:"
    at = ", ".join(
        f"{letter} = {place}" for letter, place in zip(case.indices, case.cells[0], strict=True)
    )
    return f"smallest case (off at {at}):"


def grid(values: Numbers) -> list[list[float]]:
    """Any array as rows: a number is one cell, a vector one row, more than two axes more rows."""
    nested: Any = values
    if not isinstance(nested, list):
        return [[nested]]
    if not nested or not isinstance(nested[0], list):
        return [list(nested)]
    return [row for part in nested for row in (grid(part))]


def _place(values: Numbers, cell: Sequence[int]) -> tuple[int, int]:
    """Where a cell of an array stands in its grid."""
    row = 0
    nested: Any = values
    for index in cell[:-1]:
        row += sum(len(grid(part)) for part in nested[:index])
        nested = nested[index]
    return row, cell[-1] if cell else 0


def asked(verdict: Verdict) -> str:
    """What the answer is the answer to, "dx" or "dy[k]/dx[j]"; of a function, its numbers say."""
    shown = verdict.counterexample
    if shown is not None:
        return shown.target
    return verdict.read.rpartition("\n")[2].partition("=")[0].strip()


def parts(verdict: Verdict) -> list[tuple[str, str]]:
    """Of a chain, the side that is not right; of several parts, which are right, and which not."""
    step = "this step" if verdict.verdict == "wrong-step" else "it goes wrong at"
    right = verdict.parts if verdict.open else ()
    rows = ((step, verdict.step), ("right", ", ".join(right)), ("open", ", ".join(verdict.open)))
    return [(head, said) for head, said in rows if said]


def sentence(verdict: Verdict, sentences: dict[str, str]) -> str:
    """The verdict in words: beside max pooling there are kinks, not only ties.

    Left-over pixels are told apart from what is wrong everywhere.
    """
    from engine.verdict import Case

    shown = verdict.counterexample
    count = len(verdict.parts) + len(verdict.open)
    if verdict.verdict == "correct" and count:
        return f"{sentences['correct']}: all {count} parts"
    if verdict.verdict == "incomplete":
        return f"{sentences['incomplete']}, {len(verdict.parts)} of {count} parts"
    if verdict.verdict == "wrong" and count:
        return f"{sentences['wrong']}: {asked(verdict)}"
    if verdict.verdict == "correct-except-ties" and isinstance(shown, Case):
        return _KINKS
    if verdict.verdict == "wrong" and len(verdict.wrong_when) == 1:
        return _ONLY.get(verdict.wrong_when[0], sentences["wrong"])
    return sentences[verdict.verdict]
