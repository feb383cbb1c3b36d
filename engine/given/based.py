"""Indices that count from 1, as most cards print them, as those from 0 that everything reads.

An index letter that runs over all of its range, and those of what is asked, count from 0 inside;
where such a letter is a number, as in [k = 1] or 2k, it is one more.  A letter whose range is
written, as in sum_{k=1}^{K-1}, has the values that are written.  An array is read one place
earlier than its index says: x[k+1] stays x[k+1], and x[1] is x[0].
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from engine.formula.tree import (
    Apply,
    Arithmetic,
    Cell,
    Comparison,
    Definition,
    Name,
    Node,
    Number,
    Over,
    Pair,
    Reduce,
    children,
)
from engine.given.forward import Forward
from engine.given.paper import rebuilt
from engine.given.vocabulary import Words

_PLACES = ("argmax", "argmin")


def forward(message: Forward) -> Forward:
    """A forward message that is written with indices from 1, with indices from 0."""
    functions = frozenset(d.names[0] for d in message.functions)
    numbers = frozenset(n for n, count in message.inputs.items() if not count)
    read = Reader(functions, numbers & _indexers(message))
    arrays = tuple(read.definition(d) for d in message.arrays)
    return replace(message, arrays=arrays)


def answer(
    definitions: tuple[Definition, ...], body: Node, indices: tuple[str, ...], words: Words
) -> tuple[tuple[Definition, ...], Node]:
    """The same of an answer, whose own indices are `indices`."""
    called = {name for node in (body, *(d.body for d in definitions)) for name in _called(node)}
    places = {name for one in definitions if len(one.names) == 2 for name in one.names}
    read = Reader(frozenset({*words.functions, *called - words.arrays}), words.indexers)
    counted = frozenset({*indices, *places, *words.indexers})
    new = tuple(read.definition(one, counted) for one in definitions)
    return new, read.number(body, counted)


def _called(node: Node) -> Iterator[str]:
    """What is given values, as the f of f(s[k])."""
    if isinstance(node, Cell) and any(isinstance(i, Cell | Apply) for i in node.indices):
        yield node.array
    for part in children(node):
        yield from _called(part)


def _indexers(message: Forward) -> frozenset[str]:
    """Inputs that are the number of an entry, as the t of p[t]."""
    found: set[str] = set()
    functions = {definition.names[0] for definition in message.functions}

    def look(node: Node) -> Node:
        if isinstance(node, Cell) and node.array not in functions:
            found.update(index.name for index in node.indices if isinstance(index, Name))
        return rebuilt(node, look)

    for definition in message.arrays:
        look(definition.body)
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Reader:
    functions: frozenset[str]
    """What is called with values: its arguments are no indices."""
    indexers: frozenset[str] = frozenset()

    def definition(self, one: Definition, free: Collection[str] = ()) -> Definition:
        called = one.names[0] in self.functions or one.names[0].endswith("'")
        own = () if called else one.parameters
        body = one.body
        if isinstance(body, Reduce) and len(one.names) == 2:
            return replace(one, body=self._reduce(body, frozenset({*free, *own})))
        return replace(one, body=self.number(body, frozenset({*free, *own, *self.indexers})))

    def number(self, node: Node, counted: frozenset[str]) -> Node:
        """A number, or a condition on numbers; `counted` are the letters that count from 0."""
        match node:
            case Name(name) if name in counted:
                return Arithmetic("+", node, Number(1.0), node.at)
            case Cell(array, indices):
                called = array in self.functions or array.endswith("'")
                read = self.number if called else self._place
                return replace(node, indices=tuple(read(index, counted) for index in indices))
            case Reduce(kind) if kind in _PLACES and len(node.names) == 1:
                found = self._reduce(node, counted)
                whole = node.binders[0].domain is None
                return Arithmetic("+", found, Number(1.0), node.at) if whole else found
            case Reduce():
                return self._reduce(node, counted)
            case Over(kind) if kind in _PLACES:
                return Arithmetic("+", node, Number(1.0), node.at)
            case Comparison(_, operands) if any(isinstance(part, Pair) for part in operands):
                return replace(node, operands=tuple(self._pair(p, counted) for p in operands))
        return rebuilt(node, lambda part: self.number(part, counted))

    def _pair(self, node: Node, counted: frozenset[str]) -> Node:
        """A place is compared with a place: both count from 0."""
        if isinstance(node, Pair):
            return replace(node, items=tuple(self._place(item, counted) for item in node.items))
        return self._reduce(node, counted) if isinstance(node, Reduce) else node

    def _place(self, node: Node, counted: frozenset[str]) -> Node:
        """The index of an array, one less."""
        if isinstance(node, Name) and node.name in counted:
            return node
        return lowered(self.number(node, counted))

    def _reduce(self, node: Reduce, counted: frozenset[str]) -> Reduce:
        binders = []
        for binder in node.binders:
            if binder.domain is None:
                binders.append(binder)
                counted = counted | {*binder.names}
                continue
            binders.append(replace(binder, domain=self.number(binder.domain, counted)))
            counted = counted - {*binder.names}
        test = None if node.condition is None else self.number(node.condition, counted)
        body = self.number(node.body, counted)
        return replace(node, body=body, binders=tuple(binders), condition=test)


def lowered(node: Node) -> Node:
    """node - 1, with the whole numbers at its end put together."""
    rest, offset = _parted(node, -1.0)
    if rest is None:
        return Number(offset, node.at)
    if not offset:
        return rest
    return Arithmetic("+" if offset > 0 else "-", rest, Number(abs(offset)), node.at)


def _parted(node: Node, offset: float) -> tuple[Node | None, float]:
    """A sum as what is no plain number in it, and the plain numbers added up."""
    match node:
        case Number(value):
            return None, offset + value
        case Arithmetic("+" | "-" as op, left, right):
            first, total = _parted(left, offset)
            second, own = _parted(right, 0.0)
            total += own if op == "+" else -own
            if second is None:
                return first, total
            if first is not None:
                return Arithmetic(op, first, second, node.at), total
            if op == "+":
                return second, total
    return node, offset
