"""What a learner's own lines say: a side that others are compared with, names that they define."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar, Final

import numpy as np

from engine.formula import tree as t
from engine.formula.axes import Array, Mask
from engine.formula.rewrite import inside, rebuilt, renamed
from engine.formula.tree import NUMBERS, OffsetError, children
from engine.messages.answer import Expression, Read
from engine.messages.borders import Borders
from engine.messages.evaluation import MessageGrader, evaluate
from engine.messages.forward import in_order
from engine.messages.model import Batch, Reference
from engine.messages.spec import words_of
from engine.messages.value import ArrayTarget

# -- What a side of a line is compared with, where the message itself does not tell: another side.


#: Of numbers at an optimum this is the least scale: what is far below it may be 0.
_FOUND: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Stated(ArrayTarget):
    """What one side of a line comes to; `above` is how it is called, `lower` has its letters."""

    side: Expression
    title: ClassVar[str] = "the side before it"

    @property
    def key(self) -> str:
        return "~"

    def written(self, indices: tuple[str, ...] | None = None) -> str:
        return ArrayTarget.written(self, indices) if self.above.isidentifier() else self.above

    def shape(self, shapes: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
        return tuple(shapes[array][place] for array, place in self.side.places)

    # What it comes to: the numbers stand where those of a derivative would.

    def reference(self, batch: Batch) -> Reference:
        found = ArrayTarget.reference(self, batch)
        if not batch.model.aim:
            return found
        # What vanishes at an optimum is 0 there as far as one is found.
        return replace(found, gain=np.maximum(found.gain, _FOUND))

    def values(self, batch: Batch) -> Array:
        with np.errstate(all="ignore"):
            found = evaluate(replace(self.side.read, target=self), batch)
        return found.reshape(len(found), -1, 1)

    def known(self, batch: Batch, values: Array) -> Mask:
        """Not where a derivative that it speaks of does not exist."""
        read = replace(self.side.read, target=self)
        found = ArrayTarget.known(self, batch, values) & ~at_kinks(read, batch)
        for step in read.steps:
            above, _, below = step.rpartition("/")
            of = batch.reference(above[1:] or batch.model.forward.outputs[-1], below[1:])
            found &= ~(of.met | of.left_out)
        return np.asarray(found)


def is_primed(read: Read) -> bool:
    """Whether an f' is used."""
    return any(name.endswith("'") for one in read.definitions for name in one.names)


def at_kinks(read: Read, batch: Batch) -> Array:
    """(B,): where two cases of an f meet whose f' is used, which says nothing there."""
    found = np.zeros(len(batch), dtype=np.bool_)
    if is_primed(read):
        borders = Borders()
        evaluate(read, batch, borders)
        for border in borders.found:
            found |= (border.off == 0).any(axis=1)
    return found


# -- An exercise whose message has what a line defines, too.


@lru_cache(maxsize=256)
def extended(
    exercise: MessageGrader,
    one: t.Definition,
    functions: tuple[t.Definition, ...] = (),
    called: bool = False,
) -> MessageGrader:
    """The exercise with a definition of the learner's, a function where it is `called`.

    A definition of what the message has already takes its place.  `functions` are derivatives
    that it uses by name.  Raises OffsetError.
    """
    task = exercise.task
    before, words, name = task.model.forward, task.words, one.names[0]
    for number, value in NUMBERS.items():
        if number not in words.arities:
            one = replace(one, body=renamed(one.body, number, t.Number(value)))
    functions = (*before.functions, *functions, *((one,) if called else ()))
    arrays = [one if d.names[0] == name else d for d in before.arrays]
    if not called and name not in before.defined:
        arrays = [*(_by_name(d, one) for d in arrays), one]
    if not called:
        _refuse_other_indices(arrays, one)
    forward = replace(
        before,
        arrays=tuple(in_order(arrays, list(functions))),
        functions=functions,
        asides=before.asides | ({name} - {*before.defined}),
    )
    model = task.model.extended(forward, name)
    model.lengths()
    found = words_of(forward, model.survey)
    words = replace(
        words,
        arities=found.arities,
        arrays=found.arrays,
        dims=found.dims,
        functions=found.functions,
        asides=forward.asides,
    )
    return replace(exercise, task=replace(task, model=model, words=words))


def _refuse_other_indices(definitions: Sequence[t.Definition], one: t.Definition) -> None:
    """Raises OffsetError where a name stands with another number of indices than it has."""
    name, count = one.names[0], len(one.parameters)
    for part in (part for d in definitions for part in inside(d.body)):
        indices = part.indices if isinstance(part, t.Cell) else ()
        if isinstance(part, t.Cell | t.Name) and t.name_of(part) == name and len(indices) != count:
            said = f"{name} has {count} indices here, and {len(indices)} elsewhere."
            raise OffsetError(said, "give one of them another name", one.at)


def _by_name(definition: t.Definition, one: t.Definition) -> t.Definition:
    """The definition with `one` by its name wherever it says what that is."""

    def put(node: t.Node) -> t.Node:
        bound: dict[str, t.Node] = {}
        if type(node) is type(one.body) and _same(one.body, node, {*one.parameters}, bound):
            if not one.parameters:
                return t.Name(one.names[0], node.at)
            if len(bound) == len(one.parameters):
                at = tuple(bound[letter] for letter in one.parameters)
                return t.Cell(one.names[0], at, node.at)
        return rebuilt(node, put)

    return replace(definition, body=put(definition.body))


def _same(pattern: t.Node, node: t.Node, free: set[str], bound: dict[str, t.Node]) -> bool:
    """Whether a formula is the pattern, with names (into `bound`) for its free letters."""
    match pattern, node:
        case t.Name(letter), t.Name(name) if letter in free:
            # What a sum of the formula runs over is nothing outside of it.
            return not name.endswith("'") and bound.setdefault(letter, node) == node
        case t.Reduce(), t.Reduce():
            plain = all(
                b.domain is None and one.condition is None
                for one in (pattern, node)
                for b in one.binders
            )
            if pattern.kind != node.kind or len(pattern.names) != len(node.names) or not plain:
                return False
            ours, theirs = pattern.body, node.body
            for a, b in zip(pattern.names, node.names, strict=True):
                ours, theirs = (
                    renamed(one, letter, t.Name(f"{a}'"))
                    for one, letter in ((ours, a), (theirs, b))
                )
            return _same(ours, theirs, free, bound)
    if type(pattern) is not type(node) or _sort(pattern) != _sort(node):
        return False
    own, other = [*children(pattern)], [*children(node)]
    if not own and not other:
        return pattern == node
    pairs = zip(own, other, strict=False)
    return len(own) == len(other) and all(_same(a, b, free, bound) for a, b in pairs)


def _sort(node: t.Node) -> tuple[object, ...]:
    """What a node is besides its parts."""
    keys = ("array", "op", "ops", "function", "kind")
    return tuple(getattr(node, key) for key in keys if hasattr(node, key))
