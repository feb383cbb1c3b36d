"""A letter that is a mean here, and how many there are in a paper: 1/(m sqrt(v)) of m entries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from engine.formula.tree import Binder, Definition, Name, Node, Number, Reduce
from engine.given.forward import Forward
from engine.given.paper import inside, rebuilt, whole
from engine.given.settle import Read

#: What the number of entries may be called, where nothing else is.
COUNTS: Final = ("N", "n")


def means(forward: Forward) -> Iterator[tuple[str, str]]:
    """The names of one letter that are a mean, each with the index that it runs over."""
    for definition in forward.arrays:
        name, body = definition.names[0], definition.body
        plain = isinstance(body, Reduce) and body.kind == "mean" and len(body.names) == 1
        if plain and isinstance(body, Reduce) and len(name) == 1 and not definition.parameters:
            yield name, body.names[0]


def as_number(read: Read, name: str, letter: str) -> Read | None:
    """The answer with the number of entries wherever it says `name`; None where it does not."""
    number = Reduce("sum", Number(1.0), (Binder((letter,), None),), None)

    def put(node: Node) -> Node:
        # What was typed by another name, as a Greek mu, is the mean.
        own = node == Name(name) and read.source[node.at : node.at + 2].rstrip(" _") != "mu"
        return number if own else rebuilt(node, put)

    def spoken(definition: Definition) -> bool:
        return any(part == Name(name) for part in inside(definition.body))

    if not any(part == Name(name) for part in inside(read.body)) and not any(
        map(spoken, read.definitions)
    ):
        return None
    definitions = tuple(replace(one, body=put(one.body)) for one in read.definitions)
    return replace(read, body=whole(put(read.body), ()), definitions=definitions)
