"""What an index of an answer runs over: as far as the places it is used at reach."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from engine.formula.problem import OffsetError
from engine.formula.tree import Cell, Comparison, Definition, Name, Node, Reduce, children


def extent(
    name: str,
    node: Reduce,
    shapes: Mapping[str, tuple[int, ...]],
    letters: Mapping[str, int],
    definitions: Mapping[str, Definition],
) -> int:
    """How long the bound index `name` of `node` runs.

    Where its uses differ, its usual range counts, or else the longest: a formula that reads past
    the end of an array is then undefined there.  Raises OffsetError where no use tells.
    """
    found: set[int] = set()
    for part in children(node):
        found.update(_uses(part, name, shapes, letters, definitions, ()))
    if len(found) == 1:
        return found.pop()
    if name in letters and (not found or letters[name] in found):
        return letters[name]
    if not found:
        raise OffsetError(
            f"I cannot tell what {name} runs over.", f"say it: for {name} in range(3)", node.at
        )
    return max(found)


def _uses(
    node: Node,
    name: str,
    shapes: Mapping[str, tuple[int, ...]],
    letters: Mapping[str, int],
    definitions: Mapping[str, Definition],
    opened: tuple[str, ...],
) -> Iterator[int]:
    if isinstance(node, Reduce) and name in node.names:
        return
    if isinstance(node, Cell):
        definition = definitions.get(node.array)
        if definition is None:
            for place, index in enumerate(node.indices):
                if index == Name(name) and place < len(shapes.get(node.array, ())):
                    yield shapes[node.array][place]
        elif node.array not in opened:
            for parameter, index in zip(definition.parameters, node.indices, strict=False):
                if index == Name(name):
                    inner = (*opened, node.array)
                    yield from _uses(
                        definition.body, parameter, shapes, letters, definitions, inner
                    )
    if isinstance(node, Name) and node.name in definitions and node.name not in opened:
        body = definitions[node.name].body
        yield from _uses(body, name, shapes, letters, definitions, (*opened, node.name))
    if isinstance(node, Comparison):
        for first, second in pairwise(node.operands):
            for one, other in ((first, second), (second, first)):
                if one == Name(name) and isinstance(other, Name) and other.name in letters:
                    yield letters[other.name]
    for child in children(node):
        yield from _uses(child, name, shapes, letters, definitions, opened)
