"""Indices of max pooling that count from 1, as those from 0 that everything reads.

i, j, k, l and every index whose sum does not say otherwise are places: inside they count from 0,
and where one is a number, as in (k-1)*sh, it is one more.  A letter with a written range, as in
sum_{a=1}^{kh}, has the values that are written.  What x, delta and Omega are read at is one less.
"""

from __future__ import annotations

from dataclasses import replace

from engine.formula.names import INPUT_INDICES, OUTPUT_INDICES
from engine.formula.tree import (
    Answer,
    Arithmetic,
    Cell,
    Comparison,
    Definition,
    Formula,
    Name,
    Node,
    Number,
    Pair,
    Range,
    Reduce,
    Window,
    Windows,
)
from engine.given.based import lowered
from engine.given.paper import rebuilt


def from_one(formula: Formula) -> Formula:
    """A formula with indices from 1 as one with indices from 0; its echo stays."""
    tree = formula.tree
    pairs = {name for one in tree.definitions if len(one.names) == 2 for name in one.names}
    counted = frozenset({*tree.indices, *INPUT_INDICES, *OUTPUT_INDICES, *pairs})
    definitions = tuple(_definition(one, counted) for one in tree.definitions)
    answer = Answer(tree.target, tree.indices, definitions, _number(tree.body, counted))
    return replace(formula, tree=answer)


def _definition(one: Definition, counted: frozenset[str]) -> Definition:
    inside = counted | {*one.parameters}
    made = _place if len(one.names) == 2 else _number
    return replace(one, body=made(one.body, inside))


def _number(node: Node, counted: frozenset[str]) -> Node:
    """A number, or a condition on numbers; `counted` are the letters that count from 0."""
    match node:
        case Name(name) if name in counted:
            return Arithmetic("+", node, Number(1.0), node.at)
        case Cell() | Window() | Windows():
            return replace(node, indices=tuple(_place(index, counted) for index in node.indices))
        case Reduce():
            return _reduce(node, counted)
        case Comparison(_, operands) if any(isinstance(part, Pair) for part in operands):
            return replace(node, operands=tuple(_place(part, counted) for part in operands))
    return rebuilt(node, lambda part: _number(part, counted))


def _place(node: Node, counted: frozenset[str]) -> Node:
    """What is read at: one less; of a pair each, of a set of places nothing."""
    match node:
        case Name(name) if name in counted:
            return node
        case Pair(items):
            return replace(node, items=tuple(_place(item, counted) for item in items))
        case Name() | Number() | Arithmetic():
            return lowered(_number(node, counted))
    return _number(node, counted)


def _reduce(node: Reduce, counted: frozenset[str]) -> Reduce:
    binders = []
    for binder in node.binders:
        domain = None if binder.domain is None else _number(binder.domain, counted)
        binders.append(replace(binder, domain=domain))
        written = isinstance(binder.domain, Range)
        names = frozenset(binder.names)
        counted = counted - names if written else counted | names
    test = None if node.condition is None else _number(node.condition, counted)
    return replace(node, body=_number(node.body, counted), binders=tuple(binders), condition=test)
