"""An answer's numbers on a batch of inputs, and what grades them."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from engine.exercise import Grader
from engine.formula import tree as t
from engine.formula.axes import BATCH, Array, Axed, Axes, constant
from engine.formula.tree import NUMBERS
from engine.messages.answer import Read
from engine.messages.autodiff import Duals, OmittedTerms
from engine.messages.borders import Borders
from engine.messages.dual import Dual, DualArray
from engine.messages.judge import JudgedMessage
from engine.messages.model import Batch
from engine.messages.shapes import extent
from engine.messages.spec import Task
from engine.messages.targets import Target


def _is_term(node: t.Node) -> bool:
    """Whether an entry of a Jacobian is one product, as W[j-i] that is 0 beyond W's range."""
    if isinstance(node, t.Arithmetic):
        return node.op in ("*", "/") and _is_term(node.left) and _is_term(node.right)
    return isinstance(node, t.Cell | t.Number | t.Name)


def evaluate(
    read: Read,
    batch: Batch,
    borders: Borders | None = None,
    ties: list[tuple[Axed, Axed]] | None = None,
) -> Array:
    """The answer's numbers: (B, a dimension for each of its indices); NaN where undefined."""
    target, shapes = read.target, {**batch.shapes}
    axes = Axes(len(batch))
    at = [axes.new(size) for size in target.shape(shapes)]
    definitions = {name: d for d in read.definitions for name in d.names}

    def extent_of(name: str, node: t.Reduce) -> int:
        return extent(name, node, shapes, batch.letters, definitions)

    tables = {name: DualArray(np.asarray(value)) for name, value in NUMBERS.items()}
    tables.update({name: DualArray(value) for name, value in batch.values.items()})
    for step in read.steps:
        tables[step] = DualArray(batch.step(step))
        shapes[step] = tables[step].value.shape[1:]
    functions = tuple(f for f in batch.model.forward.functions if f.names[0] not in definitions)
    reach = OmittedTerms()
    duals = Duals(axes, tables, extent_of, (*functions, *read.definitions), reach=reach)
    duals.borders, duals.rounding, duals.ties = borders, batch.rounding, ties
    if batch.unmoved is not None:
        duals.told = iter(_ties(read, batch.unmoved))
    scope = {name: Dual(index) for name, index in zip(read.indices, at, strict=True)}
    if target.jacobian and _is_term(read.body):
        value = reach.term(duals, read.body, scope, constant(True)).value
    else:
        value = duals.dual(read.body, scope).value
    read.beyond.update(reach.names)
    order = (BATCH, *(axis for index in at for axis in index.axes))
    return np.ascontiguousarray(axes.full(value, order).data, dtype=np.float64)


@lru_cache(maxsize=1)
def _ties(read: Read, batch: Batch) -> list[tuple[Axed, Axed]]:
    """How the answer's comparisons turn out: one set of inputs is rounded in several ways."""
    found: list[tuple[Axed, Axed]] = []
    evaluate(read, batch, ties=found)
    return found


@dataclass(frozen=True, eq=False)
class MessageGrader(Grader[Batch, Target, JudgedMessage], ABC):
    """Grades answers to what is asked of a forward message."""

    task: Task
