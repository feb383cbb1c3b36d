"""A forward message as definitions: which of them are arrays, which functions, in which order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property

from engine.formula.problem import OffsetError
from engine.formula.tree import (
    Arithmetic,
    Cell,
    Definition,
    Name,
    Negative,
    Node,
    Number,
    Reduce,
    children,
)
from engine.given.paper import names_in


@dataclass(frozen=True, eq=False)
class Forward:
    """What a card gives.  `arrays` come in an order in which each uses only earlier ones."""

    arrays: tuple[Definition, ...]
    """s[k] = ..., L = ...: evaluated once for each index."""
    functions: tuple[Definition, ...]
    """f(t) = ...: evaluated where they are called, with values."""
    inputs: Mapping[str, int]
    """What is given from outside, with the number of indices of each."""
    constants: Mapping[str, float]
    """Scalars with one value."""
    scalars: frozenset[str]
    """Names of sizes that the text uses as numbers."""

    @property
    def defined(self) -> dict[str, Definition]:
        return {d.names[0]: d for d in self.arrays}

    @cached_property
    def uses(self) -> dict[str, frozenset[str]]:
        """Of each array the names that it is made of, its own and those of all functions too."""
        called = {name for d in self.functions for name in names_in(d.body)}
        return {n: frozenset((n, *names_in(d.body), *called)) for n, d in self.defined.items()}

    @property
    def outputs(self) -> list[str]:
        """The arrays that no other definition uses."""
        used = {name for d in (*self.arrays, *self.functions) for name in names_in(d.body)}
        return [d.names[0] for d in self.arrays if d.names[0] not in used]


def shifted(node: Node) -> bool:
    """Whether an array is read at computed places, as in a convolution."""
    own = isinstance(node, Cell) and any(isinstance(i, Arithmetic) for i in node.indices)
    return own or any(map(shifted, children(node)))


def averaged(node: Node) -> Iterator[str]:
    """The letters that means run over."""
    if isinstance(node, Reduce) and node.kind == "mean":
        yield from node.names
    for part in children(node):
        yield from averaged(part)


def split(
    definitions: list[Definition], called: Set[str]
) -> tuple[list[Definition], list[Definition]]:
    """Arrays and functions: a function is called with values, an array is read at indices.

    `called` are those written with round brackets; p[t] reads an array even where t is a value.
    One that nothing reads is a function where its argument is no index: an answer may use it.
    """
    read = {cell.array for definition in definitions for cell in _cells(definition.body)}
    spare = {d.names[0] for d in definitions if d.names[0] in called - read and _of_value(d)}
    functions = spare if len(spare) < len(definitions) else set()
    numbers = frozenset(d.names[0] for d in definitions if not d.parameters)
    while True:
        found = set(functions)
        for definition in definitions:
            own = definition.names[0] in functions
            values = numbers | frozenset(definition.parameters if own else ())
            for cell in _cells(definition.body):
                if cell.array in called and not all(_is_index(n, values) for n in cell.indices):
                    found.add(cell.array)
        if found == functions:
            break
        functions = found
    arrays = [d for d in definitions if d.names[0] not in functions]
    return arrays, [d for d in definitions if d.names[0] in functions]


def _of_value(definition: Definition) -> bool:
    inside = [index for cell in _cells(definition.body) for index in cell.indices]
    indices = {name for index in inside for name in names_in(index)}
    return bool(definition.parameters) and indices.isdisjoint(definition.parameters)


def _cells(node: Node) -> Iterator[Cell]:
    if isinstance(node, Cell):
        yield node
    for child in children(node):
        yield from _cells(child)


def _is_index(node: Node, values: frozenset[str]) -> bool:
    """Whether an expression is made of numbers and names alone, none of them a `values` name."""
    match node:
        case Number():
            return True
        case Name(name):
            return name not in values
        case Arithmetic(_, left, right):
            return _is_index(left, values) and _is_index(right, values)
        case Negative(part):
            return _is_index(part, values)
    return False


def ordered(definitions: list[Definition], functions: list[Definition]) -> list[Definition]:
    """The arrays, each after what it uses.  Raises OffsetError where they go round in a circle."""
    arrays = {d.names[0]: d for d in definitions}
    every = {**arrays, **{d.names[0]: d for d in functions}}
    done: list[str] = []
    open_: list[str] = []

    def visit(name: str) -> None:
        if name in done or name not in every:
            return
        if name in open_:
            chain = " -> ".join([*open_[open_.index(name) :], name])
            raise OffsetError(
                f"The definitions go round in a circle: {chain}.",
                "define each name by earlier ones",
                every[name].at,
            )
        open_.append(name)
        for used in names_in(every[name].body):
            visit(used)
        open_.pop()
        done.append(name)

    for name in every:
        visit(name)
    return [arrays[name] for name in done if name in arrays]
