"""An answer's numbers on a batch of inputs."""

from __future__ import annotations

import numpy as np

from engine.formula.axes import Array, Axed, Axes, constant
from engine.formula.tree import Arithmetic, Cell, Name, Node, Number, Reduce
from engine.given.arrays import BATCH
from engine.given.batch import Batch
from engine.given.borders import Borders
from engine.given.dual import Dual, Table
from engine.given.duals import Duals
from engine.given.extents import extent
from engine.given.reach import Reach
from engine.given.settle import Read
from engine.given.vocabulary import NUMBERS


def _is_term(node: Node) -> bool:
    """Whether an entry of a Jacobian is one product, as W[j-i] that is 0 beyond W's range."""
    if isinstance(node, Arithmetic):
        return node.op in ("*", "/") and _is_term(node.left) and _is_term(node.right)
    return isinstance(node, Cell | Number | Name)


def evaluate(
    read: Read,
    batch: Batch,
    borders: Borders | None = None,
    ties: list[tuple[Axed, Axed]] | None = None,
) -> Array:
    """The answer's numbers: (B, a dimension for each of its indices); NaN where undefined."""
    target, shapes = read.target, {**batch.shapes}
    axes = Axes(len(batch))
    own = (*(() if target.upstream else shapes[target.above]), *shapes[target.below])
    letters = target.indices
    if target.diagonal and not read.full:
        sizes = dict(zip(letters, own, strict=True))
        letters = tuple(dict.fromkeys(letters))
        own = tuple(sizes[letter] for letter in letters)
    at = [axes.new(size) for size in own]
    definitions = {name: d for d in read.definitions for name in d.names}

    def extent_of(name: str, node: Reduce) -> int:
        return extent(name, node, shapes, batch.letters, definitions)

    tables = {name: Table(np.asarray(value)) for name, value in NUMBERS.items()}
    tables.update({name: Table(value) for name, value in batch.values.items()})
    for step in read.steps:
        tables[step] = Table(batch.step(step))
        shapes[step] = tables[step].value.shape[1:]
    functions = tuple(f for f in batch.model.forward.functions if f.names[0] not in definitions)
    reach = Reach()
    duals = Duals(axes, tables, extent_of, (*functions, *read.definitions), reach=reach)
    duals.borders, duals.rounding, duals.ties = borders, batch.rounding, ties
    if batch.unmoved is not None:
        found: list[tuple[Axed, Axed]] = []
        evaluate(read, batch.unmoved, ties=found)
        duals.told = iter(found)
    scope = {name: Dual(index) for name, index in zip(read.indices, at, strict=True)}
    if target.jacobian and _is_term(read.body):
        value = reach.term(duals, read.body, scope, constant(True)).value
    else:
        value = duals.dual(read.body, scope).value
    read.beyond.update(reach.names)
    order = (BATCH, *(axis for index in at for axis in index.axes))
    return np.ascontiguousarray(axes.full(value, order).data, dtype=np.float64)
